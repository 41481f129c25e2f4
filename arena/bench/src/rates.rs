//! Measures whole tournaments with the default settings and processes kept alive: matches and decisions per
//! second.

use std::path::Path;
use std::time::{Duration, Instant};

use engine::game::Seat;

use crate::figure::Figure;
use crate::instant::SEATS;
use crate::prepared::{self, Answers, DECISIONS};
use referee::bots::entrants::Entrant;
use referee::bots::held::Guard;
use referee::bots::identity::Identity;
use referee::error::Error;
use sandbox::cores;
use sandbox::{Command, Host, cpu_time_with_reaped, descendants};
use tournament::journal::claim::Claim;
use tournament::run::concurrency::Concurrency;
use tournament::run::stop::Stop;
use tournament::standings::Tally;

/// Interpreted bots that answer as fast as their language permits: name and command.
const LANGUAGES: [(&str, &[&str]); 2] = [
    ("Python", &["python3", "-S", "-E", "-c", include_str!("instant.py")]),
    ("Node", &["node", "-e", include_str!("instant.js")]),
];

/// The time for parent processes to reap their children that have ended.
const REAPED_AFTER: Duration = Duration::from_millis(20);

/// The number of repetitions of each tournament.
const REPEATS: usize = 3;

/// Measures the rates of compiled bots and of these interpreted bots. `jobs` is the user's number of
/// concurrent matches.
pub(crate) fn measure(
    answers: &Answers,
    host: &Host,
    out: &Path,
    interpreted: Vec<(&str, Vec<Entrant>)>,
    rounds: u64,
    jobs: Option<usize>,
) -> Result<Vec<Figure>, Error> {
    let mut figures = Vec::new();
    let compiled = vec![answers.entrant("one")?, answers.entrant("two")?];
    figures.extend(rates(host, out, "compiled", compiled, answers.matches, jobs)?);
    for (language, bots) in interpreted {
        figures.extend(rates(host, out, language, bots, rounds, jobs)?);
    }
    Ok(figures)
}

/// Returns bots for both seats in every language that this machine can run.
pub(crate) fn interpreted(host: &Host) -> Result<Vec<(&'static str, Vec<Entrant>)>, Error> {
    let limit = referee::play::time_control::TimeControl::default();
    let runtime = super::runtime()?;
    let bots = |argv: &[&str]| -> Vec<Entrant> { (0..SEATS).map(|seat| entrant(seat, argv)).collect() };
    let all = LANGUAGES.into_iter().map(|(language, argv)| (language, bots(argv)));
    Ok(all
        .filter_map(|(language, mut bots)| {
            let there = runtime.block_on(referee::bots::preflight::preflight(
                &mut bots,
                host,
                limit,
                &[],
                &Guard::Named,
                &mut Default::default(),
            ));
            there.iter().all(Result::is_ok).then_some((language, bots))
        })
        .collect())
}

fn entrant(seat: Seat, argv: &[&str]) -> Entrant {
    let name = format!("bot-{seat}");
    let command = Command::new(&name, argv.iter().copied()).expect("a program is named");
    Entrant {
        identity: Identity { name, command: argv[0].to_owned(), ..Identity::default() },
        command,
        watched: Default::default(),
        is_older: false,
    }
}

fn rates(
    host: &Host,
    out: &Path,
    language: &str,
    bots: Vec<Entrant>,
    rounds: u64,
    jobs: Option<usize>,
) -> Result<Vec<Figure>, Error> {
    let (mut matches, mut alone, mut decisions) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..REPEATS {
        let folder = out.join(language);
        let claim = Claim::fresh(&folder, false)?;
        let tournament = prepared::tournament(host, bots.clone(), rounds, true)?;
        let before = used_with_all_below();
        let begin = Instant::now();
        let concurrency = Concurrency::new(jobs, SEATS, true);
        let finished = tournament.run(&claim, concurrency, &Stop::default(), &mut |_: &Tally, _| ())?;
        let seconds = begin.elapsed().as_secs_f64();
        let core_seconds = used_with_all_below().saturating_sub(before).as_secs_f64() / cores::given() as f64;
        let played = finished.standings.matches as f64;
        matches.push(played / seconds);
        alone.push(played / core_seconds);
        decisions.push(played * (SEATS as u64 * DECISIONS) as f64 / core_seconds);
        if finished.standings.rows.iter().any(|row| row.faults.values().any(|&count| count > 0)) {
            return Err(Error::host(format!("a bot of the benchmark failed: see {}", folder.display())));
        }
        std::fs::remove_dir_all(&folder).map_err(|error| Error::unwritable(&folder, &error))?;
    }
    Ok(vec![
        Figure::new(format!("matches kept alive, {language} bots"), "/s", matches),
        Figure::new(format!("the same if nobody else used the cores, {language} bots"), "/s", alone),
        Figure::new(format!("decisions if nobody else used the cores, {language} bots"), "/s", decisions),
    ])
}

/// Returns the processor time of this process and of all its present and past descendants. The resolution is
/// 10 ms.
fn used_with_all_below() -> Duration {
    std::thread::sleep(REAPED_AFTER);
    let own = std::process::id() as i32;
    descendants(own).into_iter().chain([own]).map(cpu_time_with_reaped).sum()
}
