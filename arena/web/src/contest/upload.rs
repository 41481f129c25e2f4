//! A file that an author sends: streamed into a folder of its own, within bounds.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::StatusCode;
use futures_util::StreamExt as _;
use tokio::time::{Instant, timeout_at};

/// The largest file, in bytes.
pub const BYTES_MAX: u64 = 32 << 20;
/// The longest time of a hand-in, and the bytes that must come in each second after the first ones.
const TIME: Duration = Duration::from_secs(600);
const BYTES_A_SECOND: u64 = 10_000;
const GRACE: Duration = Duration::from_secs(15);
/// The most bytes of a form before its file.
const HEAD_BYTES_MAX: usize = 1 << 14;
/// The longest name of a file, in bytes.
const NAME_BYTES_MAX: usize = 120;

/// The folder of a hand-in, which goes with its value.
pub(super) struct Folder(pub(super) PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What is said to a client whose file does not come.
type Refusal = (StatusCode, String);

/// Writes the file of the form in a request into the folder, under its own name.
pub(super) async fn receive(request: Request, folder: &Path) -> Result<(), Refusal> {
    let begin = Instant::now();
    // What comes before a file is kept in memory.
    let (is_file, mut before) = (Arc::new(AtomicBool::new(false)), 0);
    let has_begun = Arc::clone(&is_file);
    let bounded = |body: Body| {
        body.into_data_stream().map(move |chunk| {
            if before > HEAD_BYTES_MAX && !has_begun.load(Ordering::Relaxed) {
                return Err(axum::Error::new("its head is too long"));
            }
            before += chunk.as_ref().map_or(0, Bytes::len);
            chunk
        })
    };
    let form = Multipart::from_request(request.map(|body| Body::from_stream(bounded(body))), &()).await;
    let mut form = form.map_err(|error| (error.status(), error.body_text()))?;
    let wrong = |error: &dyn std::fmt::Display| {
        (StatusCode::BAD_REQUEST, format!("this form cannot be read: {error}"))
    };
    let slow = |_| {
        let why = format!(
            "the file comes too slowly: at least {BYTES_A_SECOND} bytes each second, within {TIME:?}"
        );
        (StatusCode::REQUEST_TIMEOUT, why)
    };
    loop {
        let field = timeout_at(begin + GRACE, form.next_field()).await.map_err(slow)?;
        let Some(mut field) = field.map_err(|error| wrong(&error))? else {
            let why = "there is no file in this form; its field is called \"file\"";
            return Err((StatusCode::BAD_REQUEST, why.to_owned()));
        };
        if field.name() != Some("file") {
            continue;
        }
        is_file.store(true, Ordering::Relaxed);
        let path = folder.join(plain(field.file_name().unwrap_or_default()));
        let mut file = File::create_new(&path).map_err(|error| unwritable(&error))?;
        let mut bytes = 0;
        loop {
            let until = begin + (GRACE + Duration::from_secs(bytes / BYTES_A_SECOND)).min(TIME);
            let chunk = timeout_at(until, field.chunk()).await.map_err(slow)?;
            let Some(chunk) = chunk.map_err(|error| wrong(&error))? else { break };
            bytes += chunk.len() as u64;
            if bytes > BYTES_MAX {
                let why = format!("the file is too large: at most {} MiB are taken", BYTES_MAX >> 20);
                return Err((StatusCode::PAYLOAD_TOO_LARGE, why));
            }
            file.write_all(&chunk).map_err(|error| unwritable(&error))?;
        }
        return Ok(());
    }
}

fn unwritable(error: &io::Error) -> Refusal {
    let status = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            StatusCode::INSUFFICIENT_STORAGE
        }
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    (status, format!("the arena cannot keep the file now: {}; try again later", error.kind()))
}

/// Returns the name of a file as a plain one: without folders, letters that control a terminal, and dots at its beginning.
fn plain(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = name.chars().filter(|letter| !letter.is_control()).collect();
    let name = name.trim_start_matches('.');
    // The end says what it is.
    let cut = name.len().saturating_sub(NAME_BYTES_MAX);
    let cut = (cut..).find(|&cut| name.is_char_boundary(cut)).expect("the end is one");
    let name = name[cut..].trim_start_matches('.');
    if name.is_empty() { "bot".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_lead_nowhere() {
        for (name, expected) in [
            ("bot.zip", "bot.zip"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Users\\anna\\bot.zip", "bot.zip"),
            ("..", "bot"),
            ("", "bot"),
            (".hidden", "hidden"),
            (&("a".to_owned() + &".".repeat(300)), "bot"),
            ("a\u{1b}[2J\n.py", "a[2J.py"),
        ] {
            assert_eq!(plain(name), expected);
        }
        let long = plain(&("\u{e4}".repeat(200) + ".tar.gz"));
        assert!(long.len() <= NAME_BYTES_MAX && long.ends_with(".tar.gz"), "{long}");
    }
}
