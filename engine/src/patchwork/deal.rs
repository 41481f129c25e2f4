//! The deal: the order of the patches in the circle, the only chance of the game.

use serde::{Deserialize, Serialize};

use crate::dealer::Dealer;
use crate::game::SetupError;
use crate::patchwork::equipment::{Equipment, PatchId};
#[cfg(feature = "schema")]
use crate::patchwork::patches::PATCHES_MAX;
use crate::patchwork::state::SEATS;
use crate::wire::json;
use crate::wire::name::CardName;

/// The stream of [`Dealer`] that shuffles the circle; doodle has the streams 1 to 3.
const STREAM_CIRCLE: u64 = 4;

/// Everything that chance decides in a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Deal {
    /// All patches, clockwise from the neutral token; the smallest one is last.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = PATCHES_MAX), extend("uniqueItems" = true)))]
    pub circle: Vec<CardName>,
}

impl Deal {
    /// Deals for two seats: shuffles all patches, in the order of the file, except the last
    /// of the circle.
    pub(super) fn new(equipment: &Equipment, seats: usize, seed: u64) -> Result<Deal, SetupError> {
        if seats != SEATS {
            return Err(SetupError::Seats(format!(
                "patchwork is for 2 seats, not {seats}: take two bots, or play doodle"
            )));
        }
        let last = equipment.last_in_circle();
        let mut circle: Vec<PatchId> = equipment.patches().filter(|&id| id != last).collect();
        Dealer::new(seed, STREAM_CIRCLE).shuffle(&mut circle);
        circle.push(last);
        Ok(Deal { circle: circle.into_iter().map(|id| equipment.name(id)).collect() })
    }

    /// Appends the deal to a line as JSON, with the same bytes as serde.
    pub(super) fn write_json(&self, line: &mut Vec<u8>) {
        json::raw(line, r#"{"circle":"#);
        json::list(line, &self.circle, |line, name| name.write_json(line));
        line.push(b'}');
    }

    /// The patches of the circle.
    ///
    /// # Errors
    /// [`SetupError::Deal`] if they are not the patches of the equipment, or if the wrong one is last.
    pub(super) fn patches(&self, equipment: &Equipment) -> Result<Vec<PatchId>, SetupError> {
        let find = |name: &CardName| {
            let unknown = || SetupError::Deal(format!("{name} is not a patch of this match"));
            equipment.find_name(name).ok_or_else(unknown)
        };
        let circle = self.circle.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        let mut sorted = circle.clone();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(equipment.patches()) {
            let what = "the circle does not have every patch once";
            return Err(SetupError::Deal(what.to_owned()));
        }
        let last = equipment.last_in_circle();
        match circle.last() == Some(&last) {
            true => Ok(circle),
            false => Err(SetupError::Deal(format!(
                "the circle must end with {}, the smallest patch",
                equipment.name(last)
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deal(seed: u64) -> Deal {
        Deal::new(&Equipment::standard(), 2, seed).unwrap()
    }

    /// These deals must never change: records and results depend on them.
    #[test]
    fn golden_deals() {
        let listed = |seed| {
            let names: Vec<String> = deal(seed).circle.iter().map(ToString::to_string).collect();
            names.join(" ").replace('W', "")
        };
        for (seed, circle) in [
            (
                0,
                "27 15 05 20 29 02 25 33 03 09 11 16 21 28 08 07 10 14 24 32 19 18 22 30 04 13 12 06 26 31 23 17 01",
            ),
            (
                1,
                "32 11 28 02 23 29 19 14 03 05 30 20 10 13 09 04 15 31 22 18 16 21 33 12 25 27 08 24 17 06 07 26 01",
            ),
            (
                2,
                "31 33 21 20 02 05 29 30 16 04 07 22 12 17 06 23 13 25 10 03 19 24 09 27 08 26 32 18 28 11 14 15 01",
            ),
            (
                (1 << 53) - 1,
                "06 03 14 08 20 02 16 15 33 22 23 04 07 21 18 12 10 13 11 24 19 25 26 28 05 32 27 17 30 31 29 09 01",
            ),
        ] {
            assert_eq!(listed(seed), circle, "seed {seed}");
        }
    }

    #[test]
    fn every_patch_is_dealt_once_and_the_smallest_last() {
        let equipment = Equipment::standard();
        for seed in 0..50 {
            let circle = deal(seed).patches(&equipment).unwrap();
            assert_eq!(circle.last(), Some(&equipment.last_in_circle()));
        }
        assert_ne!(deal(1), deal(2));
    }

    #[test]
    fn only_two_can_play() {
        for seats in [0, 1, 3] {
            let error = Deal::new(&Equipment::standard(), seats, 1).unwrap_err();
            let text = format!("patchwork is for 2 seats, not {seats}: take two bots, or play doodle");
            assert_eq!(error, SetupError::Seats(text));
        }
    }

    #[test]
    fn a_wrong_deal_is_refused() {
        let refused = |change: fn(&mut Vec<CardName>)| {
            let mut deal = deal(1);
            change(&mut deal.circle);
            deal.patches(&Equipment::standard()).unwrap_err().to_string()
        };
        assert!(refused(|circle| circle[0] = circle[1]).ends_with("every patch once"));
        assert!(refused(|circle| circle.truncate(3)).ends_with("every patch once"));
        assert!(refused(|circle| circle[0] = "W99".parse().unwrap()).ends_with("of this match"));
        assert!(refused(|circle| circle.swap(0, 32)).ends_with("end with W01, the smallest patch"));
    }
}
