//! A naive implementation of Patchwork Doodle.
//!
//! [`State`] holds one match for all seats. [`State::play`] takes one move per seat and judges each from the
//! rule text. [`State::legal_moves`], [`State::drawings`], and [`State::legal_count`] list and count the
//! legal moves of a seat. Judging and listing share only the list of a card's pieces and the price of the
//! special actions.

use super::shapes::{
    self, Board, Cell, EMPTY_BOARD, SIZE, Shape, canonical, check_free, cover, empty_cells, empty_count,
    forms_by_cuts, is_full_rectangle,
};
use serde_json::Value;

/// Turns of a round.
pub const TURNS: u8 = 6;
/// Rounds of a game.
pub const ROUNDS: u8 = 3;
/// Die rolls of a game: one for each turn but the last.
pub const ROLLS: usize = 17;
/// Cards in the circle when a round begins.
const FULL_CIRCLE: usize = 8;
/// Cards that rounds 2 and 3 add to the two left over.
const REFILL: usize = 6;
/// Patch cards that a game turns up.
const CARDS_USED: usize = 20;

// ---------------------------------------------------------------------------------------------
// Cards

/// One way to draw a card, or a piece of it, on an empty sheet.
#[derive(Clone, Debug)]
struct Placement {
    cells: Vec<Cell>,
    cuts: u8,
}

/// A start card or a patch card.
#[derive(Clone, Debug)]
pub struct Card {
    /// The id on the card, such as `P07`.
    pub id: String,
    /// The shape as printed.
    pub shape: Shape,
    /// The shapes that can be drawn with 0, 1, and 2 cuts, see [`forms_by_cuts`].
    forms: [Vec<Shape>; 3],
    /// All placements on an empty sheet, ascending by cells. Computed once for each card; otherwise thousands
    /// of games would take too long.
    placements: Vec<Placement>,
}

impl Card {
    fn new(id: String, shape: Shape) -> Self {
        let forms = forms_by_cuts(&shape);
        let mut placements = Vec::new();
        for (cuts, patches) in (0u8..).zip(&forms) {
            for patch in patches {
                for cells in shapes::placements(patch) {
                    placements.push(Placement { cells, cuts });
                }
            }
        }
        placements.sort_by(|a, b| a.cells.cmp(&b.cells));
        Card { id, shape, forms, placements }
    }

    /// Returns the fewest cuts after which these cells can be drawn from this card.
    fn cuts_for(&self, cells: &[Cell]) -> Option<u8> {
        let wanted = canonical(cells);
        (0u8..).zip(&self.forms).find(|(_, forms)| forms.contains(&wanted)).map(|(cuts, _)| cuts)
    }
}

/// The cards of one edition.
#[derive(Clone, Debug)]
pub struct Cards {
    /// The start cards in the file's order.
    pub starts: Vec<Card>,
    /// The patch cards in the file's order.
    pub patches: Vec<Card>,
}

impl Cards {
    /// Reads a card file. An error names the wrong card.
    pub fn parse(json: &str) -> Result<Cards, String> {
        let file: Value = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let cards =
            Cards { starts: parse_card_list(&file["starts"])?, patches: parse_card_list(&file["patches"])? };
        let mut ids: Vec<&str> = cards.starts.iter().chain(&cards.patches).map(|c| &*c.id).collect();
        ids.sort_unstable();
        for pair in ids.windows(2) {
            if pair[0] == pair[1] {
                return Err(format!("{}: the id is used twice", pair[0]));
            }
        }
        if cards.patches.len() < CARDS_USED {
            return Err(format!("{} patch cards are too few", cards.patches.len()));
        }
        Ok(cards)
    }

    /// Returns the start or patch card with this id.
    pub fn find(&self, id: &str) -> Option<&Card> {
        self.starts.iter().chain(&self.patches).find(|card| card.id == id)
    }

    fn known(&self, id: &str) -> &Card {
        self.find(id).expect("a deal is accepted only when all its cards are known")
    }
}

fn parse_card_list(list: &Value) -> Result<Vec<Card>, String> {
    let mut cards = Vec::new();
    for entry in list.as_array().ok_or("a card file needs the lists starts and patches")? {
        let id = entry["id"].as_str().ok_or("a card has no id")?;
        let shape = shapes::parse_json_shape(&entry["cells"]).map_err(|error| format!("{id}: {error}"))?;
        cards.push(Card::new(id.to_owned(), shape));
    }
    Ok(cards)
}

/// All random elements of a match.
#[derive(Clone, Debug)]
pub struct Deal {
    /// The start card of each seat.
    pub starts: Vec<String>,
    /// All patch cards in their shuffled order. The first eight are the circle.
    pub deck: Vec<String>,
    /// The 17 rolls.
    pub dice: Vec<u8>,
}

// ---------------------------------------------------------------------------------------------
// Special actions

/// The special actions that one move uses. They do not say whether the action or its repeat pays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Needs {
    neighbor: u8,
    single: u8,
    cut: u8,
}

/// The special actions not yet crossed out on a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Actions {
    /// Draw the card left or right of the token's.
    pub neighbor: bool,
    /// Shade a single cell.
    pub single: bool,
    /// Cut the patch.
    pub cut: bool,
    /// Use one of the other three a second time.
    pub repeat: bool,
}

impl Actions {
    const ALL: Actions = Actions { neighbor: true, single: true, cut: true, repeat: true };

