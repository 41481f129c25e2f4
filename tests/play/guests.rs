//! A match on a page, and access control for it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::program::{scratch, words};

/// A match that waits on a page. Dropping this value ends it.
pub(crate) struct Served {
    process: Child,
    shows: BufReader<ChildStdout>,
    /// The printed address.
    pub(crate) link: String,
    folder: TempDir,
}

impl Served {
    pub(crate) fn start(game: &str, seed: &str) -> Served {
        Served::start_with(game, seed, &[])
    }

    /// Starts with more options.
    pub(crate) fn start_with(game: &str, seed: &str, more: &[&str]) -> Served {
        Served::of_built_in(crate::program::command(), game, seed, more)
    }

    /// Starts a match of a user's own game in this folder. `args` name the game and all seats.
    pub(crate) fn start_own(folder: TempDir, args: &[&str]) -> Served {
        Served::launch(crate::program::command(), folder, args)
    }

    /// Starts with a limit on open files.
    fn start_with_files(game: &str, files: usize) -> Served {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -n {files}; exec \"$@\""), "sh", env!("CARGO_BIN_EXE_arena")]);
        Served::of_built_in(shell, game, "1", &[])
    }

    fn of_built_in(command: Command, game: &str, seed: &str, more: &[&str]) -> Served {
        let args = format!("--game {game} --bot me=human --bot rival=random --seed {seed}");
        Served::launch(command, scratch(), &[&words(&args), more].concat())
    }

    /// Starts with a command for the arena.
    fn launch(mut command: Command, folder: TempDir, args: &[&str]) -> Served {
        command.current_dir(folder.path()).arg("play").args(args);
        command.args(words("--record match.json --startup-time 60s --move-time 60s"));
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("the arena starts");
        let mut shows = BufReader::new(process.stdout.take().expect("a pipe"));
        let link = line_with(&mut shows, "play at ");
        Served { process, shows, link, folder }
    }

    /// Waits until the match is over.
    pub(crate) fn wait_for_the_end(&mut self) {
        line_with(&mut self.shows, "the page stays");
    }

    /// Waits until the arena ends and returns true if it succeeded.
    pub(crate) fn ends_well(mut self) -> bool {
        self.process.wait().expect("it ends").success()
    }

    /// Posts a request without data.
    pub(crate) fn post(&self, what: &str) -> String {
        let (_, path) = self.parts();
        self.ask("POST", &format!("{path}{what}"), "", "null")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn record(&self) -> PathBuf {
        self.folder.path().join("match.json")
    }

    /// Returns the host with its port, and the path.
    pub(crate) fn parts(&self) -> (&str, &str) {
        let rest = self.link.strip_prefix("http://").expect("an address");
        rest.split_at(rest.find('/').expect("a path"))
    }

    /// Sends a request and returns the raw response.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> String {
        let mut answer = String::new();
        let mut stream = self.send(method, path, &format!("{headers}Connection: close\r\n"), body);
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    }

    /// Sends a request and returns its connection.
    fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> TcpStream {
        let (host, _) = self.parts();
        let mut stream = TcpStream::connect(host).expect("it listens");
        let host = if headers.contains("Host:") { String::new() } else { format!("Host: {host}\r\n") };
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\n{host}{headers}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).expect("it reads");
        stream
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns the rest of the first line that begins with these words.
fn line_with(shows: &mut BufReader<ChildStdout>, words: &str) -> String {
    let mut lines = shows.lines().map(|line| line.expect("UTF-8"));
    let found = lines.find_map(|line| Some(line.strip_prefix(words)?.to_owned()));
    found.unwrap_or_else(|| panic!("{words:?} is not printed"))
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).expect("a status")
}

