//! All tests of the engine, in one test program.

mod conformance;
mod oracle;
mod perft;
