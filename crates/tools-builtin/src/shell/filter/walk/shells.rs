//! Which shell runs what is walked: some print otherwise than bash does.

use super::Walk;
use super::file_name;

/// What `sh` and the shell around everything may be, with the usual first. Where there is no bash, `sh` is neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Installed {
    /// Both are bash.
    Bash,
    /// `sh` is another shell.
    OtherSh,
    /// There is no bash around.
    Other,
}

impl Installed {
    /// What may be beside the usual.
    pub(in super::super) const FURTHER: [Self; 2] = [Self::OtherSh, Self::Other];
}

/// The shell that is walked in, and what is installed.
#[derive(Debug)]
pub(in super::super) struct Shells {
    installed: Installed,
    is_bash: bool,
    differ: bool,
}

impl Shells {
    pub(super) fn of(installed: Installed) -> Self {
        Self {
            installed,
            is_bash: installed != Installed::Other,
            differ: false,
        }
    }

    pub(in super::super) fn is_bash(&self) -> bool {
        self.is_bash
    }

    /// Another shell would print something else.
    pub(in super::super) fn note_difference(&mut self) {
        self.differ = true;
    }

    /// Whether it matters what is installed.
    pub(in super::super) fn differ(&self) -> bool {
        self.differ
    }
}

impl Walk<'_> {
    /// Walks what the shell of this name runs.
    pub(in super::super) fn in_shell<T>(
        &mut self,
        name: &str,
        inner: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let is_bash = match file_name(name) {
            "bash" | "rbash" => true,
            "sh" => self.shells.installed == Installed::Bash,
            _ => false,
        };
        let outer = std::mem::replace(&mut self.shells.is_bash, is_bash);
        let result = inner(self);
        self.shells.is_bash = outer;
        result
    }
}
