//! Running the laws over one tool.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use tool_core::approval::Policy;
use tool_core::{Dialect, OutputLimit, RegisterError, Registry, Tool};

use super::fresh::Fresh;
use super::spy::Spy;
use super::{Broken, answers, definition, generate};

/// Bytes of text that a tool may give, unless its test says otherwise.
const OUTPUT_LIMIT: usize = 100 * 1024;

/// Runs the laws over one tool.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use tool_core::{RiskLevel, tool_fn};
/// use tool_test::Laws;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Input {
///     /// The text to say again.
///     text: String,
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let echo = tool_fn("echo", "Says it again.", |_, input: Input| async move { Ok(input.text) });
/// let broken = Laws::of(Arc::new(echo.risk(RiskLevel::ReadOnly))).check().await;
/// assert_eq!(broken, []);
/// # }
/// ```
pub struct Laws<'d> {
    tool: Arc<dyn Tool>,
    dialects: &'d [&'d dyn Dialect],
    closed: bool,
    dangerous: bool,
    output_limit: usize,
    fresh: Option<Fresh<'d>>,
    calls: Vec<Value>,
}

impl<'d> Laws<'d> {
    /// Prepares the laws for one tool.
    #[must_use]
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

    /// Also tells these providers about the tool.
    #[must_use]
    pub fn dialects(mut self, dialects: &'d [&'d dyn Dialect]) -> Self {
        self.dialects = dialects;
        self
    }

    /// Also demands that unknown parameters are refused.
    #[must_use]
    pub fn closed(mut self) -> Self {
        self.closed = true;
        self
    }

    /// Also runs calls that would need approval. Only for tools that are confined to a scratch folder.
    #[must_use]
    pub fn run_dangerous(mut self) -> Self {
        self.dangerous = true;
        self
    }

    /// Sets how many bytes of text the tool may give; 100 KB without this.
    #[must_use]
    pub fn output_limit(mut self, bytes: usize) -> Self {
        self.output_limit = bytes;
        self
    }

    /// Also drops calls half-way, and lets calls meet, each time on a tool that `make` opens in a new folder.
    ///
    /// A call that was dropped must leave no process that works in the folder (seen on Linux alone), no file that a
    /// whole call would not leave, and no lock. Calls at once must end as they do one after the other. Races that are
    /// not hit stay unseen; what is seen is one.
    ///
    /// # Examples
    /// ```
    /// use std::sync::Arc;
    /// use serde_json::json;
    /// use tool_core::Tool;
    /// use tool_test::{Laws, ScriptedTool, Step};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let make = |_folder: &std::path::Path| -> Arc<dyn Tool> {
    ///     Arc::new(ScriptedTool::new("list", (0..200).map(|_| Step::gives("nothing"))))
    /// };
    /// let scratch = tool_test::Scratch::new();
    /// let laws = Laws::of(make(scratch.path())).fresh(make).call(json!({"path": "."}));
    /// assert_eq!(laws.check().await, []);
    /// # }
    /// ```
    #[must_use]
    pub fn fresh(mut self, make: impl Fn(&Path) -> Arc<dyn Tool> + Send + Sync + 'd) -> Self {
        self.fresh = Some(Fresh::new(make));
        self
    }

    /// Adds arguments of a call that is dropped and that meets others. Without any, they are the examples of the
    /// definition, or generated.
    #[must_use]
    pub fn call(mut self, arguments: Value) -> Self {
        self.calls.push(arguments);
        self
    }

    /// Every law that the tool breaks.
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
                    broken.extend(fresh.check(&self.tool, registry, &self.meeting()).await);
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

    /// The arguments of the calls that are dropped and that meet.
    fn meeting(&self) -> Vec<Value> {
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
                let detail = format!("{} refuses it: {}", dialect.id(), refused.reason);
                broken.push(Broken::new("the schema survives every provider", detail));
            }
            if converted != dialect.convert(&definitions) {
                broken.push(Broken::new(
                    "the same definition gives the same bytes",
                    dialect.id().into_owned(),
                ));
            }
        }
        broken
    }
}

impl fmt::Debug for Laws<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Laws")
            .field("tool", self.tool.definition())
            .finish_non_exhaustive()
    }
}

/// Runs the laws over a tool and stops the test where one is broken.
///
/// # Panics
/// With the list of the laws that the tool breaks.
///
/// # Examples
/// See [`Laws`].
pub async fn laws(tool: Arc<dyn Tool>, dialects: &[&dyn Dialect]) {
    let name = tool.definition().name().to_owned();
    let broken = Laws::of(tool).dialects(dialects).check().await;
    let listed: Vec<String> = broken.iter().map(ToString::to_string).collect();
    assert!(
        broken.is_empty(),
        "`{name}` breaks these laws:\n{}",
        listed.join("\n")
    );
}
