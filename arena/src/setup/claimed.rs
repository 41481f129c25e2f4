//! The directory of a tournament, and the tournament that is there already.

use std::path::Path;

use super::asked::Asked;
use super::{out, trust};
use referee::error::Error;
use referee::games::GameKind;
use tournament::journal::claim::Claim;
use tournament::plan::commitment::Commitment;
use tournament::plan::earlier::{Allowed, earlier_file};
use tournament::plan::{TOURNAMENT, TournamentFile};

/// What is asked for, with the directory of the results.
pub(super) struct Claimed<G: GameKind> {
    pub(super) asked: Asked,
    /// The directory, if matches are played.
    pub(super) out: Option<Claim>,
    /// The tournament to resume.
    pub(super) earlier: Option<TournamentFile<G::Setup>>,
    pub(super) allowed: Allowed,
    /// True if the user's arena made the directory, or the user trusts it.
    pub(super) is_own: bool,
}

impl<G: GameKind> Claimed<G> {
    /// Claims the directory, and reads the tournament that is resumed.
    pub(super) fn new(asked: Asked) -> Result<Claimed<G>, Error> {
        let claim = asked.claim::<G>()?;
        let earlier = if asked.args.resume { Some(begun::<G>(claim.path())?) } else { None };
        let claimed = Claimed { earlier, out: Some(claim), ..Claimed::of_nothing(asked) };
        let Some(file) = &claimed.earlier else { return Ok(claimed) };
        claimed.allowed.check(file)?;
        let args = &claimed.asked.args;
        let is_own = args.trust || trust::is_own(file, claimed.path(), &args.lineup)?;
        Ok(Claimed { is_own, ..claimed })
    }

    /// Claims no directory.
    pub(super) fn of_nothing(asked: Asked) -> Claimed<G> {
        let args = &asked.args;
        let (replaced, withdrawn) = (args.replace.clone(), args.without.clone());
        let allowed = Allowed { force: args.force, replaced, withdrawn };
        Claimed { asked, out: None, earlier: None, allowed, is_own: true }
    }

    /// The path of the directory.
    pub(super) fn path(&self) -> &Path {
        self.out.as_ref().map_or(Path::new(""), Claim::path)
    }
}

impl Asked {
    /// Claims the directory of the results.
    fn claim<G: GameKind>(&self) -> Result<Claim, Error> {
        let asked: Option<&Path> = self.args.settings.out.as_deref();
        match asked {
            _ if self.args.resume => {
                let out = out::resumed(asked)?;
                if !out.join(TOURNAMENT).exists() { Err(nothing_begun(&out)) } else { Claim::begun(&out) }
            }
            _ if self.args.reveal.is_some() => {
                let begun = asked.filter(|out| !out.join(TOURNAMENT).exists());
                match (begun, begun.map(Commitment::read).transpose()?.flatten()) {
                    (Some(out), Some(_)) => Claim::begun(out),
                    _ => Err(Error::usage("--reveal needs a commitment that is not played yet")
                        .hint("name its directory with --out, or continue with --resume")),
                }
            }
            // Shards can share a directory. Its contents are checked when the plan is known.
            Some(out) if self.args.shard.is_some() => Claim::shared(out),
            _ => out::fresh(asked, self.name.unwrap_or(G::NAME)),
        }
    }
}

/// Returns the file of the tournament to resume.
fn begun<G: GameKind>(out: &Path) -> Result<TournamentFile<G::Setup>, Error> {
    earlier_file::<G>(out)?.ok_or_else(|| nothing_begun(out))
}

fn nothing_begun(out: &Path) -> Error {
    Error::usage(format!("there is no tournament in {}", out.display()))
        .hint("omit --resume to start a new tournament")
}
