//! XML namespaces of office documents.

use quick_xml::name::{self, ResolveResult};

/// Namespace of an element. The transitional and the strict format use different URIs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Namespace {
    Word,
    Presentation,
    SheetReader,
    Drawing,
    Math,
    /// Drawings in VML, used before 2007.
    Vector,
    /// Alternatives for older and newer programs.
    Compatibility,
    Other,
}

impl Namespace {
    pub(super) fn of(resolved: &ResolveResult<'_>) -> Self {
        let ResolveResult::Bound(name::Namespace(uri)) = resolved else {
            return Self::Other;
        };
        match *uri {
            "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
            | "http://purl.oclc.org/ooxml/wordprocessingml/main" => Self::Word,
            "http://schemas.openxmlformats.org/presentationml/2006/main"
            | "http://purl.oclc.org/ooxml/presentationml/main" => Self::Presentation,
            "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
            | "http://purl.oclc.org/ooxml/spreadsheetml/main" => Self::SheetReader,
            "http://schemas.openxmlformats.org/drawingml/2006/main"
            | "http://purl.oclc.org/ooxml/drawingml/main" => Self::Drawing,
            "http://schemas.openxmlformats.org/officeDocument/2006/math"
            | "http://purl.oclc.org/ooxml/officeDocument/math" => Self::Math,
            "urn:schemas-microsoft-com:vml" => Self::Vector,
            "http://schemas.openxmlformats.org/markup-compatibility/2006" => Self::Compatibility,
            _ => Self::Other,
        }
    }
}

/// Prefixes of the namespaces that Office writes.
pub(super) const OFFICE_PREFIXES: [&str; 4] = [
    "http://schemas.microsoft.com/office/",
    "http://schemas.openxmlformats.org/",
    "http://purl.oclc.org/ooxml/",
    "urn:schemas-microsoft-com:",
];
