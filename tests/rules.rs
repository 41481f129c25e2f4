//! All tests of the engine, as one program.

mod conformance;
mod oracle;
mod perft;
