//! The numbers of the search.

/// The numbers of the search, together so that other ones can be tried against them.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Actions that start in the race.
    pub field: usize,
    /// Ways of playing on that are followed side by side.
    pub ways: usize,
    /// Turns after the action before the sheet is judged.
    pub horizon: u8,
    /// Steps that are tried in a turn of the tree, at most.
    pub answers: usize,
    /// How fast more of them are tried: so many for the square root of the futures that came by.
    pub widening: f32,
    /// Points by which a step of which little is known may look worse, and still be tried.
    pub curiosity: f32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { field: 16, ways: 2, horizon: 3, answers: 8, widening: 0.5, curiosity: 4.0 }
    }
}

impl Settings {
    /// Sets the number of this name; `None` where there is none.
    pub fn set(&mut self, name: &str, value: f32) -> Option<()> {
        match name {
            "field" => self.field = value as usize,
            "ways" => self.ways = value as usize,
            "horizon" => self.horizon = value as u8,
            "answers" => self.answers = value as usize,
            "widening" => self.widening = value,
            "curiosity" => self.curiosity = value,
            _ => return None,
        }
        Some(())
    }
}
