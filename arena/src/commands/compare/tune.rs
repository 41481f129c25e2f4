//! `arena tune`: finds the numbers in a bot's command with which it plays best.

use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use serde::{Deserialize, Serialize};

use super::{CompareArgs, Watched, answered, status, text, write_log};
use crate::report::output::{print_json, show};
use crate::report::progress::Progress;
use crate::setup::args::Reuse;
use crate::setup::asked::Asked;
use crate::setup::runtime::stop_by_signals;
use referee::bots::entrants::Entrant;
use referee::bots::identity::Identity;
use referee::error::{Error, ErrorKind};
use referee::for_game;
use referee::games::GameKind;
use sandbox::text::line;
use stats::planning::optimum::{FEW, Optimum, Peak, Range, Spsa};
use stats::rounded;
use tournament::comparison::{Comparison, Results, Verdict};
use tournament::report::tables::Format;
use tournament::report::words::count;
use tournament::schedule::ScheduleName;

/// The name of folders `results/NAME-NUMBER`, and of the logs in them.
const NAME: &str = "tune";
/// The names of the bot with other values, unless the command has one, and with the values at the start.
const TUNED: &str = "tuned";
const START: &str = "start";
/// The deals of a pair of settings while more than [`FEW`] numbers are searched.
const PAIR_DEALS: u64 = 8;
/// What a number looks like.
const FORM: &str = "write {NAME=START:LOW..HIGH}, such as {price=0.8:0.3..1.2}";

/// Arguments of `arena tune`.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 better than the start, 1 not, 3 undecided; 2 wrong usage, 75 the machine, 130 interrupted.\n\
                  Example: arena tune 'python3 bot.py {price=0.8:0.3..1.2} {depth=2:1..5}' greedy"
)]
pub(crate) struct TuneArgs {
    /// A bot with numbers {NAME=START:LOW..HIGH} in its command, and its opponents [default: the bot at its start]
    #[arg(value_names = ["COMMAND", "OPPONENT"], num_args = 1.., required = true)]
    bots: Vec<String>,
    /// Play N deals with each setting; with more than 3 numbers, N pairs of settings on 8 deals each
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(4..=1_000_000))]
    rounds: u64,
    #[command(flatten)]
    compare: CompareArgs,
}

/// What is known of the settings.
#[derive(Debug, Serialize, Deserialize)]
struct Log {
    /// The bot and its opponents, as on the command line.
    bots: Vec<String>,
    /// The deals of each setting, or the pairs.
    rounds: u64,
    /// The seed of the settings. Those of the verdict and of pairs follow it.
    seed: u64,
    /// The settings that were played, in their order.
    settings: Vec<Setting>,
    /// The result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    found: Option<Found>,
}

/// A setting and its results.
#[derive(Debug, Serialize, Deserialize)]
struct Setting {
    values: Vec<f64>,
    /// The mean of each deal, in the order of deals: points more than the opponent, or the share of wins.
    results: Vec<f64>,
    /// The number of its matches with a fault.
    faults: u64,
}

/// The best values, and how they compare with those at the start.
#[derive(Debug, Serialize, Deserialize)]
struct Found {
    command: String,
    values: Vec<f64>,
    /// The 95 % intervals of the values. Empty if nothing is known of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    intervals: Vec<[f64; 2]>,
    /// The comparison with the start. `None` if the values are those of the start.
    comparison: Option<Comparison>,
}

/// A number in a command.
struct Number {
    name: String,
    start: f64,
    range: Range,
}

/// A bot with numbers in its command.
struct Template {
    name: String,
    /// The text before each number, and behind the last one.
    parts: Vec<String>,
    numbers: Vec<Number>,
}

