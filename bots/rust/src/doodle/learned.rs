//! The numbers with which sheets are weighed, learned from play by [`Pupil`](super::Pupil).

use std::sync::LazyLock;

use super::net::Net;
use super::windows;

/// Turns of a round, and of the match.
pub(crate) const ROUND_TURNS: u8 = 6;
pub(crate) const MATCH_TURNS: u8 = 18;
/// Numbers are stored as whole ones of so many to the point, or to the unit of a network.
const SCALE: f32 = 8_192.0;

/// The numbers that the bots play with, written by `cargo run --release -p bench --example train`.
static BUNDLED: LazyLock<Learned> =
    LazyLock::new(|| Learned::from_bytes(include_bytes!("learned.bin")).expect("the trainer wrote it"));

/// What a sheet is worth after each turn but the last, after which it is counted.
#[derive(Clone, Debug)]
pub struct Learned {
    pub(super) stages: Vec<Stage>,
}

/// What a sheet is worth after a certain turn.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    /// What each window adds, in points, by its number.
    pub(super) windows: Vec<f32>,
    /// The rest.
    pub(super) net: Net,
}

impl Learned {
    /// That of the bundled bots.
    pub fn bundled() -> &'static Learned {
        &BUNDLED
    }

    /// Numbers that say nothing yet: windows add nothing, the networks are those that `chance` gives, which is to be
    /// asked for numbers from 0 to 1.
    pub fn nothing(mut chance: impl FnMut() -> f32) -> Learned {
        let mut stage = || {
            let mut net = Net::ZERO;
            for weight in net.weights.iter_mut().flatten().chain(&mut net.out) {
                *weight = (chance() - 0.5) / 2.0;
            }
            Stage { windows: vec![0.0; windows::count()], net }
        };
        Learned { stages: (0..MATCH_TURNS).map(|_| stage()).collect() }
    }

    /// Two bytes for each number, the lower one first: by turn the windows', then the network's.
    pub fn to_bytes(&self) -> Vec<u8> {
        let numbers =
            self.stages.iter().flat_map(|stage| stage.windows.iter().copied().chain(stage.net.numbers()));
        numbers.flat_map(|number| ((number * SCALE).round() as i16).to_le_bytes()).collect()
    }

    /// From such bytes; `None` where they are too few or too many.
    pub fn from_bytes(bytes: &[u8]) -> Option<Learned> {
        let (pairs, rest) = bytes.as_chunks();
        let mut numbers = pairs.iter().map(|&pair| f32::from(i16::from_le_bytes(pair)) / SCALE);
        let mut learned = Learned::nothing(|| 0.0);
        for Stage { windows, net } in &mut learned.stages {
            for number in windows.iter_mut().chain(net.numbers_mut()) {
                *number = numbers.next()?;
            }
        }
        (rest.is_empty() && numbers.next().is_none()).then_some(learned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_being_written() {
        let bytes = Learned::bundled().to_bytes();
        assert_eq!(bytes, include_bytes!("learned.bin"));
        assert!(Learned::from_bytes(&bytes[2..]).is_none());
        assert!(Learned::from_bytes(&[&bytes[..], &[0]].concat()).is_none());
    }
}
