//! `arena compare`: tests whether one bot is better than another. It plays a tournament of the two bots,
//! which ends when the answer is known.

pub(crate) mod bisect;
pub(crate) mod tune;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::report::output::{print_json, say, show};
use crate::report::progress::Progress;
use crate::report::tables::{quoted, say_next};
use crate::setup::args::{TournamentArgs, TournamentOptions};
use crate::setup::asked::Asked;
use crate::setup::lineup::LineupOptions;
use crate::setup::out;
use crate::setup::positions::FromOptions;
use crate::setup::rules::{GameArgs, RulesArgs};
use crate::setup::runtime::stop_by_signals;
use crate::setup::versions::entrants;
use crate::setup::words::{probability, seed, word_of};
use referee::bots::entrants::Entrant;
use referee::error::Error;
use referee::for_game;
use referee::games::{GameKind, GameName};
use referee::record::Summary;
use stats::sequential::DEALS_MIN;
use tournament::comparison::{Answer, Comparison, Metric, Question, Verdict};
use tournament::journal::claim::Claim;
use tournament::journal::files::write_json;
use tournament::journal::results;
use tournament::plan::TOURNAMENT;
use tournament::report::style::Mark;
use tournament::report::tables::Format;
use tournament::report::words::count;
use tournament::run::concurrency::Concurrency;
use tournament::run::observer::Observer;
use tournament::run::tournament::Tournament;
use tournament::standings::Tally;

/// The default of `--max-rounds`.
const ROUNDS_MAX_DEFAULT: u64 = 10_000;
/// The default of `--alpha` and `--beta`.
const ERROR_DEFAULT: f64 = 0.025;
/// The exit status of an undecided comparison.
const UNDECIDED: u8 = 3;
/// The name of comparisons in `results/NAME-NUMBER`.
const NAME: &str = "compare";

/// The formats of the result.
const FORMATS: [(&str, Format, &str); 2] =
    [("text", Format::Table, "A few lines"), ("json", Format::Json, "One JSON object")];

/// Arguments of `arena compare`.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit status: 0 A is better, 1 it is not, 3 undecided; 2 wrong usage, 75 the machine, 130 interrupted."
)]
pub(crate) struct PairArgs {
    /// The new bot and the bot to beat: NAME=COMMAND, COMMAND, git:REF, or a bundled bot
    #[arg(value_names = ["A", "B"], num_args = 2, required_unless_present = "resume")]
    bots: Vec<String>,
    #[command(flatten)]
    args: CompareArgs,
}

/// Arguments of commands that compare bots.
#[derive(Clone, Debug, Args)]
pub(crate) struct CompareArgs {
    #[arg(skip)]
    bots: Vec<String>,
    /// Play this game [default: doodle]
    #[arg(long, value_enum)]
    game: Option<GameName>,
    #[command(flatten)]
    question: QuestionArgs,
    /// Stop undecided after N deals [default: 10000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    max_rounds: Option<u64>,
    /// Derive all deals from this seed [default: a fresh one]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = seed)]
    seed: Option<u64>,
    /// Play J matches at the same time [default: as many as the cores can run]
    #[arg(long, value_name = "J", allow_negative_numbers = true)]
    jobs: Option<usize>,
    /// Write results to this directory [default: results/COMMAND-NUMBER]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the answer in this format
    #[arg(long, value_parser = word_of(&FORMATS), default_value = "text")]
    format: Format,
    #[command(flatten)]
    lineup: LineupOptions,
    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    own_game: GameArgs,
    #[command(flatten)]
    from: FromOptions,
    /// Continue the comparison in --out; a larger --max-rounds extends it
    #[arg(long)]
    resume: bool,
    /// With --resume: continue although bots, limits, or rules have changed
    #[arg(long, requires = "resume")]
    force: bool,
    /// With --resume: play all matches again with the files that this bot has now
    #[arg(long, value_name = "NAME", requires = "resume")]
    replace: Vec<String>,
    /// With --resume: grant the files and network access that the directory asks for
    #[arg(long, requires = "resume")]
    trust: bool,
    /// Print no progress
    #[arg(long)]
    quiet: bool,
}

