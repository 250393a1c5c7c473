//! Compilation of the defaults in a schema.

use serde_json::Value;
use tool_json::Tape;

use super::check::check;
use super::collect::{Draft, Edge, collect, has_defaults};
use super::filler::Filler;
use super::tree::{AdditionalProperties, Defaults, InvalidDefault, Member, SchemaNode};
use crate::schema::Validator;

impl Defaults {
    /// Compiles the defaults of `schema`; `None` if calls cannot get any.
    ///
    /// A default that its own schema rejects is omitted and reported, so that defaults never
    /// invalidate a call. A rejected null means "no default" and is omitted silently.
    pub(crate) fn compile(
        schema: &Value,
        validator: &Validator,
    ) -> (Option<Self>, Vec<InvalidDefault>) {
        if !has_defaults(schema) {
            return (None, Vec::new());
        }
        let mut drafts = collect(schema);
        let invalid_defaults = check(&mut drafts, validator, schema);
        (Self::of_drafts(&drafts), invalid_defaults)
    }

    fn of_drafts(drafts: &[Draft<'_>]) -> Option<Self> {
        let is_useful = useful(drafts);
        if !*is_useful.first()? {
            return None;
        }
        let mut filler = Filler::new(drafts);
        let kept = |edge: Option<Edge>| {
            let node = edge?.node;
            is_useful.get(node)?.then_some(node)
        };
        let nodes = drafts.iter().enumerate().map(|(at, draft)| SchemaNode {
            members: draft
                .members
                .iter()
                .enumerate()
                .map(|(index, member)| Member {
                    name: member.name.to_owned(),
                    default: filler
                        .filled(at, index)
                        .map(|value| Tape::from(&value).into_owned()),
                    inside: kept(member.inside),
                })
                .filter(|member| member.default.is_some() || member.inside.is_some())
                .collect(),
            leading: draft.leading.iter().map(|edge| kept(*edge)).collect(),
            items: kept(draft.items),
            additional: kept(draft.additional).map(|inside| AdditionalProperties {
                properties: draft
                    .members
                    .iter()
                    .map(|member| member.name.to_owned())
                    .collect(),
                inside,
            }),
        });
        Some(Self {
            nodes: nodes.collect(),
        })
    }
}

/// Returns for each node whether it leads to a default.
fn useful(drafts: &[Draft<'_>]) -> Vec<bool> {
    let mut reached_from = vec![Vec::new(); drafts.len()];
    let mut is_useful = vec![false; drafts.len()];
    let mut found = Vec::new();
    for (node, draft) in drafts.iter().enumerate() {
        for edge in draft.edges() {
            if let Some(sources) = reached_from.get_mut(edge.node) {
                sources.push(node);
            }
        }
        if draft.members.iter().any(|member| member.default.is_some()) {
            found.push(node);
        }
    }
    while let Some(node) = found.pop() {
        match is_useful.get_mut(node) {
            Some(known) if !*known => *known = true,
            _ => continue,
        }
        found.extend(reached_from.get(node).into_iter().flatten());
    }
    is_useful
}
