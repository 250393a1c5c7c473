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
    let input = json!({"summary": "Tea", "start": "2026-11-02T16:00"});

    let text = shown(&tool(&server), input).await;

    assert_eq!(
        text,
        "Tea\n2026-11-02T16:00:00+01:00 to 2026-11-02T17:00:00+01:00\nInvitations to send: 0"
    );
    assert!(server.received().is_empty());
}

#[tokio::test]
async fn preview_marks_attendees_outside_domain_of_account() {
    let server = Server::start(|request, _| {
        assert_eq!(
            (request.method.as_str(), request.path.as_str()),
            (
                "GET",
                "/calendars/primary/events?maxResults=1&fields=summary"
            )
        );
        Reply::json(&json!({"summary": "Ada@Example.COM"}))
    })
    .await;
    let input = json!({
        "summary": "Tea", "start": "2026-11-02T16:00", "calendarId": "team@group.calendar.google.com",
        "attendees": ["Ada <ada@EXAMPLE.com>", "b@mail.example.com", "\"boss@example.com\" <x@example.org>"],
    });

    let text = shown(&tool(&server), input).await;

    assert_eq!(
        text,
        "Tea\n2026-11-02T16:00:00+01:00 to 2026-11-02T17:00:00+01:00\nAttendee: Ada <ada@example.com>\n\
         Attendee: b@mail.example.com (outside example.com)\n\
         Attendee: boss@example.com <x@example.org> (outside example.com)\nInvitations to send: 3"
    );
}

#[tokio::test]
async fn preview_says_that_domain_is_unknown() {
    for reply in [
        Reply::Close,
        Reply::error(401, &json!({})),
        // The user has renamed the calendar.
        Reply::json(&json!({"summary": "Work"})),
    ] {
        let server = Server::replies([reply]).await;
        let input =
            json!({"summary": "Tea", "start": "2026-11-02", "attendees": ["b@example.org"]});

        let text = shown(&tool(&server), input).await;

        assert_eq!(
            text,
            "Tea\n2026-11-02 to 2026-11-02 (all day)\nThe domain of the account is unknown, so addresses outside it \
             are not marked.\nAttendee: b@example.org\nInvitations to send: 1"
        );
        assert!(posts(&server).is_empty());
    }
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
                    The domain of the account is unknown, so addresses outside it are not marked.\n\
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
    in_tokyo["timeZone"] = json!("Asia/Tokyo");
    let text = shown(&tool, in_tokyo).await;
    assert!(text.contains("2026-11-02T16:00:00+09:00 to"), "{text}");
    assert!(server.received().is_empty());
}
