//! Kinds of documents.

use std::fmt;

use crate::error::DocumentError;

/// Kind of a document.
///
/// # Examples
/// ```
/// use office_text::DocumentKind;
///
/// assert_eq!(DocumentKind::Docx.to_string(), "docx");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DocumentKind {
    /// Word document: `.docx`, `.docm`, `.dotx`, `.dotm`.
    Docx,
    /// PowerPoint presentation: `.pptx`, `.pptm`, `.ppsx`, `.ppsm`, `.potx`, `.potm`.
    Pptx,
    /// Excel workbook: `.xlsx`, `.xlsm`, `.xltx`, `.xltm`.
    Xlsx,
}

impl DocumentKind {
    /// Returns the kind for a content type such as
    /// `application/vnd.ms-word.document.macroEnabled.main+xml`.
    pub(super) fn of_content_type(content_type: &str) -> Result<Self, DocumentError> {
        let name = content_type.to_ascii_lowercase();
        let starts = |start: &str| name.starts_with(start);
        if starts("application/vnd.ms-excel.sheet.binary") {
            return Err(DocumentError::Unsupported(
                "a binary Excel workbook (.xlsb)",
            ));
        }
        if !name.ends_with(".main+xml") {
            return Err(DocumentError::NotADocument);
        }
        let office = "application/vnd.openxmlformats-officedocument";
        if starts(&format!("{office}.wordprocessingml.")) || starts("application/vnd.ms-word.") {
            Ok(Self::Docx)
        } else if starts(&format!("{office}.presentationml."))
            || starts("application/vnd.ms-powerpoint.")
        {
            Ok(Self::Pptx)
        } else if starts(&format!("{office}.spreadsheetml.")) || starts("application/vnd.ms-excel.")
        {
            Ok(Self::Xlsx)
        } else {
            Err(DocumentError::NotADocument)
        }
    }
}

impl fmt::Display for DocumentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Docx => "docx",
            Self::Pptx => "pptx",
            Self::Xlsx => "xlsx",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_templates_and_macro_files() {
        let office = "application/vnd.openxmlformats-officedocument";
        for (content_type, expected) in [
            (
                format!("{office}.wordprocessingml.document.main+xml"),
                Some(DocumentKind::Docx),
            ),
            (
                format!("{office}.wordprocessingml.template.main+xml"),
                Some(DocumentKind::Docx),
            ),
            (
                "application/vnd.ms-word.document.macroEnabled.main+xml".to_owned(),
                Some(DocumentKind::Docx),
            ),
            (
                "application/vnd.ms-word.template.macroEnabledTemplate.main+xml".to_owned(),
                Some(DocumentKind::Docx),
            ),
            (
                format!("{office}.presentationml.slideshow.main+xml"),
                Some(DocumentKind::Pptx),
            ),
            (
                "application/vnd.ms-powerpoint.template.macroEnabled.main+xml".to_owned(),
                Some(DocumentKind::Pptx),
            ),
            (
                format!("{office}.spreadsheetml.template.main+xml"),
                Some(DocumentKind::Xlsx),
            ),
            (
                "application/vnd.ms-excel.sheet.macroEnabled.main+xml".to_owned(),
                Some(DocumentKind::Xlsx),
            ),
            (format!("{office}.wordprocessingml.styles+xml"), None),
            ("application/xml".to_owned(), None),
        ] {
            let kind = DocumentKind::of_content_type(&content_type).ok();

            assert_eq!(kind, expected, "{content_type}");
        }
    }
}
