//! Accessors of definitions.

use std::num::NonZeroUsize;
use std::time::Duration;

use serde_json::Value;

use super::ToolDefinition;
use crate::{Hints, OutputLimit, RiskLevel};

impl ToolDefinition {
    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the display name.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.0.title.as_deref()
    }

    /// Returns the description for the model.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.0.description
    }

    /// Returns the JSON Schema of the arguments.
    #[must_use]
    pub fn input_schema(&self) -> &Value {
        &self.0.input_schema
    }

    /// Returns the JSON Schema of the output's data.
    #[must_use]
    pub fn output_schema(&self) -> Option<&Value> {
        self.0.output_schema.as_ref()
    }

    /// Returns the default risk of a call. [`CallPlan::risk`](crate::CallPlan::risk) may have
    /// another one.
    #[must_use]
    pub fn risk(&self) -> RiskLevel {
        let is_destructive = |hints: Hints| hints.destructive && !hints.read_only;
        self.0.risk.unwrap_or_else(|| match self.0.hints {
            Some(hints) if is_destructive(hints) => RiskLevel::Dangerous,
            _ => RiskLevel::SafeWrite,
        })
    }

    /// Returns the hints for the host.
    #[must_use]
    pub fn hints(&self) -> Hints {
        self.0.hints.unwrap_or_else(|| Hints::of(self.risk()))
    }

    /// Returns the tool's own timeout.
    #[must_use]
    pub fn timeout(&self) -> Option<Duration> {
        self.0.timeout
    }

    /// Returns the tool's own output limit.
    #[must_use]
    pub fn output_limit(&self) -> Option<OutputLimit> {
        self.0.output_limit
    }

    /// Borrows the tool's own output limit.
    pub(crate) fn own_output_limit(&self) -> Option<&OutputLimit> {
        self.0.output_limit.as_ref()
    }

    /// Returns the tool's own idle timeout.
    #[must_use]
    pub fn idle_timeout(&self) -> Option<Duration> {
        self.0.idle_timeout
    }

    /// Returns the tool's own limit of concurrent calls.
    #[must_use]
    pub fn max_parallel(&self) -> Option<usize> {
        self.0.max_parallel.map(NonZeroUsize::get)
    }

    /// Returns the aliases, each with its parameter.
    #[must_use]
    pub fn aliases(&self) -> &[(String, String)] {
        &self.0.aliases
    }

    /// Returns the arguments of example calls.
    #[must_use]
    pub fn examples(&self) -> &[Value] {
        &self.0.examples
    }

    /// Returns the origin of the tool, if it is not the application.
    #[must_use]
    pub fn source(&self) -> Option<&str> {
        self.0.source.as_deref()
    }
}
