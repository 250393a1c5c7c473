//! Questions of a model to the user of the application.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{CallPlan, Hints, RiskLevel, ToolContext, ToolError, TypedTool};

/// Maximum characters of a question, and of an option.
const MAX_CHARS: usize = 1000;
/// Maximum number of options.
const MAX_OPTIONS: usize = 10;
/// Time for an answer: people leave their desks.
const TIMEOUT: Duration = Duration::from_hours(24);

/// Someone who answers the questions of a model, such as a dialog of the application.
///
/// Set it with [`Kit::with_respondent`](crate::Kit::with_respondent). If the call is cancelled, the future is dropped, so that a
/// dialog can close.
///
/// # Examples
/// ```
/// use std::sync::Arc;
/// use serde_json::json;
/// use tool_core::Registry;
/// use tool_test::Scratch;
/// use tools_builtin::questions::{Question, Respondent};
/// use tools_builtin::toolsets::{self, ToolGroup};
/// use tools_builtin::{Kit, Workspace};
///
/// #[derive(Debug)]
/// struct FirstOption;
///
/// #[async_trait::async_trait]
/// impl Respondent for FirstOption {
///     async fn answer(&self, question: &Question) -> Option<String> {
///         question.options.first().cloned()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scratch = Scratch::new();
/// let kit = Kit::new(Workspace::open(scratch.path())?).with_respondent(Arc::new(FirstOption));
/// let toolset = ToolGroup::AskUser.add_to(toolsets::standard(&kit)?, &kit)?;
/// let registry = Registry::builder().toolset(&toolset)?.build();
///
/// let question = json!({"question": "Which port?", "options": ["8080", "8081"]});
/// assert_eq!(registry.execute("ask_user", question).await.text(), "8080");
/// # Ok(()) }
/// ```
#[async_trait]
pub trait Respondent: fmt::Debug + Send + Sync {
    /// Shows `question` and returns the answer; `None` if there is none.
    async fn answer(&self, question: &Question) -> Option<String>;
}

/// Question of a model. Show it as the text of a model: it may quote what the model has read.
///
/// # Examples
/// ```
/// use tools_builtin::questions::Question;
///
/// let question: Question = serde_json::from_str(r#"{"question": "Delete it?", "options": ["Yes", "No"]}"#)?;
/// assert_eq!(question.options, ["Yes", "No"]);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(description = "A question.")]
pub struct Question {
    /// The question.
    pub question: String,
    /// Choices.
    #[serde(default)]
    #[schemars(length(max = 10))]
    pub options: Vec<String>,
}

/// Answer of the user.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct UserAnswer {
    /// The answer; null if there is none.
    answer: Option<String>,
}

/// Asks the user.
#[derive(Debug)]
pub(crate) struct AskUser(pub(crate) Arc<dyn Respondent>);

impl TypedTool for AskUser {
    type Input = Question;
    type Output = UserAnswer;

    const RISK: RiskLevel = RiskLevel::ReadOnly;
    const ALIASES: &'static [(&'static str, &'static str)] =
        &[("prompt", "question"), ("choices", "options")];

    fn hints(&self) -> Hints {
        // A repeated question would be shown twice.
        Hints {
            idempotent: false,
            open_world: true,
            ..Hints::of(Self::RISK)
        }
    }

    fn timeout(&self) -> Option<Duration> {
        Some(TIMEOUT)
    }

    fn plan(&self, _cx: &ToolContext, input: &Question) -> Result<CallPlan, ToolError> {
        check("question", &input.question)?;
        if input.options.len() > MAX_OPTIONS {
            let sentence = format!("has more than {MAX_OPTIONS} entries");
            return Err(ToolError::invalid_arguments("options", sentence)
                .suggest("Name the most likely answers only."));
        }
        for option in &input.options {
            check("options", option)?;
        }
        // One question at a time.
        Ok(CallPlan::of(Self::RISK).uses("user"))
    }

    async fn run(&self, cx: &ToolContext, input: Question) -> Result<UserAnswer, ToolError> {
        drop(self.plan(cx, &input)?);
        let answer = self.0.answer(&input).await;
        let answer = answer.filter(|answer| !answer.trim().is_empty());
        Ok(UserAnswer { answer })
    }

    fn render(output: &UserAnswer) -> String {
        let none = "(The user did not answer. Decide yourself, or stop.)";
        output.answer.clone().unwrap_or_else(|| none.to_owned())
    }
}

fn check(parameter: &str, text: &str) -> Result<(), ToolError> {
    if text.trim().is_empty() {
        return Err(ToolError::invalid_arguments(parameter, "is blank")
            .suggest("Write what the user should decide."));
    }
    if text.chars().count() > MAX_CHARS {
        let sentence = format!("has more than {MAX_CHARS} characters");
        return Err(ToolError::invalid_arguments(parameter, sentence)
            .suggest("Ask in one or two sentences."));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[derive(Debug)]
    struct Fixed(Option<&'static str>);

    #[async_trait]
    impl Respondent for Fixed {
        async fn answer(&self, _question: &Question) -> Option<String> {
            self.0.map(str::to_owned)
        }
    }

    async fn ask(answer: Option<&'static str>, input: Value) -> Result<String, ToolError> {
        let tool = AskUser(Arc::new(Fixed(answer)));
        let input = serde_json::from_value(input).unwrap();
        let output = tool.run(&ToolContext::test(), input).await;
        output.map(|output| AskUser::render(&output))
    }

    #[tokio::test]
    async fn returns_the_answer_or_says_that_there_is_none() {
        for (answer, expected) in [
            (Some("Something else"), "Something else"),
            (Some(" \n"), "(The user did not answer."),
            (None, "(The user did not answer."),
        ] {
            let shown = ask(answer, json!({"question": "Why?", "options": ["a", "b"]})).await;

            let shown = shown.unwrap();
            assert!(shown.starts_with(expected), "{shown}");
        }
    }

    #[tokio::test]
    async fn invalid_questions_name_the_parameter() {
        let long = "x".repeat(MAX_CHARS + 1);
        for (input, parameter) in [
            (json!({"question": " "}), "question"),
            (json!({"question": long}), "question"),
            (json!({"question": "a", "options": [""]}), "options"),
            (
                json!({"question": "a", "options": vec!["b"; 11]}),
                "options",
            ),
        ] {
            let error = ask(None, input.clone()).await.unwrap_err();

            assert_eq!(error.parameter(), Some(parameter), "{input}");
            assert!(error.suggestion().is_some());
        }
    }
}
