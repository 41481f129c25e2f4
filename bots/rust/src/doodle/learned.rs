//! Parameters of the value function, learned by [`Pupil`](super::Pupil).

use std::sync::LazyLock;

use super::net::Net;
use crate::{stored, windows};

/// Turns of a round, and of the match.
pub(crate) const ROUND_TURNS: u8 = 6;
pub(crate) const MATCH_TURNS: u8 = 18;
/// Stored integers per point, or per unit of a network weight.
const SCALE: f32 = 8_192.0;

/// The parameters of the bundled bots, written by `cargo lab --release --example train`.
static BUNDLED: LazyLock<Learned> =
    LazyLock::new(|| Learned::from_bytes(include_bytes!("learned.bin")).expect("the trainer wrote it"));

/// A value function of sheets for each turn except the last. After the last turn, sheets are scored exactly.
#[derive(Clone, Debug)]
pub struct Learned {
    pub(super) stages: Vec<Stage>,
}

/// The value function after a given turn.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    /// The weight of each window, in points, by window number.
    pub(super) windows: Vec<f32>,
    /// The value network. Its output is added to the window weights.
    pub(super) net: Net,
}

impl Learned {
    /// Returns the parameters of the bundled bots.
    pub fn bundled() -> &'static Learned {
        &BUNDLED
    }

    /// Makes untrained parameters. Window weights are 0, and network weights are random; `chance` must return
    /// numbers from 0 to 1.
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

    /// Serializes the parameters as little-endian 16-bit integers: by turn, first the windows, then the
    /// network.
    pub fn to_bytes(&self) -> Vec<u8> {
        let numbers =
            self.stages.iter().flat_map(|stage| stage.windows.iter().copied().chain(stage.net.numbers()));
        stored::to_bytes(numbers, SCALE)
    }

    /// Reads parameters from the format of [`Learned::to_bytes`]. `None` if the length is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Option<Learned> {
        let mut learned = Learned::nothing(|| 0.0);
        let stages = learned.stages.iter_mut();
        let numbers = stages.flat_map(|Stage { windows, net }| windows.iter_mut().chain(net.numbers_mut()));
        stored::read(bytes, numbers, SCALE)?;
        Some(learned)
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
