//! Functions without an envelope, with OpenAI Chat Completions messages.

use serde_json::Value;

use crate::providers::openai;
use crate::schema::Losses;
use crate::wire::{Asked, Endpoint, Spoken, Strictness, Wire};

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

fn tool(asked: Asked<'_>, losses: &mut Losses) -> Result<Spoken, String> {
    let mut function = asked.named();
    // All three members are required.
    function.entry("description").or_insert_with(|| "".into());
    let translations = (openai::plain_schema as _, openai::plain_schema as _);
    let (_, plain) = openai::seen_by_model(&asked, translations);
    let parameters = plain(asked.definition.input_schema(), losses)?;
    function.insert("parameters".to_owned(), parameters);
    Ok(Spoken {
        tool: Value::Object(function),
        ..Spoken::default()
    })
}
