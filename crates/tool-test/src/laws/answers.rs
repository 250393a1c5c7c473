//! Laws about the results of valid and invalid calls, seen by a spy around the tool.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::Value;
use tool_core::ledger::Verified;
use tool_core::{
    Arguments, CallPlan, ChangeKind, ErrorCode, ErrorReport, PreparedCall, Registry, Tool,
    ToolContext, ToolDefinition, ToolError, ToolResult,
};

use super::{Broken, generate};

/// Terms that indicate a truncated output. A warning is one too; over MCP it arrives as text.
const MARKS: [&str; 7] = [
    "…",
    "truncated",
    "more",
    "cut",
    "left out",
    "limit",
    "warning: ",
];

pub(super) async fn check(registry: &Registry, spy: &Spy, tool: &dyn Tool) -> Vec<Broken> {
    let mut broken = Vec::new();
    let definition = tool.definition().clone();
    let (name, schema) = (definition.name(), definition.input_schema());
    for (parameter, arguments) in generate::invalid(schema) {
        let before = spy.runs();
        let result = registry.execute(name, arguments.clone()).await;
        // Some strings may also be passed as the JSON that they contain.
        let mut changes = result.metadata.changes.iter();
        if changes.any(|change| change.kind == ChangeKind::JsonToText) {
            continue;
        }
        broken.extend(refusal(&result, &parameter, &arguments));
        if spy.runs() > before {
            broken.push(Broken::new(
                "invalid arguments never reach the tool",
                arguments.to_string(),
            ));
        }
    }
    // Any result is fine except a panic or an error without a message: the tool may reject these.
    for arguments in [generate::valid(schema), generate::ends(schema)].concat() {
        let result = registry.execute(name, arguments.clone()).await;
        broken.extend(answer(&result, schema, &arguments));
    }
    broken.extend(spy.differing_plans());
    broken
}

pub(super) fn refusal(result: &ToolResult, parameter: &str, arguments: &Value) -> Option<Broken> {
    let Some(error) = &result.error else {
        return Some(Broken::new(
            "invalid arguments are rejected",
            arguments.to_string(),
        ));
    };
    let names_it = error.message.contains(&format!("`{parameter}`"));
    (!names_it).then(|| {
        Broken::new(
            "errors use parameter names of the schema",
            format!("no `{parameter}` in: {}", error.message),
        )
    })
}

fn answer(result: &ToolResult, schema: &Value, arguments: &Value) -> Option<Broken> {
    if result.metadata.bytes_dropped > 0 {
        let detail = format!("{} bytes over the limit", result.metadata.bytes_dropped);
        return Some(Broken::new("the output does not exceed its limit", detail));
    }
    match &result.error {
        Some(error) => failure(error, schema, arguments),
        None => (!marks_truncation(result))
            .then(|| Broken::new("truncated output is marked", arguments.to_string())),
    }
}

fn failure(error: &ErrorReport, schema: &Value, arguments: &Value) -> Option<Broken> {
    if error.code == ErrorCode::Panic {
        return Some(Broken::new("the tool never panics", arguments.to_string()));
    }
    if error.message.trim().is_empty() {
        return Some(Broken::new(
            "every error has a message",
            error.code.to_string(),
        ));
    }
    let code = error.code.as_str();
    let is_code =
        |letter: char| letter.is_ascii_lowercase() || letter == '_' || letter.is_ascii_digit();
    if code.is_empty() || !code.chars().all(is_code) {
        return Some(Broken::new(
            "every error has a code",
            format!("invalid code `{code}`: {}", error.message),
        ));
    }
    let parameter = error.parameter.as_deref()?;
    (!is_shown(schema, parameter)).then(|| {
        Broken::new(
            "errors use parameter names of the schema",
            format!("unknown parameter `{parameter}`: {}", error.message),
        )
    })
}

/// Returns `true` if the schema has the parameter, or the parent of a path such as `items[2].name`.
fn is_shown(schema: &Value, parameter: &str) -> bool {
    let whole = parameter.split(['.', '[', '/']).next().unwrap_or(parameter);
    let Some(properties) = schema.get("properties") else {
        return true;
    };
    properties.get(whole).is_some() || properties.get(parameter).is_some()
}

fn marks_truncation(result: &ToolResult) -> bool {
    let truncated = result
        .data
        .as_ref()
        .and_then(|data| data.get("truncated"))
        .is_some_and(|cut| cut == true);
    let text = result.to_string().to_lowercase();
    // A model that does not see that text is missing concludes that the rest does not exist.
    !truncated || MARKS.iter().any(|mark| text.contains(mark))
}

/// Wrapper that counts the executions of another tool, and prepares each call twice.
#[derive(Clone)]
pub(super) struct Spy {
    tool: Arc<dyn Tool>,
    runs: Arc<AtomicUsize>,
    /// The first call whose two preparations differ.
    differs: Arc<Mutex<Option<Broken>>>,
}

impl Spy {
    pub(super) fn new(tool: Arc<dyn Tool>) -> Self {
        Self {
            tool,
            runs: Arc::default(),
            differs: Arc::default(),
        }
    }

    pub(super) fn runs(&self) -> usize {
        self.runs.load(Ordering::SeqCst)
    }

    /// Returns the broken law if a call was prepared twice and the plans differed.
    pub(super) fn differing_plans(&self) -> Option<Broken> {
        let differs = self.differs.lock();
        differs.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn compare(&self, first: &Prepared<'_>, again: &Prepared<'_>, arguments: &Arguments<'_>) {
        let (first, again) = (outcome(first), outcome(again));
        if first == again {
            return;
        }
        let detail = format!("{}: {first:?}, then {again:?}", arguments.to_value());
        let broken = Broken::new("equal arguments have equal plans", detail);
        let differs = self.differs.lock();
        let mut differs = differs.unwrap_or_else(PoisonError::into_inner);
        differs.get_or_insert(broken);
    }
}

type Prepared<'a> = Result<PreparedCall<'a>, ToolError>;

/// Returns the plan, or the text of the error.
fn outcome<'p>(prepared: &'p Prepared<'_>) -> Result<&'p CallPlan, String> {
    match prepared {
        Ok(prepared) => Ok(&prepared.plan),
        Err(error) => Err(error.report().to_model_text()),
    }
}

#[async_trait]
impl Tool for Spy {
    fn definition(&self) -> &ToolDefinition {
        self.tool.definition()
    }

    fn prepare<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let prepared = self.tool.prepare(cx, arguments);
        // If preparing is not pure, the policy decides about another plan than the one that runs.
        self.compare(&prepared, &self.tool.prepare(cx, arguments), arguments);
        Ok(prepared?.wrap(|run| async {
            self.runs.fetch_add(1, Ordering::SeqCst);
            run.await
        }))
    }

    async fn verify(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Verified {
        self.tool.verify(cx, arguments).await
    }
}
