//! The floor: the lowest possible cost of a question and its answer on this machine. Two processes on one
//! core exchange the same number of bytes as the arena and a bot. Each side makes two system calls and does
//! nothing else.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use sandbox::cpu_time;

/// The hidden first argument of a process that answers for the floor.
pub const PONG_ARG: &str = "__pong";
/// The usual length of a `turn` line, in bytes.
const QUESTION_BYTES: usize = 600;
/// The usual length of a `move` line, in bytes.
const ANSWER_BYTES: usize = 80;

/// Returns at once, unless the arguments start this process as the answering one. In that case, answers until
/// the end of the input and exits.
pub fn main_if_asked() {
    if std::env::args_os().nth(1).is_none_or(|first| first != PONG_ARG) {
        return;
    }
    let (mut question, answer) = ([0; 2 * QUESTION_BYTES], [b'x'; ANSWER_BYTES]);
    let (stdin, stdout) = (rustix::stdio::stdin(), rustix::stdio::stdout());
    while rustix::io::read(stdin, &mut question).is_ok_and(|count| count > 0) {
        let _ = rustix::io::write(stdout, &answer);
    }
    std::process::exit(0);
}

/// The connection to the answering process.
#[derive(Debug)]
pub(crate) struct Floor {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
}

impl Floor {
    /// Starts the answering process on the cores of this thread.
    pub(crate) fn start() -> io::Result<Floor> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg(PONG_ARG)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (stdin, stdout) = (stdin.expect("it is piped"), stdout.expect("it is piped"));
        Ok(Floor { child, stdin, stdout })
    }

    /// Returns the processor time of a round trip on both sides, in nanoseconds, and the share of the core
    /// that other programs used meanwhile.
    pub(crate) fn measure(&mut self, window: Duration) -> io::Result<(f64, f64)> {
        let (question, mut answer) = ([b'x'; QUESTION_BYTES], [0; ANSWER_BYTES]);
        let begin = Instant::now();
        let used = self.used();
        let mut trips = 0_u32;
        while begin.elapsed() < window {
            for _ in 0..100 {
                self.stdin.write_all(&question)?;
                self.stdout.read_exact(&mut answer)?;
            }
            trips += 100;
        }
        let used = self.used().saturating_sub(used);
        let others = 1.0 - used.as_secs_f64() / begin.elapsed().as_secs_f64();
        Ok((used.as_secs_f64() * 1e9 / f64::from(trips), others))
    }

    fn used(&self) -> Duration {
        let own = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        let own = Duration::new(own.tv_sec as u64, own.tv_nsec as u32);
        own + cpu_time(self.child.id() as i32).unwrap_or_default()
    }
}

impl Drop for Floor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
