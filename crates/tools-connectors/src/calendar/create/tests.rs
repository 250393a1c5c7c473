use serde_json::json;
use tool_core::ledger::CallKey;

use super::*;
use crate::calendar::testing::account;
use crate::door::testing::{Received, Reply, Server};

mod preview;

fn tool(server: &Server) -> CalendarCreateEvent {
    CalendarCreateEvent::of(account(server, Some("Europe/Berlin")))
}

async fn create(tool: &CalendarCreateEvent, value: Value) -> (Result<Event, ToolError>, Value) {
    let cx = ToolContext::test();
    let input = serde_json::from_value(value).unwrap();
    let created = match tool.plan(&cx, &input) {
        Ok(_) => tool.run(&cx, input).await,
        Err(error) => Err(error),
    };
    let mut output = tool_core::ToolOutput::text("");
    cx.move_additions_to(&mut output);
    (
        created,
        output.metadata.get("outcome").cloned().unwrap_or_default(),
    )
}

fn posts(server: &Server) -> Vec<Received> {
    let received = server.received().into_iter();
    received
        .filter(|request| request.method == "POST")
        .collect()
}

fn echo(request: &Received) -> Reply {
    Reply::json(&request.json())
}

#[tokio::test]
async fn creates_events() {
    let berlin = |time: &str| json!({"dateTime": time, "timeZone": "Europe/Berlin"});
    for (input, start, end) in [
        (
            json!({"start": "2026-11-02T16:00"}),
            berlin("2026-11-02T16:00:00+01:00"),
            berlin("2026-11-02T17:00:00+01:00"),
        ),
        (
            json!({"start": "2026-11-02T16:00:00-05:00", "end": "2026-11-02T22:30:00Z"}),
            berlin("2026-11-02T16:00:00-05:00"),
            berlin("2026-11-02T22:30:00Z"),
        ),
        (
            json!({"start": "2026-03-29T02:30"}),
            berlin("2026-03-29T03:30:00+02:00"),
            berlin("2026-03-29T04:30:00+02:00"),
        ),
        (
            json!({"start": "2026-11-02"}),
            json!({"date": "2026-11-02"}),
            json!({"date": "2026-11-03"}),
        ),
        (
            json!({"start": "2026-11-02", "end": "2026-11-02"}),
            json!({"date": "2026-11-02"}),
            json!({"date": "2026-11-03"}),
        ),
        (
            json!({"start": "2026-11-02", "end": "2026-11-05"}),
            json!({"date": "2026-11-02"}),
            json!({"date": "2026-11-05"}),
        ),
    ] {
        let server = Server::start(|request, _| echo(request)).await;
        let mut value = input.clone();
        value["summary"] = json!("Tea");

        let (created, outcome) = create(&tool(&server), value).await;

        assert!(created.is_ok(), "{input}");
        let requests = server.received();
        assert_eq!((requests.len(), outcome), (1, json!("done")));
        let body = requests[0].json();
        assert_eq!((&body["start"], &body["end"]), (&start, &end));
        assert_eq!(
            requests[0].path,
            "/calendars/primary/events?sendUpdates=none"
        );
    }
}

#[tokio::test]
async fn invites_attendees_and_adds_video_link() {
    let server = Server::start(|request, _| echo(request)).await;
    let input = json!({
        "summary": "Tea", "start": "2026-11-02T16:00", "attendees": ["Ada <ada@example.com>", "j@bücher.example"],
        "recurrence": ["RRULE:FREQ=WEEKLY;COUNT=2"], "addVideoLink": true,
    });

    let (created, _) = create(&tool(&server), input).await;

    assert!(created.is_ok());
    let request = &server.received()[0];
    assert_eq!(
        request.path,
        "/calendars/primary/events?sendUpdates=all&conferenceDataVersion=1"
    );
    let body = request.json();
    assert_eq!(
        body["attendees"],
        json!([{"email": "ada@example.com", "displayName": "Ada"}, {"email": "j@xn--bcher-kva.example"}])
    );
    assert_eq!(body["recurrence"], json!(["RRULE:FREQ=WEEKLY;COUNT=2"]));
    assert_eq!(
        body["conferenceData"]["createRequest"]["conferenceSolutionKey"]["type"],
        "hangoutsMeet"
    );
}

