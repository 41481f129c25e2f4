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
        let mut scenes = vec![
            Scene::ordinary("match", "a match", seats),
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
        ];
        // Objects of a state may have names as fields, so no field is added.
        let is_fit = |scene: &Scene<_>| {
            scene.variant != Variant::Fields
                && (scene.others_leave_at.is_none() || setup.can(Ability::Withdraw))
        };
        let common = Scene::common("a match taken over after its beginning").into_iter().filter(is_fit);
        scenes.extend(common.map(|scene| Scene {
            seats,
            takes_over_at: scene.takes_over_at.min(TAKEN_OVER_AT),
            ..scene
        }));
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
