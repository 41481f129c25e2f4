//! Digests the sources of the bundled bots and of the rules, so that values which a search gave are known as its own.

use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The sources that decide what a search says of a move, from the folder of this package.
const SOURCES: [&str; 2] = ["src", "../../engine/src"];

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let mut hasher = DefaultHasher::new();
    for folder in SOURCES {
        println!("cargo::rerun-if-changed={folder}");
        add(&root.join(folder), &mut hasher);
    }
    println!("cargo::rustc-env=EVALUATOR={:016x}", hasher.finish());
}

/// Adds the names and the bytes of all files in a folder, in the order of their names.
fn add(path: &Path, hasher: &mut DefaultHasher) {
    if path.is_dir() {
        let mut paths: Vec<_> =
            fs::read_dir(path).expect("a folder").flatten().map(|file| file.path()).collect();
        paths.sort();
        return paths.iter().for_each(|path| add(path, hasher));
    }
    hasher.write(path.file_name().expect("a name").as_encoded_bytes());
    hasher.write(&fs::read(path).expect("a source"));
}
