//! Invariants that every tool must satisfy.

mod answers;
mod definition;
mod fresh;
mod generate;

use std::fmt;
use std::panic::Location;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use tool_core::approval::Policy;
use tool_core::{Dialect, OutputLimit, RegisterError, Registry, Tool};

use answers::Spy;
use fresh::ToolFactory;

/// Default limit of a tool's text output, in bytes.
const OUTPUT_LIMIT: usize = 100 * 1024;

/// Checks of one tool against the laws.
///
/// Models call tools in every way that a schema allows, and in some that it doesn't. The laws are what
/// must hold anyway; see the [list](crate#laws). Run them in a test of each tool.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use tool_core::{RiskLevel, tool_fn};
/// use tool_test::Laws;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Input {
///     /// Text to return.
///     text: String,
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let echo = tool_fn("echo", "Returns its input.", |_, input: Input| async move { Ok(input.text) });
/// let broken = Laws::of(Arc::new(echo.risk(RiskLevel::ReadOnly))).check().await;
/// assert_eq!(broken, []);
/// # }
/// ```
#[must_use]
pub struct Laws<'d> {
    tool: Arc<dyn Tool>,
    dialects: &'d [&'d dyn Dialect],
    closed: bool,
    dangerous: bool,
    output_limit: usize,
    fresh: Option<ToolFactory<'d>>,
    calls: Vec<Value>,
}

impl<'d> Laws<'d> {
    /// Creates the checks of `tool`.
    pub fn of(tool: Arc<dyn Tool>) -> Self {
        Self {
            tool,
            dialects: &[],
            closed: false,
            dangerous: false,
            output_limit: OUTPUT_LIMIT,
            fresh: None,
            calls: Vec::new(),
        }
    }

    /// Also converts the definition for these providers, some of which reject schemas that others
    /// accept.
    pub fn dialects(mut self, dialects: &'d [&'d dyn Dialect]) -> Self {
        self.dialects = dialects;
        self
    }

    /// Also requires schemas to reject unknown parameters and to describe the others, which helps models
    /// to notice a wrong name.
    pub fn closed(mut self) -> Self {
        self.closed = true;
        self
    }

    /// Also runs calls that require approval. Use it only for tools that are confined to a scratch
    /// directory, because the arguments are unusual on purpose.
    pub fn run_dangerous(mut self) -> Self {
        self.dangerous = true;
        self
    }

    /// Sets the maximum size of the tool's text output in bytes. The default is 100 KiB.
    pub fn output_limit(mut self, bytes: usize) -> Self {
        self.output_limit = bytes;
        self
    }

    /// Also tests dropped and concurrent calls. Each test runs on a new tool, which `make` creates for
    /// an empty directory.
    ///
    /// A dropped call must not leave a process that works in the directory (checked only on Linux), a
    /// file that a completed call wouldn't leave, or a lock. Concurrent calls must have the same effect as
    /// sequential calls. The test may miss a race, but it never reports one without cause.
    ///
    /// # Examples
    /// ```
    /// use std::sync::Arc;
    /// use serde_json::json;
    /// use tool_core::{DynamicTool, RiskLevel, Tool, ToolDefinition, ToolOutput};
    /// use tool_test::Laws;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let make = |_folder: &std::path::Path| -> Arc<dyn Tool> {
    ///     let list = ToolDefinition::new("list", "Lists files.", json!({"type": "object"}));
    ///     let list = list.with_risk(RiskLevel::ReadOnly);
    ///     Arc::new(DynamicTool::new(list, |_cx, _arguments| async { Ok(ToolOutput::text("nothing")) }))
    /// };
    /// let scratch = tool_test::Scratch::new();
    /// let laws = Laws::of(make(scratch.path())).fresh(make).call(json!({"path": "."}));
    /// assert_eq!(laws.check().await, []);
    /// # }
    /// ```
    pub fn fresh(mut self, make: impl Fn(&Path) -> Arc<dyn Tool> + Send + Sync + 'd) -> Self {
        self.fresh = Some(ToolFactory::new(make));
        self
    }

    /// Adds arguments for the tests of dropped and concurrent calls. Without them, the tests use the
    /// examples of the definition, or else generated arguments.
    pub fn call(mut self, arguments: Value) -> Self {
        self.calls.push(arguments);
        self
    }

    /// Returns every law that the tool breaks.
    pub async fn check(&self) -> Vec<Broken> {
        let mut broken = definition::check(self.tool.as_ref(), self.closed);
        broken.extend(self.conversions());
        let spy = Spy::new(Arc::clone(&self.tool));
        match self.registry().tool(spy.clone()) {
            Ok(builder) => {
                let registry = builder.build();
                broken.extend(answers::check(&registry, &spy, self.tool.as_ref()).await);
                if let Some(fresh) = &self.fresh {
                    let registry = || self.registry();
                    broken.extend(fresh.check(&self.tool, registry, &self.fresh_calls()).await);
                }
            }
            Err(error @ RegisterError::InvalidExample { .. }) => {
                broken.push(Broken::new("the examples are valid", error.to_string()));
            }
            Err(error) => broken.push(Broken::new("the tool can be registered", error.to_string())),
        }
        broken
    }

    fn registry(&self) -> tool_core::RegistryBuilder {
        let policy = if self.dangerous {
            Policy::allow_all()
        } else {
            Policy::default()
        };
        let limit = OutputLimit::bytes(self.output_limit);
        Registry::builder().policy(policy).output_limit(limit)
    }

    /// Returns the arguments for the tests of dropped and concurrent calls.
    fn fresh_calls(&self) -> Vec<Value> {
        if !self.calls.is_empty() {
            return self.calls.clone();
        }
        let definition = self.tool.definition();
        if !definition.examples().is_empty() {
            return definition.examples().to_vec();
        }
        let mut generated = generate::valid(definition.input_schema());
        generated.truncate(1);
        generated
    }

    fn conversions(&self) -> Vec<Broken> {
        let definitions = [self.tool.definition().clone()];
        let mut broken = Vec::new();
        for dialect in self.dialects {
            let converted = dialect.convert(&definitions);
            for refused in &converted.refused {
                let detail = format!("`{}` rejects it: {}", dialect.id(), refused.reason);
                broken.push(Broken::new("every provider accepts the schema", detail));
            }
            // A conversion that depends on the order of a hash map would break prompt caches.
            if converted != dialect.convert(&definitions) {
                broken.push(Broken::new(
                    "conversion is deterministic",
                    dialect.id().into_owned(),
                ));
            }
        }
        broken
    }
}

