//! The door of a contest over real HTTP: hand-ins with kills, strangers at every route, and people with a browser.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::sync::Mutex;
use std::time::Duration;

use engine::dealer::Dealer;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::{Cup, played, script, zipped};
use crate::browser::{axe, browser};
use crate::documents::markdown::block;
use crate::program::{arena, executable, is_again, passes_again, succeed, wait_until};
use crate::serve::client::{Answer, PATIENCE, Server};

/// A form with this file.
fn form(name: &str, bytes: &[u8]) -> Vec<u8> {
    let head =
        format!("--edge\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n");
    [head.as_bytes(), bytes, b"\r\n--edge--\r\n"].concat()
}

const TYPE: &str = "Content-Type: multipart/form-data; boundary=edge";

impl Cup {
    /// Starts the contest with its door.
    fn open(&self, more: &[&str]) -> Server {
        let mut host = crate::program::command();
        host.args(["host", "cup", "--port", "0"]).args(more).current_dir(self.folder.path());
        Server::of(host)
    }

    /// Invites these authors, and returns their tokens.
    fn invite(&self, names: &[&str]) -> BTreeMap<String, String> {
        fs::write(self.folder.path().join("names.txt"), names.join("\n")).expect("a file");
        let output = arena(self.folder.path(), &["host", "cup", "--invite", "names.txt"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let lines = String::from_utf8(output.stdout).expect("text");
        let link = |line: &str| {
            let (name, link) = line.split_once('\t').expect("a name and a link");
            let (_, token) = link.split_once("/in/").expect("a token");
            (name.to_owned(), token.to_owned())
        };
        lines.lines().map(link).collect()
    }
}

/// Waits until the tokens of an invitation are known.
fn known(server: &Server, token: &str) {
    wait_until("the invitation", || server.get(&format!("/in/{token}")).status == 303);
}

/// Hands in a file.
pub(crate) fn hand_in(server: &Server, token: &str, name: &str, bytes: &[u8]) -> Answer {
    server.post(&format!("/hand-in/{token}"), &[TYPE], &form(name, bytes))
}

/// Returns the page of an author.
fn own(server: &Server, token: &str) -> Answer {
    let cookie = format!("Cookie: contest-{}={token}", server.port);
    server.ask("GET /own HTTP/1.1", &[&format!("Host: 127.0.0.1:{}", server.port), &cookie])
}

/// A hand-in of an author that was answered: the number of its version, and what its file `mark` has.
type Received = (String, u32, String);

/// Authors hand in at the same time, over real connections, while the arena is killed. Each file
/// that got the answer "received" is there, and no other file is.
#[test]
fn every_hand_in_that_was_received_survives_kills() {
    let cup = Cup::new();
    cup.settings("");
    let names: Vec<String> = (0..needs::sized(4, 12, 12)).map(|number| format!("author-{number}")).collect();
    let each = needs::sized(2, 4, 10);
    cup.host();
    let tokens = cup.invite(&names.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(tokens.len(), names.len());
    let port = Mutex::new(0_u16);
    let received = Mutex::new(Vec::<Received>::new());
    std::thread::scope(|scope| {
        // The first author has two programs that hand in at the same time.
        let authors: Vec<_> = names
            .iter()
            .chain(&names[..1])
            .enumerate()
            .map(|(place, name)| {
                let (token, port, received) = (&tokens[name], &port, &received);
                scope.spawn(move || {
                    for number in 0..each {
                        let mark = format!("{place}-{number}");
                        let (file, bytes) = packed(number, &mark);
                        // The same bytes twice are one version.
                        for _ in 0..1 + number % 2 {
                            send(token, port, (name, &mark), (file, &bytes), received);
                        }
                    }
                })
            })
            .collect();
        let mut chance = Dealer::new(31, 0);
        let mut kills = needs::sized(1, 4, 12);
        while authors.iter().any(|author| !author.is_finished()) {
            let mut server = cup.open(&[]);
            *port.lock().expect("no author panics with it") = server.port;
            let pause = Duration::from_millis(300 + u64::from(chance.below(700)));
            while kills == 0 && authors.iter().any(|author| !author.is_finished()) {
                std::thread::sleep(Duration::from_millis(20));
            }
            if kills > 0 {
                std::thread::sleep(pause);
                kills -= 1;
            }
            *port.lock().expect("no author panics with it") = 0;
            server.kill();
        }
    });
    cup.host();
    let received = received.into_inner().expect("no author panics with it");
    assert!(received.len() >= names.len() * each, "{received:?}");
    for (name, number, mark) in &received {
        let file = cup.at(&format!("versions/{name}/{number}/mark"));
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{name} {number}: {error}"));
        assert_eq!(text, *mark, "{name} {number}");
    }
    assert_eq!(cup.left(), Vec::<std::path::PathBuf>::new());
    assert_eq!(fs::read_dir(cup.at("door")).expect("a folder").count(), 0, "no file is left half");
}

/// Returns an archive: a bot that ends, one that starts processes without end, or one with a link out of it.
fn packed(number: usize, mark: &str) -> (&'static str, Vec<u8>) {
    let bot = ["exit 3\n", "f() { f | f & }; f; wait\n", "cat secret; exit 3\n"][number % 3];
    let files = [("bot.sh", bot), ("mark", mark)];
    if number % 3 < 2 {
        return ("bot.zip", zipped(&files.map(|(name, text)| (name, 0o644, text.as_bytes()))));
    }
    ("bot.tar.gz", tarred(&files, "secret"))
}

/// Returns an archive with these files, and a link out of it.
fn tarred(files: &[(&str, &str)], link: &str) -> Vec<u8> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (name, text) in files {
        let mut head = tar::Header::new_gnu();
        head.set_size(text.len() as u64);
        head.set_mode(0o644);
        archive.append_data(&mut head, name, text.as_bytes()).expect("memory");
    }
    let mut head = tar::Header::new_gnu();
    head.set_entry_type(tar::EntryType::Symlink);
    head.set_size(0);
    archive.append_link(&mut head, link, "/etc/passwd").expect("memory");
    archive.into_inner().and_then(GzEncoder::finish).expect("memory")
}

/// Hands in until it is received, also again when the arena was killed before its answer.
fn send(
    token: &str,
    port: &Mutex<u16>,
    (name, mark): (&str, &str),
    (file, bytes): (&str, &[u8]),
    received: &Mutex<Vec<Received>>,
) {
    wait_until("an answer", || {
        let port = *port.lock().expect("no author panics with it");
        let answer = sent(port, &format!("127.0.0.1:{port}"), token, &form(file, bytes));
        let Some(rest) = answer.split("received: version ").nth(1) else { return false };
        let number = rest.split(' ').next().and_then(|number| number.parse().ok()).expect("a number");
        received.lock().expect("nobody panics with it").push((name.to_owned(), number, mark.to_owned()));
        true
    });
}

/// Returns the head of a request that hands in a form of this many bytes.
fn head(token: &str, host: &str, bytes: usize) -> String {
    format!(
        "POST /hand-in/{token} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{TYPE}\r\nContent-Length: {bytes}\r\nConnection: close\r\n\r\n"
    )
}

/// Sends a form to a port of this machine, and returns what was answered; nothing if nobody listens.
fn sent(port: u16, host: &str, token: &str, body: &[u8]) -> String {
    let mut answer = Vec::new();
    if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) {
        let head = head(token, host, body.len());
        let sent = stream.write_all(&[head.as_bytes(), body].concat());
        let _ = sent.and_then(|()| stream.read_to_end(&mut answer));
    }
    String::from_utf8_lossy(&answer).into_owned()
}

/// The Caddyfile of the page, with a free port in place of the name, lets authors in under the address of the proxy alone.
#[test]
fn authors_hand_in_through_the_proxy_of_the_page() {
    if !needs::CADDY.is_met() {
        return;
    }
    let cup = Cup::new();
    cup.settings("");
    cup.host();
    let tokens = cup.invite(&["anna"]);
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let port = listener.local_addr().expect("an address").port();
    drop(listener);
    let server = cup.open(&["--base-url", &format!("http://localhost:{port}")]);
    known(&server, &tokens["anna"]);
    let page = block("docs/guide/contest.md", "text").text;
    assert!(page.contains("cup.example.org {") && page.contains("127.0.0.1:8688"), "{page}");
    let file = page
        .replace("cup.example.org", &format!("http://localhost:{port}"))
        .replace("127.0.0.1:8688", &format!("127.0.0.1:{}", server.port));
    let home = cup.folder.path();
    fs::write(home.join("Caddyfile"), format!("{{\n\tadmin off\n}}\n{file}")).expect("a file");
    let mut caddy = std::process::Command::new("caddy");
    caddy.args(["run", "--adapter", "caddyfile", "--config", "Caddyfile"]).current_dir(home);
    caddy.env("HOME", home).env("XDG_DATA_HOME", home).env("XDG_CONFIG_HOME", home);
    let mut caddy = caddy.stderr(Stdio::null()).stdout(Stdio::null()).spawn().expect("it is installed");
    let large = vec![b'#'; 8 << 20];
    let body = form("bot.sh", &[b"exit 3\n", &large[..]].concat());
    wait_until("the proxy", || TcpStream::connect(("127.0.0.1", port)).is_ok());
    let answer = sent(port, &format!("localhost:{port}"), &tokens["anna"], &body);
    let _ = caddy.kill().and_then(|()| caddy.wait());
    assert!(answer.contains("received: version 1 of anna"), "{answer}");
    let bytes = || fs::metadata(cup.at("versions/anna/1/bot.sh")).map_or(0, |file| file.len());
    wait_until("the whole file", || bytes() == 7 + (8 << 20));
}

/// Files that are no bots, or too much, are refused with the reason, and what is odd is taken.
#[test]
fn the_door_takes_what_it_can_and_says_why_not() {
    let cup = Cup::new();
    cup.settings("");
    cup.host();
    let tokens = cup.invite(&["anna", "Ben M"]);
    let server = cup.open(&[]);
    known(&server, &tokens["anna"]);
    let anna = |name: &str, bytes: &[u8]| hand_in(&server, &tokens["anna"], name, bytes);
    let taken = anna("bot.sh", script().as_bytes());
    assert_eq!((taken.status, taken.body.as_str()), (200, "received: version 1 of anna\n"));
    assert_eq!(anna("again.sh", b"exit 1\n").body, "received: version 2 of anna\n");
    assert_eq!(
        anna("same.sh", b"exit 1\n").body,
        "received: version 3 of anna\n",
        "its file has another name"
    );
    assert_eq!(anna("same.sh", b"exit 1\n").body, "received: version 3 of anna\n", "the same files");
    let bomb = zipped(&[("bot.sh", 0o644, &vec![0; 300 << 20])]);
    let links = tarred(&[], "bot.sh");
    for (name, bytes, status, said) in [
        ("bomb.zip", &bomb[..], 422, "it has more than"),
        ("torn.zip", &bomb[..bomb.len() / 2], 422, "read"),
        ("up.zip", &zipped(&[("../../bot.sh", 0o644, b"")]), 422, "out of the archive"),
        ("large.zip", &vec![7; needs::sized(33, 200, 200) << 20], 413, "at most 32 MiB are taken"),
    ] {
        let answer = anna(name, bytes);
        assert_eq!(answer.status, status, "{name}: {}", answer.body);
        assert!(answer.body.contains(said), "{name}: {}", answer.body);
    }
    assert_eq!(anna("links.tar.gz", &links).status, 200);
    let mut name = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let mut head = tar::Header::new_gnu();
    head.set_entry_type(tar::EntryType::GNULongName);
    head.set_size(1 << 20);
    head.set_cksum();
    name.append(&head, &vec![b'x'; 1 << 20][..]).expect("memory");
    let name = name.into_inner().and_then(GzEncoder::finish).expect("memory");
    assert!(anna("name.tar.gz", &name).body.contains("a name that is too long"));
    let head = [b"--edge\r\nX: ", &vec![b'x'; 1 << 20][..]].concat();
    let endless = server.post(&format!("/hand-in/{}", tokens["anna"]), &[TYPE], &head);
    assert_eq!(endless.status, 400, "{}", endless.body);
    assert!(!cup.at("versions/anna/4/bot.sh").exists(), "a link is left out");
    let other = server.post(&format!("/hand-in/{}", tokens["anna"]), &[TYPE], b"--edge--\r\n");
    assert!(other.status == 400 && other.body.contains("no file in this form"), "{}", other.body);
    let other = server.post(&format!("/hand-in/{}", tokens["anna"]), &["Content-Type: text/plain"], b"x");
    assert!([400, 415].contains(&other.status), "{}", other.status);

    succeed(cup.folder.path(), &["host", "cup", "--withdraw", "anna"]);
    wait_until("the withdrawal", || anna("bot.sh", b"exit 2\n").status == 422);
    assert_eq!(
        hand_in(&server, &tokens["Ben-M"], "x.sh", b"exit 3\n").body,
        "received: version 1 of Ben-M\n"
    );
    succeed(cup.folder.path(), &["host", "cup", "--revoke", "Ben-M"]);
    wait_until("the end of the link", || own(&server, &tokens["Ben-M"]).status == 403);
    let late = hand_in(&server, &tokens["Ben-M"], "x.sh", b"exit 4\n");
    assert!(late.status == 403 && late.body.contains("ask the organiser for a new one"), "{}", late.body);
    succeed(cup.folder.path(), &["host", "cup", "--take-back", "anna"]);
    succeed(cup.folder.path(), &["host", "cup", "--close"]);
    wait_until("the close", || anna("bot.sh", b"exit 5\n").body.contains("after the close of the contest"));
    assert!(server.get("/").body.contains("Hand-ins are not taken any more."));
    for (names, said) in [
        (&["GREEDY"][..], "another bot is called \"greedy\""),
        (&["eve", "Eve"], "another bot is called \"eve\""),
        (&["ANNA"], "another bot is called \"anna\""),
    ] {
        fs::write(cup.folder.path().join("names.txt"), names.join("\n")).expect("a file");
        let output = arena(cup.folder.path(), &["host", "cup", "--invite", "names.txt"]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && text.contains(said), "{text}");
    }
}

/// A stranger or an author cannot read what belongs to another author: not by a path, a cookie, a header, a method, or a page of
/// another site.
#[test]
fn strangers_and_authors_get_nothing_of_others() {
    let cup = Cup::new();
    cup.settings("");
    cup.host();
    let tokens = cup.invite(&["anna", "ben"]);
    let server = cup.open(&["--base-url", "https://cup.example"]);
    known(&server, &tokens["anna"]);
    let secret = "echo SECRET-OF-ANNA >&2; exit 3\n";
    assert_eq!(hand_in(&server, &tokens["anna"], "bot.sh", secret.as_bytes()).status, 200);
    wait_until("a check", || own(&server, &tokens["anna"]).body.contains("SECRET-OF-ANNA"));
    let host = format!("Host: 127.0.0.1:{}", server.port);
    let cookie = |token: &str| format!("Cookie: contest-{}={token}", server.port);
    let journal = fs::read_to_string(cup.at("contest.jsonl")).expect("a journal");
    assert!(!journal.contains(&tokens["anna"]), "a token is kept as its digest");
    let event =
        cup.events("ordered").into_iter().find(|line| line["order"] == "invite").expect("an invitation");
    let digest = event["links"]["anna"].as_str().expect("a digest").to_owned();
    // Nobody, another author, a made-up token, and what the journal has.
    let wrong = "0".repeat(32);
    for token in [wrong.as_str(), &tokens["ben"], &digest, ""] {
        for path in [
            "/",
            "/own",
            "/own/match",
            "/in/anna",
            "/own?author=anna",
            "/checks/anna.txt",
            "/checks/anna.json",
            "/versions/anna/1/bot.sh",
            "/assets/../checks/anna.txt",
            "/assets/..%2fchecks%2fanna.txt",
            "/assets/%2e%2e/contest.jsonl",
            "/contest.jsonl",
            "/results/",
            "/results/data/journal",
            "/data/journal",
            "/match/0",
            "/hand-in/anna",
            &format!("/hand-in/{wrong}"),
            &format!("/in/{digest}"),
            "//own",
        ] {
            let answer = server.ask(&format!("GET {path} HTTP/1.1"), &[&host, &cookie(token)]);
            for word in ["SECRET-OF-ANNA", &tokens["anna"], &digest] {
                let is_told = answer.body.contains(word) || answer.head.contains(word);
                assert!(!is_told, "{path} with {token}");
            }
        }
        for path in ["/hand-in/", "/try/"] {
            let kind = if path == "/try/" { "Content-Type: application/x-www-form-urlencoded" } else { TYPE };
            let body = if path == "/try/" { b"against=greedy".to_vec() } else { form("x.sh", b"") };
            let status = server.post(&format!("{path}{wrong}"), &[kind, &cookie(token)], &body).status;
            assert_eq!(status, 403, "{path}: a cookie alone hands nothing in");
        }
    }
    let status = |line: &str, headers: &[&str]| {
        server
            .ask(&format!("{line} HTTP/1.1"), &[&[host.as_str(), &cookie(&tokens["anna"])], headers].concat())
            .status
    };
    assert_eq!(status("GET /own", &[]), 200);
    assert_eq!(status("GET /own", &["Origin: https://cup.example"]), 200);
    let address = format!("POST /hand-in/{}", tokens["anna"]);
    for origin in ["https://evil.example", "null", "http://cup.example", "https://cup.example.evil"] {
        assert_eq!(status("GET /own", &[&format!("Origin: {origin}")]), 403);
        assert_eq!(status(&address, &[&format!("Origin: {origin}"), TYPE, "Content-Length: 0"]), 403);
    }
    for method in ["PUT", "DELETE", "PATCH", "OPTIONS"] {
        let status = status(&format!("{method} /own"), &["Content-Length: 0"]);
        assert!(status == 405 || status == 400, "{method}: {status}");
    }
    let foreign = server.ask("GET / HTTP/1.1", &["Host: evil.example"]);
    assert_eq!(foreign.status, 403, "a name that leads to this machine is no name of it");
    let welcome = server.get(&format!("/in/{}", tokens["anna"]));
    let set = welcome.head.lines().find(|line| line.starts_with("set-cookie")).expect("a cookie");
    for word in ["httponly", "samesite=lax", "secure", "path=/"] {
        assert!(set.contains(word), "{set}");
    }
    assert!(welcome.head.contains("location: /own\r\n") || welcome.head.ends_with("location: /own"));
    // A link of another author changes no browser without a word.
    let other = |line: &str| {
        let line = format!("{line} /in/{} HTTP/1.1", tokens["ben"]);
        server.ask(&line, &[&host, &cookie(&tokens["anna"]), "Content-Length: 0"])
    };
    let asks = other("GET");
    assert!(asks.status == 200 && asks.body.contains("Stay anna") && !asks.head.contains("set-cookie"));
    assert_eq!(other("POST").status, 303);
    assert!(own(&server, &tokens["anna"]).head.contains("cache-control: no-store"));
    // The name of a file is text everywhere.
    let odd = hand_in(&server, &tokens["anna"], "<script>..%2f.sh", b"exit 4\n");
    assert_eq!(odd.status, 200, "{}", odd.body);
    wait_until("its check", || own(&server, &tokens["anna"]).body.contains("version 2"));
    assert!(!own(&server, &tokens["anna"]).body.contains("<script>.."));
}

/// Neither a bot nor a build reaches the door, its folder, or the tokens.
#[test]
fn bots_and_builds_do_not_reach_the_door() {
    let cup = Cup::new();
    if !cup.is_strict() {
        return;
    }
    cup.settings("");
    cup.host();
    let tokens = cup.invite(&["eve"]);
    let server = cup.open(&[]);
    known(&server, &tokens["eve"]);
    let attack = format!(
        "if (exec 3<>/dev/tcp/127.0.0.1/{0}) 2>/dev/null; then echo HOLE: the port; fi\n\
         for file in contest.jsonl names.txt orders door checks/eve.txt versions; do\n\
         if cat '{1}'$file || ls '{1}'$file/; then echo HOLE: $file >&3; fi; done 3>&1 >/dev/null 2>&1\n",
        server.port,
        cup.at("").display()
    );
    let build = "build = \"bash attack.sh > built\"\nrun = \"bash bot.sh\"\n";
    let bot = format!("bash attack.sh >&2; cat built >&2\n{}", script());
    let archive = zipped(&[
        ("bot.toml", 0o644, build.as_bytes()),
        ("attack.sh", 0o644, attack.as_bytes()),
        ("bot.sh", 0o644, bot.as_bytes()),
    ]);
    assert_eq!(hand_in(&server, &tokens["eve"], "bot.zip", &archive).status, 200);
    wait_until("its check", || own(&server, &tokens["eve"]).body.contains("24 checks"));
    let (text, data) = cup.told("eve");
    assert!(data["state"] == "plays" && !text.contains("HOLE"), "{text}");
    assert_eq!(fs::read_to_string(cup.at("versions/eve/1/built")).expect("a file"), "");
}

/// Slow and silent clients keep nobody out, and too slow ones are not taken.
#[test]
fn slow_clients_keep_nobody_out() {
    let cup = Cup::new();
    cup.settings("");
    cup.host();
    let tokens = cup.invite(&["anna"]);
    let server = cup.open(&[]);
    known(&server, &tokens["anna"]);
    let whole = form("first.sh", b"exit 2\n");
    let mut first = TcpStream::connect(("127.0.0.1", server.port)).expect("it listens");
    first.set_read_timeout(Some(PATIENCE)).expect("a limit");
    let host = format!("127.0.0.1:{}", server.port);
    let begin = [head(&tokens["anna"], &host, whole.len()).as_bytes(), &whole[..20]].concat();
    first.write_all(&begin).expect("it reads");
    wait_until("a file on its way", || fs::read_dir(cup.at("door")).is_ok_and(|files| files.count() == 1));
    let slow: Vec<TcpStream> = (0..needs::sized(200, 1_000, 1_000))
        .map(|number| {
            let mut stream = TcpStream::connect(("127.0.0.1", server.port)).expect("it listens");
            stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
            let token = if number % 50 == 0 { &tokens["anna"] } else { "0" };
            let head = head(token, &host, 1_000_000) + "--edge\r\nContent-";
            // The last ones may already be closed.
            let _ = stream.write_all(&head.as_bytes()[..head.len() - number % 60]);
            stream
        })
        .collect();
    // A file that was on its way arrives, however many came after it.
    let mut answer = Vec::new();
    first.write_all(&whole[20..]).and_then(|()| first.read_to_end(&mut answer)).expect("an answer");
    let answer = String::from_utf8_lossy(&answer).into_owned();
    assert!(answer.contains("received: version 1 of anna"), "{answer}");
    let next = hand_in(&server, &tokens["anna"], "bot.sh", b"exit 3\n");
    assert_eq!(next.body, "received: version 2 of anna\n");
    assert_eq!(server.get("/").status, 200);
    // Each of them ends, one way or another.
    let ended = |mut stream: TcpStream| {
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    };
    for answer in slow.into_iter().take(needs::sized(0, 20, 100)).map(ended) {
        assert!(!answer.contains("received"), "{answer}");
    }
    let on_their_way = |count: usize| {
        wait_until("folders of files", || {
            fs::read_dir(cup.at("door")).is_ok_and(|files| files.count() == count)
        });
    };
    on_their_way(0);
    // One that was on its way at the close is not taken.
    let mut late = TcpStream::connect(("127.0.0.1", server.port)).expect("it listens");
    late.set_read_timeout(Some(PATIENCE)).expect("a limit");
    late.write_all(&begin).expect("it reads");
    on_their_way(1);
    assert!(arena(cup.folder.path(), &["host", "cup", "--close"]).status.success());
    wait_until("the close", || server.get("/").body.contains("Hand-ins are not taken any more."));
    let mut answer = Vec::new();
    late.write_all(&whole[20..]).and_then(|()| late.read_to_end(&mut answer)).expect("an answer");
    let answer = String::from_utf8_lossy(&answer).into_owned();
    assert!(answer.starts_with("HTTP/1.1 422") && answer.contains("after the close"), "{answer}");
    on_their_way(0);
}

/// A limit of the shell for the size of files is as a full disk: the author is told, nothing is left, and the door stays open.
#[test]
fn a_full_disk_takes_no_file_and_loses_none() {
    let cup = Cup::new();
    cup.settings("");
    cup.host();
    let tokens = cup.invite(&["anna"]);
    let mut shell = std::process::Command::new("sh");
    let line = "ulimit -f 200; exec \"$@\"";
    shell.args(["-c", line, "sh", env!("CARGO_BIN_EXE_arena"), "host", "cup", "--port", "0"]);
    shell.current_dir(cup.folder.path());
    let server = Server::of(shell);
    known(&server, &tokens["anna"]);
    let full = hand_in(&server, &tokens["anna"], "bot.zip", &vec![1; 1 << 20]);
    assert!(full.status == 507 && full.body.contains("try again later"), "{} {}", full.status, full.body);
    assert_eq!(fs::read_dir(cup.at("door")).expect("a folder").count(), 0);
    assert_eq!(
        hand_in(&server, &tokens["anna"], "bot.sh", b"exit 3\n").body,
        "received: version 1 of anna\n"
    );
}

/// During a contest, authors read the words of their bots from checks and unrated matches only. In a rated match, a bot
/// could tell its author the deal.
#[test]
fn what_a_bot_says_in_its_matches_reaches_nobody() {
    let cup = Cup::new();
    cup.settings_of("accept = \"100ms\"", "rounds = 8");
    cup.host();
    let tokens = cup.invite(&["anna", "ben"]);
    let server = cup.open(&[]);
    known(&server, &tokens["ben"]);
    // It tells everything that it hears: on stderr, in a note, and in an answer that is a fault.
    let tells = "if [ ! -e tell ]; then exec ARENA bot random; fi\n\
        while read -r line; do echo \"LEAK $line\" >&2; case $line in\n\
        *'\"hello\"'*) echo '{\"type\":\"hello\",\"protocol\":1,\"name\":\"LEAK\",\"version\":\"LEAK\"}';;\n\
        *'\"start\"'*) echo '{\"type\":\"ready\"}';;\n\
        *) echo \"{\\\"note\\\":\\\"LEAK\\\",\\\"LEAK\\\":$line\";;\nesac; done\n";
    let tells = tells.replace("ARENA", &format!("'{}'", env!("CARGO_BIN_EXE_arena")));
    assert_eq!(hand_in(&server, &tokens["ben"], "bot.sh", script().as_bytes()).status, 200);
    wait_until("matches", || !played(&cup.at("results")).is_empty());
    succeed(cup.folder.path(), &["host", "cup", "--pause"]);
    wait_until("the pause", || server.get("/").body.contains("The contest pauses."));
    assert_eq!(hand_in(&server, &tokens["anna"], "bot.sh", tells.as_bytes()).status, 200);
    wait_until("a check", || own(&server, &tokens["anna"]).body.contains("waits for its trial"));
    fs::write(cup.at("versions/anna/1/tell"), "").expect("a file");
    succeed(cup.folder.path(), &["host", "cup", "--go-on"]);
    wait_until("the end of its trial", || own(&server, &tokens["anna"]).body.contains("broken"));
    let kept = |folder: &str| {
        let output = std::process::Command::new("grep").args(["-rl", "LEAK"]).arg(cup.at(folder)).output();
        String::from_utf8_lossy(&output.expect("grep").stdout).into_owned()
    };
    assert!(cup.told("anna").0.contains("malformed"), "it did speak: {}", cup.told("anna").0);
    assert_eq!(kept("checks"), "", "texts for authors");
    let mut pages = vec![server.get("/"), own(&server, &tokens["anna"]), own(&server, &tokens["ben"])];
    for path in ["/own/match", "/match/0", "/data/journal", "/results/"] {
        let cookie = format!("Cookie: contest-{}={}", server.port, tokens["anna"]);
        pages.push(
            server.ask(
                &format!("GET {path} HTTP/1.1"),
                &[&format!("Host: 127.0.0.1:{}", server.port), &cookie],
            ),
        );
    }
    assert!(pages.iter().all(|page| !page.body.contains("LEAK") && !page.head.contains("leak")));
    assert!(own(&server, &tokens["anna"]).body.contains("had a fault of its own"), "numbers alone");
}

/// Hands in on a phone, by keyboard, and plays a match that does not count. Nothing is in the way of a screen reader.
#[test]
fn an_author_hands_in_with_a_phone() {
    let Some(mut browser) = browser() else { return };
    let cup = Cup::new();
    cup.settings_of("accept = \"100ms\"", "rounds = 2\ntitle = \"Spring Cup\"");
    cup.host();
    let tokens = cup.invite(&["anna"]);
    let server = cup.open(&[]);
    known(&server, &tokens["anna"]);
    let file = cup.folder.path().join("bot.sh");
    executable::write(&file, script(), "644");
    let mut page = browser.page(390, 844, "light");
    let look = |page: &mut crate::browser::Page<'_>, what: &str| {
        crate::browser::walk::fits(page, 390, what);
        if let Some(rules) = axe::rules() {
            assert_eq!(axe::complaints(page, &rules), [""; 0], "{what}");
        }
    };
    page.go(&format!("{}in/{}", server.link, tokens["anna"]));
    page.wait_for("location.pathname === '/own'");
    look(&mut page, "the author's page");
    page.choose("input[type=file]", &file);
    page.evaluate("document.querySelector('input[type=file]').focus()");
    page.press("Tab");
    page.press("Enter");
    page.wait_for("document.body.innerText.includes('received: version 1 of anna')");
    look(&mut page, "the answer");
    page.evaluate("document.querySelector('main a').focus()");
    page.press("Enter");
    page.wait_for("document.querySelector('#versions td:nth-child(3)')?.innerText === 'plays'");
    look(&mut page, "the page with a version");
    page.evaluate("document.querySelector('#unrated button').focus()");
    page.press("Enter");
    page.wait_for("document.body.innerText.includes('anna plays against random')");
    page.go(&format!("{}own", server.link));
    page.wait_for("document.querySelector('#unrated')");
    wait_until("a match", || own(&server, &tokens["anna"]).body.contains("/own/match"));
    page.go(&format!("{}own/match", server.link));
    page.wait_for("document.querySelector('.board')");
    page.go(&server.link);
    page.wait_for("document.querySelector('#table tbody tr')");
    assert_eq!(page.evaluate("document.querySelector('h1').innerText"), "Spring Cup");
    look(&mut page, "the first page");
}

