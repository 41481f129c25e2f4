//! Starts a [`BotProcess`] from a [`Command`].

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::process::fault::Failure;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::getuid;
use tokio::net::unix::pipe;
use tokio::time::timeout;
use tracing::{Instrument, debug, debug_span, info};

use crate::command::STDERR_BYTES_MAX;
use crate::command::rights::Rights;
use crate::command::{Command, absolute};
use crate::confine::paths::Claims;
use crate::confine::{Containment, Layer, Layers, SandboxSpec, keeps_sockets_apart, paths, scratch};
use crate::process::BotProcess;
use crate::process::fault::{DOUBTFUL_TRIES_MAX, Fault};
use crate::process::freeze::OffTurn;
use crate::process::pipes::Pipes;
use crate::process::stderr::StderrKeep;
use crate::process::timer::LazyTimer;
use crate::process::transcript::Transcript;
use crate::start::attend::{MemoryWatch, attend};
use crate::start::error::{Error, HOLD, SpawnError};
use crate::start::explain;
use crate::start::handle::{State, SupervisorHandle};
use crate::start::host::Host;
use crate::supervisor::report::Report;
use crate::supervisor::{Plan, Stage};

/// The maximum time until the program is executed. It is generous: the file may be on a slow network disk, and a late
/// machine must not look like a bot that cannot start.
const START_WAIT_MAX: Duration = Duration::from_secs(30);
/// The maximum time for which a starting bot delays the others: most interpreters need less. A bot that hangs must not
/// cost them its whole limit.
const START_SLOT_MAX: Duration = Duration::from_secs(1);
/// The message about a supervisor that ended too early.
const SUPERVISOR_ENDED: &str = "ended before the bot started";
/// The default memory limit of a sandboxed bot with everything it starts, in bytes.
pub const MEMORY_BYTES_MAX_DEFAULT: u64 = 2 * 1024 * 1024 * 1024;
/// The variables of a sandboxed bot that would say who starts it.
const ANYBODY: [(&str, &str); 3] = [("LANG", "C.UTF-8"), ("USER", "bot"), ("LOGNAME", "bot")];

/// A bot that was started and has received `hello`.
#[derive(Debug)]
pub struct Started {
    /// The process. The caller must stop it even if the reply to `hello` failed.
    pub bot: BotProcess,
    /// The reply to `hello` without the newline, with the time from the start of the program to the reply; or the
    /// reason for a missing reply.
    pub hello: Result<(Vec<u8>, Duration), Fault>,
}

impl BotProcess {
    /// Starts a program and waits until it is executed, within the host's throttle.
    ///
    /// # Errors
    /// [`SpawnError::Fault`] if the program cannot be started, with the reason; [`SpawnError::Host`] if the machine
    /// lacks descriptors, processes or memory.
    pub async fn spawn(command: &Command, host: &Host) -> Result<BotProcess, SpawnError> {
        BotProcess::spawn_unchecked(command, host).await?.with_required_layers(host).await
    }

    /// As [`spawn`](Self::spawn), but the program may lack layers that the host requires.
    pub(crate) async fn spawn_unchecked(command: &Command, host: &Host) -> Result<BotProcess, SpawnError> {
        let _slot = host.start_slot().await;
        spawn_now(command, host, b"").await.map(|(bot, _)| bot)
    }

    /// Kills the program if it lacks a layer that the host requires. The system may refuse a layer at any time, for
    /// instance when it has too many namespaces.
    async fn with_required_layers(self, host: &Host) -> Result<BotProcess, SpawnError> {
        let missing = host.contain.required().iter().find(|layer| !self.layers.has(**layer));
        let Some(&layer) = missing else { return Ok(self) };
        let bot = self.command.name.clone();
        self.kill().await;
        Err(SpawnError::Host(Error::Layer { bot, layer }))
    }

