//! The numbers of the search.

/// The numbers of the search, together so that other ones can be tried against them.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Actions that start in the race.
    pub field: usize,
    /// Ways of playing on that are followed side by side.
    pub ways: usize,
    /// Turns after the action before the sheet is judged, at first.
    pub horizon: u8,
    /// Futures after which it is judged a turn later, and again after so many times as many; never if less than two.
    pub deepening: usize,
    /// Steps that are tried in a turn of the tree, at most.
    pub answers: usize,
    /// How fast more of them are tried: so many for the square root of the futures that came by.
    pub widening: f32,
    /// Futures that go through a turn of the tree before everything is tried in it, not whole patches alone.
    pub thorough: u32,
    /// Points by which a step of which little is known may look worse, and still be tried.
    pub curiosity: f32,
    /// For how many futures it counts what an action looks to be worth before any is played on.
    pub looks: f32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            field: 16,
            ways: 2,
            horizon: 3,
            deepening: 4,
            answers: 8,
            widening: 0.5,
            thorough: 4,
            curiosity: 4.0,
            looks: 2.0,
        }
    }
}

impl Settings {
    /// Turns after the action before the sheet is judged in the future of this number, from 0.
    pub(super) fn horizon_in(&self, future: usize) -> u8 {
        self.horizon + future.checked_ilog(self.deepening).unwrap_or(0) as u8
    }

    /// Sets the number of this name; `None` where there is none.
    pub fn set(&mut self, name: &str, value: f32) -> Option<()> {
        match name {
            "field" => self.field = value as usize,
            "ways" => self.ways = value as usize,
            "horizon" => self.horizon = value as u8,
            "deepening" => self.deepening = value as usize,
            "answers" => self.answers = value as usize,
            "thorough" => self.thorough = value as u32,
            "widening" => self.widening = value,
            "curiosity" => self.curiosity = value,
            "looks" => self.looks = value,
            _ => return None,
        }
        Some(())
    }
}
