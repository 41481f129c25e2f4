//! Starts every bot once before the first match, and says why one cannot start.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use engine::wire::{FaultKind, Hello};
use futures_util::future::join_all;

use crate::bots::bundled;
use crate::bots::diagnosis::{Heard, diagnose};
use crate::bots::entrants::{Entrant, bundled_names};
use crate::bots::held::Guard;
use crate::bots::identity::Identity;
use crate::bots::names::{did_you_mean, impression};
use crate::error::Error;
use crate::play::answer::read_hello;
use crate::play::time_control::TimeControl;
use crate::play::{hello_line, quit_line};
use crate::seats::fault::{Owed, of_process};
use sandbox::{BotProcess, Command, Failure, Host, SpawnError, is_shim};

/// The time that a bot has to exit after `quit`.
pub const QUIT_GRACE: Duration = Duration::from_secs(1);

/// Greetings of bots that have started, by their descriptions with the digests of the files in their folders and of those
/// that their commands name. Nothing tells of other changes, such as those of installed modules.
pub type Greetings = HashMap<String, Hello>;

/// Starts every bot once, reads its `hello`, and stops it again. A missing interpreter is thus an error
/// before the first match, and not a series of losses.
///
/// Completes the identities with missing names, versions, and digests. Returns the reason why a bot cannot start, does
/// not greet, or names itself like another one. If a shim started a bot, later starts run the shim's target directly.
/// `table` has the limits of bots without limits of their own. `recorded` has the bots of the tournament that goes on,
/// with their files. `guard` says what is done about their files. A bot whose greeting is `known` is not started, and
/// the greetings of others join them.
pub async fn preflight(
    entrants: &mut [Entrant],
    host: &Host,
    table: TimeControl,
    recorded: &[Identity],
    guard: &Guard,
    known: &mut Greetings,
) -> Vec<Result<(), Error>> {
    if let Err(error) = guard.take(entrants, recorded).await {
        return vec![Err(error)];
    }
    let hello = hello_line();
    let limit = |entrant: &Entrant| entrant.identity.limits.at(table).startup;
    let described: Vec<Option<String>> = entrants.iter().map(described).collect();
    let greetings = entrants.iter().zip(&described).map(async |(entrant, described)| {
        match described.as_ref().and_then(|described| known.get(described)) {
            Some(hello) => Ok((hello.clone(), None)),
            None => greet(entrant, host, &hello, limit(entrant)).await,
        }
    });
    let greetings = join_all(greetings).await;
    for (described, greeting) in described.into_iter().zip(&greetings) {
        if let (Some(described), Ok((hello, _))) = (described, greeting) {
            known.insert(described, hello.clone());
        }
    }
    let named = entrants.iter().map(|entrant| entrant.identity.name.clone());
    let named = named.filter(|name| !name.is_empty());
    let mut impressions: BTreeMap<String, String> = named.map(|name| (impression(&name), name)).collect();
    let identify = |(entrant, greeting): (&mut Entrant, Result<_, Error>)| {
        let (greeting, direct): (Hello, Option<Command>) = greeting?;
        if entrant.identity.name.is_empty() {
            entrant.rename(entrant.own_name(&greeting));
            let name = &entrant.identity.name;
            let other = impressions.entry(impression(name)).or_insert_with(|| name.clone());
            if name != other {
                return Err(Error::usage(format!(
                    "{:?} names itself {name:?}, like {other:?}",
                    entrant.identity.command
                ))
                .hint("give it another name, with --bot NAME=COMMAND or name in a league file"));
            }
        }
        (entrant.identity.version, entrant.identity.solitary) = (greeting.version, greeting.solitary);
        if let Some(direct) = direct {
            entrant.command = Command { name: entrant.identity.name.clone(), ..direct };
        }
        Ok(())
    };
    entrants.iter_mut().zip(greetings).map(identify).collect()
}

/// Returns the description of a bot with the digest of its files. `None` if not all of them are watched, or if it has to start:
/// nothing else tells what a shim leads to.
fn described(entrant: &Entrant) -> Option<String> {
    entrant.identity.digest.as_ref().filter(|_| !entrant.command.program().is_some_and(|it| is_shim(&it)))?;
    serde_json::to_string(&entrant.identity).ok()
}

