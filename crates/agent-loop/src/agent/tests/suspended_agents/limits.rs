//! Budgets of suspended agents.

use super::*;

#[tokio::test]
async fn usage_of_resumed_agent_counts_once() {
    let office = Office::new();
    let outcome = office.root().run("Go").await;
    assert_eq!(outcome.usage.total_tokens(), 2 * 11);

    let outcome = resumed(office.root(), &stored(&outcome), Answer::Approve).await;

    assert_eq!(outcome.usage.total_tokens(), 4 * 11);
    assert_eq!((outcome.usage.turns, outcome.usage.calls), (2, 2));
}

#[tokio::test]
async fn resumed_agent_shares_the_rest_of_the_budget() {
    // The agent replies before the decision, and after it while the limit allows it.
    for (most, turns) in [(23, 1), (33, 1), (34, 2), (100, 2)] {
        let office = Office::new();
        let replies = || {
            let again = ModelReply::calls([text("note", "n2", "more")]);
            let first = ModelReply::calls([text("send", "s1", "mail")]);
            script([first, again, ModelReply::text("Done.")])
        };
        let root = || {
            let clerk = AgentLoop {
                model: Box::new(replies()),
                ..office.clerk()
            };
            let root = office.manager(clerk, &[call("p1", "ask")]);
            root.wait_for_approvals(ApprovalWait::Suspend)
                .max_total_tokens(most)
        };
        let stored = office.suspended(root()).await;
        let used = TotalUsage::deserialize(&stored["usage"]).unwrap();
        assert_eq!(used.total_tokens(), 22);

        let outcome = resumed(root(), &stored, Answer::Approve).await;

        let tokens = outcome.usage.total_tokens();
        let root_turns = u64::from(outcome.usage.turns);
        assert_eq!(tokens, 11 * (root_turns + 1 + turns), "{most}");
        let is_over = tokens >= most;
        assert_eq!(outcome.status == Status::BudgetExceeded, is_over, "{most}");
    }
}
