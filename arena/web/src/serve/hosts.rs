//! The table of machines for the page of a tournament with shards.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use serde::Serialize;

use super::speed::Speed;
use tournament::plan::hosts::{HostRow, Hosts};

/// The speed of each machine.
#[derive(Debug, Default)]
pub(super) struct Speeds {
    by_name: BTreeMap<String, Speed>,
    /// True once all matches from before the first look are read. Those matches do not show how fast they
    /// were played.
    has_begun: bool,
}

/// The table of machines.
#[derive(Debug, Serialize)]
struct Table {
    rows: Vec<Row>,
}

/// A machine.
#[derive(Debug, Serialize)]
struct Row {
    #[serde(flatten)]
    host: HostRow,
    /// The matches per minute from this machine, over the last minutes; `None` until it can be measured.
    per_minute: Option<f64>,
    /// For a machine that stands out, the commands that drop its matches and play them again.
    again: Option<[String; 2]>,
}

impl Speeds {
    /// Returns the table as JSON. `is_all_read` is true if all lines written so far are read.
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

/// Returns the commands, for a shell in the parent of the tournament's directory. They contain only the
/// directory's name.
fn again(host: &HostRow, dir: &Path) -> [String; 2] {
    let name = dir.file_name().map_or("DIR".into(), |name| name.to_string_lossy());
    let (parts, whole) = (shell_words::quote(&name), format!("{name}-without"));
    let whole = shell_words::quote(&whole);
    [
        format!("arena merge {parts} {} --out {whole}", host.without()),
        format!("arena tournament --resume --out {whole}"),
    ]
}
