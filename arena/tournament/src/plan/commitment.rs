//! The committed seed of a contest: nobody could choose it, and anyone can verify that.
//!
//! Before the contest, the organiser publishes the SHA-256 of a secret, the digest of the plan, and the name of a value
//! that is not known yet. The seed follows from all three. The secret stays in the folder of the user's key, which no bot
//! may read, and is told when the last match is played.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::journal::files::write_json;
use crate::journal::keys::{keep, kept, random};
use crate::journal::results;
use referee::error::Error;
use referee::play::seeds::first_53_bits;
use referee::record::hex;

/// The name of its file in a directory of results, before the tournament begins.
const COMMITMENT: &str = "commitment.json";

/// The reason why a plan is not the committed one.
pub(super) const OTHER_PLAN: &str = "the bots, the rounds, or the limits are not those of the commitment";

/// What an organiser says about the seed before the contest, and what becomes known later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Commitment {
    /// The SHA-256 of the secret, which is a text of 64 hexadecimal digits.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{64}$")))]
    pub secret_sha256: String,
    /// The digest of the plan without its seed: bots, rounds, limits, rules.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{32}$")))]
    pub plan: String,
    /// What the public value is, and when it becomes known.
    pub source: String,
    /// The public value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The secret, when the tournament is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

impl Commitment {
    /// Commits to the seed of a tournament with this digest of its plan without a seed: keeps a new secret, and writes the
    /// commitment into the directory.
    ///
    /// # Errors
    /// The secret or the file cannot be written.
    pub fn make(out: &Path, plan: String, source: &str) -> Result<Commitment, Error> {
        let secret = random().map_err(|error| unkept(&error))?;
        let secret_sha256 = hash(&hex(&secret));
        let name = name_of(&secret_sha256);
        keep(&name, &secret).and_then(|()| kept(&name)).map_err(|error| unkept(&error))?;
        let source = source.to_owned();
        let commitment = Commitment { secret_sha256, plan, source, value: None, secret: None };
        write_json(&out.join(COMMITMENT), &commitment)?;
        Ok(commitment)
    }

    /// Reads the commitment in a directory. Returns `None` if there is none.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(out: &Path) -> Result<Option<Commitment>, Error> {
        let path = out.join(COMMITMENT);
        match results::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::unreadable(&path, &error)),
            Ok(text) => serde_json::from_str(&text)
                .map(Some)
                .map_err(|error| Error::usage(format!("{} is no commitment: {error}", path.display()))),
        }
    }

    /// Returns the commitment with the public value, and the seed that follows from both.
    ///
    /// # Errors
    /// The plan is not the one that was committed, or this user does not have the secret.
    pub(super) fn reveal(self, plan: &str, value: &str) -> Result<(Commitment, u64), Error> {
        if plan != self.plan {
            return Err(Error::usage(OTHER_PLAN).hint("make a new one with --commit, and another --out"));
        }
        let value = value.trim().to_owned();
        let seed = seed(&self.secret()?, &self.plan, &value);
        Ok((Commitment { value: Some(value), ..self }, seed))
    }

    /// Returns the secret, if the seed follows from it. A stranger's file may name the SHA-256 of a secret that is not to be
    /// told yet.
    pub(super) fn secret_of(&self, of_plan: u64) -> Result<String, Error> {
        let secret = self.secret()?;
        match seed(&secret, &self.plan, self.value.as_deref().unwrap_or_default()) == of_plan {
            true => Ok(secret),
            false => Err(Error::usage("the seed does not follow from the commitment")),
        }
    }

    /// Returns the secret, which only the user who made the commitment has.
    fn secret(&self) -> Result<String, Error> {
        let is_hash = self.secret_sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
        let secret =
            if is_hash { kept(&name_of(&self.secret_sha256)) } else { Err(io::ErrorKind::NotFound.into()) };
        secret.map(|secret| hex(&secret)).map_err(|error| unkept(&error))
    }

    /// Verifies that the seed of a plan with this digest without a seed follows from the commitment. Returns a line that
    /// says so.
    ///
    /// # Errors
    /// It does not follow.
    pub fn prove(&self, planned: &str, of_plan: u64) -> Result<String, Error> {
        let Commitment { secret_sha256, plan, source, value, secret } = self;
        let no = |what: &str| Err(Error::no(format!("commitment {secret_sha256}: {what}")));
        let (Some(value), Some(secret)) = (value, secret) else {
            return no("the secret is not told yet: arena tournament --resume tells it when all is played");
        };
        if hash(secret) != *secret_sha256 {
            return no("the secret is another one");
        }
        if planned != plan {
            return no(OTHER_PLAN);
        }
        if seed(secret, plan, value) != of_plan {
            return no("the seed does not follow from it");
        }
        Ok(format!(
            "the seed follows from the secret of commitment {secret_sha256} to plan {plan}, and from {source}: {value}"
        ))
    }

    /// Returns what the pages say about the seed.
    pub fn words(&self) -> String {
        let Commitment { secret_sha256, plan, source, value, secret } = self;
        let secret = secret.as_deref().unwrap_or("told at the end");
        let value = value.as_deref().unwrap_or("not known yet");
        format!("Committed seed: SHA-256 {secret_sha256} to plan {plan}; secret: {secret}; {source}: {value}")
    }
}

/// Returns the seed that follows from a secret, the digest of a plan, and a public value.
fn seed(secret: &str, plan: &str, value: &str) -> u64 {
    first_53_bits(&format!("{secret} {plan} {value}"))
}

fn hash(text: &str) -> String {
    hex(&Sha256::digest(text))
}

/// Returns the name of the file with a secret.
fn name_of(secret_sha256: &str) -> String {
    format!("seed-{secret_sha256}")
}

fn unkept(error: &io::Error) -> Error {
    Error::usage(format!("the secret of the seed is not in your folder for states: {error}"))
        .hint("commit and play as the same user on the same machine, with the same HOME")
}