#[tokio::test]
async fn rejects_invalid_events() {
    let server = Server::replies([Reply::Close]).await;
    for (change, parameter) in [
        (
            json!({"start": "2026-11-02", "end": "2026-11-02T16:00"}),
            "end",
        ),
        (json!({"end": "2026-11-01T16:00"}), "end"),
        (
            json!({"attendees": vec!["a@example.com"; 101]}),
            "attendees",
        ),
        (json!({"attendees": ["nobody"]}), "attendees"),
        (json!({"summary": "a\nb"}), "summary"),
        (json!({"description": "x".repeat(8001)}), "description"),
        (json!({"timeZone": "Mars"}), "timeZone"),
        (json!({"start": "2026-11-02", "end": "2026-11-01"}), "end"),
        (json!({"location": "x".repeat(1001)}), "location"),
    ] {
        let mut input = json!({"summary": "Tea", "start": "2026-11-02T16:00"});
        for (name, value) in change.as_object().unwrap() {
            input[name] = value.clone();
        }

        let error = create(&tool(&server), input).await.0.unwrap_err();

        assert_eq!(error.parameter(), Some(parameter), "{change}");
    }
    assert!(server.received().is_empty());
}

#[tokio::test]
async fn lost_response_is_found_by_id() {
    let server = Server::start(|request, _| match request.method.as_str() {
        "POST" => Reply::Close,
        _ => Reply::json(&json!({"id": request.route().rsplit('/').next().unwrap()})),
    })
    .await;

    let (created, outcome) = create(
        &tool(&server),
        json!({"summary": "Tea", "start": "2026-11-02"}),
    )
    .await;

    let posted = posts(&server);
    assert_eq!((posted.len(), outcome), (3, json!("done")));
    assert!(posted.iter().all(|post| post.json() == posted[0].json()));
    assert_eq!(created.unwrap().event_id, posted[0].json()["id"]);
}

#[tokio::test]
async fn missing_event_is_created_once_with_same_id() {
    for second in [200, 409] {
        let count = std::sync::atomic::AtomicUsize::new(0);
        let server = Server::start(move |request, _| {
            let posted = &count;
            if request.method == "POST" {
                return match (
                    posted.fetch_add(1, std::sync::atomic::Ordering::Relaxed),
                    second,
                ) {
                    (0, _) => Reply::Close,
                    (_, 200) => echo(request),
                    _ => Reply::error(409, &json!({})),
                };
            }
            match posted.load(std::sync::atomic::Ordering::Relaxed) {
                1 => Reply::error(404, &json!({})),
                _ => Reply::json(&json!({"id": "found"})),
            }
        })
        .await;

        let (created, _) = create(
            &tool(&server),
            json!({"summary": "Tea", "start": "2026-11-02"}),
        )
        .await;

        assert!(created.is_ok());
        let posted = posts(&server);
        assert_eq!(posted.len(), 2);
        assert_eq!(posted[0].json(), posted[1].json());
    }
}

#[tokio::test]
async fn no_response_is_unknown_and_not_repeated() {
    let server = Server::start(|request, _| match request.method.as_str() {
        "POST" => Reply::Close,
        _ => Reply::error(500, &json!({})),
    })
    .await;
    let tool = tool(&server);
    let input = json!({"summary": "Tea", "start": "2026-11-02"});

    let (created, outcome) = create(&tool, input.clone()).await;

    let error = created.unwrap_err();
    assert_eq!(
        (error.code().as_str(), outcome),
        ("outcome_unknown", json!("unknown"))
    );
    let id = posts(&server)[0].json()["id"].as_str().unwrap().to_owned();
    assert!(error.suggestion().unwrap().contains(&id));
    assert_eq!(
        create(&tool, input).await.0.unwrap_err().code().as_str(),
        "already_exists"
    );
}

