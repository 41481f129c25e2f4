//! `arena completions`: files that make the installed program easier to use.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum, ValueHint};
use clap_complete::Shell;

use crate::report::output::{print, say};
use referee::error::Error;
use tournament::report::words::count;

/// A shell with completions.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ShellName {
    Bash,
    Zsh,
    Fish,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: arena completions bash >~/.local/share/bash-completion/completions/arena")]
pub(crate) struct CompletionsArgs {
    /// Print the completions of this shell
    #[arg(value_enum, required_unless_present = "man")]
    shell: Option<ShellName>,
    /// Write the man pages to this folder, such as ~/.local/share/man/man1
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "shell")]
    man: Option<PathBuf>,
}

/// Prints the completions of a shell for the program with this command line, or writes its man pages.
pub(crate) fn run(args: &CompletionsArgs, program: clap::Command) -> Result<(), Error> {
    args.shell.into_iter().try_for_each(|shell| completions(shell, program.clone()))?;
    args.man.iter().try_for_each(|dir| man(dir, program.clone()))
}

fn completions(name: ShellName, mut program: clap::Command) -> Result<(), Error> {
    let shell = match name {
        ShellName::Bash => Shell::Bash,
        ShellName::Zsh => Shell::Zsh,
        ShellName::Fish => Shell::Fish,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut program, "arena", &mut script);
    let mut script = String::from_utf8(script).expect("names of options are UTF-8");
    if matches!(name, ShellName::Fish) {
        script.extend(program.get_subcommands().flat_map(positional_values));
    }
    print(&script)
}

/// Returns the lines that complete the values of arguments without an option in fish, which `clap_complete` leaves out.
fn positional_values(command: &clap::Command) -> impl Iterator<Item = String> {
    let name = command.get_name();
    command.get_positionals().filter_map(move |arg| {
        let values: Vec<String> =
            arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
        let words = values.join(" ");
        (!values.is_empty()).then(|| {
            format!("complete -c arena -n \"__fish_arena_using_subcommand {name}\" -f -a \"{words}\"\n")
        })
    })
}

/// Writes a page for the program and one for each command.
fn man(dir: &Path, program: clap::Command) -> Result<(), Error> {
    let unwritable = |error: std::io::Error| Error::unwritable(dir, &error);
    std::fs::create_dir_all(dir).map_err(unwritable)?;
    let pages = program.get_subcommands().count() as u64 + 1;
    clap_mangen::generate_to(program, dir).map_err(unwritable)?;
    say(&format!("{} are in {}", count(pages, "page"), dir.display()));
    Ok(())
}
