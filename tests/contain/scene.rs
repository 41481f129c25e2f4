//! The surroundings of an attack: another bot's files, another bot, listening sockets, and the arena.

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command as StdCommand};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use sandbox::{BotProcess, Command, Exit, Host, Layer, Layers};

use crate::fixtures::attacks::*;

/// Maximum time for an attack.
const PATIENCE: Duration = Duration::from_secs(30);

/// The targets of an attack. Each attack gets its own.
pub(crate) struct Scene {
    home: tempfile::TempDir,
    tcp: TcpListener,
    udp: UdpSocket,
    _unix: UnixListener,
    _datagrams: UnixDatagram,
    _abstract: UnixListener,
    name: String,
    /// True if the attacker may use the network.
    pub(crate) network: bool,
}

impl Scene {
    pub(crate) fn new() -> Scene {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let home = tempfile::tempdir_in(needs::open_temp_dir()).expect("a scratch folder");
        let folder = home.path().join("other");
        fs::create_dir(&folder).expect("a folder");
        fs::create_dir(home.path().join("bot")).expect("a folder");
        fs::create_dir(home.path().join("tmp")).expect("a folder");
        fs::set_permissions(home.path().join("tmp"), fs::Permissions::from_mode(0o1777)).expect("it is ours");
        crate::program::executable::write(&folder.join(PROGRAM), "#!/bin/sh\n", "755");
        for file in [SECRET, VICTIM_FILE] {
            fs::write(folder.join(file), "secret").expect("a file");
            fs::set_permissions(folder.join(file), fs::Permissions::from_mode(0o600)).expect("it is ours");
        }
        // Some file systems have no extended attributes.
        let _ = rustix::fs::setxattr(
            folder.join(VICTIM_FILE),
            ATTRIBUTE,
            b"secret",
            rustix::fs::XattrFlags::empty(),
        );
        let unix = UnixListener::bind(folder.join(SOCKET)).expect("a socket");
        let datagrams = UnixDatagram::bind(folder.join(DATAGRAMS)).expect("a socket");
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("it is ours");
        fs::copy(fixture(), home.path().join("bot/attack")).expect("a copy of the attacker");
        for name in [NOTES, RECORDS] {
            fs::write(home.path().join("bot").join(name), "its own").expect("a file");
        }
        // Other users may enter these folders. The inner folder's own permissions must keep them out, not a
        // folder above it.
        for open in [home.path().to_owned(), home.path().join("bot")] {
            fs::set_permissions(open, fs::Permissions::from_mode(0o755)).expect("it is ours");
        }
        let name = format!("attack-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let address = SocketAddr::from_abstract_name(&name).expect("a name");
        Scene {
            home,
            tcp: TcpListener::bind("127.0.0.1:0").expect("a port"),
            udp: UdpSocket::bind("127.0.0.1:0").expect("a port"),
            _unix: unix,
            _datagrams: datagrams,
            _abstract: UnixListener::bind_addr(&address).expect("a socket"),
            name,
            network: false,
        }
    }

    /// Closes the attacker's folder and files to other users.
    pub(crate) fn close(&self) {
        let folder = self.home.path().join("bot");
        for (path, mode) in [(folder.join(NOTES), 0o600), (folder, 0o700)] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
        }
    }