#[tokio::test]
async fn rejected_event_is_not_done() {
    let server = Server::replies([Reply::error(
        400,
        &json!({"error": {"message": "Bad start"}}),
    )])
    .await;

    let (created, outcome) = create(
        &tool(&server),
        json!({"summary": "Tea", "start": "2026-11-02"}),
    )
    .await;

    let error = created.unwrap_err();
    assert_eq!(
        error.to_string(),
        "Google Calendar rejected the request. Bad start"
    );
    assert_eq!((outcome, server.received().len()), (json!("not_done"), 1));
}

/// Status 409 of the first request means that an earlier attempt created the event.
#[tokio::test]
async fn existing_event_with_own_id_is_found() {
    let server = Server::start(|request, _| match request.method.as_str() {
        "POST" => Reply::error(409, &json!({})),
        _ => Reply::json(&json!({"id": request.route().rsplit('/').next().unwrap()})),
    })
    .await;

    let input = json!({"summary": "Tea", "start": "2026-11-02"});
    let (created, outcome) = create(&tool(&server), input).await;

    let posted = posts(&server);
    assert_eq!((posted.len(), outcome), (1, json!("done")));
    assert_eq!(created.unwrap().event_id, posted[0].json()["id"]);
}

#[tokio::test]
async fn recurring_event_has_zone() {
    let server = Server::start(|request, _| echo(request)).await;
    let input = json!({
        "summary": "Tea", "start": "2026-11-02T16:00:00+01:00", "timeZone": "Asia/Tokyo",
        "recurrence": ["RRULE:FREQ=DAILY;COUNT=2", "EXDATE;TZID=Asia/Tokyo:20261103T000000"],
    });

    assert!(create(&tool(&server), input).await.0.is_ok());

    let body = server.received()[0].json();
    assert_eq!(
        body["start"],
        json!({"dateTime": "2026-11-02T16:00:00+01:00", "timeZone": "Asia/Tokyo"})
    );
    assert_eq!(body["recurrence"].as_array().unwrap().len(), 2);
}

/// Responses of requests and searches are lost at random.
#[tokio::test]
async fn lost_responses_never_create_twice() {
    const RUNS: usize = 500;
    let random = |salt: usize| {
        let mut hash = std::hash::DefaultHasher::new();
        std::hash::Hash::hash(&salt, &mut hash);
        std::hash::Hasher::finish(&hash)
    };
    let (mut unknown, mut rejected, mut done) = (0, 0, 0);
    for run in 0..RUNS {
        let events: std::sync::Arc<std::sync::Mutex<Vec<String>>> = std::sync::Arc::default();
        let kept = std::sync::Arc::clone(&events);
        let server = Server::start(move |request, count| {
            let choice = random(run * 1000 + count) % 6;
            let mut events = kept.lock().unwrap();
            if request.method == "GET" {
                let id = request.route().rsplit('/').next().unwrap().to_owned();
                return match choice {
                    0 | 1 => Reply::Close,
                    _ if events.contains(&id) => Reply::json(&json!({"id": id})),
                    _ => Reply::error(404, &json!({})),
                };
            }
            let id = request.json()["id"].as_str().unwrap().to_owned();
            match choice {
                // The request was lost before it arrived.
                0 => return Reply::Close,
                1 => return Reply::error(403, &json!({})),
                _ if events.contains(&id) => return Reply::error(409, &json!({})),
                _ => events.push(id),
            }
            match choice {
                2 | 3 => Reply::Close,
                4 => Reply::error(500, &json!({})),
                _ => echo(request),
            }
        })
        .await;

        let input = json!({"summary": "Tea", "start": "2026-11-02"});
        let (created, outcome) = create(&tool(&server), input).await;

        let events = events.lock().unwrap().clone();
        assert!(events.len() <= 1, "run {run}: {events:?}");
        match outcome.as_str().unwrap() {
            "done" => {
                done += 1;
                assert_eq!(created.unwrap().event_id, events[0], "run {run}");
            }
            "not_done" => {
                rejected += 1;
                assert!(events.is_empty(), "run {run}");
            }
            _ => {
                unknown += 1;
                assert_eq!(created.unwrap_err().code().as_str(), "outcome_unknown");
            }
        }
    }
    assert!(done > 0 && rejected > 0);
    println!("{RUNS} events: {done} done, {rejected} not done, {unknown} unknown, 0 created twice");
}

