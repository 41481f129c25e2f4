//! A naive implementation of Patchwork for two players.
//!
//! [`State::legal_moves`] lists the legal moves of the seat to move. [`State::play`] judges a move from the
//! rule text and carries it out. Placing a leather patch is a separate decision: after a move that passed or
//! reached one, the phase is [`Phase::Leather`] until every patch taken is placed.

use super::shapes::{
    self, Board, Cell, EMPTY_BOARD, SIZE, Shape, canonical, check_free, cover, empty_cells, empty_count,
    is_covered, is_full_rectangle,
};
use serde_json::Value;

/// Buttons of a player at the start.
const FIRST_BUTTONS: u32 = 5;
/// Patches ahead of the neutral token that can be bought.
const REACH: usize = 3;
/// The side of the bonus square, which is also the number of points of the tile.
const BONUS: u8 = 7;
/// The patch that lies last in the circle at the start.
const LAST_PATCH: &str = "W01";

// ---------------------------------------------------------------------------------------------
// Patches and track

/// One patch.
#[derive(Clone, Debug)]
pub struct Patch {
    /// The id, such as `W12`.
    pub id: String,
    /// The shape as printed.
    pub shape: Shape,
    /// The price in buttons.
    pub buttons: u32,
    /// The price in spaces of the time track.
    pub time: u8,
    /// The buttons earned at each income mark.
    pub income: u32,
    /// All placements on an empty quilt, computed once.
    placements: Vec<Shape>,
}

/// The edition of the board, which determines the spaces of leather patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edition {
    /// The board of 2014.
    Original,
    /// The later board.
    Revised,
}

/// The time track.
#[derive(Clone, Debug)]
pub struct Track {
    /// The last space.
    pub last: u8,
    /// The spaces with an income mark.
    pub income: Vec<u8>,
    /// Leather patches on the original board.
    pub original: Vec<u8>,
    /// Leather patches on the revised board.
    pub revised: Vec<u8>,
}

/// All patches and the track.
#[derive(Clone, Debug)]
pub struct Patches {
    /// The patches in the file's order.
    pub list: Vec<Patch>,
    /// The time track.
    pub track: Track,
}

impl Patches {
    /// Reads a patch file. An error names the wrong patch.
    pub fn parse(json: &str) -> Result<Patches, String> {
        let file: Value = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let mut list: Vec<Patch> = Vec::new();
        for entry in file["patches"].as_array().ok_or("there is no list of patches")? {
            let patch = parse_patch(entry)?;
            if list.iter().any(|other| other.id == patch.id) {
                return Err(format!("{}: the id is used twice", patch.id));
            }
            list.push(patch);
        }
        let track = &file["track"];
        let track = Track {
            last: parse_space(&track["last"])?,
            income: parse_spaces(&track["income"])?,
            original: parse_spaces(&track["leather"]["original"])?,
            revised: parse_spaces(&track["leather"]["revised"])?,
        };
        Ok(Patches { list, track })
    }

    /// Returns the patch with this id.
    pub fn find(&self, id: &str) -> Option<&Patch> {
        self.list.iter().find(|patch| patch.id == id)
    }

    fn known(&self, id: &str) -> &Patch {
        self.find(id).expect("a circle is accepted only when all its patches are known")
    }
}

fn parse_patch(entry: &Value) -> Result<Patch, String> {
    let id = entry["id"].as_str().ok_or("a patch has no id")?;
    let wrong = |error: String| format!("{id}: {error}");
    let number = |key: &str| {
        let number = entry[key].as_u64().and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| wrong(format!("{key} is not a number")))
    };
    let shape = shapes::parse_json_shape(&entry["cells"]).map_err(wrong)?;
    Ok(Patch {
        id: id.to_owned(),
        placements: shapes::placements(&shape),
        shape,
        buttons: number("buttons")?,
        time: parse_space(&entry["time"]).map_err(wrong)?,
        income: number("income")?,
    })
}

fn parse_space(value: &Value) -> Result<u8, String> {
    let number = value.as_u64().and_then(|number| u8::try_from(number).ok());
    number.ok_or_else(|| format!("{value} is not a space"))
}

fn parse_spaces(value: &Value) -> Result<Vec<u8>, String> {
    value.as_array().ok_or("a list of spaces is missing")?.iter().map(parse_space).collect()
}