#[test]
fn only_the_page_that_was_opened_is_answered() {
    let served = Served::start("doodle", "1");
    let (_, path) = served.parts();
    assert_eq!(path.len(), 34, "a word of 32 digits that nobody guesses: {path}");
    let page = served.ask("GET", path, "", "");
    assert_eq!(status(&page), "200");
    assert!(page.contains("default-src 'none'; script-src 'self'"), "{page}");
    let state = served.ask("GET", &format!("{path}state?after=1"), "", "");
    assert!(status(&state) == "200" && !state.contains("\"seed\"") && !state.contains("\"dice\""), "{state}");
    let laid = r#"{"id":0,"laid":{}}"#;
    let other = format!("/{}/", "0".repeat(32));
    for start in ["/", &other] {
        for path in [start.to_owned(), format!("{start}state?after=0")] {
            assert_eq!(status(&served.ask("GET", &path, "", "")), "404", "{path}");
        }
    }
    for what in ["judge", "move"] {
        let answer = served.ask("POST", &format!("{other}{what}"), "", laid);
        assert_eq!(status(&answer).chars().next(), Some('4'));
    }
    for headers in ["Host: example.org\r\n", "Origin: http://example.org\r\n"] {
        assert_eq!(status(&served.ask("POST", &format!("{path}move"), headers, laid)), "403", "{headers}");
    }
    // The requests above have made no move.
    let again = served.ask("GET", &format!("{path}state?after=1"), "", "");
    assert!(again.contains("\"turn\":{\"id\":0"), "{again}");
}

#[test]
fn a_move_is_judged_by_the_engine_and_counts_once() {
    let served = Served::start("doodle", "1");
    let (_, path) = served.parts();
    served.ask("GET", &format!("{path}state?after=1"), "", "");
    let say = |body: &str| served.ask("POST", &format!("{path}move"), "", body);
    assert!(say(r#"{"id":0,"laid":{}}"#).contains("the start patch must be drawn"));
    assert!(say(r#"{"id":0,"laid":{"card":"S99","cells":[[0,0]]}}"#).contains("there is no card"));
    for wrong in [r#"{"id":0}"#, "[]", "{", r#"{"id":0,"laid":{"cells":[["a"]]}}"#] {
        assert_eq!(status(&say(wrong)).chars().next(), Some('4'), "{wrong}");
    }
}

/// The limit passes twice before a request for the match, and no seat loses a move.
#[test]
fn no_clock_runs_before_the_page_is_open() {
    let limit = Duration::from_secs(1);
    for game in ["doodle", "patchwork"] {
        let served = Served::start_with(game, "1", &["--time", "1s"]);
        let (_, path) = served.parts();
        assert_eq!(status(&served.ask("GET", path, "", "")), "200");
        std::thread::sleep(2 * limit);
        let state = served.ask("GET", &format!("{path}state?after=1"), "", "");
        assert!(state.contains("\"turn\":{\"id\":0") && !state.contains("\"fault\""), "{game}: {state}");
    }
}

/// Requests without the token get an answer, and their connections give way to the player's.
#[test]
fn requests_without_the_token_never_shut_the_player_out() {
    let served = Served::start_with_files("doodle", 256);
    let (_, path) = served.parts();
    let state = served.ask("GET", &format!("{path}state?after=1"), "", "");
    let version = state.split("\"version\":").nth(1).and_then(|rest| rest.split(',').next());
    let newer = format!("{path}state?after={}", version.expect("a version"));
    let mut waits = served.send("GET", &newer, "Connection: close\r\n", "");
    let strangers: Vec<TcpStream> = (0..520)
        .map(|_| {
            let mut stream = served.send("GET", "/", "", "");
            assert_ne!(stream.read(&mut [0; 9]).expect("a response"), 0, "a stranger is told");
            stream
        })
        .collect();
    assert_eq!(status(&served.ask("GET", path, "", "")), "200");
    assert_eq!(status(&served.post("leave")), "200");
    let mut answer = String::new();
    waits.read_to_string(&mut answer).expect("it answers");
    assert_eq!(status(&answer), "200", "a request that waits for news keeps its connection");
    drop(strangers);
}
