//! The structure of the code: the imports of a crate form no circle, the top of each crate is small, and no crate grows
//! beyond its ceiling.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The crates of the project.
const CRATES: [&str; 10] = [
    "engine",
    "engine/python",
    "arena/sandbox",
    "arena/picture",
    "arena/stats",
    "arena/referee",
    "arena/tournament",
    "arena/web",
    "arena",
    "bots/rust",
];
/// Maximum number of files and folders at the top of a `src/`, not counting `lib.rs` and `main.rs`.
const TOP_ENTRIES_MAX: usize = 10;

/// The code lines of the project: without tests, comments, blank lines, and imports, and without `arena/bench`. The number
/// rises only by that of an issue, when the issue begins. What it did not need is taken back when it ends.
const CODE_LINES: usize = 48324 + 707 + 1201 + 1195 + 884 + 595 + 249 + 1031 + 3142 + 942; // issues 88 to 91, with 207, 101, 95, and 184 more than they had, 92, 93 with 49 more, 94 with 131, 95 with 842, and 96 with 242, some of them of examples

/// The code lines of each part, which are those of the project together: a folder, the endings of its files, and the number.
/// Lower it when you delete code. A part may grow by what another one loses.
const PARTS: [(&str, &[&str], usize); 12] = [
    ("engine/src", &["rs"], 5190),
    ("engine/python", &["rs"], 2464),
    ("engine/python", &["py", "pyi"], 1062),
    ("arena/sandbox", &["rs"], 7040),
    ("arena/picture", &["rs"], 227),
    ("arena/stats", &["rs"], 1734),
    ("arena/referee", &["rs"], 5483),
    ("arena/tournament", &["rs"], 9355),
    ("arena/web", &["rs"], 4676),
    ("arena/web", &["js", "css"], 4222),
    ("arena/src", &["rs", "sh"], 13595),
    ("bots/rust", &["rs"], 3222),
];

/// The most public items of the published crates. Issue 91 added the search for the best numbers to `arena/stats`, issue 95 the
/// mark of a contest to `arena/sandbox`.
const PUBLIC_ITEMS: [(&str, usize); 3] = [("engine", 363), ("arena/sandbox", 186), ("arena/stats", 93)];

/// A path of modules or names from the root of a crate.
type Names = Vec<String>;

/// The module files of a crate.
#[derive(Default)]
struct Crate {
    /// The source of each module, without comments and unit tests.
    modules: BTreeMap<Names, String>,
    /// The names that each module re-exports, with their origins.
    reexports: BTreeMap<Names, BTreeMap<String, Names>>,
}

fn top(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder).join("src")
}

impl Crate {
    fn read(folder: &str) -> Crate {
        let mut read = Crate::default();
        read.add(&top(folder), &Names::new());
        let modules: Vec<(Names, String)> = read.modules.clone().into_iter().collect();
        for (module, text) in &modules {
            for (path, name, is_public) in uses(text) {
                if is_public && let Some(path) = read.absolute(module, &path) {
                    read.reexports.entry(module.clone()).or_default().insert(name, path);
                }
            }
        }
        read
    }

    fn add(&mut self, folder: &Path, module: &Names) {
        for entry in fs::read_dir(folder).expect("a folder of sources").flatten() {
            let path = entry.path();
            let stem = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
            let inner: Names = module.iter().cloned().chain([stem.clone()]).collect();
            if path.is_dir() {
                self.add(&path, &inner);
            } else if path.extension().is_some_and(|end| end == "rs") && stem != "main" && stem != "tests" {
                let name = if ["lib", "mod"].contains(&stem.as_str()) { module.clone() } else { inner };
                self.modules.insert(name, code(&fs::read_to_string(&path).expect("a source")));
            }
        }
    }

