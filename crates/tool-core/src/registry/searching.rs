//! Registries whose definitions a model finds by searching.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};

use crate::call::Input;
use crate::catalog::{Entry, Search, Tools};
use crate::definition::Loading;
use crate::dispatch::{Settings, find, unused};
use crate::search::{CALL_TOOL, MAX_LIMIT, SEARCH_TOOLS, SearchForm, SearchOptions, ToolIndex};
use crate::{
    Arguments, CallArguments, DynamicTool, ErrorCode, PreparedCall, RegisterError, RiskLevel, Tool,
    ToolCall, ToolContext, ToolDefinition, ToolError, ToolOutput,
};

/// Maximum number of characters of a query, and of groups that the description names.
const MAX_QUERY: usize = 1000;
const MAX_GROUPS: usize = 20;

/// Returns the tools with deferred definitions, or unchanged ones below the threshold.
pub(crate) fn searchable(
    below: &Arc<Tools>,
    options: &Arc<SearchOptions>,
    found: &[String],
) -> Arc<Tools> {
    let is_taken = |name: &&str| below.table().get(name).is_some();
    if !options.apply_to(below.list()) || [SEARCH_TOOLS, CALL_TOOL].iter().any(is_taken) {
        return Arc::clone(below);
    }
    let always: HashSet<&str> = options.always.iter().map(String::as_str).collect();
    let shown = |definition: &&ToolDefinition| !always.contains(definition.name());
    let hidden: Vec<ToolDefinition> = below.list().iter().filter(shown).cloned().collect();
    let Ok(tools) = tools(&hidden, options) else {
        tracing::warn!("the tools of a search cannot be registered, so no definition is deferred");
        return Arc::clone(below);
    };
    let mut table = below.table().clone();
    for definition in &hidden {
        if let Some(slot) = table.get_mut(definition.name()) {
            slot.deferred = true;
        }
    }
    for tool in tools {
        table.push(Arc::new(tool), None);
    }
    for name in found.iter().filter(|name| below.get(name).is_some()) {
        // At the end: what precedes it stays in the provider's cache.
        if let Some(slot) = table.get(name).filter(|slot| slot.deferred).cloned() {
            table.remove(name);
            table.push(slot.entry, slot.owner);
        }
    }
    let search = Search {
        below: Arc::clone(below),
        options: Arc::clone(options),
        found: found.to_vec(),
    };
    Arc::new(Tools::searchable(table, search))
}

fn tools(hidden: &[ToolDefinition], options: &SearchOptions) -> Result<Vec<Entry>, RegisterError> {
    let mut tools = vec![Entry::new(Arc::new(search_tool(hidden, options)))?];
    if options.form == SearchForm::Call {
        tools.push(Entry::new(Arc::new(CallTool::new()))?);
    }
    Ok(tools)
}

fn search_tool(hidden: &[ToolDefinition], options: &SearchOptions) -> DynamicTool {
    let (form, limit) = (options.form, options.limit);
    let definitions: Arc<[ToolDefinition]> = hidden.into();
    let index = Arc::new(OnceLock::new());
    DynamicTool::new(search_definition(hidden, options), move |_, arguments| {
        let (definitions, index) = (Arc::clone(&definitions), Arc::clone(&index));
        let query = arguments
            .get("query")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        let asked = arguments.get("limit").and_then(Value::as_u64);
        let limit = asked
            .and_then(|limit| usize::try_from(limit).ok())
            .unwrap_or(limit);
        let search = move || {
            let index = index.get_or_init(|| ToolIndex::new(&definitions));
            found(&definitions, index, &query, limit, form)
        };
        // An index of thousands of tools takes longer than a task may block.
        async {
            tokio::task::spawn_blocking(search)
                .await
                .map_err(|_| ToolError::failed("The search failed"))?
        }
    })
}

