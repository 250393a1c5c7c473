//! Reading the XML of a part, within bounds.

use std::borrow::Cow;

use quick_xml::escape::{resolve_xml_entity, unescape};
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::{Namespace, QName, ResolveResult};
use quick_xml::reader::NsReader;

use super::error::{DocumentBound, DocumentError};
use super::limits::DocumentLimits;
use crate::files::decode::{Encoding, from_utf16};

/// What the vocabulary of an element is. The strict form has other addresses for the same ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    Word,
    Presentation,
    Sheet,
    Drawing,
    Math,
    /// Drawings as they were before 2007.
    Vector,
    /// What older programs are to read in place of newer elements.
    Compatibility,
    Other,
}

impl Space {
    fn of(resolved: &ResolveResult<'_>) -> Self {
        let ResolveResult::Bound(Namespace(address)) = resolved else {
            return Self::Other;
        };
        match *address {
            "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
            | "http://purl.oclc.org/ooxml/wordprocessingml/main" => Self::Word,
            "http://schemas.openxmlformats.org/presentationml/2006/main"
            | "http://purl.oclc.org/ooxml/presentationml/main" => Self::Presentation,
            "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
            | "http://purl.oclc.org/ooxml/spreadsheetml/main" => Self::Sheet,
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

/// The start of an element.
#[derive(Debug)]
pub(super) struct Element<'x> {
    pub(super) space: Space,
    start: BytesStart<'x>,
}

impl Element<'_> {
    /// The name without its prefix.
    pub(super) fn local(&self) -> &str {
        self.start.local_name().into_inner()
    }

    /// The value of an attribute, with whatever prefix.
    pub(super) fn attribute(&self, local: &str) -> Option<Cow<'_, str>> {
        self.find(|key| key.rsplit(':').next() == Some(local))
    }

    /// The value of an attribute whose name has a prefix, as those have that name relationships.
    pub(super) fn prefixed(&self, local: &str) -> Option<Cow<'_, str>> {
        self.find(|key| key.split_once(':').is_some_and(|(_, name)| name == local))
    }

    /// The value of a switch: on where it has none.
    pub(super) fn is_on(&self) -> bool {
        !matches!(
            self.attribute("val").as_deref(),
            Some("0" | "false" | "off" | "none")
        )
    }

    fn find(&self, matches: impl Fn(&str) -> bool) -> Option<Cow<'_, str>> {
        let attribute = self
            .start
            .attributes()
            .with_checks(false)
            .flatten()
            .find(|attribute| matches(attribute.key.into_inner()))?;
        Some(match attribute.value {
            Cow::Borrowed(value) => unescape(value).unwrap_or(Cow::Borrowed(value)),
            owned @ Cow::Owned(_) => owned,
        })
    }
}

/// One step through a part. Empty elements are a start and an end.
#[derive(Debug)]
pub(super) enum Token<'x> {
    Start(Element<'x>),
    Text(Cow<'x, str>),
    End,
    Done,
}

/// A part on the way through.
pub(super) struct Xml<'x> {
    reader: NsReader<&'x [u8]>,
    depth: usize,
    events: usize,
    limits: DocumentLimits,
}

impl<'x> Xml<'x> {
    pub(super) fn new(text: &'x str, limits: &DocumentLimits) -> Self {
        let mut reader = NsReader::from_str(text);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.allow_dangling_amp = true;
        reader
            .resolver_mut()
            .set_max_namespace_bindings(MAX_NAMESPACES);
        Self {
            reader,
            depth: 0,
            events: 0,
            limits: *limits,
        }
    }

    /// The next step; comments, processing instructions and the like are passed over.
    pub(super) fn next(&mut self) -> Result<Token<'x>, DocumentError> {
        loop {
            self.events += 1;
            if self.events > self.limits.max_events {
                return Err(too_large(DocumentBound::Events, self.limits.max_events));
            }
            let (resolved, event) = self.reader.read_resolved_event()?;
            return Ok(match event {
                Event::Start(start) | Event::Empty(start) => {
                    let space = Space::of(&resolved);
                    self.depth += 1;
                    if self.depth > self.limits.max_depth {
                        return Err(too_large(DocumentBound::Depth, self.limits.max_depth));
                    }
                    Token::Start(Element { space, start })
                }
                Event::End(_) => {
                    self.depth = self.depth.saturating_sub(1);
                    Token::End
                }
                Event::Text(text) => Token::Text(text.xml10_content()),
                Event::CData(text) => Token::Text(text.xml10_content()),
                Event::GeneralRef(reference) => Token::Text(Cow::Owned(resolve(&reference)?)),
                Event::DocType(_) => return Err(DocumentError::TypeDefinition),
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) => continue,
                Event::Eof if self.depth > 0 => {
                    return Err(DocumentError::Damaged("a part is cut off"));
                }
                Event::Eof => Token::Done,
            });
        }
    }

    /// Whether all vocabularies that a choice requires, by their prefixes, are such as Office writes.
    pub(super) fn understands(&self, choice: &Element<'_>) -> bool {
        let required = choice.attribute("Requires").unwrap_or_default();
        required.split_ascii_whitespace().all(|prefix| {
            let name = [prefix, ":any"].concat();
            match self.reader.resolver().resolve_attribute(QName(&name)) {
                (ResolveResult::Bound(Namespace(address)), _) => {
                    OFFICE.iter().any(|start| address.starts_with(start))
                }
                _ => false,
            }
        })
    }

    /// Passes over the rest of the element that was just begun.
    pub(super) fn skip(&mut self) -> Result<(), DocumentError> {
        self.within(|_, _| {})
    }

    /// Shows all elements inside the one that was just begun, with how deep they are in it, and ends behind it.
    pub(super) fn within(
        &mut self,
        mut show: impl FnMut(usize, &Element<'x>),
    ) -> Result<(), DocumentError> {
        let outside = self.depth - 1;
        while self.depth > outside {
            if let Token::Start(element) = self.next()? {
                show(self.depth - outside - 2, &element);
            }
        }
        Ok(())
    }

    /// The text inside the element that was just begun, whatever is around it.
    pub(super) fn text_within(&mut self) -> Result<String, DocumentError> {
        let outside = self.depth - 1;
        let mut all = String::new();
        while self.depth > outside {
            if let Token::Text(text) = self.next()? {
                all.push_str(&text);
            }
        }
        Ok(all)
    }
}

