//! Data of a provider's dialect.
//!
//! Each provider's directory or file defines one [`Wire`], so that other modules do not distinguish providers.

mod endpoint;
mod model_settings;
pub(crate) mod names;
mod tool;

use std::hash::{Hash, Hasher};

use serde_json::Value;

pub use endpoint::{Endpoint, Framing, ReplyFormat, StreamSwitch, UsageFields};
pub use model_settings::{Effort, ModelSettings};
pub(crate) use names::{IdRule, Ids, NameRule};
pub(crate) use tool::{Draft, Planned, SourceTool, WireChoice, WireTool, member, with_member};

use crate::decoded::Choice;
use crate::schema::Losses;
use crate::stream::Accumulator;
use crate::transcript::{Conversation, ImageRules};
use crate::{DecodeError, Object, Options, StrictMode};

/// Dialect of one provider: name, limits, endpoint and conversion functions.
///
/// Applications define one to add a provider that uses the dialect of a known one, with a different endpoint or with
/// changes to the JSON of requests and responses.
///
/// # Examples
/// ```
/// use provider_adapters::{Endpoint, Provider, Wire};
///
/// static ACME: Wire = Wire::new(
///     "acme",
///     Provider::OpenAi.wire(),
///     Endpoint { path: "chat", ..Endpoint::CHAT_COMPLETIONS.at("https://api.acme.example") },
/// );
/// let provider = Provider::Custom(&ACME);
/// assert_eq!(provider.as_str(), "acme");
/// assert_eq!(provider.endpoint().path, "chat");
/// ```
#[derive(Clone, Copy)]
pub struct Wire {
    /// Name of the provider, unique among all providers of a process.
    pub(crate) name: &'static str,
    pub(crate) endpoint: Endpoint,
    pub(crate) names: NameRule,
    pub(crate) ids: IdRule,
    pub(crate) strictness: Strictness,
    /// Maximum number of tools in one request.
    pub(crate) max_tools: Option<usize>,
    /// Maximum number of characters in the description of a tool.
    pub(crate) max_description: Option<usize>,
    pub(crate) extras: Extras,
    /// Converts one tool, or returns the reason for rejecting it.
    pub(crate) tool: fn(SourceTool<'_>, &mut Losses) -> Result<WireTool, String>,
    /// Returns the members for tool choice and parallel calls.
    pub(crate) request: fn(&mut Draft<'_>) -> Object,
    /// Combines the tools with the other members of the request.
    pub(crate) body: fn(Vec<Value>, Object) -> Body,
    pub(crate) decode: fn(&Object) -> DecodedChoices,
    pub(crate) accumulator: fn() -> Box<dyn Accumulator>,
    pub(crate) encode: fn(&mut Conversation) -> Value,
}

/// Value of the tools key, and the request members that contain it.
pub(crate) type Body = (Value, Object);

/// Choices of a complete response.
type DecodedChoices = Result<Vec<Choice>, DecodeError>;

/// Support for strict tools, whose schemas constrain the model's output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// No support.
    Never,
    /// Support by some models or addresses, so that the caller must enable it.
    WhenAsked,
    /// One switch for all tools of a request.
    OfRequest,
    /// Support per tool.
    Always,
    /// Support per tool, but strict tools exclude parallel calls.
    OneCallAtATime,
}

/// Optional features of a provider.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extras {
    /// Adds cache markers to an encoded conversation. `None` if the provider does not support them.
    pub(crate) cache: Option<fn(&mut Value)>,
    /// The provider's own tool that searches among deferred tools. `None` if the provider does not support them.
    pub(crate) search: Option<fn() -> Value>,
    /// Examples of arguments.
    pub(crate) examples: bool,
    /// Prefixes of the media types of audio in messages of the user and in results.
    pub(crate) audio: &'static [&'static str],
    /// Images in messages of the user and in results.
    pub(crate) images: ImageRules,
    /// Embedded resources in results.
    pub(crate) resources: bool,
    /// PDF documents in messages of the user.
    pub(crate) documents: bool,
}

impl Extras {
    /// Only a forced tool choice while the model thinks.
    pub(crate) const NONE: Self = Self {
        cache: None,
        search: None,
        examples: false,
        audio: &[],
        images: ImageRules::USUAL,
        resources: false,
        documents: false,
    };
}

/// Returns the request members with the tools under `tools`.
pub(crate) fn tools_beside(tools: Vec<Value>, mut extra: Object) -> Body {
    let tools = Value::Array(tools);
    extra.insert("tools".to_owned(), tools.clone());
    (tools, extra)
}

impl Wire {
    /// Creates a provider with the dialect of `base` and a separate endpoint.
    ///
    /// `name` must be unique, because converted tools are cached by it.
    pub const fn new(name: &'static str, base: &Self, endpoint: Endpoint) -> Self {
        Self {
            name,
            endpoint,
            ..*base
        }
    }

    /// Returns the strict mode that the provider supports.
    pub(crate) fn strict_mode(&self, options: &Options) -> StrictMode {
        let costs_calls =
            self.strictness == Strictness::OneCallAtATime && options.parallel == Some(true);
        match (self.strictness, options.strict) {
            (Strictness::Never | Strictness::OfRequest, _)
            | (Strictness::WhenAsked, StrictMode::Auto) => StrictMode::Off,
            // The caller has asked for parallel calls, and strict tools are only a default.
            (_, StrictMode::Auto) if costs_calls => StrictMode::Off,
            (_, mode) => mode,
        }
    }
}

impl PartialEq for Wire {
    fn eq(&self, other: &Self) -> bool {
        // By name, because the address of a function is not unique.
        self.name == other.name
    }
}

impl Eq for Wire {}

impl Hash for Wire {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

tool_core::debug_fields!(Wire, this => name: this.name, endpoint: this.endpoint);
