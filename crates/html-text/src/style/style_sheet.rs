//! Style sheets of a page: rules with simple selectors that affect visibility.

use std::collections::HashMap;

use super::declarations::{declarations, normalize};
use super::effects::{Effects, Weight};
use super::rules::Rules;
use crate::tag::Tag;

/// Maximum number of bytes of all style sheets of a page.
pub(crate) const MAX_BYTES: usize = 1024 * 1024;

/// Maximum number of selectors.
const MAX_SELECTORS: usize = 4096;

/// Maximum number of selectors with the same first class or id.
const MAX_SELECTORS_PER_NAME: usize = 8;

/// Maximum number of classes of a selector or an element.
const MAX_CLASSES: usize = 16;

/// Maximum nesting depth of `@media` and `@layer`.
const MAX_DEPTH: usize = 4;

/// Rules whose selectors consist of classes and ids, with or without the name of an element. Names
/// are compared without case, as in pages without a document type.
#[derive(Debug, Default)]
pub(crate) struct StyleSheet {
    /// Styles by the first class, as `.name`, or by the id, as `#name`.
    styles: HashMap<String, Vec<(Selector, Effects)>>,
    selectors: usize,
    rules: u32,
}

impl StyleSheet {
    /// Returns whether no rule affects visibility.
    pub(crate) fn is_empty(&self) -> bool {
        self.selectors == 0
    }

    /// Adds the rules of a `<style>` element.
    pub(crate) fn add(&mut self, css: &str) {
        self.add_nested(css, 0);
    }

    fn add_nested(&mut self, css: &str, depth: usize) {
        for (prelude, block) in Rules::of(css) {
            let prelude = normalize(prelude);
            let prelude = prelude.trim_ascii().trim_start_matches("<!--");
            let prelude = prelude.trim_start_matches("-->").trim_ascii();
            if !prelude.starts_with('@') {
                self.add_rule(prelude, block);
            } else if applies(prelude) && depth < MAX_DEPTH {
                self.add_nested(block, depth + 1);
            }
        }
    }

    fn add_rule(&mut self, selectors: &str, block: &str) {
        self.rules = self.rules.saturating_add(1);
        let block = normalize(block);
        let mut effects = Effects::default();
        for declaration in declarations(&block) {
            effects.apply(&declaration, Weight::of_rule(self.rules));
        }
        if effects.is_empty() {
            return;
        }
        for selector in selectors.split(',') {
            if let Some(selector) = Selector::parse(selector.trim_ascii()) {
                let effects = effects.with_specificity(selector.specificity());
                self.add_effects(selector, effects);
            }
        }
    }

    fn add_effects(&mut self, selector: Selector, effects: Effects) {
        let Some(key) = selector.key() else { return };
        let styles = self.styles.entry(key).or_default();
        if let Some((_, known)) = styles.iter_mut().find(|(known, _)| *known == selector) {
            known.merge(&effects);
        } else if self.selectors < MAX_SELECTORS && styles.len() < MAX_SELECTORS_PER_NAME {
            styles.push((selector, effects));
            self.selectors += 1;
        }
    }

    /// Returns the effects on an element with these attribute values.
    pub(crate) fn effects(&self, tag: Tag, id: &str, classes: &str) -> Effects {
        let classes: Vec<String> = classes
            .split_ascii_whitespace()
            .take(MAX_CLASSES)
            .map(|class| format!(".{}", class.to_ascii_lowercase()))
            .collect();
        let id = format!("#{}", id.to_ascii_lowercase());
        let mut effects = Effects::default();
        for name in classes.iter().chain([&id]) {
            let styles = self.styles.get(name).into_iter().flatten();
            for (_, own) in styles.filter(|(selector, _)| selector.matches(tag, &id, &classes)) {
                effects.merge(own);
            }
        }
        effects
    }
}

/// Returns whether the rules in an at-rule apply on screens of any size.
fn applies(prelude: &str) -> bool {
    let prelude = prelude.to_ascii_lowercase();
    let (name, query) = prelude
        .split_once(|letter: char| letter.is_ascii_whitespace())
        .unwrap_or((&prelude, ""));
    match name {
        "@layer" => true,
        "@media" => applies_to_screen(query),
        _ => false,
    }
}

/// Returns whether a media query applies on screens of any size.
pub(crate) fn applies_to_screen(query: &str) -> bool {
    let mut queries = query.split(',').map(str::trim_ascii);
    queries.any(|query| {
        let known = ["", "all", "screen", "only screen", "only all"];
        known.iter().any(|known| known.eq_ignore_ascii_case(query))
    })
}

/// Selector without combinators: classes and ids, in lowercase and with their `.` or `#`.
#[derive(Debug, PartialEq, Eq)]
struct Selector {
    tag: Option<Tag>,
    names: Vec<String>,
}

impl Selector {
    fn parse(text: &str) -> Option<Self> {
        let is_name = |letter: char| {
            letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_') || !letter.is_ascii()
        };
        let start = text.find(['.', '#'])?;
        let (element, names) = text.split_at_checked(start)?;
        let tag = match element {
            "" | "*" => None,
            name if name.chars().all(is_name) => Some(Tag::of(name)),
            _ => return None,
        };
        let mut parsed = Vec::new();
        let mut rest = names;
        while let Some(sign) = rest.get(..1).filter(|sign| matches!(*sign, "." | "#")) {
            let behind = rest.get(1..)?;
            let length = behind
                .find(|letter| !is_name(letter))
                .unwrap_or(behind.len());
            let (name, behind) = behind.split_at_checked(length)?;
            if name.is_empty() || parsed.len() == MAX_CLASSES {
                return None;
            }
            parsed.push(format!("{sign}{}", name.to_ascii_lowercase()));
            rest = behind;
        }
        // The order of names does not matter.
        parsed.sort();
        parsed.dedup();
        rest.is_empty().then_some(Self { tag, names: parsed })
    }

    /// Returns the name by which the selector is found: a class, because few elements have ids.
    fn key(&self) -> Option<String> {
        let class = self.names.iter().find(|name| name.starts_with('.'));
        class.or(self.names.first()).cloned()
    }

    fn specificity(&self) -> u16 {
        let ids = self.names.iter().filter(|name| name.starts_with('#'));
        let ids = u16::try_from(ids.count()).unwrap_or(u16::MAX);
        let names = u16::try_from(self.names.len()).unwrap_or(u16::MAX);
        // At most 16 names, so that no field overflows.
        ids * 0x400 + (names - ids) * 0x10 + u16::from(self.tag.is_some())
    }

    fn matches(&self, tag: Tag, id: &str, classes: &[String]) -> bool {
        let mut names = self.names.iter();
        self.tag.is_none_or(|own| own == tag)
            && names.all(|name| *name == id || classes.contains(name))
    }
}

#[cfg(test)]
mod tests;