    /// Returns the names of the actions left, in the sheet's order.
    pub fn names(self) -> Vec<&'static str> {
        let mut names = Vec::new();
        for (left, name) in
            [(self.neighbor, "neighbor"), (self.single, "single"), (self.cut, "cut"), (self.repeat, "repeat")]
        {
            if left {
                names.push(name);
            }
        }
        names
    }

    /// Returns the actions left after a move, or `None` if the sheet cannot pay for it.
    fn after(self, needs: Needs) -> Option<Actions> {
        let mut left = self;
        for _ in 0..needs.neighbor {
            cross_out(&mut left.neighbor, &mut left.repeat)?;
        }
        for _ in 0..needs.single {
            cross_out(&mut left.single, &mut left.repeat)?;
        }
        for _ in 0..needs.cut {
            cross_out(&mut left.cut, &mut left.repeat)?;
        }
        Some(left)
    }
}

/// Crosses out the action at its first use, and the repeat at a second use.
fn cross_out(action: &mut bool, repeat: &mut bool) -> Option<()> {
    let pays = if *action { action } else { repeat };
    if !*pays {
        return None;
    }
    *pays = false;
    Some(())
}

// ---------------------------------------------------------------------------------------------
// Moves

/// A patch or a piece of it, at one place of the sheet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Drawing {
    /// The card drawn from.
    pub card: String,
    /// The cells, ascending.
    pub cells: Vec<Cell>,
    /// True if the card is a neighbor of the token's card, so that drawing it uses the neighbor action.
    pub neighbor: bool,
    /// The fewest cuts that give this piece.
    pub cuts: u8,
}

/// The move of one seat in one turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Move {
    /// Card and cells, or `None` for a pass.
    pub draw: Option<(String, Vec<Cell>)>,
    /// Cells shaded with the single action.
    pub singles: Vec<Cell>,
}

impl Move {
    /// Returns a move that draws nothing and shades nothing.
    pub fn pass() -> Move {
        Move::default()
    }
}

impl Drawing {
    /// Returns the move with this drawing and these singles.
    pub fn to_move(&self, singles: &[Cell]) -> Move {
        Move { draw: Some((self.card.clone(), self.cells.clone())), singles: singles.to_vec() }
    }
}

// ---------------------------------------------------------------------------------------------
// The match

/// The kind of decision that the seats owe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Draw the start patch.
    Start,
    /// An ordinary turn with a roll.
    Draw,
    /// The last turn: any one of the three cards left.
    Final,
    /// The match is over.
    Over,
}

impl Phase {
    /// Returns the name of the phase in the protocol. Bots never see `over`.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Start => "start",
            Phase::Draw => "draw",
            Phase::Final => "final",
            Phase::Over => "over",
        }
    }
}

/// One player's side of the match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// The id of the start card.
    pub start: String,
    /// The shaded cells.
    pub board: Board,
    /// The scores of the rounds that are over.
    pub rounds: Vec<i32>,
    /// The special actions left.
    pub actions: Actions,
}

/// The present result of a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Score {
    /// The round scores.
    pub rounds: Vec<i32>,
    /// Cells not shaded.
    pub empties: i32,
    /// Round scores minus empty cells.
    pub total: i32,
}

/// One match, all seats.
#[derive(Clone, Debug)]
pub struct State<'c> {
    cards: &'c Cards,
    phase: Phase,
    round: u8,
    turn: u8,
    circle: Vec<String>,
    /// The cards below the circle, the next one first.
    deck: Vec<String>,
    /// The remaining rolls, the next one first.
    dice: Vec<u8>,
    sheets: Vec<Sheet>,
}

