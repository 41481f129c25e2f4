//! The machines of a tournament that is played in parts, as the page has them.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use serde::Serialize;

use super::speed::Speed;
use tournament::plan::hosts::{HostRow, Hosts};

/// How fast each machine is.
#[derive(Debug, Default)]
pub(super) struct Speeds {
    by_name: BTreeMap<String, Speed>,
    /// Whether what was there before anybody looked is read, which says nothing of how fast it came.
    has_begun: bool,
}

/// The table.
#[derive(Debug, Serialize)]
struct Table {
    rows: Vec<Row>,
}

/// A machine.
#[derive(Debug, Serialize)]
struct Row {
    #[serde(flatten)]
    host: HostRow,
    /// Matches that came in from there in the last minutes, a minute; `None` before that can be told.
    per_minute: Option<f64>,
    /// Where it stands out: the commands that leave out what was played there, and play it again.
    again: Option<[String; 2]>,
}

impl Speeds {
    /// The table as JSON; `is_all_read` where nothing more is written at the moment.
    pub(super) fn table(&mut self, hosts: &Hosts, dir: &Path, is_all_read: bool) -> String {
        let now = Instant::now();
        self.has_begun |= is_all_read;
        let row = |host: HostRow| {
            let speed = self.by_name.entry(host.host.clone()).or_default();
            if self.has_begun {
                speed.note(now, host.matches);
            }
            let per_minute = speed.per_minute(now, host.matches).map(|speed| (10.0 * speed).round() / 10.0);
            let again = host.stands_out.then(|| again(&host, dir));
            Row { host, per_minute, again }
        };
        let table = Table { rows: hosts.rows().into_iter().map(row).collect() };
        serde_json::to_string(&table).expect("a table is plain data")
    }
}

/// The commands, for a shell in the folder of the tournament's directory, which alone is told.
fn again(host: &HostRow, dir: &Path) -> [String; 2] {
    let name = dir.file_name().map_or("DIR".into(), |name| name.to_string_lossy());
    let (parts, whole) = (shell_words::quote(&name), format!("{name}-without"));
    let whole = shell_words::quote(&whole);
    [
        format!("arena merge {parts} {} --out {whole}", host.without()),
        format!("arena tournament --resume --out {whole}"),
    ]
}
