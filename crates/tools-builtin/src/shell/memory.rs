//! How much memory a command may take.

/// Sets the limit, then becomes the program: nothing that the program starts can be there before the limit is.
pub(crate) const SCRIPT: &str = r#"ulimit -v "$1" && shift && exec "$@""#;

/// The limit that a process of this system can be held to, in kilobytes; none where it has no such limit.
#[cfg(target_os = "linux")]
#[expect(clippy::unnecessary_wraps, reason = "other systems give nothing")]
pub(crate) fn kilobytes(bytes: u64) -> Option<u64> {
    use rustix::process::{Resource, getrlimit};

    // What this process may not exceed, its children may not either.
    let inherited = getrlimit(Resource::As);
    let least = [inherited.current, inherited.maximum]
        .into_iter()
        .flatten()
        .fold(bytes, u64::min);
    Some(least / 1024)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn kilobytes(_bytes: u64) -> Option<u64> {
    None
}
