//! The HTTP server that all pages share: listener, access control, and response headers.
//!
//! [`Listener`] is the listener. It listens on loopback unless the caller gives another address, and prints
//! nothing. [`AccessControl`] is the access control in front of all routes. It refuses requests from pages of other
//! sites. On an address that other machines can reach, it also refuses clients without the token.
//! [`answer`] makes the responses. `crowd` limits connections, so that slow or incomplete requests never
//! block other clients. The module does not depend on the content of the pages.

mod access;
pub mod answer;
mod connections;
mod listener;
mod token;

pub use access::AccessControl;
pub use listener::Listener;
pub use token::Token;
