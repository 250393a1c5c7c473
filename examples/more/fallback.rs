//! A second model replies if the first one fails.
//!
//! `cargo run -p examples --example fallback`

use std::time::Duration;

use agent_loop::{
    AgentLoop, Event, EventKind, Model, ModelError, ModelReply, ModelRequest, ModelRetry,
    ScriptedModel,
};
use async_trait::async_trait;
use tool_core::Registry;

/// Model whose server is down.
struct Unreachable;

#[async_trait]
impl Model for Unreachable {
    async fn respond(&self, _request: &ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        Err(ModelError::Unreachable {
            origin: "http://127.0.0.1:9".to_owned(),
            reason: "the connection was refused",
        })
    }
}

#[tokio::main]
async fn main() {
    let spare = ScriptedModel::new([ModelReply::text("Hello from the second model.")]);
    let agent = AgentLoop::new(Registry::new(), Unreachable)
        .retry(ModelRetry::attempts(2).delays(Duration::from_millis(10), Duration::from_millis(10)))
        .fallback(spare)
        .on_event(|event: &Event<'_>| match event.kind {
            EventKind::ModelRetried {
                attempts, error, ..
            } => println!("attempt {attempts} failed: {error}"),
            EventKind::ModelChanged { error } => println!("next model, because: {error}"),
            _ => {}
        });

    let outcome = agent.run("Greet me.").await;

    println!("{}", outcome.reply.unwrap_or_default());
}
