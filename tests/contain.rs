//! What contained bots cannot do: a program that attacks, behind each layer alone and behind all of them,
//! as root and as an ordinary user. The table in `fixtures/attacks.rs` says who stops what.

#[path = "fixtures/attacks.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with the fixture; each uses a part of it")]
mod attacks;
#[path = "contain/command_line.rs"]
mod command_line;
#[path = "program/executable.rs"]
mod executable;
#[path = "contain/lodging.rs"]
mod lodging;
#[path = "contain/neighbours.rs"]
mod neighbours;
#[path = "contain/own_files.rs"]
mod own_files;
#[path = "contain/scene.rs"]
mod scene;

use arena::bot::{Contain, Layer, Layers};

use attacks::{Always, Attack};
use scene::{AGAIN, Scene, block_on};

/// An ordinary user without a name.
const NOBODY: u32 = 65_534;

#[test]
fn all_layers_together_stop_every_attack() {
    assert!(Attack::ALL.len() >= 30, "only {} attacks", Attack::ALL.len());
    judge("all layers", Contain::Auto.layers());
}

#[test]
fn what_is_left_without_namespaces_is_said_in_the_table() {
    judge("no namespaces", Contain::NoNamespace.layers());
}

#[test]
fn without_a_layer_attacks_get_through() {
    judge("no layers", Layers::NONE);
}

#[test]
fn each_layer_alone_stops_what_the_table_says() {
    for layer in Layer::ALL {
        let layers = match layer {
            Layer::UserNamespace => continue, // comes with those of processes and networks
            // Counts where it begins with the bot.
            Layer::Processes => Layers::of(&[layer, Layer::PidNamespace, Layer::OwnUser]),
            _ => Layers::of(&[layer]),
        };
        judge(layer.as_str(), layers);
    }
}

/// What `--freeze` stops, no layer does.
#[test]
fn all_layers_without_freeze_let_bots_think_in_the_turns_of_others() {
    for attack in [Attack::OffTurn, Attack::OffTurnAway] {
        let played = block_on(Scene::new().play(attack, Contain::Auto.layers(), false));
        assert!(played.expect("it runs").1, "{} was stopped", attack.name());
    }
}

/// The same as an ordinary user, where the tests run as root and that user may read them.
#[test]
fn the_table_holds_for_an_ordinary_user() {
    use std::os::unix::process::CommandExt;
    if !rustix::process::getuid().is_root() || std::env::var_os(AGAIN).is_some() {
        return;
    }
    let exe = std::env::current_exe().expect("a test has a file");
    let tests =
        ["layer", "namespaces", "neighbours", "own_files", "--skip", "ordinary", "--test-threads", "2"];
    let status = std::process::Command::new(exe).args(tests).env(AGAIN, "1").uid(NOBODY).gid(NOBODY).status();
    match status {
        Ok(status) => assert!(status.success(), "as an ordinary user: {status}"),
        Err(error) => eprintln!("skipped: user {NOBODY} cannot run the tests: {error}"),
    }
}

/// How often an attack in the turns of others is made that gets through: where the machine stopped it late, others do not.
const TURN_TRIES: usize = 3;

/// Makes every attack behind these layers, and compares with the table.
fn judge(title: &str, layers: Layers) {
    let root = rustix::process::getuid().is_root();
    let wrong: Vec<String> =
        Attack::ALL.iter().filter_map(|&attack| complaint(attack, layers, root)).collect();
    let missing: Vec<Layer> =
        wanted(layers, root).filter(|layer| !scene::held_here(layers).has(*layer)).collect();
    if !missing.is_empty() {
        eprintln!("{title}: this system does not give {missing:?}; judged by what held");
    }
    assert!(wrong.is_empty(), "{title}, root {root}: {} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// What of an attack is not as the table has it.
fn complaint(attack: Attack, layers: Layers, root: bool) -> Option<String> {
    let tries = if attack.has_turns() { TURN_TRIES } else { 1 };
    (0..tries).map_while(|_| complaint_once(attack, layers, root)).nth(tries - 1)
}

fn complaint_once(attack: Attack, layers: Layers, root: bool) -> Option<String> {
    let Some((held, got_through)) = block_on(Scene::new().play(attack, layers, true)) else {
        return Some(format!("{}: did not run", attack.name()));
    };
    let abi = scene::landlock_version();
    // With all its capabilities root may read any process on newer kernels, whatever Landlock says.
    let is_open_to_root = root && !held.has(Layer::OwnUser) && attack == Attack::ReadEnviron;
    let stops = |&(layer, version): &(Layer, i32)| {
        held.has(layer) && (layer != Layer::Landlock || (abi >= version && !is_open_to_root))
    };
    let is_stopped = attack.stopped_by().iter().any(stops);
    let may_differ = match attack.always() {
        Always::No => is_open_to_root,
        Always::ForUsers => !root,
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
