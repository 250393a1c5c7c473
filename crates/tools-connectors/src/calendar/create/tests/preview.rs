//! Text for an approver.

use std::sync::Arc;

use super::*;
use crate::google::Account;
use crate::google::testing::NoToken;

async fn shown(tool: &CalendarCreateEvent, input: Value) -> String {
    let input = serde_json::from_value(input).unwrap();
    let preview = tool.inspect(&ToolContext::test(), &input).await;
    preview.unwrap().unwrap().text
}

#[tokio::test]
async fn preview_creates_nothing() {
    let server = Server::replies([Reply::json(&json!({"summary": "me@example.org"}))]).await;
    let input = json!({
        "summary": "Tea", "start": "2026-11-02T16:00", "attendees": ["Ada <ada@example.com>", "b@EXAMPLE.org"],
    });

    let text = shown(&tool(&server), input).await;

    assert_eq!(
        text,
        "Tea\n2026-11-02T16:00:00+01:00 to 2026-11-02T17:00:00+01:00\nAttendee: Ada ada@example.com (outside \
         example.org)\nAttendee: b@example.org\nInvitations to send: 2"
    );
    let requests = server.received();
    assert_eq!((requests.len(), requests[0].method.as_str()), (1, "GET"));
}

#[tokio::test]
async fn preview_has_all_details() {
    let server = Server::replies([Reply::json(&json!({}))]).await;
    let input = json!({
        "summary": "Tea", "start": "2026-11-02", "end": "2026-11-04", "location": "Room 7", "notify": false,
        "description": "x".repeat(3000), "attendees": ["a@example.com"],
        "recurrence": ["RRULE:FREQ=DAILY;COUNT=2"],
    });

    let text = shown(&tool(&server), input).await;

    let expected = "Tea\n2026-11-02 to 2026-11-03 (all day)\nLocation: Room 7\nRecurrence: RRULE:FREQ=DAILY;COUNT=2\n\
                    Attendee: a@example.com\nInvitations to send: 0\n\n";
    assert_eq!(text, format!("{expected}{}", "x".repeat(2000)));
}

#[tokio::test]
async fn preview_without_sign_in_shows_arguments() {
    let server = Server::replies([Reply::Close]).await;
    let known = account(&server, None);
    let signed_out = Account::new(known.door.clone(), known.base.clone(), Arc::new(NoToken));
    let tool = CalendarCreateEvent::of(signed_out);
    let input = json!({
        "summary": "Tea", "start": "2026-11-02T16:00", "end": "2026-11-02T17:00", "attendees": ["a@example.com"],
    });

    let text = shown(&tool, input.clone()).await;

    assert!(
        text.starts_with("Tea\n2026-11-02T16:00 to 2026-11-02T17:00\n"),
        "{text}"
    );
    assert!(server.received().is_empty());
    let mut in_tokyo = input;
    in_tokyo["time_zone"] = json!("Asia/Tokyo");
    let text = shown(&tool, in_tokyo).await;
    assert!(text.contains("2026-11-02T16:00:00+09:00 to"), "{text}");
}
