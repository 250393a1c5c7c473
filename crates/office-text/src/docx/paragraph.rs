//! Paragraphs under construction, and the properties of paragraphs and runs.

use crate::error::DocumentError;
use crate::xml::{Namespace, Xml};

/// Paragraph under construction.
#[derive(Debug, Default)]
pub(super) struct Paragraph {
    pub(super) text: String,
    pub(super) properties: ParagraphProperties,
    /// Text of anchored text boxes.
    pub(super) boxes: Vec<String>,
}

impl Paragraph {
    /// Makes the text from `from` a link unless it is the address itself.
    pub(super) fn link(&mut self, from: usize, address: &str) {
        let Some(since) = self.text.get(from..) else {
            return;
        };
        // A link whose text is its address needs no second copy.
        let is_said = since.trim() == address || address.strip_prefix("mailto:") == Some(since);
        if since.trim().is_empty() || is_said || !is_web_address(address) {
            return;
        }
        self.text.insert(from, '[');
        self.text.push_str("](");
        self.text.push_str(address);
        self.text.push(')');
    }
}

/// A reader of the text cannot open links to files or bookmarks.
fn is_web_address(address: &str) -> bool {
    let known = ["http://", "https://", "mailto:"];
    known.iter().any(|start| address.starts_with(start)) && !address.contains(char::is_whitespace)
}

#[derive(Debug, Default)]
pub(super) struct ParagraphProperties {
    pub(super) style: Option<String>,
    pub(super) number: Option<String>,
    pub(super) level: Option<usize>,
    pub(super) outline: Option<usize>,
}

impl ParagraphProperties {
    pub(super) fn read(xml: &mut Xml<'_>) -> Result<Self, DocumentError> {
        let mut properties = Self::default();
        // Deeper elements contain the properties before a tracked change.
        xml.within(|depth, element| {
            let value = || element.attribute("val").unwrap_or_default();
            match (depth, element.local()) {
                (0, "pStyle") => properties.style = Some(value().into_owned()),
                (0, "outlineLvl") => properties.outline = outline(&value()),
                (1, "numId") => properties.number = Some(value().into_owned()),
                (1, "ilvl") => properties.level = value().parse().ok(),
                _ => {}
            }
        })?;
        Ok(properties)
    }
}

/// Properties of a run.
#[derive(Debug, Default)]
pub(super) struct RunProperties {
    pub(super) style: Option<String>,
    pub(super) vanish: Option<bool>,
}

impl RunProperties {
    pub(super) fn read(xml: &mut Xml<'_>) -> Result<Self, DocumentError> {
        let mut properties = Self::default();
        xml.within(|depth, element| {
            if depth > 0 || element.namespace != Namespace::Word {
                return;
            }
            match element.local() {
                "rStyle" => properties.style = element.attribute("val").map(Into::into),
                "vanish" => properties.vanish = Some(element.is_on()),
                _ => {}
            }
        })?;
        Ok(properties)
    }
}

/// Returns the heading level of an outline level. Level 9 is body text.
pub(super) fn outline(value: &str) -> Option<usize> {
    let level: usize = value.parse().ok()?;
    (level < 9).then_some(level + 1)
}
