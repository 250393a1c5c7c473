//! What the compiler says to somebody who forgot something.

use std::process::Command;

/// The words of the compiler change with its version, ours do not; they are compared with the version they came from.
fn is_the_compiler_that_was_recorded() -> bool {
    let recorded = concat!("rustc ", env!("CARGO_PKG_RUST_VERSION"), ".");
    let version = Command::new("rustc").arg("--version").output();
    version.is_ok_and(|version| version.stdout.starts_with(recorded.as_bytes()))
}

#[test]
fn the_compiler_points_at_what_is_missing() {
    if is_the_compiler_that_was_recorded() {
        trybuild::TestCases::new().compile_fail("ui/*.rs");
    }
}
