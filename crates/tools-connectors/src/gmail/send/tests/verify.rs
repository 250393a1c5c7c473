//! Messages of calls whose process ended.

use super::*;

/// Message that an earlier process sent with the key of a call.
struct Stored {
    message_id: String,
    id: &'static str,
}

async fn with_sent(stored: Stored) -> Server {
    Server::start(move |request, _| match request.route() {
        "/messages" => {
            let wanted = format!("in:sent rfc822msgid:{}", stored.message_id);
            let found = request.query("q") == Some(wanted);
            let id = if found { stored.id } else { "other" };
            Reply::json(&json!({"messages": [{"id": "../bad"}, {"id": id}]}))
        }
        "/messages/s9" => {
            let id = format!("<{}>", stored.message_id);
            Reply::json(&message(
                "s9",
                &[("Message-ID", &id), ("Subject", "Re: Tea")],
                "",
            ))
        }
        _ => Reply::json(&message("other", &[("Message-ID", "<x@example.com>")], "")),
    })
    .await
}

fn keyed() -> ToolContext {
    ToolContext::test().with_call_key(CallKey::new("run-7", "call_1"))
}

fn parsed() -> SendMailInput {
    serde_json::from_value(input()).unwrap()
}

#[tokio::test]
async fn message_id_is_derived_from_call_key() {
    let server = Server::replies([Reply::json(&json!({"id": "s1", "threadId": "t1"}))]).await;

    let sent = tool(&server).run(&keyed(), parsed()).await;

    assert!(sent.is_ok());

    let raw = raw(&server.received()[0]);
    let local = unique_id(Some(&CallKey::new("run-7", "call_1")));
    assert_eq!(header(&raw, "Message-ID"), format!("<{local}@gmail.com>"));
}

#[tokio::test]
async fn sent_message_of_call_key_is_verified() {
    let local = unique_id(Some(&CallKey::new("run-7", "call_1")));
    let stored = Stored {
        message_id: format!("{local}@gmail.com"),
        id: "s9",
    };
    let server = with_sent(stored).await;

    let verified = tool(&server).verify(&keyed(), parsed()).await;

    let Verified::Happened(output) = verified else {
        panic!("{verified:?}");
    };
    let data = output.data.unwrap();
    assert_eq!(
        (&data["message_id"], &data["to"]),
        (&json!("s9"), &json!(["ada@example.com"]))
    );
    assert_eq!(sends(&server), 0);
}

#[tokio::test]
async fn missing_message_stays_unknown() {
    let stored = || Stored {
        message_id: "other@gmail.com".to_owned(),
        id: "other",
    };
    let server = with_sent(stored()).await;
    assert_eq!(
        tool(&server).verify(&keyed(), parsed()).await,
        Verified::Unknown
    );
    assert_eq!(sends(&server), 0);

    // Without a key, nothing is searched.
    let server = with_sent(stored()).await;
    let verified = tool(&server).verify(&ToolContext::test(), parsed()).await;
    assert_eq!((verified, server.received().len()), (Verified::Unknown, 0));
}

#[tokio::test]
async fn verified_reply_has_subject_of_message() {
    let local = unique_id(Some(&CallKey::new("run-7", "call_1")));
    let message_id = format!("{local}@gmail.com");
    let stored = Stored {
        message_id,
        id: "s9",
    };
    let server = with_sent(stored).await;
    let input =
        json!({"to": "ada@example.com", "subject": "", "body": "Yes", "replyToMessageId": "m1"});
    let input = serde_json::from_value(input).unwrap();

    let verified = tool(&server).verify(&keyed(), input).await;

    let Verified::Happened(output) = verified else {
        panic!("{verified:?}");
    };
    assert_eq!(output.data.unwrap()["subject"], "Re: Tea");
}

#[tokio::test]
async fn unreadable_message_stays_unknown() {
    let local = unique_id(Some(&CallKey::new("run-7", "call_1")));
    let message_id = format!("{local}@gmail.com");
    let server = Server::start(move |request, _| match request.route() {
        "/messages" => {
            let wanted = format!("in:sent rfc822msgid:{message_id}");
            assert_eq!(request.query("q"), Some(wanted));
            Reply::json(&json!({"messages": [{"id": "s9"}]}))
        }
        _ => Reply::error(404, &json!({})),
    })
    .await;

    let verified = tool(&server).verify(&keyed(), parsed()).await;

    assert_eq!(verified, Verified::Unknown);
}
