//! The line of a match of any game, with its checksum.

use serde::Deserialize;
use serde::de::Error as _;

use referee::for_game;
use referee::games::GameName;
use referee::record::{MatchRecord, Summary, has_right_check};

/// Parses the line of a match of any game, and verifies its checksum.
///
/// # Errors
/// The line is not a record, or was changed after it was written.
pub fn summary(line: &[u8]) -> serde_json::Result<Summary> {
    let summary = serde_json::from_slice(line)?;
    verify(line).map(|()| summary)
}

/// Verifies the checksum of a line of any game.
///
/// # Errors
/// The line is not a record of its game. It has no checksum, or that of another line.
pub fn verify(line: &[u8]) -> serde_json::Result<()> {
    #[derive(Deserialize)]
    struct Head {
        game: String,
    }
    if has_right_check(line) {
        return Ok(());
    }
    let game = GameName::named(&serde_json::from_slice::<Head>(line)?.game);
    let game = game.map_err(|error| serde_json::Error::custom(error.message()))?;
    match for_game!(game, G => MatchRecord::<G>::from_line(line)?.1) {
        true => Ok(()),
        false => Err(serde_json::Error::custom("its check is wrong or missing, so the line was changed")),
    }
}
