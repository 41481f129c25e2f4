//! Prepared matches of patchwork.

use engine::dealer::Dealer;
use engine::game::{Game as _, Seat, Setup as _};
use engine::patch::ShapeText;
use engine::patchwork::{Action, Leather, PatchText, Patchwork, PatchworkSetup, Rules, TrackText};

use super::{Own, Scene, Scenes};

impl Scenes for Patchwork {
    fn scenes(_: Option<&Own>) -> Vec<Scene<Patchwork>> {
        let mut scenes = vec![
            Scene::ordinary("first-seat", "a match in the first seat", 2),
            Scene {
                hint: "your quilt is players[seat]; \"id\" counts the decisions of both, so copy it from the turn",
                seat: 1,
                has_bank: true,
                ..Scene::ordinary("second-seat", "a match in the second seat, with a bank of time", 2)
            },
            Scene {
                hint: "take the leather patches from \"track\" and from the state, not from memory",
                setup: PatchworkSetup {
                    rules: Rules { leather: Leather::Revised },
                    ..PatchworkSetup::default()
                },
                ..Scene::ordinary("revised-track", "the revised track", 2)
            },
            Scene {
                hint: "take patches, costs and track from the start message: users play with others",
                setup: other_patches(),
                ..Scene::ordinary("other-patches", "other patches on another track", 2)
            },
            Scene {
                hint: "\"circle\" may have fewer than three patches, or none",
                setup: with_patches(|patches| patches.truncate(2)),
                ..Scene::ordinary("few-patches", "only two patches", 2)
            },
            Scene {
                hint: "where nothing can be paid for or fits, answer {\"advance\":true}",
                setup: with_patches(|patches| patches.iter_mut().for_each(|patch| patch.buttons = 99)),
                ..Scene::ordinary("broke", "nothing can be paid for", 2)
            },
            Scene {
                hint: "in phase \"leather\" answer {\"leather\":[row,col]} with an empty cell, once for each patch",
                setup: with_track(TrackText {
                    last: 24,
                    income: vec![12, 24],
                    leather: vec![6, 7, 8, 18, 23, 24],
                }),
                ..Scene::ordinary("much-leather", "several leather patches at once, and on the last space", 2)
            },
            Scene {
                hint: "\"income\" and \"leather\" of the track may be empty lists",
                setup: with_track(TrackText { last: 30, income: vec![], leather: vec![] }),
                ..Scene::ordinary("bare-track", "a track without income and leather", 2)
            },
        ];
        scenes.extend(Scene::common("a match taken over in its middle"));
        scenes
    }

    fn any_action(&self, seat: Seat, chance: &mut Dealer) -> Action {
        let moves = self.moves().expect("a seat that is asked has a move");
        let count = u32::try_from(self.legal_count(seat)).expect("some thousand at most");
        moves.nth(chance.below(count)).expect("below the count")
    }
}

fn with_patches(change: impl FnOnce(&mut Vec<PatchText>)) -> PatchworkSetup {
    let mut setup = PatchworkSetup::default().in_full();
    change(setup.patches.as_mut().expect("written out in full"));
    setup
}

fn with_track(track: TrackText) -> PatchworkSetup {
    PatchworkSetup { track: Some(track), ..PatchworkSetup::default() }
}

/// Returns ids, shapes, costs, and a track that the standard game does not have.
fn other_patches() -> PatchworkSetup {
    let shapes: [&[&str]; 4] = [&["XX", "XX", "XX"], &["X"], &["X..", "XXX", "..X"], &["XXXXXXXX"]];
    let patch = |number: usize| PatchText {
        id: format!("my_{number}-patch"),
        cells: ShapeText(shapes[number % shapes.len()].iter().map(|&row| row.to_owned()).collect()),
        buttons: (number % 5) as u32,
        time: 1 + (number % 7) as u32,
        income: (number % 4) as u32,
    };
    PatchworkSetup {
        rules: Rules::default(),
        patches: Some((0..20).map(patch).collect()),
        track: Some(TrackText { last: 40, income: vec![10, 20, 30, 40], leather: vec![15, 35] }),
    }
}
