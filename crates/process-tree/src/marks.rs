//! Marks that the processes of a tree inherit.

use crate::child::Pipe;
use crate::cookie::Cookie;

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
    pub(crate) fn new(cookie: Cookie, pipes: [Option<&Pipe>; 2]) -> Self {
        Self {
            cookie,
            pipes: pipes.map(|pipe| pipe.and_then(inode)),
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn new(cookie: Cookie, _pipes: [Option<&Pipe>; 2]) -> Self {
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
        Self::new(cookie, [None, None])
    }
}

#[cfg(target_os = "linux")]
pub(crate) fn inode(pipe: &impl std::os::fd::AsFd) -> Option<u64> {
    Some(rustix::fs::fstat(pipe).ok()?.st_ino)
}
