//! The fork server: a process with one thread, started once. It forks a supervisor each time the arena sends the
//! descriptors for it. A fork of a small process takes a tenth of the time of executing the arena again. One
//! supervisor is always forked in advance.
//!
//! The fork server gives up the arena's terminal, so that no bot has it. It ends when the arena's socket does, after
//! its supervisors. It stays in the arena's session, because the kernel divides the processors among sessions first.
//! In two sessions, each switch between the arena and its bots would wait for all other processes.

use rustix::io::Errno;
use rustix::process::{WaitOptions, wait};

use crate::confine;
use crate::supervisor::Places;
use crate::supervisor::preforked::Preforked;
use crate::supervisor::spawn_request::SpawnRequest;
use crate::system::sys;

/// Forks supervisors until the arena has ended, then waits until the supervisors have ended. With `shares_network`, their
/// bots share an empty network namespace if the system allows it. Otherwise each bot has one of its own.
pub(super) fn run(shares_network: bool) {
    // Its own group: input at the terminal is for the arena.
    let _ = rustix::process::setpgid(None, None);
    sys::leave_terminal();
    sys::close_on_exec_above_stderr();
    sys::be_interrupted_by_children();
    confine::prepare();
    let places = Places::make();
    let shares_network = shares_network && confine::enter_empty_network();
    let mut preforked: Option<Preforked> = None;
    loop {
        reap();
        let spawn_request = match SpawnRequest::receive(rustix::stdio::stdin()) {
            Ok(Some(spawn_request)) => spawn_request,
            Err(Errno::INTR) => continue,
            Ok(None) | Err(_) => break,
        };
        let namespaces = spawn_request.namespaces;
        let mut spawn_request = Some(spawn_request);
        let start = |request: &mut Option<SpawnRequest>| {
            Preforked::start(namespaces, shares_network, &places, request)
        };
        let suitable = preforked.take().filter(|preforked| preforked.has(namespaces));
        let supervisor = suitable.or_else(|| start(&mut spawn_request));
        // Without a supervisor the request is dropped. The arena notices because the supervisor's socket closes.
        if let (Some(supervisor), Some(spawn_request)) = (supervisor, spawn_request.take()) {
            supervisor.employ(spawn_request);
        }
        // Most bots use the same namespaces.
        preforked = start(&mut None);
    }
    drop(preforked);
    // The closed sockets of the arena tell each supervisor to clean up. The loop waits until all have ended.
    while !matches!(wait(WaitOptions::empty()), Err(Errno::CHILD)) {}
    places.remove();
}

/// Reaps supervisors that have ended. They report to the arena, but if the kernel reaped them by itself, the processor
/// time of the bots would be lost.
fn reap() {
    while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
}
