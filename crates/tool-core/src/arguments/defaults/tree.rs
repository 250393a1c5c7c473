//! The defaults of one schema, ready to be lent to calls.

use std::collections::HashSet;

use serde_json::Value;

use super::check::check;
use super::collect::{Draft, Edge, collect, has_defaults};
use super::fill::Filler;
use crate::json::tape::Tape;
use crate::schema::Validator;

/// The defaults of one schema, as far as they fit it.
#[derive(Debug)]
pub(crate) struct Defaults {
    /// The first one is that of the arguments themselves.
    pub(super) places: Vec<Place>,
}

/// Where members may lack, or items in which members may lack.
#[derive(Debug, Default)]
pub(super) struct Place {
    pub(super) members: Vec<Member>,
    /// What is inside the first items, where these have schemas of their own.
    pub(super) leading: Vec<Option<usize>>,
    /// What is inside the other items.
    pub(super) items: Option<usize>,
    /// What is inside members that are not among the properties.
    pub(super) others: Option<Others>,
}

/// A property that has a default, or defaults inside it.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) default: Option<Tape<'static>>,
    pub(super) inside: Option<usize>,
}

/// The members that are not among the properties.
#[derive(Debug)]
pub(super) struct Others {
    pub(super) properties: HashSet<String>,
    pub(super) inside: usize,
}

/// A default that its own schema refuses.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Misfit {
    /// Where the property is in the schema, references followed.
    pub(crate) path: String,
    /// Why it does not fit.
    pub(crate) reason: String,
}

impl Defaults {
    /// Finds the defaults of `schema`; `None` where calls need not look for any.
    ///
    /// A default that its own schema refuses is left out and told, so that filling makes no valid call invalid. A null
    /// that is refused says that there is no default, and is left out without a word.
    pub(crate) fn compile(schema: &Value, validator: &Validator) -> (Option<Self>, Vec<Misfit>) {
        if !has_defaults(schema) {
            return (None, Vec::new());
        }
        let mut drafts = collect(schema);
        let misfits = check(&mut drafts, validator, schema);
        (Self::of_drafts(&drafts), misfits)
    }

    fn of_drafts(drafts: &[Draft<'_>]) -> Option<Self> {
        let is_useful = useful(drafts);
        if !*is_useful.first()? {
            return None;
        }
        let mut filler = Filler::new(drafts);
        let kept = |edge: Option<Edge>| {
            let place = edge?.place;
            is_useful.get(place)?.then_some(place)
        };
        let places = drafts.iter().enumerate().map(|(at, draft)| Place {
            members: draft
                .members
                .iter()
                .enumerate()
                .map(|(index, member)| Member {
                    name: member.name.to_owned(),
                    default: filler
                        .filled(at, index)
                        .map(|value| Tape::of_owned_value(&value)),
                    inside: kept(member.inside),
                })
                .filter(|member| member.default.is_some() || member.inside.is_some())
                .collect(),
            leading: draft.leading.iter().map(|edge| kept(*edge)).collect(),
            items: kept(draft.items),
            others: kept(draft.others).map(|inside| Others {
                properties: draft
                    .members
                    .iter()
                    .map(|member| member.name.to_owned())
                    .collect(),
                inside,
            }),
        });
        Some(Self {
            places: places.collect(),
        })
    }
}

/// Of each place, whether a default can be reached from it.
fn useful(drafts: &[Draft<'_>]) -> Vec<bool> {
    let mut reached_from = vec![Vec::new(); drafts.len()];
    let mut is_useful = vec![false; drafts.len()];
    let mut found = Vec::new();
    for (place, draft) in drafts.iter().enumerate() {
        for edge in draft.edges() {
            if let Some(sources) = reached_from.get_mut(edge.place) {
                sources.push(place);
            }
        }
        if draft.members.iter().any(|member| member.default.is_some()) {
            found.push(place);
        }
    }
    while let Some(place) = found.pop() {
        match is_useful.get_mut(place) {
            Some(known) if !*known => *known = true,
            _ => continue,
        }
        found.extend(reached_from.get(place).into_iter().flatten());
    }
    is_useful
}
