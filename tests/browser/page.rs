//! One page of a browser: the actions of a user, and the values that a test reads.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Browser;

/// Maximum time to wait for an expression to hold.
const PATIENCE: Duration = Duration::from_secs(90);

/// An open page.
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

    /// Sets the size of the page in pixels.
    pub(crate) fn resize(&mut self, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Opens a file, with or without a fragment, and waits until it has loaded.
    pub(crate) fn open(&mut self, file: &Path, fragment: &str) {
        let address =
            format!("file://{}{fragment}", file.canonicalize().expect("the file is there").display());
        self.go(&address);
    }

    /// Goes to an address and waits until its page has loaded.
    pub(crate) fn go(&mut self, address: &str) {
        self.browser.take_events();
        self.call("Page.navigate", json!({"url": address}));
        self.browser.wait(&self.session, "Page.loadEventFired");
    }

    /// Returns the value of an expression. Awaits promises.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let mut result = self.call("Runtime.evaluate", params);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].take()
    }

    /// Evaluates an expression that leads to another page. The page that goes may not live to answer.
    pub(crate) fn leave(&mut self, expression: &str) {
        let question = json!({"expression": expression});
        let answer = self.browser.try_call(Some(&self.session), "Runtime.evaluate", question);
        let is_well = answer.as_ref().map_or(true, |answer| answer["exceptionDetails"].is_null());
        assert!(is_well, "{expression}: {answer:?}");
    }

    /// Waits until an expression holds, on this page or on the page that it navigates to.
    pub(crate) fn wait_for(&mut self, expression: &str) {
        let end = Instant::now() + PATIENCE;
        let question = json!({"expression": format!("Boolean({expression})"), "returnByValue": true});
        loop {
            // A page that is being replaced answers with an error, and a new page first with an exception.
            let answer = self.browser.try_call(Some(&self.session), "Runtime.evaluate", question.clone());
            if answer.is_ok_and(|answer| answer["result"]["value"] == true) {
                return;
            }
            if Instant::now() > end {
                panic!("{expression}: {}", self.evaluate("document.body.innerText"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Presses and releases a key.
    pub(crate) fn press(&mut self, key: &str) {
        let name = if key == "Space" { " " } else { key };
        // The text that the key types. A button reacts to Enter only if the event has a text.
        let text = if key == "Enter" { "\r" } else { "" };
        for kind in [if text.is_empty() { "rawKeyDown" } else { "keyDown" }, "keyUp"] {
            let code = match key {
                "Space" => 32,
                "End" => 35,
                "Home" => 36,
                "ArrowLeft" => 37,
                "ArrowRight" => 39,
                "ArrowUp" => 38,
                "ArrowDown" => 40,
                "Tab" => 9,
                "Enter" => 13,
                "Escape" => 27,
                "?" => 191,
                letter if letter.len() == 1 => letter.to_ascii_uppercase().as_bytes()[0].into(),
                _ => panic!("the code of {key} is not known here"),
            };
            let event =
                json!({"type": kind, "key": name, "code": key, "text": text, "windowsVirtualKeyCode": code});
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Repeats a key that types this text, as a keyboard does while it is held.
    pub(crate) fn hold(&mut self, key: &str, text: &str) {
        let event = json!({"type": "keyDown", "key": key, "text": text, "windowsVirtualKeyCode": 13, "autoRepeat": true});
        self.call("Input.dispatchKeyEvent", event);
    }

    /// Moves the mouse to this point, presses its button (`mousePressed`), or releases it (`mouseReleased`).
    pub(crate) fn mouse(&mut self, kind: &str, [x, y]: [f64; 2]) {
        let buttons = i32::from(kind != "mouseReleased");
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let event =
            json!({"type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": 1});
        self.call("Input.dispatchMouseEvent", event);
    }

    /// Turns the wheel by a notch at this point.
    pub(crate) fn wheel(&mut self, [x, y]: [f64; 2]) {
        let event = json!({"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": 120});
        self.call("Input.dispatchMouseEvent", event);
    }

    /// Clicks with the right button at this point.
    pub(crate) fn right_click(&mut self, [x, y]: [f64; 2]) {
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": x, "y": y, "button": "right", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Returns what a screen reader sees: the role and the name of each node, and its number for [`act`](Self::act).
    pub(crate) fn accessible(&mut self) -> Vec<(String, String, u64)> {
        let tree = self.call("Accessibility.getFullAXTree", json!({}));
        let text = |node: &Value, field: &str| node[field]["value"].as_str().unwrap_or_default().to_owned();
        let is_disabled = |node: &Value| {
            let all = node["properties"].as_array().into_iter().flatten();
            all.clone().any(|one| one["name"] == "disabled" && one["value"]["value"] == true)
        };
        let nodes = tree["nodes"].as_array().expect("nodes").iter();
        let shown = nodes.filter(|node| node["ignored"] != true && !is_disabled(node));
        let parts =
            |node: &Value| Some((text(node, "role"), text(node, "name"), node["backendDOMNodeId"].as_u64()?));
        shown.filter_map(parts).collect()
    }

    /// Does what a node of the accessibility tree does by default.
    pub(crate) fn act(&mut self, node: u64) {
        let object = self.call("DOM.resolveNode", json!({"backendNodeId": node}));
        let call = json!({"objectId": object["object"]["objectId"], "functionDeclaration": "function () { this.click(); }"});
        self.call("Runtime.callFunctionOn", call);
    }

    /// Chooses a file in the field of a form.
    pub(crate) fn choose(&mut self, field: &str, file: &Path) {
        let root = self.call("DOM.getDocument", json!({}));
        let question = json!({"nodeId": root["root"]["nodeId"], "selector": field});
        let node = self.call("DOM.querySelector", question);
        self.call("DOM.setFileInputFiles", json!({"nodeId": node["nodeId"], "files": [file]}));
    }

    /// Waits until the browser has drawn the current page.
    pub(crate) fn drawn(&mut self) {
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    }

    /// Touches the page at this point (`touchStart`), moves the finger (`touchMove`), or lifts it
    /// (`touchEnd`).
    pub(crate) fn touch(&mut self, kind: &str, [x, y]: [f64; 2]) {
        if kind == "touchStart" {
            self.drawn(); // on a busy machine, the page can miss a touch before that
        }
        let points = if kind == "touchEnd" { json!([]) } else { json!([{"x": x, "y": y}]) };
        self.call("Input.dispatchTouchEvent", json!({"type": kind, "touchPoints": points}));
    }

    /// Takes a screenshot of the visible part, scaled by `scale`, as PNG in Base64.
    pub(crate) fn picture(&mut self, scale: f64) -> String {
        let size = self.evaluate("[innerWidth, innerHeight]");
        let clip = json!({"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": scale});
        let params = json!({"format": "png", "clip": clip});
        self.call("Page.captureScreenshot", params)["data"].as_str().expect("a picture").to_owned()
    }

    /// Returns the events since the page was opened, each as its method and parameters.
    pub(crate) fn events(&mut self) -> Vec<(String, Value)> {
        self.call("Runtime.evaluate", json!({"expression": "0"})); // earlier events have arrived now
        let events = self.browser.take_events().into_iter();
        let parts = |mut event: Value| Some((event["method"].as_str()?.to_owned(), event["params"].take()));
        events.filter_map(parts).collect()
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.browser.call(Some(&self.session), method, params)
    }
}
