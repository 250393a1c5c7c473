//! Secrets with a marker, and the search for the marker in output and files.

use std::fs;
use std::path::Path;

/// Text in every secret.
pub(crate) const MARKER: &str = "PROOF-SECRET";

/// Encodings of the marker: plain, reversed, hexadecimal and the three alignments of base64.
const FORMS: [&str; 7] = [
    MARKER,
    "TERCES-FOORP",
    "50524f4f462d534543524554",
    "UFJPT0YtU0VDUkVU",
    "BST09GLVNFQ1JFV",
    "QUk9PRi1TRUNSRV",
    "CEBBS-FRPERG",
];

/// Returns `true` if `text` contains the marker in one of its encodings.
pub(crate) fn leak(text: &[u8]) -> bool {
    let dense: Vec<u8> = text
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    FORMS.iter().any(|form| contains(&dense, form.as_bytes()))
}

/// Returns `true` if a file below `directory` contains the marker.
pub(crate) fn leak_below(directory: &Path) -> bool {
    let Ok(entries) = fs::read_dir(directory) else {
        return false;
    };
    entries.flatten().any(|entry| {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => leak_below(&path),
            Ok(kind) if kind.is_file() => fs::read(path).is_ok_and(|content| leak(&content)),
            _ => false,
        }
    })
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