/// The first page has all versions with their ratings, also while nothing is played, and none of a bot that is withdrawn.
/// The same files of two authors are two versions.
#[test]
fn the_first_page_has_all_versions() {
    let cup = Cup::new();
    cup.settings_of("accept = \"100ms\"", "rounds = 8");
    ["anna", "ben"].iter().for_each(|name| cup.submit(&format!("{name}/bot.sh"), script()));
    cup.host();
    cup.submit("anna/bot.sh", script() + "# better\n");
    cup.host();
    succeed(cup.folder.path(), &["host", "cup", "--pause"]);
    let server = cup.open(&[]);
    let versions = || {
        let page = server.get("/").body;
        let panel = page.split_once("id=\"versions\"").expect("a panel").1.to_owned();
        let rows = panel.split("<th scope=\"row\">").skip(1).map(|row| row.replace("</th><td>", " "));
        rows.map(|row| row.split_once('<').map_or(String::new(), |(row, _)| row.to_owned()))
            .collect::<Vec<_>>()
    };
    assert_eq!(versions(), ["anna 1", "anna 2", "ben 1"]);
    succeed(cup.folder.path(), &["host", "cup", "--withdraw", "anna"]);
    wait_until("the withdrawal", || versions() == ["ben 1"]);
}

/// After the publication everybody sees all matches.
#[test]
fn after_the_publication_everybody_sees_everything() {
    let cup = Cup::new();
    cup.settings_of("", "rounds = 1");
    cup.submit("anna/bot.sh", script());
    cup.host();
    let server = cup.open(&[]);
    assert_eq!(server.get("/results/match/0").status, 404);
    succeed(cup.folder.path(), &["host", "cup", "--publish"]);
    wait_until("the pages", || server.get("/results/match/0").status == 200);
    assert!(server.get("/").status == 200 && server.get("/own").status == 404);
}

/// The door holds for an ordinary user, if the tests run as root and that user may execute the arena.
#[test]
fn the_door_holds_for_an_ordinary_user() {
    if is_again() || !needs::NOBODY_STARTS_TESTS.is_met() {
        return;
    }
    let exe = std::env::current_exe().expect("a test has a file");
    passes_again(needs::as_nobody(exe).args(["host::door::strangers", "host::door::bots_and"]));
}

/// An address of the door is no folder of this machine.
#[test]
fn links_have_the_address_that_others_see() {
    let cup = Cup::new();
    cup.settings("");
    cup.host();
    fs::write(cup.folder.path().join("names.txt"), "anna\n\n").expect("a file");
    let args = ["host", "cup", "--invite", "names.txt", "--base-url", "https://cup.example/"];
    let output = arena(cup.folder.path(), &args);
    let line = String::from_utf8(output.stdout).expect("text");
    assert!(line.starts_with("anna\thttps://cup.example/in/"), "{line}");
}
