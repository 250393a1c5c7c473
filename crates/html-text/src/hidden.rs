//! Visibility of elements, from their attributes.
//!
//! Style sheets are not read: CSS has a hundred ways to hide text from people, so reading some of them
//! would promise what it can't keep. What is read here is what ordinary pages and mails use for text
//! that isn't meant to be seen.

use html5ever::ns;

use super::tree::{Node, Tree};

/// Reasons why the text of an element is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Hidden {
    /// Hidden including all descendants, regardless of their styles.
    is_whole: bool,
    is_invisible: bool,
    is_tiny: bool,
}

impl Hidden {
    /// Returns whether text in the element is hidden.
    pub(super) fn is_hidden(self) -> bool {
        self.is_whole || self.is_invisible || self.is_tiny
    }

    /// Returns whether all descendants are hidden.
    pub(super) fn is_whole(self) -> bool {
        self.is_whole
    }

    /// Returns the visibility in a child node.
    pub(super) fn within(self, node: &Node) -> Self {
        let mut inner = self;
        inner.is_whole |= is_unseen(node);
        // Pages that hide their whole body show it with a script.
        if matches!(node.tag(), "html" | "body") {
            return inner;
        }
        for (name, value) in &node.attributes {
            match &**name {
                "hidden" => inner.is_whole = true,
                "aria-hidden" => inner.is_whole |= value.trim().eq_ignore_ascii_case("true"),
                "style" => inner.apply(&value.to_ascii_lowercase()),
                _ => {}
            }
        }
        inner
    }

    /// Applies a `style` attribute in lower case.
    fn apply(&mut self, style: &str) {
        let [mut display, mut opacity] = [false; 2];
        // Important declarations replace the others, whatever their order.
        for is_important in [false, true] {
            for (property, value, _) in declarations(style).filter(|(.., is)| *is == is_important) {
                match property {
                    "display" => display = value == "none",
                    "opacity" => opacity = measure(value).is_some_and(|(number, _)| number <= 0.0),
                    "visibility" => set(&mut self.is_invisible, visibility(value)),
                    "font-size" => set(&mut self.is_tiny, font_size(value)),
                    _ => {}
                }
            }
        }
        // Descendants can undo `visibility` and `font-size`, but not these two.
        self.is_whole |= display || opacity;
    }
}

/// Returns a node and its descendants in the order of the text, without what is hidden.
pub(super) fn shown(tree: &Tree, root: usize) -> impl Iterator<Item = &Node> {
    let mut next = vec![root];
    std::iter::from_fn(move || {
        loop {
            let node = tree.get(next.pop()?);
            if !Hidden::default().within(node).is_whole() {
                next.extend(node.children.iter().rev());
                return Some(node);
            }
        }
    })
}

/// Returns whether browsers do not render the content.
fn is_unseen(node: &Node) -> bool {
    match node.tag() {
        "audio" | "canvas" | "datalist" | "head" | "iframe" | "noembed" | "noframes"
        | "noscript" | "rp" | "script" | "style" | "template" | "title" | "video" => true,
        "dialog" => node.attribute("open").is_none(),
        "option" => node.attribute("selected").is_none(),
        _ if node.name.ns == ns!(svg) => true,
        _ if node.name.ns == ns!(mathml) => {
            matches!(
                &*node.name.local,
                "annotation" | "annotation-xml" | "script" | "style"
            )
        }
        _ => false,
    }
}

fn set(state: &mut bool, value: Option<bool>) {
    *state = value.unwrap_or(*state);
}

/// Returns the declarations of a style: property, value, and whether it is important.
fn declarations(style: &str) -> impl Iterator<Item = (&str, &str, bool)> {
    style.split(';').filter_map(|declaration| {
        let (property, value) = declaration.split_once(':')?;
        let (value, is_important) = match value.rsplit_once('!') {
            Some((value, mark)) => (value, mark.trim() == "important"),
            None => (value, false),
        };
        Some((property.trim(), value.trim(), is_important))
    })
}

/// Returns whether the value hides text, or `None` if the parent decides.
fn visibility(value: &str) -> Option<bool> {
    match value {
        "hidden" | "collapse" => Some(true),
        "visible" | "initial" => Some(false),
        _ => None,
    }
}

