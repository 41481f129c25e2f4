//! What is drawn is what the engine has, turn by turn.

use std::path::Path;

use arena::games::Playable;
use engine::doodle::Doodle;
use engine::patchwork::Patchwork;
use serde_json::Value;

use crate::browser::{Page, browser};
use crate::matches::{Shown, expected, page, record};
use crate::program::scratch;

/// How many seats sit at the tables of doodle.
const TABLES: [usize; 10] = [1, 2, 2, 3, 4, 5, 6, 8, 10, 10];
/// How many matches of patchwork are looked at.
const PATCHWORK_MATCHES: u64 = 10;

/// Steps through all turns by the slider. Reads which patch the middle of each cell lies in from the
/// drawing itself, not from what it says of itself.
const STEP_THROUGH: &str = r#"(() => {
  const slider = document.querySelector('input[type=range]');
  const shown = [];
  for (let turn = 0; turn <= Number(slider.max); turn += 1) {
    slider.value = turn;
    slider.dispatchEvent(new Event('input'));
    const boards = [...document.querySelectorAll('svg.board')].map((board) => {
      const cells = Array(81).fill('');
      for (const patch of board.querySelectorAll('.patch:not(.absent)')) {
        const cloth = patch.querySelector('.cloth');
        const { x, y, width, height } = cloth.getBBox();
        for (let cell = 0; cell < 81; cell += 1) {
          const middle = new DOMPoint((cell % 9) * 10 + 5, Math.floor(cell / 9) * 10 + 5);
          const isNear = middle.x > x && middle.x < x + width && middle.y > y && middle.y < y + height;
          if (isNear && cloth.isPointInFill(middle)) cells[cell] += patch.dataset.card ?? '-';
        }
      }
      return cells;
    });
    const scores = [...document.querySelectorAll('.score')]
      .map((score) => Number(score.firstChild.data.replace('\u2212', '-')));
    shown.push({ boards, scores });
  }
  return shown;
})()"#;

fn read(shown: &Value) -> Shown {
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    Shown {
        boards: list(&shown["boards"]).iter().map(|board| list(board).iter().map(text).collect()).collect(),
        scores: list(&shown["scores"]).iter().map(|score| score.as_i64().expect("a score") as i32).collect(),
    }
}

fn hold_against_the_engine<G: Playable>(browser: &mut Page<'_>, record: &Path) {
    browser.open(&page(record), "");
    let shown = browser.evaluate(STEP_THROUGH);
    let shown: Vec<Shown> = shown.as_array().expect("a list").iter().map(read).collect();
    let expected = expected::<G>(record);
    assert_eq!(shown.len(), expected.len(), "{}", record.display());
    for (turn, (shown, expected)) in shown.iter().zip(&expected).enumerate() {
        assert_eq!(shown, expected, "{} after {turn} turns", record.display());
    }
}

#[test]
fn every_turn_of_doodle_is_drawn_as_the_engine_has_it() {
    let Some(mut browser) = browser() else { return };
    let (folder, mut page) = (scratch(), browser.page(1280, 800, "light"));
    for (seed, seats) in (0..).zip(TABLES) {
        hold_against_the_engine::<Doodle>(&mut page, &record(folder.path(), "doodle", seats, seed));
    }
}

#[test]
fn every_turn_of_patchwork_is_drawn_as_the_engine_has_it() {
    let Some(mut browser) = browser() else { return };
    let (folder, mut page) = (scratch(), browser.page(1280, 800, "dark"));
    for seed in 0..PATCHWORK_MATCHES {
        hold_against_the_engine::<Patchwork>(&mut page, &record(folder.path(), "patchwork", 2, seed));
    }
}
