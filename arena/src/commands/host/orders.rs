//! What the organiser orders from another process: files that are renamed into a folder of the contest.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::{Deserialize, Serialize};

use referee::bots::names::did_you_mean;
use referee::error::Error;
use tournament::journal::files::write_json;
use tournament::journal::results;

/// The folder of orders that are not carried out yet.
const ORDERS: &str = "orders";

/// What the organiser decides about a contest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "kebab-case")]
pub(super) enum Order {
    /// No new matches start.
    Pause,
    /// Matches start again.
    GoOn,
    /// The contest is closed to new hand-ins.
    Close,
    /// The contest is closed, and everybody may see everything.
    Publish,
    /// A bot is withdrawn: its matches no longer count. With a reason, it is disqualified.
    Withdraw { name: String, reason: Option<String> },
    /// A withdrawn bot plays again.
    TakeBack { name: String },
    /// Authors may hand in through the door: the digests of their tokens, by their names.
    Invite { links: BTreeMap<String, String> },
    /// The link of an author is no longer valid.
    Revoke { name: String },
}

/// The options that send an order.
#[derive(Debug, Args)]
#[group(multiple = false, id = "order")]
pub(super) struct OrderArgs {
    /// Start no new matches
    #[arg(long)]
    pause: bool,
    /// Start matches again
    #[arg(long)]
    go_on: bool,
    /// Close the contest to new hand-ins
    #[arg(long)]
    close: bool,
    /// Close the contest, and let everybody see all matches
    #[arg(long)]
    publish: bool,
    /// Withdraw this bot; its matches no longer count
    #[arg(long, value_name = "NAME")]
    withdraw: Option<String>,
    /// Withdraw this bot and tell its author the reason, such as "anna: copied from ben"
    #[arg(long, value_name = "NAME:REASON", value_parser = disqualified)]
    disqualify: Option<(String, String)>,
    /// Let a withdrawn bot play again
    #[arg(long, value_name = "NAME")]
    take_back: Option<String>,
    /// Make a personal link for each name in this file, a line each; an earlier link of the name ends
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(super) invite: Option<PathBuf>,
    /// End the personal link of this author
    #[arg(long, value_name = "NAME")]
    revoke: Option<String>,
}

impl OrderArgs {
    /// Returns the order of these options, if there is one.
    pub(super) fn order(&self) -> Option<Order> {
        let OrderArgs { pause, go_on, close, publish, withdraw, disqualify, take_back, revoke, .. } = self;
        let plain = [
            (*pause, Order::Pause),
            (*go_on, Order::GoOn),
            (*close, Order::Close),
            (*publish, Order::Publish),
        ];
        let plain = plain.into_iter().find(|(is_given, _)| *is_given).map(|(_, order)| order);
        let withdraw = withdraw.clone().map(|name| Order::Withdraw { name, reason: None });
        let disqualify = disqualify.clone();
        let disqualify = disqualify.map(|(name, reason)| Order::Withdraw { name, reason: Some(reason) });
        let back = take_back.clone().map(|name| Order::TakeBack { name });
        let revoke = revoke.clone().map(|name| Order::Revoke { name });
        plain.or(withdraw).or(disqualify).or(back).or(revoke)
    }
}

impl Order {
    /// Returns the bot of the order.
    fn bot(&self) -> Option<&String> {
        match self {
            Order::Withdraw { name, .. } | Order::TakeBack { name } | Order::Revoke { name } => Some(name),
            _ => None,
        }
    }

    /// Leaves the order in the folder of a contest with these bots or authors. The process of the contest carries it out.
    ///
    /// # Errors
    /// The contest has no such bot, or the folder cannot be written.
    pub(super) fn send(&self, contest: &Path, bots: &[&str]) -> Result<(), Error> {
        if let Some(name) = self.bot().filter(|name| !bots.contains(&name.as_str())) {
            let near = did_you_mean(name, bots.iter().copied());
            let hint =
                format!("{near}there is a folder for each bot in versions, and a link for each author");
            return Err(Error::usage(format!("nobody in the contest is called {name:?}")).hint(hint));
        }
        let folder = contest.join(ORDERS);
        results::folder(&folder).map_err(|error| Error::unwritable(&folder, &error))?;
        // Orders are carried out in the order of their names.
        let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        write_json(&folder.join(format!("{:020}-{}.json", time.as_micros(), std::process::id())), self)
    }

    /// Returns the orders that are not carried out yet, with their files. A file that is no order is told.
    pub(super) fn all(contest: &Path) -> Vec<(PathBuf, Result<Order, Error>)> {
        let entries = fs::read_dir(contest.join(ORDERS)).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        let mut paths: Vec<PathBuf> = paths
            .filter(|path| path.extension().is_some_and(|end| end == "json") && path.is_file())
            .collect();
        paths.sort_unstable();
        let read = |path: PathBuf| {
            let text = results::read(&path).map_err(|error| Error::unreadable(&path, &error));
            let wrong = |error| Error::usage(format!("{} is no order: {error}", path.display()));
            let order = text.and_then(|text| serde_json::from_str(&text).map_err(wrong));
            (path, order)
        };
        paths.into_iter().map(read).collect()
    }
}

/// Parses a bot with the reason why it is disqualified.
fn disqualified(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once(':').map(|(name, reason)| (name.trim(), reason.trim()));
    let parts = parts.filter(|(name, reason)| !name.is_empty() && !reason.is_empty());
    parts
        .map(|(name, reason)| (name.to_owned(), reason.to_owned()))
        .ok_or_else(|| "write NAME:REASON, such as \"anna: copied from ben\"".to_owned())
}
