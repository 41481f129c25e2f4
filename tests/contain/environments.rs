//! Bots that work in a shell also work in the sandbox, without options. The test builds each environment with the real
//! tools if they are installed.

use std::fs;
use std::process::{Command, Output};

use crate::program::words;

/// Environments between blank lines. The first line of each has its name, the programs without which there is no such
/// environment, and the bot's command, which prints `yes` with what it finds there. The other lines are a script for `sh`,
/// which builds it in the working directory, a project's folder in a home.
const ENVIRONMENTS: &str = r#"
a virtual environment | python3 | venv/bin/python bot.py
    python3 -m venv --without-pip venv && echo "said = 'yes'" >$(echo venv/lib/python3*/site-packages)/helper.py
    echo 'import helper; print(helper.said)' >bot.py

packages of pip install --user | python3 | python3 bot.py
    packages=$(HOME=$PWD/.. python3 -c 'import site; print(site.getusersitepackages())')
    mkdir -p "$packages" && echo "said = 'yes'" >"$packages/helper.py"
    echo 'import helper; print(helper.said)' >bot.py

a project with its sources beside the bot's folder | python3 | python3 build/bot.py
    mkdir -p src/package build && touch pyproject.toml && echo "said = 'yes'" >src/package/__init__.py
    echo 'import sys; sys.path.insert(0, sys.path[0] + "/../src"); import package; print(package.said)' >build/bot.py

an npm package in a folder above | node | node bots/mine/bot.js
    mkdir -p node_modules/helper bots/mine && echo "module.exports = 'yes'" >node_modules/helper/index.js
    echo "console.log(require('helper'))" >bots/mine/bot.js

a program that is a link | sh | bin/bot
    mkdir bin real && touch Makefile && echo yes >real/data && ln -s ../real/bot bin/bot
    echo '#!/bin/sh
    cat "$(dirname "$(readlink -f "$0")")/data"' >real/bot && chmod +x real/bot

a built program that reads the project's data | sh | build/../build/bot
    mkdir -p build data && touch CMakeLists.txt && echo yes >data/book
    echo '#!/bin/sh
    cat "${0%/*}/../data/book"' >build/bot && chmod +x build/bot

classes beside the jars of a project | java javac jar | java -cp classes:lib/helper.jar Main
    mkdir -p lib classes helper && echo 'public class Helper { public static String said = "yes"; }' >helper/Helper.java
    echo 'public class Main { public static void main(String[] a) { System.out.println(Helper.said); } }' >Main.java
    javac -d helper helper/Helper.java && jar cf lib/helper.jar -C helper Helper.class
    javac -cp lib/helper.jar -d classes Main.java

a program that Cargo has built | rustc | target/release/bot
    mkdir -p target/release assets && touch Cargo.toml && echo yes >assets/book
    echo 'fn main() { print!("{}", std::fs::read_to_string("assets/book").unwrap()); }' >main.rs
    RUSTUP_HOME=${RUSTUP_HOME:-$OWN_HOME/.rustup} rustc -o target/release/bot main.rs

a program that Go has built | go | ./bot
    export GOCACHE=$PWD/cache GOFLAGS=-mod=mod GO111MODULE=on && mkdir data && echo yes >data/book && echo 'module bot' >go.mod
    printf 'package main\nimport ("fmt"; "os")\nfunc main() { text, err := os.ReadFile("data/book"); if err != nil { panic(err) }; fmt.Print(string(text)) }\n' >main.go
    go build -o bot .

Ruby with files of a project and a library of its own | ruby | ruby bin/bot.rb
    mkdir -p bin lib && touch Gemfile && echo "SAID = 'yes'" >lib/helper.rb
    echo "require 'json'; require_relative '../lib/helper'; puts SAID" >bin/bot.rb

Lua with modules of a project | lua | lua bots/bot.lua
    mkdir -p bots lib && touch Makefile && echo "return 'yes'" >lib/helper.lua
    echo "package.path = 'lib/?.lua;' .. package.path; print((require('helper')))" >bots/bot.lua

PHP with the packages of Composer | php | php bots/bot.php
    mkdir -p bots vendor && echo '{}' >composer.json && echo '<?php const SAID = "yes";' >vendor/autoload.php
    echo '<?php require __DIR__ . "/../vendor/autoload.php"; echo SAID;' >bots/bot.php

