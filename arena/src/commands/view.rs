//! `arena view`: writes a match as one HTML file for a browser.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::coach::analysis::{Coached, analyzed};
use crate::report::browser;
use crate::report::out_file;
use crate::report::output::show;
use crate::report::tables::{quoted, say_next};
use crate::setup::judged::Store;
use crate::setup::select::RecordsArgs;
use referee::error::Error;
use referee::for_game;
use referee::games::{GameKind, GameName};
use referee::record::MatchRecord;
use sandbox::cores;
use serde_json::value::{RawValue, to_raw_value};
use tournament::replay::{Records, Source};
use web::view::{MatchViewBuilder, PlainView, animation, page, plain_page, preview};

/// The option that names the file.
const OPTION: &str = "--out";
/// The most pages that `--open` opens: a browser shows each in a tab.
const PAGES_OPENED_MAX: usize = 10;

#[derive(Debug, Args)]
pub(crate) struct ViewArgs {
    #[command(flatten)]
    pub(crate) records: RecordsArgs,
    /// Write the page of one match to this file [default: match-N.html]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Judge every move, and show what the best one was; see "arena analyze"
    #[arg(long)]
    pub(crate) analyze: bool,
    /// Show match N of the same deal beside the match, on one page
    #[arg(long, value_name = "N", requires = "matched")]
    pub(crate) beside: Option<u64>,
    /// Write a PNG picture of the end, or with --image=N of turn N, instead of a page
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "end", value_parser = turn, conflicts_with_all = ["beside", "gif"])]
    pub(crate) image: Option<Turn>,
    /// Write a GIF that shows all turns, instead of a page
    #[arg(long, conflicts_with = "beside")]
    pub(crate) gif: bool,
    /// Open the pages in your browser
    #[arg(long)]
    pub(crate) open: bool,
}

/// The turn of a picture, from 1, or the end of the match.
type Turn = Option<usize>;

fn turn(text: &str) -> Result<Turn, String> {
    match text.parse() {
        Ok(number) => Ok(Some(number)),
        Err(_) if text == "end" => Ok(None),
        Err(_) => Err("a turn is a number, such as --image=13".into()),
    }
}

pub(crate) fn run(args: &ViewArgs) -> Result<(), Error> {
    let source = args.records.source()?;
    for_game!(source.game()?, G => view::<G>(args, &source), plain G => plain::<G>(args, &source))
}

fn view<G: Coached>(args: &ViewArgs, source: &Source) -> Result<(), Error> {
    if let Some(path) = &args.out {
        out_file::check(path, OPTION)?;
    }
    let mut lines = args.records.lines(source)?;
    if let Some(other) = args.beside {
        lines.push(source.find(Some(other))?);
    } else if let (Some(_), 2..) = (&args.out, lines.len()) {
        return Err(several(lines.len()));
    }
    let mut records = Records::<G>::open(source)?;
    let dir = source.results().filter(|_| args.analyze);
    let store = dir.map_or_else(|| Ok(Store::default()), Store::open)?;
    let views =
        lines.iter().map(|(number, line)| view_of(args, source, &mut records, &store, (*number, line)));
    let pages = match args.beside {
        Some(_) => vec![both(args, &views.collect::<Result<Vec<_>, _>>()?)?],
        None => views.map(|view| one(args, &view?)).collect::<Result<_, Error>>()?,
    };
    if args.open {
        pages.iter().take(PAGES_OPENED_MAX).for_each(|(path, _)| browser::open(path.as_os_str()));
    }
    if let [(_, index), ..] = pages[..] {
        say_next(&format!("arena rerun {} --match {index}", quoted(source.named())));
    }
    Ok(())
}

/// Writes pages of matches of a game without pictures: what their records say.
fn plain<G: GameKind>(args: &ViewArgs, source: &Source) -> Result<(), Error> {
    if args.image.is_some() || args.gif || args.analyze || args.beside.is_some() {
        return Err(GameName::only_built_in("arena view --image, --gif, --analyze, --beside"));
    }
    let lines = args.records.lines(source)?;
    if lines.len() > 1 && args.out.is_some() {
        return Err(several(lines.len()));
    }
    let file = source.tournament::<G>()?;
    for (number, line) in lines {
        let (record, _) = MatchRecord::<G>::from_line(&line)
            .map_err(|error| Error::usage(format!("line {number}: {error}")))?;
        let view = PlainView::of(&record, file.as_ref().map(|file| &file.plan.setup));
        let viewed = Viewed {
            title: view.title(),
            index: record.index,
            seed: record.seed,
            turns: record.turns.len(),
            content: Content::Plain(plain_page(&view.title(), &view)),
        };
        let (path, _) = one(args, &viewed)?;
        if args.open {
            browser::open(path.as_os_str());
        }
    }
    Ok(())
}