/// Returns whether text is at most one pixel high, or `None` if the parent decides.
fn font_size(value: &str) -> Option<bool> {
    match measure(value) {
        Some((0.0, _)) => Some(true),
        Some((_, "%" | "em" | "ex" | "ch")) => None,
        Some((size, unit)) => Some(unit == "px" && size <= 1.0),
        None if matches!(value, "larger" | "smaller" | "inherit" | "unset") => None,
        None => Some(false),
    }
}

/// Splits a value into a number and its unit.
fn measure(value: &str) -> Option<(f64, &str)> {
    let number = value.trim_end_matches(|letter: char| letter == '%' || letter.is_alphabetic());
    let unit = value.get(number.len()..)?;
    Some((number.parse().ok()?, unit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;

    fn hides(name: &str, value: &str) -> bool {
        let tree = Tree::new(&format!("<p {name}='{value}'>"), &Options::new());
        let mut nodes = tree.nodes.iter();
        let node = nodes.find(|node| node.tag() == "p");
        Hidden::default().within(node.unwrap()).is_hidden()
    }

    #[test]
    fn attributes_and_styles_hide_elements() {
        for (name, value) in [
            ("hidden", ""),
            ("HIDDEN", "until-found"),
            ("aria-hidden", "TRUE"),
            ("aria-hidden", "&#116;rue"),
            ("style", "display:none"),
            ("style", "color: red; DISPLAY : None !important"),
            ("style", "DISPLAY:NONE!important;display:block"),
            ("style", "display:block;display:none"),
            ("style", "display&#58;none"),
            ("style", "&#x64;isplay:none"),
            ("style", "DISPLAY&Tab;:&NewLine;none"),
            ("style", "visibility:hidden"),
            ("style", "visibility: collapse"),
            ("style", "opacity:0"),
            ("style", "opacity: 0.0;"),
            ("style", "opacity:0%"),
            ("style", "opacity:-1"),
            ("style", "opacity:&#48;"),
            ("style", "font-size:0"),
            ("style", "font-size: 0px"),
            ("style", "font-size:0em"),
            ("style", "font-size:1px"),
            ("style", "font-size:0.5PX"),
        ] {
            assert!(hides(name, value), "{name}={value}");
        }
    }

    #[test]
    fn similar_attributes_and_styles_do_not_hide() {
        for (name, value) in [
            ("aria-hidden", "false"),
            ("class", "hidden"),
            ("data-hidden", "true"),
            ("style", ""),
            ("style", "display"),
            ("style", "display:block"),
            ("style", "display:none;display:inline"),
            ("style", "display:block!important;display:none"),
            ("style", "--display:none"),
            ("style", "background:url(display:none)"),
            ("style", "opacity:0.5"),
            ("style", "opacity:.9"),
            ("style", "opacity:0;opacity:1"),
            ("style", "font-size:10px"),
            ("style", "font-size:1pt"),
            ("style", "font-size:0.9em"),
            ("style", "font-size:small"),
            ("style", "visibility:visible"),
            // Other ways of CSS are not read.
            ("style", "position:absolute;left:-9999px"),
            ("style", "color:white;background:white"),
        ] {
            assert!(!hides(name, value), "{name}={value}");
        }
    }

    #[test]
    fn descendants_can_be_visible_if_css_allows() {
        for (outer, inner, hidden) in [
            ("visibility:hidden", "visibility:visible", false),
            ("visibility:hidden", "visibility:inherit", true),
            ("visibility:hidden", "display:block", true),
            ("font-size:0", "font-size:13px", false),
            ("font-size:0", "font-size:small", false),
            ("font-size:0", "font-size:100%", true),
            ("font-size:0", "font-size:2em", true),
            ("font-size:0", "font-size:larger", true),
            ("display:none", "display:block;visibility:visible", true),
            ("opacity:0", "opacity:1", true),
        ] {
            let page = format!("<div style='{outer}'><p style='{inner}'>");
            let tree = Tree::new(&page, &Options::new());
            let mut within = Hidden::default();
            let is_ours = |node: &&Node| matches!(node.tag(), "div" | "p");
            for node in tree.nodes.iter().filter(is_ours) {
                within = within.within(node);
            }

            assert_eq!(within.is_hidden(), hidden, "{outer} / {inner}");
        }
    }
}
