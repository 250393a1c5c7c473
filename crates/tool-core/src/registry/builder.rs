//! Configuring a registry before it is used.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::{Registry, SourceError, State, ToolGroup};
#[cfg(feature = "typed")]
use crate::Contract;
use crate::approval::{Answered, Approver, LivePolicy, Policy, PolicyListener};
use crate::audit::AuditLog;
use crate::catalog::{Entry, Table, Tools};
use crate::dispatch::{Gate, Settings, Shared};
use crate::middleware::Middleware;
use crate::output_store::OutputStore;
use crate::{Clock, Extensions, OutputLimit, ProgressSink, Redactor, RegisterError, Tool};

/// Calls that run side by side unless the host says otherwise.
const PARALLEL_CALLS: usize = 16;
/// Calls that wait for their turn unless the host says otherwise.
const WAITING_CALLS: usize = 10_000;

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
    tools: Table,
    groups: Vec<ToolGroup>,
    policy: Policy,
    policy_listener: Option<PolicyListener>,
    approver: Option<Arc<dyn Approver>>,
    parallel: usize,
    waiting: usize,
    settings: Settings,
}

impl Default for RegistryBuilder {
    fn default() -> Self {
        Self {
            tools: Table::default(),
            groups: Vec::new(),
            policy: Policy::default(),
            policy_listener: None,
            approver: None,
            parallel: PARALLEL_CALLS,
            waiting: WAITING_CALLS,
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

    /// Sets who is told of each change of the policy, an approver's "always" included, with the policy that came to hold
    /// and its [generation](Registry::policy_generation): to save it, for example. It is called by whoever makes the
    /// change, must not block, and may be called by several at once: a host that saves keeps the highest generation. A
    /// panic of it goes to whoever made the change, which holds all the same; after an "always" it is logged.
    ///
    /// # Examples
    /// ```
    /// use std::sync::mpsc;
    /// use tool_core::Registry;
    /// use tool_core::approval::Policy;
    ///
    /// let (sender, receiver) = mpsc::channel();
    /// let registry = Registry::builder()
    ///     .on_policy_change(move |policy, generation| {
    ///         // Whoever receives writes the file; nobody who left is told.
    ///         let _ = sender.send((generation, policy.to_json()));
    ///     })
    ///     .build();
    /// registry.set_policy(Policy::allow_all());
    /// assert_eq!(receiver.recv(), Ok((2, Policy::allow_all().to_json())));
    /// ```
    #[must_use]
    pub fn on_policy_change(
        mut self,
        listener: impl Fn(&Policy, u64) + Send + Sync + 'static,
    ) -> Self {
        self.policy_listener = Some(Arc::new(listener));
        self
    }

    /// Sets how long an answer to a request for approval counts; without this, for ever. For answers that come later, see
    /// [`suspend_to`](crate::approval::suspend_to).
    #[must_use]
    pub fn approval_expiry(mut self, expiry: Duration) -> Self {
        self.settings.approval_expiry = Some(expiry);
        self
    }

    /// Sets how long a tool may run that has no limit of its own; 60 seconds without this.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// Sets how long a tool may say nothing that has no limit of its own; for ever without this.
    ///
    /// Progress and partial output start it again; the timeout of the whole call holds all the same.
    #[must_use]
    pub fn idle_timeout(mut self, timeout: Duration) -> Self {
        self.settings.idle_timeout = Some(timeout);
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

    /// Sets how many calls may wait for their turn; 10,000 without this. One more is refused as `rate_limited`, and
    /// none waits where this is 0.
    #[must_use]
    pub fn waiting_calls(mut self, calls: usize) -> Self {
        self.waiting = calls;
        self
    }

    /// Sets the largest argument text in bytes; 16 MB without this.
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

    /// Sets who receives the progress and the partial output of all calls.
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

    /// Sets who tells the time of day, in place of the system's clock. Durations follow tokio's clock.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.settings.clock = Some(Arc::new(clock));
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
        if let Some(existing) = self.tools.get(entry.name().as_str()) {
            let known = (existing.entry.definition(), None);
            return Err(RegisterError::taken(
                entry.name(),
                known,
                (entry.definition(), None),
            ));
        }
        self.tools.push(Arc::new(entry), None);
        Ok(self)
    }

    /// Adds a group of tools, there while its credential is. It is first looked at when the registry is built, and
    /// its tools stand behind those added one by one.
    ///
    /// # Errors
    /// [`SourceError::NameTaken`] when another group has its name.
    pub fn group(mut self, group: ToolGroup) -> Result<Self, SourceError> {
        if self.groups.iter().any(|known| known.name() == group.name()) {
            return Err(SourceError::NameTaken(group.name().to_owned()));
        }
        self.groups.push(group);
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
        let gate = Gate::new(self.parallel, self.waiting);
        let registry = Registry::from_state(State::new(
            Tools::new(self.tools, 0),
            Shared {
                policy: LivePolicy::new(self.policy, self.policy_listener),
                approver: self.approver,
                answered: Answered::default(),
                gate,
                settings: self.settings,
            },
        ));
        for group in self.groups {
            // Their names differ, and nobody else has the registry yet.
            let _ = registry.group(group);
        }
        registry
    }
}

impl fmt::Debug for RegistryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegistryBuilder")
            .field("tools", &self.tools.slots().count())
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}
