//! Checks of a user's game: what the tests of the built-in games check, with random matches.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::dealer::Dealer;
use engine::game::{Game, Seat, first_pending, pending};
use engine::wire::WireFormat;
use referee::games::external::{Ability, Equipment, External};
use sandbox::text::quote;
use serde_json::{Value, json};

use super::report::{Finding, Report, Verdict};

/// The number of seeds whose deals are compared for each number of seats.
const SEEDS: u64 = 20;
/// One match in so many loses a seat.
const FAULTS: u32 = 4;
/// The letters of a long move. A refusal that quotes it whole is longer than an answer may be.
const LONG: usize = 15_000;
/// The stream of the random numbers of a match.
const STREAM: u64 = 11;

/// The scope of a check.
#[derive(Clone, Copy, Debug)]
pub struct GameTrial {
    /// The number of random matches.
    pub matches: u32,
    /// The time after which no more of them start.
    pub patience: Duration,
    /// The seed of the first one.
    pub seed: u64,
}

/// What random matches have found.
#[derive(Default)]
struct Played {
    matches: u32,
    decisions: u32,
    longest: u32,
    withdrawn: u32,
    state_bytes: usize,
    observation_bytes: usize,
    /// The fields of the state that once no seat saw, of those that it had.
    hidden: BTreeSet<String>,
    /// The scores of the matches, to see if anything depends on the moves.
    scores: BTreeSet<Vec<i32>>,
    slowest: Duration,
    time: Duration,
}

/// Checks this game. `tell` is called for each result at once.
pub fn check_game(equipment: &Arc<Equipment>, trial: GameTrial, tell: &mut dyn FnMut(&Finding)) -> Report {
    let setup = External::setup(equipment);
    let name = External::name(setup).into_owned();
    let mut checks = Vec::new();
    let mut add = |check: &str, title: &str, (verdict, detail): (Verdict, String), hint: &str| {
        let hint = (!hint.is_empty()).then(|| hint.to_owned());
        let finding =
            Finding { check: check.to_owned(), title: title.to_owned(), verdict, detail, fault: None, hint };
        tell(&finding);
        checks.push(finding);
        verdict != Verdict::Fail
    };
    let [least, most] = setup.game.seats;
    let about = format!("{name}, {least} to {most} seats, options {}", setup.options);
    add("describe", "it describes itself", (Verdict::Pass, about), "");
    let dealt = deals(equipment, [least, most], trial.seed).unwrap_or_else(|why| (Verdict::Fail, why));
    let hint = if dealt.0 == Verdict::Fail {
        cause(equipment)
    } else {
        "use the seed if anything is dealt by chance"
    };
    let is_dealt = add("deal", "it deals", dealt, hint);
    let title = "random matches";
    if !setup.can(Ability::Legal) {
        let detail = "it does not list legal moves".to_owned();
        add("matches", title, (Verdict::Skip, detail), "add \"legal\" to supports, and answer that question");
    } else if is_dealt {
        let mut played = Played::default();
        let done = matches(equipment, [least, most], trial, &mut played);
        let done = done.map_or_else(|why| (Verdict::Fail, why), |()| (Verdict::Pass, played.in_words()));
        let is_played = add("matches", title, done, cause(equipment));
        if is_played {
            conclude(&played, setup.can(Ability::Withdraw), &mut add);
        }
    }
    let ready = checks.iter().all(|finding| finding.verdict != Verdict::Fail);
    let command = setup.game.command.clone();
    Report { bot: name, command, ready, checks, times: Vec::new() }
}

/// Returns advice for a game that has failed, if it has failed by two answers to one question.
fn cause(equipment: &Equipment) -> &'static str {
    match equipment.has_two_answers() {
        true => {
            "the question alone may decide: keep nothing in mind, draw chance from the seed in deal alone, and sort sets"
        }
        false => "",
    }
}

