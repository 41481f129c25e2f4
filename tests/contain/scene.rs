//! The surroundings of an attack: another bot's files, another bot, listening sockets, and the arena.

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::Path;
use std::process::{Child, Command as StdCommand};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use sandbox::{BotProcess, Command, Exit, Host, Layer, Layers};

pub(crate) use crate::bot_process::harness::block_on;
use crate::bot_process::harness::example;
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
        for name in ["other", "bot", "tmp"] {
            fs::create_dir(home.path().join(name)).expect("a folder");
        }
        set_mode(home.path().join("tmp"), 0o1777);
        crate::program::executable::write(&folder.join(PROGRAM), "#!/bin/sh\n", "755");
        for file in [SECRET, VICTIM_FILE] {
            fs::write(folder.join(file), "secret").expect("a file");
            set_mode(folder.join(file), 0o600);
        }
        // Some file systems have no extended attributes.
        let flags = rustix::fs::XattrFlags::empty();
        let _ = rustix::fs::setxattr(folder.join(VICTIM_FILE), ATTRIBUTE, b"secret", flags);
        let unix = UnixListener::bind(folder.join(SOCKET)).expect("a socket");
        let datagrams = UnixDatagram::bind(folder.join(DATAGRAMS)).expect("a socket");
        set_mode(&folder, 0o700);
        fs::copy(example("attack"), home.path().join("bot/attack")).expect("a copy of the attacker");
        for name in [NOTES, RECORDS] {
            fs::write(home.path().join("bot").join(name), "its own").expect("a file");
        }
        // Other users may enter these folders. The inner folder's own permissions must keep them out, not a
        // folder above it.
        set_mode(home.path(), 0o755);
        set_mode(home.path().join("bot"), 0o755);
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
        set_mode(folder.join(NOTES), 0o600);
        set_mode(folder, 0o700);
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
        let mut companion = None;
        if attack.has_companion() {
            let companion = companion.insert(BotProcess::spawn(&command, &stage.host).await.ok()?);
            let made = companion.ask(b"make\n", PATIENCE).await;
            made.map_err(|fault| eprintln!("{fault}")).ok()?;
        }
        let bot = BotProcess::spawn(&command, &stage.host).await;
        let mut bot = bot.map_err(|error| eprintln!("{}: {error}", attack.name())).ok()?;
        let held = bot.layers();
        if attack.has_turns() {
            bot.ask(b"turn\n", PATIENCE).await.map_err(|fault| eprintln!("{fault}")).ok()?;
            tokio::time::sleep(time).await;
        }
        let ended = bot.quit(b"", PATIENCE).await;
        if let Some(companion) = companion {
            companion.kill().await;
        }
        match ended.status {
            Some(Exit::Code(GOT_THROUGH)) => Some((held, true)),
            // It was stopped, or the arena killed it for its memory, its folder, or the size of a file.
            Some(Exit::Code(STOPPED)) | None | Some(Exit::Signal(_)) => Some((held, false)),
            Some(Exit::Code(_)) => {
                eprintln!("{}: {:?}", attack.name(), ended.stderr.lines());
                None
            }
        }
    }
}

fn set_mode(path: impl AsRef<Path>, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
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

/// Returns true if the doctor says that this layer holds on this machine.
pub(crate) fn holds(layer: &str) -> bool {
    let found = crate::program::arena(Path::new("/"), &["doctor", "--format", "json"]);
    let found: serde_json::Value = serde_json::from_slice(&found.stdout).expect("JSON");
    let layers = found["layers"].as_array().expect("a list");
    layers.iter().any(|found| found["layer"] == layer && found["outcome"] == "holds")
}
