//! Large files of bots: the arena hashes them before the first match.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::cli::said;
use crate::program::{scratch, succeed};
use crate::strangers::results::GREETS;

/// The time for a command that refuses a file, or obeys a signal. Hashing the file would take longer.
const AT_ONCE: Duration = Duration::from_secs(20);

/// Creates a file with holes, and returns the bot that has the file among its words.
fn bot(folder: &Path, sizes_gib: &[u64]) -> String {
    fs::write(folder.join("bot.sh"), GREETS).expect("a file");
    let mut command = "large=sh bot.sh".to_owned();
    for (number, gib) in sizes_gib.iter().enumerate() {
        let file = File::create(folder.join(format!("data{number}"))).expect("a file");
        file.set_len(gib << 30).expect("a file with holes");
        command += &format!(" data{number}");
    }
    command
}

#[test]
fn a_file_with_a_terabyte_of_holes_is_refused_at_once() {
    let folder = scratch();
    succeed(folder.path(), &["match", "--quiet", "--seed", "1", "--record", "record.json"]);
    let bot = bot(folder.path(), &[1 << 10]);
    let other = ["--bot", bot.as_str(), "--bot", "greedy", "--quiet"];
    for args in [
        [&["tournament", "--rounds", "1", "--seed", "1"], &other[..]].concat(),
        [&["match"], &other[..]].concat(),
        vec!["compare", &bot, "greedy", "--seed", "1", "--quiet"],
    ] {
        let begin = Instant::now();
        let stderr = said(folder.path(), &args, 2);
        let errors: Vec<&str> = stderr.lines().skip_while(|line| !line.starts_with("error: ")).collect();
        assert!(errors.len() == 2 && errors[0].contains("data0 has 1.0 TiB"), "{args:?}: {stderr}");
        assert!(begin.elapsed() < AT_ONCE, "{args:?}");
    }
}

/// The files take many times longer to read than the signal takes to arrive.
#[test]
fn a_signal_ends_the_arena_while_it_reads_the_files_of_a_bot() {
    let folder = scratch();
    let bot = bot(folder.path(), &[7; 16]);
    for (signal, status) in [(Signal::TERM, 75), (Signal::INT, 130)] {
        let mut command = crate::program::command();
        command.args(["tournament", "--rounds", "1", "--seed", "1", "--bot", &bot, "--bot", "greedy"]);
        command.current_dir(folder.path()).stdin(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the arena starts");
        let mut lines =
            BufReader::new(child.stderr.take().expect("it is piped")).lines().map_while(Result::ok);
        let note = lines.find(|line| line.starts_with("note: reading ")).expect("a note");
        assert!(note.contains("data") && note.contains(", 7.0 GiB, to record its digest"), "{note}");
        let begin = Instant::now();
        kill_process(Pid::from_raw(child.id().cast_signed()).expect("a number"), signal).expect("it runs");
        let rest: Vec<String> = lines.collect();
        let ended = child.wait().expect("it ends");
        assert!(begin.elapsed() < AT_ONCE, "{rest:?}");
        assert_eq!(ended.code(), Some(status), "{rest:?}");
        assert!(rest.iter().any(|line| line.starts_with("stopped: ")), "{rest:?}");
        assert!(!folder.path().join("results").exists());
    }
}