pub(crate) fn run(args: &TuneArgs) -> Result<ExitCode, Error> {
    let TuneArgs { bots, rounds, compare } = args;
    let template = Template::parse(&bots[0])?;
    let (folder, begun) = compare.log::<Log>(NAME)?;
    let mut log = match begun {
        Some(log) if (&log.bots, log.rounds) == (bots, *rounds) => log,
        Some(_) => {
            return Err(Error::usage(format!("{} is of another command", folder.display()))
                .hint("repeat the command that began it, with --resume and --out"));
        }
        None => {
            let seed = compare.lineup.containment.seed(compare.seed, false)?;
            Log { bots: bots.clone(), rounds: *rounds, seed, settings: Vec::new(), found: None }
        }
    };
    let tuner = Tuner { template, compare, folder: &folder };
    let done = tuner.tune(&mut log);
    // A tournament inside tells how it goes on by itself, which is not the whole.
    done.map_err(|error| if error.kind() == ErrorKind::Usage { error } else { error.hint(resume(&folder)) })
}

/// Returns the command that goes on: this one, with `--resume`.
fn resume(folder: &Path) -> String {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let has = |option: &str| std::env::args().any(|word| word.split('=').next() == Some(option));
    if !has("--out") {
        words.extend(["--out".to_owned(), folder.to_string_lossy().into_owned()]);
    }
    if !has("--resume") {
        words.push("--resume".to_owned());
    }
    format!("continue with: arena {}", shell_words::join(words))
}

/// A search with its options.
struct Tuner<'a> {
    template: Template,
    compare: &'a CompareArgs,
    folder: &'a Path,
}

