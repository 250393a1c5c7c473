//! `convert`: definitions in a provider's format.

use std::process::ExitCode;

use clap::Args;
use provider_adapters::{ModelTraits, Options, Provider, ProviderDialect, StrictMode, ToolChoice};
use tool_core::search::SearchOptions;
use tool_core::{
    Dialect, DynamicTool, ProviderTools, Registry, RejectedTool, ToolDefinition, ToolError,
};

use crate::failure::Failure;
use crate::options::{DefinitionOptions, Switch};
use crate::output;

/// Prints the tool definitions in a provider's format, with all lossy changes.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  toolbox convert --provider anthropic --choice read --parallel off"
)]
pub(crate) struct Convert {
    /// Provider.
    #[arg(long, value_name = "P")]
    provider: Provider,
    /// Strict schema adherence of the provider: auto, on or off.
    #[arg(long, value_name = "MODE", default_value = "auto")]
    strict: StrictMode,
    #[command(flatten)]
    definitions: DefinitionOptions,
    /// Tool choice: auto, none, required, or names of tools.
    #[arg(long, value_name = "CHOICE", default_value = "auto", value_parser = choice)]
    choice: ToolChoice,
    /// Whether the model may request several calls in one turn.
    #[arg(long, value_name = "MODE", value_enum)]
    parallel: Option<Switch>,
    /// Treat the model on openrouter as a Gemini model.
    #[arg(long)]
    gemini_model: bool,
    /// Model, whose limits and features may differ from the provider's.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Defer all definitions, or all but those named, so that the model searches for them.
    #[arg(long, value_name = "ALWAYS", num_args = 0..=1, default_missing_value = "", value_delimiter = ',')]
    search: Option<Vec<String>>,
}

impl Convert {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let definitions = self.definitions.or_default()?;
        let options = Options::default()
            .with_strict(self.strict)
            .with_choice(self.choice)
            .with_parallel(self.parallel.map(Switch::is_on))
            .with_gemini_model(self.gemini_model);
        let options = match &self.model {
            Some(model) => options.with_model(ModelTraits::of(self.provider, model)),
            None => options,
        };
        let dialect = self.provider.with_options(options);
        let converted = match self.search {
            Some(always) => searched(definitions, &always, &dialect)?,
            None => dialect.convert(&definitions),
        };
        output::document(&converted)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Converts the definitions of tools that are only shown, deferred whatever their number.
fn searched(
    definitions: Vec<ToolDefinition>,
    always: &[String],
    dialect: &ProviderDialect,
) -> Result<ProviderTools, Failure> {
    let registry = Registry::new();
    let mut refused = Vec::new();
    for definition in definitions {
        let name = definition.name().to_owned();
        let shown = |_, _| async { Err(ToolError::failed("The tool is only shown")) };
        // One tool with an invalid schema must not hide all others.
        if let Err(error) = registry.register(DynamicTool::new(definition, shown)) {
            refused.push(RejectedTool::new(name, error.to_string()));
        }
    }
    let always = always.iter().filter(|name| !name.is_empty());
    let options = SearchOptions::default()
        .with_threshold(0, 0)
        .with_always(always.cloned());
    let registry = registry
        .searchable(options)
        .map_err(|error| Failure::input("the definitions", error))?;
    let mut converted = ProviderTools::clone(&registry.definitions(dialect));
    converted.refused.extend(refused);
    Ok(converted)
}

fn choice(text: &str) -> Result<ToolChoice, String> {
    let names: Vec<&str> = text.split(',').map(str::trim).collect();
    match names.as_slice() {
        ["auto"] => Ok(ToolChoice::Auto),
        ["none"] => Ok(ToolChoice::None),
        ["required"] => Ok(ToolChoice::Required),
        names if names.contains(&"") => {
            Err("a name is empty; separate names by single commas".to_owned())
        }
        _ => Ok(ToolChoice::named(names)),
    }
}
