//! Validation of the defaults in a schema.

use std::collections::HashMap;

use serde_json::{Map, Value};
use tool_json::Tape;

use super::collect::{Draft, Edge, path_of_property};
use super::filler::Filler;
use super::tree::InvalidDefault;
use crate::schema::Validator;

/// Removes the defaults that `validator` rejects from `drafts` and returns them with the reasons.
/// Starts at the deepest level, because a default may contain other defaults.
pub(super) fn check(
    drafts: &mut [Draft<'_>],
    validator: &Validator,
    schema: &Value,
) -> Vec<InvalidDefault> {
    let deepest = drafts.last().map_or(0, |draft| draft.depth);
    let mut invalid_defaults = Vec::new();
    for depth in (0..=deepest).rev() {
        let (sample, shown) = SampleArguments::of(drafts, depth);
        if shown.is_empty() {
            continue;
        }
        let sample = Tape::from(&sample);
        for rejection in validator.rejections(sample.root(), schema) {
            let Some((node, index)) = at_or_above(&rejection.pointer, &shown) else {
                continue;
            };
            let Some(draft) = drafts.get_mut(*node) else {
                continue;
            };
            let Some(member) = draft.members.get_mut(*index) else {
                continue;
            };
            let path = path_of_property(&draft.path, member.name);
            if !is_below(&rejection.evaluation_path, &path) {
                continue;
            }
            if let Some(default) = member.default.take()
                && !default.is_null()
            {
                let reason = rejection.reason;
                invalid_defaults.push(InvalidDefault { path, reason });
            }
        }
    }
    invalid_defaults
}

/// Returns the default at `pointer` or at one of its parents.
fn at_or_above<'w, T>(pointer: &str, shown: &'w HashMap<String, T>) -> Option<&'w T> {
    let mut pointer = pointer;
    loop {
        if let Some(default) = shown.get(pointer) {
            return Some(default);
        }
        pointer = pointer.rsplit_once('/')?.0;
    }
}

fn is_below(path: &str, ancestor: &str) -> bool {
    path.strip_prefix(ancestor)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Minimal arguments that contain every default of one depth.
struct SampleArguments<'f, 's> {
    drafts: &'f [Draft<'s>],
    depth: usize,
    filler: Filler<'f, 's>,
    /// Place and member of each default, by JSON pointer.
    shown: HashMap<String, (usize, usize)>,
}

impl<'f, 's> SampleArguments<'f, 's> {
    fn of(drafts: &'f [Draft<'s>], depth: usize) -> (Value, HashMap<String, (usize, usize)>) {
        let mut sample = Self {
            drafts,
            depth,
            filler: Filler::new(drafts),
            shown: HashMap::new(),
        };
        let value = sample.node(0, "").unwrap_or_default();
        (value, sample.shown)
    }

    /// Builds a value for node `at`. The depth of the nodes limits the recursion.
    fn node(&mut self, at: usize, pointer: &str) -> Option<Value> {
        let drafts = self.drafts;
        let draft = drafts.get(at)?;
        let mut members = Map::new();
        for (index, member) in draft.members.iter().enumerate() {
            let name = member.name.replace('~', "~0").replace('/', "~1");
            let pointer = format!("{pointer}/{name}");
            let value = if draft.depth == self.depth {
                let value = self.filler.filled(at, index);
                if value.is_some() {
                    self.shown.insert(pointer, (at, index));
                }
                value
            } else {
                self.descend(member.inside, &pointer)
            };
            members.extend(value.map(|value| (member.name.to_owned(), value)));
        }
        let name = unused_name(draft);
        let other = self.descend(draft.additional, &format!("{pointer}/{name}"));
        members.extend(other.map(|other| (name, other)));
        if !members.is_empty() {
            return Some(members.into());
        }
        self.items(draft, pointer)
    }

    fn items(&mut self, draft: &Draft<'_>, pointer: &str) -> Option<Value> {
        let edges = draft.leading.iter().copied().chain([draft.items]);
        let mut items = Vec::new();
        let mut is_empty = true;
        for (index, edge) in edges.enumerate() {
            let item = self.descend(edge, &format!("{pointer}/{index}"));
            is_empty &= item.is_none();
            items.push(item.unwrap_or_default());
        }
        (!is_empty).then_some(items.into())
    }

    fn descend(&mut self, edge: Option<Edge>, pointer: &str) -> Option<Value> {
        let edge = edge.filter(|edge| edge.is_first)?;
        self.node(edge.node, pointer)
    }
}

/// Returns a name that differs from all properties.
fn unused_name(draft: &Draft<'_>) -> String {
    let lengths = draft.members.iter().map(|member| member.name.len());
    "x".repeat(lengths.max().unwrap_or_default() + 1)
}