packages of gem install --user-install | ruby gem | ruby bot.rb
    mkdir -p lib && echo "SAID = 'yes'" >lib/helper_gem.rb
    echo "Gem::Specification.new { |s| s.name = 'helper_gem'; s.version = '1'; s.summary = 's'; s.author = 'a'; s.files = ['lib/helper_gem.rb'] }" >helper.gemspec
    export HOME=$PWD/.. && gem build -q helper.gemspec >/dev/null 2>&1 && gem install -q --local --user-install --no-document helper_gem-1.gem >/dev/null
    rm -r lib helper* && echo "require 'json'; require 'helper_gem'; puts SAID" >bot.rb

packages of luarocks install --local | lua | lua bot.lua
    rocks=../.luarocks/share/lua/$(lua -e 'print((_VERSION:gsub(".* ", "")))') && mkdir -p "$rocks"
    echo "return 'yes'" >"$rocks/helper.lua" && echo "print((require('helper')))" >bot.lua

modules of cpanm --local-lib | perl | perl bot.pl
    mkdir -p ../perl5/lib/perl5 && echo "package Helper; sub said { 'yes' } 1;" >../perl5/lib/perl5/Helper.pm
    echo 'use Helper; print Helper::said();' >bot.pl

a virtual environment with numpy | python3 QUILT_INSTALLS | venv/bin/python bot.py
    python3 -m venv venv && HOME=$OWN_HOME venv/bin/pip install -q numpy
    echo 'import numpy; print("yes" if (numpy.eye(300) @ numpy.ones(300)).sum() == 300 else "no")' >bot.py

a project of uv | python3 QUILT_INSTALLS | .venv/bin/python bot.py
    python3 -m venv ../tools && HOME=$OWN_HOME ../tools/bin/pip install -q uv && touch pyproject.toml
    ../tools/bin/uv venv -q --offline && mkdir src && echo "said = 'yes'" >src/helper.py
    echo 'import sys; sys.path.insert(0, "src"); import helper; print(helper.said)' >bot.py
"#;

/// Stands for the permission to install packages, which the variable `QUILT_INSTALLS` gives.
const INSTALLS: &str = "QUILT_INSTALLS";

/// Returns true if this user can execute the program, or if packages may be installed.
fn is_there(program: &str) -> bool {
    if program == INSTALLS {
        return std::env::var_os(INSTALLS).is_some();
    }
    let script = format!(
        "command -v {program} >/dev/null && ({program} --version || {program} -version || {program} version || true) >/dev/null 2>&1"
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).env("JAVA_TOOL_OPTIONS", needs::JAVA_WITHOUT_FILES);
    shell.status().is_ok_and(|status| status.success())
}

/// Builds an environment and runs its bot in the sandbox. Returns what went wrong.
fn complaint(environment: &str) -> Option<String> {
    let (head, build) = environment.trim_start().split_once('\n').expect("a script");
    let head: Vec<&str> = head.split(" | ").collect();
    let [name, programs, command] = head[..] else { panic!("not the head of an environment: {head:?}") };
    let programs = words(programs);
    if !programs.iter().all(|program| is_there(program)) {
        let must_be_there = needs::is_ci() && !programs.contains(&INSTALLS);
        return must_be_there.then(|| format!("{name}: its programs are not installed"));
    }
    let home = tempfile::tempdir_in(needs::open_temp_dir()).expect("a scratch folder");
    let project = home.path().join("project");
    fs::create_dir(&project).expect("a folder");
    let own_home = std::env::var_os("HOME").unwrap_or_default();
    let run = |program: &str, args: &[&str]| {
        let mut command = Command::new(program);
        command.env("OWN_HOME", &own_home).env("JAVA_TOOL_OPTIONS", needs::JAVA_WITHOUT_FILES);
        command.args(args).current_dir(&project).env("HOME", home.path()).env_remove("PYTHONUSERBASE");
        command.output().expect("it starts")
    };
    let built = run("sh", &["-ec", build]);
    if !built.status.success() {
        return Some(format!("{name} is not built: {}", String::from_utf8_lossy(&built.stderr)));
    }
    let words = words(command);
    // In an active virtual environment, for example, Python has no packages of the user.
    let says_yes = |output: &Output| String::from_utf8_lossy(&output.stdout).trim() == "yes";
    if !words[0].contains('/') && !needs::is_ci() && !says_yes(&run(words[0], &words[1..])) {
        return None;
    }
    let output = run(env!("CARGO_BIN_EXE_arena"), &[&["run", "--"], &words[..]].concat());
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (!says_yes(&output)).then(|| format!("{name}: {} {stdout:?} {stderr}", output.status))
}

#[test]
fn bots_find_what_their_environment_has() {
    let wrong: Vec<String> = ENVIRONMENTS.split("\n\n").filter_map(complaint).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
