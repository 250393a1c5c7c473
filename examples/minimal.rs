//! Define a tool, call it, and print the definition in the format of four providers.
//!
//! `cargo run --example minimal`

use toolwright::prelude::*;
use toolwright::providers::Provider::{Anthropic, Gemini, Ollama, OpenAi};

/// Adds two numbers.
#[tool(risk = read_only)]
fn add(a: f64, b: f64) -> f64 {
    a + b
}

#[tokio::main]
async fn main() -> Result<(), toolwright::RegisterError> {
    let tools = Registry::of(Add)?;
    println!("{}", tools.execute("add", r#"{"a": 2, "b": 40}"#).await);
    let _ = [OpenAi, Anthropic, Gemini, Ollama].map(|p| println!("{}", tools.definitions(&p)));
    Ok(())
}