impl Tuner<'_> {
    fn tune(&self, log: &mut Log) -> Result<ExitCode, Error> {
        let Tuner { template, compare, folder } = self;
        let numbers = template.numbers.len();
        let peak = Peak::new(template.ranges()).filter(|_| numbers <= FEW);
        let plan = match &peak {
            Some(peak) => {
                format!("{} settings at first, {} each", peak.settings().len(), count(log.rounds, "deal"))
            }
            None if numbers > FEW => {
                format!("{} of settings, {PAIR_DEALS} deals each", count(log.rounds, "pair"))
            }
            None => {
                return Err(
                    Error::usage("a whole number has two values").hint("compare them with arena compare A B")
                );
            }
        };
        let (numbers, place) = (count(numbers as u64, "number"), folder.display());
        self.compare.say(&format!("{numbers}, {plan}, seed {}, into {place}", log.seed));
        let Optimum { at: values, intervals } = match peak {
            Some(peak) => self.fit(peak, log)?,
            None => self.search(log)?,
        };
        let faults: u64 = log.settings.iter().map(|setting| setting.faults).sum();
        if faults > 0 {
            self.compare.say(&format!("note: {} with a fault of the bot", count(faults, "match")));
        }
        let command = template.command(&values);
        let comparison = match values == template.start() {
            true => None,
            false => Some(self.verdict(log.seed, &command)?),
        };
        let found = log.found.insert(Found { command, values, intervals, comparison });
        let said = template.told(found);
        let answer = found.comparison.as_ref().and_then(|one| one.answer.as_ref());
        let status = status(answer.map_or(Verdict::NotBetter, |answer| answer.verdict));
        write_log(self.folder, NAME, log)?;
        match compare.format {
            Format::Json => print_json(log)?,
            _ => show(&said)?,
        }
        Ok(status)
    }

    /// Plays designs of settings until they show the best values.
    fn fit(&self, mut peak: Peak, log: &mut Log) -> Result<Optimum, Error> {
        let (mut best, mut first): (Option<f64>, usize) = (None, 0);
        loop {
            let settings = peak.settings();
            for (number, values) in settings.iter().enumerate() {
                let results = &self.played(log, first + number, values, (log.seed, log.rounds))?.results;
                let mean = results.iter().sum::<f64>() / results.len().max(1) as f64;
                if best.is_none_or(|most| mean > most) {
                    best = Some(mean);
                    self.compare
                        .say(&format!("best so far: {} ({mean:+.2})", self.template.told_values(values)));
                }
            }
            let played = &log.settings[first..first + settings.len()];
            let deals = played.iter().map(|setting| setting.results.len()).min().unwrap_or(0);
            let of_deal = |deal: usize| played.iter().map(|setting| setting.results[deal]).collect();
            if let Some(optimum) = peak.learn(&(0..deals).map(of_deal).collect::<Vec<Vec<f64>>>()) {
                return Ok(optimum);
            }
            first += settings.len();
            self.compare.say("the results have no clear peak there; closer settings follow");
        }
    }

    /// Plays pairs of settings. Returns the values at the end.
    fn search(&self, log: &mut Log) -> Result<Optimum, Error> {
        let template = &self.template;
        let mut search = Spsa::new(template.ranges(), &template.start(), log.rounds, log.seed);
        let mut pairs = 0;
        while let Some(pair) = search.pair() {
            let mut mean = |side: usize| -> Result<f64, Error> {
                let seed = log.seed.wrapping_add(2 + pairs as u64);
                let setting = self.played(log, 2 * pairs + side, &pair[side], (seed, PAIR_DEALS))?;
                Ok(setting.results.iter().sum::<f64>() / PAIR_DEALS as f64)
            };
            search.learn(mean(0)? - mean(1)?);
            pairs += 1;
            if pairs % 10 == 0 {
                self.compare
                    .say(&format!("best after {pairs} pairs: {}", template.told_values(&search.best())));
            }
        }
        Ok(Optimum { at: search.best(), intervals: Vec::new() })
    }

    /// Returns the setting with this number. Plays it if the log does not have it.
    fn played<'a>(
        &self,
        log: &'a mut Log,
        number: usize,
        values: &[f64],
        (seed, rounds): (u64, u64),
    ) -> Result<&'a Setting, Error> {
        if log.settings.len() == number {
            write_log(self.folder, NAME, log)?;
            let template = &self.template;
            let mut bots = vec![format!("{}={}", template.name, template.command(values))];
            match log.bots.len() {
                1 => bots.push(format!("{START}={}", template.command(&template.start()))),
                _ => bots.extend(log.bots[1..].iter().cloned()),
            }
            let args = self.compare.inside(self.folder.join(format!("{number:04}")), bots, seed);
            let question = args.question.clone();
            let mut args = args.tournament();
            args.settings.schedule = Some(ScheduleName::Gauntlet).filter(|_| !args.resume);
            args.settings.rounds = Some(rounds);
            args.settings.reuse = Some(Reuse::Careful);
            let request = Asked::new(args)?.named(NAME, rounds);
            let name = &template.name;
            let results = for_game!(request.game()?, G => {
                self.play::<G>(request, Results::new(name, question.metric::<G>()))
            })?;
            let (faults, results) = (results.faults, results.by_deal().into_iter().map(rounded).collect());
            log.settings.push(Setting { values: values.to_vec(), results, faults });
            write_log(self.folder, NAME, log)?;
        }
        match log.settings[number].values == values {
            true => Ok(&log.settings[number]),
            false => Err(Error::usage("its settings are not those of this command")),
        }
    }

    fn play<G: GameKind>(&self, request: Asked, mut results: Results) -> Result<Results, Error> {
        let (tournament, out, concurrency) = request.prepare::<G>()?;
        let stop = stop_by_signals()?;
        let progress = Progress::new(tournament.total()?, self.compare.quiet);
        let mut watched = Watched { watching: &mut results, progress: &progress };
        let finished = tournament.run(&out, concurrency, &stop, &mut watched);
        progress.clear();
        match (finished?.left, tournament.changed(NAME, out.path())) {
            (_, Some(error)) => Err(error),
            (0, None) => Ok(results),
            _ => Err(stop.error(format!("the settings so far are in {}", self.folder.display()))),
        }
    }

    /// Compares the found command with the one at the start, on deals that no setting was played on.
    fn verdict(&self, seed: u64, command: &str) -> Result<Comparison, Error> {
        let template = &self.template;
        let start = format!("{START}={}", template.command(&template.start()));
        let bots = vec![format!("{}={command}", template.name), start];
        let args = self.compare.inside(self.folder.join("verdict"), bots, seed.wrapping_add(1));
        self.compare.say(&format!("{} against the start, on fresh deals", template.name));
        answered(args).map(|(comparison, _)| comparison)
    }
}

