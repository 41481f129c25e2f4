//! What pages served over HTTP share: where they listen, whom they answer, what every answer carries.
//!
//! [`Door`] listens, on this machine alone unless another address is asked for, and prints nothing.
//! [`Guard`] stands before all routes: it refuses other sites' pages, and on an address that others
//! reach whoever lacks the token. [`answer`] makes the answers. Whoever asks slowly, or only begins to ask, keeps
//! nobody else out: see `crowd`. What is served nobody here knows.

pub mod answer;
mod crowd;
mod door;
mod guard;
mod token;

pub use door::Door;
pub use guard::Guard;
pub use token::Token;
