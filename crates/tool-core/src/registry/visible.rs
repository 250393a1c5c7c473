//! The tools that a registry, view or snapshot shows.

use std::sync::Arc;

#[cfg(feature = "typed")]
use arc_swap::ArcSwap;

#[cfg(feature = "typed")]
use super::view::{Condition, Conditions, Derived, MatchedNames, Operation};
use crate::Extensions;
use crate::catalog::Tools;

/// The tools that a registry shows.
#[derive(Clone)]
pub(super) enum Visible {
    /// All tools of the base.
    Base,
    #[cfg(feature = "typed")]
    View(Arc<View>),
    Pinned(Arc<Tools>),
}

impl Visible {
    /// Returns the shown tools of `base`. Conditions of views are evaluated with `host`.
    pub(super) fn tools(&self, base: Arc<Tools>, host: &Extensions) -> Arc<Tools> {
        let _ = host;
        match self {
            Self::Base => base,
            #[cfg(feature = "typed")]
            Self::View(view) => view.tools(base, host),
            Self::Pinned(tools) => Arc::clone(tools),
        }
    }

    /// Returns the shown tools of `base` as if all conditions were satisfied.
    #[cfg(feature = "typed")]
    pub(super) fn all_tools(&self, base: Arc<Tools>) -> Arc<Tools> {
        match self {
            Self::Base => base,
            Self::View(view) => view.tools_under(view.below.all_tools(base), Conditions::ALL),
            Self::Pinned(tools) => Arc::clone(tools),
        }
    }
}

/// Maximum number of cached derivations, one for each set of satisfied conditions.
#[cfg(feature = "typed")]
const MAX_DERIVED: usize = 16;

/// The steps of a view, with their cached results.
#[cfg(feature = "typed")]
pub(super) struct View {
    pub(super) below: Visible,
    pub(super) operations: Vec<Operation>,
    pub(super) conditions: Vec<Arc<Condition>>,
    pub(super) derived: ArcSwap<Vec<Arc<Derived>>>,
}

#[cfg(feature = "typed")]
impl View {
    fn tools(&self, base: Arc<Tools>, host: &Extensions) -> Arc<Tools> {
        let conditions = Conditions::evaluate(&self.conditions, host);
        self.tools_under(self.below.tools(base, host), conditions)
    }

    fn tools_under(&self, base: Arc<Tools>, conditions: Conditions) -> Arc<Tools> {
        let known = self.derived.load();
        let mut current = known.iter();
        match current.find(|derived| derived.is_of(&base, conditions)) {
            Some(derived) => Arc::clone(derived.tools()),
            None => self.derive(base, conditions, &known),
        }
    }

    fn derive(
        &self,
        base: Arc<Tools>,
        conditions: Conditions,
        known: &[Arc<Derived>],
    ) -> Arc<Tools> {
        let before = known.iter().find(|derived| derived.is_under(conditions));
        let before = before.map(AsRef::as_ref);
        let operations = &self.operations;
        let (derived, problems) = Derived::new(
            operations,
            base,
            conditions,
            before,
            &mut MatchedNames::new(),
        );
        for problem in &problems {
            tracing::warn!(%problem, "a view omits a tool");
        }
        let derived = Arc::new(derived);
        self.derived.rcu(|known| {
            let current = known
                .iter()
                .filter(|one| one.generation() >= derived.generation());
            let newest_first = [&derived].into_iter().chain(current);
            newest_first.take(MAX_DERIVED).cloned().collect::<Vec<_>>()
        });
        Arc::clone(derived.tools())
    }
}
