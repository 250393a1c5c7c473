//! What is sent for each tool, and how it leads back.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};
use tool_core::{Converted, Loss, LossAction, Refused, ToolDefinition};

use crate::anthropic::StrictBudget;
use crate::request::Request;
use crate::schema::{Losses, measure, sound};
use crate::{Options, ProviderDialect, StrictMode, examples};

/// One tool as it is sent.
#[derive(Debug, Clone)]
pub(crate) struct Planned {
    pub(crate) definition: ToolDefinition,
    /// Its name on the wire.
    pub(crate) wire: String,
    pub(crate) spoken: Spoken,
    /// The characters of the description that is sent.
    pub(crate) description_length: usize,
}

/// What a provider makes of one definition.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spoken {
    /// The tool as the provider wants it.
    pub(crate) tool: Value,
    /// Whether it is sent strict.
    pub(crate) strict: bool,
    /// Whether parameters that may be absent are sent as ones that may be null.
    pub(crate) adds_nulls: bool,
    /// Renamed top-level parameters: the definition's own key by its key on the wire.
    pub(crate) keys: BTreeMap<String, String>,
}

/// What is asked of a provider for one definition.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) definition: &'a ToolDefinition,
    pub(crate) wire: &'a str,
    pub(crate) strict: StrictMode,
    /// What else the request asks for.
    pub(crate) options: &'a Options,
    /// What the strict tools before this one have left.
    pub(crate) budget: StrictBudget,
}

impl<'a> Asked<'a> {
    /// The schema of what the tool answers; one that is too large is left out, with a loss.
    pub(crate) fn output_schema(&self, losses: &mut Losses) -> Option<Cow<'a, Value>> {
        let schema = self.definition.output_schema()?;
        // A pointer leads into the schema of the arguments, so that mending this one is told as one thing.
        let mut trial = losses.trial();
        match measure(schema).and_then(|()| sound(schema, &mut trial)) {
            Ok(schema) => {
                if !trial.is_empty() {
                    let detail = "of what it answers, mistakes that have one meaning are mended";
                    losses.add("", "output_schema", LossAction::Merged, detail);
                }
                Some(schema)
            }
            Err(reason) => {
                let detail = format!("of what it answers, {reason}");
                losses.add("", "output_schema", LossAction::Dropped, detail);
                None
            }
        }
    }

    /// Name and description, where an empty description is better left out.
    pub(crate) fn named(&self) -> Map<String, Value> {
        let mut named = Map::new();
        named.insert("name".to_owned(), self.wire.into());
        if !self.definition.description().is_empty() {
            named.insert(
                "description".to_owned(),
                self.definition.description().into(),
            );
        }
        named
    }

    /// Whether the model is to find this tool by searching.
    pub(crate) fn is_deferred(&self) -> bool {
        self.is_among(&self.options.deferred)
    }

    /// Whether the model goes on without the answer of this tool.
    pub(crate) fn is_non_blocking(&self) -> bool {
        self.is_among(&self.options.non_blocking)
    }

    /// Who may call this tool, where that is said.
    pub(crate) fn callers(&self) -> Option<&'a [String]> {
        let callers = self.options.allowed_callers.get(self.definition.name())?;
        (!callers.is_empty()).then_some(callers)
    }

    fn is_among(&self, names: &[String]) -> bool {
        names.iter().any(|name| name == self.definition.name())
    }
}

/// All tools as they are sent.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) tools: Vec<Planned>,
    losses: Vec<Loss>,
    refused: Vec<Refused>,
}

impl Plan {
    pub(crate) fn new(dialect: &ProviderDialect, definitions: &[ToolDefinition]) -> Self {
        let mut plan = Self::default();
        let mut taken = HashMap::new();
        let mut budget = StrictBudget::default();
        for definition in definitions {
            match plan.add(dialect, definition, &mut taken, budget) {
                Ok(spent) => budget = spent,
                Err(reason) => plan.refused.push(Refused::new(definition.name(), reason)),
            }
        }
        plan.losses.extend(
            dialect
                .provider()
                .limits_exceeded(&plan.tools, &dialect.options().model),
        );
        plan
    }

    fn add<'d>(
        &mut self,
        dialect: &ProviderDialect,
        definition: &'d ToolDefinition,
        taken: &mut HashMap<String, &'d str>,
        budget: StrictBudget,
    ) -> Result<StrictBudget, String> {
        let provider = dialect.provider();
        let wire = dialect.wire_name(definition.name());
        refuse_taken(definition.name(), taken.get(&wire).copied())?;
        let mut losses = Losses::new(definition.name());
        let told = examples::told(provider, dialect.options(), definition, &mut losses);
        let (told, strict) = mended(told, provider.strict_mode(dialect.options()), &mut losses)?;
        let asked = Asked {
            definition: &told,
            wire: &wire,
            strict,
            options: dialect.options(),
            budget,
        };
        let spoken = provider.say(asked, &mut losses)?;
        self.losses
            .extend(losses.into_list(definition.input_schema()));
        taken.insert(wire.clone(), definition.name());
        let spent = budget.after(&spoken);
        self.tools.push(Planned {
            definition: definition.clone(),
            wire,
            spoken,
            description_length: told.description().chars().count(),
        });
        Ok(spent)
    }

    pub(crate) fn into_converted(mut self, dialect: &ProviderDialect) -> Converted {
        let request = Request::new(dialect, &mut self.tools);
        let mut converted = Converted::new(request.tools);
        converted.request = request.body;
        converted.losses = self.losses;
        converted.losses.extend(request.losses);
        converted.refused = self.refused;
        converted.names = self
            .tools
            .into_iter()
            .map(|tool| (tool.wire, tool.definition.name().to_owned()))
            .collect();
        converted
    }
}

/// The definition with a schema that is one. A schema that had to be mended binds nobody strictly.
fn mended<'d>(
    told: Cow<'d, ToolDefinition>,
    strict: StrictMode,
    losses: &mut Losses,
) -> Result<(Cow<'d, ToolDefinition>, StrictMode), String> {
    measure(told.input_schema())?;
    let schema = match sound(told.input_schema(), losses)? {
        Cow::Owned(schema) => schema,
        Cow::Borrowed(_) => return Ok((told, strict)),
    };
    if strict == StrictMode::On {
        let detail = "sent without strict: its schema had to be mended";
        losses.add("", "strict", LossAction::Degraded, detail);
    }
    let told = Cow::Owned(told.into_owned().with_input_schema(schema));
    Ok((told, StrictMode::Off))
}

fn refuse_taken(name: &str, holder: Option<&str>) -> Result<(), String> {
    match holder {
        _ if name.is_empty() => Err("its name is empty".to_owned()),
        None => Ok(()),
        Some(holder) if holder == name => Err("another tool has the same name".to_owned()),
        Some(holder) => Err(format!(
            "its name becomes the same as that of `{holder}` for this provider"
        )),
    }
}
