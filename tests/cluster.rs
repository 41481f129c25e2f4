//! The same tournament by a real Slurm and by GNU parallel over real sshd, with a node killed in the middle.
//!
//! Both start what they need in namespaces of their own: nothing listens outside, and everything ends with the
//! test. That takes root and programs; where they are missing the tests do nothing, which `cargo test` lists.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::program::{scratch, succeed};

/// 400 matches of some ten milliseconds.
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

/// Plays the league by an engine that the shell script `cluster` starts, and on one machine; the script's words.
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
    let (told, errors) = (text(&output.stdout), text(&output.stderr));
    let logs = || fs::read_dir(path.join("parts/log")).into_iter().flatten().flatten();
    let logs = || logs().map(|log| fs::read_to_string(log.path()).unwrap_or_default()).collect::<String>();
    assert!(output.status.success(), "{told}{errors}{}", logs());
    assert!(told.contains(named), "{told}{errors}");
    if engine == "slurm" {
        succeed(path, &["merge", "parts", "--out", "parts-whole"]);
    }
    succeed(path, &["tournament", "league.toml", "--out", "one", "--quiet"]);
    let (parts, one) = (essence(&path.join("parts-whole")), essence(&path.join("one")));
    assert_eq!(one.1.len(), 400);
    assert_eq!(parts, one);
    told
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The digest of the tables and that of each match.
fn essence(dir: &Path) -> (Value, BTreeMap<u64, Value>) {
    let tables = fs::read_to_string(dir.join("standings.json")).expect("tables");
    let tables: Value = serde_json::from_str(&tables).expect("JSON");
    let journal = fs::read_to_string(dir.join("matches.jsonl")).expect("a journal");
    let records = journal.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let digest = |record: Value| (record["match"].as_u64().expect("an index"), record["digest"].clone());
    (tables["digest"].clone(), records.map(digest).collect())
}

#[test]
fn slurm_plays_what_one_machine_plays_although_a_node_dies() {
    if needs::SLURM.is_met() {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/cluster/slurm.sh");
        let told = plays_alike("slurm", script, "killed n1 with");
        assert!(told.contains("put back"), "the killed job was played again: {told}");
        assert!(told.contains("n1 down"), "{told}");
    }
}

#[test]
fn parallel_plays_what_one_machine_plays_although_a_host_dies() {
    if needs::PARALLEL.is_met() {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/cluster/ssh.sh");
        plays_alike("parallel", script, "killed two with");
    }
}
