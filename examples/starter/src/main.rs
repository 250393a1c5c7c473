//! An agent to start from: a tool of your own, the tools for files and commands, a policy and a test.
//!
//! `OPENAI_API_KEY=… cargo run -- "What does a basket of three pears cost? Write it to notes/basket.md."`

use std::env;
use std::error::Error;
use std::path::Path;

use toolwright::agent::TerminalApprover;
use toolwright::builtin::{Kit, Workspace, toolsets};
use toolwright::prelude::*;

/// Returns the price of a fruit in cents.
#[tool(risk = read_only)]
fn find_price(
    /// English name, in the singular.
    #[tool(max_length = 40)]
    fruit: String,
) -> Result<u32, ToolError> {
    match fruit.as_str() {
        "apple" => Ok(120),
        "pear" => Ok(90),
        _ => Err("We don't sell this fruit. Use `apple` or `pear`".into()),
    }
}

/// Returns the tools. Those for files and commands cannot leave `directory`, and `policy.json` says which calls need approval.
fn tools(directory: &Path, approver: impl Approver + 'static) -> Result<Registry, Box<dyn Error>> {
    let kit = Kit::new(Workspace::open(directory)?);
    Ok(Registry::builder()
        .policy(Policy::from_json(include_str!("../policy.json"))?)
        .approver(approver)
        .tool(FindPrice)?
        .toolset(&toolsets::standard(&kit)?)?
        .build())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let task = env::args()
        .nth(1)
        .ok_or("say what to do: cargo run -- \"…\"")?;
    let name = env::var("MODEL").unwrap_or_else(|_| "openai/gpt-5-mini".to_owned());
    let tools = tools(Path::new("."), TerminalApprover::new())?;
    let outcome = AgentLoop::new(tools, HttpModel::from_env(&name)?)
        .run(task)
        .await;
    if let Some(error) = outcome.error {
        return Err(error.into());
    }
    println!("{}", outcome.reply.unwrap_or_default());
    Ok(())
}

#[cfg(test)]
mod tests {
    use toolwright::agent::ScriptedModel;
    use toolwright::serde_json::json;
    use toolwright::test::Scratch;

    use super::*;

    /// A person who says no to everything.
    fn nobody() -> impl Approver {
        approver_fn(|_request| Answer::Deny { reason: None })
    }

    #[tokio::test]
    async fn agent_writes_notes_without_approval_and_nothing_else() {
        let scratch = Scratch::new();
        let write =
            |path: &str| ToolCall::new("write", json!({"path": path, "content": "270 cents\n"}));
        // The model is a script, so the test needs no key and no network.
        let model = ScriptedModel::new([
            ModelReply::calls([write("notes/basket.md"), write("prices.md")]),
            ModelReply::text("270 cents"),
        ]);

        let tools = tools(scratch.path(), nobody()).unwrap();
        let outcome = AgentLoop::new(tools, model)
            .run("What do three pears cost?")
            .await;

        assert_eq!(outcome.reply.as_deref(), Some("270 cents"));
        assert_eq!(scratch.read("notes/basket.md"), "270 cents\n");
        assert!(!scratch.has("prices.md"));
    }

    #[tokio::test]
    async fn unknown_fruit_tells_the_model_what_to_do() {
        let tools = tools(Scratch::new().path(), nobody()).unwrap();

        let found = tools.execute("find_price", json!({"fruit": "pear"})).await;
        let missing = tools.execute("find_price", json!({"fruit": "fig"})).await;

        assert_eq!(found.to_string(), "90");
        assert_eq!(
            missing.to_string(),
            "Error: We don't sell this fruit. Use `apple` or `pear`."
        );
    }
}
