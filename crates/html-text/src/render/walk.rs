//! Walk through the visible nodes of a tree.

use super::Renderer;
use crate::hidden::Hidden;
use crate::role::{Format, Role, role};
use crate::tree::Node;

/// Element whose content is being written.
struct Open<'t> {
    id: usize,
    role: Option<Role<'t>>,
    scope: Scope,
    /// Number of children that were visited.
    visited: usize,
}

/// What elements pass on to their content.
#[derive(Clone, Copy, Default)]
struct Scope {
    hidden: Hidden,
    format: Format,
}

impl<'t> Renderer<'t> {
    /// Writes the content of a node.
    pub(super) fn walk(&mut self, root: usize) {
        let mut open = vec![Open {
            id: root,
            role: None,
            scope: Scope::default(),
            visited: 0,
        }];
        while let Some(last) = open.last_mut() {
            let children = &self.tree.get(last.id).children;
            let next = children.get(last.visited).filter(|_| !self.is_full());
            if let Some(child) = next {
                last.visited += 1;
                let scope = last.scope;
                open.extend(self.enter(*child, scope));
            } else {
                let role = last.role;
                open.pop();
                if let Some(role) = role {
                    self.close(role);
                }
            }
        }
    }

    /// Writes a node, or opens it if it has content.
    fn enter(&mut self, id: usize, outer: Scope) -> Option<Open<'t>> {
        let node = self.tree.get(id);
        let hidden = outer.hidden.within(node);
        if hidden.is_whole() {
            return None;
        }
        let format = outer.format.within(id, node);
        match node.tag() {
            // Invisible text still takes space on the page, so its line breaks count.
            "br" => self.line_break(),
            "hr" | "img" | "input" | "frame" | "" if hidden.is_hidden() => {}
            "hr" => self.rule(),
            "img" => self.image(node.attribute("alt").unwrap_or_default(), format),
            "input" => self.input(node, format),
            "frame" => self.frame(id, node),
            _ if node.is_text() => self.text(&node.text, format),
            _ => {
                let role = role(self.tree, id);
                if let Some(role) = role {
                    self.open(role);
                }
                return Some(Open {
                    id,
                    role,
                    scope: Scope { hidden, format },
                    visited: 0,
                });
            }
        }
        None
    }

    fn input(&mut self, node: &Node, format: Format) {
        let value = |name| node.attribute(name).unwrap_or_default();
        let shown = match value("type").to_ascii_lowercase().as_str() {
            "checkbox" | "radio" if node.attribute("checked").is_some() => "[x]",
            "checkbox" | "radio" => "[ ]",
            "image" => return self.image(value("alt"), format),
            // What a person sees in these is not text.
            "hidden" | "password" | "file" | "color" | "range" => return,
            _ if value("value").is_empty() => value("placeholder"),
            _ => value("value"),
        };
        self.open(Role::Control);
        self.text(shown, format);
        self.close(Role::Control);
    }

    /// Writes a link to the page of a `<frame>`, because a page of frames has no other content.
    fn frame(&mut self, id: usize, node: &Node) {
        let Some(source) = node.attribute("src") else {
            return;
        };
        let name = node.attribute("title").or(node.attribute("name"));
        let format = Format {
            link: Some(id),
            ..Format::default()
        };
        self.open(Role::Block);
        self.text(name.unwrap_or(source), format);
        self.close(Role::Block);
    }
}
