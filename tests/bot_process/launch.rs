//! Programs that cannot start, and the state in which a bot starts.

use std::path::Path;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use sandbox::{BotProcess, Command, Failure, Host, Layer, Layers, SandboxLevel, SpawnError};

use crate::bot_process::harness::{HELLO, block_on, command, host, new_mark, script, spawn, wait_until_gone};
use crate::fixtures::modes::Mode;
use crate::program::{executable, is_again, passes_again, scratch, test_name};

/// Mask of the standard signals. A launcher may leave them ignored, but a bot must start with their defaults.
const STANDARD_SIGNALS: u64 = 0x7fff_ffff;

fn launch_detail(command: &Command) -> String {
    match block_on(BotProcess::spawn(command, &host(SandboxLevel::Auto))) {
        Err(SpawnError::Fault(fault)) => {
            assert!(matches!(fault.kind, Failure::Launch | Failure::Refused), "{:?}", fault.kind);
            fault.detail
        }
        other => panic!("{:?} gave {other:?}", command.argv),
    }
}

/// Returns the bot's answer to a line.
async fn answer(bot: &mut BotProcess) -> String {
    let reply = bot.ask(HELLO, Duration::from_secs(60)).await;
    String::from_utf8_lossy(reply.expect("it answers").line).into_owned()
}

fn file(dir: &Path, name: &str, text: &[u8], mode: &str) -> String {
    let path = dir.join(name);
    executable::write(&path, text, mode);
    path.into_os_string().into_string().expect("scratch folders are UTF-8")
}

#[test]
fn every_reason_not_to_start_is_named() {
    let dir = scratch();
    let at = dir.path();
    let absent = at.join("absent").to_str().expect("UTF-8").to_owned();
    let cases = [
        ("no-such-program-here".to_owned(), "not on the PATH"),
        ("sleeep".to_owned(), "did you mean sleep?"),
        (absent.clone(), "there is no file"),
        (at.to_str().expect("UTF-8").to_owned(), "is a directory"),
        (file(at, "plain", b"#!/bin/sh\n", "644"), "not executable; try `chmod +x"),
        (file(at, "bad", b"#!/no/such/python3 -u\n", "755"), "interpreter \"/no/such/python3\""),
        (file(at, "crlf", b"#!/bin/sh\r\necho\r\n", "755"), "carriage return"),
        (file(at, "text", b"echo hello\n", "755"), "exec format error"),
        (file(at, "elf", b"\x7fELF\x02\x01\x01nonsense", "755"), "exec format error"),
        ("a\0b".to_owned(), "NUL"),
    ];
    // A folder that this user may not enter could contain any program, so it would hide the message.
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let open = std::env::split_paths(&folders).filter(|folder| std::fs::read_dir(folder).is_ok());
    let open = std::env::join_paths(open).expect("they come from such a list").into_string().expect("UTF-8");
    for (program, expected) in cases {
        let mut command = Command::new("bot", [program]).expect("a program is named");
        command.env.push(("PATH".to_owned(), open.clone()));
        let detail = launch_detail(&command);
        assert!(detail.contains(expected), "{detail:?} says nothing of {expected:?}");
    }
    let mut command = Command::new("bot", ["sleep", "9"]).expect("a program is named");
    command.dir = Some(absent.into());
    assert!(launch_detail(&command).contains("working directory"));
}

