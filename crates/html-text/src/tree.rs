//! Page as a tree of nodes.

use html5ever::{LocalName, QualName, local_name, ns};

/// Page as a tree of elements, to read fields of a page that you know.
///
/// It is the tree that browsers build, even from invalid HTML.
///
/// # Examples
/// ```
/// use html_text::{Options, Tree};
///
/// let tree = Tree::new("<p class='name first'>Caf&eacute;<p>Bar", &Options::new());
/// let named = tree.elements().filter(|element| element.has_class("name"));
/// let names: Vec<String> = named.map(|element| element.to_text()).collect();
/// assert_eq!(names, ["Café"]);
/// ```
#[derive(Debug)]
pub struct Tree {
    pub(super) nodes: Vec<Node>,
    /// What an unknown index refers to.
    nothing: Node,
    pub(super) is_truncated: bool,
}

/// Root of a [`Tree`].
pub(super) const ROOT: usize = 0;
/// Node outside of the tree: all comments, and the parent of the content of templates.
pub(super) const NOWHERE: usize = 1;

/// Element, text, or the root.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) parent: Option<usize>,
    pub(super) children: Vec<usize>,
    /// Name of an element.
    pub(super) name: QualName,
    pub(super) attributes: Vec<(LocalName, String)>,
    /// Text of a text node.
    pub(super) text: String,
}

impl Node {
    pub(super) fn element(name: QualName) -> Self {
        Self {
            parent: None,
            children: Vec::new(),
            name,
            attributes: Vec::new(),
            text: String::new(),
        }
    }

    pub(super) fn text(text: String) -> Self {
        let no_name = QualName::new(None, ns!(), local_name!(""));
        Self {
            text,
            ..Self::element(no_name)
        }
    }

    pub(super) fn is_text(&self) -> bool {
        !self.text.is_empty()
    }

    /// Returns the name of an HTML element, and an empty string for other nodes.
    pub(super) fn tag(&self) -> &str {
        if self.name.ns == ns!(html) {
            &self.name.local
        } else {
            ""
        }
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let mut named = self.attributes.iter();
        let (_, value) = named.find(|(known, _)| **known == *name)?;
        Some(value)
    }
}

impl Tree {
    pub(super) fn empty() -> Self {
        let nothing = || Node::text(String::new());
        Self {
            nodes: vec![nothing(), nothing()],
            nothing: nothing(),
            is_truncated: false,
        }
    }

    pub(super) fn get(&self, id: usize) -> &Node {
        self.nodes.get(id).unwrap_or(&self.nothing)
    }

    pub(super) fn get_mut(&mut self, id: usize) -> &mut Node {
        self.nodes.get_mut(id).unwrap_or(&mut self.nothing)
    }
}
