//! The numbers of the search.

/// The numbers of the search, together so that other ones can be tried against them.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How much weight the search gives to moves that it knows little of.
    pub explore: f32,
    /// Games through a position before the moves after it are looked at one by one.
    pub ripe: f32,
    /// How much what a position looks like counts beside how a quick game from it ends, 0 to 1.
    pub looks: f32,
    /// How much worse than its parent a move counts that was never tried.
    pub untried: f32,
    /// So many points less make a move e times less likely to be looked at first.
    pub temperature: f32,
    /// Placements of each patch that are looked at: in the position asked for, and below it.
    pub placements: [usize; 2],
    /// With so many points more the chance to win is taken to be e times better.
    pub margin: f32,
    /// Points that a cell to be covered counts for in quick games.
    pub cell: f32,
    /// Points that a space of the track counts for in quick games.
    pub time: f32,
    /// How much more than their points buttons and income count for with the whole track ahead.
    pub early: f32,
    /// Points that chance adds to a patch in quick games, at most.
    pub noise: f32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            explore: 0.5,
            ripe: 1.0,
            looks: 0.4,
            untried: 0.05,
            temperature: 3.0,
            placements: [8, 3],
            margin: 8.0,
            cell: 2.0,
            time: 1.5,
            early: 0.3,
            noise: 4.0,
        }
    }
}

impl Settings {
    /// Sets the number of this name; `None` where there is none.
    pub fn set(&mut self, name: &str, value: f32) -> Option<()> {
        let [root, below] = &mut self.placements;
        let field = match name {
            "explore" => &mut self.explore,
            "ripe" => &mut self.ripe,
            "looks" => &mut self.looks,
            "untried" => &mut self.untried,
            "temperature" => &mut self.temperature,
            "margin" => &mut self.margin,
            "cell" => &mut self.cell,
            "time" => &mut self.time,
            "early" => &mut self.early,
            "noise" => &mut self.noise,
            "root" | "below" => {
                *(if name == "root" { root } else { below }) = value as usize;
                return Some(());
            }
            _ => return None,
        };
        *field = value;
        Some(())
    }
}