/// The question: missing options have defaults that depend on the game.
#[derive(Clone, Debug, Args)]
struct QuestionArgs {
    /// Compare by this measure [default: points; Elo in a game of your own]
    #[arg(long, value_enum)]
    metric: Option<Metric>,
    /// Set the effect that is no improvement, in points or Elo [default: 0]
    #[arg(long, value_name = "EFFECT", allow_negative_numbers = true)]
    h0: Option<f64>,
    /// Set the effect that is an improvement, in points or Elo [default: 2 points or 20 Elo]
    #[arg(long, value_name = "EFFECT", allow_negative_numbers = true)]
    h1: Option<f64>,
    /// Limit the probability of "better" when H0 is true [default: 0.025]
    #[arg(long, value_name = "P", allow_negative_numbers = true, value_parser = probability)]
    alpha: Option<f64>,
    /// Limit the probability of "not better" when H1 is true [default: 0.025]
    #[arg(long, value_name = "P", allow_negative_numbers = true, value_parser = probability)]
    beta: Option<f64>,
}

pub(crate) fn run(PairArgs { bots, args }: PairArgs) -> Result<ExitCode, Error> {
    let format = args.format;
    let (comparison, answer) = answered(CompareArgs { bots, ..args })?;
    report(&comparison, &answer, format)
}

/// Plays until the question of these arguments is answered.
fn answered(args: CompareArgs) -> Result<(Comparison, Answer), Error> {
    let earlier = args.resume.then(|| Comparison::read(&out::resumed(args.out.as_deref())?)).transpose()?;
    args.check_names()?;
    let (question, quiet) = (args.question.clone(), args.quiet);
    let request = args.request()?;
    for_game!(request.game()?, G => play_game::<G>(request, earlier, &question, quiet))
}

impl QuestionArgs {
    /// Returns the measure of a new comparison in a game.
    fn metric<G: GameKind>(&self) -> Metric {
        self.metric.unwrap_or(if G::IS_PROGRAM { Metric::Elo } else { Metric::Points })
    }

    /// Returns the question of the options in a game with these rules. A resumed comparison fills in missing values, and
    /// rejects different ones.
    fn question<G: GameKind>(&self, setup: &G::Setup, earlier: Option<Question>) -> Result<Question, Error> {
        let metric =
            earlier.map_or_else(|| self.metric::<G>(), |earlier| self.metric.unwrap_or(earlier.metric));
        let h1 = self.h1.or(earlier.map(|question| question.h1)).or_else(|| metric.effect(G::unit(setup)));
        let h1 = h1.ok_or_else(|| {
            let why = format!("{} does not say how many points are an improvement", G::name(setup));
            Error::usage(why).hint("set --h1, or \"unit\" in the game's answer to describe, or --metric elo")
        })?;
        let default = Question { metric, h0: 0.0, h1, alpha: ERROR_DEFAULT, beta: ERROR_DEFAULT };
        let default = earlier.unwrap_or(default);
        let asked = Question {
            metric,
            h0: self.h0.unwrap_or(default.h0),
            h1,
            alpha: self.alpha.unwrap_or(default.alpha),
            beta: self.beta.unwrap_or(default.beta),
        };
        match earlier {
            Some(earlier) if earlier != asked => Err(Error::usage(
                "the question is not the one that was begun: a test that is changed on the way keeps no error rates",
            )
            .hint("leave out --metric, --h0, --h1, --alpha and --beta, or begin anew with another --out")),
            _ => asked.check(),
        }
    }
}

impl CompareArgs {
    /// Checks that the bots have different names. Names that bots tell after their start are checked later.
    fn check_names(&self) -> Result<(), Error> {
        let entrants = entrants(&self.bots, &self.lineup.build)?;
        let named: Vec<Entrant> =
            entrants.into_iter().filter(|entrant| !entrant.identity.name.is_empty()).collect();
        referee::bots::entrants::check_distinct(&named)
    }

    /// Returns the tournament that answers the question.
    fn request(self) -> Result<Asked, Error> {
        Ok(Asked::new(self.tournament())?.named(NAME, ROUNDS_MAX_DEFAULT))
    }

