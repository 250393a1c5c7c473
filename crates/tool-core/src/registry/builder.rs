//! Configuring a registry before it is used.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::{Entry, RegisterError, Registry, Shared, Tools};
#[cfg(feature = "typed")]
use crate::Contract;
use crate::approval::{Approver, Policy};
use crate::audit::AuditLog;
use crate::dispatch::{Gate, Settings};
use crate::middleware::Middleware;
use crate::output_store::OutputStore;
use crate::{Extensions, OutputLimit, ProgressSink, Redactor, Tool, ToolName};

/// Calls that run side by side unless the host says otherwise.
const PARALLEL_CALLS: usize = 16;

/// Configures a registry: policy, approver, limits, middleware and the first tools.
///
/// The steps of a call keep their order; here they get their settings.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use tool_core::approval::Policy;
/// use tool_core::{OutputLimit, Registry};
///
/// let registry = Registry::builder()
///     .policy(Policy::default())
///     .timeout(Duration::from_secs(60))
///     .output_limit(OutputLimit::bytes(64 * 1024))
///     .build();
/// ```
pub struct RegistryBuilder {
    tools: Vec<Arc<Entry>>,
    names: HashMap<ToolName, usize>,
    policy: Policy,
    approver: Option<Arc<dyn Approver>>,
    parallel: usize,
    settings: Settings,
}

impl Default for RegistryBuilder {
    fn default() -> Self {
        Self {
            tools: Vec::new(),
            names: HashMap::new(),
            policy: Policy::default(),
            approver: None,
            parallel: PARALLEL_CALLS,
            settings: Settings::default(),
        }
    }
}

impl RegistryBuilder {
    /// Sets the policy. Without one, reading and safe writing is allowed and what is dangerous asks.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Sets who decides when the policy asks. Without one, what would ask is denied.
    #[must_use]
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.approver = Some(Arc::new(approver));
        self
    }

    /// Sets how long a tool may run that has no limit of its own; 60 seconds without this.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// Sets how much text of one call the model is shown; 100 KB without this.
    #[must_use]
    pub fn output_limit(mut self, limit: OutputLimit) -> Self {
        self.settings.output_limit = limit;
        self
    }

    /// Sets how much text the results of one batch show together; without this only each call has a limit.
    ///
    /// Small results stay whole, large ones share the rest. See [`Registry::execute_many`].
    #[must_use]
    pub fn batch_limit(mut self, limit: OutputLimit) -> Self {
        self.settings.batch_limit = Some(limit);
        self
    }

    /// Sets how much text the model is shown of one tool, in place of its own limit and the registry's.
    #[must_use]
    pub fn output_limit_of(mut self, tool: impl Into<String>, limit: OutputLimit) -> Self {
        self.settings.output_limits.insert(tool.into(), limit);
        self
    }

    /// Sets where the whole of an output is kept that is over its limit. Without this it is lost, but for its data.
    ///
    /// Register `ReadStoredOutput` over the same store, and the model is told how to read on.
    #[must_use]
    pub fn output_store(mut self, store: Arc<dyn OutputStore>) -> Self {
        self.settings.output_store = Some(store);
        self
    }

    /// Sets where every call is recorded, before and after it runs. A dangerous call that cannot be recorded does not
    /// run; for others a warning is added to the result.
    #[must_use]
    pub fn audit(mut self, log: impl AuditLog + 'static) -> Self {
        self.settings.audit = Some(Arc::new(log));
        self
    }

    /// Sets which secrets are taken out of every output, log and record.
    #[must_use]
    pub fn redactor(mut self, redactor: Redactor) -> Self {
        self.settings.redactor = Some(Arc::new(redactor));
        self
    }

    /// Sets how many calls may run side by side; 16 without this, and never less than one.
    #[must_use]
    pub fn parallel_calls(mut self, calls: usize) -> Self {
        self.parallel = calls.max(1);
        self
    }

    /// Sets the largest argument text in bytes; 4 MB without this.
    #[must_use]
    pub fn argument_limit(mut self, bytes: usize) -> Self {
        self.settings.argument_bytes = bytes;
        self
    }

    /// Says whether values are made to fit their types where nothing is lost; they are without this.
    #[must_use]
    pub fn coercion(mut self, on: bool) -> Self {
        self.settings.coercion = on;
        self
    }

    /// Sets who receives the progress of all calls.
    #[must_use]
    pub fn progress(mut self, sink: Arc<dyn ProgressSink>) -> Self {
        self.settings.progress = Some(sink);
        self
    }

    /// Sets the host's values for its tools.
    #[must_use]
    pub fn extensions(mut self, extensions: Extensions) -> Self {
        self.settings.extensions = Some(Arc::new(extensions));
        self
    }

    /// Wraps the run of every tool; the first one given is the outermost.
    #[must_use]
    pub fn middleware(mut self, middleware: impl Middleware + 'static) -> Self {
        self.settings.middleware.push(Arc::new(middleware));
        self
    }

    /// Adds a tool.
    ///
    /// # Errors
    /// [`RegisterError`] when the tool cannot be registered.
    pub fn tool(mut self, tool: impl Tool + 'static) -> Result<Self, RegisterError> {
        let entry = Entry::new(Arc::new(tool))?;
        if let Some(existing) = self
            .names
            .get(entry.name())
            .and_then(|place| self.tools.get(*place))
        {
            return Err(RegisterError::taken(existing));
        }
        self.names.insert(entry.name().clone(), self.tools.len());
        self.tools.push(Arc::new(entry));
        Ok(self)
    }

    /// Adds all tools of a contract.
    ///
    /// # Errors
    /// [`RegisterError`] when one of them cannot be registered.
    #[cfg(feature = "typed")]
    pub fn contract(self, contract: &Contract) -> Result<Self, RegisterError> {
        contract.tools().iter().cloned().try_fold(self, Self::tool)
    }

    /// Creates the registry.
    #[must_use]
    pub fn build(self) -> Registry {
        let gate = Gate::new(self.parallel);
        Registry::from_shared(Shared::new(
            Tools::of(self.tools),
            self.policy,
            self.approver,
            gate,
            self.settings,
        ))
    }
}

impl fmt::Debug for RegistryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegistryBuilder")
            .field("tools", &self.tools.len())
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}
