use std::sync::atomic::{AtomicU64, Ordering};

use tool_core::clock::Clock;
use tool_ledger::{LedgerLimits, MemoryLedger};

use super::*;

/// Clock that a test moves.
#[derive(Clone, Default)]
struct Moved(Arc<AtomicU64>);

impl Clock for Moved {
    fn now(&self) -> Timestamp {
        let moved = Duration::from_secs(self.0.load(Ordering::SeqCst));
        Timestamp::now().after(moved)
    }
}

async fn payload_of(tasks: &SharedTasks, id: &str, subject: &str) -> Option<TaskPayload> {
    let task = tasks.get(id, subject).await.unwrap();
    task.map(|task| task.payload)
}

#[tokio::test]
async fn task_of_stopped_process_is_lost_after_lease() {
    let clock = Moved::default();
    let ledger = MemoryLedger::with_clock(LedgerLimits::default(), clock.clone());
    let tasks = SharedTasks::new(Arc::new(ledger));
    let run = tasks.begin("1", "ada").await.unwrap();

    clock.0.store(10, Ordering::SeqCst);
    assert_eq!(tasks.renew(&run).await.unwrap(), Events::default());
    clock.0.store(20, Ordering::SeqCst);
    assert_eq!(
        payload_of(&tasks, "1", "ada").await,
        Some(TaskPayload::Working)
    );
    clock.0.store(26, Ordering::SeqCst);
    let lost = payload_of(&tasks, "1", "ada").await;

    let Some(TaskPayload::Completed { result }) = lost else {
        panic!("{lost:?}");
    };
    assert_eq!(
        (&result["isError"], &result["structuredContent"]["code"]),
        (&json!(true), &json!("outcome_unknown"))
    );
}

#[tokio::test]
async fn task_is_found_by_its_client_only() {
    let tasks = SharedTasks::new(Arc::new(MemoryLedger::new()));
    assert!(tasks.begin("1", "ada").await.is_some());

    assert!(tasks.begin("1", "ada").await.is_none());
    assert_eq!(payload_of(&tasks, "1", "bob").await, None);
    assert_eq!(payload_of(&tasks, "2", "ada").await, None);
    tasks.cancel("1", "bob").await.unwrap();
    assert_eq!(
        payload_of(&tasks, "1", "ada").await,
        Some(TaskPayload::Working)
    );
}

#[tokio::test]
async fn responses_are_bounded() {
    let tasks = SharedTasks::new(Arc::new(MemoryLedger::new()));
    let run = tasks.begin("1", "ada").await.unwrap();
    let requests: InputRequests =
        serde_json::from_value(json!({"a": {"method": "roots/list", "params": {}}})).unwrap();
    tasks.ask(&run, 1, &requests).await.unwrap();

    for number in 0..MAX_EVENTS + 10 {
        let junk = InputResponses::from([(format!("junk {number}"), Value::Null)]);
        tasks.answer("1", "ada", &junk).await.unwrap();
    }
    let answer = InputResponses::from([("a".to_owned(), json!({"roots": []}))]);
    tasks.answer("1", "ada", &answer).await.unwrap();

    let events = tasks.renew(&run).await.unwrap();
    assert_eq!((events.round, events.responses), (1, answer));
    assert_eq!(
        payload_of(&tasks, "1", "ada").await,
        Some(TaskPayload::Working)
    );
}
