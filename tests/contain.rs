//! Attacks that the sandbox must stop. A program attacks from behind each layer alone and from behind all of
//! them, as root and as an ordinary user. The table in `fixtures/attacks.rs` lists the layers that stop each
//! attack.

mod allowed;
mod chosen;
mod command_line;
mod environments;
mod interpreters;
mod lodging;
mod neighbours;
mod own_files;
mod refused;
pub(crate) mod scene;

use std::time::Duration;

use futures_util::{StreamExt, stream};
use sandbox::{Layer, Layers, SandboxLevel};

use crate::fixtures::attacks::{Always, Attack};
use crate::program::{alone, is_again, passes_again, test_name};
use scene::{Scene, Stage, block_on};

#[test]
fn all_layers_together_stop_every_attack() {
    assert!(Attack::ALL.len() >= 30, "only {} attacks", Attack::ALL.len());
    judge("all layers", SandboxLevel::Auto.layers());
}

#[test]
fn what_is_left_without_namespaces_is_said_in_the_table() {
    judge("no namespaces", SandboxLevel::NoNamespace.layers());
}

#[test]
fn without_a_layer_attacks_get_through() {
    judge("no layers", Layers::NONE);
}

#[test]
fn each_layer_alone_stops_what_the_table_says() {
    for (number, layer) in Layer::ALL.into_iter().enumerate() {
        let layers = match layer {
            Layer::UserNamespace => continue, // comes with the PID and network namespaces
            // The limit counts processes by user, so the bot needs a user or a user namespace of its own.
            Layer::Processes => Layers::of(&[layer, Layer::PidNamespace, Layer::OwnUser]),
            // These layers change how the namespace shows processes or mounts.
            Layer::Proc | Layer::ReadOnly => Layers::of(&[layer, Layer::PidNamespace]),
            Layer::CgroupLimits => Layers::of(&[layer, Layer::Cgroup]),
            _ => Layers::of(&[layer]),
        };
        // The attacks that this layer stops always run. Usually one in sixteen of the others runs.
        let name = format!("{layer:?}");
        let attacks = Attack::ALL.iter().enumerate().filter(|(place, attack)| {
            let is_stopped = attack.stopped_by().iter().any(|&(by, _)| by == name);
            is_stopped || needs::is_tried(*place, number, needs::sized(16, 8, 1))
        });
        judge_by(layer.as_str(), layers, attacks.map(|(_, &attack)| attack));
    }
}

/// Only `--freeze` stops these attacks, and no layer does.
#[test]
fn all_layers_without_freeze_let_bots_think_in_the_turns_of_others() {
    for attack in [Attack::OffTurn, Attack::OffTurnAway, Attack::OffTurnByTimer] {
        let stage = Stage::new(SandboxLevel::Auto.layers(), false);
        let got_through = |turn_ms| {
            let turn = Duration::from_millis(turn_ms);
            block_on(Scene::new().play_for(turn, attack, &stage)).expect("it runs").1
        };
        assert!(OTHERS_TURN_MS.into_iter().any(got_through), "{} was stopped", attack.name());
    }
}

/// Runs the same tests as an ordinary user. Needs root, and a test program that this user may read.
#[test]
fn the_table_holds_for_an_ordinary_user() {
    if is_again() || !needs::NOBODY_STARTS_TESTS.is_met() {
        return;
    }
    let exe = std::env::current_exe().expect("a test has a file");
    let tests = [
        "contain::all_layers",
        "contain::a_bot_with_the_network",
        "contain::allowed",
        "contain::chosen",
        "contain::neighbours",
        "contain::own_files",
        "contain::refused",
    ];
    let more =
        ["contain::what_is_left", "contain::without_a_layer", "contain::each_layer", "contain::environments"];
    let more = needs::sized(&[][..], &[], &more);
    passes_again(needs::as_nobody(exe).args(tests).args(more).args(["--test-threads", "4"]));
}

