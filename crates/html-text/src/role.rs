//! What elements are in the text.

use super::table::{TableProperties, span};
use super::tree::{Node, Tree};

/// Formatting of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Format {
    pub(super) marks: Marks,
    /// Element of the link.
    pub(super) link: Option<usize>,
}

impl Format {
    /// Returns the formatting in a child element.
    pub(super) fn within(self, id: usize, node: &Node) -> Self {
        let mark = match node.tag() {
            "b" | "strong" => Marks::STRONG,
            "i" | "em" => Marks::EMPHASIS,
            "s" | "strike" | "del" => Marks::STRUCK,
            "code" | "tt" | "kbd" | "samp" => Marks::CODE,
            "a" if node.attribute("href").is_some() => {
                return Self {
                    link: Some(id),
                    ..self
                };
            }
            _ => return self,
        };
        Self {
            marks: self.marks.with(mark),
            ..self
        }
    }
}

/// Set of text styles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Marks(u8);

impl Marks {
    pub(super) const STRONG: Self = Self(1);
    pub(super) const EMPHASIS: Self = Self(2);
    pub(super) const STRUCK: Self = Self(4);
    pub(super) const CODE: Self = Self(8);
    /// All styles in the order in which they are opened.
    pub(super) const ALL: [Self; 4] = [Self::STRONG, Self::EMPHASIS, Self::STRUCK, Self::CODE];

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// Visible element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role<'t> {
    /// Block on separate lines.
    Block,
    /// Block with blank lines around it.
    Paragraph,
    Heading(u8),
    Quote,
    /// List, with its first number if it is ordered.
    List(Option<i64>),
    /// List item, with its `value` attribute.
    Item(Option<i64>),
    Preformatted {
        language: &'t str,
    },
    Table(TableProperties),
    Row,
    Cell {
        columns: u16,
        rows: u16,
    },
    Term,
    Definition,
    Summary,
    Superscript,
    /// Ruby annotation.
    Reading,
    Quotation,
    /// Form control, separated from adjacent text by spaces.
    Control,
}

/// Returns what an element is, or `None` if it has no effect on the text around it.
pub(super) fn role(tree: &Tree, id: usize) -> Option<Role<'_>> {
    let node = tree.get(id);
    Some(match node.tag() {
        "p" | "dl" | "figure" => Role::Paragraph,
        "h1" => Role::Heading(1),
        "h2" => Role::Heading(2),
        "h3" => Role::Heading(3),
        "h4" => Role::Heading(4),
        "h5" => Role::Heading(5),
        "h6" => Role::Heading(6),
        "blockquote" => Role::Quote,
        "ul" | "menu" | "dir" => Role::List(None),
        "ol" => Role::List(Some(number(node, "start").unwrap_or(1))),
        "li" => Role::Item(number(node, "value")),
        "pre" | "listing" | "plaintext" | "xmp" => Role::Preformatted {
            language: language(tree, id),
        },
        "table" => Role::Table(TableProperties::of(tree, id)),
        "tr" => Role::Row,
        "td" | "th" => Role::Cell {
            columns: span(node, "colspan"),
            rows: span(node, "rowspan"),
        },
        "dt" => Role::Term,
        "dd" => Role::Definition,
        "summary" => Role::Summary,
        "sup" => Role::Superscript,
        "rt" => Role::Reading,
        "q" => Role::Quotation,
        "button" | "select" | "option" | "textarea" => Role::Control,
        "address" | "article" | "aside" | "caption" | "center" | "details" | "dialog" | "div"
        | "fieldset" | "figcaption" | "footer" | "form" | "header" | "hgroup" | "legend"
        | "main" | "nav" | "optgroup" | "search" | "section" => Role::Block,
        _ => return None,
    })
}

/// Returns the language of code: from its element, one of the two around it, or a `<code>` in it.
fn language(tree: &Tree, id: usize) -> &str {
    let around = std::iter::successors(Some(id), |id| tree.get(*id).parent);
    let inside = tree.get(id).children.iter().copied();
    let inside = inside.filter(|id| tree.get(*id).tag() == "code");
    let mut languages = around.take(3).chain(inside.take(1));
    languages
        .find_map(|id| language_of(tree.get(id)))
        .unwrap_or_default()
}

/// Returns the language from a class such as `language-rust`, `lang-rust`, `highlight-source-rust`
/// or `brush: rust`.
fn language_of(node: &Node) -> Option<&str> {
    let classes = node.attribute("class")?;
    let known = ["language-", "lang-", "highlight-source-", "brush:"];
    let mut words = classes.split_ascii_whitespace();
    let named = words.find_map(|class| {
        let name = known.iter().find_map(|prefix| class.strip_prefix(prefix))?;
        Some(name).filter(|name| is_language(name))
    });
    let brush = || {
        let name = classes.split_once("brush: ")?.1.split([' ', ';']).next()?;
        Some(name).filter(|name| is_language(name))
    };
    named.or_else(brush)
}

fn is_language(name: &str) -> bool {
    let is_part =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'#' | b'-' | b'_' | b'.');
    !name.is_empty() && name.len() <= 32 && name.bytes().all(is_part)
}

/// Parses a numeric attribute such as `start` of a list.
fn number(node: &Node, name: &str) -> Option<i64> {
    let text = node.attribute(name)?.trim();
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    let end = text.len() - digits.len() + length;
    text.get(..end)?.parse().ok()
}