/// Runs a call whose server stores the event, and verifies it with another tool, as after a crash.
async fn verified(reply: impl Fn(&Received, &Value) -> Reply + Send + Sync + 'static) -> Verified {
    let stored: std::sync::Mutex<Value> = std::sync::Mutex::default();
    let server = Server::start(move |request, _| {
        if request.method == "POST" {
            *stored.lock().unwrap() = request.json();
            return Reply::json(&json!({"id": "x"}));
        }
        reply(request, &stored.lock().unwrap())
    })
    .await;
    let cx = || ToolContext::test().with_call_key(CallKey::new("run-7", "call_1"));
    let input =
        || serde_json::from_value(json!({"summary": "Tea", "start": "2026-11-02"})).unwrap();
    let ran = tool(&server).run(&cx(), input()).await;
    assert!(ran.is_ok(), "{ran:?}");

    let verified = tool(&server).verify(&cx(), input()).await;

    assert_eq!(posts(&server).len(), 1);
    assert_eq!(
        posts(&server)[0].json()["id"],
        unique_id(Some(&CallKey::new("run-7", "call_1")))
    );
    verified
}

#[tokio::test]
async fn event_of_call_key_is_verified() {
    let found = verified(|request, stored| {
        assert!(request.path.contains(stored["id"].as_str().unwrap()));
        Reply::json(stored)
    })
    .await;
    let Verified::Happened(output) = found else {
        panic!("{found:?}");
    };
    let text = output.content[0].as_text().unwrap();
    assert!(text.starts_with("Created the event:\n"), "{text}");
    assert_eq!(output.data.unwrap()["summary"], "Tea");
    for (status, expected) in [
        (404, Verified::DidNotHappen),
        (410, Verified::Unknown),
        (403, Verified::Unknown),
        (500, Verified::Unknown),
    ] {
        let verified = verified(move |_, _| Reply::error(status, &json!({}))).await;
        assert_eq!(verified, expected, "{status}");
    }
}

#[tokio::test]
async fn event_without_call_key_is_not_verified() {
    let server = Server::replies([Reply::json(&json!({}))]).await;
    let input = serde_json::from_value(json!({"summary": "Tea", "start": "2026-11-02"})).unwrap();

    let verified = tool(&server).verify(&ToolContext::test(), input).await;

    assert_eq!((verified, server.received().len()), (Verified::Unknown, 0));
}

#[tokio::test]
async fn repeated_event_is_rejected_unless_allowed() {
    let server = Server::start(|request, _| echo(request)).await;
    let tool = tool(&server);
    let mut input = json!({
        "summary": "Tea", "start": "2026-11-02", "description": "Bring cake.", "location": "Room 7",
    });

    assert!(create(&tool, input.clone()).await.0.is_ok());
    let (repeated, _) = create(&tool, input.clone()).await;
    assert_eq!(repeated.unwrap_err().code().as_str(), "already_exists");
    input["allowDuplicate"] = json!(true);
    assert!(create(&tool, input).await.0.is_ok());

    let posted = posts(&server);
    assert_eq!(posted.len(), 2);
    let body = posted[0].json();
    assert_eq!(
        (&body["description"], &body["location"]),
        (&json!("Bring cake."), &json!("Room 7"))
    );
}

#[tokio::test]
async fn writers_of_one_account_run_one_by_one() {
    let server = Server::replies([Reply::Close]).await;
    let arguments = json!({"summary": "Tea", "start": "2026-11-02"});
    let input = serde_json::from_value(arguments).unwrap();

    let plan = tool(&server).plan(&ToolContext::test(), &input).unwrap();
    assert_eq!(
        plan,
        CallPlan::of(RiskLevel::Dangerous).uses("google calendar")
    );
}