impl<'c> State<'c> {
    /// Starts a match, before the start patches. Refuses a deal that these cards cannot give.
    pub fn new(cards: &'c Cards, deal: &Deal) -> Result<State<'c>, String> {
        check_deal(cards, deal)?;
        let sheet = |start: &String| Sheet {
            start: start.clone(),
            board: EMPTY_BOARD,
            rounds: Vec::new(),
            actions: Actions::ALL,
        };
        Ok(State {
            cards,
            phase: Phase::Start,
            round: 1,
            turn: 0,
            circle: deal.deck[..FULL_CIRCLE].to_vec(),
            deck: deal.deck[FULL_CIRCLE..].to_vec(),
            dice: deal.dice.clone(),
            sheets: deal.starts.iter().map(sheet).collect(),
        })
    }

    /// Rebuilds the match from an observation, with this seat alone at the table. The unknown rolls become 1,
    /// and unseen cards come in the order of their ids.
    pub fn seen(cards: &'c Cards, state: &Value, seat: usize) -> Result<State<'c>, String> {
        let words = |list: &Value| -> Result<Vec<String>, String> {
            serde_json::from_value(list.clone()).map_err(|error| error.to_string())
        };
        let number = |value: &Value| value.as_u64().and_then(|n| u8::try_from(n).ok()).ok_or("no number");
        let player = &state["players"][seat];
        let offer = words(&state["offer"])?;
        let actions = words(&player["actions"])?;
        let has = |name: &str| actions.iter().any(|action| action == name);
        let sheet = Sheet {
            start: offer.first().ok_or("the offer is empty")?.clone(),
            board: shapes::parse_json_board(&player["board"])?,
            rounds: serde_json::from_value(player["rounds"].clone()).map_err(|error| error.to_string())?,
            actions: Actions {
                neighbor: has("neighbor"),
                single: has("single"),
                cut: has("cut"),
                repeat: has("repeat"),
            },
        };
        let phases = [Phase::Start, Phase::Draw, Phase::Final];
        Ok(State {
            cards,
            phase: phases.into_iter().find(|phase| state["phase"] == phase.name()).ok_or("no such phase")?,
            round: number(&state["round"])?,
            turn: number(&state["turn"])?,
            circle: words(&state["circle"])?,
            deck: words(&state["unseen"])?,
            dice: vec![1; ROLLS],
            sheets: vec![sheet],
        })
    }

    /// Returns the present phase.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Returns the round, 1 to 3.
    pub fn round(&self) -> u8 {
        self.round
    }

    /// Returns the turn within the round, 1 to 6; 0 for the start patches.
    pub fn turn(&self) -> u8 {
        self.turn
    }

    /// Returns the number of seats.
    pub fn seats(&self) -> usize {
        self.sheets.len()
    }

    /// Returns the circle clockwise: from the gap in the start phase, and from the token's card in the draw
    /// phase. In the final phase and after it, returns the three cards left.
    pub fn circle(&self) -> &[String] {
        &self.circle
    }

    /// Returns the seat's sheet.
    pub fn sheet(&self, seat: usize) -> &Sheet {
        &self.sheets[seat]
    }

    /// Returns the seat's board.
    pub fn board(&self, seat: usize) -> &Board {
        &self.sheets[seat].board
    }

    /// Returns the special actions left to the seat.
    pub fn actions(&self, seat: usize) -> Actions {
        self.sheets[seat].actions
    }

    /// Returns the cards that the seat may draw without a special action.
    pub fn offer(&self, seat: usize) -> Vec<String> {
        match self.phase {
            Phase::Start => vec![self.sheets[seat].start.clone()],
            Phase::Draw => vec![self.circle[0].clone()],
            Phase::Final => self.circle.clone(),
            Phase::Over => Vec::new(),
        }
    }

    /// Returns the cards within reach of the neighbor action: right and left of the token's card.
    fn neighbors(&self) -> Vec<String> {
        match self.phase {
            Phase::Draw => {
                vec![self.circle[1].clone(), self.circle[self.circle.len() - 1].clone()]
            }
            Phase::Start | Phase::Final | Phase::Over => Vec::new(),
        }
    }

    /// Returns the ids of the patch cards not turned up so far, sorted.
    pub fn unseen(&self) -> Vec<String> {
        let mut ids = self.deck.clone();
        ids.sort_unstable();
        ids
    }

    /// Returns the present result of the seat.
    pub fn score(&self, seat: usize) -> Score {
        let sheet = &self.sheets[seat];
        let empties = points(empty_count(&sheet.board));
        let total = sheet.rounds.iter().sum::<i32>() - empties;
        Score { rounds: sheet.rounds.clone(), empties, total }
    }

    // ----- listing what a seat may do

    /// Returns all distinct legal drawings, ascending by card and cells. In the start phase the seat must
    /// play one of them. Later it may also pass.
    pub fn drawings(&self, seat: usize) -> Vec<Drawing> {
        let sheet = &self.sheets[seat];
        let mut reach: Vec<(String, bool)> = self.offer(seat).into_iter().map(|id| (id, false)).collect();
        reach.extend(self.neighbors().into_iter().map(|id| (id, true)));
        reach.sort();

        let mut found = Vec::new();
        for (id, neighbor) in reach {
            let payable: Vec<bool> = (0u8..3).map(|c| self.can_pay(seat, neighbor, c, 0)).collect();
            for placement in &self.cards.known(&id).placements {
                let fits = |cell: &Cell| !shapes::is_covered(&sheet.board, *cell);
                if payable[usize::from(placement.cuts)] && placement.cells.iter().all(fits) {
                    found.push(Drawing {
                        card: id.clone(),
                        cells: placement.cells.clone(),
                        neighbor,
                        cuts: placement.cuts,
                    });
                }
            }
        }
        found
    }

    fn can_pay(&self, seat: usize, neighbor: bool, cut: u8, single: u8) -> bool {
        if self.phase == Phase::Start {
            return !neighbor && cut == 0 && single == 0;
        }
        let needs = Needs { neighbor: u8::from(neighbor), single, cut };
        self.phase != Phase::Over && self.sheets[seat].actions.after(needs).is_some()
    }

    /// Returns the largest number of singles, 0 to 2, with this drawing or with a pass. The sheet must be
    /// able to pay for them, and there must be cells left to shade.
    pub fn singles_max(&self, seat: usize, drawing: Option<&Drawing>) -> usize {
        let room = empty_count(&self.sheets[seat].board) - drawing.map_or(0, |d| d.cells.len());
        self.singles_payable(seat, drawing).min(room)
    }

    fn singles_payable(&self, seat: usize, drawing: Option<&Drawing>) -> usize {
        let (neighbor, cuts) = drawing.map_or((false, 0), |d| (d.neighbor, d.cuts));
        if self.can_pay(seat, neighbor, cuts, 2) {
            2
        } else if self.can_pay(seat, neighbor, cuts, 1) {
            1
        } else {
            0
        }
    }

    /// Returns the number of distinct legal moves.
    pub fn legal_count(&self, seat: usize) -> u64 {
        self.legal_count_with(seat, &self.drawings(seat))
    }

    /// Like [`State::legal_count`], for a caller who already has the seat's drawings.
    pub fn legal_count_with(&self, seat: usize, drawings: &[Drawing]) -> u64 {
        let empty = empty_count(&self.sheets[seat].board);
        let mut count = 0;
        for drawing in drawings {
            let room = empty - drawing.cells.len();
            count += subset_count(room, self.singles_payable(seat, Some(drawing)));
        }
        if self.may_pass() {
            count += subset_count(empty, self.singles_payable(seat, None));
        }
        count
    }

    fn may_pass(&self) -> bool {
        matches!(self.phase, Phase::Draw | Phase::Final)
    }

    /// Returns all distinct legal moves. There can be millions; check [`State::legal_count`] first.
    pub fn legal_moves(&self, seat: usize) -> Vec<Move> {
        let drawings = self.drawings(seat);
        let mut choices: Vec<Option<&Drawing>> = drawings.iter().map(Some).collect();
        if self.may_pass() {
            choices.push(None);
        }
        let mut moves = Vec::new();
        for drawing in choices {
            let draw = drawing.map(|d| (d.card.clone(), d.cells.clone()));
            let mut free = empty_cells(&self.sheets[seat].board);
            free.retain(|cell| drawing.is_none_or(|d| !d.cells.contains(cell)));
            for singles in subsets(&free, self.singles_max(seat, drawing)) {
                moves.push(Move { draw: draw.clone(), singles });
            }
        }
        moves
    }

    // ----- playing

    /// Plays one turn with one move per seat. If any move is illegal, nothing changes, and the error names
    /// the first such seat.
    pub fn play(&mut self, moves: &[Move]) -> Result<(), String> {
        if self.phase == Phase::Over {
            return Err("the game is over".to_owned());
        }
        if moves.len() != self.sheets.len() {
            return Err(format!("{} moves for {} seats", moves.len(), self.sheets.len()));
        }
        let mut sheets = Vec::new();
        for (seat, played) in moves.iter().enumerate() {
            let after = self.judge(seat, played).map_err(|why| format!("seat {seat}: {why}"))?;
            sheets.push(after);
        }
        self.sheets = sheets;
        self.end_turn();
        Ok(())
    }

    /// Returns the seat's sheet after the move, or the reason why the move is illegal.
    fn judge(&self, seat: usize, played: &Move) -> Result<Sheet, String> {
        let mut sheet = self.sheets[seat].clone();
        let mut needs = Needs::default();
        match &played.draw {
            Some((id, cells)) => {
                let cells = check_free(&sheet.board, cells)?;
                needs = self.needs_of(seat, id, &cells)?;
                cover(&mut sheet.board, &cells);
            }
            None if self.phase == Phase::Start => {
                return Err("the start patch must be drawn".to_owned());
            }
            None => {}
        }
        // Checks singles after the drawing is on the sheet, so that they cannot overlap it.
        let singles = check_free(&sheet.board, &played.singles)?;
        cover(&mut sheet.board, &singles);
        needs.single = u8::try_from(singles.len()).map_err(|_| "too many singles".to_owned())?;

        if self.phase == Phase::Start {
            if needs != Needs::default() {
                return Err("the start patch takes no special action".to_owned());
            }
            return Ok(sheet);
        }
        sheet.actions =
            sheet.actions.after(needs).ok_or("the special actions needed are not on the sheet")?;
        Ok(sheet)
    }

    /// Returns the special actions for drawing these cells from this card, without singles.
    fn needs_of(&self, seat: usize, id: &String, cells: &[Cell]) -> Result<Needs, String> {
        let neighbor = if self.offer(seat).contains(id) {
            0
        } else if self.neighbors().contains(id) {
            1
        } else {
            return Err(format!("{id} cannot be drawn now"));
        };
        let cut = self
            .cards
            .known(id)
            .cuts_for(cells)
            .ok_or_else(|| format!("the cells are neither {id} nor a piece of it"))?;
        Ok(Needs { neighbor, single: 0, cut })
    }

    fn end_turn(&mut self) {
        if self.phase == Phase::Draw {
            // The token's card leads the list; without it, the list begins after the token's gap.
            self.circle.remove(0);
        }
        if self.turn == TURNS {
            self.end_round();
        } else {
            self.turn += 1;
        }
        if self.phase == Phase::Over {
            return;
        }
        if self.round == ROUNDS && self.turn == TURNS {
            self.phase = Phase::Final;
        } else {
            self.phase = Phase::Draw;
            self.roll();
        }
    }

    fn end_round(&mut self) {
        for sheet in &mut self.sheets {
            sheet.rounds.push(best_rectangle(&sheet.board));
        }
        if self.round == ROUNDS {
            self.phase = Phase::Over;
            return;
        }
        self.round += 1;
        self.turn = 1;
        let fresh: Vec<String> = self.deck.drain(..REFILL).collect();
        self.circle.extend(fresh);
    }

    /// Moves the token to the card of the next roll, and rotates the circle to begin there.
    fn roll(&mut self) {
        let rolled = self.dice.remove(0);
        for _ in 1..rolled {
            let skipped = self.circle.remove(0);
            self.circle.push(skipped);
        }
    }
}

fn check_deal(cards: &Cards, deal: &Deal) -> Result<(), String> {
    for id in &deal.starts {
        if !cards.starts.iter().any(|card| card.id == *id) {
            return Err(format!("{id} is not a start card"));
        }
    }
    let mut dealt = deal.deck.clone();
    let mut known: Vec<String> = cards.patches.iter().map(|card| card.id.clone()).collect();
    dealt.sort_unstable();
    known.sort_unstable();
    if dealt != known {
        return Err("the deck must hold every patch card once".to_owned());
    }
    if deal.dice.len() != ROLLS || deal.dice.iter().any(|roll| !(1..=3).contains(roll)) {
        return Err("a game has 17 rolls of 1 to 3".to_owned());
    }
    Ok(())
}

/// Counts the sets of at most `most` (0 to 2) cells.
fn subset_count(cells: usize, most: usize) -> u64 {
    let pairs = cells * cells.saturating_sub(1) / 2;
    let count = match most {
        0 => 1,
        1 => 1 + cells,
        _ => 1 + cells + pairs,
    };
    count as u64
}

/// Returns all sets of at most `most` (0 to 2) of the cells.
fn subsets(cells: &[Cell], most: usize) -> Vec<Vec<Cell>> {
    let mut found = vec![Vec::new()];
    if most >= 1 {
        found.extend(cells.iter().map(|&cell| vec![cell]));
    }
    if most >= 2 {
        for (index, &first) in cells.iter().enumerate() {
            found.extend(cells[index + 1..].iter().map(|&second| vec![first, second]));
        }
    }
    found
}

// ---------------------------------------------------------------------------------------------
// Scoring

/// Returns the score of a full rectangle: the square of its largest square, plus 1 for each further row or
/// column.
pub fn rectangle_score(height: u8, width: u8) -> i32 {
    let side = i32::from(height.min(width));
    side * side + i32::from(height.abs_diff(width))
}

/// Returns the score of the best rectangle of a sheet by trying them all; 0 on an empty sheet.
pub fn best_rectangle(board: &Board) -> i32 {
    let mut best = 0;
    for top in 0..SIZE {
        for left in 0..SIZE {
            for height in 1..=SIZE - top {
                for width in 1..=SIZE - left {
                    if is_full_rectangle(board, top, left, height, width) {
                        best = best.max(rectangle_score(height, width));
                    }
                }
            }
        }
    }
    best
}

fn points(count: usize) -> i32 {
    i32::try_from(count).expect("a board has 81 cells")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = include_str!("../../../engine/data/doodle-standard.json");

    fn cards() -> Cards {
        Cards::parse(FILE).expect("the standard cards are well-formed")
    }

    /// A deal with the deck in the file's order. All rolls are ones unless the test changes them.
    fn plain_deal(cards: &Cards, seats: usize) -> Deal {
        Deal {
            starts: cards.starts[..seats].iter().map(|card| card.id.clone()).collect(),
            deck: cards.patches.iter().map(|card| card.id.clone()).collect(),
            dice: vec![1; ROLLS],
        }
    }

    fn state<'c>(cards: &'c Cards, deal: &Deal) -> State<'c> {
        State::new(cards, deal).expect("the deal is from these cards")
    }

