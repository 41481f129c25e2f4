//! Arrays of callers, and arrays that callers keep.

use engine::numbers::Mask;
use numpy::ndarray::Dimension;
use numpy::{
    Element, PyArray, PyArray1, PyArrayDescrMethods, PyArrayMethods, PyReadwriteArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::features::Features;

/// An array for a caller.
pub(crate) type Array<'py> = PyResult<Bound<'py, PyAny>>;
/// The array of a caller, to be filled.
pub(crate) type Out<'py> = Option<Bound<'py, PyAny>>;

/// Checks that NumPy is there, which makes the arrays.
///
/// # Errors
/// `ImportError`.
fn needs_numpy(py: Python<'_>) -> PyResult<()> {
    static FOUND: PyOnceLock<()> = PyOnceLock::new();
    FOUND.get_or_try_init(py, || py.import("numpy").map(drop)).copied()
}

/// An empty list with memory for so many values.
///
/// # Errors
/// `MemoryError` if there is less.
pub(crate) fn room<T>(count: usize) -> PyResult<Vec<T>> {
    let mut values = Vec::new();
    grow(&mut values, count)?;
    Ok(values)
}

/// Makes memory for so many more values.
///
/// # Errors
/// `MemoryError` if there is less.
pub(crate) fn grow<T>(values: &mut Vec<T>, more: usize) -> PyResult<()> {
    let wrong = |_| {
        let bytes = more.saturating_mul(size_of::<T>());
        PyMemoryError::new_err(format!("{bytes} more bytes do not fit into memory"))
    };
    values.try_reserve(more).map_err(wrong)
}

/// Numbers of a kind, with the name of their dtype.
pub(crate) trait Number: Element + Copy + Default {
    /// The name of the dtype in NumPy.
    const NAME: &'static str;
}

macro_rules! numbers {
    ($($number:ty: $name:literal,)*) => { $(impl Number for $number { const NAME: &'static str = $name; })* };
}
numbers! { i8: "int8", u8: "uint8", i16: "int16", u16: "uint16", i32: "int32", i64: "int64", u64: "uint64", f32: "float32", bool: "bool", }

/// Fills the array `out` of the caller, or a new one, and returns it.
///
/// # Errors
/// `TypeError` or `ValueError` if `out` is no writable array of `length` such numbers in a row.
pub(crate) fn filled<'py, T: Number>(
    py: Python<'py>,
    out: Out<'py>,
    length: usize,
    fill: impl FnOnce(&mut [T]),
) -> Array<'py> {
    needs_numpy(py)?;
    let Some(out) = out else {
        let mut values = vec![T::default(); length];
        fill(&mut values);
        return Ok(PyArray1::from_vec(py, values).into_any());
    };
    let wanted = || format!("out: not a writable array of {} with shape ({length},), in a row", T::NAME);
    let array = out.cast_into::<PyArray1<T>>().map_err(|_| PyTypeError::new_err(wanted()))?;
    if array.len() != length || !array.is_c_contiguous() {
        return Err(PyValueError::new_err(wanted()));
    }
    let mut writable = array.try_readwrite().map_err(|_| PyValueError::new_err(wanted()))?;
    fill(writable.as_slice_mut().map_err(|_| PyValueError::new_err(wanted()))?);
    drop(writable);
    Ok(array.into_any())
}

/// A mask as an array of 0 and 1.
pub(crate) fn mask_array<'py>(py: Python<'py>, out: Out<'py>, mask: &Mask, numbers: usize) -> Array<'py> {
    let fill = |bytes: &mut [i8]| {
        bytes.fill(0);
        put_bits(&Mask::EMPTY, mask, bytes);
    };
    filled(py, out, numbers, fill)
}

/// Writes 1 for each number of a mask and 0 for the others, as far as `out` goes, which has those of the mask `before`.
#[inline(always)]
pub(crate) fn put_bits(before: &Mask, mask: &Mask, out: &mut [i8]) {
    let words = mask.words();
    // Most words are empty and stay so. Memory is slower than the search for the others.
    let mut left = 0_u32;
    for (place, (word, old)) in words.iter().zip(before.words()).enumerate() {
        left |= u32::from(word != old) << place;
    }
    while left != 0 {
        let (place, mut bytes) = (left.trailing_zeros() as usize, [0; 64]);
        for n in 0..8 {
            // Bit `n` alone stays in byte `n`, whose highest bit is then set by the sum.
            let alone = (((words[place] >> (8 * n)) & 0xff) * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
            let spread = ((alone + 0x7f7f_7f7f_7f7f_7f7f) >> 7) & 0x0101_0101_0101_0101;
            bytes[8 * n..8 * n + 8].copy_from_slice(&spread.to_le_bytes());
        }
        let out = &mut out[64 * place..];
        if let Some(out) = out.first_chunk_mut::<64>() {
            for (to, byte) in out.iter_mut().zip(&bytes) {
                *to = *byte as i8;
            }
        } else {
            out.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte as i8);
        }
        left &= left - 1;
    }
}

/// An observation as floating point numbers, raw or as planes.
pub(crate) fn floats<'py, G: Features>(
    py: Python<'py>,
    out: Out<'py>,
    equipment: &G::Equipment,
    seen: &[i16],
    planes: bool,
) -> Array<'py> {
    filled(py, out, G::length(planes), |row| G::put(equipment, seen, planes, row))
}

/// Two arrays: numbers of moves, and for each a value or a row of `columns` values.
pub(crate) type ByNumber<'py> = PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)>;

