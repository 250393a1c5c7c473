//! Example programs, which `cargo test --workspace` builds next to the tests.

use std::path::PathBuf;

/// Returns the path of an example or of `toolbox`.
pub(crate) fn program(example: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let built = test.ancestors().nth(2).unwrap();
    let name = format!("{example}{}", std::env::consts::EXE_SUFFIX);
    // `toolbox` is a program of its own package; examples of the same name may be left from an earlier build.
    let places = [built.join(&name), built.join("examples").join(&name)];
    let program = places.iter().find(|path| path.is_file());
    // A build from here would resolve other features, and compile everything once more.
    program
        .unwrap_or_else(|| {
            panic!("`{example}` is not built; run `cargo test --workspace --no-run` first")
        })
        .clone()
}
