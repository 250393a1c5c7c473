//! Define a tool, call it, and print the definition in the format of four providers.
//!
//! cargo run --example minimal

use provider_adapters::Provider::{Anthropic, Gemini, Ollama, OpenAi};
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Add {
    a: f64,
    b: f64,
}
#[tokio::main]
async fn main() -> Result<(), tool_core::RegisterError> {
    let add = tool_core::tool_fn("add", "Adds.", |_, x: Add| async move { Ok(x.a + x.b) });
    let tools = tool_core::Registry::of(add)?;
    println!("{}", tools.execute_text("add", r#"{"a":2,"b":40}"#).await);
    let _ = [OpenAi, Anthropic, Gemini, Ollama].map(|p| println!("{}", tools.definitions(&p)));
    Ok(())
}
