//! What a schema loses on its way to a provider.

use std::collections::HashSet;

use serde_json::Value;
use tool_core::{ConversionLoss, LossKind};

/// The losses of one tool, each once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Losses {
    tool: String,
    list: Vec<ConversionLoss>,
    impossible: Option<NoForm>,
}

/// Why a schema has no strict form.
#[derive(Debug, Clone)]
pub(crate) struct NoForm {
    pub(crate) pointer: String,
    pub(crate) keyword: String,
    pub(crate) detail: String,
}

impl Losses {
    pub(crate) fn new(tool: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            list: Vec::new(),
            impossible: None,
        }
    }

    /// Records a loss at `pointer` of the schema as it was given.
    pub(crate) fn add(
        &mut self,
        pointer: impl Into<String>,
        keyword: &str,
        action: LossKind,
        detail: impl Into<String>,
    ) {
        self.list.push(ConversionLoss::new(
            self.tool.clone(),
            pointer,
            keyword,
            action,
            detail,
        ));
    }

    /// Whether nothing was lost.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether nothing was lost but what the descriptions now say.
    pub(crate) fn only_described(&self) -> bool {
        self.list
            .iter()
            .all(|loss| loss.action == LossKind::Described)
    }

    /// Records that there is no strict form; the first reason stays.
    pub(crate) fn no_form(&mut self, pointer: impl Into<String>, keyword: &str, detail: &str) {
        self.impossible.get_or_insert_with(|| NoForm {
            pointer: pointer.into(),
            keyword: keyword.to_owned(),
            detail: detail.to_owned(),
        });
    }

    /// Why there is no strict form, if there is none.
    pub(crate) fn impossible(&self) -> Option<&NoForm> {
        self.impossible.as_ref()
    }

    /// An empty record for the same tool, for a trial whose losses may not count.
    pub(crate) fn trial(&self) -> Self {
        Self::new(&self.tool)
    }

    /// Takes over the losses of a trial.
    pub(crate) fn extend(&mut self, other: Self) {
        self.list.extend(other.list);
    }

    /// The losses, each at a place that is there in the schema as it was given.
    pub(crate) fn into_list(mut self, given: &Value) -> Vec<ConversionLoss> {
        for loss in &mut self.list {
            // Passes add keywords, too; the nearest place that was given is the one concerned.
            while given.pointer(&loss.pointer).is_none() {
                let parent = loss.pointer.rfind('/').unwrap_or_default();
                loss.pointer.truncate(parent);
            }
        }
        self.distinct()
    }

    /// The losses; a definition that was inlined in several places loses each thing once.
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
    fn a_loss_is_told_once_and_at_a_place_that_was_given() {
        let mut losses = Losses::new("f");
        for _ in 0..2 {
            losses.add("/items/maxItems", "maxItems", LossKind::Described, "2");
        }

        let list = losses.into_list(&json!({"items": {}}));

        let expected = ConversionLoss::new("f", "/items", "maxItems", LossKind::Described, "2");
        assert_eq!(list, [expected]);
    }
}
