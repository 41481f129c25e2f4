//! The client of the fork server, which forks the supervisors. It starts the server with the first bot, and again if
//! the server has ended.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;

use crate::supervisor::{SHARED_NETWORK_ARG, SUPERVISOR_ARG, SpawnRequest};

/// The name of supervisors in a list of processes.
const NAME: &str = "arena";

/// Starts supervisors for all threads of the arena.
#[derive(Debug)]
pub(crate) struct ForkServer {
    /// The arena's executable.
    program: PathBuf,
    shares_network: bool,
    running: Mutex<Option<Running>>,
}

#[derive(Debug)]
struct Running {
    socket: UnixStream,
    child: Child,
}

impl ForkServer {
    /// Returns a client that has not started the fork server yet. With `shares_network`, its bots share an empty network
    /// namespace.
    pub(crate) fn new(program: PathBuf, shares_network: bool) -> ForkServer {
        ForkServer { program, shares_network, running: Mutex::new(None) }
    }

    /// Sends the request to a supervisor. The other end of the supervisor's socket shows if that succeeded.
    ///
    /// # Errors
    /// The fork server cannot be started, or ends at once.
    pub(crate) fn request_supervisor(&self, spawn_request: &SpawnRequest) -> io::Result<()> {
        let mut running = self.running.lock().expect("nobody panics while holding the lock");
        if let Some(there) = &*running
            && spawn_request.send(&there.socket).is_ok()
        {
            return Ok(());
        }
        *running = None;
        let fresh = self.start()?;
        spawn_request.send(&fresh.socket)?;
        *running = Some(fresh);
        Ok(())
    }

    fn start(&self) -> io::Result<Running> {
        let (socket, theirs) = UnixStream::pair()?;
        let mut command = Command::new(&self.program);
        command.arg0(NAME).arg(SUPERVISOR_ARG).args(self.shares_network.then_some(SHARED_NETWORK_ARG));
        command.stdin(Stdio::from(OwnedFd::from(theirs)));
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        Ok(Running { socket, child })
    }
}

/// The fork server ends after its supervisors. A thread reaps it, so that the drop does not wait for that.
impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
        if matches!(self.child.try_wait(), Ok(None))
            && let Some(pid) = rustix::process::Pid::from_raw(self.child.id().cast_signed())
        {
            let reap = move || rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::empty());
            let _ = std::thread::Builder::new().name("reaper".to_owned()).spawn(reap);
        }
    }
}
