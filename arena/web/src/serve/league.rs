//! A league with several stages: its page, and the routes of its stages.

use std::sync::Arc;

use axum::Router;
use axum::extract::Path;
use axum::response::Redirect;
use axum::routing::get;
use serde::Serialize;

use super::report::{PAGE, name_of};
use super::routes::{asset, nothing, taking};
use super::{Audience, Live, Report, STYLE, TABLES, routes};
use crate::view;
use crate::web::answer::{self, Asset};
use tournament::plan::TournamentHead;
use tournament::report::joint::Joint;
use tournament::standings::Row;

/// The module that draws the page, and the one of the tables that it imports.
const LEAGUE: Asset = ("league.js", include_str!("assets/league.js"));
const STANDINGS: &str = "standings.js";

/// The page of a league: links to its stages, and the table of all bots.
#[derive(Debug, Default, Serialize)]
pub struct LeaguePage {
    /// What the organizer says about the league.
    title: String,
    text: Option<String>,
    dates: Option<String>,
    stages: Vec<Stage>,
    /// The cells of the joint table.
    rows: Vec<Vec<String>>,
    is_over: bool,
    /// True if the joint table is stored, as after the last stage.
    is_whole: bool,
    /// The rows of each stage, for the joint table.
    #[serde(skip)]
    rows_of: Vec<(String, Vec<Row>)>,
}

/// A stage with a link to its page.
#[derive(Debug, Serialize)]
struct Stage {
    name: String,
    address: String,
    matches: u64,
    total: u64,
    is_over: bool,
}

impl LeaguePage {
    /// Returns the page of the league in this folder, with no stages yet.
    pub fn new(dir: &std::path::Path) -> LeaguePage {
        let title = name_of(dir).unwrap_or_default();
        LeaguePage { title, is_over: true, is_whole: Joint::is_stored(dir), ..LeaguePage::default() }
    }

    /// Adds a stage whose report is at this address.
    pub fn add_report(&mut self, name: &str, address: String, head: &TournamentHead, report: &Report) {
        let [matches, total] = report.progress();
        let stage = Stage { name: name.to_owned(), address, matches, total, is_over: matches == total };
        self.add(stage, head, report.rows().to_vec());
    }

    fn add_live(&mut self, name: &str, live: &Live) {
        let (status, book) = (live.status().borrow().clone(), live.book());
        let (matches, total, is_over) = (status.matches, status.total, status.is_over);
        let stage = Stage { name: name.to_owned(), address: format!("/{name}/"), matches, total, is_over };
        self.add(stage, &book.head, book.rows.clone());
    }

    fn add(&mut self, stage: Stage, head: &TournamentHead, rows: Vec<Row>) {
        if let Some(title) = &head.title {
            self.title.clone_from(title);
        }
        (self.text, self.dates) = (head.text.clone(), head.dates.clone());
        self.is_over &= stage.is_over;
        self.rows_of.push((stage.name.clone(), rows));
        self.stages.push(stage);
    }

    /// Returns the page as one file.
    pub fn page(mut self) -> String {
        self.rows = Joint::of(&self.rows_of).cells().split_off(1);
        view::one_file(PAGE, &self.title, &[view::STYLE.1, STYLE.1], &modules(), &self)
    }
}

fn modules() -> Vec<Asset> {
    let tables = TABLES.into_iter().filter(|(name, _)| *name == STANDINGS);
    view::shared_modules().chain(tables).chain([LEAGUE]).collect()
}

/// Returns all routes of the league in this folder with these stages. See [`routes`] for the options.
pub fn league_routes(
    dir: &std::path::Path,
    stages: Vec<(String, Arc<Live>)>,
    base_url: Option<&str>,
    audience: Audience,
) -> Router {
    let mut router = Router::new();
    for (stage, live) in &stages {
        let (home, base_url) = (format!("/{stage}/"), base_url.map(|url| format!("{url}/{stage}")));
        router = router.nest(&home, routes(Arc::clone(live), base_url.as_deref(), audience.clone()));
        router = router.route(&format!("/{stage}"), get(async move || Redirect::permanent(&home)));
    }
    let dir = dir.to_owned();
    let overview = async move || {
        let mut page = LeaguePage::new(&dir);
        stages.iter().for_each(|(name, live)| page.add_live(name, live));
        let page = page.page();
        answer::whole_page(answer::packed_html(if audience.is_own { taking(page) } else { page }))
    };
    router
        .route("/", get(overview))
        .route("/assets/{name}", get(asset))
        .route("/favicon.ico", get(async || asset(Path("icon.svg".to_owned())).await))
        .fallback(async || nothing())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_modules_share_no_names() {
        view::check_names(&modules());
    }
}
