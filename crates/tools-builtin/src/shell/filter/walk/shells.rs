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
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Shells {
    installed: Installed,
    printing: Printing,
    is_zsh: bool,
    /// The name says a shell that may be another one than bash.
    is_sh: bool,
    differ: bool,
}

/// How a shell prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Printing {
    /// As bash does.
    Bash,
    /// As dash does: `echo` decodes, and knows few escapes.
    Dash,
    /// As zsh and those from Korn do: `echo` and formats know all escapes.
    Rich,
}

impl Printing {
    const ALL: [Self; 3] = [Self::Bash, Self::Dash, Self::Rich];

    /// What the others are.
    pub(in super::super) fn others(self) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |other| *other != self)
    }
}

impl Shells {
    pub(super) fn of(installed: Installed) -> Self {
        Self {
            installed,
            printing: match installed {
                Installed::Other => Printing::Dash,
                Installed::Bash | Installed::OtherSh => Printing::Bash,
            },
            is_zsh: false,
            is_sh: false,
            differ: false,
        }
    }

    pub(in super::super) fn printing(self) -> Printing {
        self.printing
    }

    pub(super) fn is_zsh(self) -> bool {
        self.is_zsh
    }

    /// Whether the shell has only what all shells have. Notes that it matters.
    pub(in super::super) fn are_plain(&mut self) -> bool {
        self.differ |= self.is_sh;
        self.is_sh && self.printing == Printing::Dash
    }

    /// Another shell would print something else.
    pub(in super::super) fn note_difference(&mut self) {
        self.differ = true;
    }

    /// Whether it matters what is installed.
    pub(in super::super) fn differ(self) -> bool {
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
        let name = file_name(name);
        let printing = match (name, self.shells.installed) {
            ("bash" | "rbash", _) | ("sh", Installed::Bash) => Printing::Bash,
            ("sh" | "dash" | "ash", _) | (_, Installed::Other) => Printing::Dash,
            // Which of the others does what is not told apart.
            (_, Installed::Bash) => Printing::Bash,
            (_, Installed::OtherSh) => Printing::Rich,
        };
        let shells = Shells {
            printing,
            is_zsh: name == "zsh",
            is_sh: matches!(name, "sh" | "dash" | "ash"),
            ..self.shells
        };
        let outer = std::mem::replace(&mut self.shells, shells);
        let result = inner(self);
        let differ = self.shells.differ;
        self.shells = Shells { differ, ..outer };
        result
    }
}
