//! What tools do, apart from what they are called.

use async_trait::async_trait;

use crate::approval::{Assessment, Preview};
use crate::{
    Concurrency, Hints, RiskLevel, TextLimit, ToolContext, ToolData, ToolError, ToolInput,
};

/// One capability: typed input, typed output, no name. A [`Toolset`](crate::Toolset) shows it under names.
///
/// # Examples
/// ```
/// use async_trait::async_trait;
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
/// use tool_core::{Toolset, Engine, TextLimit, RiskLevel, ToolContext, ToolError, Presentation};
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Input {
///     /// The text to count.
///     text: String,
/// }
///
/// #[derive(Serialize, JsonSchema)]
/// struct Output {
///     words: usize,
/// }
///
/// struct CountWords;
///
/// #[async_trait]
/// impl Engine for CountWords {
///     type Input = Input;
///     type Output = Output;
///
///     const RISK: RiskLevel = RiskLevel::ReadOnly;
///
///     async fn run(&self, _cx: &ToolContext, input: Input, _limits: &TextLimit) -> Result<Output, ToolError> {
///         Ok(Output { words: input.text.split_whitespace().count() })
///     }
/// }
///
/// let contract = Toolset::named("demo").tool(&std::sync::Arc::new(CountWords), Presentation::new("count", "Counts words."))?;
/// assert_eq!(contract.tools().len(), 1);
/// # Ok::<_, tool_core::PresentationError>(())
/// ```
#[async_trait]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an engine",
    note = "implement `Engine` for `{Self}`; a tool that exists already is added with `Toolset::with_tool`"
)]
pub trait Engine: Send + Sync + 'static {
    /// What it takes. The doc comment of each field is what the model reads.
    type Input: ToolInput + Sync + 'static;
    /// What it gives, as data.
    type Output: ToolData + Send + 'static;

    /// The risk of a call.
    const RISK: RiskLevel;

    /// What a host may assume; follows from the risk unless set.
    fn hints(&self) -> Hints {
        Hints::of(Self::RISK)
    }

    /// Which calls may run beside each other; follows from the risk unless set.
    fn concurrency(&self) -> Concurrency {
        Concurrency::of(Self::RISK)
    }

    /// Checks what no schema can say, before anybody is asked to approve.
    ///
    /// # Errors
    /// [`ToolError::invalid_arguments`] names the parameter and says what would be right.
    fn check(&self, input: &Self::Input) -> Result<(), ToolError> {
        let _ = input;
        Ok(())
    }

    /// The risk of a call with this input.
    fn risk_of(&self, input: &Self::Input) -> RiskLevel {
        let _ = input;
        Self::RISK
    }

    /// What a call with this input amounts to, for the policy; see [`Tool::assess`](crate::Tool::assess). Parts name parameters as the input's
    /// fields are.
    ///
    /// # Errors
    /// What is not to be run whoever approves.
    fn assess(&self, input: &Self::Input) -> Result<Assessment, ToolError> {
        let _ = input;
        Ok(Assessment::default())
    }

    /// For [`Concurrency::PerKey`]: calls with the same key run one after the other.
    fn key_of(&self, input: &Self::Input) -> Option<String> {
        let _ = input;
        None
    }

    /// How long a call may run, in place of the registry's own limit.
    fn timeout(&self) -> Option<std::time::Duration> {
        None
    }

    /// What a call with this input would change, shown to the person who must approve; see
    /// [`Tool::preview`](crate::Tool::preview).
    async fn preview(&self, cx: &ToolContext, input: Self::Input) -> Option<Preview> {
        let _ = (cx, input);
        None
    }

    /// Runs once. `limits` are those of the presentation.
    ///
    /// # Errors
    /// Everything that goes wrong in the engine's own work; parameters are named as the input's fields are.
    ///
    /// # Cancellation
    /// Dropping the future stops the work.
    async fn run(
        &self,
        cx: &ToolContext,
        input: Self::Input,
        limits: &TextLimit,
    ) -> Result<Self::Output, ToolError>;

    /// The output as the model reads it; indented JSON unless said otherwise.
    #[must_use]
    fn render(output: &Self::Output) -> String {
        serde_json::to_string_pretty(output).unwrap_or_default()
    }
}
