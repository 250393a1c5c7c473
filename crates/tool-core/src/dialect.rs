//! Conversion of tool definitions to the format of a provider, with a list of all lossy changes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ToolDefinition;
use crate::name::without_template;

/// The tool format of a provider.
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
    note = "the crate `provider-adapters` contains the dialects of known providers; implement \
        `Dialect` for another"
)]
pub trait Dialect: Send + Sync {
    /// Returns a string that is unique for each set of options. Conversions are cached by it.
    fn id(&self) -> Cow<'static, str>;

    /// Converts the definitions. An unsupported tool is added to `refused` and does not affect the
    /// others.
    ///
    /// Must return the same bytes for the same definitions.
    fn convert(&self, definitions: &[ToolDefinition]) -> ProviderTools;
}

/// The kind of a lossy change to a schema.
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
    /// Omitted.
    Dropped,
    /// Moved to the description.
    Described,
    /// Allows more values.
    Widened,
    /// Allows fewer values.
    Narrowed,
    /// Combined from several schemas.
    Merged,
    /// Truncated.
    Cut,
    /// Expressed less precisely.
    Degraded,
    /// Sent unchanged although it exceeds the provider's limit.
    OverLimit,
}

/// A lossy change to a definition.
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
    /// JSON pointer into the original schema.
    pub pointer: String,
    /// The affected keyword.
    pub keyword: String,
    /// The kind of change.
    pub action: LossKind,
    /// Description of the change, for people.
    pub detail: String,
}

impl ConversionLoss {
    /// Creates a loss.
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

/// A tool that the provider does not support.
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
    /// The reason.
    pub reason: String,
}

impl RejectedTool {
    /// Creates a rejected tool.
    pub fn new(tool: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            tool: tool.into(),
            reason: reason.into(),
        }
    }
}

/// Tools converted for a provider, with a list of all lossy changes.
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
    /// The value of the request's `tools` key.
    pub tools: Value,
    /// Members to merge into the request body: the tools, the tool choice, the parallel calls
    /// setting.
    pub request: Value,
    /// All lossy changes.
    pub losses: Vec<ConversionLoss>,
    /// Names of the definitions by name on the wire.
    pub names: BTreeMap<String, String>,
    /// The omitted tools.
    pub refused: Vec<RejectedTool>,
    /// Renamed top-level parameters by the tool's name on the wire. Maps the key on the wire to the
    /// key of the definition.
    #[serde(skip)]
    pub keys: BTreeMap<String, BTreeMap<String, String>>,
    /// Definitions whose optional parameters are sent as required and nullable, by the tool's name
    /// on the wire.
    #[serde(skip)]
    pub nullable: BTreeMap<String, ToolDefinition>,
}

impl ProviderTools {
    /// Creates a conversion without losses.
    pub fn new(tools: Value) -> Self {
        Self {
            tools,
            ..Self::default()
        }
    }

    /// Returns the name of the definition for a name on the wire, or `wire` if it is unknown. What leaked into the name
    /// from the template of the model, as in `functions.add` or `add<|channel|>commentary`, is ignored.
    pub fn canonical_name<'n>(&'n self, wire: &'n str) -> &'n str {
        let own = self.names.get(wire);
        let own = own.or_else(|| self.names.get(without_template(wire)?));
        own.map_or(wire, String::as_str)
    }

    /// Returns the name on the wire for the name of a definition.
    pub fn wire_name(&self, name: &str) -> Option<&str> {
        let is_meant = |(_, own): &(&String, &String)| *own == name;
        let own = self.names.get_key_value(name).filter(is_meant);
        let found = own.or_else(|| self.names.iter().find(is_meant));
        found.map(|(wire, _)| wire.as_str())
    }
}

/// Writes the tools as indented JSON, in their wire format.
impl fmt::Display for ProviderTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.tools)
    }
}
