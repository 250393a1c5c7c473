//! Elements of known pages.

use super::hidden::shown;
use super::page::text_of;
use super::tree::Tree;

/// Element of a [`Tree`].
///
/// # Examples
/// ```
/// use html_text::{Options, Tree};
///
/// let tree = Tree::new("<A HREF='?a&amp;b' class='x y'>one <b>two</b>", &Options::new());
/// let link = tree.elements().find(|element| element.name() == "a").expect("there is a link");
/// assert_eq!(link.attribute("href"), Some("?a&b"));
/// assert!(link.has_class("y"));
/// assert_eq!(link.texts().collect::<Vec<_>>(), ["one ", "two"]);
/// assert_eq!(link.to_text(), "one two");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Element<'t> {
    tree: &'t Tree,
    id: usize,
}

impl<'t> Element<'t> {
    /// Returns the name in lowercase, such as `div`.
    pub fn name(self) -> &'t str {
        &self.tree.get(self.id).name.local
    }

    /// Returns the value of the attribute with this name in lowercase.
    pub fn attribute(self, name: &str) -> Option<&'t str> {
        self.tree.get(self.id).attribute(name)
    }

    /// Returns whether the element has this class.
    pub fn has_class(self, class: &str) -> bool {
        let classes = self.attribute("class").unwrap_or_default();
        classes.split_ascii_whitespace().any(|known| known == class)
    }

    /// Returns the visible text of the element as written.
    pub fn texts(self) -> impl Iterator<Item = &'t str> {
        let texts = shown(self.tree, self.id).filter(|node| node.is_text());
        texts.map(|node| node.text.as_str())
    }

    /// Converts the content to plain text, as [`to_text`](crate::to_text) does.
    pub fn to_text(self) -> String {
        text_of(self.tree, self.id)
    }
}

impl Tree {
    /// Returns all elements in the order of their start tags, including hidden ones.
    pub fn elements(&self) -> impl Iterator<Item = Element<'_>> {
        let nodes = self.nodes.iter().enumerate();
        let elements = nodes.filter(|(_, node)| !node.name.local.is_empty());
        elements.map(|(id, _)| Element { tree: self, id })
    }

    /// Returns whether a limit of the [`Options`](crate::Options) was reached, so that elements are
    /// missing at the end.
    pub fn is_truncated(&self) -> bool {
        self.is_truncated
    }
}
