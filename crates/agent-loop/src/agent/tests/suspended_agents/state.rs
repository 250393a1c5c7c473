//! State of suspended agents: changes, repeated decisions and the ledger.

use super::*;

#[tokio::test]
async fn decision_for_changed_definition_is_rejected() {
    for (send, ask, calls) in [
        ("Sends it to everyone.", "Asks.", 1),
        ("Sends.", "Asks everyone.", 0),
    ] {
        let office = Office::new();
        let stored = office.suspended(office.root()).await;
        let changed = Office {
            send,
            ask,
            ..office.clone()
        };
        let before = office.events.lock().unwrap().len();

        let outcome = resumed(changed.root(), &stored, Answer::Approve).await;

        assert_eq!(outcome.status, Status::Completed);
        assert_eq!(office.effects(), (1, 0));
        let rejected = result(&outcome, 0).contains("changed after the request");
        assert_eq!(rejected, calls == 0, "{}", result(&outcome, 0));
        let has_run = office.events.lock().unwrap().len() > before;
        assert_eq!(has_run, calls == 1);
    }
}

#[tokio::test]
async fn decision_for_changed_arguments_is_rejected() {
    let waiting = "/run/results/1/metadata/approval/request/arguments/text";
    for (changed, runs_agent) in [(waiting, true), ("/call/arguments/text", false)] {
        let office = Office::new();
        let root = || office.root_with(&[text("ask", "p1", "mail")]);
        let mut stored = office.suspended(root()).await;
        let agents = stored["agents"].as_object_mut().unwrap();
        let agent = agents.values_mut().next().unwrap();
        *agent.pointer_mut(changed).unwrap() = json!("other");

        let outcome = resumed(root(), &stored, Answer::Approve).await;

        assert_eq!(outcome.status, Status::Completed);
        assert_eq!(office.effects(), (1, 0), "{changed}");
        let agent_has_run = result(&outcome, 0) == "The clerk is done.";
        assert_eq!(agent_has_run, runs_agent, "{}", result(&outcome, 0));
    }
}

#[tokio::test]
async fn call_of_agent_is_approved_once() {
    let office = Office {
        ask_risk: RiskLevel::Dangerous,
        ..Office::new()
    };
    let stored_call = office.suspended(office.root()).await;
    assert_eq!(read(&stored_call).requests().next().unwrap().tool, "ask");

    let outcome = resumed(office.root(), &stored_call, Answer::Approve).await;

    assert_eq!(outcome.status, Status::AwaitingApproval);
    let stored = stored(&outcome);
    let requests: Vec<_> = read(&stored).requests().cloned().collect();
    assert_eq!((requests.len(), requests[0].tool.as_str()), (1, "send"));

    let outcome = resumed(office.root(), &stored, Answer::Approve).await;

    assert_eq!(
        (outcome.status, office.effects()),
        (Status::Completed, (1, 1))
    );
    assert_eq!(outcome.usage.total_tokens(), 4 * 11);
}

#[tokio::test]
async fn resumed_agent_uses_the_same_keys() {
    for ask_risk in [RiskLevel::ReadOnly, RiskLevel::SafeWrite] {
        let office = Office {
            ask_risk,
            ..Office::new()
        };
        let stored = office.suspended(office.root()).await;
        let run = office.events.lock().unwrap()[0].0.clone();
        let note = ("n1".to_owned(), LedgerState::Done, 1);
        assert_eq!(office.recorded(&run).await, std::slice::from_ref(&note));

        // The second process crashes after the call.
        for _ in 0..2 {
            let outcome = resumed(office.root(), &stored, Answer::Approve).await;

            assert_eq!(outcome.status, Status::Completed);
            assert_eq!(result(&outcome, 0), "The clerk is done.");
            let send = ("s1".to_owned(), LedgerState::Done, 1);
            assert_eq!(office.recorded(&run).await, [note.clone(), send]);
        }
        assert_eq!(office.effects(), (1, 1));
    }
}

#[tokio::test]
async fn ledger_does_not_start_suspended_agent_again() {
    let office = Office {
        ask_risk: RiskLevel::SafeWrite,
        ..Office::new()
    };
    let stored = office.suspended(office.root()).await;
    // The host lost the suspended run, and resumes the transcript with the open calls.
    let transcript = serde_json::from_value(stored["transcript"].clone()).unwrap();

    let outcome = office.root().resume(transcript).with_id("root").await;

    assert_eq!(outcome.status, Status::Completed);
    assert_eq!(office.effects(), (1, 0));
}