impl Template {
    fn parse(text: &str) -> Result<Template, Error> {
        // The first "=" may be that of a number.
        let described = match text.find('=') < text.find('{') {
            true => Entrant::described(text)?,
            false => Identity { command: text.to_owned(), ..Identity::default() },
        };
        let name = if described.name.is_empty() { TUNED.to_owned() } else { described.name };
        let (mut parts, mut numbers, mut rest) =
            (Vec::new(), Vec::<Number>::new(), described.command.as_str());
        while let Some((before, behind)) = rest.split_once('{') {
            let (inside, behind) =
                behind.split_once('}').ok_or_else(|| Error::usage(format!("{{{behind}: {FORM}")))?;
            let number = Number::parse(inside)?;
            if numbers.iter().any(|other| other.name == number.name) {
                return Err(Error::usage(format!("two numbers have the name {:?}", number.name)));
            }
            numbers.push(number);
            parts.push(before.to_owned());
            rest = behind;
        }
        parts.push(rest.to_owned());
        match numbers.is_empty() {
            true => Err(Error::usage(format!("{:?} has no number to tune", described.command)).hint(FORM)),
            false => Ok(Template { name, parts, numbers }),
        }
    }

    fn start(&self) -> Vec<f64> {
        self.numbers.iter().map(|number| number.start).collect()
    }

    fn ranges(&self) -> Vec<Range> {
        self.numbers.iter().map(|number| number.range.clone()).collect()
    }

    fn command(&self, values: &[f64]) -> String {
        let numbers = values.iter().map(f64::to_string).chain([String::new()]);
        self.parts.iter().zip(numbers).map(|(part, number)| part.clone() + &number).collect()
    }

    fn told_values(&self, values: &[f64]) -> String {
        let one = |(number, value): (&Number, &f64)| format!("{}={value}", line(&number.name));
        self.numbers.iter().zip(values).map(one).collect::<Vec<_>>().join(" ")
    }

    /// Returns the result in words: the verdict, the intervals, and the command.
    fn told(&self, found: &Found) -> String {
        let answered = found.comparison.as_ref().and_then(|one| Some(text(one, one.answer.as_ref()?)));
        let mut told =
            answered.unwrap_or_else(|| "not better: the best values are those at the start\n".to_owned());
        for ((number, value), [low, high]) in self.numbers.iter().zip(&found.values).zip(&found.intervals) {
            told += &format!("{}: {value} (95 %: {low} to {high})\n", line(&number.name));
        }
        told + &found.command + "\n"
    }
}

impl Number {
    fn parse(text: &str) -> Result<Number, Error> {
        let wrong = |what: &str| Error::usage(format!("{{{text}}}: {what}")).hint(FORM);
        let (name, numbers) = text
            .split_once('=')
            .filter(|(name, _)| !name.is_empty())
            .ok_or_else(|| wrong("it has no name"))?;
        let (start, bounds) = numbers.split_once(':').ok_or_else(|| wrong("it has no bounds"))?;
        let (low, high) = bounds.split_once("..").ok_or_else(|| wrong("it has no bounds"))?;
        let texts = [start, low, high];
        let read = texts.map(|text| text.parse::<f64>().ok().filter(|value| value.is_finite()));
        let [Some(start), Some(low), Some(high)] = read else {
            return Err(wrong("start and bounds are numbers"));
        };
        if !(low <= start && start <= high && low < high) {
            return Err(wrong("the start is between the bounds"));
        }
        let is_whole = texts.iter().all(|text| text.parse::<i64>().is_ok());
        Ok(Number { name: name.to_owned(), start, range: Range { low, high, is_whole } })
    }
}
