//! Programs that a test writes and other processes execute.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes a program with these permissions, in octal. A separate process writes the file. This process starts
/// others on many threads, and each child briefly inherits all open files. The system does not execute a file
/// that is open for writing.
pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>, mode: &str) {
    let mut writer = Command::new("sh")
        .args(["-c", r#"cat >"$0" && chmod "$1" "$0""#])
        .arg(path)
        .arg(mode)
        .stdin(Stdio::piped())
        .spawn()
        .expect("there is a shell");
    let mut stdin = writer.stdin.take().expect("it is piped");
    stdin.write_all(text.as_ref()).expect("it reads");
    drop(stdin);
    assert!(writer.wait().expect("it is ours").success(), "cannot write {}", path.display());
}
