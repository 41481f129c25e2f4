//! Chromium and its DevTools protocol over a pair of pipes. Messages are JSON, each ended by a zero byte.
//!
//! Crates for this protocol cover all of it and take longer to compile than all browser tests take to run.
//! These tests need only calls and events.

use std::io::{BufRead, BufReader, Write};
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use super::Page;

/// A browser that is silent for this long hangs.
const PATIENCE: Duration = Duration::from_secs(120);
/// The browser reads calls from descriptor 3 and writes to descriptor 4. Its other output is discarded. It ends when
/// descriptor 3 does, at the latest with the test program, and the shell removes its profile.
const LAUNCH: &str = r#"profile=$(mktemp -d) || exit
"$0" "$@" --user-data-dir="$profile" 3<&0 4>&1 </dev/null >/dev/null 2>&1
rm -rf "$profile""#;
/// No window, no sandbox (tests may run as root), and no network access of its own.
const OPTIONS: [&str; 12] = [
    "--headless=new",
    "--renderer-process-limit=1",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-gpu-compositing",
    "--disable-software-rasterizer",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--hide-scrollbars",
    "--no-first-run",
    "--remote-debugging-pipe",
];

/// Browsers that no test uses. Starting one takes longer than most tests.
static IDLE: Mutex<Vec<Browser>> = Mutex::new(Vec::new());

/// A running browser, with the context of one test: its pages, and what they store.
#[derive(Debug)]
pub(crate) struct Browser {
    process: Child,
    calls: ChildStdin,
    messages: Receiver<Value>,
    events: Vec<Value>,
    last_id: u64,
    context: Value,
    /// The page that is open.
    target: Value,
}

/// A browser for one test. When a test that passed drops this value, the browser is free for the next test.
#[derive(Debug)]
pub(crate) struct Lent(Option<Browser>);

impl Deref for Lent {
    type Target = Browser;

    fn deref(&self) -> &Browser {
        self.0.as_ref().expect("only `drop` takes it")
    }
}

impl DerefMut for Lent {
    fn deref_mut(&mut self) -> &mut Browser {
        self.0.as_mut().expect("only `drop` takes it")
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let Some(mut browser) = self.0.take().filter(|_| !std::thread::panicking()) else { return };
        let context = json!({"browserContextId": browser.context});
        browser.call(None, "Target.disposeBrowserContext", context);
        IDLE.lock().expect("nobody panics while holding it").push(browser);
    }
}

impl Browser {
    /// Returns an idle browser, or starts one.
    pub(crate) fn lend(program: &Path) -> Lent {
        let idle = IDLE.lock().expect("nobody panics while holding it").pop();
        let mut browser = idle.unwrap_or_else(|| Browser::start(program));
        browser.events.clear();
        browser.target = Value::Null;
        browser.context =
            browser.call(None, "Target.createBrowserContext", json!({}))["browserContextId"].take();
        Lent(Some(browser))
    }

    fn start(program: &Path) -> Browser {
        let mut process = Command::new("sh")
            .args(["-c", LAUNCH])
            .arg(program)
            .args(OPTIONS)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let calls = process.stdin.take().expect("a pipe");
        let mut answers = BufReader::new(process.stdout.take().expect("a pipe"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            while answers.read_until(0, &mut bytes).is_ok_and(|length| length > 0) {
                let message = bytes.strip_suffix(b"\0").and_then(|text| serde_json::from_slice(text).ok());
                if message.is_none_or(|message| sender.send(message).is_err()) {
                    break;
                }
                bytes.clear();
            }
        });
        Browser {
            process,
            calls,
            messages,
            events: Vec::new(),
            last_id: 0,
            context: Value::Null,
            target: Value::Null,
        }
    }

    /// Opens a page with this size in pixels and the color scheme `light` or `dark`, in the place of the page before.
    pub(crate) fn page(&mut self, width: u32, height: u32, scheme: &str) -> Page<'_> {
        let before = self.target.take();
        let target = self.call(
            None,
            "Target.createTarget",
            json!({"url": "about:blank", "browserContextId": self.context}),
        );
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = self.call(None, "Target.attachToTarget", attach);
        self.target = target["targetId"].clone();
        if !before.is_null() {
            self.call(None, "Target.closeTarget", json!({"targetId": before}));
        }
        Page::new(self, session["sessionId"].as_str().expect("a session").to_owned(), width, height, scheme)
    }

    /// Calls a method and waits for its result. Events that arrive in the meantime are kept.
    pub(super) fn call(&mut self, session: Option<&str>, method: &str, params: Value) -> Value {
        self.try_call(session, method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Calls a method like `call`, but returns the browser's error.
    pub(super) fn try_call(
        &mut self,
        session: Option<&str>,
        method: &str,
        params: Value,
    ) -> Result<Value, Value> {
        self.last_id += 1;
        let mut call = json!({"id": self.last_id, "method": method, "params": params});
        if let Some(session) = session {
            call["sessionId"] = session.into();
        }
        self.calls.write_all(format!("{call}\0").as_bytes()).expect("the browser listens");
        loop {
            let mut message = self.next(method);
            if message["id"] == self.last_id {
                let error = message["error"].take();
                return if error.is_null() { Ok(message["result"].take()) } else { Err(error) };
            }
            self.events.push(message);
        }
    }

    /// Waits for an event of a page.
    pub(super) fn wait(&mut self, session: &str, method: &str) -> Value {
        let is_it = |event: &Value| event["method"] == method && event["sessionId"] == session;
        loop {
            if let Some(place) = self.events.iter().position(is_it) {
                return self.events.remove(place);
            }
            let message = self.next(method);
            self.events.push(message);
        }
    }

    /// Returns the events so far and forgets them.
    pub(super) fn take_events(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.events)
    }

    fn next(&mut self, what: &str) -> Value {
        let message = self.messages.recv_timeout(PATIENCE);
        message.unwrap_or_else(|error| panic!("{what}: no word from the browser: {error}"))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // `Browser.close` ends all processes of the browser, and the shell ends after them. `kill` follows in case it
        // does not listen.
        let _ = self.calls.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        while self.messages.recv_timeout(Duration::from_secs(5)).is_ok() {}
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