    /// Draws the first start placement for every seat.
    fn draw_starts(state: &mut State) {
        let moves: Vec<Move> = (0..state.seats()).map(|seat| state.drawings(seat)[0].to_move(&[])).collect();
        state.play(&moves).expect("listed drawings are legal");
    }

    fn pass_all(state: &mut State) {
        let moves = vec![Move::pass(); state.seats()];
        state.play(&moves).expect("passing is legal after the start");
    }

    fn ids(list: &[&str]) -> Vec<String> {
        list.iter().map(|id| (*id).to_owned()).collect()
    }

    fn draw(card: &str, cells: &[Cell], singles: &[Cell]) -> Move {
        Move { draw: Some((card.to_owned(), cells.to_vec())), singles: singles.to_vec() }
    }

    fn filled(height: u8, width: u8) -> Board {
        let mut board = EMPTY_BOARD;
        for row in 0..height {
            for column in 0..width {
                cover(&mut board, &[(row, column)]);
            }
        }
        board
    }

    #[test]
    fn rectangle_scores() {
        for (height, width, score) in [
            (3, 8, 14),
            (8, 3, 14),
            (4, 5, 17),
            (2, 2, 4),
            (1, 7, 7),
            (9, 9, 81),
            (5, 5, 25),
            (6, 6, 36),
            (7, 8, 50),
        ] {
            assert_eq!(best_rectangle(&filled(height, width)), score, "{height}x{width}");
        }
        assert_eq!(best_rectangle(&EMPTY_BOARD), 0);
    }