    /// Starts a program with this stdin and stdout, or those of the current process, and with the stderr of the current
    /// process. You cannot ask it anything; wait for its end with [`outlive`](Self::outlive).
    ///
    /// # Errors
    /// As [`BotProcess::spawn`].
    pub async fn spawn_attached(
        command: &Command,
        host: &Host,
        pipes: Option<[OwnedFd; 2]>,
    ) -> Result<BotProcess, SpawnError> {
        let own =
            || Ok([io::stdin().as_fd().try_clone_to_owned()?, io::stdout().as_fd().try_clone_to_owned()?]);
        let streams = pipes
            .map_or_else(own, Ok)
            .and_then(|[stdin, stdout]| Ok([stdin, stdout, io::stderr().as_fd().try_clone_to_owned()?]));
        let streams = streams.map_err(|_: io::Error| {
            let source = io::Error::other("stdin, stdout, or stderr is closed");
            let bot = command.name.clone();
            SpawnError::Host(Error::System { bot, step: "hand over the terminal", source })
        })?;
        let (bot, _) = try_spawn(command, host, b"", Some(streams)).await?;
        bot.with_required_layers(host).await
    }

    /// Returns the number of its first process, if it still exists.
    pub fn id(&self) -> Option<i32> {
        self.handle.bot_pid()
    }

    /// Starts a program, writes `hello` (newline included) and waits for one line, until `limit` after the program's
    /// start. The call holds a start slot until the reply, but only for a short time, so that slow interpreters do not
    /// start all at once. The wait for the slot does not count.
    ///
    /// # Errors
    /// As [`BotProcess::spawn`]. A failed reply to `hello` is not an error of this call: see [`Started::hello`].
    pub async fn start(
        command: &Command,
        host: &Host,
        hello: &[u8],
        limit: Duration,
    ) -> Result<Started, SpawnError> {
        let slot = host.start_slot().await;
        let (bot, sent) = spawn_now(command, host, hello).await?;
        let mut bot = bot.with_required_layers(host).await?;
        // The time for supervisors and namespaces is not the bot's time.
        let begin = Instant::now();
        let hello = {
            let greeting = async {
                let reply = bot.greeted(hello, sent, begin, limit).await?;
                Ok((reply.line.to_vec(), reply.timing.elapsed))
            };
            let mut greeting = std::pin::pin!(greeting);
            match timeout(START_SLOT_MAX, &mut greeting).await {
                Ok(hello) => hello,
                Err(_) => {
                    drop(slot);
                    greeting.await
                }
            }
        };
        Ok(Started { bot, hello })
    }

    /// Starts a program as [`start`](Self::start) does, and repeats the start if the machine may have caused the
    /// missing reply ([`Fault::doubt`]). Use it for results that a person sees at once, without a match that can be
    /// replayed.
    ///
    /// # Errors
    /// As [`BotProcess::start`].
    pub async fn start_patiently(
        command: &Command,
        host: &Host,
        hello: &[u8],
        limit: Duration,
    ) -> Result<Started, SpawnError> {
        for _ in 1..DOUBTFUL_TRIES_MAX {
            let started = BotProcess::start(command, host, hello, limit).await?;
            if started
                .hello
                .as_ref()
                .err()
                .filter(|fault| fault.kind == Failure::Timeout)
                .and_then(|fault| fault.doubt(limit))
                .is_none()
            {
                return Ok(started);
            }
            started.bot.kill().await;
        }
        BotProcess::start(command, host, hello, limit).await
    }
}

/// Starts a program, and tries once more if the pre-forked supervisor has ended in the meantime.
async fn spawn_now(
    command: &Command,
    host: &Host,
    first_line: &[u8],
) -> Result<(BotProcess, usize), SpawnError> {
    match try_spawn(command, host, first_line, None).await {
        Err(SpawnError::Host(Error::Supervisor { what: SUPERVISOR_ENDED, .. })) => {
            info!(bot = command.name, "supervisor ended before the start, trying again");
            try_spawn(command, host, first_line, None).await
        }
        outcome => outcome,
    }
}

