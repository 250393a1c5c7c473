//! The command line of the library `toolbox`.

use std::process::ExitCode;

fn main() -> ExitCode {
    toolbox::main()
}