#[test]
fn a_bot_gets_a_clean_state() {
    let mark = new_mark();
    let text = "read question; \
        echo $(grep -E 'Sig(Blk|Ign)' /proc/self/status | cut -f 2) \
        fds $(ls /proc/self/fd | wc -l) core $(ulimit -c) extra $EXTRA \
        group $(test $(cut -d ' ' -f 5 /proc/$$/stat) = $$ && echo own) in $PWD";
    let mut command = script(text, &mark);
    command.env.push(("EXTRA".to_owned(), "yes".to_owned()));
    command.dir = Some("/usr".into());
    for contain in [SandboxLevel::Auto, SandboxLevel::NoNamespace] {
        let line = block_on(async { answer(&mut spawn(&command, &host(contain)).await).await });
        let mut masks = line.split(' ').map(|word| u64::from_str_radix(word, 16).unwrap_or(u64::MAX));
        assert_eq!((masks.next(), masks.next().map(|mask| mask & STANDARD_SIGNALS)), (Some(0), Some(0)));
        // Three streams, and the folder that `ls` reads.
        assert!(line.contains("fds 4 core 0 extra yes group"), "{line}");
        assert!(line.ends_with("in /usr"), "{line}");
        if contain == SandboxLevel::NoNamespace {
            assert!(line.contains("group own"), "{line}"); // in a PID namespace, $$ is the ID inside it
        }
    }
    assert!(wait_until_gone(&mark).is_ok());
}

/// Language runtimes such as Java name files in a shared folder by their process ID.
#[test]
fn bots_at_one_table_have_numbers_of_their_own() {
    if !needs::CHOOSES_PIDS.is_met() {
        return;
    }
    let mark = new_mark();
    let command = script("read question; echo $$", &mark);
    block_on(async {
        let host = host(SandboxLevel::Auto);
        let (mut one, mut other) = (spawn(&command, &host).await, spawn(&command, &host).await);
        assert_ne!(answer(&mut one).await, answer(&mut other).await);
    });
    assert!(wait_until_gone(&mark).is_ok());
}

/// A shortage of file descriptors is the machine's fault. The test needs its own process, because limits
/// apply to a process.
#[test]
fn a_shortage_is_not_the_bots_fault() {
    if !is_again() {
        let exe = std::env::current_exe().expect("a test has a file");
        let name = test_name(module_path!(), "a_shortage_is_not_the_bots_fault");
        return passes_again(std::process::Command::new(exe).args(["--exact", &name]));
    }
    let command = command(Mode::Plain, &new_mark());
    block_on(async {
        let maximum = getrlimit(Resource::Nofile).maximum;
        let used = std::fs::read_dir("/proc/self/fd").expect("there is a /proc").count() as u64;
        let low = Rlimit { current: Some(used + 5), maximum };
        setrlimit(Resource::Nofile, low).expect("lowering is allowed");
        match BotProcess::spawn(&command, &host(SandboxLevel::Auto)).await {
            Err(SpawnError::Host(error)) => assert!(error.hint().contains("ulimit -n"), "{error}"),
            other => panic!("{other:?}"),
        }
        let raised = host(SandboxLevel::Auto).raise_open_files();
        let bot = BotProcess::spawn(&command, &raised).await;
        assert!(bot.is_ok(), "{:?}", bot.err());
    });
}

/// The system may refuse a layer after the arena has found that it gives all of them.
#[test]
fn a_strict_host_keeps_no_bot_that_lacks_a_layer() {
    let mark = new_mark();
    let host = host(SandboxLevel::Strict).layers(Layers::of(&[Layer::Seccomp]));
    let bot = command(Mode::Plain, &mark);
    let start = BotProcess::start(&bot, &host, b"hello\n", Duration::from_secs(60));
    for outcome in [block_on(start).map(drop), block_on(BotProcess::spawn(&bot, &host)).map(drop)] {
        match outcome {
            Err(SpawnError::Host(error)) => {
                assert_eq!(error.to_string(), r#"the sandbox of bot "plain" has no pid-namespace this time"#);
                assert!(error.hint().starts_with("`arena doctor` shows"), "{}", error.hint());
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(wait_until_gone(&mark).is_ok());
}

#[test]
fn a_missing_supervisor_is_not_the_bots_fault() {
    let command = Command::new("bot", ["sleep", "1"]).expect("a program is named");
    match block_on(BotProcess::spawn(&command, &Host::with_supervisor("/no/such/arena"))) {
        Err(SpawnError::Host(error)) => assert!(error.hint().contains("execute itself"), "{error}"),
        other => panic!("{other:?}"),
    }
}
