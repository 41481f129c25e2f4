//! The outcomes of schedules: tables in addition to the standings.

use std::slice;

use serde::{Deserialize, Serialize};
use stats::rounded;

use super::results::{Meeting, Meetings, meeting};

/// The table of a schedule that has one of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = describe_fields))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A Swiss tournament.
    Swiss {
        /// One row a bot, best first.
        table: Vec<SwissRow>,
        /// The meetings of each finished round.
        rounds: Vec<Vec<Tie>>,
        /// The meetings of the running round so far, without winners. They count in the table when the round is over.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        now: Vec<Tie>,
    },
    /// A Swiss tournament at tables of more than two seats.
    SwissTables {
        /// One row a bot, best first.
        table: Vec<SwissRow>,
        /// The tables of each finished round. A table of one bot is a bye.
        rounds: Vec<Vec<SwissTable>>,
        /// The tables of the running round so far. They count when the round is over.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        now: Vec<SwissTable>,
    },
    /// A knockout tournament.
    Knockout {
        /// The winner; `null` while the tournament runs.
        winner: Option<String>,
        /// The ties of each round that has begun, from the top of the bracket.
        rounds: Vec<Vec<Tie>>,
        /// The last round as it stands, if it runs: with the points so far.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        now: Vec<Tie>,
    },
    /// A ladder, the top first.
    Ladder(Vec<LadderRow>),
    /// The pairs whose order the tournament tries to decide.
    UntilDecided(Vec<OpenPair>),
}

impl Outcome {
    /// Returns the rounds of a Swiss or knockout tournament, with the points of the running round so far.
    pub fn rounds_so_far(&self) -> Vec<Vec<Tie>> {
        match self {
            Outcome::Swiss { rounds, now, .. } if !now.is_empty() => {
                [&rounds[..], slice::from_ref(now)].concat()
            }
            Outcome::Knockout { rounds, now, .. } if !now.is_empty() => {
                [&rounds[..rounds.len() - 1], slice::from_ref(now)].concat()
            }
            Outcome::Swiss { rounds, .. } | Outcome::Knockout { rounds, .. } => rounds.clone(),
            Outcome::SwissTables { .. } | Outcome::Ladder(_) | Outcome::UntilDecided(_) => Vec::new(),
        }
    }
}

/// Copies the description of each variant to its only field in JSON.
#[cfg(feature = "schema")]
fn describe_fields(schema: &mut schemars::Schema) {
    let variants = schema.get_mut("oneOf").and_then(serde_json::Value::as_array_mut);
    for variant in variants.into_iter().flatten() {
        let description = variant["description"].clone();
        for field in variant["properties"].as_object_mut().into_iter().flat_map(|fields| fields.values_mut())
        {
            field["description"] = description.clone();
        }
    }
}

/// One bot's row in a Swiss tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SwissRow {
    /// Place by points, Buchholz score, and margin; equal results share it.
    pub rank: u32,
    /// The bot.
    pub bot: String,
    /// 1 for each meeting won and each bye, 0.5 for each drawn. At tables of more than two seats, the mean of a round's
    /// meetings, and 0.5 for a bye.
    pub points: f64,
    /// Sum of the points of its opponents.
    pub buchholz: f64,
    /// Meetings won.
    pub won: u64,
    /// Meetings drawn.
    pub drawn: u64,
    /// Meetings lost.
    pub lost: u64,
    /// Rounds in which it had no opponent.
    pub byes: u64,
    /// Mean difference to the scores of its opponents.
    pub mean_margin: f64,
}

/// A table of a Swiss round, the best bot first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SwissTable(pub Vec<TablePlace>);

/// A bot at a table of a Swiss round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TablePlace {
    /// The bot.
    pub bot: String,
    /// The mean of its meetings with the others: 1 for one won, 0.5 for one drawn. 0.5 for a bye.
    pub points: f64,
}

