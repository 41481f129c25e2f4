//! The committed seed of a contest: nobody could choose it, and anyone can verify that.
//!
//! Before the contest, the organiser publishes the SHA-256 of a secret, the digest of the plan, and the name of a value
//! that is not known yet. The seed follows from all three. The secret stays in the folder of the user's key, which no bot
//! may read, and is told when the last match is played.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use regex_lite::Regex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::journal::files::write_json;
use crate::journal::keys::{keep, kept, random};
use crate::journal::results;
use referee::bots::files::{Contents, difference};
use referee::bots::identity::Identity;
use referee::error::Error;
use referee::play::seeds::first_53_bits;
use referee::record::hex;

/// The name of its file in a directory of results, before the tournament begins.
pub const COMMITMENT: &str = "commitment.json";

/// The reason why a plan is not the committed one.
pub(super) const OTHER_PLAN: &str = "the bots, the rounds, or the limits are not those of the commitment";

/// The form of a public value that is a list of numbers.
pub const NUMBERS: &str = "numbers";
/// The beginning of the form of a public value that is a text.
const TEXT: &str = "text=";
/// What may stand between numbers, besides blanks.
const BETWEEN_NUMBERS: &str = ",;.:/+-";

/// What an organiser says about the seed before the contest, and what becomes known later.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Commitment {
    /// The SHA-256 of the secret, which is a text of 64 hexadecimal digits.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{64}$")))]
    pub secret_sha256: String,
    /// The digest of the plan without its seed: bots, rounds, limits, rules. With a form, the first half of the SHA-256
    /// of that digest, the form, and [`files_sha256`](Self::files_sha256).
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{32}$")))]
    pub plan: String,
    /// What the public value is, and when it becomes known.
    pub source: String,
    /// The form of the public value, `numbers` or `text=` and a regular expression. The seed follows from the value in
    /// this form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// The SHA-256 of the list of all files that the bots may read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{64}$")))]
    pub files_sha256: Option<String>,
    /// The public value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The secret, when the tournament is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// The bots of a commitment as they were, which a contest is compared with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bound {
    /// The bots of the plan.
    #[serde(default)]
    pub bots: Vec<Identity>,
    /// The files that each bot may read, with their hashes.
    #[serde(default)]
    pub files: BTreeMap<String, Contents>,
}

impl Bound {
    fn sha256(&self) -> String {
        hash(&serde_json::to_string(&self.files).expect("names and hashes are plain data"))
    }

    /// Checks that the bots may read what they could read when the commitment was made.
    fn check(&self, now: &Bound) -> Result<(), Error> {
        let none = Contents::new();
        for (bot, files) in &self.files {
            if let Some(what) = difference(files, now.files.get(bot).unwrap_or(&none)) {
                return Err(Error::usage(format!("bot {bot:?}: {what} since the commitment"))
                    .hint("restore it, or make a new commitment with --commit, and another --out"));
            }
        }
        Ok(())
    }
}

/// The file of a commitment.
#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    #[serde(flatten)]
    commitment: Commitment,
    #[serde(flatten)]
    bound: Bound,
}

/// Checks the form of a public value.
///
/// # Errors
/// It is neither `numbers` nor `text=` and a regular expression.
pub fn check_form(form: &str) -> Result<(), Error> {
    let wrong = || Error::usage(format!("{form:?}: the form is {NUMBERS}, or {TEXT}REGEX"));
    match form.strip_prefix(TEXT) {
        Some(pattern) => whole(pattern).map(drop).map_err(|error| wrong().hint(error.to_string())),
        None if form == NUMBERS => Ok(()),
        None => Err(wrong()),
    }
}

/// Returns the expression that matches a whole text.
fn whole(pattern: &str) -> Result<Regex, regex_lite::Error> {
    Regex::new(&format!("^(?:{pattern})$"))
}

/// Returns a public value in this form: numbers in ascending order, with a blank between two.
///
/// # Errors
/// The value does not have the form.
fn reduced(form: &str, value: &str) -> Result<String, Error> {
    check_form(form)?;
    let wrong =
        || Error::usage(format!("the value {value:?} does not have the form that was published: {form}"));
    if let Some(pattern) = form.strip_prefix(TEXT) {
        return match whole(pattern) {
            Ok(regex) if regex.is_match(value.trim()) => Ok(value.trim().to_owned()),
            _ => Err(wrong()),
        };
    }
    let is_between = |letter: char| letter.is_whitespace() || BETWEEN_NUMBERS.contains(letter);
    let words = value.split(is_between).filter(|word| !word.is_empty());
    let mut numbers: Vec<&str> = words.map(|word| word.trim_start_matches('0')).collect();
    if numbers.is_empty() || !numbers.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_digit())) {
        return Err(wrong().hint("write its numbers with blanks between them, in any order"));
    }
    numbers.sort_unstable_by_key(|number| (number.len(), *number));
    let zero = |number: &str| if number.is_empty() { "0".to_owned() } else { number.to_owned() };
    Ok(numbers.into_iter().map(zero).collect::<Vec<_>>().join(" "))
}

