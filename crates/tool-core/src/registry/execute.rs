//! Execution of calls.

use std::borrow::Cow;
use std::sync::Arc;

use tracing::Instrument;

use super::batch::Batch;
use super::handle::Outbox;
use super::searching::inner_call;
use super::{CallHandle, Registry};
use crate::call::Input;
use crate::catalog::Tools;
use crate::dispatch::{IncomingCall, Validation, execute, guarded_future, recover, validation};
use crate::ledger::{LedgerError, Recovery};
use crate::{ArgumentsInput, CallArguments, CallOptions, ProgressSink, ToolCall, ToolResult};

impl Registry {
    /// Calls a tool with the text that the model sent, or with a value.
    ///
    /// Text is parsed strictly and repaired where the mistake is unambiguous, so pass on what a model sent unchanged.
    pub async fn execute<'a>(
        &self,
        name: &str,
        arguments: impl Into<ArgumentsInput<'a>>,
    ) -> ToolResult {
        let mut result = ToolResult::blank();
        // In a block: what is dropped after the result would make the compiler move it twice.
        {
            let ArgumentsInput(arguments) = arguments.into();
            let tools = self.tools();
            if let Some(inner) = inner_call(&tools, name, &arguments, &self.base.shared.settings) {
                // Boxed, so that the future of a plain call stays small.
                result = Box::pin(self.execute_call(&inner, &CallOptions::default())).await;
            } else {
                let call = IncomingCall::new(name, &arguments);
                execute(&self.base.shared, &tools, &call, &mut result).await;
            }
            if let Input::Value(Cow::Owned(value)) = arguments {
                // Only now, because the steps borrow the value: the result keeps it without a copy.
                result.metadata.parameters.set_borrowed(|| value);
            }
        }
        result
    }

    /// Executes one call with `options`.
    pub async fn execute_call(&self, call: &ToolCall, options: &CallOptions) -> ToolResult {
        let tools = self.tools();
        let call = self.inner_of(&tools, call);
        let ArgumentsInput(arguments) = (&call.arguments).into();
        let call = IncomingCall {
            id: Some(&call.id),
            options: Some(options),
            ..IncomingCall::new(&call.name, &arguments)
        };
        let mut result = ToolResult::blank();
        execute(&self.base.shared, &tools, &call, &mut result).await;
        result
    }

    /// Executes a call in its own task. A panic outside the guards of the steps fails only this call.
    pub(super) async fn execute_guarded(
        &self,
        call: &ToolCall,
        options: &CallOptions,
    ) -> ToolResult {
        let result = guarded_future(self.execute_call(call, options)).await;
        result.unwrap_or_else(|panic| ToolResult::refused(&*call.id, &*call.name, panic))
    }

    /// Returns the call that runs for `call`: if it's a call of [`call_tool`](crate::search::CALL_TOOL), the one that its
    /// arguments name. Execution does this itself; use it to look up the tool of a call before.
    #[must_use]
    pub fn inner_call<'c>(&self, call: &'c ToolCall) -> Cow<'c, ToolCall> {
        self.inner_of(&self.tools(), call)
    }

    fn inner_of<'c>(&self, tools: &Tools, call: &'c ToolCall) -> Cow<'c, ToolCall> {
        let settings = &self.base.shared.settings;
        let ArgumentsInput(arguments) = (&call.arguments).into();
        match inner_call(tools, &call.name, &arguments, settings) {
            Some(inner) => Cow::Owned(inner.with_id(&call.id)),
            None => Cow::Borrowed(call),
        }
    }

    /// Starts a call on the runtime and returns immediately.
    ///
    /// # Panics
    /// Panics if called outside a tokio runtime.
    #[must_use]
    pub fn spawn(&self, call: ToolCall, options: CallOptions) -> CallHandle {
        let registry = self.snapshot();
        let cancellation = options.cancellation.child();
        let mut options = options.with_cancellation(cancellation.clone());
        let further = options.progress.take();
        let further = further.or_else(|| self.base.shared.settings.progress.clone());
        let (outbox, reports) = Outbox::new(further);
        options.progress = Some(Arc::clone(&outbox) as Arc<dyn ProgressSink>);
        let (id, name) = (call.id.clone(), call.name.clone());
        let work = async move {
            let result = registry.execute_guarded(&call, &options).await;
            outbox.close();
            result
        };
        CallHandle {
            id,
            name,
            cancellation,
            reports,
            task: tokio::spawn(work.in_current_span()),
        }
    }

    /// Like [`Registry::execute_many_with`], but with the default options.
    ///
    /// # Panics
    /// Panics if called outside a tokio runtime.
    pub async fn execute_many(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        self.execute_many_with(calls, &CallOptions::default()).await
    }

    /// Executes the calls of a turn concurrently. Returns one result per call, in the order of the calls, even if ids are
    /// repeated.
    ///
    /// At most 256 calls are in progress, or the registry's maximum of parallel calls if that is greater; the others
    /// wait in order. Cancelling `options` or dropping the future stops all of them.
    ///
    /// # Panics
    /// Panics if called outside a tokio runtime.
    pub async fn execute_many_with(
        &self,
        calls: Vec<ToolCall>,
        options: &CallOptions,
    ) -> Vec<ToolResult> {
        let batch = Batch::new(self.snapshot(), calls, options);
        batch.execute().await
    }

    /// Validates arguments without running anything.
    pub fn validate(&self, name: &str, arguments: &CallArguments) -> Validation {
        let ArgumentsInput(arguments) = arguments.into();
        validation(&self.base.shared, &self.tools(), name, &arguments)
    }

    /// Asks the tools about the calls of `scope` whose outcome is unknown ([`Tool::verify`](crate::Tool::verify)), and
    /// settles those that are known. Returns all of them; none without a ledger.
    ///
    /// Call it after a restart. A call that did not take effect may run again afterwards, so the process that ran it must
    /// have exited, or its tool must not report [`DidNotHappen`](crate::ledger::Verified::DidNotHappen) while it may run.
    ///
    /// # Errors
    /// Returns [`LedgerError`] if the ledger cannot be read or written.
    pub async fn recover(&self, scope: &str) -> Result<Recovery, LedgerError> {
        recover(&self.base.shared, &self.tools(), scope).await
    }
}
