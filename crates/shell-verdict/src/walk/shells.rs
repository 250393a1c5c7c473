//! Shell dialects, which print differently from bash.

use super::Walk;
use super::file_name;

/// Possible shells of a machine. Without bash, `sh` is not bash either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Installed {
    Bash,
    OtherSh,
    /// Bash is not installed.
    Other,
}

impl Installed {
    pub(in super::super) const FURTHER: [Self; 2] = [Self::OtherSh, Self::Other];
}

#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Shells {
    installed: Installed,
    printing: Printing,
    is_zsh: bool,
    /// Whether the name may refer to a shell other than bash.
    is_sh: bool,
    differ: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Printing {
    Bash,
    /// dash: `echo` decodes few escapes.
    Dash,
    /// zsh and ksh: `echo` and formats decode all escapes.
    Rich,
}

impl Printing {
    const ALL: [Self; 3] = [Self::Bash, Self::Dash, Self::Rich];

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

    /// Returns `true` if the shell has no extensions, and records that the result depends on it.
    pub(in super::super) fn are_plain(&mut self) -> bool {
        self.differ |= self.is_sh;
        self.is_sh && self.printing == Printing::Dash
    }

    pub(in super::super) fn note_difference(&mut self) {
        self.differ = true;
    }

    pub(in super::super) fn differ(self) -> bool {
        self.differ
    }
}

impl Walk<'_> {
    pub(in super::super) fn in_shell<T>(
        &mut self,
        name: &str,
        inner: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let name = file_name(name);
        let printing = match (name, self.shells.installed) {
            ("bash" | "rbash", _) | ("sh", Installed::Bash) => Printing::Bash,
            ("sh" | "dash" | "ash", _) | (_, Installed::Other) => Printing::Dash,
            // The other shells are not distinguished.
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
