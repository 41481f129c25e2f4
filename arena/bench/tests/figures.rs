//! The benchmark prints its figures.

use std::process::Command;

use serde_json::Value;

#[test]
fn a_benchmark_has_figures() {
    let output = Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(["--quick", "--format", "json"])
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let sections: Vec<Value> = serde_json::from_slice(&output.stdout).expect("JSON");
    let figures: Vec<&Value> =
        sections.iter().flat_map(|section| section["figures"].as_array().unwrap()).collect();
    assert!(figures.iter().all(|figure| figure["figure"].as_f64().is_some_and(|value| value > 0.0)));
    for name in [
        "R, a turn over the floor, 256 at once",
        "starts with fresh, contained processes, compiled",
        "matches kept alive, compiled",
    ] {
        assert!(figures.iter().any(|figure| figure["name"].as_str().unwrap().starts_with(name)), "{name}");
    }
}
