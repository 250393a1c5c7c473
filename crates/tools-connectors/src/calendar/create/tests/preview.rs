//! Text for an approver.

use super::*;

async fn shown(tool: &CalendarCreateEvent, input: Value) -> String {
    let input = serde_json::from_value(input).unwrap();
    let preview = tool.inspect(&ToolContext::test(), &input).await;
    preview.unwrap().unwrap().text
}

#[tokio::test]
async fn preview_creates_nothing() {
    let server = Server::replies([Reply::Close]).await;
    let input = json!({
        "summary": "Tea", "start": "2026-11-02T16:00", "attendees": ["Ada <ada@example.com>", "b@EXAMPLE.org"],
    });

    let text = shown(&tool(&server), input).await;

    assert_eq!(
        text,
        "Tea\n2026-11-02T16:00:00+01:00 to 2026-11-02T17:00:00+01:00\nAttendee: Ada ada@example.com\n\
         Attendee: b@example.org\nInvitations to send: 2"
    );
    assert!(server.received().is_empty());
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
async fn preview_in_unknown_zone_shows_arguments() {
    let server = Server::replies([Reply::Close]).await;
    let tool = CalendarCreateEvent::of(account(&server, None));
    let input = json!({"summary": "Tea", "start": "2026-11-02T16:00", "end": "2026-11-02T17:00"});

    let text = shown(&tool, input.clone()).await;

    assert!(
        text.starts_with("Tea\n2026-11-02T16:00 to 2026-11-02T17:00\n"),
        "{text}"
    );
    let mut in_tokyo = input;
    in_tokyo["time_zone"] = json!("Asia/Tokyo");
    let text = shown(&tool, in_tokyo).await;
    assert!(text.contains("2026-11-02T16:00:00+09:00 to"), "{text}");
    assert!(server.received().is_empty());
}
