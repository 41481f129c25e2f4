//! The bots of a command: their limits, the sandbox, and what they may reach.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::containment::Containment;
use super::grants::{Grants, named};
use super::runtime::block_on;
use super::times::Times;
use crate::check::Settings;
use engine::game::Game;
use engine::wire::WireFormat;
use referee::bots::entrants::{Entrant, check_distinct, keep_apart};
use referee::bots::grants::check_grants;
use referee::bots::held::Guard;
use referee::bots::preflight::{Greetings, preflight};
use referee::error::Error;
use referee::games::GameName;
use referee::games::external::{Equipment, External};
use sandbox::Host;
use tournament::plan::{Contained, TournamentFile};

/// The most retries of a turn.
pub(crate) const RETRIES_MAX: u32 = 5;

/// The options of every command that starts bots.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct LineupOptions {
    #[command(flatten)]
    pub(crate) times: Times,
    /// Let one bot answer a turn again after a refused answer, such as mine:2; repeatable
    #[arg(long = "retries", value_name = "NAME:N", value_parser = retries, help_heading = "Time and limits", hide_short_help = true)]
    pub(crate) retries: Vec<(String, u32)>,
    /// Build a bot git:REF with this command, such as v1:make; repeatable
    #[arg(long, value_name = "BOT:COMMAND", value_parser = build, help_heading = "Bots", hide_short_help = true)]
    pub(crate) build: Vec<(String, String)>,
    #[command(flatten)]
    pub(crate) containment: Containment,
    #[command(flatten)]
    pub(crate) grants: Grants,
}

impl LineupOptions {
    /// Returns the settings of a tournament's file, without files or network.
    pub(crate) fn of<S>(file: &TournamentFile<S>) -> LineupOptions {
        let (times, containment) = (Times::of(file), Containment::of(file));
        LineupOptions { times, containment, ..LineupOptions::default() }
    }

    /// Returns these options, with missing ones filled in from a lower layer.
    pub(crate) fn over(self, lower: LineupOptions) -> LineupOptions {
        let (times, containment) = (self.times.over(lower.times), self.containment.over(lower.containment));
        LineupOptions { times, containment, ..self }
    }

    /// Returns these options, with missing ones filled in from the tournament's file, if there is one.
    pub(crate) fn over_tournament<S>(&self, file: Option<&TournamentFile<S>>) -> LineupOptions {
        self.clone().over(file.map_or(LineupOptions::default(), LineupOptions::of))
    }

    /// Gives bots the limits of `--limit` and the retries of `--retries`, and checks the limits of all. While names are
    /// not settled, an option may have the name of a bot that is not there yet.
    ///
    /// # Errors
    /// No bot has the name, or the limits of a bot do not fit together.
    pub(crate) fn limit(&self, entrants: &mut [Entrant], is_settled: bool) -> Result<(), Error> {
        for (name, own) in &self.times.own {
            if let Some(bot) = named(entrants, "--limit", name, is_settled)? {
                bot.identity.limits = own.over(bot.identity.limits);
            }
        }
        for (name, retries) in &self.retries {
            if let Some(bot) = named(entrants, "--retries", name, is_settled)? {
                bot.allow_retries(*retries);
            }
        }
        let table = self.times.time_control();
        entrants
            .iter()
            .map(|entrant| &entrant.identity)
            .try_for_each(|bot| bot.limits.at(table).checked(&bot.name).map(drop))
    }

    /// Gives bots, which are not started yet, what these options say, and checks that it can be given. `own` are places
    /// of the command's own files.
    ///
    /// # Errors
    /// A bot asks for what it cannot get, or as [`limit`](Self::limit).
    pub(crate) fn equip(
        &self,
        entrants: &mut [Entrant],
        own: &[&Path],
        is_settled: bool,
    ) -> Result<(), Error> {
        self.grants.apply_to(entrants)?;
        self.limit(entrants, is_settled)?;
        check_grants(entrants, own)
    }

    /// Returns the host of these bots, as [`Containment::host`].
    ///
    /// # Errors
    /// As [`Containment::host`].
    pub(crate) async fn host(
        &self,
        bots: &[Entrant],
        simultaneous: &[bool],
        quiet: bool,
    ) -> Result<(Host, Contained), Error> {
        let of_bots = bots.iter().map(|bot| (&bot.identity.name, bot.identity.retries));
        // An option may name a bot that has no name yet.
        let all = of_bots.chain(self.retries.iter().map(|(name, retries)| (name, *retries)));
        let with_retries = { all }.find(|(_, retries)| *retries > 0);
        with_retries.map_or(Ok(()), |(name, _)| self.containment.check_stops(name, simultaneous))?;
        let per_move = self.times.time_control().per_move;
        self.containment.host(bots, simultaneous, per_move, quiet).await
    }

    /// Returns the scope of the checks of bots in these games, and the host that the bots run on. `own` is the user's own game,
    /// if it is among the games. `(matches, patience)` are the matches for the memory check, and the time for them.
    ///
    /// # Errors
    /// As [`host`](Self::host).
    pub(crate) fn examined(
        &self,
        (games, own): (Vec<GameName>, Option<Arc<Equipment>>),
        (matches, patience): (u32, Duration),
        bots: &[Entrant],
        quiet: bool,
    ) -> Result<(Settings, Host), Error> {
        let is_simultaneous = |game: &GameName| match &own {
            Some(own) => External::is_simultaneous(External::setup(own)),
            None => game.is_simultaneous(),
        };
        let simultaneous: Vec<bool> = games.iter().map(is_simultaneous).collect();
        let (host, _) = block_on(self.host(bots, &simultaneous, quiet))??;
        let freeze = games.iter().filter(|game| self.containment.freezes(is_simultaneous(game)));
        let (freeze, time) = (freeze.copied().collect(), self.times.time_control());
        Ok((Settings { games, own, freeze, time, matches, patience }, host))
    }

    /// Equips the bots of a command without a tournament, and starts each once. Returns the host that they play on.
    ///
    /// # Errors
    /// A bot cannot start. Two bots have the same name. Or as [`equip`](Self::equip) and [`host`](Self::host).
    pub(crate) async fn ready(
        &self,
        entrants: &mut [Entrant],
        simultaneous: bool,
        quiet: bool,
    ) -> Result<Host, Error> {
        self.equip(entrants, &[], false)?;
        let (host, _) = self.host(entrants, &[simultaneous], quiet).await?;
        keep_apart(entrants, &[]);
        let greeted =
            preflight(entrants, &host, self.times.time_control(), &[], &Guard::Named, &mut Greetings::new())
                .await;
        greeted.into_iter().collect::<Result<Vec<_>, _>>()?;
        check_distinct(entrants)?;
        self.limit(entrants, true)?;
        Ok(host)
    }
}

/// Parses the build of one bot, such as `v1:make`.
fn build(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once(':').filter(|(name, command)| !name.is_empty() && !command.trim().is_empty());
    parts
        .map(|(name, command)| (name.to_owned(), command.to_owned()))
        .ok_or_else(|| "write BOT:COMMAND".to_owned())
}

/// Parses the retries of one bot, such as `mine:2`.
fn retries(text: &str) -> Result<(String, u32), String> {
    let parts = text.rsplit_once(':').filter(|(name, _)| !name.is_empty());
    let parts = parts.and_then(|(name, number)| Some((name.to_owned(), number.parse().ok()?)));
    parts
        .filter(|(_, number)| *number <= RETRIES_MAX)
        .ok_or(format!("NAME:N, with N from 0 to {RETRIES_MAX}"))
}