/// How the addresses of the vocabularies begin that Office writes.
const OFFICE: [&str; 4] = [
    "http://schemas.microsoft.com/office/",
    "http://schemas.openxmlformats.org/",
    "http://purl.oclc.org/ooxml/",
    "urn:schemas-microsoft-com:",
];

/// Word declares some forty on the outermost element.
const MAX_NAMESPACES: usize = 512;

fn too_large(bound: DocumentBound, most: usize) -> DocumentError {
    DocumentError::TooLarge {
        bound,
        most: most as u64,
    }
}

/// The character that a reference stands for. Others than those of XML itself need a type definition, and there is none.
fn resolve(reference: &BytesRef<'_>) -> Result<String, DocumentError> {
    if let Some(letter) = reference.resolve_char_ref()? {
        return Ok(letter.to_string());
    }
    match resolve_xml_entity(reference) {
        Some(text) => Ok(text.to_owned()),
        None => Err(DocumentError::Damaged(
            "a part uses an entity that it does not define",
        )),
    }
}

/// The bytes of a part as text: UTF-8 or UTF-16, as the format has it.
pub(super) fn decode(bytes: Vec<u8>) -> String {
    let encoding = match *bytes.as_slice() {
        [0xFF, 0xFE, ..] | [b'<', 0, ..] => Encoding::Utf16Le,
        [0xFE, 0xFF, ..] | [0, b'<', ..] => Encoding::Utf16Be,
        _ => Encoding::Utf8,
    };
    let text = match encoding {
        Encoding::Utf8 => String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
        _ => from_utf16(&bytes, encoding),
    };
    match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Result<String, DocumentError> {
        let mut xml = Xml::new(text, &DocumentLimits::default());
        let mut all = String::new();
        loop {
            match xml.next()? {
                Token::Start(element) => all += &["<", element.local()].concat(),
                Token::Text(text) => all += &text,
                Token::End => all.push('>'),
                Token::Done => return Ok(all),
            }
        }
    }

    #[test]
    fn an_empty_element_begins_and_ends_and_references_are_their_characters() {
        let text = "<?xml version='1.0'?><a>x&amp;&#x41;<!-- c --><b/><![CDATA[<y>]]></a>";

        assert_eq!(shown(text).unwrap(), "<ax&A<b><y>>");
    }

    #[test]
    fn what_is_cut_off_or_does_not_fit_is_damaged() {
        for text in ["<a><b></a>", "<a>", "<a", "<a>&other;</a>", "</a>"] {
            assert!(
                matches!(shown(text), Err(DocumentError::Damaged(_))),
                "{text}"
            );
        }
    }

    #[test]
    fn a_vocabulary_is_known_by_its_address_and_not_by_its_prefix() {
        let text =
            r#"<q:a xmlns:q="http://purl.oclc.org/ooxml/wordprocessingml/main" q:v="1&lt;"/>"#;
        let mut xml = Xml::new(text, &DocumentLimits::default());

        let Token::Start(element) = xml.next().unwrap() else {
            panic!("no start")
        };

        assert_eq!((element.space, element.local()), (Space::Word, "a"));
        assert_eq!(element.attribute("v").as_deref(), Some("1<"));
    }

    #[test]
    fn both_byte_orders_of_utf_16_are_read_with_or_without_a_mark() {
        let units: Vec<u16> = "<a>é</a>".encode_utf16().collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();

        for bytes in [
            little.clone(),
            big.clone(),
            [b"\xFF\xFE", little.as_slice()].concat(),
            [b"\xFE\xFF", big.as_slice()].concat(),
            "\u{feff}<a>é</a>".as_bytes().to_vec(),
        ] {
            assert_eq!(decode(bytes), "<a>é</a>");
        }
    }
}
