//! The section `[contest]` of a contest's settings.

use std::time::{Duration, SystemTime};

use regex_lite::Regex;
use serde::{Deserialize, Deserializer};

use super::args::TournamentOptions;
use super::times::duration_text;

/// When and how hand-ins are taken.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ContestOptions {
    /// Nothing is taken before this moment.
    #[serde(deserialize_with = "moment")]
    pub(crate) opens: Option<SystemTime>,
    /// Nothing is taken from this moment on.
    #[serde(deserialize_with = "moment")]
    pub(crate) closes: Option<SystemTime>,
    /// What the names of hand-ins look like. The first group is the author.
    #[serde(deserialize_with = "pattern")]
    pub(crate) names: Option<Regex>,
    /// The time for which a hand-in must not have changed before it is taken.
    #[serde(deserialize_with = "duration_text")]
    pub(crate) settle: Option<Duration>,
    /// The time for which a field plays at least before new versions join it.
    #[serde(deserialize_with = "duration_text")]
    pub(crate) accept: Option<Duration>,
    /// False if the contest is not played.
    pub(crate) play: Option<bool>,
    /// What differs in the final.
    #[serde(rename = "final")]
    pub(crate) last: Option<TournamentOptions>,
}

/// Reads a date and time of TOML, with its distance from UTC.
fn moment<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SystemTime>, D::Error> {
    use toml::value::{Datetime, Offset};
    let wrong = || serde::de::Error::custom("a moment is 2027-05-01T18:00:00+02:00, or ends in Z for UTC");
    let moment = Datetime::deserialize(deserializer).map_err(|_| wrong())?;
    let minutes = match moment.offset.ok_or_else(wrong)? {
        Offset::Z => 0,
        Offset::Custom { minutes } => minutes,
    };
    let as_utc = Datetime { offset: Some(Offset::Z), ..moment };
    let as_utc = humantime::parse_rfc3339(&as_utc.to_string()).map_err(|_| wrong())?;
    let apart = Duration::from_secs(u64::from(minutes.unsigned_abs()) * 60);
    Ok(Some(if minutes < 0 { as_utc + apart } else { as_utc - apart }))
}

fn pattern<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Regex>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let pattern = Regex::new(&format!("^(?:{text})$")).map_err(serde::de::Error::custom)?;
    match pattern.captures_len() {
        1 => Err(serde::de::Error::custom("it has no group for the author, such as (.+)_[0-9]+_file")),
        _ => Ok(Some(pattern)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_count_from_utc_and_patterns_need_a_group() {
        let read = |text: &str| toml::from_str::<ContestOptions>(text);
        let seconds = |text: &str| {
            let opens = read(&format!("opens = {text}")).expect("a moment").opens.expect("it is set");
            opens.duration_since(SystemTime::UNIX_EPOCH).expect("it is later").as_secs()
        };
        let utc = seconds("2027-05-01T18:00:00Z");
        assert_eq!(utc, 1_809_194_400);
        assert_eq!(seconds("2027-05-01T18:00:00+02:00"), utc - 7_200);
        assert_eq!(seconds("2027-05-01 18:00:00-01:30"), utc + 5_400);
        for wrong in [
            "opens = 2027-05-01T18:00:00",
            "opens = \"tomorrow\"",
            "names = 'x'",
            "names = '('",
            "opened = 1",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        let names = read("names = '(.+)_[0-9]+_file'").expect("a pattern").names.expect("it is set");
        assert_eq!(&names.captures("Anna M_17_file").expect("it fits")[1], "Anna M");
        assert!(!names.is_match("Anna M_17_file.zip"));
    }
}