impl SwissTable {
    /// The table of these bots as it stands, or the bye of one bot.
    pub(super) fn of(bots: &[usize], meetings: &Meetings, names: &[String]) -> SwissTable {
        let place = |&bot: &usize| {
            let others = bots.iter().filter(|&&other| other != bot);
            let points = others.map(|&other| meeting(meetings, bot, other).won_halves()).sum::<u64>() as f64;
            let points = if bots.len() == 1 { 0.5 } else { points / (2.0 * (bots.len() - 1) as f64) };
            TablePlace { bot: names[bot].clone(), points: rounded(points) }
        };
        let mut places: Vec<TablePlace> = bots.iter().map(place).collect();
        places.sort_by(|one, other| other.points.total_cmp(&one.points));
        SwissTable(places)
    }
}

/// A meeting of two bots, or a bye.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tie {
    /// The bot.
    pub bot: String,
    /// The other bot; `null` for a bye.
    pub against: Option<String>,
    /// The points of each bot: 1 for a match in which it ranked before the other, 0.5 for equal ranks.
    pub points: [f64; 2],
    /// Mean difference of the scores.
    pub mean_margin: f64,
    /// The winner; `null` if the meeting is drawn or not decided yet.
    pub winner: Option<String>,
    /// The tie-break, if the points on the planned deals were equal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<TieBreak>,
}

impl Tie {
    /// The meeting of two bots as it stands.
    pub(super) fn of((one, other): (usize, usize), meeting: Meeting, names: &[String]) -> Tie {
        Tie {
            bot: names[one].clone(),
            against: Some(names[other].clone()),
            points: meeting.halves.map(|halves| halves as f64 / 2.0),
            mean_margin: rounded(meeting.mean_margin()),
            winner: meeting.winner().map(|winner| names[[one, other][winner]].clone()),
            decided_by: None,
        }
    }

    /// Returns this meeting with the points of the same meeting in `now`, if it is there.
    pub(super) fn with(mut self, now: &[Tie]) -> Tie {
        let same = now.iter().find_map(|tie| match (Some(&tie.bot), tie.against.as_ref()) {
            pair if pair == (Some(&self.bot), self.against.as_ref()) => Some(tie.points),
            pair if pair == (self.against.as_ref(), Some(&self.bot)) => Some([tie.points[1], tie.points[0]]),
            _ => None,
        });
        let more = same.unwrap_or_default();
        self.points = [self.points[0] + more[0], self.points[1] + more[1]];
        self
    }

    /// A round without an opponent.
    pub(super) fn bye(bot: usize, names: &[String]) -> Tie {
        let name = names[bot].clone();
        let winner = Some(name.clone());
        Tie { bot: name, against: None, points: [0.0; 2], mean_margin: 0.0, winner, decided_by: None }
    }
}

/// The tie-break after equal points on the planned deals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TieBreak {
    /// Two more deals at a time.
    SuddenDeath,
    /// The margin over all deals of the tie.
    Margin,
    /// The better seed.
    Seed,
}

impl TieBreak {
    /// The name in words.
    pub fn as_str(self) -> &'static str {
        match self {
            TieBreak::SuddenDeath => "sudden death",
            TieBreak::Margin => "margin",
            TieBreak::Seed => "seed",
        }
    }
}

/// A rung of a ladder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LadderRow {
    /// Place from the top, from 1.
    pub rank: u32,
    /// The bot.
    pub bot: String,
    /// The number of bots that it passed when it entered.
    pub passed: u64,
    /// The bot that stopped it then; `null` if it was not stopped.
    pub stopped_by: Option<String>,
    /// Its meetings when it entered, from the lowest rung upwards. Results of earlier versions have none.
    #[serde(default)]
    pub climb: Vec<Tie>,
}

/// Two bots whose order the tournament tries to decide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OpenPair {
    /// The bot: the better one after the planned deals.
    pub bot: String,
    /// The other bot.
    pub against: String,
    /// The number of deals on which they met.
    pub deals: u64,
    /// Mean difference of their scores.
    pub mean_margin: f64,
    /// The 95 % confidence interval of the mean margin; `null` with fewer than two deals. It remains valid
    /// however often it is checked.
    pub margin_ci95: Option<[f64; 2]>,
    /// True if zero lies outside of the interval.
    pub decided: bool,
}
