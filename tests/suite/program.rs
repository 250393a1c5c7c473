//! Example programs, which `cargo test --workspace` builds beside the tests.

use std::path::PathBuf;

/// Returns the path of an example's program.
pub(crate) fn program(example: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let examples = test.ancestors().nth(2).unwrap().join("examples");
    let program = examples.join(format!("{example}{}", std::env::consts::EXE_SUFFIX));
    // A build from here would resolve other features, and compile everything once more.
    assert!(
        program.is_file(),
        "the example `{example}` is not built; run `cargo test --workspace --no-run` first"
    );
    program
}
