//! Every tool that is shipped keeps the laws, and every provider can be told about it.

use provider_adapters::Provider;
use tool_core::Dialect;
use tool_test::{Laws, Scratch};
use tools_builtin::{Kit, Workspace, contracts};

#[tokio::test]
async fn every_shipped_tool_keeps_the_laws_with_every_provider() {
    let scratch = Scratch::new()
        .file("a", "one\n")
        .file("src/main.rs", "fn main() {}\n");
    let kit = Kit::new(Workspace::open(scratch.path()).unwrap());
    let dialects: Vec<&dyn Dialect> = Provider::ALL
        .iter()
        .map(|provider| provider as &dyn Dialect)
        .collect();

    for tool in contracts::standard(&kit).unwrap().tools() {
        let laws = Laws::of(tool.clone())
            .dialects(&dialects)
            .closed()
            .run_dangerous();

        assert_eq!(laws.check().await, [], "{}", tool.definition().name());
    }
}