/// Tells what the matches say of a game beside that it works.
fn conclude(
    played: &Played,
    can_withdraw: bool,
    add: &mut impl FnMut(&str, &str, (Verdict, String), &str) -> bool,
) {
    let Played { state_bytes, observation_bytes, slowest, withdrawn, .. } = played;
    let sizes = format!("state {state_bytes} bytes, observation {observation_bytes}, of 65536 in an answer");
    add("sizes", "sizes", (if *state_bytes > 32_768 { Verdict::Warn } else { Verdict::Pass }, sizes), "");
    let rate = f64::from(played.decisions) / played.time.as_secs_f64();
    let time = format!(
        "{rate:.0} decisions a second with all checks, the slowest {:.1} ms",
        slowest.as_secs_f64() * 1e3
    );
    add("times", "times", (Verdict::Pass, time), "");
    let hidden = match Vec::from_iter(played.hidden.iter().map(String::as_str)).join(", ") {
        fields if fields.is_empty() => {
            (Verdict::Note, "seats see each field of the state: nothing is hidden".to_owned())
        }
        fields => (Verdict::Pass, format!("no seat sees all of: {fields}")),
    };
    add("hidden", "hidden things", hidden, "an observation is what its seat may know");
    let chance = match played.scores.len() {
        1 if played.matches > 1 => (Verdict::Warn, "all matches have the same scores".to_owned()),
        count => (Verdict::Pass, format!("{count} different lists of scores")),
    };
    add("results", "results", chance, "");
    let faults = match can_withdraw {
        true => (Verdict::Pass, format!("{withdrawn} matches went on without a seat")),
        false => (Verdict::Note, "a match ends when a bot is put out".to_owned()),
    };
    add(
        "withdraw",
        "bots that are put out",
        faults,
        "add \"withdraw\" to supports, and answer that question",
    );
}

/// Deals for several seeds and numbers of seats. Each answer is compared with that of a second process.
fn deals(equipment: &Equipment, seats: [usize; 2], seed: u64) -> Result<(Verdict, String), String> {
    let (mut different, of) = (BTreeSet::new(), BTreeSet::from(seats));
    for &seats in &of {
        for seed in seed..seed + SEEDS {
            let deal = External::deal(equipment, seats, seed).map_err(|error| error.to_string())?;
            different.insert(deal.to_string());
        }
    }
    equipment.ask_again(seed)?;
    Ok(match different.len() {
        count if count <= of.len() => {
            (Verdict::Note, "all deals are equal, so that bots without chance repeat one match".to_owned())
        }
        count => (Verdict::Pass, format!("a seed deals the same each time; {count} different deals")),
    })
}

fn matches(
    equipment: &Arc<Equipment>,
    seats: [usize; 2],
    trial: GameTrial,
    played: &mut Played,
) -> Result<(), String> {
    let begun = Instant::now();
    let [least, most] = seats;
    while played.matches < trial.matches && begun.elapsed() < trial.patience {
        let seed = trial.seed + u64::from(played.matches);
        let seats = least + played.matches as usize % (most - least + 1);
        one(equipment, seats, seed, played)
            .and_then(|()| equipment.ask_again(seed))
            .map_err(|why| format!("match with seed {seed} and {seats} seats: {why}"))?;
        played.matches += 1;
    }
    played.time = begun.elapsed();
    Ok(())
}

