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
    /// How many times as many placements of a patch as are kept are judged whole: those that leave the
    /// least awkward quilts.
    pub judged: usize,
    /// How many times as many as are kept are judged with the patches to come.
    pub closer: usize,
    /// How many patches to come are looked at for whether they fit.
    pub ahead: usize,
    /// With so many points more the chance to win is taken to be e times better.
    pub margin: f32,
    /// How much the own score counts whatever the other one's is, 0 to 1; the rest is the lead. With 0 each
    /// spoils the other's game at the cost of the own.
    pub own: f32,
    /// Points that a cell to be covered counts for in quick games.
    pub cell: f32,
    /// Points that a space of the track counts for in quick games.
    pub time: f32,
    /// How much more than their points buttons count for with the whole track ahead.
    pub early: f32,
    /// The same for income.
    pub income: f32,
    /// How many points more a space of the track counts for with the whole track ahead.
    pub haste: f32,
    /// Points that a free cell beside a patch costs when patches are chosen.
    pub beside: f32,
    /// Points that any patch counts for beside what it brings in.
    pub always: f32,
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
            temperature: 6.0,
            placements: [8, 1],
            judged: 4,
            closer: 2,
            ahead: 24,
            margin: 8.0,
            own: 0.7,
            cell: 1.73,
            time: 0.86,
            haste: 2.5,
            early: 1.1,
            income: 0.69,
            beside: 0.48,
            noise: 1.64,
            always: 1.5,
        }
    }
}

/// A number of the search, by its name.
enum Number<'a> {
    Measure(&'a mut f32),
    Count(&'a mut usize),
}

impl Settings {
    /// Sets the number of this name; `None` where there is none. Of counts what is behind the point is lost.
    pub fn set(&mut self, name: &str, value: f32) -> Option<()> {
        match self.number(name)? {
            Number::Measure(measure) => *measure = value,
            Number::Count(count) => *count = value as usize,
        }
        Some(())
    }

    /// The number of this name; `None` where there is none.
    pub fn get(mut self, name: &str) -> Option<f32> {
        Some(match self.number(name)? {
            Number::Measure(measure) => *measure,
            Number::Count(count) => *count as f32,
        })
    }

    fn number(&mut self, name: &str) -> Option<Number<'_>> {
        let [root, below] = &mut self.placements;
        Some(match name {
            "explore" => Number::Measure(&mut self.explore),
            "ripe" => Number::Measure(&mut self.ripe),
            "looks" => Number::Measure(&mut self.looks),
            "untried" => Number::Measure(&mut self.untried),
            "temperature" => Number::Measure(&mut self.temperature),
            "own" => Number::Measure(&mut self.own),
            "margin" => Number::Measure(&mut self.margin),
            "cell" => Number::Measure(&mut self.cell),
            "time" => Number::Measure(&mut self.time),
            "haste" => Number::Measure(&mut self.haste),
            "early" => Number::Measure(&mut self.early),
            "income" => Number::Measure(&mut self.income),
            "beside" => Number::Measure(&mut self.beside),
            "always" => Number::Measure(&mut self.always),
            "noise" => Number::Measure(&mut self.noise),
            "root" => Number::Count(root),
            "below" => Number::Count(below),
            "judged" => Number::Count(&mut self.judged),
            "closer" => Number::Count(&mut self.closer),
            "ahead" => Number::Count(&mut self.ahead),
            _ => return None,
        })
    }
}
