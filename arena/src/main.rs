//! The `arena` program. All code is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    arena::main()
}
