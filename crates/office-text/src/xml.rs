//! Bounded XML reader for parts.

use std::borrow::Cow;

use quick_xml::escape::{resolve_xml_entity, unescape};
use quick_xml::events::{BytesEnd, BytesRef, BytesStart, Event};
use quick_xml::name::{self, ResolveResult};
use quick_xml::reader::NsReader;

use super::error::{DocumentBound, DocumentError, DocumentLimits};

/// Start tag of an element.
#[derive(Debug)]
pub(super) struct Element<'x> {
    pub(super) namespace: Namespace,
    start: BytesStart<'x>,
}

impl Element<'_> {
    /// Returns the name without its prefix.
    pub(super) fn local(&self) -> &str {
        self.start.local_name().into_inner()
    }

    /// Returns the value of an attribute, ignoring its prefix.
    pub(super) fn attribute(&self, local: &str) -> Option<Cow<'_, str>> {
        // Prefixes are the choice of the program that wrote the document.
        self.find(|key| key.rsplit(':').next() == Some(local))
    }

    /// Returns the value of an attribute that has a prefix, such as a relationship id.
    pub(super) fn prefixed(&self, local: &str) -> Option<Cow<'_, str>> {
        self.find(|key| key.split_once(':').is_some_and(|(_, name)| name == local))
    }

    /// Returns the value of a boolean element, which is `true` without `val`.
    pub(super) fn is_on(&self) -> bool {
        !matches!(
            self.attribute("val").as_deref(),
            Some("0" | "false" | "off" | "none")
        )
    }

    /// Returns whether the element repeats, for older programs, what the choice before it says.
    pub(super) fn is_fallback(&self) -> bool {
        self.namespace == Namespace::Compatibility && self.local() == "Fallback"
    }

    pub(super) fn is_hidden(&self) -> bool {
        matches!(self.attribute("hidden").as_deref(), Some("1" | "true"))
    }

    fn find(&self, matches: impl Fn(&str) -> bool) -> Option<Cow<'_, str>> {
        let attribute = self
            .start
            .attributes()
            // A repeated attribute is not worth an error; the first one counts.
            .with_checks(false)
            .flatten()
            .find(|attribute| matches(attribute.key.into_inner()))?;
        Some(match attribute.value {
            Cow::Borrowed(value) => unescape(value).unwrap_or(Cow::Borrowed(value)),
            owned @ Cow::Owned(_) => owned,
        })
    }
}

/// End tag of an element.
#[derive(Debug)]
pub(super) struct ElementEnd<'x> {
    pub(super) namespace: Namespace,
    end: BytesEnd<'x>,
}

impl ElementEnd<'_> {
    /// Returns the name without its prefix.
    pub(super) fn local(&self) -> &str {
        self.end.local_name().into_inner()
    }
}

