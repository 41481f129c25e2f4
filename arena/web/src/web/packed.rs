//! Bodies that several clients ask for: compressed once, with an entity tag, so that a client that has the body gets
//! none.

use std::io::Write;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, HeaderName,
    IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

/// A body with its media type, its compressed form, and its entity tag.
#[derive(Clone, Debug, Default)]
pub struct Packed {
    kind: &'static str,
    plain: Bytes,
    gzip: Bytes,
    tag: String,
}

impl Packed {
    /// Compresses a body of this media type.
    pub(crate) fn new(kind: &'static str, body: impl Into<Bytes>) -> Packed {
        let plain: Bytes = body.into();
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        let written = encoder.write_all(&plain).and_then(|()| encoder.finish());
        let tag = Sha256::digest(&plain)[..8].iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        Packed {
            kind,
            gzip: written.expect("a vector takes everything").into(),
            plain,
            tag: format!("W/\"{tag}\""),
        }
    }

    /// Returns true if there is no body.
    pub(crate) fn is_empty(&self) -> bool {
        self.plain.is_empty()
    }

    /// Returns the body.
    pub(crate) fn plain(&self) -> &Bytes {
        &self.plain
    }
}

/// A response with this body, in the form that the client accepts.
impl IntoResponse for Packed {
    fn into_response(self) -> Response {
        let mut response = ([(CONTENT_TYPE, self.kind)], ()).into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// Gives a response with a [`Packed`] body the form that the client accepts: nothing if the client has it, compressed,
/// or plain.
pub(super) async fn negotiate(request: Request, next: Next) -> Response {
    let (has, takes_gzip) =
        (listed(request.headers(), IF_NONE_MATCH), listed(request.headers(), ACCEPT_ENCODING));
    let mut response = next.run(request).await;
    let Some(packed) = response.extensions_mut().remove::<Packed>() else { return response };
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    headers.insert(ETAG, HeaderValue::from_str(&packed.tag).expect("a tag is ASCII"));
    if has.contains(&packed.tag) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    } else if takes_gzip.iter().any(|coding| coding == "gzip") {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        *response.body_mut() = Body::from(packed.gzip);
    } else {
        *response.body_mut() = Body::from(packed.plain);
    }
    response
}

/// Returns the values in a header with a list, without their parameters.
fn listed(headers: &HeaderMap, name: HeaderName) -> Vec<String> {
    let values = headers
        .get_all(name)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','));
    // A coding with the weight 0 is refused.
    let is_refused =
        |value: &&str| ["q=0", "q=0.0"].iter().any(|weight| value.replace(' ', "").ends_with(weight));
    values
        .filter(|value| !is_refused(value))
        .filter_map(|value| Some(value.split(';').next()?.trim().to_owned()))
        .collect()
}