/// The right to use the network opens no way to other programs of this machine or to messages of the kernel.
#[test]
fn a_bot_with_the_network_opens_sockets_for_it_alone() {
    let mut scene = Scene::new();
    scene.network = true;
    let stage = Stage::new(SandboxLevel::Auto.layers(), true);
    let outcome = |attack| block_on(scene.play(attack, &stage)).expect("it runs");
    if !outcome(Attack::UdpSend).0.has(Layer::Seccomp) {
        return; // only seccomp distinguishes kinds of sockets
    }
    assert!(outcome(Attack::UdpSend).1, "it has no network");
    for attack in [Attack::OddSockets, Attack::RawPair, Attack::UnixSocket, Attack::AbstractSocket] {
        assert!(!outcome(attack).1, "{} got through", attack.name());
    }
}

/// Runs as in a container in which root is an ordinary user outside, with no other user IDs.
#[test]
fn root_by_name_alone_keeps_no_rights() {
    if is_again() {
        for contain in [SandboxLevel::Auto, SandboxLevel::NoNamespace] {
            let stage = Stage::new(contain.layers(), true);
            let played = block_on(Scene::new().play(Attack::Capabilities, &stage));
            let (held, got_through) = played.expect("it runs");
            assert!(!got_through && !held.has(Layer::OwnUser), "{got_through}, held: {held:?}");
        }
        return;
    }
    if !needs::ROOT_BY_NAME.is_met() {
        return;
    }
    passes_under("unshare", &["--user", "--map-root-user"], "root_by_name_alone_keeps_no_rights");
}

/// Runs as root of a container. This root may change users, and gets other namespaces only inside a user namespace.
#[test]
fn root_of_a_container_gives_bots_users_of_their_own() {
    if is_again() {
        let stage = Stage::new(SandboxLevel::Auto.layers(), true);
        let played = block_on(Scene::new().play(Attack::Capabilities, &stage));
        let (held, got_through) = played.expect("it runs");
        let expected = [Layer::UserNamespace, Layer::PidNamespace, Layer::OwnUser, Layer::Processes];
        assert!(
            !got_through && expected.iter().all(|layer| held.has(*layer)),
            "{got_through}, held: {held:?}"
        );
        return judge("root of a container", Layers::ALL);
    }
    if !needs::ROOT_OF_A_CONTAINER.is_met() {
        return;
    }
    let test = "root_of_a_container_gives_bots_users_of_their_own";
    passes_under("setpriv", &needs::OF_A_CONTAINER, test);
}

/// Runs as root of a container that has no namespaces and no right to read alone. Bots have the right to read and write.
#[test]
fn bots_read_their_closed_files_in_a_container_without_namespaces() {
    let layers = SandboxLevel::NoNamespace.layers();
    if is_again() {
        let (scene, stage) = (Scene::new(), Stage::new(layers, true));
        scene.close();
        // This attack fails if it cannot read its own file.
        block_on(scene.play(Attack::AccessTime, &stage)).expect("it reads its own file");
        let of_users = |attack: &Attack| attack.stopped_by().iter().any(|&(by, _)| by == "OwnUser");
        let of_users = Attack::ALL.iter().copied().filter(of_users);
        return judge_by("a container without namespaces", layers, of_users);
    }
    if !needs::ROOT_OF_A_CONTAINER.is_met() {
        return;
    }
    let test = "bots_read_their_closed_files_in_a_container_without_namespaces";
    passes_under("setpriv", &["--bounding-set=-sys_admin,-dac_read_search", "--"], test);
}

/// Runs a test of this module again, by a program that changes the rights of root.
fn passes_under(program: &str, args: &[&str], test: &str) {
    let exe = std::env::current_exe().expect("a test has a file");
    let name = test_name(module_path!(), test);
    passes_again(std::process::Command::new(program).args(args).arg(&exe).args(["--exact", &name]));
}

