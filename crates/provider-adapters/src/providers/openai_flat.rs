//! Functions without an envelope, with OpenAI Chat Completions messages.

use crate::providers::openai;
use crate::schema::Losses;
use crate::wire::{Endpoint, SourceTool, Strictness, Wire, WireTool};

pub(crate) const WIRE: Wire = Wire {
    name: "openai_flat",
    endpoint: Endpoint {
        path: "",
        ..Endpoint::CHAT_COMPLETIONS
    },
    strictness: Strictness::Never,
    max_tools: None,
    tool,
    ..openai::COMPATIBLE_WIRE
};

fn tool(source: SourceTool<'_>, losses: &mut Losses) -> Result<WireTool, String> {
    let mut function = source.named();
    // All three members are required.
    function.entry("description").or_insert_with(|| "".into());
    let translations = (openai::plain_schema as _, openai::plain_schema as _);
    let (_, plain) = openai::seen_by_model(&source, translations);
    let parameters = plain(source.definition.input_schema(), losses)?;
    function.insert("parameters".to_owned(), parameters);
    Ok(WireTool::plain(function))
}
