//! Laws of every tool that the crates provide, with every provider.

use std::sync::Arc;

use async_trait::async_trait;
use provider_adapters::Provider;
use tool_core::{Dialect, tool};
use tool_test::{Laws, Scratch, laws};
use tools_builtin::toolsets::{self, ToolGroup};
use tools_builtin::web::{SearchError, SearchProvider, SearchResult};
use tools_builtin::{Kit, Workspace};

/// Returns one result for each query.
#[derive(Debug)]
struct Echo;

#[async_trait]
impl SearchProvider for Echo {
    fn provider_name(&self) -> &'static str {
        "echo"
    }

    async fn search(&self, query: &str, _count: usize) -> Result<Vec<SearchResult>, SearchError> {
        let found = SearchResult::new(query, "https://example.com/", query.repeat(100));
        Ok(vec![found; 30])
    }
}

/// Adds two numbers.
#[tool(risk = read_only)]
fn add(a: f64, b: f64) -> f64 {
    a + b
}

#[tokio::test]
async fn tool_of_readme_satisfies_laws() {
    // Another test compares the README with the example.
    let source = include_str!("../../examples/minimal.rs");
    assert!(source.contains("fn add(a: f64, b: f64) -> f64 {\n    a + b\n}"));

    laws(Arc::new(Add), &[&Provider::OpenAi, &Provider::Gemini]).await;
}

#[tokio::test]
async fn all_tools_satisfy_laws_with_every_provider() {
    let scratch = Scratch::new()
        .file("a", "one\n")
        .file("src/main.rs", "fn main() {}\n");
    let kit = Kit::new(Workspace::open(scratch.path()).unwrap()).with_search(Arc::new(Echo));
    let dialects: Vec<&dyn Dialect> = Provider::ALL
        .iter()
        .map(|provider| provider as &dyn Dialect)
        .collect();

    let mut groups = ToolGroup::ALL.iter();
    let toolset = toolsets::standard(&kit).and_then(|standard| {
        groups.try_fold(standard, |toolset, group| group.add_to(toolset, &kit))
    });
    for tool in toolset.unwrap().tools() {
        let laws = Laws::of(tool.clone())
            .dialects(&dialects)
            .closed()
            .run_dangerous();

        assert_eq!(laws.check().await, [], "{}", tool.definition().name());
    }
}
