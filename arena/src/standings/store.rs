//! Sorted entries in a file without a name, which is gone with the process however it ends.

use std::collections::BTreeMap;

use redb::backends::FileBackend;
use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};

use crate::error::Error;

/// Memory for parts of the file that were looked at lately.
const CACHE_BYTES: usize = 4 << 20;

const ENTRIES: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("entries");

/// Keys with their values, on disk, in the order of the keys' bytes.
#[derive(Debug)]
pub(super) struct Store(Database);

impl Store {
    /// Without entries.
    ///
    /// # Errors
    /// Where the folder for temporary files does not take it.
    pub(super) fn new() -> Result<Store, Error> {
        let database = || {
            let backend = FileBackend::new(tempfile::tempfile()?)?;
            Ok(Database::builder().set_cache_size(CACHE_BYTES).create_with_backend(backend)?)
        };
        database().map(Store).map_err(failed)
    }

    /// Adds entries whose keys are new, all or none.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub(super) fn add(&self, entries: &BTreeMap<Vec<u8>, Vec<u8>>) -> Result<(), Error> {
        let add = || {
            let transaction = self.0.begin_write()?;
            let mut table = transaction.open_table(ENTRIES)?;
            for (key, value) in entries {
                table.insert(key.as_slice(), value.as_slice())?;
            }
            drop(table);
            Ok(transaction.commit()?)
        };
        add().map_err(failed)
    }

    /// The value of a key.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub(super) fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Error> {
        let get = || {
            let table = self.0.begin_read()?.open_table(ENTRIES)?;
            Ok(table.get(key)?.map(|value| value.value().to_vec()))
        };
        get().map_err(failed)
    }

    /// Shows all entries in the order of their keys.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub(super) fn each(&self, mut show: impl FnMut(&[u8], &[u8])) -> Result<(), Error> {
        let mut all = || {
            let table = self.0.begin_read()?.open_table(ENTRIES)?;
            for entry in table.iter()? {
                let (key, value) = entry?;
                show(key.value(), value.value());
            }
            Ok(())
        };
        all().map_err(failed)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "as `map_err` hands it over")]
fn failed(error: redb::Error) -> Error {
    let folder = std::env::temp_dir();
    Error::host(format!("cannot keep the results in a file in {}: {error}", folder.display()))
        .hint("make room there, or name another folder with TMPDIR; what was played is safe in the journal")
}
