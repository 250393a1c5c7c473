//! Compiler errors for common mistakes.

use std::process::Command;

/// Compiler messages change between versions, so compare them only with the recorded version.
fn is_recorded_compiler() -> bool {
    let recorded = concat!("rustc ", env!("CARGO_PKG_RUST_VERSION"), ".");
    let version = Command::new("rustc").arg("--version").output();
    version.is_ok_and(|version| version.stdout.starts_with(recorded.as_bytes()))
}

#[test]
fn compiler_errors_name_missing_items() {
    if is_recorded_compiler() {
        trybuild::TestCases::new().compile_fail("ui/*.rs");
    }
}
