//! Patchwork Doodle as a game of the platform.

use engine::doodle::{CardFile, Doodle, DoodleSetup, Rules, StartCards};
use engine::game::{Game, Setup};

use super::{GameKind, League, RulesOptions, StartCardsRule};
use crate::error::Error;
use crate::user_text;

impl GameKind for Doodle {
    const SUMMARY: &'static str = "Patchwork Doodle: up to 10 seats by default, simultaneous turns";
    const SEATS_HINT: &'static str = "--start-cards shared gives all seats the same start card";
    const SEATS_DEFAULT: usize = 2;
    const EVERY_SEAT_EACH_DEAL: bool = false;
    const LEAGUES: &'static [League] = &[
        League { rule: Some("dealt"), bots: 66_051.0, meeting: 52_450.0, elo_of_point: 16.0 },
        League { rule: Some("shared"), bots: 82_797.0, meeting: 29_007.0, elo_of_point: 19.0 },
    ];

    fn unit(_: &DoodleSetup) -> Option<f64> {
        Some(2.0)
    }

    fn setup_from(options: &RulesOptions) -> Result<DoodleSetup, Error> {
        options.only_for(Doodle::NAME)?;
        let start_cards = match options.start_cards {
            Some(StartCardsRule::Shared) => StartCards::Shared,
            Some(StartCardsRule::Dealt) | None => StartCards::Dealt,
        };
        let cards = options.cards.as_ref().map(|path| {
            let text = user_text::read(path)?;
            CardFile::from_json(&text).map_err(|error| Error::usage(format!("{}: {error}", path.display())))
        });
        Ok(DoodleSetup { rules: Rules { start_cards }, cards: cards.transpose()? })
    }

    fn options_of(setup: &DoodleSetup) -> String {
        let shared = setup.rules.start_cards == StartCards::Shared;
        let rule = if shared { " --start-cards shared" } else { "" };
        let own = setup.abridged().cards.is_some();
        let remark =
            if own { "\n# and --cards FILE, with the \"cards\" of tournament.json as the file" } else { "" };
        format!("{rule}{remark}")
    }
}
