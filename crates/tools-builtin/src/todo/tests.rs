use serde_json::{Value, json};
use tool_core::ErrorCode;

use super::*;

async fn manage(tool: &TodoManager, input: Value) -> Result<TodoPlan, ToolError> {
    let input = serde_json::from_value(input).unwrap();
    tool.run(&ToolContext::test(), input).await
}

async fn replaced(items: Value) -> Result<TodoPlan, ToolError> {
    manage(&TodoManager::default(), json!({"items": items})).await
}

fn step(content: &str, status: &str) -> Value {
    json!({"content": content, "activeForm": format!("{content}ing"), "status": status})
}

fn steps(statuses: &[&str]) -> Value {
    statuses.iter().map(|status| step("Test", status)).collect()
}

fn statuses(plan: &TodoPlan) -> Vec<Value> {
    plan.items.iter().map(|item| json!(item.status)).collect()
}

#[tokio::test]
async fn starts_first_pending_step_as_documented() {
    let plan = replaced(json!([
        {"content": "Gather context", "activeForm": "Gathering context", "status": "pending"},
        {"content": "Map domains", "activeForm": "Mapping domains", "status": "pending"}
    ]))
    .await
    .unwrap();

    assert_eq!(
        serde_json::to_value(&plan).unwrap(),
        json!({
            "items": [
                {
                    "id": "step-1",
                    "content": "Gather context",
                    "activeForm": "Gathering context",
                    "status": "in_progress"
                },
                {
                    "id": "step-2",
                    "content": "Map domains",
                    "activeForm": "Mapping domains",
                    "status": "pending"
                }
            ],
            "maxItems": 15,
            "currentItem": {
                "id": "step-1",
                "content": "Gather context",
                "activeForm": "Gathering context",
                "status": "in_progress"
            }
        })
    );
}

#[tokio::test]
async fn keeps_one_step_in_progress_until_completed() {
    let (p, i, c) = ("pending", "in_progress", "completed");
    for (sent, kept, current) in [
        (&[][..], &[][..], None),
        (&[p], &[i], Some("step-1")),
        (&[c, p, p], &[c, i, p], Some("step-2")),
        (&[p, i, p], &[p, i, p], Some("step-2")),
        (&[p, c], &[i, c], Some("step-1")),
        (&[c, c], &[c, c], None),
        (&[i], &[i], Some("step-1")),
    ] {
        let plan = replaced(steps(sent)).await.unwrap();

        assert_eq!(statuses(&plan), kept, "{sent:?}");
        assert_eq!(plan.current_item.map(|item| item.id).as_deref(), current);
    }
}

#[tokio::test]
async fn rejects_two_steps_in_progress() {
    let error = replaced(steps(&["in_progress", "pending", "in_progress"]))
        .await
        .unwrap_err();

    assert_eq!(error.code(), &ErrorCode::InvalidArguments);
    assert_eq!(
        error.to_string(),
        "`items` has more than one step in progress: step 1, step 3. \
         Keep one in progress and set the others to pending or completed."
    );
}

#[tokio::test]
async fn accepts_15_steps_and_rejects_16() {
    let most = replaced(steps(&["pending"; 15])).await.unwrap();
    let error = replaced(steps(&["pending"; 16])).await.unwrap_err();

    assert_eq!(most.items.last().unwrap().id, "step-15");
    assert_eq!(
        error.message(),
        "`items` has 16 steps; at most 15 are allowed."
    );
}

#[tokio::test]
async fn rejects_blank_and_long_fields_with_their_index() {
    let long = "x".repeat(501);
    for (items, parameter) in [
        (json!([step(" ", "pending")]), "items[0].content"),
        (json!([step(&long, "pending")]), "items[0].content"),
        (
            json!([step("Test", "pending"), {"content": "a", "activeForm": "", "status": "pending"}]),
            "items[1].activeForm",
        ),
    ] {
        let error = replaced(items).await.unwrap_err();

        assert_eq!(error.parameter(), Some(parameter));
    }
}

