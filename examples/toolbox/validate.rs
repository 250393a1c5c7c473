//! `validate`: validation of arguments, without running anything.

use std::collections::HashMap;
use std::io;
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use serde_json::{Value, json};
use tool_core::{
    ArgumentChange, DynamicTool, ErrorCode, ErrorReport, RegisterError, Registry, ToolContext,
    ToolDefinition, ToolError, ToolOutput, Validation, ValidationOutcome,
};

use crate::failure::Failure;
use crate::lines::{self, Case};
use crate::options::{DefinitionOptions, Switch};
use crate::output;

/// Validates the arguments of each call on standard input and lists the changes made to them.
#[derive(Debug, Args)]
#[command(
    after_help = r#"Each line: {"id", "tool", "arguments" (a value) or "text" (raw model output)}

Example:
  echo '{"id": 1, "tool": "top", "text": "{limit: \"5\"}"}' | toolbox validate --tools tools.json
  echo '{"id": 1, "tool": "grep_search", "text": "{pattern: \"TODO\"}"}' | toolbox validate --contract cli_agent"#
)]
pub(crate) struct Validate {
    #[command(flatten)]
    definitions: DefinitionOptions,
    /// Whether values are coerced to their types if the conversion is lossless.
    #[arg(long, value_name = "MODE", value_enum, default_value = "on")]
    coerce: Switch,
}

impl Validate {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let registry = Registry::builder().coercion(self.coerce.is_on()).build();
        let definitions = self.definitions.named()?.ok_or_else(|| {
            Failure::input(
                "no definitions are selected",
                "pass --tools FILE or --contract C",
            )
        })?;
        let catalog = Catalog::new(registry, definitions);
        for line in lines::cases(io::stdin().lock()) {
            match line? {
                Ok(case) => output::line(&catalog.answer(case))?,
                Err(unreadable) => output::line(&unreadable)?,
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Definitions to validate against, including invalid ones.
struct Catalog {
    registry: Registry,
    refused: HashMap<String, String>,
}

impl Catalog {
    fn new(registry: Registry, definitions: Vec<ToolDefinition>) -> Self {
        let mut catalog = Self {
            registry,
            refused: HashMap::new(),
        };
        for definition in definitions {
            catalog.add(definition);
        }
        catalog
    }

    fn add(&mut self, definition: ToolDefinition) {
        let name = definition.name().to_owned();
        let registered = if self.refused.contains_key(&name) {
            return eprintln!("toolbox: ignoring a second tool named `{name}`");
        } else {
            self.registry.register(DynamicTool::new(definition, no_run))
        };
        match registered {
            Ok(()) => {}
            Err(RegisterError::NameTaken { name, .. }) => {
                eprintln!("toolbox: ignoring a second tool named `{name}`");
            }
            Err(RegisterError::InvalidSchema { reason, .. }) => {
                eprintln!("toolbox: the schema of `{name}` cannot be used: {reason}");
                self.refused.insert(name, reason);
            }
            Err(error) => eprintln!("toolbox: ignoring a tool: {error}"),
        }
    }

    fn answer(&self, case: Case) -> Answer {
        let validation = match self.refused.get(&case.tool) {
            Some(reason) => Validation::invalid(invalid_schema(reason), Vec::new()),
            None => self.registry.validate(&case.tool, &case.arguments),
        };
        Answer::new(case.id, validation)
    }
}

fn invalid_schema(reason: &str) -> ToolError {
    let sentence = format!("The schema of this tool cannot be used: {reason}");
    ToolError::new(ErrorCode::InvalidSchema, sentence)
        .suggest("Fix the schema, or call another tool.")
}

async fn no_run(_: ToolContext, _: Value) -> Result<ToolOutput, ToolError> {
    let error = ToolError::new(
        ErrorCode::ToolNotExecutable,
        "This tool is only a definition",
    );
    Err(error)
}

/// Line of output.
#[derive(Serialize)]
struct Answer {
    id: Value,
    outcome: ValidationOutcome,
    arguments: Option<Value>,
    changes: Vec<ArgumentChange>,
    error: Option<Value>,
}

impl Answer {
    fn new(id: Value, validation: Validation) -> Self {
        Self {
            id,
            outcome: validation.outcome,
            arguments: validation.arguments,
            changes: validation.changes,
            error: validation.error.as_ref().map(shown),
        }
    }
}

fn shown(error: &ErrorReport) -> Value {
    json!({
        "code": error.code,
        "message": error.message,
        "suggestion": error.suggestion,
        "issues": error.issues,
    })
}