tool_core::debug_fields!(Laws<'_>, this => tool: this.tool.definition());

/// Checks a tool against the laws: the short form of [`Laws`] for a test.
///
/// # Panics
/// Panics if the tool breaks a law, with the line of the caller and a list of all broken laws.
///
/// # Examples
/// See [`Laws`].
#[track_caller]
pub fn laws<'d>(
    tool: Arc<dyn Tool>,
    dialects: &'d [&'d dyn Dialect],
) -> impl Future<Output = ()> + Send + 'd {
    let caller = Location::caller();
    let name = tool.definition().name().to_owned();
    let laws = Laws::of(tool).dialects(dialects);
    async move {
        let broken = laws.check().await;
        let listed: Vec<String> = broken.iter().map(ToString::to_string).collect();
        assert!(
            broken.is_empty(),
            "`{name}`, checked at {caller}, breaks these laws:\n{}",
            listed.join("\n")
        );
    }
}

/// Law that a tool breaks, and how. `Display` prints both.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use serde_json::json;
/// use tool_core::{DynamicTool, RiskLevel, ToolDefinition, ToolOutput};
/// use tool_test::Laws;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let list = ToolDefinition::new("list", "", json!({"type": "object"}));
/// let list = list.with_risk(RiskLevel::ReadOnly);
/// let list = DynamicTool::new(list, |_cx, _arguments| async { Ok(ToolOutput::text("nothing")) });
/// let broken = Laws::of(Arc::new(list)).check().await;
/// assert_eq!(broken[0].law(), "the tool has a description");
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    law: &'static str,
    detail: String,
}

impl Broken {
    fn new(law: &'static str, detail: impl Into<String>) -> Self {
        Self {
            law,
            detail: detail.into(),
        }
    }

    /// Returns the law as one sentence, such as `the tool never panics`.
    pub fn law(&self) -> &str {
        self.law
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.law, self.detail)
    }
}

#[cfg(test)]
mod tests;
