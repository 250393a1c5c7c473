//! Terminal for the standard input of a program.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::fd::OwnedFd;
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// Terminal whose input is written by a test.
pub(crate) struct Terminal {
    input: File,
    other: OwnedFd,
}

impl Terminal {
    pub(crate) fn open() -> Self {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let input = openpt(flags).unwrap();
        grantpt(&input).unwrap();
        unlockpt(&input).unwrap();
        let name = ptsname(&input, Vec::new()).unwrap().into_string().unwrap();
        let other = OpenOptions::new()
            .read(true)
            .write(true)
            .open(name)
            .unwrap();
        Self {
            input: input.into(),
            other: other.into(),
        }
    }

    /// Writes lines, which the program reads later.
    pub(crate) fn write(&self, lines: &str) {
        (&self.input).write_all(lines.as_bytes()).unwrap();
    }

    pub(crate) fn other_end(&self) -> Stdio {
        Stdio::from(self.other.try_clone().unwrap())
    }
}
