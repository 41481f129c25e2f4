//! The same tournament on a real Slurm and with GNU parallel over a real sshd. The tests kill a node in the
//! middle.
//!
//! Each test starts its servers in namespaces of its own. They listen on no outside address, and they end
//! with the test. That needs root and several programs. Without them the tests do nothing, and `cargo test`
//! lists them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::program::tables::records;
use crate::program::{scratch, succeed};

/// A tournament of 400 matches, each about ten milliseconds long.
const LEAGUE: &str = r#"
[tournament]
game = "patchwork"
rounds = 200
seed = 12
jobs = 1

[[bot]]
command = "random"

[[bot]]
name = "other"
command = "random"
"#;
const SHARDS: usize = 20;

/// Plays the tournament with an engine that the shell script `cluster` starts, and on one machine. Returns
/// the script's output.
fn plays_alike(engine: &str, cluster: &str, named: &str) -> String {
    let folder = scratch();
    let path = folder.path();
    fs::write(path.join("league.toml"), LEAGUE).expect("a file");
    let shards = SHARDS.to_string();
    let emit = ["tournament", "league.toml", "--emit", engine, "--shards", &shards, "--out", "parts"];
    let script = path.join("play.sh");
    fs::write(&script, succeed(path, &[&emit[..], &["--quiet"]].concat())).expect("a file");
    let mut command = Command::new("unshare");
    command.args(["--net", "--pid", "--mount", "--fork", "--mount-proc", "--kill-child", "bash", cluster]);
    let output = command.arg(&script).current_dir(path).stdin(Stdio::null()).output().expect("it starts");
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    let logs = || fs::read_dir(path.join("parts/log")).into_iter().flatten().flatten();
    let logs = || logs().map(|log| fs::read_to_string(log.path()).unwrap_or_default()).collect::<String>();
    assert!(output.status.success(), "{stdout}{stderr}{}", logs());
    assert!(stdout.contains(named), "{stdout}{stderr}");
    if engine == "slurm" {
        succeed(path, &["merge", "parts", "--out", "parts-whole"]);
    }
    succeed(path, &["tournament", "league.toml", "--reuse=trusting", "--out", "one", "--quiet"]);
    let (parts, one) = (canonical(&path.join("parts-whole")), canonical(&path.join("one")));
    assert_eq!(one.1.len(), 400);
    assert_eq!(parts, one);
    stdout
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the digests of the tables and of each match.
fn canonical(dir: &Path) -> (Value, BTreeMap<u64, Value>) {
    let tables = fs::read_to_string(dir.join("standings.json")).expect("tables");
    let tables: Value = serde_json::from_str(&tables).expect("JSON");
    let digest = |record: Value| (record["match"].as_u64().expect("an index"), record["digest"].clone());
    (tables["digest"].clone(), records(dir).into_iter().map(digest).collect())
}

#[test]
fn slurm_plays_what_one_machine_plays_although_a_node_dies() {
    if needs::SLURM.is_met() {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/cluster/slurm.sh");
        let stdout = plays_alike("slurm", script, "killed n1 with");
        assert!(stdout.contains("put back"), "the killed job was played again: {stdout}");
        assert!(stdout.contains("n1 down"), "{stdout}");
    }
}

#[test]
fn parallel_plays_what_one_machine_plays_although_a_host_dies() {
    if needs::PARALLEL.is_met() {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/cluster/ssh.sh");
        plays_alike("parallel", script, "killed two with");
    }
}
