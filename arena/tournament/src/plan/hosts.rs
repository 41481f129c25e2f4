//! The machines that played the shards of a tournament: their counts, and a test for unusually many time
//! faults.

use std::collections::BTreeMap;

use engine::wire::FaultKind;
use serde::Serialize;

use crate::journal::shard::ShardHead;
use referee::record::Summary;

/// Time faults of a machine stand out from this residual on. One machine in 700 reaches it by chance.
const RESIDUAL_MIN: f64 = 3.0;
/// A machine stands out from this number of time faults on. A residual says little about fewer.
const FAULTS_MIN: u64 = 5;

/// Counts of the machines of a tournament.
#[derive(Clone, Debug, Default)]
pub struct Hosts(BTreeMap<String, Seen>);

/// Counts of one machine.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// The start of the newest shard. The two fields below come from this shard.
    begun_s: u64,
    cores: usize,
    cpu: String,
    matches: u64,
    decisions: u64,
    late: u64,
    late_us_max: u64,
    /// By bot.
    bots: BTreeMap<usize, Timed>,
}

/// The seats that a bot had on a machine, and its time faults there.
#[derive(Clone, Copy, Debug, Default)]
struct Timed {
    sittings: u64,
    faults: u64,
}

/// A row of the table of machines.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostRow {
    /// The name of the machine.
    pub host: String,
    /// The model of its processor.
    pub cpu: String,
    /// The number of cores that the arena could use there.
    pub cores: usize,
    /// The number of matches played.
    pub matches: u64,
    /// The share of decisions in which the arena itself was late, in percent.
    pub late_percent: f64,
    /// The largest delay of the arena, in microseconds.
    pub late_us_max: u64,
    /// The number of time faults: moves or starts that were too late.
    pub time_faults: u64,
    /// The number of time faults if each bot failed there as often as everywhere.
    pub expected: f64,
    /// The difference between the two, in standard deviations; `None` if nothing can differ.
    pub residual: Option<f64>,
    /// True if there are more time faults than chance explains.
    pub stands_out: bool,
}

impl HostRow {
    /// The option of `arena merge` that leaves this machine out, quoted for a shell.
    pub fn without(&self) -> String {
        format!("--without {}", shell_words::quote(&self.host))
    }
}

impl Hosts {
    /// Counts a match below this head line. `bots` has the bot indices by seat. The order of matches makes no
    /// difference.
    pub fn add(&mut self, head: &ShardHead, summary: &Summary, bots: &[usize]) {
        if !self.0.contains_key(&head.host.name) {
            self.0.insert(head.host.name.clone(), Seen::default());
        }
        let Some(seen) = self.0.get_mut(&head.host.name) else { return };
        // Cores and processor order shards that began in the same second.
        let (begun_s, cores, cpu) = (head.begun_s, head.host.cores, &head.host.cpu);
        if (seen.begun_s, seen.cores, &seen.cpu) < (begun_s, cores, cpu) {
            (seen.begun_s, seen.cores) = (begun_s, cores);
            seen.cpu.clone_from(cpu);
        }
        seen.matches += 1;
        seen.decisions += summary.played().count() as u64;
        for late_us in summary.played().filter_map(|turn| turn.late_us) {
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
            // The variance of one cell in a table with given sums, adjusted for this machine's share.
            variance += here * rate * (1.0 - rate) * (1.0 - here / sittings as f64);
        }
        let time_faults = self.bots.values().map(|timed| timed.faults).sum();
        let residual = (variance > 0.0).then(|| (time_faults as f64 - expected) / variance.sqrt());
        HostRow {
            host: host.to_owned(),
            cpu: self.cpu.clone(),
            cores: self.cores,
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
        // The second bot is slow everywhere, and plays more often on "b" than elsewhere.
        let hosts = [
            ("a", seen(&[(900, 2), (100, 20)])),
            ("b", seen(&[(100, 0), (900, 180)])),
            ("c", seen(&[(500, 50), (500, 100)])),
        ];
        let rows = Hosts(hosts.map(|(name, seen)| (name.to_owned(), seen)).into()).rows();
        let out: Vec<bool> = rows.iter().map(|row| row.stands_out).collect();
        assert_eq!(out, [false, false, true]);
        // The first bot: 52 faults in 1,500 seats; the other: 300 in 1,500.
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
