//! `<select>` lists, of which only the visible options are kept.

use super::{Reader, value};
use crate::document::Event;
use crate::tokens::Attribute;

#[derive(Debug)]
pub(super) struct Select {
    /// Index of the first event.
    start: usize,
    shows_all: bool,
    /// Index of the first event of each option, and whether it is selected.
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

    /// Keeps only the option that a collapsed list shows: the selected one, or the first one.
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
        // The last event closes the list.
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

/// Returns the events before the first unmatched `Close`.
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
