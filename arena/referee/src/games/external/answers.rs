//! The answers of a game's program, checked. `docs/reference/game-protocol.md` explains them.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use engine::game::{Outcome, ranks};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// An answer of a program.
pub(super) trait Answer: Sized {
    /// Parses a line.
    ///
    /// # Errors
    /// The line is not this answer. The text says why.
    fn parse(line: &[u8]) -> Result<Self, String>;
}

/// An answer without parts that stay as they were written.
pub(super) trait Plain: DeserializeOwned {}

impl<T: Plain> Answer for T {
    fn parse(line: &[u8]) -> Result<T, String> {
        json(line)
    }
}

fn json<'a, T: Deserialize<'a>>(line: &'a [u8]) -> Result<T, String> {
    serde_json::from_slice(line).map_err(|error| error.to_string())
}

/// The answer to `deal`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Dealt {
    /// The first state.
    pub(super) state: Value,
}

/// The answer to `result`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResultOf {
    /// The points of each seat.
    scores: Vec<i32>,
    /// The rank of each seat, from 1, if a tie-break says more than the points.
    ranks: Option<Vec<u32>>,
    /// What each seat may see at the end.
    #[serde(default)]
    pub(super) observations: Vec<Option<Map<String, Value>>>,
}

/// The answer to `text`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Text {
    /// The board for people.
    pub(super) text: String,
}

/// The answer to `legal`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Legal {
    /// The legal moves of the seat, each once.
    pub(super) moves: Vec<Map<String, Value>>,
    /// The number of each of these moves, for learners. All are different.
    pub(super) numbers: Option<Vec<u64>>,
}

impl Legal {
    /// Checks the numbers of the moves. `count` is the `moves` of the game's `spaces`, if it declares them.
    ///
    /// # Errors
    /// A move has no number of its own, or one that is not below `count`.
    pub(super) fn check_numbers(&self, count: Option<u64>) -> Result<(), String> {
        let Legal { moves, numbers } = self;
        let numbers = numbers.clone().unwrap_or_else(|| (0..moves.len() as u64).collect());
        let different: BTreeSet<u64> = numbers.iter().copied().collect();
        if numbers.len() != moves.len() || different.len() != moves.len() {
            let (moves, numbers, different) = (moves.len(), numbers.len(), different.len());
            return Err(format!("it lists {moves} moves, and {different} different numbers in {numbers}"));
        }
        match count.filter(|count| different.last() >= Some(count)) {
            None => Ok(()),
            Some(count) => Err(format!("a number is not below {count}, the `moves` of its `spaces`")),
        }
    }
}

impl Plain for Dealt {}
impl Plain for ResultOf {}
impl Plain for Text {}
impl Plain for Legal {}

/// The answer to `observe`: what each seat that owes a decision may see.
#[derive(Debug)]
pub(super) struct Observed {
    pub(super) observations: Vec<Option<Arc<str>>>,
}

/// The answer to `withdraw`, and to a legal move.
#[derive(Debug)]
pub(super) struct Standing {
    pub(super) state: Arc<str>,
    pub(super) observations: Vec<Option<Arc<str>>>,
    /// The board for people, if the question asks for it.
    pub(super) text: Option<String>,
}

/// The answer to `play`.
#[derive(Debug)]
pub(super) enum Judged {
    /// The move was legal.
    Played(Standing),
    /// The move was not, for this reason.
    Refused(String),
}

/// The answer to `observe`, `play`, or `withdraw`.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fields<'a> {
    /// The state after the question.
    #[serde(borrow)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Value>"))]
    state: Option<&'a RawValue>,
    /// For each seat what it may see, or null if it owes no decision.
    #[serde(borrow)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<Option<Map<String, Value>>>>"))]
    observations: Option<Vec<Option<&'a RawValue>>>,
    /// The reason why the move is refused, for the bot.
    refused: Option<String>,
    /// The board for people, if the question asks for it.
    text: Option<String>,
}

impl Fields<'_> {
    fn observations(&self) -> Result<Vec<Option<Arc<str>>>, String> {
        let all = self.observations.as_ref().ok_or("missing field `observations`")?;
        let object = |one: &RawValue| match one.get().starts_with('{') {
            // serde skips values without a limit of their depth, and bots' parsers have one.
            true => serde_json::from_str::<Value>(one.get())
                .map(|_| Arc::from(one.get()))
                .map_err(|error| format!("an observation: {error}")),
            false => Err("an observation is not an object".to_owned()),
        };
        all.iter().map(|one| one.map(object).transpose()).collect()
    }

    fn standing(self) -> Result<Standing, String> {
        let state = self.state.ok_or("missing field `state`")?;
        Ok(Standing { state: state.get().into(), observations: self.observations()?, text: self.text })
    }
}

