//! A running `arena serve`, and a client that writes requests byte by byte, as a hostile client could.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

/// A server that is silent for this long hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A server. Dropping this value ends it.
pub(crate) struct Server {
    process: Child,
    pub(crate) port: u16,
    pub(crate) link: String,
}

/// A response of the server.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    fn of(text: Vec<u8>) -> Answer {
        let text = String::from_utf8(text).expect("UTF-8");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        Answer { status, head: head.to_lowercase(), body: body.to_owned() }
    }
}

impl Server {
    /// Serves this directory on a free port.
    pub(crate) fn start(dir: &Path, more: &[&str]) -> Server {
        Server::launch(crate::program::command(), dir, more)
    }

    /// Serves this directory with a limit on open files.
    pub(crate) fn start_with_files(dir: &Path, files: usize, more: &[&str]) -> Server {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -n {files}; exec \"$@\""), "sh", env!("CARGO_BIN_EXE_arena")]);
        Server::launch(shell, dir, more)
    }

    /// Serves this directory with a command for the arena.
    pub(crate) fn launch(mut command: Command, dir: &Path, more: &[&str]) -> Server {
        command.arg("serve").arg(dir).args(["--port", "0"]).args(more);
        Server::of(command)
    }

    /// Runs a command that prints the address that it serves. Other lines may come before.
    pub(crate) fn of(mut command: Command) -> Server {
        let mut process = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the arena starts");
        let mut lines = BufReader::new(process.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
        let line = lines.find(|line| line.starts_with("http")).expect("it prints a link");
        let link = line.split_whitespace().next().expect("a link").to_owned();
        let rest = link.rsplit(':').next().expect("a port");
        let port = rest.split('/').next().and_then(|port| port.parse().ok()).expect("a port");
        Server { process, port, link }
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Sends this request line and these headers.
    pub(crate) fn ask(&self, line: &str, headers: &[&str]) -> Answer {
        let mut stream = self.connect(line, headers);
        let mut text = Vec::new();
        stream.read_to_end(&mut text).expect("an answer");
        Answer::of(text)
    }

    /// Sends this body, of which the server may refuse to read all.
    pub(crate) fn post(&self, path: &str, headers: &[&str], body: &[u8]) -> Answer {
        let length = format!("Content-Length: {}", body.len());
        let host = format!("Host: 127.0.0.1:{}", self.port);
        let headers = [&[host.as_str(), &length], headers].concat();
        let mut stream = self.connect(&format!("POST {path} HTTP/1.1"), &headers);
        let mut text = Vec::new();
        let _ = stream.write_all(body);
        let _ = stream.read_to_end(&mut text);
        Answer::of(text)
    }

    /// Returns the size of the compressed response at a path, in bytes.
    pub(crate) fn compressed_bytes(&self, path: &str) -> usize {
        let host = format!("Host: 127.0.0.1:{}", self.port);
        let mut stream =
            self.connect(&format!("GET {path} HTTP/1.1"), &[&host, "Accept-Encoding: br;q=1, gzip"]);
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer");
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("a head");
        let head = String::from_utf8_lossy(&answer[..end]).to_lowercase();
        assert!(head.contains("content-encoding: gzip"), "{path}: {head}");
        answer.len()
    }

    /// Sends a GET request like a browser on this machine.
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask(&format!("GET {path} HTTP/1.1"), &[&format!("Host: 127.0.0.1:{}", self.port)])
    }

    /// Returns the JSON at a path.
    pub(crate) fn json(&self, path: &str) -> Value {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        serde_json::from_str(&answer.body).expect("JSON")
    }

    /// Returns the events that follow, one after another.
    pub(crate) fn events(&self) -> impl Iterator<Item = Value> + use<> {
        self.events_of("/events")
    }

    /// Returns the events of another path.
    pub(crate) fn events_of(&self, path: &str) -> impl Iterator<Item = Value> + use<> {
        let stream =
            self.connect(&format!("GET {path} HTTP/1.1"), &[&format!("Host: 127.0.0.1:{}", self.port)]);
        let lines = BufReader::new(stream).lines().map_while(Result::ok);
        let data = lines.filter_map(|line| line.strip_prefix("data: ").map(str::to_owned));
        data.map(|data| serde_json::from_str(&data).expect("JSON"))
    }

    /// Returns the first event for which `holds` returns true.
    pub(crate) fn wait(&self, holds: impl Fn(&Value) -> bool) -> Value {
        self.events().find(|event| holds(event)).expect("events until then")
    }

    fn connect(&self, line: &str, headers: &[&str]) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        let headers = headers.iter().map(|header| format!("{header}\r\n")).collect::<String>();
        let request = format!("{line}\r\n{headers}Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("it reads");
        stream
    }

    /// Ends the server without a word.
    pub(crate) fn kill(&mut self) {
        self.process.kill().expect("it is ours");
    }

    /// Interrupts the server like Ctrl-C and returns its exit status.
    pub(crate) fn interrupt(mut self) -> Option<i32> {
        let id = rustix::process::Pid::from_child(&self.process);
        rustix::process::kill_process(id, rustix::process::Signal::INT).expect("it runs");
        self.process.wait().expect("it ends").code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
