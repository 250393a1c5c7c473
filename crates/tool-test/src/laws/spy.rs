//! Tool wrapper that counts executions and compares preparations.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use tool_core::ledger::Verified;
use tool_core::{Arguments, CallPlan, PreparedCall, Tool, ToolContext, ToolDefinition, ToolError};

use super::Broken;

/// Wrapper that counts the executions of another tool, and prepares each call twice.
#[derive(Clone)]
pub(super) struct Spy {
    tool: Arc<dyn Tool>,
    runs: Arc<AtomicUsize>,
    /// The first call whose two preparations differ.
    differs: Arc<Mutex<Option<Broken>>>,
}

impl Spy {
    pub(super) fn new(tool: Arc<dyn Tool>) -> Self {
        Self {
            tool,
            runs: Arc::default(),
            differs: Arc::default(),
        }
    }

    pub(super) fn runs(&self) -> usize {
        self.runs.load(Ordering::SeqCst)
    }

    /// Returns the broken law if a call was prepared twice and the plans differed.
    pub(super) fn differing_plans(&self) -> Option<Broken> {
        let differs = self.differs.lock();
        differs.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn compare(&self, first: &Prepared<'_>, again: &Prepared<'_>, arguments: &Arguments<'_>) {
        let (first, again) = (outcome(first), outcome(again));
        if first == again {
            return;
        }
        let detail = format!("{}: {first:?}, then {again:?}", arguments.to_value());
        let broken = Broken::new("equal arguments have equal plans", detail);
        let differs = self.differs.lock();
        let mut differs = differs.unwrap_or_else(PoisonError::into_inner);
        differs.get_or_insert(broken);
    }
}

type Prepared<'a> = Result<PreparedCall<'a>, ToolError>;

/// Returns the plan, or the text of the error.
fn outcome<'p>(prepared: &'p Prepared<'_>) -> Result<&'p CallPlan, String> {
    match prepared {
        Ok(prepared) => Ok(&prepared.plan),
        Err(error) => Err(error.report().to_model_text()),
    }
}

#[async_trait]
impl Tool for Spy {
    fn definition(&self) -> &ToolDefinition {
        self.tool.definition()
    }

    fn prepare<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let prepared = self.tool.prepare(cx, arguments);
        self.compare(&prepared, &self.tool.prepare(cx, arguments), arguments);
        Ok(prepared?.wrap(|run| async {
            self.runs.fetch_add(1, Ordering::SeqCst);
            run.await
        }))
    }

    async fn verify(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Verified {
        self.tool.verify(cx, arguments).await
    }
}