impl Commitment {
    /// Commits to the seed of a tournament with this digest of its plan without a seed, and to these bots: keeps a new
    /// secret, and writes the commitment into the directory.
    ///
    /// # Errors
    /// The secret or the file cannot be written.
    pub fn make(
        out: &Path,
        planned: &str,
        source: &str,
        form: &str,
        bound: Bound,
    ) -> Result<Commitment, Error> {
        let secret = random().map_err(|error| unkept(&error))?;
        let secret_sha256 = hash(&hex(&secret));
        let name = name_of(&secret_sha256);
        keep(&name, &secret).and_then(|()| kept(&name)).map_err(|error| unkept(&error))?;
        let commitment = Commitment {
            secret_sha256,
            plan: String::new(),
            source: source.to_owned(),
            form: Some(form.to_owned()),
            files_sha256: Some(bound.sha256()),
            value: None,
            secret: None,
        };
        let commitment = Commitment { plan: commitment.bound_plan(planned), ..commitment };
        write_json(&out.join(COMMITMENT), &Stored { commitment: commitment.clone(), bound })?;
        Ok(commitment)
    }

    /// Returns what [`plan`](Self::plan) is for a plan with this digest without a seed.
    fn bound_plan(&self, planned: &str) -> String {
        match (&self.form, &self.files_sha256) {
            (Some(form), Some(files)) => {
                hash(&format!("{planned} {form} {files}"))[..planned.len()].to_owned()
            }
            _ => planned.to_owned(),
        }
    }

    /// Returns true if the commitment is to a plan with this digest without a seed.
    pub(super) fn is_to(&self, planned: &str) -> bool {
        self.plan == self.bound_plan(planned)
    }

    /// Returns the lines that the organiser publishes.
    pub fn lines(&self) -> String {
        let Commitment { secret_sha256, plan, source, form, .. } = self;
        let form = form.as_ref().map_or(String::new(), |form| format!("form of the value      {form}\n"));
        format!(
            "SHA-256 of the secret  {secret_sha256}\nplan                   {plan}\npublic value           {source}\n{form}"
        )
    }

    /// Checks that a text has the lines that were published.
    ///
    /// # Errors
    /// A line is missing, or another one.
    pub fn compare(&self, published: &str) -> Result<(), Error> {
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let there: Vec<String> = published.lines().map(words).collect();
        match self.lines().lines().map(words).find(|line| !there.contains(line)) {
            None => Ok(()),
            Some(line) => Err(Error::no(format!("this line was not published: {line}"))),
        }
    }

    /// Reads the commitment in a directory. Returns `None` if there is none.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(out: &Path) -> Result<Option<(Commitment, Bound)>, Error> {
        let path = out.join(COMMITMENT);
        match results::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::unreadable(&path, &error)),
            Ok(text) => serde_json::from_str(&text)
                .map(|Stored { commitment, bound }| Some((commitment, bound)))
                .map_err(|error| Error::usage(format!("{} is no commitment: {error}", path.display()))),
        }
    }

    /// Returns the commitment with the public value, and the seed that follows from both. `then` and `now` are the bots
    /// of the commitment and of the plan with this digest.
    ///
    /// # Errors
    /// The plan or a file is not the one that was committed, the value does not have its form, or this user does not have
    /// the secret.
    pub(super) fn reveal(
        self,
        planned: &str,
        value: &str,
        [then, now]: [&Bound; 2],
    ) -> Result<(Commitment, u64), Error> {
        then.check(now)?;
        if !self.is_to(planned) {
            return Err(Error::usage(OTHER_PLAN).hint("make a new one with --commit, and another --out"));
        }
        let value = match &self.form {
            Some(form) => reduced(form, value)?,
            None => value.trim().to_owned(),
        };
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
        let Commitment { secret_sha256, plan, source, value, secret, .. } = self;
        let no = |what: &str| Err(Error::no(format!("commitment {secret_sha256}: {what}")));
        let (Some(value), Some(secret)) = (value, secret) else {
            return no("the secret is not told yet: arena tournament --resume tells it when all is played");
        };
        if hash(secret) != *secret_sha256 {
            return no("the secret is another one");
        }
        if !self.is_to(planned) {
            return no(OTHER_PLAN);
        }
        if self.form.as_ref().is_some_and(|form| reduced(form, value).ok().as_ref() != Some(value)) {
            return no("the public value does not have its form");
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
        let Commitment { secret_sha256, plan, source, value, secret, .. } = self;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_public_value_has_one_form_however_it_is_written() {
        let drawn = [
            "4 8 15 16 23 42",
            "04 08 15 16 23 42",
            "4,8,15,16,23,42",
            "4, 8; 15/16-23-42.",
            "42 23 16 15 8 4",
        ];
        for value in drawn {
            assert_eq!(reduced(NUMBERS, value).unwrap(), "4 8 15 16 23 42", "{value}");
        }
        assert_eq!(reduced(NUMBERS, " 000 10 9 ").unwrap(), "0 9 10");
        for wrong in ["", " , ", "lottery 4 8", "4 8 \u{664}", "0x10", "1e3"] {
            let error = reduced(NUMBERS, wrong).expect_err(wrong);
            assert!(
                error.message().contains("does not have the form that was published: numbers"),
                "{error}"
            );
        }
        assert_eq!(reduced("text=[a-f0-9]{4}", " beef\n").unwrap(), "beef");
        for wrong in ["beef1", "xbeef", "BEEF", "be ef"] {
            assert!(reduced("text=[a-f0-9]{4}", wrong).is_err(), "{wrong}");
        }
        assert!(reduced("text=a|b", "ab").is_err(), "all of the value is matched");
        for wrong in ["number", "text", "text=(", ""] {
            assert!(check_form(wrong).is_err(), "{wrong}");
        }
    }
}
