//! The page draws the state of the engine, turn by turn.

use std::path::Path;

use engine::doodle::Doodle;
use engine::patchwork::Patchwork;
use referee::games::GameKind;
use serde_json::{Value, json};

use crate::browser::{Page, browser};
use crate::program::scratch;
use crate::view::matches::{Shown, expected, page, record};

/// Number of seats of each doodle match.
const TABLES: [usize; 10] = [1, 2, 2, 3, 4, 5, 6, 8, 10, 10];
/// Number of patchwork matches.
const PATCHWORK_MATCHES: u64 = 10;

/// Steps through all turns with the slider. It reads from the drawing itself which patch covers the center of
/// each cell, not from the labels.
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
    const all = (within, what, read) => [...within.querySelectorAll(what)].map(read);
    const text = (element) => element.firstChild.data;
    const card = (element) => element.dataset.card;
    const figures = (seat) => all(seat, '.rounds b', text).filter((figure) => figure !== '\u2013').map(Number);
    const facts = document.querySelector('main.patchwork') ? {
      figures: all(document, '.seat', figures),
      leather: all(document, '.space:not(.taken):has(.leather-mark)', (space) => Number(space.dataset.space)),
      offer: all(document, '.offer li', card),
      rest: all(document, '.circle svg', (patch) => patch.getAttribute('aria-label')),
    } : {
      seats: all(document, '.seat', (seat) => ({
        rounds: figures(seat),
        left: all(seat, '.special.left', text),
        scored: all(seat, '.scored .points', (points) => Number(text(points))),
      })),
      ring: all(document, '.ring .card', card).sort(),
      offer: all(document, '.ring .offered', card).sort(),
    };
    // The parts of each score are its whole.
    const sums = all(document, '.seat .sum', (sum) => sum.textContent.replaceAll('\u2212', '-').replace('7\u00d77', '').replace(/[^-+0-9]/g, ''))
      .map((sum) => sum.match(/[-+]?\d+/g).reduce((total, part) => total + Number(part), 0));
    if (String(sums) !== String(scores)) throw new Error(`turn ${turn}: ${sums} are not ${scores}`);
    shown.push({ boards, scores, facts });
  }
  return shown;
})()"#;

fn read(shown: &Value) -> Shown {
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    Shown {
        boards: list(&shown["boards"]).iter().map(|board| list(board).iter().map(text).collect()).collect(),
        scores: list(&shown["scores"]).iter().map(|score| score.as_i64().expect("a score") as i32).collect(),
        facts: shown["facts"].clone(),
    }
}

fn hold_against_the_engine<G: GameKind>(browser: &mut Page<'_>, record: &Path) {
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
    for (seed, seats) in (0..).zip(TABLES).step_by(needs::sized(3, 3, 1)) {
        hold_against_the_engine::<Doodle>(&mut page, &record(folder.path(), "doodle", seats, seed));
    }
}

#[test]
fn every_turn_of_patchwork_is_drawn_as_the_engine_has_it() {
    let Some(mut browser) = browser() else { return };
    let (folder, mut page) = (scratch(), browser.page(1280, 800, "dark"));
    for seed in (0..PATCHWORK_MATCHES).step_by(needs::sized(3, 3, 1)) {
        hold_against_the_engine::<Patchwork>(&mut page, &record(folder.path(), "patchwork", 2, seed));
    }
}

/// Checks the matches of a golden journal. Many of them have faults, some before the first turn.
fn recorded<G: GameKind>(page: &mut Page<'_>) {
    let journal =
        format!("{}/../tests/golden/journals/{}/matches.jsonl", env!("CARGO_MANIFEST_DIR"), G::NAME);
    let folder = scratch();
    for (number, line) in std::fs::read_to_string(journal).expect("a journal").lines().enumerate() {
        let file = folder.path().join(format!("{number}.json"));
        std::fs::write(&file, line).expect("a scratch file");
        hold_against_the_engine::<G>(page, &file);
        let shown = page.evaluate(
            "[...document.querySelectorAll('.seat')].map((seat) => {
               const fault = seat.querySelector('.fault');
               return fault.hidden ? null : [seat.querySelector('.badge').textContent, fault.textContent];
             })",
        );
        assert_eq!(shown, faults(&serde_json::from_str(line).expect("a record")), "{} {number}", G::NAME);
    }
}

/// Returns the fault text that the page must show for each seat at the end.
fn faults(record: &Value) -> Value {
    let seats = record["bots"].as_array().expect("bots").len();
    let mut shown = vec![Value::Null; seats];
    for turn in record["turns"].as_array().expect("turns").iter().filter(|turn| turn["fault"].is_object()) {
        let asks_one = record["game"] == "patchwork";
        let is_early = asks_one && turn["id"] == 0 && turn["seat"] != 0;
        let number = turn["id"].as_u64().expect("a number") + 1;
        let when = if is_early { "at the start".to_owned() } else { format!("in turn {number}") };
        let [kind, detail] = ["kind", "detail"].map(|field| turn["fault"][field].as_str().expect("a text"));
        shown[turn["seat"].as_u64().expect("a seat") as usize] =
            json!(["out", format!("Fault {when}: {kind}. {detail}")]);
    }
    json!(shown)
}

#[test]
fn recorded_matches_with_faults_are_drawn_and_the_faults_told() {
    let Some(mut browser) = browser() else { return };
    let mut page = browser.page(1280, 800, "light");
    recorded::<Doodle>(&mut page);
    recorded::<Patchwork>(&mut page);
}
