//! Arguments of callers: numbers, seeds, seats, and JSON.

use std::fmt::Display;
use std::ops::RangeInclusive;

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::errors::BadState;

/// The time of a decision in milliseconds, for bots without a number of nodes.
pub(crate) const TIME_MS: u64 = 1_000;

/// A Python integer of any size. Beyond 64 bits it counts as the nearest number with 65.
#[derive(Clone, Copy)]
pub(crate) struct Int(i128);

impl<'py> FromPyObject<'_, 'py> for Int {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Int> {
        match object.extract::<i64>() {
            Ok(number) => Ok(Int(number.into())),
            Err(error) if error.is_instance_of::<pyo3::exceptions::PyOverflowError>(object.py()) => {
                let far = if object.lt(0)? { i128::from(i64::MIN) - 1 } else { i128::from(u64::MAX) + 1 };
                Ok(Int(object.extract::<u64>().map_or(far, i128::from)))
            }
            Err(error) => Err(error),
        }
    }
}

impl Int {
    /// The default of seeds and seats.
    pub(crate) const ZERO: Int = Int(0);
    /// The default time of a decision in milliseconds.
    pub(crate) const TIME: Int = Int(TIME_MS as i128);
    /// The default sides of a picture in pixels.
    pub(crate) const WIDTH: Int = Int(600);
    pub(crate) const HEIGHT: Int = Int(400);
    /// The default bound of arrays in bytes.
    pub(crate) const BYTES: Int = Int(1 << 30);
    /// The default number of seats.
    pub(crate) const ONE: Int = Int(1);

    /// The number, if it is in this range.
    ///
    /// # Errors
    /// `ValueError` with the argument and the range.
    pub(crate) fn within<T: TryFrom<i128> + PartialOrd + Display>(
        self,
        argument: &str,
        range: RangeInclusive<T>,
    ) -> PyResult<T> {
        let number = T::try_from(self.0).ok().filter(|number| range.contains(number));
        let wrong = || format!("{argument}: {self} is not {} to {}", range.start(), range.end());
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
        let seat = usize::try_from(self.0).ok().filter(|seat| *seat < seats);
        seat.ok_or_else(|| {
            PyIndexError::new_err(format!("seat: {self} does not exist, seats are 0 to {}", seats - 1))
        })
    }

    /// The number of a move, one of `count`.
    ///
    /// # Errors
    /// `IndexError` if it is not below `count`.
    pub(crate) fn action(self, count: usize) -> PyResult<usize> {
        let action = usize::try_from(self.0).ok().filter(|action| *action < count);
        action.ok_or_else(|| PyIndexError::new_err(format!("action: {self} is not 0 to {}", count - 1)))
    }
}

impl From<usize> for Int {
    fn from(number: usize) -> Int {
        Int(number as i128)
    }
}

impl Display for Int {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match i64::try_from(self.0).is_ok() || u64::try_from(self.0).is_ok() {
            true => self.0.fmt(f),
            false => f.write_str("a number of more than 64 bits"),
        }
    }
}

/// JSON text: a `str` or `bytes` as it is, everything else as `json.dumps` writes it.
pub(crate) struct Json(String);

impl<'py> FromPyObject<'_, 'py> for Json {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Json> {
        if let Ok(text) = object.cast::<PyString>() {
            return Ok(Json(text.to_cow()?.into_owned()));
        }
        if let Ok(bytes) = object.cast::<PyBytes>() {
            let text = std::str::from_utf8(bytes.as_bytes());
            return text
                .map(|text| Json(text.to_owned()))
                .map_err(|error| PyValueError::new_err(error.to_string()));
        }
        let json = object.py().import("json")?;
        Ok(Json(json.call_method1("dumps", (object,))?.extract()?))
    }
}

impl Json {
    /// Reads an object and nothing else.
    ///
    /// # Errors
    /// `BadState` with the argument and what is wrong.
    pub(crate) fn read<T: DeserializeOwned>(&self, argument: &str) -> PyResult<T> {
        let mut text = serde_json::Deserializer::from_str(&self.0);
        let read = engine::wire::object(&mut text).and_then(|value| text.end().map(|()| value));
        read.map_err(|error| BadState::new_err(format!("{argument}: {error}")))
    }

    /// Reads the rules and components of a `start` message of this game.
    pub(crate) fn read_start<S: DeserializeOwned>(&self, game: &str) -> PyResult<S> {
        #[derive(Deserialize)]
        struct Start<S> {
            game: Option<String>,
            #[serde(flatten)]
            setup: S,
        }
        let Start { game: named, setup } = self.read::<Start<S>>("start")?;
        match named.filter(|named| named != game) {
            None => Ok(setup),
            Some(other) => Err(BadState::new_err(format!("start: a match of {other:?}, not of {game}"))),
        }
    }
}

/// A JSON text as Python values.
pub(crate) fn loads<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (text,))
}

/// A value as JSON text.
pub(crate) fn dumps(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Writes a line of JSON.
pub(crate) fn written(write: impl FnOnce(&mut Vec<u8>)) -> PyResult<String> {
    let mut line = Vec::new();
    write(&mut line);
    String::from_utf8(line).map_err(|error| PyValueError::new_err(error.to_string()))
}
