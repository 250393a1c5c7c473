//! The words of one provider: what it is told about tools, and what was lost in saying so.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ToolDefinition;

/// How one provider wants to hear about tools.
///
/// # Examples
/// ```
/// use std::borrow::Cow;
/// use serde_json::json;
/// use tool_core::{ProviderTools, Dialect, ToolDefinition};
///
/// struct NamesOnly;
/// impl Dialect for NamesOnly {
///     fn id(&self) -> Cow<'static, str> {
///         "names_only".into()
///     }
///     fn convert(&self, definitions: &[ToolDefinition]) -> ProviderTools {
///         let names = definitions.iter().map(ToolDefinition::name).collect::<Vec<_>>();
///         ProviderTools::new(json!(names))
///     }
/// }
/// assert_eq!(NamesOnly.convert(&[]).tools, json!([]));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a dialect",
    note = "the dialects of the known providers are in the crate `provider-adapters`; implement `Dialect` for another"
)]
pub trait Dialect: Send + Sync {
    /// A text that is distinct for distinct options, because conversions are cached by it.
    fn id(&self) -> Cow<'static, str>;

    /// Says what the provider is told. One bad tool never spoils the others: it goes to `refused`.
    ///
    /// The same definitions give the same bytes.
    fn convert(&self, definitions: &[ToolDefinition]) -> ProviderTools;
}

/// What became of a part of a schema.
///
/// # Examples
/// ```
/// use tool_core::LossKind;
///
/// assert_eq!(serde_json::to_string(&LossKind::OverLimit)?, "\"over_limit\"");
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LossKind {
    /// Left out.
    Dropped,
    /// Said in the description instead.
    Described,
    /// Allows more than before.
    Widened,
    /// Allows less than before.
    Narrowed,
    /// Several schemas made one.
    Merged,
    /// Cut off.
    Cut,
    /// Said in a weaker form.
    Degraded,
    /// Sent as it is although the provider's limit is lower.
    OverLimit,
}

/// One change that makes what the provider is told differ from the definition.
///
/// # Examples
/// ```
/// use tool_core::{ConversionLoss, LossKind};
///
/// let loss = ConversionLoss::new("search", "/properties/limit", "maximum", LossKind::Described, "at most 100");
/// assert_eq!(loss.keyword, "maximum");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ConversionLoss {
    /// The tool's name.
    pub tool: String,
    /// JSON pointer into the schema as it was given.
    pub pointer: String,
    /// The keyword concerned.
    pub keyword: String,
    /// What was done.
    pub action: LossKind,
    /// The same for people.
    pub detail: String,
}

impl ConversionLoss {
    /// Creates a loss.
    #[must_use]
    pub fn new(
        tool: impl Into<String>,
        pointer: impl Into<String>,
        keyword: impl Into<String>,
        action: LossKind,
        detail: impl Into<String>,
    ) -> Self {
        Self {
            tool: tool.into(),
            pointer: pointer.into(),
            keyword: keyword.into(),
            action,
            detail: detail.into(),
        }
    }
}

/// A tool that the provider cannot be told about.
///
/// # Examples
/// ```
/// use tool_core::RejectedTool;
///
/// let refused = RejectedTool::new("search", "its name collides with another");
/// assert_eq!(refused.tool, "search");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RejectedTool {
    /// The tool's name.
    pub tool: String,
    /// Why it was left out.
    pub reason: String,
}

impl RejectedTool {
    /// Creates a refusal.
    #[must_use]
    pub fn new(tool: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            tool: tool.into(),
            reason: reason.into(),
        }
    }
}

/// What a provider is told about tools, and what was lost in saying so.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::ProviderTools;
///
/// let converted = ProviderTools::new(json!([{"name": "add"}]));
/// assert!(converted.losses.is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProviderTools {
    /// The value of the request's tools key.
    pub tools: Value,
    /// What to merge into the request's body: the tools, the choice, the parallel switch.
    pub request: Value,
    /// Every change that is not lossless.
    pub losses: Vec<ConversionLoss>,
    /// The canonical name of every tool by its name on the wire.
    pub names: BTreeMap<String, String>,
    /// The tools that were left out.
    pub refused: Vec<RejectedTool>,
    /// Renamed top-level parameters by the name of the tool on the wire: key of the definition by key on the wire.
    #[serde(skip)]
    pub keys: BTreeMap<String, BTreeMap<String, String>>,
    /// Definitions whose optional parameters are sent as required and nullable, by the name of the tool on the wire.
    #[serde(skip)]
    pub nullable: BTreeMap<String, ToolDefinition>,
}

impl ProviderTools {
    /// Creates a conversion without losses.
    #[must_use]
    pub fn new(tools: Value) -> Self {
        Self {
            tools,
            ..Self::default()
        }
    }

    /// Returns the name of the definition for a name on the wire, or `wire` if it is unknown.
    #[must_use]
    pub fn canonical_name<'n>(&'n self, wire: &'n str) -> &'n str {
        self.names.get(wire).map_or(wire, String::as_str)
    }

    /// Returns the name on the wire for the name of a definition.
    #[must_use]
    pub fn wire_name(&self, name: &str) -> Option<&str> {
        let is_meant = |(_, own): &(&String, &String)| *own == name;
        let own = self.names.get_key_value(name).filter(is_meant);
        let found = own.or_else(|| self.names.iter().find(is_meant));
        found.map(|(wire, _)| wire.as_str())
    }
}

/// The tools as indented JSON, as they go on the wire.
impl fmt::Display for ProviderTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.tools)
    }
}