#[tokio::test]
async fn rejected_plan_keeps_previous_plan() {
    let store = TodoStore::default();
    let tool = TodoManager {
        store: store.clone(),
    };
    let kept = manage(&tool, json!({"items": steps(&["pending"])}))
        .await
        .unwrap();

    let refused = manage(&tool, json!({"items": steps(&["in_progress"; 2])})).await;

    assert!(refused.is_err());
    assert_eq!(store.plan(), kept);
}

#[tokio::test]
async fn new_plan_replaces_old_plan() {
    let store = TodoStore::default();
    let tool = TodoManager {
        store: store.clone(),
    };
    manage(&tool, json!({"items": steps(&["completed", "pending"])}))
        .await
        .unwrap();

    let plan = manage(&tool, json!({"items": [step("New", "pending")]}))
        .await
        .unwrap();

    assert_eq!(store.plan(), plan);
    assert_eq!(plan.items.len(), 1);
}

#[tokio::test]
async fn empty_list_clears_plan() {
    let store = TodoStore::default();
    let tool = TodoManager {
        store: store.clone(),
    };
    manage(&tool, json!({"items": steps(&["pending"])}))
        .await
        .unwrap();

    manage(&tool, json!({"items": []})).await.unwrap();

    assert_eq!(store.plan(), TodoPlan::default());
}

#[tokio::test]
async fn subscribers_are_notified_only_of_changes() {
    let store = TodoStore::default();
    let tool = TodoManager {
        store: store.clone(),
    };
    let mut changes = store.subscribe();

    let plan = manage(&tool, json!({"items": steps(&["pending"])}))
        .await
        .unwrap();

    assert!(changes.has_changed().unwrap());
    assert_eq!(*changes.borrow_and_update(), plan);
    manage(&tool, json!({"items": steps(&["pending"])}))
        .await
        .unwrap();
    assert!(!changes.has_changed().unwrap());
}

#[tokio::test]
async fn sessions_have_separate_plans() {
    let (first, second) = (TodoStore::default(), TodoStore::default());

    manage(
        &TodoManager {
            store: first.clone(),
        },
        json!({"items": steps(&["pending"])}),
    )
    .await
    .unwrap();

    assert_eq!(first.plan().items.len(), 1);
    assert_eq!(second.plan(), TodoPlan::default());
}

#[test]
fn accepts_both_spellings_of_active_form() {
    let read = |name: &str| {
        let step = json!({"content": "Test", name: "Testing", "status": "pending"});
        serde_json::from_value::<TodoStep>(step).unwrap()
    };

    assert_eq!(read("activeForm"), read("active_form"));
}

#[test]
fn rejects_steps_with_missing_fields() {
    for lacking in ["content", "activeForm", "status"] {
        let mut incomplete = step("Test", "pending");
        incomplete.as_object_mut().unwrap().remove(lacking);

        assert!(
            serde_json::from_value::<TodoStep>(incomplete).is_err(),
            "{lacking}"
        );
    }
}

#[test]
fn plan_round_trips_through_json() {
    let plan = TodoPlan::parse(serde_json::from_value(steps(&["completed", "pending"])).unwrap());
    let plan = plan.unwrap();

    let stored = serde_json::to_string(&plan).unwrap();

    assert_eq!(serde_json::from_str::<TodoPlan>(&stored).unwrap(), plan);
}

#[test]
fn renders_checklist() {
    let steps = serde_json::from_value(steps(&["completed", "pending", "pending"])).unwrap();

    let text = TodoManager::render(&TodoPlan::parse(steps).unwrap());

    assert_eq!(
        text,
        "1 of 3 steps done\n[x] step-1: Test\n[>] step-2: Testing\n[ ] step-3: Test"
    );
}

#[test]
fn schema_matches_document() {
    let schema = tool_core::schema_of::<TodoManagerInput>();

    let item = &schema["properties"]["items"]["items"];
    assert_eq!(item["required"], json!(["content", "activeForm", "status"]));
    assert_eq!(schema["properties"]["items"]["maxItems"], 15);
    assert_eq!(
        item["properties"]["status"]["enum"],
        json!(["pending", "in_progress", "completed"])
    );
}
