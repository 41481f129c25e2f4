//! Parameters of the Patchwork search.

/// Parameters of the search. They are in one struct so that comparisons can vary them.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The exploration weight of moves with few visits.
    pub explore: f32,
    /// Placements of each patch, or cells for leather, that the root keeps.
    pub root: usize,
    /// Placements of each patch that the root evaluates. They are preselected by the gaps that they leave.
    pub judged: usize,
    /// The most nodes of the tree, to limit memory. A full tree stops growing.
    pub tree: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { explore: 0.4, root: 8, judged: 24, tree: 2_000_000 }
    }
}

impl Settings {
    /// Sets the parameter with this name. Counts lose their decimals. Returns `None` for an unknown name.
    pub fn set(&mut self, name: &str, value: f32) -> Option<()> {
        match name {
            "explore" => self.explore = value,
            "root" => self.root = value as usize,
            "judged" => self.judged = value as usize,
            "tree" => self.tree = value as usize,
            _ => return None,
        }
        Some(())
    }
}