/// Plays a match of random moves. Each decision begins with a move that cannot be one.
fn one(equipment: &Arc<Equipment>, seats: usize, seed: u64, played: &mut Played) -> Result<(), String> {
    let mut chance = Dealer::new(seed, STREAM);
    let deal = External::deal(equipment, seats, seed).map_err(|error| error.to_string())?;
    let mut game = External::new(equipment, &deal).map_err(|error| error.to_string())?;
    let out = (chance.below(FAULTS) == 0).then(|| chance.below(seats as u32) as Seat);
    if let Some(seat) = first_pending(&game) {
        refuse(&mut game, seat, &json!({ "a long text": "\u{e9}".repeat(LONG) }))?;
    }
    let nonsense = [json!({}), json!({ "no such field": [null] })];
    while let Some(seat) = first_pending(&game) {
        game.check_spaces()?;
        nonsense.iter().try_for_each(|nonsense| refuse(&mut game, seat, nonsense))?;
        let open = pending(&game).count() as u32;
        let seat = pending(&game).nth(chance.below(open) as usize).expect("below the count");
        let begun = Instant::now();
        if out == Some(seat) && chance.below(FAULTS) == 0 && seats > 1 {
            game.withdraw(seat);
            played.withdrawn += 1;
        } else {
            let moves = game.legal(seat)?;
            let count = moves.len() as u32;
            if count == 0 {
                return Err(format!("seat {seat} owes a decision, and \"legal\" lists no move for it"));
            }
            let action = &moves[chance.below(count) as usize];
            game.play(seat, action)
                .map_err(|why| format!("the move {action} of its own list: {why}"))
                .or_else(|why| sound(&game).and(Err(why)))?;
        }
        sound(&game)?;
        if let Some(seat) = game.asks_withdrawn() {
            return Err(format!("seat {seat} was put out, and has an observation: it is still asked"));
        }
        played.decisions += 1;
        played.slowest = played.slowest.max(begun.elapsed());
        game.text()?;
        game.check_observations()?;
        played.see(&game);
    }
    sound(&game)?;
    played.longest = played.longest.max(game.decision());
    played.scores.insert(game.outcome().scores);
    sound(&game)
}

/// Plays a move that no game has. It must be refused with a reason.
fn refuse(game: &mut External, seat: Seat, nonsense: &Value) -> Result<(), String> {
    let text = nonsense.to_string();
    let shown = quote(text.as_bytes());
    let refused = game.play(seat, &text);
    sound(game).map_err(|why| match text.len() > LONG {
        true => format!("a bot may send a move of {} bytes, and then: {why}", text.len()),
        false => why,
    })?;
    match refused {
        Ok(()) => Err(format!("it accepted the move {shown} of seat {seat}")),
        Err(why) if why.to_string().trim().is_empty() => {
            Err(format!("it refused the move {shown} of seat {seat} without a reason"))
        }
        Err(_) => Ok(()),
    }
}

/// Returns true if something that was seen has this field with this value, or the value itself if it is large enough to be
/// known again.
fn shows(seen: &Value, name: &str, value: &Value) -> bool {
    let is_known = matches!(value, Value::Array(_) | Value::Object(_)) && seen == value;
    is_known
        || match seen {
            Value::Object(fields) => {
                fields.get(name) == Some(value) || fields.values().any(|inner| shows(inner, name, value))
            }
            Value::Array(items) => items.iter().any(|inner| shows(inner, name, value)),
            _ => false,
        }
}

/// Fails if the game has failed.
fn sound(game: &External) -> Result<(), String> {
    game.failure().map_or(Ok(()), Err)
}

impl Played {
    fn see(&mut self, game: &External) {
        self.state_bytes = self.state_bytes.max(game.state().len());
        for seat in pending(game) {
            let seen = game.observe(seat);
            self.observation_bytes = self.observation_bytes.max(seen.to_string().len());
        }
        let seen: Vec<Value> = pending(game).map(|seat| game.observe(seat)).collect();
        let Ok(Value::Object(state)) = serde_json::from_str(game.state()) else { return };
        let hidden = state
            .iter()
            .filter(|(name, value)| !seen.is_empty() && !seen.iter().any(|seen| shows(seen, name, value)));
        self.hidden.extend(hidden.map(|(name, _)| name.clone()));
    }

    fn in_words(&self) -> String {
        let Played { matches, decisions, longest, .. } = self;
        format!("{matches} matches to their ends, {decisions} decisions, at most {longest} in a match")
    }
}
