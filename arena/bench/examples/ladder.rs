//! Draws a ladder of bots: strength over thinking time per move.
//!
//! `cargo lab --release --example ladder -- STANDINGS.json OUT.svg` reads the standings of a
//! tournament. It draws the rating of each bot with its 95 % interval over its median time for a move. For
//! games with one seat it draws the mean score.
//!
//! Arguments `BOT=MS` select bots and replace their times. Standings contain wall time, which is unreliable
//! on a busy machine; `solo` and `duel` print CPU time.

use std::collections::HashMap;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use plotters::prelude::*;
use serde::Deserialize;

const USAGE: &str = "usage: ladder STANDINGS.json OUT.svg [BOT=MS ...]";
/// Width and height of the picture, in pixels.
const SIZE: (u32, u32) = (760, 420);
const LETTERS: &str = "sans-serif";
const INK: RGBColor = RGBColor(60, 64, 70);
const MARK: RGBColor = RGBColor(45, 105, 160);

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [from, to, times @ ..] = &words[..] else {
        eprintln!("{USAGE}");
        return ExitCode::FAILURE;
    };
    match cpu_times(times)
        .and_then(|times| read(from.as_ref(), &times))
        .and_then(|ladder| draw(&ladder, to.as_ref()))
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{from}: {error}; {USAGE}");
            ExitCode::FAILURE
        }
    }
}

/// Parses words such as `greedy=0.1` into milliseconds of CPU time per move, by bot.
fn cpu_times(words: &[String]) -> Result<HashMap<&str, f64>, Box<dyn Error>> {
    let pairs = words.iter().map(|word| cpu_time(word));
    Ok(pairs.collect::<Result<_, String>>()?)
}

fn cpu_time(word: &str) -> Result<(&str, f64), String> {
    let (bot, time) = word.split_once('=').ok_or_else(|| format!("{word:?} has no '='"))?;
    match time.parse() {
        Ok(time) if time > 0.0 && f64::is_finite(time) => Ok((bot, time)),
        _ => Err(format!("{word:?}: a time is a number of milliseconds above 0")),
    }
}

/// The fields of `standings.json` that the picture needs.
#[derive(Deserialize)]
struct Standings {
    game: String,
    seats: u32,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    bot: String,
    mean_score: f64,
    ci95: Option<[f64; 2]>,
    rating: Option<Rating>,
    time_us: Times,
}

#[derive(Deserialize)]
struct Rating {
    elo: f64,
    ci95: [f64; 2],
}

#[derive(Deserialize)]
struct Times {
    median: f64,
}

/// A bot in the picture.
struct Rung {
    name: String,
    /// Milliseconds per move.
    time: f64,
    strength: f64,
    interval: [f64; 2],
}

/// The contents of the picture.
struct Ladder {
    title: String,
    unit: &'static str,
    /// The label of the time axis.
    axis: &'static str,
    rungs: Vec<Rung>,
}

fn read(path: &Path, times: &HashMap<&str, f64>) -> Result<Ladder, Box<dyn Error>> {
    let Standings { game, seats, rows } = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let alone = seats == 1;
    let rung = |row: Row| {
        let time = match times.is_empty() {
            true => row.time_us.median.max(1.0) / 1000.0,
            false => *times.get(row.bot.as_str())?,
        };
        let (strength, interval) = match row.rating.filter(|_| !alone) {
            Some(rating) => (rating.elo, rating.ci95),
            None => (row.mean_score, row.ci95.unwrap_or([row.mean_score; 2])),
        };
        Some(Rung { name: row.bot, time, strength, interval })
    };
    let rungs: Vec<Rung> = rows.into_iter().filter_map(rung).collect();
    if rungs.is_empty() || rungs.len() < times.len() {
        return Err("no bot, or not every bot that was named, is in these standings".into());
    }
    let unit = if alone { "mean score" } else { "Elo" };
    let axis = if times.is_empty() { "median time for a move, ms" } else { "CPU time for a move, ms" };
    Ok(Ladder { title: format!("{game}: {unit} over time for a move"), unit, axis, rungs })
}

fn draw(ladder: &Ladder, to: &Path) -> Result<(), Box<dyn Error>> {
    let area = SVGBackend::new(to, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let rungs = &ladder.rungs;
    let ends = |values: &mut dyn Iterator<Item = f64>| {
        values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
    };
    let (quickest, slowest) = ends(&mut rungs.iter().map(|rung| rung.time));
    let (lowest, highest) = ends(&mut rungs.iter().flat_map(|rung| rung.interval));
    let room = 0.1 * (highest - lowest).max(1.0);
    let mut chart = ChartBuilder::on(&area)
        .caption(&ladder.title, (LETTERS, 18).into_font().color(&INK))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(52)
        // Leave space for the names, to the right of their marks.
        .build_cartesian_2d((quickest / 2.0..slowest * 8.0).log_scale(), lowest - room..highest + room)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(INK.mix(0.12))
        .axis_style(INK)
        .label_style((LETTERS, 13).into_font().color(&INK))
        .x_desc(ladder.axis)
        .y_desc(ladder.unit)
        .x_label_formatter(&|time| format!("{time}"))
        .draw()?;
    for Rung { name, time, strength, interval: [low, high] } in rungs {
        chart.draw_series([ErrorBar::new_vertical(*time, *low, *strength, *high, MARK.filled(), 8)])?;
        let label = Text::new(name.clone(), (10, -6), (LETTERS, 14).into_font().color(&INK));
        chart.draw_series([EmptyElement::at((*time, *strength))
            + Circle::new((0, 0), 3, MARK.filled())
            + label])?;
    }
    area.present()?;
    Ok(())
}
