//! Parameters of the Patchwork search.

/// Parameters of the search and its rollouts. They are in one struct so that comparisons can vary them.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The exploration weight of moves with few visits.
    pub explore: f32,
    /// Visits of a leaf before the search expands it.
    pub ripe: f32,
    /// The weight of the static evaluation of a leaf, 0 to 1. The rollout has the rest.
    pub looks: f32,
    /// The assumed deficit of an unvisited move against the mean of its parent.
    pub untried: f32,
    /// Points of evaluation that change a prior by a factor of e.
    pub temperature: f32,
    /// Placements kept for each patch: at the root, and below it.
    pub placements: [usize; 2],
    /// Placements that get a full evaluation, as a multiple of those kept. They are preselected by the least
    /// awkward quilt.
    pub judged: usize,
    /// Placements evaluated with the coming patches, as a multiple of those kept.
    pub closer: usize,
    /// Coming patches of the circle that are tested for whether they fit.
    pub ahead: usize,
    /// Points of lead that change the estimated odds of winning by a factor of e.
    pub margin: f32,
    /// The weight of the own score, 0 to 1. The lead has the rest. With 0, a bot sacrifices own points to
    /// spoil the opponent's game.
    pub own: f32,
    /// Points for a covered cell, in rollouts.
    pub cell: f32,
    /// Points for a space of the track, in rollouts.
    pub time: f32,
    /// The extra weight of a button with the whole track ahead, in rollouts.
    pub early: f32,
    /// The extra weight of income with the whole track ahead, in rollouts.
    pub income: f32,
    /// The extra points for a space of the track with the whole track ahead, in rollouts.
    pub haste: f32,
    /// Points that each free cell adjacent to a placed patch costs, in rollouts.
    pub beside: f32,
    /// Constant points added to the gain of every patch, in rollouts.
    pub always: f32,
    /// The largest random bonus for a patch in rollouts, in points.
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

/// A parameter found by name.
enum Number<'a> {
    Measure(&'a mut f32),
    Count(&'a mut usize),
}

impl Settings {
    /// Sets the parameter with this name. Counts lose their decimals. Returns `None` for an unknown name.
    pub fn set(&mut self, name: &str, value: f32) -> Option<()> {
        match self.number(name)? {
            Number::Measure(measure) => *measure = value,
            Number::Count(count) => *count = value as usize,
        }
        Some(())
    }

    /// Returns the parameter with this name. `None` if the name is unknown.
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
