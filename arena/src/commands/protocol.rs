//! `arena protocol`: prints the protocol for authors of bots.

use crate::report::output::print;
use referee::error::Error;

/// The protocol of this version of the program.
const PROTOCOL: &str = include_str!("../../../protocol.md");

pub(crate) fn run() -> Result<(), Error> {
    print(PROTOCOL)
}
