//! Arguments of callers: numbers, seeds, seats, and JSON.

use std::convert::Infallible;
use std::fmt::Display;
use std::ops::RangeInclusive;

use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use crate::errors::{BadState, wrong};

/// The time of a decision in milliseconds, for bots without a number of nodes.
pub(crate) const TIME_MS: u64 = 1_000;

/// An argument that is read where its name is known, so that a `TypeError` or `ValueError` has it.
pub(crate) struct Arg<T>(pub(crate) PyResult<T>);

impl<'a, 'py, T: FromPyObject<'a, 'py>> FromPyObject<'a, 'py> for Arg<T> {
    type Error = Infallible;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> Result<Arg<T>, Self::Error> {
        Ok(Arg(object.extract().map_err(Into::into)))
    }
}

impl<T> Arg<T> {
    /// The value.
    ///
    /// # Errors
    /// That of reading it: a `TypeError` or `ValueError` with the argument.
    pub(crate) fn named(self, argument: &str) -> PyResult<T> {
        self.0.map_err(|error| {
            Python::attach(|py| {
                let what = format!("{argument}: {}", error.value(py));
                match (error.is_instance_of::<PyTypeError>(py), error.is_instance_of::<PyValueError>(py)) {
                    (true, _) => PyTypeError::new_err(what),
                    (_, true) => PyValueError::new_err(what),
                    _ => error,
                }
            })
        })
    }
}

/// A Python integer of any size. Beyond 64 bits it counts as the nearest number with 65.
pub(crate) struct Wide(i128);

impl<'py> FromPyObject<'_, 'py> for Wide {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Wide> {
        match object.extract::<i64>() {
            Ok(number) => Ok(Wide(number.into())),
            Err(error) if error.is_instance_of::<pyo3::exceptions::PyOverflowError>(object.py()) => {
                let far = if object.lt(0)? { i128::from(i64::MIN) - 1 } else { i128::from(u64::MAX) + 1 };
                Ok(Wide(object.extract::<u64>().map_or(far, i128::from)))
            }
            Err(error) => Err(error),
        }
    }
}

/// A number as an argument.
pub(crate) type Int = Arg<Wide>;

impl Int {
    const fn of(number: i128) -> Int {
        Arg(Ok(Wide(number)))
    }

    /// The default of seeds and seats.
    pub(crate) const ZERO: Int = Int::of(0);
    /// The default time of a decision in milliseconds.
    pub(crate) const TIME: Int = Int::of(TIME_MS as i128);
    /// The default sides of a picture in pixels.
    pub(crate) const WIDTH: Int = Int::of(600);
    pub(crate) const HEIGHT: Int = Int::of(400);
    /// The default bound of arrays in bytes.
    pub(crate) const BYTES: Int = Int::of(1 << 30);
    /// The default number of seats.
    pub(crate) const ONE: Int = Int::of(1);

    /// The number, if it is in this range.
    ///
    /// # Errors
    /// `ValueError` with the argument and the range.
    pub(crate) fn within<T: TryFrom<i128> + PartialOrd + Display>(
        self,
        argument: &str,
        range: RangeInclusive<T>,
    ) -> PyResult<T> {
        let given = self.named(argument)?;
        let number = T::try_from(given.0).ok().filter(|number| range.contains(number));
        let wrong = || format!("{argument}: {given} is not {} to {}", range.start(), range.end());
        number.ok_or_else(|| PyValueError::new_err(wrong()))
    }

    /// A seed.
    pub(crate) fn seed(self) -> PyResult<u64> {
        self.within("seed", 0..=u64::MAX)
    }

    /// A seat at a table with so many.
    ///
    /// # Errors
    /// `IndexError` if the seat does not exist.
    pub(crate) fn seat(self, seats: usize) -> PyResult<usize> {
        let given = self.named("seat")?;
        let seat = usize::try_from(given.0).ok().filter(|seat| *seat < seats);
        seat.ok_or_else(|| {
            PyIndexError::new_err(format!("seat: {given} does not exist, seats are 0 to {}", seats - 1))
        })
    }

