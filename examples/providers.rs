//! One tool in the format of every provider, with all lossy changes.
//!
//! `cargo run --example providers`
//! `cargo run --example providers -- mistral bedrock`

use std::error::Error;

use toolwright::prelude::*;
use toolwright::providers::Options;
use toolwright::{Dialect, serde_json};

#[data]
struct Search {
    /// Search terms.
    #[schemars(length(min = 2))]
    query: String,
    /// Maximum number of results.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<u8>,
    /// Sort order of the results.
    order: Order,
}

#[data]
enum Order {
    /// Newest first.
    Newest,
    /// Most relevant first.
    Best,
}

fn main() -> Result<(), Box<dyn Error>> {
    let tool = search();
    for provider in chosen()? {
        show(provider, &tool);
    }
    Ok(())
}

fn search() -> ToolDefinition {
    let schema = toolwright::schema_of::<Search>();
    ToolDefinition::new("web.search", "Searches the web.", schema)
        .with_risk(RiskLevel::ReadOnly)
        .with_example(serde_json::json!({"query": "rust", "order": "Newest"}))
}

/// Returns the providers named on the command line, or all.
fn chosen() -> Result<Vec<Provider>, Box<dyn Error>> {
    let named = std::env::args().skip(1).map(|name| name.parse());
    let named = named.collect::<Result<Vec<Provider>, _>>()?;
    Ok(if named.is_empty() {
        Provider::ALL.to_vec()
    } else {
        named
    })
}

fn show(provider: Provider, tool: &ToolDefinition) {
    let dialect = provider.with_options(Options::default().with_examples(true));
    let converted = dialect.convert(std::slice::from_ref(tool));

    println!("## {provider}\n\n{:#}\n", converted.request);
    for loss in &converted.losses {
        let action = serde_json::to_value(loss.action).unwrap_or_default();
        let action = action.as_str().unwrap_or_default();
        println!(
            "{action} {} {}: {}",
            loss.keyword, loss.pointer, loss.detail
        );
    }
    for refused in &converted.refused {
        println!("refused {}: {}", refused.tool, refused.reason);
    }
    println!();
}
