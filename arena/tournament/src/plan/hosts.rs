//! The machines that played the parts of a tournament: what each did, and whether its time faults stand out.

use std::collections::BTreeMap;

use engine::wire::FaultKind;
use serde::Serialize;

use crate::journal::shard::ShardHead;
use referee::record::Summary;

/// From this residual on time faults stand out: by chance one machine in 700 does.
const RESIDUAL_MIN: f64 = 3.0;
/// And from so many of them on: a residual says little of fewer.
const FAULTS_MIN: u64 = 5;

/// What the machines of a tournament did.
#[derive(Clone, Debug, Default)]
pub struct Hosts(BTreeMap<String, Seen>);

/// What one of them did.
#[derive(Clone, Debug, Default)]
struct Seen {
    cpu: String,
    /// Of the part that began last.
    newest: Option<Newest>,
    matches: u64,
    decisions: u64,
    late: u64,
    late_us_max: u64,
    /// By bot.
    bots: BTreeMap<usize, Timed>,
}

/// What a part says of its machine. What is newer is greater; the speed tells apart what began in the same second.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct Newest {
    begun_s: u64,
    games_per_second: f64,
    cores: usize,
}

/// How often a bot sat somewhere, and how often it was not in time there.
#[derive(Clone, Copy, Debug, Default)]
struct Timed {
    sittings: u64,
    faults: u64,
}

/// A machine in the table of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostRow {
    /// Its name.
    pub host: String,
    /// Model of its processor.
    pub cpu: String,
    /// Cores that the arena could use there.
    pub cores: usize,
    /// Random solo games of doodle for each second of CPU time, when its last part began.
    pub games_per_second: f64,
    /// Matches played.
    pub matches: u64,
    /// Share of decisions in which the arena itself was late, in percent.
    pub late_percent: f64,
    /// The most that it was late, in microseconds.
    pub late_us_max: u64,
    /// Bots that were not in time.
    pub time_faults: u64,
    /// How many there would be if each bot failed there as often as everywhere.
    pub expected: f64,
    /// How far that is apart, in standard deviations; `None` where nothing can differ.
    pub residual: Option<f64>,
    /// Whether there are more than chance explains.
    pub stands_out: bool,
}

impl HostRow {
    /// The option of `arena merge` that leaves it out, for a shell.
    pub fn without(&self) -> String {
        format!("--without {}", shell_words::quote(&self.host))
    }
}

impl Hosts {
    /// Counts a match of the bots of these numbers, by seat, behind this line of a part. In which order matches come
    /// makes no difference.
    pub fn add(&mut self, head: &ShardHead, summary: &Summary, bots: &[usize]) {
        if !self.0.contains_key(&head.host.name) {
            self.0.insert(head.host.name.clone(), Seen::default());
        }
        let Some(seen) = self.0.get_mut(&head.host.name) else { return };
        let (begun_s, games_per_second, cores) = (head.begun_s, head.games_per_second, head.host.cores);
        let newest = Some(Newest { begun_s, games_per_second, cores });
        if seen.newest < newest {
            seen.newest = newest;
            seen.cpu.clone_from(&head.host.cpu);
        }
        seen.matches += 1;
        seen.decisions += summary.turns.len() as u64;
        for late_us in summary.turns.iter().filter_map(|turn| turn.late_us) {
            seen.late += 1;
            seen.late_us_max = seen.late_us_max.max(late_us);
        }
        for (&bot, mark) in bots.iter().zip(&summary.result.faults) {
            let timed = seen.bots.entry(bot).or_default();
            timed.sittings += 1;
            let is_late =
                mark.is_some_and(|mark| matches!(mark.kind, FaultKind::Timeout | FaultKind::Startup));
            timed.faults += u64::from(is_late);
        }
    }

    /// The machines, by name.
    pub fn rows(&self) -> Vec<HostRow> {
        let mut all: BTreeMap<usize, Timed> = BTreeMap::new();
        for (&bot, timed) in self.0.values().flat_map(|seen| &seen.bots) {
            let sum = all.entry(bot).or_default();
            sum.sittings += timed.sittings;
            sum.faults += timed.faults;
        }
        self.0.iter().map(|(host, seen)| seen.row(host, &all)).collect()
    }
}

impl Seen {
    fn row(&self, host: &str, all: &BTreeMap<usize, Timed>) -> HostRow {
        let (mut expected, mut variance) = (0.0, 0.0);
        for (bot, timed) in &self.bots {
            let Timed { sittings, faults } = all[bot];
            let (rate, here) = (faults as f64 / sittings as f64, timed.sittings as f64);
            expected += here * rate;
            // As of one cell of a table whose sums are given: adjusted for the part that this machine has.
            variance += here * rate * (1.0 - rate) * (1.0 - here / sittings as f64);
        }
        let time_faults = self.bots.values().map(|timed| timed.faults).sum();
        let residual = (variance > 0.0).then(|| (time_faults as f64 - expected) / variance.sqrt());
        HostRow {
            host: host.to_owned(),
            cpu: self.cpu.clone(),
            cores: self.newest.map_or(0, |newest| newest.cores),
            games_per_second: self.newest.map_or(0.0, |newest| newest.games_per_second),
            matches: self.matches,
            late_percent: 100.0 * self.late as f64 / self.decisions.max(1) as f64,
            late_us_max: self.late_us_max,
            time_faults,
            expected,
            residual,
            stands_out: time_faults >= FAULTS_MIN && residual.is_some_and(|residual| residual > RESIDUAL_MIN),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(bots: &[(u64, u64)]) -> Seen {
        let timed = |&(sittings, faults): &(u64, u64)| Timed { sittings, faults };
        Seen { bots: bots.iter().map(timed).enumerate().collect(), ..Seen::default() }
    }

    #[test]
    fn a_machine_stands_out_by_its_faults_and_not_by_its_bots() {
        // The second bot is slow everywhere, and sits at "b" more often than elsewhere.
        let hosts = [
            ("a", seen(&[(900, 2), (100, 20)])),
            ("b", seen(&[(100, 0), (900, 180)])),
            ("c", seen(&[(500, 50), (500, 100)])),
        ];
        let rows = Hosts(hosts.map(|(name, seen)| (name.to_owned(), seen)).into()).rows();
        let out: Vec<bool> = rows.iter().map(|row| row.stands_out).collect();
        assert_eq!(out, [false, false, true]);
        // The first bot: 52 faults in 1,500 sittings; the other: 300 in 1,500.
        let (first, second): (f64, f64) = (52.0 / 1500.0, 0.2);
        let expected = 500.0 * first + 500.0 * second;
        let variance = 500.0 * (first * (1.0 - first) + second * (1.0 - second)) * (2.0 / 3.0);
        assert!((rows[2].expected - expected).abs() < 1e-9);
        let residual = rows[2].residual.expect("there are faults");
        assert!((residual - (150.0 - expected) / variance.sqrt()).abs() < 1e-9, "{residual}");
    }

    #[test]
    fn nothing_stands_out_without_faults_or_on_one_machine() {
        let one = Hosts([("a".to_owned(), seen(&[(100, 50)]))].into());
        assert_eq!(one.rows()[0].residual, None);
        let none = Hosts([("a".to_owned(), seen(&[(10, 0)])), ("b".to_owned(), seen(&[(10, 0)]))].into());
        assert!(none.rows().iter().all(|row| row.residual.is_none() && !row.stands_out));
    }
}