    /// The number of a move, one of `count`.
    ///
    /// # Errors
    /// `IndexError` if it is not below `count`.
    pub(crate) fn action(self, count: usize) -> PyResult<usize> {
        let given = self.named("action")?;
        let action = usize::try_from(given.0).ok().filter(|action| *action < count);
        action.ok_or_else(|| PyIndexError::new_err(format!("action: {given} is not 0 to {}", count - 1)))
    }
}

impl From<usize> for Int {
    fn from(number: usize) -> Int {
        Int::of(number as i128)
    }
}

impl Display for Wide {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match i64::try_from(self.0).is_ok() || u64::try_from(self.0).is_ok() {
            true => self.0.fmt(f),
            false => f.write_str("a number of more than 64 bits"),
        }
    }
}

/// JSON text: a `str` or `bytes` as it is, everything else as `json.dumps` writes it.
pub(crate) type Json = Arg<Text>;

pub(crate) struct Text(String);

impl<'py> FromPyObject<'_, 'py> for Text {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Text> {
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(Text(text.to_cow()?.into_owned()));
        }
        if let Ok(bytes) = object.cast::<PyBytes>() {
            let text = std::str::from_utf8(bytes.as_bytes()).map_err(wrong)?;
            return Ok(Text(text.to_owned()));
        }
        let json = object.py().import("json")?;
        Ok(Text(json.call_method1("dumps", (object,))?.extract()?))
    }
}

impl Json {
    /// Reads an object and nothing else.
    ///
    /// # Errors
    /// `BadState` with the argument and what is wrong.
    pub(crate) fn read<T: DeserializeOwned>(self, argument: &str) -> PyResult<T> {
        parsed(argument, &self.named(argument)?.0)
    }

    /// Reads the rules and components of a `start` message of this game.
    pub(crate) fn read_start<S: DeserializeOwned>(self, game: &str) -> PyResult<S> {
        #[derive(Deserialize)]
        struct Start {
            game: Option<String>,
        }
        let text = self.named("start")?.0;
        match parsed::<Start>("start", &text)?.game.filter(|named| named != game) {
            None => parsed("start", &text),
            Some(other) => Err(BadState::new_err(format!("start: a match of {other:?}, not of {game}"))),
        }
    }

    /// Reads the `state` of a `turn` message.
    pub(crate) fn read_state<T: DeserializeOwned>(self) -> PyResult<T> {
        #[derive(Deserialize)]
        struct Turn {
            #[serde(rename = "state")]
            _state: IgnoredAny,
        }
        let text = self.named("state")?.0;
        parsed("state", &text).map_err(|error| match parsed::<Turn>("state", &text) {
            Ok(_) => BadState::new_err("state: a whole turn message, give its \"state\" alone"),
            Err(_) => error,
        })
    }
}

fn parsed<T: DeserializeOwned>(argument: &str, text: &str) -> PyResult<T> {
    let mut text = serde_json::Deserializer::from_str(text);
    let read = engine::wire::object(&mut text).and_then(|value| text.end().map(|()| value));
    read.map_err(|error| BadState::new_err(format!("{argument}: {error}")))
}

/// A JSON text as Python values.
pub(crate) fn loads<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (text,))
}

/// A value as JSON text.
pub(crate) fn dumps(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(wrong)
}

/// How pickle makes a value again: a callable with its arguments.
pub(crate) type Pickled<'py, A> = PyResult<(Bound<'py, PyAny>, A)>;

/// Reads JSON from a pickle.
///
/// # Errors
/// `BadState`.
pub(crate) fn unpickled<T: DeserializeOwned>(what: &str, text: &str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|error| BadState::new_err(format!("not a pickled {what}: {error}")))
}

/// Writes a line of JSON.
pub(crate) fn written(write: impl FnOnce(&mut Vec<u8>)) -> PyResult<String> {
    let mut line = Vec::new();
    write(&mut line);
    String::from_utf8(line).map_err(wrong)
}