/// Makes the arrays of [`ByNumber`].
pub(crate) fn by_number(
    py: Python<'_>,
    numbers: Vec<usize>,
    values: Vec<f32>,
    columns: Option<usize>,
) -> ByNumber<'_> {
    let values = rows(py, values, [numbers.len()].into_iter().chain(columns))?;
    let numbers: Vec<u16> = numbers.into_iter().map(|number| number as u16).collect();
    Ok((PyArray1::from_vec(py, numbers).into_any(), values))
}

/// An array with these rows.
pub(crate) fn rows<'py, T: Number>(
    py: Python<'py>,
    values: Vec<T>,
    shape: impl IntoIterator<Item = usize>,
) -> Array<'py> {
    needs_numpy(py)?;
    let shape: Vec<usize> = shape.into_iter().collect();
    Ok(PyArray1::from_vec(py, values).reshape(shape)?.into_any())
}

/// An array that is written in place, and stays the same object until it is renewed.
pub(crate) struct Kept<T, D> {
    name: &'static str,
    length: usize,
    shape: D,
    array: Py<PyArray<T, D>>,
    /// The numbers of the array in one row, which all views of them keep alive.
    row: Py<PyArray1<T>>,
    /// The row before the last renewal.
    spare: Option<Py<PyArray1<T>>>,
    /// What callers get.
    shown: Py<PyAny>,
}

/// A row of zeros.
fn zeros<T: Number>(py: Python<'_>, length: usize) -> PyResult<Bound<'_, PyArray1<T>>> {
    let mut zeros = room(length)?;
    zeros.resize(length, T::default());
    Ok(PyArray1::from_vec(py, zeros))
}

impl<T: Number, D: Dimension> Kept<T, D> {
    /// An array of zeros. NumPy does not own its data, so no caller can resize it.
    pub(crate) fn new<S>(py: Python<'_>, name: &'static str, shape: S) -> PyResult<Kept<T, D>>
    where
        S: numpy::ndarray::IntoDimension<Dim = D>,
    {
        needs_numpy(py)?;
        let shape = shape.into_dimension();
        let length = shape.size();
        let row = zeros(py, length)?;
        let array = row.reshape(shape.clone())?;
        let shown = array.clone().into_any().unbind();
        Ok(Kept { name, length, shape, shown, array: array.unbind(), row: row.unbind(), spare: None })
    }

    /// Leaves the array to callers and takes the one before the last renewal, or a new one if a caller has that.
    pub(crate) fn renew(&mut self, py: Python<'_>) -> PyResult<()> {
        #[expect(deprecated, reason = "what replaces it is unsafe code")]
        let is_free = |row: &Py<PyArray1<T>>| row.get_refcnt(py) == 1;
        let spare = self.spare.take().filter(is_free);
        let row = spare.map_or_else(|| zeros(py, self.length), |row| Ok(row.into_bound(py)))?;
        let array = row.reshape(self.shape.clone())?;
        self.shown = array.clone().into_any().unbind();
        self.array = array.unbind();
        self.spare = Some(std::mem::replace(&mut self.row, row.unbind()));
        Ok(())
    }

    /// The same array, read-only for callers.
    pub(crate) fn read_only(mut self, py: Python<'_>) -> PyResult<Kept<T, D>> {
        self.shown = self.array.call_method0(py, "view")?;
        self.shown.call_method1(py, "setflags", (false,))?;
        Ok(self)
    }

    /// The array for a caller; nothing if it is empty.
    pub(crate) fn shared<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        (self.length > 0).then(|| self.shown.bind(py).clone())
    }

    /// The array, to be written.
    ///
    /// # Errors
    /// `ValueError` if a caller has made it read-only, or changed its shape or dtype.
    pub(crate) fn write<'py>(&self, py: Python<'py>) -> PyResult<PyReadwriteArray<'py, T, D>> {
        let array = self.array.bind(py);
        let is_sound = array.len() == self.length
            && array.is_c_contiguous()
            && array.dtype().is_equiv_to(&numpy::dtype::<T>(py));
        let writable = is_sound.then(|| array.try_readwrite().ok()).flatten();
        writable.ok_or_else(|| {
            PyValueError::new_err(format!(
                "{}: its shape, dtype, or flags were changed, or another call writes it",
                self.name
            ))
        })
    }
}

impl<'py, T: Number, D: Dimension> IntoPyObject<'py> for &Kept<T, D> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = std::convert::Infallible;

    fn into_pyobject(self, py: Python<'py>) -> Result<Bound<'py, PyAny>, Self::Error> {
        Ok(self.shared(py).unwrap_or_else(|| py.None().into_bound(py)))
    }
}

/// The actions of a step as numbers of 64 bits.
///
/// # Errors
/// `TypeError` or `ValueError` if they are no `count` integers.
pub(crate) fn actions(given: &Bound<'_, PyAny>, count: usize, into: &mut Vec<i64>) -> PyResult<()> {
    fn copied<T: Number + Into<i64>>(given: &Bound<'_, PyAny>, into: &mut Vec<i64>) -> Option<PyResult<()>> {
        let array = given.cast::<PyArray1<T>>().ok()?;
        let read = array.try_readonly().map_err(|error| PyValueError::new_err(format!("actions: {error}")));
        Some(read.map(|read| into.extend(read.as_array().iter().map(|&number| number.into()))))
    }
    into.clear();
    let done = copied::<i64>(given, into)
        .or_else(|| copied::<i32>(given, into))
        .or_else(|| copied::<u16>(given, into));
    done.unwrap_or_else(|| {
        let wanted = format!("actions: not an array of int64, int32, or uint16 with shape ({count},)");
        Err(PyTypeError::new_err(wanted))
    })?;
    match into.len() == count {
        true => Ok(()),
        false => Err(PyValueError::new_err(format!("actions: {} for {count} matches", into.len()))),
    }
}
