//! File of pinned definitions.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::client::drift::Reviewed;

/// Version of the file format.
pub(super) const VERSION: u32 = 1;

/// Maximum size of a file in bytes.
const MAX_FILE: u64 = 64 * 1024 * 1024;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct File {
    pub(super) version: u32,
    pub(super) servers: BTreeMap<String, PinnedServer>,
    /// Whether the state differs from the file.
    #[serde(skip)]
    pub(super) is_changed: bool,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct PinnedServer {
    /// Digest of a configuration from a project that the user approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) approved: Option<String>,
    /// Whether only the older handshake worked.
    #[serde(default)]
    pub(super) is_legacy: bool,
    #[serde(default)]
    pub(super) tools: BTreeMap<String, PinnedTool>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct PinnedTool {
    /// Digest of the command or the address of its server.
    pub(super) identity: String,
    /// Digest of the definition.
    pub(super) digest: String,
    pub(super) reviewed: Reviewed,
    /// Time of the review in seconds since 1970.
    pub(super) reviewed_at: u64,
}

/// Reason for pins that cannot be used.
///
/// # Examples
/// See [`Pins`](super::Pins).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PinsError {
    /// The file could not be read.
    #[error("the pins could not be read: {0}; check the path and its permissions")]
    Unreadable(#[source] io::Error),
    /// The file is damaged.
    #[error("the pins are invalid at line {line}, column {column}; restore the file or remove it")]
    Invalid {
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
    },
    /// A newer version of this crate wrote the file.
    #[error("the pins have version {0}; this version of tool-mcp supports version 1")]
    NewerVersion(u32),
}

impl File {
    /// Reads a file. A missing file has no pins.
    pub(super) fn read(path: &Path) -> Result<Self, PinsError> {
        let mut text = String::new();
        match fs::File::open(path) {
            Ok(file) => {
                let mut file = file.take(MAX_FILE);
                file.read_to_string(&mut text)
                    .map_err(PinsError::Unreadable)?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(PinsError::Unreadable(error)),
        }
        let file: Self = serde_json::from_str(&text).map_err(|error| PinsError::Invalid {
            line: error.line(),
            column: error.column(),
        })?;
        if file.version > VERSION {
            return Err(PinsError::NewerVersion(file.version));
        }
        Ok(file)
    }
}

impl PinnedTool {
    pub(super) fn new(identity: &str, digest: String, reviewed: Reviewed) -> Self {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Self {
            identity: identity.to_owned(),
            digest,
            reviewed,
            reviewed_at: now.map_or(0, |now| now.as_secs()),
        }
    }
}

/// Replaces a file atomically.
pub(super) fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(&temporary).and_then(|mut file| {
        file.write_all(text)?;
        file.sync_all()
    });
    let replaced = written.and_then(|()| fs::rename(&temporary, path));
    if replaced.is_err() {
        // The error of the write is reported.
        let _ = fs::remove_file(&temporary);
    }
    replaced
}
