//! Marks that the processes of a tree inherit: an environment variable and the output pipes.

use std::fmt::Write;
use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{env, io};

use tokio::process::ChildStdin;

use super::pipe::Pipe;

/// Marks of one tree: the cookie in the environment, and the pipes for the output.
#[derive(Debug)]
pub(crate) struct Marks {
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "only Linux has a readable environment")
    )]
    pub(crate) cookie: Cookie,
    /// Inodes of standard output and standard error.
    #[cfg(target_os = "linux")]
    pub(crate) pipes: [Option<u64>; 2],
}

impl Marks {
    #[cfg(target_os = "linux")]
    pub(crate) fn new(cookie: Cookie, streams: &Streams) -> Self {
        let pipes = [streams.stdout.as_ref(), streams.stderr.as_ref()];
        Self {
            cookie,
            pipes: pipes.map(|pipe| pipe.and_then(|pipe| inode(pipe.descriptor()))),
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn new(cookie: Cookie, _streams: &Streams) -> Self {
        Self { cookie }
    }

    /// Returns `true` for the target of a link in `/proc/<id>/fd` to a pipe of the tree.
    #[cfg(target_os = "linux")]
    pub(crate) fn is_pipe(&self, target: &str) -> bool {
        let number = target.strip_prefix("pipe:[");
        let number = number.and_then(|rest| rest.strip_suffix(']')?.parse().ok());
        number.is_some() && self.pipes.contains(&number)
    }

    #[cfg(all(test, target_os = "linux"))]
    pub(crate) fn of(cookie: Cookie) -> Self {
        Self::new(cookie, &Streams::default())
    }
}

#[cfg(target_os = "linux")]
pub(crate) fn inode(pipe: impl std::os::fd::AsFd) -> Option<u64> {
    Some(rustix::fs::fstat(pipe).ok()?.st_ino)
}

/// Pipes of a program.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    /// The registration with the runtime may fail.
    pub(crate) stdin: Option<io::Result<ChildStdin>>,
    pub(crate) stdout: Option<Pipe>,
    pub(crate) stderr: Option<Pipe>,
}

/// Name of the environment variable that identifies the processes of a tree. Its value is a list of
/// identifiers, separated by commas: one for each tree that contains the process.
pub(crate) const COOKIE_VARIABLE: &str = "TOOL_CALL_ID";

/// Maximum length of an inherited value. A longer one is dropped.
const MAX_INHERITED_BYTES: usize = 512;

/// Identifier of one tree, inherited by all processes that do not change their environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cookie(String);

impl Cookie {
    /// Returns a new identifier, which starts with the one of this process.
    pub(crate) fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(format!("{}.{number}", own_id()))
    }

    /// Returns the value of the variable, with the identifiers that this process has inherited.
    pub(crate) fn value(&self) -> String {
        static INHERITED: OnceLock<String> = OnceLock::new();
        // Keep the identifiers of outer trees: a host that is itself such a program must not hide its own programs.
        let inherited = INHERITED.get_or_init(|| {
            let value = env::var(COOKIE_VARIABLE).unwrap_or_default();
            match value.len() {
                1..=MAX_INHERITED_BYTES => value + ",",
                _ => String::new(),
            }
        });
        format!("{inherited}{}", self.0)
    }

    /// Returns `true` if `environ`, in the format of `/proc/<id>/environ`, contains this cookie.
    #[cfg(any(target_os = "linux", test))]
    pub(crate) fn is_in(&self, environ: &[u8]) -> bool {
        environ
            .split(|byte| *byte == 0)
            .filter_map(|variable| {
                let value = variable.strip_prefix(COOKIE_VARIABLE.as_bytes())?;
                value.strip_prefix(b"=")
            })
            .any(|value| {
                // Compare whole identifiers: number 1 of a process is a prefix of its number 10.
                let mut ids = value.split(|byte| *byte == b',');
                ids.any(|id| id == self.0.as_bytes())
            })
    }
}

/// Returns a random identifier of this process.
pub(crate) fn own_id() -> &'static str {
    static ID: OnceLock<String> = OnceLock::new();
    ID.get_or_init(|| {
        let mut id = String::new();
        for byte in [0_u8; 2] {
            // `RandomState` uses different random keys for each hasher.
            // Writing to a string cannot fail.
            let _ = write!(id, "{:016x}", RandomState::new().hash_one(byte));
        }
        id
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_are_unique() {
        let cookies: std::collections::HashSet<String> =
            (0..1000).map(|_| Cookie::next().value()).collect();

        assert_eq!(cookies.len(), 1000);
    }

    #[test]
    fn matches_only_entire_identifiers() {
        let cookie = Cookie("abc.1".into());

        for (environ, found) in [
            (&b"PATH=/bin\0TOOL_CALL_ID=abc.1\0"[..], true),
            (b"TOOL_CALL_ID=abc.1", true),
            (b"TOOL_CALL_ID=x.7,abc.1,y.2\0", true),
            (b"TOOL_CALL_ID=abc.12\0", false),
            (b"MY_TOOL_CALL_ID=abc.1\0", false),
            (b"", false),
        ] {
            assert_eq!(cookie.is_in(environ), found, "{environ:?}");
        }
    }
}