fn search_definition(hidden: &[ToolDefinition], options: &SearchOptions) -> ToolDefinition {
    let use_found = match options.form {
        SearchForm::Call => "Call one with `call_tool`.",
        SearchForm::Append => "From your next message on, call them like any other tool.",
    };
    let (count, limit) = (hidden.len(), options.limit);
    let description = format!(
        "Finds tools by what they do: {count} more tools{} are not shown. Returns name, description and parameters of up to {limit} of them, the best first. {use_found}",
        groups(hidden)
    );
    let query = "What the tool should do, in English words; or `select:a,b` for tools whose names you know.";
    let schema = json!({
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 1, "maxLength": MAX_QUERY, "description": query},
            "limit": {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "description": "Maximum tools to return."},
        },
        "required": ["query"],
        "additionalProperties": false,
    });
    ToolDefinition::new(SEARCH_TOOLS, description, schema)
        .with_risk(RiskLevel::ReadOnly)
        .loaded(Loading::Searching)
}

/// Returns the servers whose tools are not shown, with the number of tools of each.
fn groups(hidden: &[ToolDefinition]) -> String {
    let mut groups = BTreeMap::<&str, usize>::new();
    for (group, _) in hidden
        .iter()
        .filter_map(|tool| tool.name().split_once("__"))
    {
        *groups.entry(group).or_default() += 1;
    }
    let mut named: Vec<String> = groups
        .iter()
        .take(MAX_GROUPS)
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    if groups.len() > named.len() {
        named.push(format!("{} other groups", groups.len() - named.len()));
    }
    if named.is_empty() {
        String::new()
    } else {
        format!(" ({})", named.join(", "))
    }
}

fn found(
    definitions: &[ToolDefinition],
    index: &ToolIndex,
    query: &str,
    limit: usize,
    form: SearchForm,
) -> Result<ToolOutput, ToolError> {
    let found = index.search(query, limit);
    let named = |name: &str| definitions.iter().find(|tool| tool.name() == name);
    let shown = found
        .iter()
        .filter_map(|found| named(&found.name))
        .map(|tool| match form {
            SearchForm::Call => tool.shown(),
            SearchForm::Append => json!({"name": tool.name(), "description": tool.description()}),
        });
    let shown: Vec<Value> = shown.collect();
    if shown.is_empty() {
        return Err(
            ToolError::new(ErrorCode::ToolNotFound, "No tool has a word of `query`")
                .suggest("Use other words for what the tool should do."),
        );
    }
    Ok(ToolOutput::json(Value::Array(shown)))
}

/// The registry replaces the calls of this tool, unless they name the tool itself.
struct CallTool(ToolDefinition);

impl CallTool {
    fn new() -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "Name of the tool."},
                "arguments": {"type": "object", "description": "Arguments of that tool.", "additionalProperties": true},
            },
            "required": ["name", "arguments"],
            "additionalProperties": false,
        });
        let description = "Calls a tool that `search_tools` has found.";
        let definition = ToolDefinition::new(CALL_TOOL, description, schema);
        // Whoever knows only this definition, such as a client of MCP, must expect any call.
        let definition = definition.with_risk(RiskLevel::Dangerous);
        Self(definition.loaded(Loading::Searching))
    }
}

impl Tool for CallTool {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn prepare<'a>(
        &'a self,
        _cx: &'a ToolContext,
        _arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        Err(
            ToolError::invalid_arguments("name", "is `call_tool` itself")
                .suggest("Pass the name of a tool that `search_tools` has found."),
        )
    }
}

/// Returns the call that a call of `call_tool` stands for. If its arguments are not those of `call_tool`, the error of the
/// call itself explains it.
#[inline]
pub(crate) fn inner_call(
    tools: &Tools,
    name: &str,
    arguments: &Input<'_>,
    settings: &Settings,
) -> Option<ToolCall> {
    tools.search()?;
    unwrapped(tools, name, arguments, settings)
}

#[cold]
fn unwrapped(
    tools: &Tools,
    name: &str,
    arguments: &Input<'_>,
    settings: &Settings,
) -> Option<ToolCall> {
    let called = find(tools, name)?;
    if called.name().as_str() != CALL_TOOL {
        return None;
    }
    let Value::Object(mut members) = unused(arguments, settings)?.to_value() else {
        return None;
    };
    let Some(Value::String(inner)) = members.remove("name") else {
        return None;
    };
    let arguments = match members.remove("arguments")? {
        // Models that send their arguments as text do so here, too.
        Value::String(text) => CallArguments::Text(text),
        value => CallArguments::Value(value),
    };
    let is_call = members.is_empty() && inner != CALL_TOOL;
    is_call.then(|| ToolCall::new(inner, arguments))
}

#[cfg(test)]
mod tests;
