//! Lists to choose from: what is chosen is seen, the rest is not.

use super::{Reader, value};
use crate::html::document::Event;
use crate::html::tokens::Attribute;

/// A `<select>` that is open.
#[derive(Debug)]
pub(super) struct Select {
    /// Where it opened, among the events.
    start: usize,
    shows_all: bool,
    /// Where its options begin, and whether they are chosen.
    options: Vec<(usize, bool)>,
}

impl<'a> Reader<'a> {
    pub(super) fn open_select(&mut self, attributes: &[Attribute<'a>]) {
        let size = value(attributes, "size").and_then(|size| size.trim().parse::<u32>().ok());
        self.select = Some(Select {
            start: self.document.events.len() + 1,
            shows_all: value(attributes, "multiple").is_some() || size.is_some_and(|size| size > 1),
            options: Vec::new(),
        });
    }

    pub(super) fn open_option(&mut self, attributes: &[Attribute<'a>]) {
        let place = self.document.events.len();
        if let Some(select) = &mut self.select {
            let is_chosen = value(attributes, "selected").is_some();
            select.options.push((place, is_chosen));
        }
    }

    /// Leaves what is seen when a list is not unfolded: the chosen option, else the first one.
    pub(super) fn close_select(&mut self) {
        let Some(select) = self.select.take().filter(|select| !select.shows_all) else {
            return;
        };
        let chosen = select
            .options
            .iter()
            .rposition(|(_, is_chosen)| *is_chosen)
            .unwrap_or_default();
        let Some((from, _)) = select.options.get(chosen).copied() else {
            return;
        };
        // The event that closes the list is the last one.
        let end = self.document.events.len().saturating_sub(1);
        let to = select
            .options
            .get(chosen + 1)
            .map_or(end, |(next, _)| *next);
        let kept = self
            .document
            .events
            .get(from..to)
            .unwrap_or_default()
            .to_vec();
        let closing = self.document.events.get(end..).unwrap_or_default().to_vec();
        self.document.events.truncate(select.start);
        self.document.events.extend(balanced(kept));
        self.document.events.extend(closing);
    }
}

/// The events up to the first end of something that did not begin among them.
fn balanced(mut events: Vec<Event<'_>>) -> Vec<Event<'_>> {
    let mut depth = 0_usize;
    let end = events.iter().position(|event| match event {
        Event::Open(_) => {
            depth += 1;
            false
        }
        Event::Close if depth == 0 => true,
        Event::Close => {
            depth -= 1;
            false
        }
        _ => false,
    });
    events.truncate(end.unwrap_or(events.len()));
    events
}