/// Starts a program and writes its first line into its pipe before the program runs. The program then need not wait
/// until the arena knows of its start. Returns the process and the number of bytes that the pipe took. If `streams`
/// are given, the bot gets them instead of pipes.
async fn try_spawn(
    command: &Command,
    host: &Host,
    first_line: &[u8],
    streams: Option<[OwnedFd; 3]>,
) -> Result<(BotProcess, usize), SpawnError> {
    let mut bot = start_supervisor(command, host, streams).map_err(|(step, source)| {
        if source.kind() == io::ErrorKind::InvalidInput {
            return SpawnError::Fault(Fault::new(Failure::Refused, source.to_string()));
        }
        SpawnError::Host(Error::System { bot: command.name.clone(), step, source })
    })?;
    let sent = bot.say(first_line);
    let first = bot.handle.wait_for(|state: &State| match state.start {
        Some(report) => Some(Ok(report)),
        None => state.gone.then_some(Err(SUPERVISOR_ENDED)),
    });
    let first = timeout(START_WAIT_MAX, first).await.unwrap_or(Err("does not come to start it"));
    match first {
        Ok(Report::Started(containment, layers)) => {
            (bot.containment, bot.layers) = (containment, layers);
            debug!(bot = command.name, containment = containment.as_str(), "bot started");
            Ok((bot, sent))
        }
        Ok(Report::Failed { stage, errno }) => Err(failed_start(command, stage, errno)),
        Ok(_) => Err(supervisor_error(command, "reported nonsense")),
        Err(what) => Err(supervisor_error(command, what)),
    }
}

fn supervisor_error(command: &Command, what: &'static str) -> SpawnError {
    SpawnError::Host(Error::Supervisor { bot: command.name.clone(), what })
}

fn failed_start(command: &Command, stage: Stage, errno: i32) -> SpawnError {
    let source = io::Error::from_raw_os_error(errno);
    if [Stage::Fork, Stage::Hold].contains(&stage) || explain::is_shortage(&source) {
        let step = if stage == Stage::Hold { HOLD } else { "make a process" };
        return SpawnError::Host(Error::System { bot: command.name.clone(), step, source });
    }
    SpawnError::Fault(Fault::new(Failure::Launch, explain::launch(command, stage, &source)))
}

/// Makes the pipes, the supervisor, and the background task, without waiting. An error has the name of the failed
/// step.
fn start_supervisor(
    command: &Command,
    host: &Host,
    streams: Option<[OwnedFd; 3]>,
) -> Result<BotProcess, (&'static str, io::Error)> {
    let step = |what| move |error: io::Error| (what, error);
    let plan = plan(command, host).map_err(step("plan the start"))?;
    let (bot_stdin, stdin) = new_pipe().map_err(step("make a pipe"))?;
    let (stdout, bot_stdout) = new_pipe().map_err(step("make a pipe"))?;
    let (stderr, bot_stderr) = new_pipe().map_err(step("make a pipe"))?;
    let stdin = pipe::Sender::from_owned_fd(stdin).map_err(step("watch a pipe"))?;
    let stdout = pipe::Receiver::from_owned_fd(stdout).map_err(step("watch a pipe"))?;
    let stderr = pipe::Receiver::from_owned_fd(stderr).map_err(step("watch a pipe"))?;
    let kept = StderrKeep::new(STDERR_BYTES_MAX);
    let streams = streams.unwrap_or([bot_stdin, bot_stdout, bot_stderr]);
    let handle = SupervisorHandle::start(host.fork_server(plan.spec.shares_network), &plan, streams, kept)
        .map_err(step("start the supervisor"))?;
    let memory_bytes_max = memory_bytes_max(command, host);
    let is_asked = memory_asked(command, host).is_some();
    let stderr = Arc::new(stderr);
    let memory = MemoryWatch { bytes_max: memory_bytes_max, is_asked };
    let span = debug_span!("supervisor", bot = command.name);
    tokio::spawn(attend(handle.clone(), Arc::clone(&stderr), memory).instrument(span));
    Ok(BotProcess {
        handle,
        stderr: host.labels_stderr.then_some(stderr),
        pipes: Pipes::new(stdin, stdout),
        timer: LazyTimer::new(),
        off_turn: OffTurn::new(host.freeze || command.stops, host.freezes_on_call, host.off_turn_max),
        transcript: Transcript::default(),
        command: command.clone(),
        containment: Containment::ProcessGroup,
        layers: Layers::NONE,
        is_own: is_own(command, host),
        memory_bytes_max,
        was_at_once: false,
        over: None,
    })
}