async fn greet(
    entrant: &Entrant,
    host: &Host,
    hello: &[u8],
    limit: Duration,
) -> Result<(Hello, Option<Command>), Error> {
    let started = BotProcess::start_patiently(&entrant.command, host, hello, limit).await;
    let started = started.map_err(|error| match error {
        SpawnError::Fault(fault) => {
            let hint = if fault.kind == Failure::Refused { Hint::None } else { Hint::Unknown };
            cannot_start(entrant, &fault.detail, hint)
        }
        SpawnError::Host(error) => error.into(),
    })?;
    let greeted = started.hello.map_err(|failure| of_process(failure, Owed::Greeting));
    let greeting = greeted.and_then(|(line, _)| read_hello(&line));
    let shim = entrant.command.program().filter(|program| is_shim(program));
    let direct = shim.and_then(|shim| started.bot.seen_through(&shim));
    let ended = started.bot.quit(&quit_line(), QUIT_GRACE).await;
    let fault = match greeting {
        Ok(hello) => return Ok((hello, direct)),
        Err(fault) => fault,
    };
    // The fault of a program that ended quotes its stderr already.
    let crash = ended.stderr.crash(&entrant.command).filter(|_| fault.kind != FaultKind::Exit);
    let stderr = crash.map_or(String::new(), |words| format!("; stderr says {words}"));
    let is_silent = matches!(fault.kind, FaultKind::Exit | FaultKind::Startup);
    let heard = Heard { lines: hello, questions: 1, patience: limit };
    let again = if is_silent { diagnose(&entrant.command, host, heard, "").await.ok() } else { None };
    let is_without_refusal = again.as_ref().is_some_and(|again| again.is_without_refusal);
    let hint = match again.and_then(|again| again.hint) {
        Some(found) => Hint::Found(found),
        None if ended.left_running => Hint::Foreground,
        None if !host.confines() || is_without_refusal => Hint::ByHand,
        None => Hint::InTheSandbox,
    };
    Err(cannot_start(entrant, &format!("{fault}{stderr}"), hint))
}

/// The advice for a bot that cannot start.
enum Hint {
    /// The reason has the remedy.
    None,
    /// This is known.
    Found(String),
    /// The command cannot be executed.
    Unknown,
    /// The command fails in the same way without the arena.
    ByHand,
    /// The command may work without the sandbox, so trying it by hand explains nothing.
    InTheSandbox,
    /// The command ends at once and leaves its program in the background.
    Foreground,
}

fn cannot_start(entrant: &Entrant, why: &str, hint: Hint) -> Error {
    let text = &entrant.identity.command;
    let error = Error::usage(format!("bot {:?} cannot start: {why}", entrant.command.name));
    let quoted = || shell_words::quote(text);
    let hint = match hint {
        Hint::Unknown if !text.contains(['/', ' ']) => {
            let near = did_you_mean(text, bundled::BUNDLED.iter().map(|bot| bot.name));
            format!("{near}bundled bots: {}; name a program by its path, a commit git:REF", bundled_names())
        }
        _ if entrant.command.is_foreign => {
            "bots of results see only their own files; if you made the results yourself, say --trust"
                .to_owned()
        }
        _ if entrant.command.needs_shell() => {
            format!("write sh -c {}, or set dir and env in a league file", quoted())
        }
        _ if text.starts_with("cargo run") => {
            "name the built program, such as target/release/NAME".to_owned()
        }
        _ if entrant.command.has_wrong_line_ends() => "save the script with Unix line ends".to_owned(),
        Hint::None => return error,
        Hint::Found(found) => found,
        Hint::ByHand | Hint::Unknown => format!("try its command by hand: {text}"),
        Hint::InTheSandbox => format!("try its command in the same sandbox: arena run -- {text}"),
        Hint::Foreground => {
            "keep the program in the foreground: the arena talks to the one that it starts".to_owned()
        }
    };
    error.hint(hint)
}
