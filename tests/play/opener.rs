//! `--open` passes the address to the desktop's program for addresses.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use crate::program::executable;
use crate::program::scratch;

/// A running `arena play --open` with this search path. Dropping this value ends it.
struct Playing(Child);

impl Playing {
    fn start(folder: &Path, programs: &Path) -> Playing {
        let process = crate::program::command()
            .current_dir(folder)
            .env("PATH", programs)
            .args(["play", "--open", "--seed", "1"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the arena starts");
        Playing(process)
    }

    /// Returns the printed address.
    fn link(&mut self) -> String {
        let shows = BufReader::new(self.0.stdout.take().expect("a pipe"));
        let mut lines = shows.lines().map(|line| line.expect("UTF-8"));
        let link = lines.find_map(|line| Some(line.strip_prefix("play at ")?.to_owned()));
        link.expect("an address")
    }
}

impl Drop for Playing {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_opener_of_the_desktop_gets_the_address() {
    let folder = scratch();
    let opener = folder.path().join("xdg-open");
    // The script uses only shell built-ins, because its search path has no other program.
    executable::write(&opener, "#!/bin/sh\nprintf '%s|' \"$@\" >opened\n", "755");
    let mut playing = Playing::start(folder.path(), folder.path());
    let link = playing.link();
    let opened = folder.path().join("opened");
    while fs::read_to_string(&opened).unwrap_or_default().is_empty() {
        assert!(playing.0.try_wait().expect("its status").is_none(), "it waits for the person");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(fs::read_to_string(&opened).expect("a file"), format!("{link}|"), "that and nothing else");
}

#[test]
fn without_an_opener_the_address_is_there_and_it_is_said() {
    let folder = scratch();
    let mut playing = Playing::start(folder.path(), folder.path());
    assert!(playing.link().starts_with("http://127.0.0.1:"));
    let mut line = String::new();
    BufReader::new(playing.0.stderr.take().expect("a pipe")).read_line(&mut line).expect("UTF-8");
    assert!(line.starts_with("cannot open a browser: xdg-open: "), "{line}");
    assert!(playing.0.try_wait().expect("its status").is_none(), "the match waits all the same");
}