/// Returns true if the sandbox shows the bot what is around its files.
fn is_own(command: &Command, host: &Host) -> bool {
    !host.contain.is_strict() && !command.is_foreign
}

/// Returns the memory limit that the command or the host sets, in bytes.
fn memory_asked(command: &Command, host: &Host) -> Option<u64> {
    command.rights.memory_bytes.or(host.memory_bytes)
}

/// Returns the memory limit of the bot with everything it starts, in bytes. The default limit applies if the layer of
/// limits is on and no other limit is set.
fn memory_bytes_max(command: &Command, host: &Host) -> Option<u64> {
    let default = host.layers.has(Layer::Limits).then_some(MEMORY_BYTES_MAX_DEFAULT);
    memory_asked(command, host).or(default)
}

/// Makes a pipe whose ends no other child inherits. Returns the reading and the writing end.
fn new_pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(pipe_with(PipeFlags::CLOEXEC)?)
}

/// Returns the plan for the supervisor.
fn plan(command: &Command, host: &Host) -> io::Result<Plan> {
    let variables = command.env.iter().flat_map(|(name, value)| [name, value]);
    if command.argv.iter().chain(variables).any(|word| word.contains('\0')) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, explain::unspeakable(command)));
    }
    if host.layers.has(Layer::Scratch)
        && scratch::covers_shared_memory()
        && let Some(path) = Claims::of(command).find(scratch::is_in_shared_memory)
    {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, explain::covered(path)));
    }
    let dir = command.dir.as_deref().map(absolute).transpose().map_err(io::Error::other)?;
    let inherits = !host.layers.has(Layer::Scratch);
    let mut env = if inherits { Vec::new() } else { least_environment() };
    let is_confined = host.layers.has(Layer::Landlock);
    let is_own = is_own(command, host);
    if is_confined && is_own {
        env.extend(paths::variables());
    }
    let shown = if is_confined { paths::shown(command, !is_own)? } else { Arc::default() };
    env.extend(command.env.iter().cloned());
    let Rights { network, ref write, .. } = command.rights;
    // A bot that may read or write despite modes could also read about the sockets of others.
    let is_ordinary = !network && !shown.is_closed && (write.is_empty() || !getuid().is_root());
    let spec = SandboxSpec {
        layers: host.layers,
        rights: Rights {
            memory_bytes: memory_asked(command, host),
            processes: Some(command.rights.processes_max()),
            scratch_bytes: Some(command.rights.scratch_bytes_max()),
            open_files: command.rights.open_files,
            read: shown.read_paths(),
            write: write.iter().map(|folder| paths::settled(folder)).collect(),
            network,
        },
        group_bytes_max: memory_bytes_max(command, host),
        growth_bytes: command.growth_bytes,
        list: shown.list.clone(),
        reads_closed: shown.is_closed,
        shares_network: is_ordinary && !host.contain.is_strict() && keeps_sockets_apart(host.layers),
    };
    let (open_files_soft, argv) = (host.open_files_soft, command.argv.clone());
    let (cores, linger, held) = (crate::system::cores::allowed(), host.linger, command.held.clone());
    let session = host.is_apart();
    let traces = host.traces;
    Ok(Plan { spec, held, open_files_soft, cores, session, traces, dir, linger, inherits, env, argv })
}

/// Returns the part of the arena's environment that every sandboxed bot gets. The supervisor adds the scratch folder.
pub fn least_environment() -> Vec<(String, String)> {
    let path = std::env::var("PATH").ok().map(|path| ("PATH".to_owned(), path));
    path.into_iter().chain(ANYBODY.map(|(name, value)| (name.to_owned(), value.to_owned()))).collect()
}
