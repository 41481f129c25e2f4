//! A pseudo-terminal with a size, whose output is kept.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, ExitStatus};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// Runs a program in a terminal of this width and types `typed` at once. Returns its output and exit status.
pub(crate) fn run(command: Command, columns: u16, typed: &str) -> (String, ExitStatus) {
    talk(command, columns, "", &[typed])
}

/// Runs a program in a terminal of this width and types one text whenever the program has shown `prompt`.
/// Returns its output and exit status.
pub(crate) fn talk(mut command: Command, columns: u16, prompt: &str, typed: &[&str]) -> (String, ExitStatus) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
    grantpt(&master).and_then(|()| unlockpt(&master)).expect("it is ours");
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&master, size).expect("it has a size");
    let name = ptsname(&master, Vec::new()).expect("it has a name");
    let name = Path::new(std::str::from_utf8(name.to_bytes()).expect("an ASCII path")).to_owned();
    let other_end = || File::options().read(true).write(true).open(&name).expect("its other end");
    let mut child = command
        .env("TERM", "xterm-256color")
        .stdin(other_end())
        .stdout(other_end())
        .stderr(other_end())
        .spawn()
        .expect("the program starts");
    drop(command); // the command holds the other end too
    let (mut text, mut master) = (Vec::new(), File::from(master));
    let (mut part, mut typed, mut seen) = ([0; 4096], typed.iter(), 0);
    // The system reports an error once every process has closed the other end.
    loop {
        if text[seen..].ends_with(prompt.as_bytes())
            && let Some(line) = typed.next()
        {
            master.write_all(line.as_bytes()).expect("a terminal takes what is typed");
            seen = text.len();
        }
        let Ok(count @ 1..) = master.read(&mut part) else { break };
        text.extend_from_slice(&part[..count]);
    }
    (String::from_utf8(text).expect("UTF-8"), child.wait().expect("it ends"))
}