    /// Returns the arguments of the tournament of these bots.
    fn tournament(self) -> TournamentArgs {
        let rounds = match self.resume {
            _ if self.from.from.is_some() => self.max_rounds,
            true => self.max_rounds,
            false => Some(self.max_rounds.unwrap_or(ROUNDS_MAX_DEFAULT)),
        };
        let settings = TournamentOptions {
            game: self.game,
            rounds,
            positions: self.from.from,
            deal_as_recorded: self.from.deal_as_recorded,
            seed: self.seed,
            jobs: self.jobs,
            out: self.out,
            ..TournamentOptions::default()
        };
        TournamentArgs {
            bots: self.bots,
            settings,
            lineup: self.lineup,
            rules: self.rules,
            game: self.own_game,
            resume: self.resume,
            force: self.force,
            replace: self.replace,
            trust: self.trust,
            quiet: self.quiet,
            ..TournamentArgs::default()
        }
    }

    /// Returns the folder of a command that plays several tournaments, such as `results/bisect-1`, with the log in it if the
    /// command goes on.
    fn log<T: DeserializeOwned>(&self, name: &str) -> Result<(PathBuf, Option<T>), Error> {
        if !self.resume {
            return Ok((out::fresh(self.out.as_deref(), name)?.path().to_owned(), None));
        }
        let folder = out::resumed(self.out.as_deref())?;
        let path = log_path(&folder, name);
        let text = results::read(&path).map_err(|error| Error::unreadable(&path, &error))?;
        let log = serde_json::from_str(&text)
            .map_err(|error| Error::usage(format!("{}: {error}", path.display())))?;
        Ok((folder, Some(log)))
    }

    /// Returns the arguments of a tournament of these bots in a folder inside. It is resumed if it was begun.
    fn inside(&self, out: PathBuf, bots: Vec<String>, seed: u64) -> CompareArgs {
        let resume = out.join(TOURNAMENT).exists();
        let (bots, seed) = if resume { (Vec::new(), None) } else { (bots, Some(seed)) };
        CompareArgs { bots, seed, resume, out: Some(out), quiet: true, ..self.clone() }
    }

    fn say(&self, words: &str) {
        if !self.quiet {
            say(words);
        }
    }
}

fn log_path(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.json"))
}

/// Writes the log of a command that plays several tournaments.
fn write_log(folder: &Path, name: &str, log: &impl Serialize) -> Result<(), Error> {
    results::folder(folder).map_err(|error| Error::unwritable(folder, &error))?;
    write_json(&log_path(folder, name), log)
}

fn play_game<G: GameKind>(
    request: Asked,
    earlier: Option<Comparison>,
    question: &QuestionArgs,
    quiet: bool,
) -> Result<(Comparison, Answer), Error> {
    let outlined = request.outlined::<G>()?;
    let question =
        question.question::<G>(outlined.setup(), earlier.as_ref().map(|earlier| earlier.question))?;
    let (tournament, out, concurrency) = outlined.prepare()?;
    let comparison = Comparison::new(names(&tournament)?, question);
    if let Some(earlier) = earlier.filter(|earlier| earlier.bots != comparison.bots) {
        let [first, second] = earlier.bots;
        return Err(Error::usage(format!("the comparison that was begun is of {first} with {second}"))
            .hint("name the bots in that order, or leave them out"));
    }
    // The question is there before the plan, so that whatever can be resumed has one.
    comparison.write(out.path())?;
    let answer = play(&tournament, &comparison, &out, concurrency, quiet)?;
    let answered = Comparison { answer: Some(answer.clone()), ..comparison };
    answered.write(out.path())?;
    if !quiet {
        say(&format!("records and tables are in {}", out.path().display()));
        let (path, out) = (out.path(), quoted(out.path()));
        match answer.deals_to_go {
            Some(to_go) => {
                let rounds = tournament.file.plan.rounds + 2 * to_go;
                let resume = tournament.resume("compare", path);
                say(&format!("continue with: {resume} --max-rounds {rounds}"));
            }
            None => say_next(&format!("arena standings {out} --details")),
        }
    }
    Ok((answered, answer))
}

fn names<G: GameKind>(tournament: &Tournament<G>) -> Result<[String; 2], Error> {
    let names: Vec<String> =
        tournament.entrants.iter().map(|entrant| entrant.identity.name.clone()).collect();
    names.try_into().map_err(|_| Error::usage("a comparison is of two bots"))
}