// ---------------------------------------------------------------------------------------------
// The game

/// The kind of decision that the seat to move owes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Buy or advance.
    Turn,
    /// Place a leather patch.
    Leather,
    /// The game is over.
    Over,
}

impl Phase {
    /// Returns the name of the phase in the protocol. Bots never see `over`.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Turn => "turn",
            Phase::Leather => "leather",
            Phase::Over => "over",
        }
    }
}

/// One decision.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Move {
    /// Buy a patch and lay it on these cells.
    Buy {
        /// The patch.
        id: String,
        /// The cells it covers, in any order; [`State::legal_moves`] lists them ascending.
        cells: Vec<Cell>,
    },
    /// Move ahead of the opponent.
    Advance,
    /// Place the leather patch on this cell.
    Leather(Cell),
}

/// One player's side of the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// The quilt.
    pub board: Board,
    /// The player's buttons.
    pub buttons: u32,
    /// The buttons that the quilt earns at each income mark.
    pub income: u32,
    /// The space of the time token.
    pub space: u8,
}

impl Player {
    /// Returns the number of uncovered cells of the quilt.
    pub fn unused(&self) -> usize {
        empty_count(&self.board)
    }
}

/// One game.
#[derive(Clone, Debug)]
pub struct State<'p> {
    patches: &'p Patches,
    circle: Vec<String>,
    /// The spaces that still hold a leather patch.
    leather: Vec<u8>,
    bonus: Option<usize>,
    players: [Player; 2],
    /// The seat whose token moved last. It lies on top if both are on one space.
    arrived_last: usize,
    /// The number of leather patches that this seat has taken and not yet placed.
    leather_due: usize,
    first_home: Option<usize>,
}