impl Answer for Observed {
    fn parse(line: &[u8]) -> Result<Observed, String> {
        Ok(Observed { observations: json::<Fields<'_>>(line)?.observations()? })
    }
}

impl Answer for Standing {
    fn parse(line: &[u8]) -> Result<Standing, String> {
        json::<Fields<'_>>(line)?.standing()
    }
}

impl Answer for Judged {
    fn parse(line: &[u8]) -> Result<Judged, String> {
        match json(line)? {
            Fields { refused: Some(why), state: None, observations: None, .. } => Ok(Judged::Refused(why)),
            Fields { refused: Some(_), .. } => Err("a move is refused and played at once".to_owned()),
            fields => fields.standing().map(Judged::Played),
        }
    }
}

/// Returns the result with the ranks of withdrawn seats behind all others. Ranks may part equal scores, as a tie-break
/// does, and say nothing else than the scores.
///
/// # Errors
/// The result has another number of seats, or its ranks contradict its scores.
pub(super) fn checked_result(result: ResultOf, withdrawn: &[bool]) -> Result<Outcome, String> {
    let ResultOf { scores, ranks: given, .. } = result;
    let seats = withdrawn.len();
    if scores.len() != seats || given.as_ref().is_some_and(|ranks| ranks.len() != seats) {
        return Err(format!("the result is not for {seats} seats"));
    }
    let Some(given) = given else {
        return Ok(Outcome { ranks: ranks(&scores, withdrawn), scores, rounds: None });
    };
    let is_in = |seat: &usize| !withdrawn[*seat];
    for seat in (0..seats).filter(is_in) {
        let is_wrong = |&other: &usize| scores[seat] > scores[other] && given[seat] >= given[other];
        if let Some(other) = (0..seats).filter(is_in).find(is_wrong) {
            let (more, less, rank, other_rank) = (scores[seat], scores[other], given[seat], given[other]);
            return Err(format!(
                "seat {seat} has {more} points and rank {rank}, seat {other} {less} and rank {other_rank}"
            ));
        }
    }
    let merits: Vec<_> = given.iter().map(|&rank| Reverse(rank)).collect();
    Ok(Outcome { ranks: ranks(&merits, withdrawn), scores, rounds: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(scores: &[i32], ranks: Option<&[u32]>, withdrawn: &[bool]) -> Result<Vec<u32>, String> {
        let result =
            ResultOf { scores: scores.to_vec(), ranks: ranks.map(<[u32]>::to_vec), observations: Vec::new() };
        checked_result(result, withdrawn).map(|outcome| outcome.ranks)
    }

    #[test]
    fn ranks_follow_scores_and_may_break_ties() {
        let none = [false; 3];
        assert_eq!(result(&[5, 7, 5], None, &none), Ok(vec![2, 1, 2]));
        assert_eq!(result(&[5, 7, 5], Some(&[3, 1, 2]), &none), Ok(vec![3, 1, 2]));
        assert_eq!(
            result(&[5, 7, 5], Some(&[3, 1, 3]), &none),
            Ok(vec![2, 1, 2]),
            "ranks count on from ties"
        );
        assert!(
            result(&[5, 7, 5], Some(&[1, 2, 3]), &none).is_err_and(|why| why.contains("7 points and rank 2"))
        );
        assert!(result(&[5, 7, 5], Some(&[1, 1, 3]), &none).is_err());
        assert_eq!(result(&[5, 7, 5], Some(&[1, 2, 3]), &[false, true, false]), Ok(vec![1, 3, 2]));
        assert!(result(&[5, 7], None, &none).is_err());
    }

    #[test]
    fn each_move_has_a_number_of_its_own() {
        let check = |numbers: &str, count| {
            let line = format!(r#"{{"moves":[{{"a":1}},{{"a":2}}]{numbers}}}"#);
            <Legal as Answer>::parse(line.as_bytes()).expect("an answer").check_numbers(count)
        };
        for (numbers, count) in [("", None), ("", Some(2)), (r#","numbers":[7,3]"#, Some(8))] {
            assert_eq!(check(numbers, count), Ok(()), "{numbers}");
        }
        for (numbers, count, said) in [
            (r#","numbers":[7]"#, None, "2 moves, and 1 different numbers in 1"),
            (r#","numbers":[7,7]"#, None, "2 moves, and 1 different numbers in 2"),
            (r#","numbers":[3,7]"#, Some(7), "not below 7"),
            ("", Some(1), "not below 1"),
        ] {
            assert!(check(numbers, count).is_err_and(|why| why.contains(said)), "{numbers}");
        }
    }

    #[test]
    fn answers_are_played_or_refused() {
        let judged = |line: &str| <Judged as Answer>::parse(line.as_bytes());
        let played = judged(r#"{"state":[1, 2],"observations":[null,{"a":1}],"more":1}"#).expect("it is one");
        let Judged::Played(Standing { state, observations, .. }) = played else { panic!("it was played") };
        assert_eq!((&*state, observations), ("[1, 2]", vec![None, Some(r#"{"a":1}"#.into())]));
        assert!(matches!(judged(r#"{"refused":"no"}"#), Ok(Judged::Refused(why)) if why == "no"));
        let deep = format!(r#"{{"state":1,"observations":[{{"a":{}1}}]}}"#, "[".repeat(30_000));
        for wrong in [
            r#"{"refused":"no","state":1}"#,
            r#"{"state":1}"#,
            r#"{"observations":[{}]}"#,
            r#"{"state":1,"observations":[[1]]}"#,
            "[]",
            "",
            &deep,
        ] {
            assert!(judged(wrong).is_err(), "{wrong}");
        }
    }
}
