//! Define a tool, call it, and print the definition in the format of four providers.
//!
//! `cargo run --example minimal`

use toolwright::prelude::*;
use toolwright::providers::Provider::{Anthropic, Gemini, Ollama, OpenAi};
#[data]
struct Add {
    a: f64,
    b: f64,
}
#[tokio::main]
async fn main() -> Result<(), toolwright::RegisterError> {
    let add = tool_fn("add", "Adds.", |_, x: Add| async move { Ok(x.a + x.b) });
    let tools = Registry::of(add)?;
    println!("{}", tools.execute("add", r#"{"a":2,"b":40}"#).await);
    let _ = [OpenAi, Anthropic, Gemini, Ollama].map(|p| println!("{}", tools.definitions(&p)));
    Ok(())
}
