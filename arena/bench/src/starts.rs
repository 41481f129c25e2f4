//! Measures the cost of starts with a supervisor, relative to direct starts. Both start the same program on
//! one core, wait for its `hello`, and end it.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::figure::Figure;
use crate::turn::Windows;
use referee::bots::entrants::Entrant;
use referee::bots::preflight::QUIT_GRACE;
use referee::error::Error;
use referee::play::{hello_line, quit_line};
use sandbox::cores;
use sandbox::{BotProcess, Host, least_environment};

/// The maximum time for a `hello`.
const LIMIT: Duration = Duration::from_secs(10);

/// The shortest window for interpreted bots, because they start slowly.
const INTERPRETED_WINDOW: Duration = Duration::from_secs(1);

/// Measures starts per second, directly and by the arena, and the ratio. Covers the compiled bot, and the
/// first bot of each language.
pub(crate) fn measure(
    host: &Host,
    compiled: &Entrant,
    interpreted: &[(&str, Vec<Entrant>)],
    windows: Windows,
) -> Result<Vec<Figure>, Error> {
    cores::stay_on(&cores::allowed()[..1]);
    let mut figures = starts(host, "compiled", compiled, windows)?;
    for (language, bots) in interpreted {
        let length = windows.length.max(INTERPRETED_WINDOW);
        figures.extend(starts(host, language, &bots[0], Windows { length, ..windows })?);
    }
    Ok(figures)
}

fn starts(host: &Host, language: &str, bot: &Entrant, windows: Windows) -> Result<Vec<Figure>, Error> {
    let runtime = super::runtime()?;
    let (mut bare, mut kept, mut ratio) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..windows.count {
        let by_loop = rate(windows.length, || bare_start(bot).map_err(wrong))?;
        let by_arena = rate(windows.length, || runtime.block_on(kept_start(host, bot)))?;
        bare.push(by_loop);
        kept.push(by_arena);
        ratio.push(by_arena / by_loop);
    }
    Ok(vec![
        Figure::new(format!("bare starts, {language} bots"), "/s", bare),
        Figure::new(format!("starts with fresh, contained processes, {language} bots"), "/s", kept),
        Figure::new(format!("the same over the bare ones, {language} bots"), "", ratio),
    ])
}

fn wrong(error: io::Error) -> Error {
    Error::host(format!("cannot measure starts: {error}"))
}

/// Returns how often `once` runs per second.
fn rate(window: Duration, mut once: impl FnMut() -> Result<(), Error>) -> Result<f64, Error> {
    let begin = Instant::now();
    let mut times = 0_u32;
    while begin.elapsed() < window {
        once()?;
        times += 1;
    }
    Ok(f64::from(times) / begin.elapsed().as_secs_f64())
}

/// Starts a program directly, without supervisor, limits, or capture of stderr. The environment is the one of
/// a sandboxed bot, because interpreters depend on it. With a variable for certificates, Node takes twice as
/// long.
fn bare_start(bot: &Entrant) -> io::Result<()> {
    let mut child = Command::new(&bot.command.argv[0])
        .args(&bot.command.argv[1..])
        .env_clear()
        .envs(least_environment())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let mut stdin = stdin.expect("it is piped");
    stdin.write_all(&hello_line())?;
    BufReader::new(stdout.expect("it is piped")).read_line(&mut String::new())?;
    stdin.write_all(&quit_line())?;
    drop(stdin);
    child.wait().map(|_| ())
}

async fn kept_start(host: &Host, bot: &Entrant) -> Result<(), Error> {
    let started = BotProcess::start(&bot.command, host, &hello_line(), LIMIT).await;
    let started = started.map_err(|error| Error::host(error.to_string()))?;
    started.bot.quit(&quit_line(), QUIT_GRACE).await;
    Ok(())
}