    /// Returns a path in a module as a path from the root of the crate, or `None` for another crate.
    fn absolute(&self, module: &Names, path: &[String]) -> Option<Names> {
        let mut base = module.clone();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => base.clear(),
            "self" => {}
            "super" => {
                base.pop();
                while rest.get(1).is_some_and(|name| name == "super") {
                    base.pop();
                    rest = &rest[1..];
                }
            }
            first => {
                let is_own =
                    |base: &Names| self.modules.contains_key(&[&base[..], &[first.to_owned()]].concat());
                return is_own(&base).then(|| [&base[..], path].concat());
            }
        }
        Some([&base[..], &rest[1..]].concat())
    }

    /// Returns the module that defines the item at this path.
    fn home(&self, path: &[String]) -> Names {
        let mut module = Names::new();
        for (place, name) in path.iter().enumerate() {
            let inner: Names = module.iter().cloned().chain([name.clone()]).collect();
            if self.modules.contains_key(&inner) {
                module = inner;
            } else if let Some(from) = self.reexports.get(&module).and_then(|names| names.get(name)) {
                let rest: Names = from.iter().chain(&path[place + 1..]).cloned().collect();
                return if rest == path { module } else { self.home(&rest) };
            } else {
                return module;
            }
        }
        module
    }

    /// Returns the module whose file a path names, even if the item there is re-exported from elsewhere.
    fn named(&self, path: &[String]) -> Names {
        let mut modules = (0..=path.len()).rev().map(|length| path[..length].to_vec());
        modules.find(|module| self.modules.contains_key(module)).unwrap_or_default()
    }

    /// Returns the modules from which each module takes names: those in its paths, which a reader opens, and those that
    /// define the items. What a module re-exports from within itself is an arrow only for a `reader`, who opens
    /// the one to get to the other.
    fn arrows(&self, reader: bool) -> BTreeMap<Names, BTreeSet<Names>> {
        let mut arrows: BTreeMap<Names, BTreeSet<Names>> = BTreeMap::new();
        for (module, text) in &self.modules {
            let private = paths(text).into_iter().map(|path| (path, false));
            let used = uses(text).into_iter().map(|(path, _, is_public)| (path, is_public));
            for (path, is_public) in used.chain(private) {
                let Some(path) = self.absolute(module, &path) else { continue };
                let is_own = |to: &Names| !reader && is_public && to.starts_with(module);
                let is_arrow = |to: &Names| to != module && !is_own(to);
                let ends = [self.named(&path), self.home(&path)].into_iter().filter(is_arrow);
                arrows.entry(module.clone()).or_default().extend(ends);
            }
        }
        arrows
    }
}

/// Returns a source without comments and without everything after the start of its unit tests.
fn code(text: &str) -> String {
    let is_tests = |place: &usize| {
        text[*place..].lines().nth(1).is_some_and(|line| line.contains("mod ") && line.ends_with('{'))
    };
    let end = text.match_indices("#[cfg(test)]").map(|(place, _)| place).find(is_tests);
    let text = &text[..end.unwrap_or(text.len())];
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns every name that `use` lines import: its path, its local name, and whether it is re-exported.
fn uses(text: &str) -> Vec<(Names, String, bool)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(place) = rest.find("use ") {
        let before = rest[..place].rsplit('\n').next().unwrap_or_default().trim();
        let Some(end) = rest[place..].find(';') else { break };
        let tree = &rest[place + 4..place + end];
        if before.is_empty() || before.starts_with("pub") {
            flatten(tree.trim(), &Names::new(), before.starts_with("pub"), &mut found);
        }
        rest = &rest[place + end..];
    }
    found
}

/// Splits `a::{b, c as d}` into two paths.
fn flatten(tree: &str, prefix: &Names, is_public: bool, found: &mut Vec<(Names, String, bool)>) {
    let tree = tree.trim().trim_start_matches("::");
    if let Some(inner) = tree.strip_prefix('{') {
        let Some(inner) = inner.strip_suffix('}') else { return };
        let (mut depth, mut from) = (0, 0);
        for (place, letter) in inner.char_indices().chain([(inner.len(), ',')]) {
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    if !inner[from..place].trim().is_empty() {
                        flatten(&inner[from..place], prefix, is_public, found);
                    }
                    from = place + 1;
                }
                _ => {}
            }
        }
        return;
    }
    if let Some((first, rest)) = tree.split_once("::") {
        let prefix: Names = prefix.iter().cloned().chain([first.trim().to_owned()]).collect();
        return flatten(rest, &prefix, is_public, found);
    }
    let (name, here) = tree.split_once(" as ").unwrap_or((tree, tree));
    let mut path = prefix.clone();
    if name.trim() != "self" && name.trim() != "*" {
        path.push(name.trim().to_owned());
    }
    found.push((path, here.trim().to_owned(), is_public));
}

/// Returns the paths outside of `use` lines that begin with `crate::` or `super::`.
fn paths(text: &str) -> Vec<Names> {
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    let words = text.split(|letter: char| !is_name(letter));
    let starts = |word: &&str| word.starts_with("crate::") || word.starts_with("super::");
    words
        .filter(starts)
        .map(|word| word.trim_end_matches(':').split("::").map(str::to_owned).collect())
        .collect()
}

