//! One page of a browser: what a user does with it, and what a test reads from it.

use std::path::Path;

use serde_json::{Value, json};

use super::Browser;

/// A page that is open.
#[derive(Debug)]
pub(crate) struct Page<'b> {
    browser: &'b mut Browser,
    session: String,
}

impl<'b> Page<'b> {
    pub(super) fn new(
        browser: &'b mut Browser,
        session: String,
        width: u32,
        height: u32,
        scheme: &str,
    ) -> Page<'b> {
        let mut page = Page { browser, session };
        for domain in ["Page", "Network", "Runtime", "Log"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        page.resize(width, height);
        let feature = json!({"name": "prefers-color-scheme", "value": scheme});
        page.call("Emulation.setEmulatedMedia", json!({"features": [feature]}));
        page
    }

    /// Gives the page so many pixels.
    pub(crate) fn resize(&mut self, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Opens a file, with a fragment or without, and waits until it is there.
    pub(crate) fn open(&mut self, file: &Path, fragment: &str) {
        let address =
            format!("file://{}{fragment}", file.canonicalize().expect("the file is there").display());
        self.go(&address);
    }

    /// Goes to an address and waits until its page is there.
    pub(crate) fn go(&mut self, address: &str) {
        self.browser.take_events();
        self.call("Page.navigate", json!({"url": address}));
        self.browser.wait("Page.loadEventFired");
    }

    /// The value of an expression, a promise awaited.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let mut result = self.call("Runtime.evaluate", params);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].take()
    }

    /// Presses a key and lets it go.
    pub(crate) fn press(&mut self, key: &str) {
        let text = if key == "Space" { " " } else { key };
        for kind in ["rawKeyDown", "keyUp"] {
            let code = match key {
                "Space" => 32,
                "End" => 35,
                "Home" => 36,
                "ArrowLeft" => 37,
                "ArrowRight" => 39,
                "Tab" => 9,
                _ => panic!("the code of {key} is not known here"),
            };
            let event = json!({"type": kind, "key": text, "code": key, "windowsVirtualKeyCode": code});
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// A picture of what is to be seen, as PNG in Base64, made smaller by `scale`.
    pub(crate) fn picture(&mut self, scale: f64) -> String {
        let size = self.evaluate("[innerWidth, innerHeight]");
        let clip = json!({"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": scale});
        let params = json!({"format": "png", "clip": clip});
        self.call("Page.captureScreenshot", params)["data"].as_str().expect("a picture").to_owned()
    }

    /// Events since the page was opened: those of a method, with what it says.
    pub(crate) fn events(&mut self) -> Vec<(String, Value)> {
        self.call("Runtime.evaluate", json!({"expression": "0"})); // what came before it is here now
        let events = self.browser.take_events().into_iter();
        let parts = |mut event: Value| Some((event["method"].as_str()?.to_owned(), event["params"].take()));
        events.filter_map(parts).collect()
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.browser.call(Some(&self.session), method, params)
    }
}