    fn command(&self, attack: Attack, stage: &Stage, hold: Duration) -> Command {
        let program = self.home.path().join("bot/attack").display().to_string();
        let mut command = Command::new(attack.name(), [program.as_str(), attack.name()]).expect("a program");
        let number = |pid: u32| pid.to_string();
        command.env = [
            (FOLDER, self.home.path().join("other").display().to_string()),
            (ARENA, number(std::process::id())),
            (VICTIM, number(stage.other.id())),
            (TCP, self.tcp.local_addr().expect("bound").to_string()),
            (UDP, self.udp.local_addr().expect("bound").to_string()),
            (ABSTRACT, self.name.clone()),
            (HOLD_MS, hold.as_millis().to_string()),
            (DEVICE, fs::metadata(SHARED_MEMORY).map_or(0, |folder| folder.dev()).to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec();
        if !stage.layers.has(Layer::Scratch) {
            // A killed attack leaves files. They disappear with the scene.
            command.env.push(("TMPDIR".to_owned(), self.home.path().join("tmp").display().to_string()));
        }
        command.rights.memory_bytes = Some(MEMORY_BYTES);
        command.rights.processes = Some(PROCESSES);
        command.rights.network = self.network;
        command.rights.scratch_bytes = Some(SCRATCH_BYTES);
        command
    }

    /// Runs an attack. Returns the layers that held and whether the attack got through.
    pub(crate) async fn play(&self, attack: Attack, stage: &Stage) -> Option<(Layers, bool)> {
        self.play_for(Duration::from_secs(2), attack, stage).await
    }

    /// Runs an attack that keeps what it took for this long, or computes in a turn of others of this length.
    /// Returns the layers that held and whether the attack got through.
    pub(crate) async fn play_for(
        &self,
        time: Duration,
        attack: Attack,
        stage: &Stage,
    ) -> Option<(Layers, bool)> {
        let command = self.command(attack, stage, time);
        let companion = match attack.has_companion() {
            true => {
                let mut companion = BotProcess::spawn(&command, &stage.host).await.ok()?;
                let made = companion.ask(b"make\n", Instant::now() + PATIENCE).await;
                made.map_err(|fault| eprintln!("{fault}")).ok()?;
                Some(companion)
            }
            false => None,
        };
        let bot = BotProcess::spawn(&command, &stage.host).await;
        let mut bot = bot.map_err(|error| eprintln!("{}: {error}", attack.name())).ok()?;
        let held = bot.layers();
        if attack.has_turns() {
            bot.ask(b"turn\n", Instant::now() + PATIENCE).await.map_err(|fault| eprintln!("{fault}")).ok()?;
            tokio::time::sleep(time).await;
        }
        let ended = bot.quit(b"", PATIENCE).await;
        if let Some(companion) = companion {
            companion.kill().await;
        }
        match ended.status {
            Some(Exit::Code(STOPPED)) => Some((held, false)),
            Some(Exit::Code(GOT_THROUGH)) => Some((held, true)),
            // The arena killed it for its memory, its folder, or the size of a file.
            None | Some(Exit::Signal(_)) => Some((held, false)),
            Some(Exit::Code(_)) => {
                eprintln!("{}: {:?}", attack.name(), ended.stderr.lines());
                None
            }
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _ = self.other.kill();
        let _ = self.other.wait();
    }
}

/// Shared by many attacks: a host whose bots have these layers, and another process.
pub(crate) struct Stage {
    layers: Layers,
    host: Host,
    /// Starts before every bot. In a PID namespace, a bot's ID is near the IDs of recent processes.
    other: Child,
}

impl Stage {
    pub(crate) fn new(layers: Layers, freeze: bool) -> Stage {
        let other = StdCommand::new("sleep").arg("600").spawn().expect("every system has sleep");
        let host = Host::with_supervisor(env!("CARGO_BIN_EXE_arena")).layers(layers).freeze(freeze);
        Stage { layers, host, other }
    }
}

/// Returns the path of the attacking bot, which Cargo builds as an example.
fn fixture() -> PathBuf {
    let mut path = std::env::current_exe().expect("a test has a file");
    path.pop();
    path.set_file_name("examples");
    let path = path.join("attack");
    assert!(path.exists(), "first `cargo build -p test-bots --example attack` (in this profile)");
    path
}

/// Returns the requested layers that hold on this machine.
pub(crate) fn held_here(layers: Layers) -> Layers {
    let played = block_on(Scene::new().play(Attack::Terminal, &Stage::new(layers, true)));
    played.expect("the attacker starts").0
}

/// Returns the version of Landlock, or 0 without it. A separate thread asks, because it loses a right for
/// good.
pub(crate) fn landlock_version() -> i32 {
    use landlock::{AccessFs, LandlockStatus, Ruleset, RulesetAttr};
    let restrict = || {
        let rules = Ruleset::default().handle_access(AccessFs::MakeBlock).ok()?;
        Some(rules.create().ok()?.restrict_self().ok()?.landlock)
    };
    match std::thread::spawn(restrict).join().expect("nothing panics there") {
        Some(LandlockStatus::Available { effective_abi, .. }) => effective_abi as i32,
        _ => 0,
    }
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime can be made").block_on(future)
}

/// Returns true if the doctor says that this layer holds on this machine.
pub(crate) fn holds(layer: &str) -> bool {
    let found = crate::program::arena(Path::new("/"), &["doctor", "--format", "json"]);
    let found: serde_json::Value = serde_json::from_slice(&found.stdout).expect("JSON");
    let layers = found["layers"].as_array().expect("a list");
    layers.iter().any(|found| found["layer"] == layer && found["outcome"] == "holds")
}