/// Plays until the answer is known or all deals are played.
fn play<G: GameKind>(
    tournament: &Tournament<G>,
    comparison: &Comparison,
    out: &Claim,
    concurrency: Concurrency,
    quiet: bool,
) -> Result<Answer, Error> {
    let [first, second] = &comparison.bots;
    let plan = &tournament.file.plan;
    if !quiet {
        let deals = count(plan.rounds, "deal");
        let (game, seed, out) = (&plan.game, plan.seed, out.path().display());
        say(&format!(
            "{game}: {first} and {second} on {deals} at most, seed {seed}, {concurrency}, into {out}"
        ));
    }
    tournament.older("compare", out.path()).iter().for_each(|line| say(line));
    let stop = stop_by_signals()?;
    let mut trial = comparison.trial::<G>(plan);
    let progress = Progress::new(tournament.total()?, quiet);
    let finished =
        tournament.run(out, concurrency, &stop, &mut Watched { watching: &mut trial, progress: &progress });
    progress.clear();
    let finished = finished.map_err(|error| tournament.told("compare", out.path(), error))?;
    if let Some(error) = tournament.changed("compare", out.path()).filter(|_| !trial.is_decided()) {
        return Err(error);
    }
    if finished.left > 0 && !trial.is_decided() {
        let (matches, shown) = (count(finished.standings.matches, "match"), out.path().display());
        return Err(stop
            .error(format!("{matches} are in {shown}, and the comparison is undecided"))
            .hint(format!("continue with: {}", tournament.resume("compare", out.path()))));
    }
    Ok(trial.answer())
}

/// An observer that shows its progress.
struct Watched<'a, O> {
    watching: &'a mut O,
    progress: &'a Progress,
}

impl<O: Observer> Observer for Watched<'_, O> {
    fn counted(&mut self, summary: &Summary) {
        self.watching.counted(summary);
    }

    fn is_enough(&mut self, tally: &Tally, total: u64) -> bool {
        self.progress.show(tally, total);
        self.watching.is_enough(tally, total)
    }
}

/// Prints the answer. Returns its exit status.
fn report(comparison: &Comparison, answer: &Answer, format: Format) -> Result<ExitCode, Error> {
    match format {
        Format::Json => print_json(comparison)?,
        _ => show(&text(comparison, answer))?,
    }
    Ok(status(answer.verdict))
}

fn status(verdict: Verdict) -> ExitCode {
    match verdict {
        Verdict::Better => ExitCode::SUCCESS,
        Verdict::NotBetter => ExitCode::from(1),
        Verdict::Undecided => ExitCode::from(UNDECIDED),
    }
}

/// Returns the estimate with its interval and the number of deals, in a line.
fn outcome(comparison: &Comparison, answer: &Answer) -> String {
    let deals = count(answer.deals, "deal");
    let estimate = comparison.estimate(answer).unwrap_or_else(|| "too few deals for an estimate".to_owned());
    format!("{estimate}, after {deals}")
}

fn text(comparison: &Comparison, answer: &Answer) -> String {
    let Comparison { bots: [first, second], question, .. } = comparison;
    let Question { metric, h0, h1, alpha, beta } = question;
    let unit = metric.unit();
    let mark = if answer.verdict == Verdict::Better { Mark::Good } else { Mark::Warning };
    let verdict = comparison.verdict(answer);
    let (word, rest) = verdict.split_at(verdict.find([':', ' ']).unwrap_or(0));
    let mut lines = vec![mark.on(word) + rest];
    lines.extend(comparison.estimate(answer));
    let (llr, [lower, upper]) = (answer.llr, answer.bounds);
    // The ratio of a few deals means nothing.
    let ratio = match answer.deals < DEALS_MIN {
        true => format!("the test begins with {DEALS_MIN} deals"),
        false => format!("log-likelihood ratio {llr:.2}, bounds {lower:.2} and {upper:.2}"),
    };
    lines.push(format!("H0: {h0} {unit}, H1: {h1} {unit}, alpha {alpha}, beta {beta}; {ratio}"));
    if answer.faults != [0, 0] {
        let [of_first, of_second] = answer.faults.map(|faults| count(faults, "match"));
        lines.push(format!("faults: {first} in {of_first}, {second} in {of_second}"));
    }
    lines.join("\n") + "\n"
}
