//! Insertion of missing defaults into other defaults.

use serde_json::Value;

use super::collect::Draft;

/// Maximum number of bytes of JSON, including keys, added to the defaults of one schema.
const MAX_BYTES: usize = 1 << 16;
/// Maximum nesting of defaults inside defaults.
const MAX_NESTED: usize = 8;

/// Completes the defaults of a schema with defaults of their missing members.
pub(super) struct Filler<'f, 's> {
    drafts: &'f [Draft<'s>],
    /// Defaults that are being completed; a default must not contain itself.
    enclosing: Vec<(usize, usize)>,
    bytes_left: usize,
}

impl<'f, 's> Filler<'f, 's> {
    pub(super) fn new(drafts: &'f [Draft<'s>]) -> Self {
        Self {
            drafts,
            enclosing: Vec::new(),
            bytes_left: MAX_BYTES,
        }
    }

    /// Returns the default of member `index` of node `at`, including nested defaults.
    pub(super) fn filled(&mut self, at: usize, index: usize) -> Option<Value> {
        let member = self.drafts.get(at)?.members.get(index)?;
        let mut value = member.default?.clone();
        if let Some(inside) = member.inside {
            self.enclosing.push((at, index));
            self.fill(&mut value, inside.node);
            self.enclosing.pop();
        }
        Some(value)
    }

    fn fill(&mut self, value: &mut Value, at: usize) {
        let drafts = self.drafts;
        let Some(draft) = drafts.get(at) else { return };
        match value {
            Value::Object(members) => {
                for (index, property) in draft.members.iter().enumerate() {
                    match (members.get_mut(property.name), property.inside) {
                        (Some(member), Some(inside)) => self.fill(member, inside.node),
                        (None, _) => {
                            if let Some(default) = self.inner(at, index) {
                                members.insert(property.name.to_owned(), default);
                            }
                        }
                        _ => {}
                    }
                }
                if let Some(additional) = draft.additional {
                    for (name, member) in members {
                        if !draft.knows(name) {
                            self.fill(member, additional.node);
                        }
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    let own = draft.leading.get(index).copied();
                    if let Some(inside) = own.unwrap_or(draft.items) {
                        self.fill(item, inside.node);
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns the default of a missing member inside a default.
    fn inner(&mut self, at: usize, index: usize) -> Option<Value> {
        let member = self.drafts.get(at)?.members.get(index)?;
        let bytes = member.name.len() + member.default?.to_string().len();
        if self.enclosing.len() == MAX_NESTED
            || self.enclosing.contains(&(at, index))
            || bytes > self.bytes_left
        {
            return None;
        }
        self.bytes_left -= bytes;
        self.filled(at, index)
    }
}