/// XML event. Empty elements have a start and an end.
#[derive(Debug)]
pub(super) enum Token<'x> {
    Start(Element<'x>),
    Text(Cow<'x, str>),
    End(ElementEnd<'x>),
    Done,
}

/// Reader of a part.
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
        // Some programs write `&` unescaped.
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

    /// Returns the next event. Comments, processing instructions and declarations are skipped.
    pub(super) fn next(&mut self) -> Result<Token<'x>, DocumentError> {
        loop {
            self.events += 1;
            if self.events > self.limits.max_events {
                let most = self.limits.max_events as u64;
                return Err(DocumentError::too_large(DocumentBound::Events, most));
            }
            let (resolved, event) = self
                .reader
                .read_resolved_event()
                .map_err(DocumentError::of_xml)?;
            let namespace = Namespace::of(&resolved);
            return Ok(match event {
                Event::Start(start) | Event::Empty(start) => {
                    self.depth += 1;
                    if self.depth > self.limits.max_depth {
                        let most = self.limits.max_depth as u64;
                        return Err(DocumentError::too_large(DocumentBound::Depth, most));
                    }
                    Token::Start(Element { namespace, start })
                }
                Event::End(end) => {
                    self.depth = self.depth.saturating_sub(1);
                    Token::End(ElementEnd { namespace, end })
                }
                Event::Text(text) => Token::Text(text.xml10_content()),
                Event::CData(text) => Token::Text(text.xml10_content()),
                Event::GeneralRef(reference) => Token::Text(Cow::Owned(resolve(&reference)?)),
                Event::DocType(_) => return Err(DocumentError::TypeDefinition),
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) => continue,
                Event::Eof if self.depth > 0 => {
                    return Err(DocumentError::Damaged("a part is truncated"));
                }
                Event::Eof => Token::Done,
            });
        }
    }

    /// Returns the next start tag, or `None` at the end of the part.
    pub(super) fn next_start(&mut self) -> Result<Option<Element<'x>>, DocumentError> {
        loop {
            match self.next()? {
                Token::Start(element) => return Ok(Some(element)),
                Token::Done => return Ok(None),
                Token::Text(_) | Token::End(_) => {}
            }
        }
    }

    /// Skips the rest of the current element.
    pub(super) fn skip(&mut self) -> Result<(), DocumentError> {
        self.within(|_, _| {})
    }

    /// Calls `show` with the depth and the start tag of each descendant of the current element.
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

    /// Returns the text in the current element and its descendants.
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

/// Word declares about forty on the root element.
const MAX_NAMESPACES: usize = 512;

/// Returns the character of a reference. Only predefined entities exist without a type definition.
fn resolve(reference: &BytesRef<'_>) -> Result<String, DocumentError> {
    if let Some(letter) = reference
        .resolve_char_ref()
        .map_err(DocumentError::of_xml)?
    {
        return Ok(letter.to_string());
    }
    match resolve_xml_entity(reference) {
        Some(text) => Ok(text.to_owned()),
        None => Err(DocumentError::Damaged(
            "a part refers to an undefined entity",
        )),
    }
}

/// Namespace of an element. The transitional and the strict format use different URIs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Namespace {
    Word,
    Presentation,
    Spreadsheet,
    Drawing,
    Math,
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
            | "http://purl.oclc.org/ooxml/spreadsheetml/main" => Self::Spreadsheet,
            "http://schemas.openxmlformats.org/drawingml/2006/main"
            | "http://purl.oclc.org/ooxml/drawingml/main" => Self::Drawing,
            "http://schemas.openxmlformats.org/officeDocument/2006/math"
            | "http://purl.oclc.org/ooxml/officeDocument/math" => Self::Math,
            "http://schemas.openxmlformats.org/markup-compatibility/2006" => Self::Compatibility,
            _ => Self::Other,
        }
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
                Token::End(_) => all.push('>'),
                Token::Done => return Ok(all),
            }
        }
    }

    #[test]
    fn expands_empty_elements_and_references() {
        let text = "\u{feff}<?xml version='1.0'?><a>x&amp;&#x41;<!-- c --><b/><![CDATA[<y>]]></a>";

        assert_eq!(shown(text).unwrap(), "<ax&A<b><y>>");
    }

    #[test]
    fn malformed_xml_is_damaged() {
        for text in ["<a><b></a>", "<a>", "<a", "<a>&other;</a>", "</a>"] {
            assert!(
                matches!(shown(text), Err(DocumentError::Damaged(_))),
                "{text}"
            );
        }
    }

    #[test]
    fn namespace_is_known_by_uri() {
        let text =
            r#"<q:a xmlns:q="http://purl.oclc.org/ooxml/wordprocessingml/main" q:v="1&lt;"/>"#;
        let mut xml = Xml::new(text, &DocumentLimits::default());

        let Token::Start(element) = xml.next().unwrap() else {
            panic!("no start")
        };

        assert_eq!((element.namespace, element.local()), (Namespace::Word, "a"));
        assert_eq!(element.attribute("v").as_deref(), Some("1<"));
    }
}
