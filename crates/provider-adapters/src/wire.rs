//! Which provider does what: the one place that tells the folders apart when definitions go out.

use tool_core::{Loss, LossAction};

use crate::encode::IdRule;
use crate::names::NameRule;
use crate::plan::{Asked, Planned, Spoken};
use crate::schema::{Losses, measure};
use crate::{Provider, anthropic, gemini, ollama, openai};

impl Provider {
    pub(crate) fn name_rule(self) -> NameRule {
        match self {
            Self::OpenAi | Self::Anthropic => NameRule::Portable,
            Self::Gemini | Self::GeminiOpenApi => NameRule::LeadingLetter,
            Self::Ollama => NameRule::Free,
        }
    }

    pub(crate) fn id_rule(self) -> IdRule {
        match self {
            Self::OpenAi => IdRule::Short,
            Self::Anthropic => IdRule::Portable,
            Self::Gemini | Self::GeminiOpenApi | Self::Ollama => IdRule::Free,
        }
    }

    /// Whether the provider can hold a model to a schema, tool by tool.
    pub(crate) fn has_strict_tools(self) -> bool {
        matches!(self, Self::OpenAi | Self::Anthropic)
    }

    /// Says one tool, or why it cannot be said.
    pub(crate) fn say(self, asked: Asked<'_>, losses: &mut Losses) -> Result<Spoken, String> {
        measure(asked.definition.input_schema())?;
        match self {
            Self::OpenAi => openai::tool(asked, losses),
            Self::Anthropic => anthropic::tool(asked, losses),
            Self::Gemini => gemini::tool(asked, losses),
            Self::GeminiOpenApi => gemini::openapi_tool(asked, losses),
            Self::Ollama => ollama::tool(asked, losses),
        }
    }

    fn max_tools(self) -> Option<usize> {
        match self {
            Self::OpenAi | Self::Gemini | Self::GeminiOpenApi => Some(128),
            Self::Anthropic | Self::Ollama => None,
        }
    }

    fn max_description_chars(self) -> Option<usize> {
        (self == Self::OpenAi).then_some(1024)
    }

    /// The limits that the tools exceed together or alone; they are sent all the same.
    pub(crate) fn limits_exceeded(self, tools: &[Planned]) -> Vec<Loss> {
        let mut losses = Vec::new();
        if let Some(most) = self.max_tools()
            && tools.len() > most
        {
            let detail = format!("{} tools; {self} takes {most}", tools.len());
            losses.push(Loss::new("", "", "tools", LossAction::OverLimit, detail));
        }
        let most = self.max_description_chars().unwrap_or(usize::MAX);
        for tool in tools {
            let length = tool.definition.description().chars().count();
            if length > most {
                let detail = format!("a description of {length} characters; {self} takes {most}");
                let name = tool.definition.name();
                losses.push(Loss::new(
                    name,
                    "",
                    "description",
                    LossAction::OverLimit,
                    detail,
                ));
            }
        }
        losses
    }
}