fn several(count: usize) -> Error {
    Error::usage(format!("{OPTION} is for one match, and {count} are selected"))
        .hint(format!("leave {OPTION} out: each match gets a file of its own"))
}

/// The view of a match, as the data of a page.
struct Viewed {
    title: String,
    index: u64,
    seed: u64,
    turns: usize,
    content: Content,
}

/// What a file shows of a match.
enum Content {
    /// A page with these data.
    Page(Box<RawValue>),
    /// A whole page.
    Plain(String),
    /// A picture, and the ending of its file.
    Picture(Vec<u8>, &'static str),
}

/// Writes the page of one match. Returns its path and the number of the match.
fn one(args: &ViewArgs, view: &Viewed) -> Result<(PathBuf, u64), Error> {
    let (ending, bytes) = match &view.content {
        Content::Page(data) => ("html", Cow::Owned(page(&view.title, data).into_bytes())),
        Content::Plain(page) => ("html", Cow::Borrowed(page.as_bytes())),
        Content::Picture(bytes, ending) => (*ending, Cow::Borrowed(&bytes[..])),
    };
    let path = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("match-{}.{ending}", view.index)));
    written(&path, &bytes, view)?;
    Ok((path, view.index))
}

/// Writes a page with two matches side by side. Returns its path and the number of the first match.
fn both(args: &ViewArgs, views: &[Viewed]) -> Result<(PathBuf, u64), Error> {
    let [
        left @ Viewed { content: Content::Page(one), .. },
        right @ Viewed { content: Content::Page(other), .. },
    ] = views
    else {
        return Err(Error::usage("--beside is for the pages of two matches"));
    };
    if left.seed != right.seed {
        return Err(Error::usage(format!("matches {} and {} have different deals", left.index, right.index))
            .hint("the page of a match in \"arena serve\" names those of the same deal"));
    }
    let path = args.out.clone();
    let path = path.unwrap_or_else(|| format!("match-{}-{}.html", left.index, right.index).into());
    let title = format!("{}, beside match {}", left.title, right.index);
    written(&path, page(&title, &BTreeMap::from([("beside", [one, other])])).as_bytes(), left)?;
    Ok((path, left.index))
}

fn written(path: &Path, bytes: &[u8], view: &Viewed) -> Result<(), Error> {
    out_file::check(path, OPTION)?;
    out_file::write(path, bytes)?;
    let how = if matches!(view.content, Content::Picture(..)) { "" } else { ", open it in a browser" };
    show(&format!("{}: {} turns{how}\n", path.display(), view.turns))
}

/// Returns the view of one match.
fn view_of<G: Coached>(
    args: &ViewArgs,
    source: &Source,
    records: &mut Records<'_, G>,
    store: &Store,
    (number, line): (u64, &[u8]),
) -> Result<Viewed, Error> {
    let mut builder = MatchViewBuilder::<G>::default();
    let record =
        records.watched(number, line, &mut |record, game, turns| builder.add(&record.deal, game, turns))?;
    if let Some(dir) = source.results() {
        builder.add_stderr(dir, &record);
    }
    if args.analyze {
        let equipment = records.equipment(number, &record)?;
        analyzed(store, &record, &equipment, G::NODES, |_, _| true, cores::given())?;
        for judged in store.deepest(&record.digest) {
            builder.add_analysis(judged.id, judged.seat, judged.in_words());
        }
    }
    let mut view = builder.view(&record).ok_or_else(|| source.empty())?;
    let number = if source.is_journal()? { format!("#{}", record.index) } else { String::new() };
    if let Some(file) = records.file() {
        view.limit(file.plan.limits.per_move);
    }
    view.from = Some(format!("{}{number}@", source.named().display()));
    let content = match (args.image, args.gif) {
        (Some(turn), _) => Content::Picture(preview(&view, turn), "png"),
        (None, true) => {
            let moving = animation(&view).map_err(|error| Error::host(format!("no GIF: {error}")))?;
            Content::Picture(moving, "gif")
        }
        (None, false) => Content::Page(to_raw_value(&view).expect("a view is plain data")),
    };
    Ok(Viewed {
        content,
        title: view.title(),
        index: record.index,
        seed: record.seed,
        turns: view.frames.len() - 1,
    })
}
