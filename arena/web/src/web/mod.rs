//! The HTTP server that all pages share: listener, access control, and response headers.
//!
//! [`Listener`] listens on loopback unless the caller gives another address, and prints
//! nothing. [`AccessControl`] stands in front of all routes and refuses requests from pages of other
//! sites. On an address that other machines can reach, it also refuses clients without the token.
//! [`answer`] makes the responses. `connections` limits them, so that slow, incomplete, or endless
//! requests never block other clients. The module does not depend on the content of the pages.

mod access;
pub mod answer;
mod connections;
mod listener;
mod packed;
mod token;

pub use access::AccessControl;
pub(crate) use access::cookies;
pub(crate) use connections::grant;
pub use listener::{Listener, changing, host};
pub use packed::Packed;
pub use token::Token;