/// Number of simultaneous attacks. Attacks spend most of their time waiting.
const AT_ONCE: usize = 6;
/// Lengths of the other bots' turn in which an attack computes, in milliseconds. If the outcome differs from
/// the table, the test repeats the attack with a longer turn. On a busy machine the attack may not run in a
/// short turn, or the arena may freeze it late.
const OTHERS_TURN_MS: [u64; 4] = [400, 1_500, 6_000, 30_000];
/// How long an attack keeps the memory and the files that it took, in milliseconds. The arena detects some
/// attacks by what they hold. These are repeated with the longer times, because the arena may look late on a busy
/// machine, and a program that frees memory hides what an attack takes by the memory of the whole machine.
const HOLD_TIMES_MS: [u64; 4] = [700, 2_000, 8_000, 20_000];

/// Runs every attack behind these layers and compares the outcomes with the table.
fn judge(title: &str, layers: Layers) {
    judge_by(title, layers, Attack::ALL.iter().copied());
}

/// Runs these attacks behind these layers and compares the outcomes with the table.
fn judge_by(title: &str, layers: Layers, attacks: impl Iterator<Item = Attack>) {
    let root = rustix::process::getuid().is_root();
    let (of_the_machine, others): (Vec<Attack>, Vec<Attack>) =
        attacks.partition(|attack| attack.is_of_the_machine());
    let stage = Stage::new(layers, true);
    let others = stream::iter(others).map(|attack| complaint(attack, &stage, root));
    let mut wrong: Vec<Option<String>> = block_on(others.buffered(AT_ONCE).collect());
    for attack in of_the_machine {
        let _alone = alone();
        wrong.push(block_on(complaint(attack, &stage, root)));
    }
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    let missing: Vec<Layer> =
        wanted(layers, root).filter(|layer| !scene::held_here(layers).has(*layer)).collect();
    if !missing.is_empty() {
        eprintln!("{title}: this system does not give {missing:?}; judged by what held");
    }
    assert!(wrong.is_empty(), "{title}, root {root}: {} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Returns how the outcome of an attack differs from the table.
async fn complaint(attack: Attack, stage: &Stage, root: bool) -> Option<String> {
    let mut complaint = None;
    let times_ms = match (attack.has_turns(), attack.is_measured()) {
        (true, _) => &OTHERS_TURN_MS[..],
        (false, true) => &HOLD_TIMES_MS,
        (false, false) => &HOLD_TIMES_MS[..1],
    };
    for time_ms in times_ms {
        complaint = complaint_once(Duration::from_millis(*time_ms), attack, stage, root).await;
        if complaint.is_none() {
            break;
        }
    }
    complaint
}

async fn complaint_once(time: Duration, attack: Attack, stage: &Stage, root: bool) -> Option<String> {
    let Some((held, got_through)) = Scene::new().play_for(time, attack, stage).await else {
        return Some(format!("{}: did not run", attack.name()));
    };
    let abi = scene::landlock_version();
    // On newer kernels, root with all capabilities may read any process despite Landlock.
    let is_open_to_root = root && !held.has(Layer::OwnUser) && attack == Attack::ReadEnviron;
    let stops = |&(name, version): &(&str, i32)| {
        let layer = Layer::ALL.into_iter().find(|layer| format!("{layer:?}") == name);
        let layer = layer.unwrap_or_else(|| panic!("there is no layer {name}"));
        held.has(layer) && (layer != Layer::Landlock || (abi >= version && !is_open_to_root))
    };
    let is_stopped = attack.stopped_by().iter().any(stops);
    let may_differ = match attack.always() {
        Always::No => is_open_to_root,
        Always::ForUsers => !root,
        Always::IfItWrites => held.has(Layer::ReadOnly) && !held.has(Layer::Scratch),
        Always::Perhaps => true,
        Always::Yes | Always::Freeze => false,
    };
    let expected = !(is_stopped || matches!(attack.always(), Always::Yes | Always::Freeze));
    if got_through == expected || (may_differ && !got_through) {
        return None;
    }
    let word = if got_through { "got through" } else { "was stopped" };
    Some(format!("{} {word}, held: {:?}", attack.name(), held.iter().collect::<Vec<_>>()))
}

fn wanted(layers: Layers, root: bool) -> impl Iterator<Item = Layer> {
    layers.iter().filter(move |layer| *layer != Layer::UserNamespace && (root || *layer != Layer::OwnUser))
}
