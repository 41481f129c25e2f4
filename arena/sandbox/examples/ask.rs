//! Starts a program in the sandbox, asks it for a line, and shows that it cannot read a private file.
//!
//! A program that uses this crate is started again by itself as the supervisor of each program; therefore `main` begins
//! with `main_if_asked`.

use std::time::Duration;

use sandbox::{BotProcess, Command, Host};

fn main() {
    sandbox::supervisor::main_if_asked();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    tokio::task::LocalSet::new().block_on(&runtime, ask());
}

async fn ask() {
    let script = "read line; echo \"you said $line\"; read line; cat /etc/shadow 2>&1 | head -1";
    let command = Command::new("example", ["sh", "-c", script]).expect("a command");
    let mut program = BotProcess::spawn(&command, &Host::new()).await.expect("the program starts");
    for line in [&b"hello\n"[..], b"and now?\n"] {
        let reply = program.ask(line, Duration::from_secs(5)).await.expect("it answers");
        println!("{}", String::from_utf8_lossy(reply.line));
    }
    let ended = program.quit(b"quit\n", Duration::from_secs(1)).await;
    println!("layers around it: {:?}", ended.layers.iter().collect::<Vec<_>>());
}
