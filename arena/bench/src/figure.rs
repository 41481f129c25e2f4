//! A measured figure with its spread: plain data.

use serde::Serialize;

/// A figure measured in several windows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Its name.
    pub name: String,
    /// The unit that it counts.
    pub unit: &'static str,
    /// The median of the windows.
    pub figure: f64,
    /// The first and the third quartile.
    pub spread: [f64; 2],
    /// The number of windows that count.
    pub windows: usize,
    /// The number of windows left out because other programs used the core.
    pub disturbed: usize,
}

impl Figure {
    /// Computes the figure from at least one window.
    pub fn new(name: impl Into<String>, unit: &'static str, mut windows: Vec<f64>) -> Figure {
        windows.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| windows[((windows.len() - 1) as f64 * share).round() as usize];
        Figure {
            name: name.into(),
            unit,
            figure: at(0.5),
            spread: [at(0.25), at(0.75)],
            windows: windows.len(),
            disturbed: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_the_median_with_its_quartiles() {
        let figure = Figure::new("x", "s", vec![5.0, 1.0, 4.0, 2.0, 3.0]);
        assert_eq!((figure.figure, figure.spread, figure.windows), (3.0, [2.0, 4.0], 5));
        assert_eq!(Figure::new("x", "s", vec![7.0]).spread, [7.0, 7.0]);
    }
}
