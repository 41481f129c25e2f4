//! Chromium and its DevTools protocol over a pair of pipes. Messages are JSON, each ended by a zero byte.
//!
//! Crates for this protocol cover all of it and take longer to compile than all browser tests take to run.
//! These tests need only calls and events.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::Page;

/// A browser that is silent for this long hangs.
const PATIENCE: Duration = Duration::from_secs(120);
/// The browser reads calls from descriptor 3 and writes to descriptor 4. Its other output is discarded.
const LAUNCH: &str = r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#;
/// No window, no sandbox (tests may run as root), and no network access of its own.
const OPTIONS: [&str; 9] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--hide-scrollbars",
    "--no-first-run",
    "--remote-debugging-pipe",
];

/// A running browser. Dropping this value ends it.
#[derive(Debug)]
pub(crate) struct Browser {
    process: Child,
    calls: ChildStdin,
    messages: Receiver<Value>,
    events: Vec<Value>,
    last_id: u64,
    _profile: TempDir,
}

impl Browser {
    pub(crate) fn start(program: &Path) -> Browser {
        let profile = tempfile::tempdir().expect("a scratch folder");
        let mut process = Command::new("sh")
            .args(["-c", LAUNCH])
            .arg(program)
            .args(OPTIONS)
            .arg(format!("--user-data-dir={}", profile.path().display()))
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
        Browser { process, calls, messages, events: Vec::new(), last_id: 0, _profile: profile }
    }

    /// Opens a page with this size in pixels and the color scheme `light` or `dark`.
    pub(crate) fn page(&mut self, width: u32, height: u32, scheme: &str) -> Page<'_> {
        let target = self.call(None, "Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = self.call(None, "Target.attachToTarget", attach);
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
        // `Browser.close` ends all processes of the browser. `kill` follows in case it does not listen.
        let _ = self.calls.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        while self.messages.recv_timeout(Duration::from_secs(5)).is_ok() {}
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
