//! What the moves of a bot cost in the matches that are judged.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use serde_json::{Value, json};

use super::desk::Judged;
use super::list::{Entry, mark_of};
use super::{Desk, Live};
use crate::view::EntryAnalysis;
use tournament::replay::selection::{Order, Selection};

/// The number of costly moves in a list.
const LISTED: usize = 10;
/// The number of matches that are judged at a time.
const NEXT: usize = 10;

/// Returns the moves that lost the most points, the costliest first. A bot that plays the same at several tables of a deal
/// makes the same mistake once.
pub fn costliest<M, K: Eq + Hash>(
    mut moves: Vec<M>,
    loss: impl Fn(&M) -> f64,
    mistake: impl Fn(&M) -> K,
) -> Vec<M> {
    moves.sort_by(|one, other| loss(other).total_cmp(&loss(one)));
    let mut seen = HashSet::new();
    moves.retain(|one| seen.insert(mistake(one)));
    moves.truncate(LISTED);
    moves
}

/// A match of the bot.
struct Played {
    entry: Entry,
    /// The number of its moves, and of those that are not judged.
    moves: usize,
    open: usize,
}

/// Returns the costliest moves of a bot, the number of its judged matches, and what the next work is, as JSON. Second, the
/// number of its worst matches that have this work.
pub(super) fn costs_of(live: &Live, desk: &Desk, bot: &str) -> (Value, usize) {
    let order = Selection { with: Some(bot.to_owned()), sort: Some(Order::Worst), ..Selection::default() };
    let (mut all, mut places) = (Vec::new(), HashMap::new());
    let game = {
        let book = live.book();
        for entry in book.list.sorted(&order, &book.names) {
            let seats = book.list.seat_results(&entry).iter().enumerate();
            let own = seats.filter(|(_, seat)| book.names[seat.bot as usize] == bot);
            let moves = own.map(|(seat, result)| {
                places.insert((entry.digest, seat), all.len());
                usize::from(result.moves)
            });
            let moves = moves.sum();
            all.push(Played { entry, moves, open: moves });
        }
        book.game
    };
    let digests: HashSet<u64> = all.iter().map(|played| played.entry.digest).collect();
    let known = desk.coach.known(game, live.dir(), &|digest| digests.contains(&mark_of(digest))).into_iter();
    let own =
        |(digest, id, seat, analysis): Judged| Some((*places.get(&(mark_of(&digest), seat))?, id, analysis));
    let mut known: Vec<(usize, u32, EntryAnalysis)> = known.filter_map(own).collect();
    known.iter().for_each(|(place, ..)| all[*place].open = all[*place].open.saturating_sub(1));
    known.retain(|(.., analysis)| analysis.is_named);
    known.sort_unstable_by_key(|(place, id, _)| (*place, *id));
    let mistake = |(place, id, one): &(usize, u32, EntryAnalysis)| {
        (all[*place].entry.round, *id, one.loss.to_bits(), one.best.clone())
    };
    let listed = costliest(known, |(.., one)| one.loss, mistake).into_iter();
    let listed =
        listed.map(|(place, id, one)| json!({"match": all[place].entry.index, "id": id, "analysis": one}));
    let next: Vec<usize> = (0..all.len()).filter(|&place| all[place].open > 0).take(NEXT).collect();
    let open: usize = next.iter().map(|&place| all[place].open).sum();
    let played = || all.iter().filter(|played| played.moves > 0);
    let told = json!({
        "matches": played().count(),
        "judged": played().filter(|played| played.open == 0).count(),
        "next": if live.may_be_judged() { next.len() } else { 0 },
        "seconds": desk.seconds_each().map(|each| each * open as f64),
        "moves": listed.collect::<Vec<_>>(),
    });
    (told, next.last().map_or(0, |last| last + 1))
}
