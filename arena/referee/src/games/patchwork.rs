//! Patchwork as a game of the platform.

use engine::game::{Game, Setup};
use engine::patchwork::{self, PatchFile, Patchwork, PatchworkSetup};

use super::{GameKind, League, LeatherRule, RulesOptions};
use crate::error::Error;
use crate::user_text;

impl GameKind for Patchwork {
    const SUMMARY: &'static str = "Patchwork: 2 seats, one moves at a time";
    const SEATS_HINT: &'static str = "patchwork is for two seats; doodle is for any number";
    const SEATS_DEFAULT: usize = 2;
    const EVERY_SEAT_EACH_DEAL: bool = true;
    const BY_MARGIN: bool = true;
    const LEAGUES: &'static [League] =
        &[League { rule: None, bots: 4_375.0, meeting: 43_642.0, elo_of_point: 17.0 }];

    fn unit(_: &PatchworkSetup) -> Option<f64> {
        Some(2.0)
    }

    fn setup_from(options: &RulesOptions) -> Result<PatchworkSetup, Error> {
        options.only_for(Patchwork::NAME)?;
        let leather = match options.leather {
            Some(LeatherRule::Revised) => patchwork::Leather::Revised,
            Some(LeatherRule::Original) | None => patchwork::Leather::Original,
        };
        let rules = patchwork::Rules { leather };
        let Some(path) = &options.patches else {
            return Ok(PatchworkSetup { rules, ..PatchworkSetup::default() });
        };
        let text = user_text::read(path)?;
        let file = PatchFile::from_json(&text)
            .map_err(|error| Error::usage(format!("{}: {error}", path.display())))?;
        Ok(PatchworkSetup::from_file(file, rules))
    }

    fn options_of(setup: &PatchworkSetup) -> String {
        let revised = setup.rules.leather == patchwork::Leather::Revised;
        let rule = if revised { " --leather revised" } else { "" };
        let PatchworkSetup { patches, track, .. } = setup.abridged();
        let own = patches.is_some() || track.is_some();
        let remark =
            if own { "\n# and --patches FILE, with the patches and track of tournament.json" } else { "" };
        format!("{rule}{remark}")
    }
}
