//! The tools that a registry or snapshot shows.

use std::collections::BTreeSet;
use std::sync::Arc;

use arc_swap::ArcSwapOption;

use crate::RiskLevel;
use crate::catalog::{Slot, Tools};

/// The tools that a registry shows.
#[derive(Clone)]
pub(super) enum Visible {
    /// All tools of the base.
    Base,
    Narrowed(Arc<Narrowed>),
    Pinned(Arc<Tools>),
}

impl Visible {
    /// Returns the shown tools of `base`.
    pub(super) fn tools(&self, base: Arc<Tools>) -> Arc<Tools> {
        match self {
            Self::Base => base,
            Self::Narrowed(narrowed) => narrowed.tools(base),
            Self::Pinned(tools) => Arc::clone(tools),
        }
    }

    /// Returns fewer of these tools.
    pub(super) fn narrowed(&self, keep: Keep) -> Self {
        Self::Narrowed(Arc::new(Narrowed {
            below: self.clone(),
            keep,
            current: ArcSwapOption::empty(),
        }))
    }
}

/// Which tools stay.
pub(super) enum Keep {
    Only(BTreeSet<String>),
    Without(BTreeSet<String>),
    MaxRisk(RiskLevel),
}

/// Fewer tools of those below.
pub(super) struct Narrowed {
    below: Visible,
    keep: Keep,
    /// The tools below that were narrowed last, and what is left of them.
    current: ArcSwapOption<(Arc<Tools>, Arc<Tools>)>,
}

impl Narrowed {
    fn tools(&self, base: Arc<Tools>) -> Arc<Tools> {
        let below = self.below.tools(base);
        if let Some(current) = &*self.current.load()
            && Arc::ptr_eq(&current.0, &below)
        {
            return Arc::clone(&current.1);
        }
        let mut table = below.table().clone();
        for slot in below.ordered().iter().filter(|slot| !self.keeps(slot)) {
            table.remove(slot.entry.name().as_str());
        }
        let left = Arc::new(Tools::new(table, below.generation()));
        self.current
            .store(Some(Arc::new((below, Arc::clone(&left)))));
        left
    }

    fn keeps(&self, slot: &Slot) -> bool {
        let name = slot.entry.name().as_str();
        match &self.keep {
            Keep::Only(names) => names.contains(name),
            Keep::Without(names) => !names.contains(name),
            Keep::MaxRisk(most) => slot.entry.definition().risk() <= *most,
        }
    }
}