impl<'p> State<'p> {
    /// Starts a game with this circle, listed clockwise from the neutral token.
    pub fn new(patches: &'p Patches, circle: Vec<String>, edition: Edition) -> Result<State<'p>, String> {
        let mut dealt = circle.clone();
        let mut known: Vec<String> = patches.list.iter().map(|patch| patch.id.clone()).collect();
        dealt.sort_unstable();
        known.sort_unstable();
        if dealt != known {
            return Err("the circle must hold every patch once".to_owned());
        }
        if circle.last().is_none_or(|id| id != LAST_PATCH) {
            return Err(format!("{LAST_PATCH} must be last in the circle"));
        }
        let player = Player { board: EMPTY_BOARD, buttons: FIRST_BUTTONS, income: 0, space: 0 };
        let leather = match edition {
            Edition::Original => patches.track.original.clone(),
            Edition::Revised => patches.track.revised.clone(),
        };
        Ok(State {
            patches,
            circle,
            leather,
            bonus: None,
            players: [player.clone(), player],
            // Seat 0 lies on top at the start.
            arrived_last: 0,
            leather_due: 0,
            first_home: None,
        })
    }

    /// Rebuilds the game from the observation of this seat.
    pub fn seen(patches: &'p Patches, state: &Value, seat: usize) -> Result<State<'p>, String> {
        let player = |seat: usize| -> Result<Player, String> {
            let seen = &state["players"][seat];
            let number = |key: &str| seen[key].as_u64().and_then(|number| u32::try_from(number).ok());
            Ok(Player {
                board: shapes::parse_json_board(&seen["board"])?,
                buttons: number("buttons").ok_or("no buttons")?,
                income: number("income").ok_or("no income")?,
                space: parse_space(&seen["space"])?,
            })
        };
        let players = [player(0)?, player(1)?];
        let is_home = |seat: usize| players[seat].space == patches.track.last;
        let first_home = [1 - seat, seat].into_iter().find(|&seat| is_home(seat));
        let number = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
        Ok(State {
            patches,
            circle: serde_json::from_value(state["circle"].clone()).map_err(|error| error.to_string())?,
            leather: parse_spaces(&state["leather"])?,
            bonus: number(&state["bonus"]),
            players,
            arrived_last: seat,
            leather_due: number(&state["leather_due"]).ok_or("no leather_due")?,
            first_home,
        })
    }

    /// Returns the present phase.
    pub fn phase(&self) -> Phase {
        let last = self.patches.track.last;
        if self.leather_due > 0 {
            Phase::Leather
        } else if self.players.iter().all(|player| player.space == last) {
            Phase::Over
        } else {
            Phase::Turn
        }
    }

    /// Returns the seat that decides now; `None` when the game is over.
    pub fn to_move(&self) -> Option<usize> {
        let [first, second] = [self.players[0].space, self.players[1].space];
        match self.phase() {
            Phase::Over => None,
            Phase::Leather => Some(self.arrived_last),
            Phase::Turn if first < second => Some(0),
            Phase::Turn if second < first => Some(1),
            Phase::Turn => Some(self.arrived_last),
        }
    }

    /// Returns the patches left, clockwise from the neutral token.
    pub fn circle(&self) -> &[String] {
        &self.circle
    }

    /// Returns the spaces that still hold a leather patch, without patches taken but not yet placed.
    pub fn leather(&self) -> &[u8] {
        &self.leather
    }

    /// Returns the number of leather patches that the seat to move must place now, including this decision.
    pub fn leather_due(&self) -> usize {
        self.leather_due
    }

    /// Returns the seat that has the 7x7 tile.
    pub fn bonus(&self) -> Option<usize> {
        self.bonus
    }

    /// Returns the player in this seat.
    pub fn player(&self, seat: usize) -> &Player {
        &self.players[seat]
    }

    /// Returns the present score of the seat.
    pub fn score(&self, seat: usize) -> i64 {
        let player = &self.players[seat];
        let tile = if self.bonus == Some(seat) { i64::from(BONUS) } else { 0 };
        let unused = i64::try_from(player.unused()).expect("a quilt has 81 cells");
        i64::from(player.buttons) + tile - 2 * unused
    }

    /// Returns the seat whose token was the first on the last space.
    pub fn first_home(&self) -> Option<usize> {
        self.first_home
    }

    /// Returns the winner once the game is over.
    pub fn winner(&self) -> Option<usize> {
        if self.phase() != Phase::Over {
            return None;
        }
        let [first, second] = [self.score(0), self.score(1)];
        if first > second {
            Some(0)
        } else if second > first {
            Some(1)
        } else {
            self.first_home
        }
    }

    // ----- listing

    /// Returns all distinct legal decisions of the seat to move; none when the game is over.
    pub fn legal_moves(&self) -> Vec<Move> {
        let Some(seat) = self.to_move() else {
            return Vec::new();
        };
        let player = &self.players[seat];
        if self.phase() == Phase::Leather {
            return empty_cells(&player.board).into_iter().map(Move::Leather).collect();
        }
        let mut moves = Vec::new();
        for id in self.circle.iter().take(REACH) {
            let patch = self.patches.known(id);
            if patch.buttons > player.buttons {
                continue;
            }
            for cells in &patch.placements {
                if cells.iter().all(|&cell| !is_covered(&player.board, cell)) {
                    moves.push(Move::Buy { id: id.clone(), cells: cells.clone() });
                }
            }
        }
        moves.push(Move::Advance);
        moves
    }

    // ----- playing

    /// Plays one decision of the seat to move. If it is illegal, nothing changes, and the error gives the
    /// reason.
    pub fn play(&mut self, played: &Move) -> Result<(), String> {
        let seat = self.to_move().ok_or("the game is over")?;
        match (self.phase(), played) {
            (Phase::Turn, Move::Advance) => {
                self.advance(seat);
                Ok(())
            }
            (Phase::Turn, Move::Buy { id, cells }) => self.buy(seat, id, cells),
            (Phase::Leather, Move::Leather(cell)) => self.place_leather(seat, *cell),
            (Phase::Turn, Move::Leather(_)) => Err("there is no leather patch to place".to_owned()),
            _ => Err("a leather patch must be placed first".to_owned()),
        }
    }

    fn advance(&mut self, seat: usize) {
        let from = self.players[seat].space;
        let target = (self.players[1 - seat].space + 1).min(self.patches.track.last);
        self.players[seat].buttons += u32::from(target - from);
        self.travel(seat, target);
    }

    fn buy(&mut self, seat: usize, id: &String, cells: &[Cell]) -> Result<(), String> {
        // All checks come first, so that a refused move changes nothing.
        let place = self
            .circle
            .iter()
            .take(REACH)
            .position(|other| other == id)
            .ok_or_else(|| format!("{id} is not one of the next three patches"))?;
        let patch = self.patches.known(id);
        let player = &mut self.players[seat];
        if patch.buttons > player.buttons {
            return Err(format!("{id} costs {}, there are {}", patch.buttons, player.buttons));
        }
        let cells = check_free(&player.board, cells)?;
        if canonical(&cells) != canonical(&patch.shape) {
            return Err(format!("the cells are not {id}"));
        }

        self.circle.rotate_left(place);
        self.circle.remove(0);
        player.buttons -= patch.buttons;
        player.income += patch.income;
        cover(&mut player.board, &cells);
        let target = player.space.saturating_add(patch.time).min(self.patches.track.last);
        self.look_for_bonus(seat);
        self.travel(seat, target);
        Ok(())
    }

    fn place_leather(&mut self, seat: usize, cell: Cell) -> Result<(), String> {
        let board = &mut self.players[seat].board;
        let cells = check_free(board, &[cell])?;
        cover(board, &cells);
        self.leather_due -= 1;
        self.look_for_bonus(seat);
        self.lose_leather_without_room(seat);
        Ok(())
    }

    /// Moves the token space by space and applies each mark of the track on the way.
    fn travel(&mut self, seat: usize, target: u8) {
        while self.players[seat].space < target {
            self.players[seat].space += 1;
            self.arrived_last = seat;
            let here = self.players[seat].space;
            if self.patches.track.income.contains(&here) {
                self.players[seat].buttons += self.players[seat].income;
            }
            if self.leather.contains(&here) {
                self.leather.retain(|&space| space != here);
                self.leather_due += 1;
            }
        }
        if target == self.patches.track.last && self.first_home.is_none() {
            self.first_home = Some(seat);
        }
        self.lose_leather_without_room(seat);
    }

    fn lose_leather_without_room(&mut self, seat: usize) {
        if self.players[seat].unused() == 0 {
            self.leather_due = 0;
        }
    }

    fn look_for_bonus(&mut self, seat: usize) {
        if self.bonus.is_none() && has_bonus_square(&self.players[seat].board) {
            self.bonus = Some(seat);
        }
    }
}

/// Returns true if some 7x7 square of the quilt is fully covered.
fn has_bonus_square(board: &Board) -> bool {
    let starts = 0..=SIZE - BONUS;
    starts.clone().any(|top| starts.clone().any(|left| is_full_rectangle(board, top, left, BONUS, BONUS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = include_str!("../../../engine/data/patchwork-standard.json");

    fn patches() -> Patches {
        Patches::parse(FILE).expect("the standard patches are well-formed")
    }

    /// Returns the circle W02, W03, ... W33, W01.
    fn plain_circle(patches: &Patches) -> Vec<String> {
        let mut circle: Vec<String> = patches.list.iter().map(|patch| patch.id.clone()).collect();
        circle.rotate_left(1);
        circle
    }

    fn game(patches: &Patches) -> State<'_> {
        State::new(patches, plain_circle(patches), Edition::Original).expect("a full circle")
    }

    /// Returns a game with the tokens on these spaces, in which seat 0 moved last.
    fn game_at(patches: &Patches, first: u8, second: u8) -> State<'_> {
        let mut state = game(patches);
        state.players[0].space = first;
        state.players[1].space = second;
        state.leather.retain(|&space| space > first.max(second));
        state
    }

    fn full_but(empty: &[Cell]) -> Board {
        let mut board = [[true; 9]; 9];
        for cell in empty {
            board[usize::from(cell.0)][usize::from(cell.1)] = false;
        }
        board
    }

    fn buy(id: &str, cells: &[Cell]) -> Move {
        Move::Buy { id: id.to_owned(), cells: cells.to_vec() }
    }

    #[test]
    fn placements_on_an_empty_quilt() {
        let patches = patches();
        assert_eq!(patches.list.len(), 33);
        let counts: Vec<usize> = patches.list.iter().map(|p| p.placements.len()).collect();
        assert_eq!(counts.iter().sum::<usize>(), 7349);
        assert_eq!(counts.iter().max(), Some(&448));
        for patch in &patches.list {
            let mut distinct = patch.placements.clone();
            distinct.sort();
            distinct.dedup();
            assert_eq!(distinct.len(), patch.placements.len(), "{}", patch.id);
        }
    }

    #[test]
    fn the_track() {
        let track = patches().track;
        assert_eq!(track.last, 53);
        assert_eq!(track.income, [5, 11, 17, 23, 29, 35, 41, 47, 53]);
        assert_eq!(track.original, [20, 26, 32, 44, 50]);
        assert_eq!(track.revised, [26, 32, 38, 44, 50]);
    }

    #[test]
    fn bad_circles_are_refused() {
        let patches = patches();
        let good = plain_circle(&patches);
        let mut not_last = good.clone();
        not_last.rotate_left(1);
        let mut twice = good.clone();
        twice[0] = twice[1].clone();
        for circle in [not_last, twice, good[1..].to_vec()] {
            assert!(State::new(&patches, circle, Edition::Original).is_err());
        }
        let revised = State::new(&patches, good, Edition::Revised).expect("a full circle");
        assert_eq!(revised.leather(), [26, 32, 38, 44, 50]);
    }

    #[test]
    fn the_start() {
        let patches = patches();
        let state = game(&patches);
        assert_eq!((state.phase(), state.to_move()), (Phase::Turn, Some(0)));
        assert_eq!(state.player(0), state.player(1));
        assert_eq!((state.player(0).buttons, state.player(0).unused()), (5, 81));
        assert_eq!(state.score(0), 5 - 162);
        // W02 and W04 have the same shape but are distinct moves; W03 is between them.
        let moves = state.legal_moves();
        assert_eq!(moves.len(), 256 + 126 + 256 + 1);
        let mut distinct = moves.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), moves.len());
    }

    #[test]
    fn buying_turns_the_circle() {
        let patches = patches();
        let mut state = game(&patches);
        assert!(state.play(&buy("W05", &[(0, 0), (0, 1), (0, 2), (1, 1)])).is_err());
        assert_eq!(state.play(&buy("W04", &[(1, 1), (0, 1), (0, 0)])), Ok(()));
        assert_eq!(state.circle()[..3], ["W05", "W06", "W07"]);
        assert_eq!(state.circle()[28..], ["W33", "W01", "W02", "W03"]);
        assert_eq!((state.player(0).buttons, state.player(0).space), (2, 1));
        assert_eq!(state.player(0).unused(), 78);
        assert_eq!(state.to_move(), Some(1));
    }

    #[test]
    fn bad_purchases_change_nothing() {
        let patches = patches();
        let mut state = game(&patches);
        state.players[0].buttons = 2;
        cover(&mut state.players[0].board, &[(4, 4)]);
        for bad in [
            buy("W04", &[(0, 0), (0, 1), (1, 0)]), // costs 3
            buy("W03", &[(0, 0), (0, 1), (1, 0)]), // another shape
            buy("W03", &[(0, 0), (0, 1)]),         // a part of it
            buy("W03", &[(0, 0), (0, 1), (0, 1)]), // a cell twice
            buy("W03", &[(4, 4), (4, 5), (4, 6)]), // covered
            buy("W03", &[(8, 8), (8, 9), (8, 7)]), // outside
            buy("W99", &[(0, 0)]),
            Move::Leather((0, 0)),
        ] {
            let before = (state.players.clone(), state.circle.clone());
            assert!(state.play(&bad).is_err(), "{bad:?}");
            assert_eq!((state.players.clone(), state.circle.clone()), before);
        }
        assert!(state.legal_moves().iter().all(|m| !matches!(m, Move::Buy { id, .. } if id == "W04")));
    }

    #[test]
    fn advancing_pays_each_space() {
        let patches = patches();
        let mut state = game(&patches);
        assert_eq!(state.play(&Move::Advance), Ok(()));
        assert_eq!((state.player(0).space, state.player(0).buttons), (1, 6));
        assert_eq!(state.to_move(), Some(1));
        assert_eq!(state.play(&Move::Advance), Ok(()));
        assert_eq!((state.player(1).space, state.player(1).buttons), (2, 7));
        assert_eq!(state.to_move(), Some(0));
    }

    #[test]
    fn landing_on_the_opponent_moves_again() {
        let patches = patches();
        let mut state = game(&patches);
        assert_eq!(state.play(&buy("W03", &[(0, 0), (0, 1), (0, 2)])), Ok(()));
        assert_eq!((state.player(0).space, state.to_move()), (2, Some(1)));
        // W05 also takes two spaces: seat 1 lands on seat 0's space and lies on top.
        assert_eq!(state.play(&buy("W05", &[(0, 0), (0, 1), (0, 2), (1, 1)])), Ok(()));
        assert_eq!((state.player(1).space, state.to_move()), (2, Some(1)));
        assert_eq!(state.play(&Move::Advance), Ok(()));
        assert_eq!((state.player(1).space, state.to_move()), (3, Some(0)));
    }

    #[test]
    fn the_one_behind_moves_several_times() {
        let patches = patches();
        let mut state = game_at(&patches, 10, 2);
        assert_eq!(state.to_move(), Some(1));
        assert_eq!(state.play(&buy("W03", &[(0, 0), (0, 1), (0, 2)])), Ok(()));
        assert_eq!((state.player(1).space, state.to_move()), (4, Some(1)));
    }

    #[test]
    fn income_counts_the_patch_just_placed() {
        let patches = patches();
        let mut state = game_at(&patches, 3, 8);
        state.players[0].income = 2;
        state.circle.rotate_left(4);
        assert_eq!(state.circle()[0], "W06");
        assert_eq!(state.play(&buy("W06", &[(0, 0), (0, 1), (1, 1), (1, 2)])), Ok(()));
        // Landing on the mark at 5 is enough: 5 - 3 + (2 + 1).
        assert_eq!((state.player(0).space, state.player(0).buttons), (5, 5));
        assert_eq!(state.player(0).income, 3);
    }

    #[test]
    fn an_advance_can_pass_two_income_marks() {
        let patches = patches();
        for opponent in [52, 53] {
            let mut state = game_at(&patches, 46, opponent);
            state.leather.clear();
            state.players[0].income = 3;
            assert_eq!(state.play(&Move::Advance), Ok(()));
            assert_eq!(state.player(0).space, 53);
            assert_eq!(state.player(0).buttons, 5 + 7 + 3 + 3);
        }
    }

    #[test]
    fn tokens_stop_on_the_last_space() {
        let patches = patches();
        let mut state = game_at(&patches, 51, 53);
        state.circle.rotate_left(7);
        state.players[0].income = 1;
        // W09 takes six spaces but only two are left; the mark at 53 pays 1 + 2.
        assert_eq!(state.play(&buy("W09", &[(0, 0), (0, 1), (0, 2), (1, 0)])), Ok(()));
        assert_eq!((state.player(0).space, state.player(0).buttons), (53, 5 - 4 + 3));
        assert_eq!((state.phase(), state.to_move()), (Phase::Over, None));
        assert!(state.legal_moves().is_empty());
        assert!(state.play(&Move::Advance).is_err());
    }

    #[test]
    fn leather_is_placed_at_once_by_the_one_who_took_it() {
        let patches = patches();
        let mut state = game_at(&patches, 18, 19);
        // Landing on 20 takes the patch; although seat 1 is behind, seat 0 decides first.
        assert_eq!(state.play(&Move::Advance), Ok(()));
        assert_eq!((state.phase(), state.to_move()), (Phase::Leather, Some(0)));
        assert_eq!(state.leather(), [26, 32, 44, 50]);
        assert_eq!(state.legal_moves().len(), 81);
        assert!(state.play(&Move::Advance).is_err());
        assert!(state.play(&Move::Leather((9, 0))).is_err());
        assert_eq!(state.play(&Move::Leather((4, 4))), Ok(()));
        assert_eq!((state.phase(), state.to_move()), (Phase::Turn, Some(1)));
        assert_eq!(state.player(0).unused(), 80);
        // A later player past the space finds no patch there.
        assert_eq!(state.play(&Move::Advance), Ok(()));
        assert_eq!((state.phase(), state.player(1).space), (Phase::Turn, 21));
    }

    #[test]
    fn one_move_can_take_income_and_several_leather_patches() {
        let patches = patches();
        let mut state = game_at(&patches, 43, 53);
        state.leather = vec![44, 50];
        state.players[0].income = 4;
        assert_eq!(state.play(&Move::Advance), Ok(()));
        assert_eq!(state.player(0).buttons, 5 + 10 + 4 + 4);
        assert_eq!((state.phase(), state.leather_due()), (Phase::Leather, 2));
        assert!(state.leather().is_empty());
        assert_eq!(state.winner(), None);
        assert_eq!(state.play(&Move::Leather((0, 0))), Ok(()));
        assert_eq!((state.phase(), state.to_move()), (Phase::Leather, Some(0)));
        assert!(state.play(&Move::Leather((0, 0))).is_err());
        assert_eq!(state.play(&Move::Leather((0, 1))), Ok(()));
        assert_eq!(state.phase(), Phase::Over);
    }

    #[test]
    fn leather_without_room_is_lost() {
        let patches = patches();
        for (empty, decisions) in [(vec![], 0), (vec![(3, 3)], 1), (vec![(3, 3), (8, 8)], 2)] {
            let mut state = game_at(&patches, 43, 51);
            state.leather = vec![44, 50];
            state.players[0].board = full_but(&empty);
            assert_eq!(state.play(&Move::Advance), Ok(()));
            assert!(state.leather().is_empty());
            let mut counted = 0;
            while state.phase() == Phase::Leather {
                let moves = state.legal_moves();
                assert_eq!(state.play(&moves[0]), Ok(()));
                counted += 1;
            }
            assert_eq!(counted, decisions);
            assert_eq!(state.to_move(), Some(1));
        }
    }

    #[test]
    fn the_first_square_of_seven_takes_the_tile() {
        let patches = patches();
        let mut state = game(&patches);
        let mut board = EMPTY_BOARD;
        for row in 2..9 {
            for column in 1..8 {
                cover(&mut board, &[(row, column)]);
            }
        }
        let mut almost = board;
        almost[8][5..8].fill(false);
        state.players = state.players.map(|player| Player { board: almost, ..player });
        assert_eq!(state.play(&buy("W03", &[(8, 5), (8, 6), (8, 7)])), Ok(()));
        assert_eq!(state.bonus(), Some(0));
        assert_eq!(state.score(0), 3 + 7 - 2 * 32);

        // The tile stays with its first owner.
        state.circle.insert(0, "W03".to_owned());
        assert_eq!(state.play(&buy("W03", &[(8, 5), (8, 6), (8, 7)])), Ok(()));
        assert_eq!(state.bonus(), Some(0));
        assert_eq!(state.score(1), 3 - 2 * 32);
    }

    #[test]
    fn a_leather_patch_can_complete_the_square() {
        let patches = patches();
        let mut state = game_at(&patches, 18, 19);
        state.players[0].board = full_but(&[(4, 4)]);
        assert_eq!(state.play(&Move::Advance), Ok(()));
        assert_eq!(state.bonus(), None);
        assert_eq!(state.play(&Move::Leather((4, 4))), Ok(()));
        assert_eq!(state.bonus(), Some(0));
    }

    #[test]
    fn scores_and_the_winner() {
        let patches = patches();
        let mut state = game_at(&patches, 52, 53);
        state.first_home = Some(1);
        let five = [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4)];
        state.players[0].board = full_but(&five);
        state.players[0].buttons = 13;
        state.bonus = Some(0);
        state.players[1].board = full_but(&five);
        assert_eq!(state.winner(), None);
        assert_eq!(state.play(&Move::Advance), Ok(()));
        assert_eq!(state.score(0), 11, "14 + 7 - 2 * 5");
        for (buttons, winner) in [(20, 0), (21, 1), (22, 1)] {
            state.players[1].buttons = buttons;
            assert_eq!(state.winner(), Some(winner), "{buttons} buttons");
        }
        assert_eq!(state.first_home(), Some(1));
    }

    #[test]
    fn the_first_to_arrive_is_remembered() {
        let patches = patches();
        let mut state = game_at(&patches, 51, 52);
        state.leather.clear();
        assert_eq!(state.play(&Move::Advance), Ok(()));
        assert_eq!((state.first_home(), state.to_move()), (Some(0), Some(1)));
        assert_eq!(state.play(&Move::Advance), Ok(()));
        assert_eq!((state.first_home(), state.phase()), (Some(0), Phase::Over));
        // Seat 0 has 5 + 2, seat 1 has 5 + 1 buttons; level them.
        state.players[1].buttons = state.players[0].buttons;
        assert_eq!(state.winner(), Some(0));
    }

    #[test]
    fn fewer_than_three_patches_left() {
        let patches = patches();
        let mut state = game(&patches);
        state.circle.truncate(1);
        assert_eq!(state.legal_moves().len(), 256 + 1);
        assert_eq!(state.play(&buy("W02", &[(0, 0), (0, 1), (1, 0)])), Ok(()));
        assert!(state.circle().is_empty());
        assert_eq!(state.legal_moves(), [Move::Advance]);
    }
}
