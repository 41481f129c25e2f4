//! Packages that the user has installed. Programs usually need them although no command names them.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

/// An environment variable that tells a runtime where packages of the user are. A bot has another home, so it also gets
/// the value that the runtime assumes.
struct Variable {
    name: &'static str,
    /// The value if the user has not set the variable: these texts, joined. `~` stands for the home, `*` for each name
    /// in the folder before it. Texts that name no existing folder are left out.
    default: &'static [&'static str],
    /// A text after the last of them.
    end: &'static str,
    /// The parts of each folder in the value that a bot may read. The others may hold keys. If there are none, the bot
    /// may read the whole folder of the default, and all but hidden entries of a folder that the user names.
    parts: &'static [&'static str],
}

/// The parts of a folder of gems.
const GEMS: &[&str] = &["gems", "specifications", "extensions", "bundler"];
/// The parts of an installation of .NET and of Java.
const DOTNET: &[&str] = &["host", "shared", "sdk", "packs"];
const JAVA: &[&str] = &["bin", "lib", "conf", "jre"];

const VARIABLES: [Variable; 17] = [
    // pip install --user
    Variable { parts: &["lib/*/site-packages"], ..with_default("PYTHONUSERBASE", &["~/.local"], "") },
    // gem install --user-install. The colon at the end stands for Ruby's own folders.
    Variable {
        parts: GEMS,
        ..with_default("GEM_PATH", &["~/.local/share/gem/ruby/*:", "~/.gem/ruby/*:"], "")
    },
    Variable { parts: GEMS, ..with_default("GEM_HOME", &[], "") },
    // luarocks install --local. Two semicolons stand for Lua's own folders.
    with_default(
        "LUA_PATH_5_4",
        &["~/.luarocks/share/lua/5.4/?.lua;~/.luarocks/share/lua/5.4/?/init.lua;"],
        ";",
    ),
    with_default("LUA_CPATH_5_4", &["~/.luarocks/lib/lua/5.4/?.so;"], ";"),
    with_default(
        "LUA_PATH_5_3",
        &["~/.luarocks/share/lua/5.3/?.lua;~/.luarocks/share/lua/5.3/?/init.lua;"],
        ";",
    ),
    with_default("LUA_CPATH_5_3", &["~/.luarocks/lib/lua/5.3/?.so;"], ";"),
    with_default("LUA_PATH", &[], ""),
    with_default("LUA_CPATH", &[], ""),
    // cpanm --local-lib
    with_default("PERL5LIB", &["~/perl5/lib/perl5"], ""),
    // Programs of .NET that were built and not published
    with_default("NUGET_PACKAGES", &["~/.nuget/packages"], ""),
    with_default("PYTHONPATH", &[], ""),
    with_default("NODE_PATH", &[], ""),
    with_default("RUBYLIB", &[], ""),
    with_default("CLASSPATH", &[], ""),
    Variable { parts: JAVA, ..with_default("JAVA_HOME", &[], "") },
    Variable { parts: DOTNET, ..with_default("DOTNET_ROOT", &[], "") },
];

const fn with_default(name: &'static str, default: &'static [&'static str], end: &'static str) -> Variable {
    Variable { name, default, end, parts: &[] }
}

/// The value of a variable, and the files and folders that it opens.
pub(super) struct Packages {
    name: &'static str,
    value: String,
    pub(super) paths: Vec<PathBuf>,
    /// True if the bot may read these folders whole.
    pub(super) are_whole: bool,
}

impl Variable {
    /// Returns the packages that this variable names on this machine, if there are any.
    fn packages(&self) -> Option<Packages> {
        let own = env::var(self.name).ok().filter(|value| !value.is_empty());
        let are_whole = own.is_none() || !self.parts.is_empty();
        let value = own.unwrap_or_else(|| {
            let texts = self.default.iter().flat_map(|text| expanded(text));
            texts.filter(|text| !self.paths(text).is_empty()).collect::<String>() + self.end
        });
        let paths = self.paths(&value);
        (!paths.is_empty()).then_some(Packages { name: self.name, value, paths, are_whole })
    }

    /// Returns the existing files and folders that the value names with absolute paths.
    fn paths(&self, value: &str) -> Vec<PathBuf> {
        let named = value.split([':', ';']).map(|part| part.split('?').next().unwrap_or_default());
        let named = named.map(|part| part.trim_end_matches("/*")).filter(|part| part.starts_with('/'));
        let parts = |part: &str| match self.parts {
            [] => vec![part.to_owned()],
            parts => parts.iter().flat_map(|below| expanded(&format!("{part}/{below}"))).collect(),
        };
        named.flat_map(parts).map(PathBuf::from).filter(|path| path.exists()).collect()
    }
}

/// Returns the text with the home in place of `~`: once for each name that can stand for `*`, in the order of names.
fn expanded(text: &str) -> Vec<String> {
    let home = if text.contains('~') { env::var("HOME").unwrap_or_default() } else { String::new() };
    let text = text.replace('~', &home);
    let Some((folder, _)) = text.split_once('*') else { return vec![text] };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable();
    names.iter().map(|name| text.replace('*', name)).collect()
}

/// The packages on this machine. Looked up once, because every start of a program needs them.
pub(super) static OF_USER: LazyLock<Vec<Packages>> =
    LazyLock::new(|| VARIABLES.iter().filter_map(Variable::packages).collect());

/// Returns the environment variables that tell runtimes about packages of the user.
pub(crate) fn variables() -> impl Iterator<Item = (String, String)> {
    OF_USER.iter().map(|packages| (packages.name.to_owned(), packages.value.clone()))
}
