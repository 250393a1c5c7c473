//! Cost of runs, and of runs that are tools.

use std::sync::atomic::{AtomicUsize, Ordering};

use tool_core::ToolDefinition;

use super::*;
use crate::{ModelIdentity, PriceTable, Prices};

/// Model with a name that uses 1,000 input tokens per turn.
struct Named(&'static str, ScriptedModel);

#[async_trait]
impl Model for Named {
    async fn respond(&self, request: &ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        let reply = self.1.respond(request).await?;
        Ok(reply.with_usage(1000, 0))
    }

    fn identity(&self) -> Option<ModelIdentity<'_>> {
        Some(ModelIdentity::new("test", self.0))
    }
}

fn close(cost: Option<f64>, expected: f64) -> bool {
    cost.is_some_and(|cost| (cost - expected).abs() < 1e-9)
}

fn ask() -> ToolDefinition {
    ToolDefinition::new("ask", "Asks.", json!({"type": "object"}))
}

#[tokio::test]
async fn checks_cost_before_each_turn() {
    let prices = Prices::new(1000.0, 10_000.0);

    // One turn has 100 input and 10 output tokens, which cost 0.2.
    for (most, turns) in [(0.1, 1), (0.3, 2), (0.5, 3)] {
        let outcome = AgentLoop::new(registry(), endless_model())
            .max_cost(most, prices)
            .run("Go")
            .await;

        assert_eq!(
            (outcome.status, outcome.usage.turns),
            (Status::BudgetExceeded, turns)
        );
    }
}

#[tokio::test]
async fn each_turn_has_the_price_of_its_model() {
    let dear = Named(
        "dear",
        ScriptedModel::new([ModelReply::calls([echo("a", "one")])]),
    );
    let cheap = Named("cheap", ScriptedModel::new([ModelReply::text("Done.")]));
    let table =
        PriceTable::new(Prices::new(1000.0, 0.0)).with_model("cheap", Prices::new(1.0, 0.0));
    let costs = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&costs);
    let agent = AgentLoop::new(registry(), dear)
        .fallback(cheap)
        .prices(table)
        .on_event(move |event: &Event<'_>| {
            if let EventKind::ModelReplied { cost, .. } = event.kind {
                log.lock().unwrap().push(cost);
            }
        });

    let outcome = agent.run("Go").await;

    assert!(close(outcome.usage.cost, 1.001), "{:?}", outcome.usage);
    let costs = costs.lock().unwrap();
    assert!(close(costs[0], 1.0) && close(costs[1], 0.001), "{costs:?}");
}

#[tokio::test]
async fn run_without_prices_has_no_cost() {
    let outcome = agent([ModelReply::text("Done.").with_usage(10, 1)])
        .run("Go")
        .await;

    assert_eq!(outcome.usage.cost, None);
}

#[tokio::test]
async fn cost_of_agent_tool_has_its_own_or_the_parent_prices() {
    for (own, expected) in [(Some(Prices::new(5.0, 0.0)), 2.005), (None, 3.0)] {
        let child = AgentLoop::new(
            registry(),
            Named("child", ScriptedModel::new([ModelReply::text("42.")])),
        );
        let child = match own {
            Some(prices) => child.prices(prices),
            None => child,
        };
        let replies = [
            ModelReply::calls([call("c", "ask")]),
            ModelReply::text("Done."),
        ];
        let parent = AgentLoop::new(
            Registry::of(child.as_tool(ask())).unwrap(),
            Named("parent", ScriptedModel::new(replies)),
        )
        .max_cost(100.0, Prices::new(1000.0, 0.0));

        let outcome = parent.run("Go").await;

        assert!(close(outcome.usage.cost, expected), "{:?}", outcome.usage);
    }
}

#[tokio::test]
async fn agent_tools_share_the_budget_of_the_parent() {
    let turns = Arc::new(AtomicUsize::new(0));
    let child = |turns: &Arc<AtomicUsize>| {
        let turns = Arc::clone(turns);
        let endless = ScriptedModel::from_fn(move |_| {
            let turn = turns.fetch_add(1, Ordering::Relaxed);
            ModelReply::calls([echo(&format!("e{turn}"), "one")])
        });
        AgentLoop::new(registry(), Named("child", endless))
            .max_turns(1000)
            .stuck_after(0)
    };
    let replies = || [ModelReply::calls([call("c", "ask"), call("d", "ask")])];
    let parent = |limit: fn(AgentLoop) -> AgentLoop| {
        let tools = Registry::of(child(&turns).as_tool(ask())).unwrap();
        limit(AgentLoop::new(
            tools,
            Named("parent", ScriptedModel::new(replies())),
        ))
    };
    for limit in [
        (|agent| agent.max_total_tokens(10_000)) as fn(AgentLoop) -> AgentLoop,
        |agent| agent.max_cost(10.0, Prices::new(1000.0, 0.0)),
    ] {
        turns.store(0, Ordering::Relaxed);

        let outcome = parent(limit).run("Go").await;

        assert_eq!(outcome.status, Status::BudgetExceeded);
        // Both calls check the limit before each turn, and may exceed it by one turn.
        let turns = turns.load(Ordering::Relaxed);
        assert!((9..=10).contains(&turns), "{turns}");
        assert!(outcome.usage.total_tokens() <= 11_000);
    }
}

#[tokio::test]
async fn limits_keep_extensions_of_the_registry() {
    let read = tool_fn("read", "Reads.", |cx, _: Nothing| async move {
        Ok(cx.extension::<u32>().copied().unwrap_or_default())
    });
    let registry = Registry::builder()
        .extensions(tool_core::Extensions::default().with(7_u32))
        .tool(read)
        .unwrap()
        .build();
    let replies = [
        ModelReply::calls([call("a", "read")]),
        ModelReply::text("Done."),
    ];

    let agent = AgentLoop::new(registry, ScriptedModel::new(replies)).max_total_tokens(100_000);
    let outcome = agent.run("Go").await;

    let results = &transcript_of(&outcome)[2]["results"];
    assert_eq!(results[0]["content"][0]["text"], "7");
}
