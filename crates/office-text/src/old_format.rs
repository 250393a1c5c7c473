//! Binary document formats from before 2007.

use std::fmt;

/// Binary document format from before 2007.
///
/// # Examples
/// ```
/// use office_text::OldFormat;
///
/// assert_eq!(OldFormat::Word.to_string(), "an old Word document (.doc)");
/// assert_eq!(OldFormat::Word.successor(), ".docx");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OldFormat {
    /// Word, `.doc`.
    Word,
    /// PowerPoint, `.ppt`.
    PowerPoint,
    /// Excel, `.xls`.
    Excel,
}

impl OldFormat {
    /// Returns the extension of the current format, such as `.docx`.
    #[must_use]
    pub fn successor(self) -> &'static str {
        match self {
            Self::Word => ".docx",
            Self::PowerPoint => ".pptx",
            Self::Excel => ".xlsx",
        }
    }
}

impl fmt::Display for OldFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Word => "an old Word document (.doc)",
            Self::PowerPoint => "an old PowerPoint presentation (.ppt)",
            Self::Excel => "an old Excel workbook (.xls)",
        })
    }
}
