//! The rules as a crate for Rust bots.
//!
//! The crate contains the folder `engine/` from the build of this program. Its manifest does not need the
//! workspace.

use include_dir::{Dir, include_dir};
use toml::{Table, Value};

/// The path of the rules in a bot's manifest: in this repository, and in the bot's own folder.
pub(super) const PATHS: [&str; 2] = ["../../../engine", "engine"];

/// The folders of the crate. The Python package beside them is a crate of its own.
static FOLDERS: [(&str, Dir<'_>); 3] = [
    ("src", include_dir!("$CARGO_MANIFEST_DIR/../engine/src")),
    ("data", include_dir!("$CARGO_MANIFEST_DIR/../engine/data")),
    ("examples", include_dir!("$CARGO_MANIFEST_DIR/../engine/examples")),
];
const README: &str = include_str!("../../../engine/README.md");
const MANIFEST: &str = include_str!("../../../engine/Cargo.toml");
const WORKSPACE: &str = include_str!("../../../Cargo.toml");

/// Returns all files, each with its path below the folder and its contents.
pub(super) fn files() -> Vec<(String, String)> {
    let mut found =
        vec![("Cargo.toml".to_owned(), stand_alone(MANIFEST)), ("README.md".to_owned(), README.to_owned())];
    FOLDERS.iter().for_each(|(name, dir)| collect(name, dir, &mut found));
    found
}

fn collect(name: &str, dir: &Dir<'_>, found: &mut Vec<(String, String)>) {
    for file in dir.files() {
        let text = file.contents_utf8().expect("sources and data are text").to_owned();
        found.push((format!("{name}/{}", file.path().display()), text));
    }
    dir.dirs().for_each(|dir| collect(name, dir, found));
}

/// Returns the manifest with all inherited values inserted. Removes tests and lints.
fn stand_alone(manifest: &str) -> String {
    let read = |text: &str| text.parse::<Table>().expect("manifests that were built from can be read");
    let (mut manifest, root) = (read(manifest), read(WORKSPACE));
    for inherited in ["test", "lints", "dev-dependencies"] {
        manifest.remove(inherited);
    }
    for table in ["package", "dependencies"] {
        let entries = manifest.get_mut(table).and_then(Value::as_table_mut).expect("every manifest has it");
        for (name, entry) in entries.iter_mut() {
            if let Some(inherited) = root["workspace"][table].get(name) {
                write_out(entry, inherited);
            }
        }
    }
    manifest.to_string()
}

/// Replaces `workspace = true` by the value from the workspace, and keeps the entry's other keys.
fn write_out(entry: &mut Value, inherited: &Value) {
    let Some(own) = entry.as_table_mut().filter(|own| own.contains_key("workspace")) else { return };
    let mut own = std::mem::take(own);
    own.remove("workspace");
    *entry = match inherited {
        inherited if own.is_empty() => inherited.clone(),
        Value::Table(inherited) => Value::Table(inherited.clone().into_iter().chain(own).collect()),
        version => {
            let version = ("version".to_owned(), version.clone());
            Value::Table(std::iter::once(version).chain(own).collect())
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_stand_on_their_own() {
        let files = files();
        let text = |wanted: &str| &files.iter().find(|(path, _)| path == wanted).unwrap().1;
        assert!(text("src/lib.rs").contains("pub mod game"));
        assert!(text("data/doodle-standard.json").contains("\"starts\""));
        assert!(!files.iter().any(|(path, _)| path.contains("python")));
        let manifest = text("Cargo.toml");
        assert!(!manifest.contains("workspace") && !manifest.contains("[test]"), "{manifest}");
        assert!(manifest.contains("serde_json") && manifest.contains("edition = \"2024\""), "{manifest}");
    }
}
