//! What a schema loses on its way to a provider.

use tool_core::{Loss, LossAction};

/// The losses of one tool, each once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Losses {
    tool: String,
    list: Vec<Loss>,
}

impl Losses {
    pub(crate) fn new(tool: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            list: Vec::new(),
        }
    }

    /// Records a loss at `pointer` of the schema as it was given.
    pub(crate) fn add(
        &mut self,
        pointer: impl Into<String>,
        keyword: &str,
        action: LossAction,
        detail: impl Into<String>,
    ) {
        self.list.push(Loss::new(
            self.tool.clone(),
            pointer,
            keyword,
            action,
            detail,
        ));
    }

    /// Whether nothing was lost but what the descriptions now say.
    pub(crate) fn only_described(&self) -> bool {
        self.list
            .iter()
            .all(|loss| loss.action == LossAction::Described)
    }

    /// An empty record for the same tool, for a trial whose losses may not count.
    pub(crate) fn trial(&self) -> Self {
        Self::new(&self.tool)
    }

    /// Takes over the losses of a trial.
    pub(crate) fn extend(&mut self, other: Self) {
        self.list.extend(other.list);
    }

    /// The losses; a definition that was inlined in several places loses each thing once.
    pub(crate) fn into_list(self) -> Vec<Loss> {
        let mut seen = std::collections::HashSet::new();
        self.list
            .into_iter()
            .filter(|loss| {
                seen.insert((
                    loss.pointer.clone(),
                    loss.keyword.clone(),
                    format!("{:?}", loss.action),
                ))
            })
            .collect()
    }
}
