//! Losses of a schema conversion.

use std::collections::HashSet;

use serde_json::Value;
use tool_core::{ConversionLoss, LossKind};

use super::origin::pointer_of;
use crate::Object;

/// Losses of one tool.
#[derive(Debug, Clone, Default)]
pub(crate) struct Losses {
    tool: String,
    list: Vec<ConversionLoss>,
    not_strict: Option<NotStrict>,
}

/// Reason why a schema has no strict form.
#[derive(Debug, Clone)]
pub(crate) struct NotStrict {
    pub(crate) pointer: String,
    pub(crate) keyword: String,
    pub(crate) detail: String,
}

impl Losses {
    pub(crate) fn new(tool: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            list: Vec::new(),
            not_strict: None,
        }
    }

    /// Records a loss at `pointer` in the original schema.
    pub(crate) fn add(
        &mut self,
        pointer: impl Into<String>,
        keyword: &str,
        action: LossKind,
        detail: impl Into<String>,
    ) {
        let loss = ConversionLoss::new(self.tool.clone(), pointer, keyword, action, detail);
        self.list.push(loss);
    }

    /// Records a change of a keyword of `object`.
    pub(crate) fn add_at(
        &mut self,
        object: &Object,
        keyword: &str,
        action: LossKind,
        detail: impl Into<String>,
    ) {
        self.add(pointer_of(object, keyword), keyword, action, detail);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns `true` if the only losses are rules moved to descriptions.
    pub(crate) fn only_described(&self) -> bool {
        self.list
            .iter()
            .all(|loss| loss.action == LossKind::Described)
    }

    /// Records that there is no strict form. Only the first reason is kept.
    pub(crate) fn record_not_strict(
        &mut self,
        pointer: impl Into<String>,
        keyword: &str,
        detail: &str,
    ) {
        // One reason is enough for the caller, and the first pass is the closest to the cause.
        self.not_strict.get_or_insert_with(|| NotStrict {
            pointer: pointer.into(),
            keyword: keyword.to_owned(),
            detail: detail.to_owned(),
        });
    }

    /// Returns the reason why there is no strict form, if one was recorded.
    pub(crate) fn not_strict(&self) -> Option<&NotStrict> {
        self.not_strict.as_ref()
    }

    /// Creates an empty record for the same tool, for a conversion that may be discarded.
    pub(crate) fn trial(&self) -> Self {
        Self::new(&self.tool)
    }

    /// Adds the losses of a trial.
    pub(crate) fn extend(&mut self, other: Self) {
        self.list.extend(other.list);
    }

    /// Returns the losses without duplicates, each with a pointer that exists in the original
    /// schema.
    pub(crate) fn into_list(mut self, given: &Value) -> Vec<ConversionLoss> {
        for loss in &mut self.list {
            // Passes may add keywords, so use the nearest ancestor in the original schema.
            while given.pointer(&loss.pointer).is_none() {
                let parent = loss.pointer.rfind('/').unwrap_or_default();
                loss.pointer.truncate(parent);
            }
        }
        self.distinct()
    }

    /// Returns the losses without the duplicates of definitions that are inlined in several places.
    pub(crate) fn distinct(self) -> Vec<ConversionLoss> {
        let mut seen = HashSet::new();
        self.list
            .into_iter()
            .filter(|loss| {
                let same = (loss.pointer.clone(), loss.keyword.clone(), loss.action);
                seen.insert(same)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reports_loss_once_at_existing_pointer() {
        let mut losses = Losses::new("f");
        for _ in 0..2 {
            losses.add("/items/maxItems", "maxItems", LossKind::Described, "2");
        }

        let list = losses.into_list(&json!({"items": {}}));

        let expected = ConversionLoss::new("f", "/items", "maxItems", LossKind::Described, "2");
        assert_eq!(list, [expected]);
    }
}
