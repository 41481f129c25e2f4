//! Links the program of the profile `dev` for a fixed address.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Tests start the arena thousands of times, and each start of a program for any address makes 120,000 relocations.
    let is = |name, value| var(name).is_ok_and(|found| found == value);
    if is("PROFILE", "debug") && is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
