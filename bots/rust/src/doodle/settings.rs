//! Parameters of the doodle search.

/// Parameters of the search. They are in one struct so that comparisons can vary them.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Actions at the start of the race.
    pub field: usize,
    /// The width of the rollout beam.
    pub ways: usize,
    /// The first horizon: turns from the action to the evaluation.
    pub horizon: u8,
    /// The base of the horizon's growth: it grows by one turn each time the number of futures multiplies by
    /// this factor. Values below 2 disable growth.
    pub deepening: usize,
    /// The most steps of a turn in the tree.
    pub answers: usize,
    /// The rate of progressive widening: steps per square root of the visits.
    pub widening: f32,
    /// Visits of a turn in the tree before all kinds of steps are considered, not only whole patches.
    pub thorough: u32,
    /// The exploration weight of steps with few visits, in points.
    pub curiosity: f32,
    /// The weight of the static evaluation of an action, as a number of futures.
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
    /// Returns the horizon in turns for the future with this index, from 0.
    pub(super) fn horizon_in(&self, future: usize) -> u8 {
        self.horizon + future.checked_ilog(self.deepening).unwrap_or(0) as u8
    }

    /// Sets the parameter with this name. Returns `None` for an unknown name.
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
