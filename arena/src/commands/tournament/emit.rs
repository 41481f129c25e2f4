//! `--emit`: a script that plays all shards of a tournament on a cluster. Users can read and edit it.
//!
//! Variables at the top describe the tournament. The rest of the script is the same for all tournaments.

use std::ffi::OsString;
use std::path::Path;

use crate::setup::args::{Engine, TournamentArgs};
use crate::setup::asked::{Asked, InShards};
use referee::bots::entrants::own_executable;
use referee::error::Error;
use referee::for_game;

/// The number of cores of a shard without `--jobs`.
const CORES_DEFAULT: u64 = 4;

const SLURM: &str = include_str!("slurm.sh");
const PARALLEL: &str = include_str!("parallel.sh");

/// Returns the script.
///
/// # Errors
/// The options or the league file are wrong or cannot be played in shards, or a name is not UTF-8.
pub(super) fn script(engine: Engine, shards: u64, args: TournamentArgs) -> Result<String, Error> {
    let (mut options, typed_seed) = carried(std::env::args_os().skip(2))?;
    let request = Asked::new(args)?;
    let InShards { seed, out_given, out, cores } = for_game!(request.game()?, G => request.in_shards::<G>())?;
    let out = utf8(out.into_os_string())?;
    // The seed is in the environment, because every user can read command lines, and the seed reveals all
    // deals.
    let seed = typed_seed.or(seed.map(|seed| seed.to_string()));
    let seed =
        seed.map_or_else(String::new, |seed| format!("export ARENA_SEED={}\n", shell_words::quote(&seed)));
    if !out_given {
        options.extend(["--out".to_owned(), out.clone()]);
    }
    let folder = std::env::current_dir().map_err(|error| Error::unreadable(Path::new("."), &error))?;
    let head = match engine {
        Engine::Slurm => slurm_head(shards, cores.unwrap_or(CORES_DEFAULT)),
        Engine::Parallel => String::new(),
    };
    let settings = [
        ("folder", shell_words::quote(&utf8(folder.into_os_string())?).into_owned()),
        ("arena", shell_words::quote(&own_executable()?).into_owned()),
        ("out", shell_words::quote(&out).into_owned()),
        ("options", format!("({})", shell_words::join(&options))),
        ("shards", shards.to_string()),
    ];
    let settings: String = settings.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
    let body = match engine {
        Engine::Slurm => SLURM,
        Engine::Parallel => PARALLEL,
    };
    Ok(format!("#!/bin/bash\n{head}{settings}{seed}{body}"))
}

/// Returns the lines of the script that Slurm reads.
fn slurm_head(shards: u64, cores: u64) -> String {
    let last = shards - 1;
    format!(
        "#SBATCH --job-name=arena\n\
         #SBATCH --array=0-{last}\n\
         #SBATCH --requeue\n\
         #SBATCH --ntasks=1 --cpus-per-task={cores} --hint=nomultithread\n\
         #SBATCH --signal=TERM@60\n\
         #SBATCH --output=/dev/null\n\
         # Add what your site wants to know, such as --partition, --account, --time, --mem.\n\n"
    )
}

/// Returns the options for the shards, and the value of `--seed`. Leaves out `--emit` and `--shards`.
fn carried(args: impl Iterator<Item = OsString>) -> Result<(Vec<String>, Option<String>), Error> {
    let own = ["--emit", "--shards"];
    let (mut kept, mut seed, mut args) = (Vec::new(), None, args);
    while let Some(word) = args.next() {
        let word = utf8(word)?;
        if own.contains(&word.as_str()) {
            args.next(); // its value
        } else if word == "--seed" {
            seed = args.next().map(utf8).transpose()?;
        } else if let Some(value) = word.strip_prefix("--seed=") {
            seed = Some(value.to_owned());
        } else if !word.split_once('=').is_some_and(|(name, _)| own.contains(&name)) {
            kept.push(word);
        }
    }
    Ok((kept, seed))
}

fn utf8(text: OsString) -> Result<String, Error> {
    text.into_string().map_err(|text| Error::usage(format!("{text:?} is not UTF-8, and a script must be")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_other_option_is_carried_as_it_is() {
        let given =
            ["a b.toml", "--emit", "slurm", "--bot", "x=sh 'y z'", "--shards=20", "--seed", "7", "--quiet"];
        let (kept, seed) = carried(given.into_iter().map(OsString::from)).unwrap();
        assert_eq!(kept, ["a b.toml", "--bot", "x=sh 'y z'", "--quiet"]);
        assert_eq!(seed.as_deref(), Some("7"));
        assert_eq!(carried(["--seed=8".into()].into_iter()).unwrap(), (Vec::new(), Some("8".to_owned())));
    }
}