/// Returns every module that imports reach from this one.
fn reached(from: &Names, arrows: &BTreeMap<Names, BTreeSet<Names>>) -> BTreeSet<Names> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from.clone()]);
    while let Some(module) = open.pop() {
        for next in arrows.get(&module).into_iter().flatten() {
            if seen.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    seen
}

/// Returns the circles of imports, each once.
fn circles(arrows: &BTreeMap<Names, BTreeSet<Names>>) -> BTreeSet<BTreeSet<&Names>> {
    let of = |module: &Names| {
        let after = reached(module, arrows);
        let is_back = |other: &&Names| after.contains(*other) && reached(other, arrows).contains(module);
        after.contains(module).then(|| arrows.keys().filter(is_back).collect())
    };
    arrows.keys().filter_map(of).collect()
}

/// Formats the imports within a circle.
fn shown(folder: &str, circle: &BTreeSet<&Names>, arrows: &BTreeMap<Names, BTreeSet<Names>>) -> String {
    let name = |module: &Names| format!("{folder} {}", module.join("::"));
    let within = |from: &&Names| {
        let to = arrows[*from].iter().filter(|to| circle.contains(to)).map(name);
        format!("  {} -> {}", name(from), to.collect::<Vec<_>>().join(", "))
    };
    circle.iter().map(within).collect::<Vec<_>>().join("\n")
}

#[test]
fn imports_run_one_way() {
    let mut all = Vec::new();
    for folder in CRATES {
        let read = Crate::read(folder);
        let arrows = read.arrows(false);
        assert!(arrows.len() > 2 || read.modules.len() == 1, "{folder}: hardly any imports were found");
        all.extend(circles(&arrows).iter().map(|circle| shown(folder, circle, &arrows)));
    }
    assert!(all.is_empty(), "circles of imports:\n{}", all.join("\n\n"));
}

/// A module and what it re-exports from within itself may name each other. No other file is between them.
#[test]
fn who_opens_files_one_after_the_other_stays_in_a_folder() {
    let mut all = Vec::new();
    for folder in CRATES {
        let mut arrows = Crate::read(folder).arrows(true);
        arrows.remove(&Names::new()); // the root re-exports from everywhere
        let is_wide = |circle: &&BTreeSet<&Names>| {
            circle.iter().map(|module| &module[0]).collect::<BTreeSet<_>>().len() > 1
        };
        all.extend(circles(&arrows).iter().filter(is_wide).map(|circle| shown(folder, circle, &arrows)));
    }
    assert!(all.is_empty(), "circles over several folders:\n{}", all.join("\n\n"));
}

/// A command is a file or a folder in `commands`. What two commands need is elsewhere, and knows no command.
#[test]
fn no_command_imports_another_one() {
    let command = |module: &Names| module.get(1).filter(|_| module[0] == "commands").cloned();
    let is_top = |module: &Names| module.is_empty() || *module == ["cli"] || *module == ["commands"];
    let mut wrong = Vec::new();
    for (from, to) in Crate::read("arena").arrows(false) {
        let to: Vec<String> = to.iter().filter(|to| !to.is_empty()).filter_map(command).collect();
        let others = to.iter().filter(|to| Some(*to) != command(&from).as_ref());
        wrong.extend(others.filter(|_| !is_top(&from)).map(|to| format!("{} -> {to}", from.join("::"))));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_top_of_a_crate_is_small() {
    for folder in CRATES {
        let entries = fs::read_dir(top(folder)).expect("sources").flatten();
        let names: BTreeSet<String> = entries
            .map(|entry| {
                entry.path().with_extension("").file_name().expect("a name").to_string_lossy().into_owned()
            })
            .collect();
        let names: Vec<&String> =
            names.iter().filter(|name| !["lib", "main"].contains(&name.as_str())).collect();
        assert!(names.len() <= TOP_ENTRIES_MAX, "{folder}/src has {} entries: {names:?}", names.len());
    }
}

/// Returns the sources with these endings in a folder, without tests, other packages below it, virtual environments, and
/// build output.
fn sources(folder: &Path, endings: &[&str]) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of a crate").flatten() {
        let path = entry.path();
        let name = entry.file_name();
        if path.extension().is_some_and(|end| endings.iter().any(|ending| end == *ending))
            && name != "tests.rs"
        {
            let text = fs::read_to_string(&path).expect("a source");
            found.push((path, text));
        } else if path.is_dir()
            && !["tests", "target", ".venv"].iter().any(|other| name == *other)
            && !path.join("Cargo.toml").exists()
        {
            found.extend(sources(&path, endings));
        }
    }
    found
}

/// Counts the lines of a source that are no comment, no import, no unit test, and not blank.
fn code_lines((path, text): &(PathBuf, String)) -> usize {
    const RUST: &[(&str, &str)] =
        &[("use ", ";"), ("pub use ", ";"), ("pub(crate) use ", ";"), ("pub(super) use ", ";")];
    const PAGES: &[(&str, &str)] = &[("import ", ";"), ("/*", "*/")];
    const PYTHON: &[(&str, &str)] = &[("from ", ""), ("import ", ""), ("\"\"\"", "\"\"\"")];
    let (left_out, comment) = match path.extension().and_then(|end| end.to_str()) {
        Some("rs") => (RUST, "//"),
        Some("js" | "css") => (PAGES, "//"),
        _ => (PYTHON, "#"),
    };
    let text = if comment == "//" { code(text) } else { text.clone() };
    let mut until = None;
    let is_code = |line: &str| {
        if let Some(end) = until {
            until = until.filter(|_| !line.contains(end));
            return false;
        }
        let begun = left_out.iter().find(|(start, _)| line.starts_with(start));
        until = begun.and_then(|(start, end)| {
            let end = if line.ends_with('(') { ")" } else { end };
            (!line[start.len()..].contains(end)).then_some(end)
        });
        begun.is_none() && !line.is_empty() && !line.starts_with(comment)
    };
    text.lines().map(str::trim).map(is_code).filter(|is_code| *is_code).count()
}

/// Counts the public items of a source by its text: the lines before the unit tests that begin with `pub` and the
/// keyword of an item, and each `#[macro_export]`. Methods count, and fields, variants, and re-exports do not. An item
/// in a private module counts too, but `unreachable_pub` allows none there that is not re-exported.
fn public_items(text: &str) -> usize {
    const KEYWORDS: [&str; 10] =
        ["fn", "struct", "enum", "trait", "const", "type", "mod", "static", "async", "unsafe"];
    let is_item = |line: &&str| {
        let line = line.trim_start();
        let rest = line.strip_prefix("pub ").and_then(|rest| rest.split(' ').next());
        line.starts_with("#[macro_export]") || rest.is_some_and(|word| KEYWORDS.contains(&word))
    };
    code(text).lines().filter(is_item).count()
}

#[test]
fn the_code_stays_below_its_ceilings() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut above = Vec::new();
    for (folder, endings, max) in PARTS {
        let lines: usize = sources(&top.join(folder), endings).iter().map(code_lines).sum();
        if lines > max {
            above.push(format!(
                "{folder} has {lines} code lines of {}, at most {max} are allowed",
                endings.join(", ")
            ));
        }
    }
    for (folder, max) in PUBLIC_ITEMS {
        let items: usize =
            sources(&top.join(folder), &["rs"]).iter().map(|(_, text)| public_items(text)).sum();
        if items > max {
            above.push(format!("{folder} has {items} public items, at most {max} are allowed"));
        }
    }
    assert!(above.is_empty(), "{}\ndelete code, or see PARTS in tests/structure.rs", above.join("\n"));
    assert_eq!(
        PARTS.iter().map(|(.., lines)| lines).sum::<usize>(),
        CODE_LINES,
        "PARTS do not make CODE_LINES"
    );
}

/// The workspace of `arena/bench` builds what it measures as the program is built.
#[test]
fn what_is_measured_is_built_like_the_program() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |file: &str| -> toml::Table {
        let text = fs::read_to_string(top.join(file)).expect("a file of this repository");
        text.parse().expect("TOML")
    };
    let [ours, theirs] = ["Cargo.toml", "arena/bench/Cargo.toml"].map(read);
    for profile in ["release", "dist"] {
        assert_eq!(theirs["profile"][profile], ours["profile"][profile], "{profile}");
    }
    let [ours, theirs] =
        ["Cargo.lock", "arena/bench/Cargo.lock"].map(|file| -> BTreeMap<String, BTreeSet<String>> {
            let lock = read(file);
            let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
            for package in lock["package"].as_array().expect("packages") {
                let word = |key: &str| package[key].as_str().expect("a word").to_owned();
                versions.entry(word("name")).or_default().insert(word("version"));
            }
            versions
        });
    assert!(theirs.contains_key("quilt-arena"));
    for (name, versions) in &theirs {
        let Some(known) = ours.get(name) else { continue };
        assert!(versions.is_subset(known), "{name}: {versions:?} instead of {known:?}");
    }
}