    #[test]
    fn the_better_of_two_rectangles_counts() {
        // A row of nine is worth 9, a square of 3 is worth 9, and 3x4 inside is worth 10.
        let mut board = filled(1, 9);
        assert_eq!(best_rectangle(&board), 9);
        cover(&mut board, &[(4, 4), (4, 5), (4, 6), (5, 4), (5, 5), (5, 6), (6, 4), (6, 5), (6, 6)]);
        assert_eq!(best_rectangle(&board), 9);
        cover(&mut board, &[(4, 7), (5, 7), (6, 7)]);
        assert_eq!(best_rectangle(&board), 10);
    }

    #[test]
    fn standard_cards() {
        let cards = cards();
        assert_eq!((cards.starts.len(), cards.patches.len()), (10, 30));
        assert!(cards.starts.iter().all(|card| card.shape.len() == 7));
        for card in cards.starts.iter().chain(&cards.patches) {
            let cells: Vec<_> = card.placements.iter().map(|p| &p.cells).collect();
            assert!(cells.windows(2).all(|pair| pair[0] < pair[1]), "{} repeats", card.id);
        }
    }

    #[test]
    fn bad_card_files_are_refused_with_the_id() {
        for (old, new) in [
            (r#""id": "P07", "cells": ["XXX", "X.."]"#, r#""id": "P07", "cells": ["X.X"]"#),
            (r#""id": "P06", "cells": ["XXXX"]"#, r#""id": "P07", "cells": ["XXXX"]"#),
            (r#""id": "P08", "cells": ["XXX", "X.."]"#, r#""id": "P07", "cells": []"#),
            (r#"["..X.", "XXXX", "..X."]"#, r#"["."]"#),
        ] {
            assert!(FILE.contains(old));
            let error = Cards::parse(&FILE.replace(old, new)).expect_err("the file is wrong");
            let named = if old.contains("..X.") { "P27" } else { "P07" };
            assert!(error.contains(named), "{error}");
        }
    }

    #[test]
    fn bad_deals_are_refused() {
        let cards = cards();
        let good = plain_deal(&cards, 2);
        let mut twice = good.clone();
        twice.deck[3] = twice.deck[4].clone();
        let mut short = good.clone();
        short.dice.pop();
        let mut four = good.clone();
        four.dice[5] = 4;
        let mut start = good.clone();
        start.starts[1] = "P01".to_owned();
        for deal in [twice, short, four, start] {
            assert!(State::new(&cards, &deal).is_err());
        }
    }

    #[test]
    fn circle_sizes_and_phases() {
        let cards = cards();
        let mut state = state(&cards, &plain_deal(&cards, 1));
        assert_eq!((state.phase(), state.round(), state.turn()), (Phase::Start, 1, 0));
        assert_eq!(state.circle().len(), 8);
        assert_eq!(state.unseen().len(), 22);
        draw_starts(&mut state);
        let mut sizes = Vec::new();
        while state.phase() != Phase::Over {
            let last = state.round() == 3 && state.turn() == 6;
            assert_eq!(state.phase() == Phase::Final, last);
            assert_eq!(state.offer(0).len(), if last { 3 } else { 1 });
            sizes.push(state.circle().len());
            pass_all(&mut state);
        }
        assert_eq!(sizes, [8, 7, 6, 5, 4, 3].repeat(3));
        assert_eq!(state.unseen().len(), 10);
        assert!(state.dice.is_empty());
        assert_eq!(state.score(0).rounds.len(), 3);
        assert!(state.play(&[Move::pass()]).is_err());
    }

    #[test]
    fn the_token_walks_and_the_circle_refills() {
        let cards = cards();
        let mut deal = plain_deal(&cards, 1);
        deal.dice[..7].copy_from_slice(&[3, 2, 1, 3, 1, 2, 2]);
        let mut state = state(&cards, &deal);
        assert_eq!(state.circle(), ids(&["P01", "P02", "P03", "P04", "P05", "P06", "P07", "P08"]));
        draw_starts(&mut state);
        let rows: [&[&str]; 7] = [
            &["P03", "P04", "P05", "P06", "P07", "P08", "P01", "P02"],
            &["P05", "P06", "P07", "P08", "P01", "P02", "P04"],
            &["P06", "P07", "P08", "P01", "P02", "P04"],
            &["P01", "P02", "P04", "P07", "P08"],
            &["P02", "P04", "P07", "P08"],
            &["P07", "P08", "P04"],
            &["P04", "P09", "P10", "P11", "P12", "P13", "P14", "P08"],
        ];
        for (turn, row) in rows.iter().enumerate() {
            assert_eq!(state.circle(), ids(row), "after {turn} turns");
            assert_eq!(state.offer(0), ids(&row[..1]));
            pass_all(&mut state);
        }
        assert_eq!((state.round(), state.turn()), (2, 2));
        assert_eq!(state.unseen().len(), 16);
    }

    #[test]
    fn the_start_patch_is_drawn_whole() {
        let cards = cards();
        let mut state = state(&cards, &plain_deal(&cards, 1));
        let listed = state.drawings(0);
        assert!(listed.iter().all(|d| d.card == "S01" && d.cells.len() == 7 && d.cuts == 0));
        assert_eq!(state.legal_count(0), listed.len() as u64);
        assert_eq!(state.legal_moves(0).len(), listed.len());
        assert_eq!(state.singles_max(0, None), 0);
        assert_eq!(state.singles_max(0, Some(&listed[0])), 0);

        assert!(state.play(&[Move::pass()]).is_err());
        assert!(state.play(&[listed[0].to_move(&[(8, 8)])]).is_err());
        // S01 is `..X/.XX/.X./XXX`; its lower end is cut off here.
        assert!(state.play(&[draw("S01", &[(0, 2), (1, 1), (1, 2), (2, 1)], &[])]).is_err());
        assert!(state.play(&[draw("P01", &[(0, 0)], &[])]).is_err());
        let whole = [(0, 2), (1, 1), (1, 2), (2, 1), (3, 0), (3, 1), (3, 2)];
        assert_eq!(state.play(&[draw("S01", &whole, &[])]), Ok(()));
        assert_eq!(state.actions(0).names(), ["neighbor", "single", "cut", "repeat"]);
    }

    /// One seat after the start patch. P17 (the U) is at the token, P18 (also a U) on its right, and P09 (the
    /// small square) on its left.
    fn at_the_u(cards: &Cards) -> State<'_> {
        let mut deal = plain_deal(cards, 1);
        for (place, id) in [(0, "P17"), (1, "P18"), (7, "P09")] {
            let from = deal.deck.iter().position(|other| other == id).expect("a standard card");
            deal.deck.swap(place, from);
        }
        let mut state = state(cards, &deal);
        draw_starts(&mut state);
        state.sheets[0].board = filled(2, 2);
        state
    }

    #[test]
    fn every_special_action_can_go_into_one_move() {
        let cards = cards();
        // A neighbor, a cut of it, and a single; the repeat pays for a second use of one of them.
        let mut one = at_the_u(&cards);
        assert_eq!(one.play(&[draw("P09", &[(5, 5), (5, 6)], &[(8, 8), (0, 8)])]), Ok(()));
        assert!(one.actions(0).names().is_empty());

        let mut two = at_the_u(&cards);
        assert_eq!(two.play(&[draw("P09", &[(5, 5)], &[(8, 8)])]), Ok(()));
        assert!(two.actions(0).names().is_empty());

        let mut three = at_the_u(&cards);
        let too_much = draw("P09", &[(5, 5)], &[(8, 8), (0, 8)]);
        let before = three.sheet(0).clone();
        assert!(three.play(&[too_much]).is_err());
        assert_eq!(*three.sheet(0), before);
        assert_eq!(three.play(&[draw("P17", &[(5, 5), (5, 6), (5, 7)], &[])]), Ok(()));
        assert_eq!(three.actions(0).names(), ["neighbor", "single"]);
    }

    #[test]
    fn a_crossed_out_action_is_repeated_once() {
        let cards = cards();
        let mut state = at_the_u(&cards);
        let pass_with = |singles: &[Cell]| Move { draw: None, singles: singles.to_vec() };
        assert_eq!(state.singles_max(0, None), 2);
        assert!(state.play(&[pass_with(&[(8, 8), (8, 7), (8, 6)])]).is_err());
        assert!(state.play(&[pass_with(&[(8, 8), (8, 8)])]).is_err());
        assert_eq!(state.play(&[pass_with(&[(8, 8)])]), Ok(()));
        assert_eq!(state.singles_max(0, None), 1);
        assert_eq!(state.play(&[pass_with(&[(8, 7)])]), Ok(()));
        assert_eq!(state.actions(0).names(), ["neighbor", "cut"]);
        assert_eq!(state.singles_max(0, None), 0);
        assert!(state.play(&[pass_with(&[(8, 6)])]).is_err());
    }

    #[test]
    fn equal_shapes_on_two_cards_are_two_drawings() {
        let cards = cards();
        let state = at_the_u(&cards);
        let listed = state.drawings(0);
        let of = |id: &str| -> Vec<&Drawing> { listed.iter().filter(|d| d.card == id).collect() };
        let (token, right, left) = (of("P17"), of("P18"), of("P09"));
        assert_eq!(listed.len(), token.len() + right.len() + left.len());
        assert!(token.iter().all(|d| !d.neighbor));
        assert!(right.iter().chain(&left).all(|d| d.neighbor));
        assert!(token.iter().zip(&right).all(|(a, b)| a.cells == b.cells && a.cuts == b.cuts));
        assert_eq!(token.len(), right.len());
        // The repeat pays for the second cut of a neighbor card: a monomino of the square.
        assert!(left.iter().any(|d| d.cuts == 2 && d.cells.len() == 1));
        let most = left.iter().find(|d| d.cuts == 2).expect("just seen");
        assert_eq!(state.singles_max(0, Some(most)), 1);
    }

    #[test]
    fn the_neighbor_action_leaves_its_card_in_the_circle() {
        let cards = cards();
        let mut state = at_the_u(&cards);
        let square = [(5, 5), (5, 6), (6, 5), (6, 6)];
        assert_eq!(state.play(&[draw("P09", &square, &[])]), Ok(()));
        assert_eq!(state.actions(0).names(), ["single", "cut", "repeat"]);
        assert_eq!(state.circle().len(), 7);
        assert!(state.circle().contains(&"P09".to_owned()));
        assert!(!state.circle().contains(&"P17".to_owned()));
    }

    #[test]
    fn drawings_must_fit_the_rules() {
        let cards = cards();
        let mut state = at_the_u(&cards);
        for bad in [
            draw("P17", &[(0, 0), (0, 1), (0, 2), (1, 0), (1, 2)], &[]), // covered
            draw("P17", &[(8, 0), (8, 1), (8, 2), (9, 0), (9, 2)], &[]), // outside
            draw("P17", &[(5, 0), (5, 1), (5, 2), (5, 3)], &[]),         // no piece of it
            draw("P17", &[(5, 0), (5, 1), (5, 0)], &[]),                 // named twice
            draw("P17", &[], &[]),                                       // nothing
            draw("P04", &[(5, 0)], &[]),                                 // out of reach
            draw("S01", &[(5, 0)], &[]),                                 // a start card
            draw("P99", &[(5, 0)], &[]),                                 // no card
            draw("P17", &[(5, 0), (5, 1), (5, 2), (6, 0), (6, 2)], &[(6, 2)]), // single on it
        ] {
            assert!(state.play(std::slice::from_ref(&bad)).is_err(), "{bad:?}");
        }
        // The order of the cells does not matter.
        let good = draw("P17", &[(6, 2), (5, 0), (6, 0), (5, 2), (5, 1)], &[]);
        assert_eq!(state.play(&[good]), Ok(()));
    }

    #[test]
    fn one_bad_move_stops_the_turn_for_all() {
        let cards = cards();
        let mut state = state(&cards, &plain_deal(&cards, 2));
        draw_starts(&mut state);
        let boards = [*state.board(0), *state.board(1)];
        let good = state.drawings(0)[0].to_move(&[]);
        assert!(state.play(&[good.clone(), draw("P30", &[(8, 8)], &[])]).is_err());
        assert!(state.play(std::slice::from_ref(&good)).is_err());
        assert_eq!([*state.board(0), *state.board(1)], boards);
        assert_eq!(state.turn(), 1);
        assert_eq!(state.play(&[good, Move::pass()]), Ok(()));
        assert_eq!(state.turn(), 2);
    }

    #[test]
    fn the_final_turn_offers_three_cards_to_all() {
        let cards = cards();
        let mut state = state(&cards, &plain_deal(&cards, 2));
        draw_starts(&mut state);
        for _ in 0..17 {
            pass_all(&mut state);
        }
        assert_eq!(state.phase(), Phase::Final);
        let listed = state.drawings(0);
        for id in state.circle() {
            assert!(listed.iter().any(|d| d.card == *id && !d.neighbor));
        }
        let same = listed.iter().find(|d| d.card == state.circle()[2]).expect("just seen");
        let other = state.drawings(1).into_iter().find(|d| d.card == same.card);
        let moves = [same.to_move(&[]), other.expect("the same three cards").to_move(&[])];
        assert_eq!(state.play(&moves), Ok(()));
        assert_eq!(state.phase(), Phase::Over);
        assert!(state.actions(0).neighbor && state.actions(1).neighbor);
        assert_eq!(state.legal_count(0), 0);
    }

    #[test]
    fn counted_and_listed_moves_agree() {
        let cards = cards();
        let mut state = at_the_u(&cards);
        // Boards with few empty cells, on which two singles hardly fit.
        for empty in [0, 1, 2, 3, 6, 9] {
            let mut board = filled(9, 9);
            for place in 0..empty {
                board[4 + place / 3][4 + place % 3] = false;
            }
            state.sheets[0].board = board;
            let mut moves = state.legal_moves(0);
            assert_eq!(moves.len() as u64, state.legal_count(0), "{empty} cells");
            moves.sort();
            moves.dedup();
            assert_eq!(moves.len() as u64, state.legal_count(0), "{empty} cells, distinct");
            for played in &moves {
                assert_eq!(state.clone().play(std::slice::from_ref(played)), Ok(()));
            }
        }
    }

    #[test]
    fn what_is_not_listed_is_refused() {
        let cards = cards();
        let mut state = at_the_u(&cards);
        let empty = [(4, 4), (4, 5), (4, 6), (5, 4), (5, 6), (6, 4)];
        state.sheets[0].board = filled(9, 9);
        for cell in empty {
            state.sheets[0].board[usize::from(cell.0)][usize::from(cell.1)] = false;
        }
        let mut sets: Vec<Vec<Cell>> = vec![Vec::new()];
        for cell in empty {
            let with_it: Vec<Vec<Cell>> = sets.iter().map(|set| [set.as_slice(), &[cell]].concat()).collect();
            sets.extend(with_it);
        }
        let ids: Vec<&String> = cards.starts.iter().chain(&cards.patches).map(|c| &c.id).collect();
        // Combines every set of cells of every card, and a pass, with every set of singles.
        let mut draws: Vec<Option<(String, Vec<Cell>)>> = vec![None];
        for id in ids {
            draws.extend(sets.iter().map(|set| Some((id.clone(), set.clone()))));
        }
        let mut accepted = Vec::new();
        for draw in draws {
            for singles in &sets {
                let played = Move { draw: draw.clone(), singles: singles.clone() };
                if state.judge(0, &played).is_ok() {
                    accepted.push(played);
                }
            }
        }
        let mut listed = state.legal_moves(0);
        listed.sort();
        accepted.sort();
        assert_eq!(accepted, listed);
    }

    #[test]
    fn round_scores_and_empty_cells_make_the_total() {
        let cards = cards();
        let mut state = state(&cards, &plain_deal(&cards, 1));
        draw_starts(&mut state);
        // The sample sheet of the French rules: rounds 25, 36, 50 and six empty cells.
        for board in [filled(5, 5), filled(6, 6), filled(7, 8)] {
            state.sheets[0].board = board;
            for _ in 0..6 {
                pass_all(&mut state);
            }
        }
        let mut board = filled(9, 9);
        for cell in board[8].iter_mut().take(6) {
            *cell = false;
        }
        state.sheets[0].board = board;
        assert_eq!(state.score(0), Score { rounds: vec![25, 36, 50], empties: 6, total: 105 });
    }
}
