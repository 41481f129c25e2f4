//! Prepared matches of a user's own game, whose other seats play moves from its list of legal ones.

use std::sync::Arc;

use engine::dealer::Dealer;
use engine::game::{Game, Seat, SetupError};
use referee::games::external::{Ability, Equipment, External, ExternalSetup};

use super::super::variant::Variant;
use super::{Own, Scene, Scenes};

/// The decision with which a match begins that is taken over. Some games are short.
const TAKEN_OVER_AT: u32 = 2;

impl Scenes for External {
    fn scenes(own: Option<&Own>) -> Vec<Scene<External>> {
        let Some(setup) = own.map(|own| External::setup(own)) else { return Vec::new() };
        let [least, most] = setup.game.seats;
        let seats = 2.clamp(least, most);
        if most > 1 && !setup.can(Ability::Legal) {
            return Vec::new();
        }
        let ordinary = Scene::ordinary("match", "a match", seats);
        let mut scenes = vec![
            ordinary.clone(),
            Scene {
                hint: "\"limits\" may have more fields, and \"match_ms\" is null or a number",
                seat: most - 1,
                has_bank: true,
                ..Scene::ordinary(
                    "last-seat",
                    "the last seat of the largest table, with a bank of time",
                    most,
                )
            },
            Scene {
                hint: "a line may end in \\r\\n: let a JSON reader have it whole, or strip blanks from its end",
                variant: Variant::Crlf,
                ..Scene::ordinary("crlf", "lines that end in \\r\\n", seats)
            },
            Scene {
                hint: "the state of a turn says all: do not count on having seen the turns before",
                takes_over_at: TAKEN_OVER_AT,
                ..Scene::ordinary("takes-over", "a match taken over after its beginning", seats)
            },
        ];
        if setup.can(Ability::Withdraw) && seats > 1 {
            scenes.push(Scene {
                hint: "seats that are out stay in \"players\"",
                others_leave_at: Some(TAKEN_OVER_AT),
                ..Scene::ordinary("others-leave", "the others drop out", seats)
            });
        }
        scenes
    }

    fn equipped(_: &ExternalSetup, own: Option<&Own>) -> Result<Arc<Equipment>, SetupError> {
        own.cloned().ok_or_else(|| SetupError::Components("its program was not started".to_owned()))
    }

    fn any_action(&self, seat: Seat, chance: &mut Dealer) -> String {
        let moves = self.legal(seat).unwrap_or_default();
        let count = moves.len() as u32;
        // A game that fails here fails in the match, too.
        if count == 0 { "{}".to_owned() } else { moves[chance.below(count) as usize].clone() }
    }
}
