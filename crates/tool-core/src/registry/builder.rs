//! Builder of registries.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::sync::watch;

use super::{Base, Registry, Visible};
use crate::approval::{Approver, DecidedRequests, LivePolicy, Policy, PolicyListener};
use crate::audit::AuditLog;
use crate::catalog::{Entry, Table, Tools};
use crate::dispatch::{Gate, Settings, Shared};
use crate::ledger::{Ledger, StoredArguments};
use crate::middleware::Middleware;
use crate::output_store::OutputStore;
use crate::{Clock, Extensions, OutputLimit, ProgressSink, Redactor, RegisterError, Tool, Toolset};

/// Default maximum of concurrent calls.
const PARALLEL_CALLS: usize = 16;
/// Default maximum of queued calls.
const WAITING_CALLS: usize = 10_000;

/// Builder of a registry: policy, approver, limits, middleware and initial tools.
///
/// It configures the steps of a call; their order is fixed.
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
#[must_use]
pub struct RegistryBuilder {
    tools: Table,
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
    /// Sets the policy. The default allows reads and safe writes and requires approval for dangerous calls.
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Sets the approver. Without one, calls that require approval are denied.
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.approver = Some(Arc::new(approver));
        self
    }

    /// Sets a listener that receives each new policy, including an approver's "always", for example to save it.
    ///
    /// It is called on the thread of the change, in the order of the changes. It must not block, and must not change the
    /// policy, which would deadlock. If it panics, the change still applies; the panic is propagated, and logged after an
    /// "always".
    ///
    /// # Examples
    /// ```
    /// use std::sync::mpsc;
    /// use tool_core::Registry;
    /// use tool_core::approval::Policy;
    ///
    /// let (sender, receiver) = mpsc::channel();
    /// let registry = Registry::builder()
    ///     .on_policy_change(move |policy| {
    ///         // The receiver writes the file. Ignore a closed channel.
    ///         let _ = sender.send(policy.to_json());
    ///     })
    ///     .build();
    /// registry.edit_policy(|policy| *policy = Policy::allow_all());
    /// assert_eq!(receiver.recv(), Ok(Policy::allow_all().to_json()));
    /// ```
    pub fn on_policy_change(mut self, listener: impl Fn(&Policy) + Send + Sync + 'static) -> Self {
        self.policy_listener = Some(Arc::new(listener));
        self
    }

    /// Sets the validity of a decision after its request. The default is one hour; `None` is unlimited. For decisions that
    /// are made later, see [`suspend_to`](crate::approval::suspend_to).
    pub fn approval_expiry(mut self, expiry: impl Into<Option<Duration>>) -> Self {
        self.settings.approval_expiry = expiry.into();
        self
    }

    /// Sets the default timeout for tools that set none. The default is 60 seconds.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// Sets the default idle timeout for tools that set none. Unlimited by default.
    ///
    /// Progress and partial output restart it. The timeout of the call still applies.
    pub fn idle_timeout(mut self, timeout: Duration) -> Self {
        self.settings.idle_timeout = Some(timeout);
        self
    }

    /// Sets the maximum text of one call that the model sees. The default is 100 KB.
    pub fn output_limit(mut self, limit: OutputLimit) -> Self {
        self.settings.output_limit = limit;
        self
    }

    /// Sets the output limit of one tool. Overrides the tool's limit and the default.
    pub fn output_limit_of(mut self, tool: impl Into<String>, limit: OutputLimit) -> Self {
        self.settings.output_limits.insert(tool.into(), limit);
        self
    }

    /// Sets the store for the full text of outputs that exceed their limit. Without a store, only their data is kept.
    ///
    /// Register [`read_stored_output`](crate::output_store::read_stored_output) with the same store, so that the model can read the rest.
    pub fn output_store(mut self, store: Arc<dyn OutputStore>) -> Self {
        self.settings.output_store = Some(store);
        self
    }

    /// Sets whether arguments may refer to stored outputs. The default is `false`.
    ///
    /// Then any value of the arguments may be `{"$from": "<handle>"}`, so that a large output reaches the next tool without
    /// passing through the model again. Next to the handle, `"pointer"` takes a value of a JSON output, `"lines": [first, last]`
    /// and `"query"` take lines of its text. References are replaced before the arguments are validated, so rules, approvals
    /// and records see the value itself, and [`CallMetadata::changes`](crate::CallMetadata::changes) says where it came from.
    /// A tool whose schema has a parameter `$from` gets its arguments unchanged.
    pub fn references(mut self, allowed: bool) -> Self {
        self.settings.references = allowed;
        self
    }

    /// Sets the audit log, which records every call before and after it runs. A dangerous call that cannot be recorded
    /// does not run; other calls get a warning.
    pub fn audit(mut self, log: impl AuditLog + 'static) -> Self {
        self.settings.audit = Some(Arc::new(log));
        self
    }

    /// Sets the ledger, in which every call that may have an effect runs at most once per key. A call whose claim cannot be
    /// stored does not run.
    ///
    /// # Examples
    /// See the crate `tool-ledger`, which has ledgers in memory, over SQLite and over PostgreSQL.
    pub fn ledger(mut self, ledger: Arc<dyn Ledger>) -> Self {
        self.settings.ledger = Some(ledger);
        self
    }

    /// Sets the time for which a run holds a key unless it renews its lease; a running call renews it every third of this
    /// time. At least one second. The default is 30 seconds.
    pub fn ledger_lease(mut self, lease: Duration) -> Self {
        // A shorter lease could end between two renewals of a busy program.
        self.settings.lease = lease.max(Duration::from_secs(1));
        self
    }

    /// Sets the name of this process in the entries of the ledger, such as the name of the host or worker.
    pub fn ledger_owner(mut self, name: impl Into<String>) -> Self {
        self.settings.owner = Some(name.into());
        self
    }

    /// Sets which arguments the ledger stores. By default, secrets are removed.
    pub fn ledger_arguments(mut self, arguments: StoredArguments) -> Self {
        self.settings.stored_arguments = arguments;
        self
    }

    /// Sets the secrets to remove from every output, log and record.
    pub fn redactor(mut self, redactor: Redactor) -> Self {
        self.settings.redactor = Some(Arc::new(redactor));
        self
    }

    /// Sets the maximum number of concurrent calls, at least 1. The default is 16.
    pub fn parallel_calls(mut self, calls: usize) -> Self {
        self.parallel = calls.max(1);
        self
    }

    /// Sets the maximum number of queued calls. The default is 10,000; 0 disables the queue. Further calls fail with
    /// `rate_limited`.
    pub fn waiting_calls(mut self, calls: usize) -> Self {
        self.waiting = calls;
        self
    }

    /// Sets the maximum bytes of the argument text. The default is 16 MB.
    pub fn argument_limit(mut self, bytes: usize) -> Self {
        self.settings.argument_bytes = bytes;
        self
    }

    /// Sets whether values are converted to the type that the schema requires if nothing is lost. Enabled by default.
    pub fn coercion(mut self, on: bool) -> Self {
        self.settings.coercion = on;
        self
    }

    /// Sets the sink for progress and partial output of all calls.
    pub fn progress(mut self, sink: Arc<dyn ProgressSink>) -> Self {
        self.settings.progress = Some(sink);
        self
    }

    /// Sets the host's values for its tools.
    pub fn extensions(mut self, extensions: Extensions) -> Self {
        self.settings.extensions = Some(Arc::new(extensions));
        self
    }

    /// Sets the clock for the time of day, instead of the system's. Durations use tokio's clock.
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.settings.clock = Some(Arc::new(clock));
        self
    }

    /// Adds middleware around the run of every tool. The first one added is the outermost.
    pub fn middleware(mut self, middleware: impl Middleware + 'static) -> Self {
        self.settings.middleware.push(Arc::new(middleware));
        self
    }

    /// Adds a tool.
    ///
    /// # Errors
    /// Returns [`RegisterError`] if the tool cannot be registered.
    pub fn tool(mut self, tool: impl Tool + 'static) -> Result<Self, RegisterError> {
        let entry = Entry::new(Arc::new(tool))?;
        if let Some(existing) = self.tools.get(entry.name().as_str()) {
            let known = (existing.entry.definition(), None);
            let new = (entry.definition(), None);
            return Err(RegisterError::taken(entry.name(), known, new));
        }
        self.tools.push(Arc::new(entry), None);
        Ok(self)
    }

    /// Adds all tools of a toolset.
    ///
    /// # Errors
    /// Returns [`RegisterError`] if a tool cannot be registered.
    pub fn toolset(self, toolset: &Toolset) -> Result<Self, RegisterError> {
        toolset.tools().iter().cloned().try_fold(self, Self::tool)
    }

    /// Creates the registry.
    pub fn build(self) -> Registry {
        let shared = Shared {
            policy: LivePolicy::new(self.policy, self.policy_listener),
            approver: self.approver,
            asking: tokio::sync::Mutex::default(),
            decided_requests: DecidedRequests::default(),
            gate: Gate::new(self.parallel, self.waiting),
            settings: self.settings,
        };
        let tools = Tools::new(self.tools, 0);
        Registry {
            base: Arc::new(Base {
                changes: watch::Sender::new(tools.generation()),
                tools: ArcSwap::from_pointee(tools),
                edit: Mutex::default(),
                shared,
            }),
            visible: Visible::Base,
        }
    }
}

debug_fields!(RegistryBuilder, this => tools: this.tools.len(), policy: this.policy);
