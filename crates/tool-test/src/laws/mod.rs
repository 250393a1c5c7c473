//! The laws that every tool keeps.

mod definition;
mod generate;
mod spy;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use tool_core::approval::Policy;
use tool_core::{Dialect, ErrorCode, Registry, Tool, ToolResult};

use self::spy::Spy;

/// A law that a tool breaks.
///
/// # Examples
/// ```
/// use tool_test::Broken;
///
/// let broken = Broken::new("every property is described", "`path` is not");
/// assert_eq!(broken.to_string(), "every property is described: `path` is not");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    law: &'static str,
    detail: String,
}

impl Broken {
    /// Names the law and what breaks it.
    #[must_use]
    pub fn new(law: &'static str, detail: impl Into<String>) -> Self {
        Self {
            law,
            detail: detail.into(),
        }
    }

    /// The law.
    #[must_use]
    pub fn law(&self) -> &str {
        self.law
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.law, self.detail)
    }
}

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

    /// Every law that the tool breaks.
    pub async fn check(&self) -> Vec<Broken> {
        let mut broken = definition::check(self.tool.definition(), self.closed);
        broken.extend(self.conversions());
        let spy = Spy::new(Arc::clone(&self.tool));
        let policy = if self.dangerous {
            Policy::allow_all()
        } else {
            Policy::default()
        };
        match Registry::builder().policy(policy).tool(spy.clone()) {
            Ok(builder) => self.calls(&builder.build(), &spy, &mut broken).await,
            Err(error) => broken.push(Broken::new("the tool can be registered", error.to_string())),
        }
        broken
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

    async fn calls(&self, registry: &Registry, spy: &Spy, broken: &mut Vec<Broken>) {
        let name = self.tool.definition().name();
        let schema = self.tool.definition().input_schema();
        for (parameter, arguments) in generate::invalid(schema) {
            let before = spy.runs();
            let result = registry.execute(name, arguments.clone()).await;
            broken.extend(refusal(&result, &parameter, &arguments));
            if spy.runs() > before {
                broken.push(Broken::new(
                    "invalid arguments never reach the tool",
                    arguments.to_string(),
                ));
            }
        }
        for arguments in generate::valid(schema) {
            let result = registry.execute(name, arguments.clone()).await;
            broken.extend(answer(&result, &arguments));
        }
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

fn refusal(result: &ToolResult, parameter: &str, arguments: &Value) -> Option<Broken> {
    let Some(error) = &result.error else {
        return Some(Broken::new(
            "invalid arguments are refused",
            arguments.to_string(),
        ));
    };
    let names_it = error.message.contains(&format!("`{parameter}`"));
    (!names_it).then(|| {
        Broken::new(
            "an error names the parameter as the model sees it",
            format!("`{parameter}` in {}", error.message),
        )
    })
}

fn answer(result: &ToolResult, arguments: &Value) -> Option<Broken> {
    let error = result.error.as_ref()?;
    if error.code == ErrorCode::Panic {
        return Some(Broken::new(
            "no arguments make the tool panic",
            arguments.to_string(),
        ));
    }
    if error.message.trim().is_empty() {
        return Some(Broken::new(
            "every error says what is wrong",
            error.code.to_string(),
        ));
    }
    None
}
