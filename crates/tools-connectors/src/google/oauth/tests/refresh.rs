//! Refresh and storage of tokens.

use super::*;

#[tokio::test]
async fn many_calls_refresh_once() {
    let setup = Setup::new(authorize).await;
    setup.store("old-token", 10);
    let tokens = Arc::new(setup.tokens(SignIn::Disabled));

    let calls: Vec<_> = (0..50)
        .map(|_| {
            let tokens = Arc::clone(&tokens);
            tokio::spawn(async move { token(&tokens).await })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap().unwrap(), "access-token-0");
    }

    let requests = setup.server.received();
    assert_eq!(requests.len(), 1);
    assert_eq!(fields(&requests[0])["refresh_token"], "refresh-token-x");
    assert_eq!(setup.stored()["refresh_token"], "refresh-token-0");
}

#[tokio::test]
async fn stores_share_one_refresh() {
    let setup = Setup::new(authorize).await;
    setup.store("old-token", 10);
    let accounts: Vec<_> = (0..4).map(|_| setup.tokens(SignIn::Disabled)).collect();

    let calls: Vec<_> = accounts
        .into_iter()
        .map(|tokens| tokio::spawn(async move { token(&tokens).await }))
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap().unwrap(), "access-token-0");
    }

    assert_eq!(setup.server.received().len(), 1);
}

#[tokio::test]
async fn refreshes_with_less_than_a_minute_left() {
    for (seconds, found) in [(59, "access-token-0"), (62, "old-token")] {
        let setup = Setup::new(authorize).await;
        setup.store("old-token", seconds);

        assert_eq!(token(&setup.tokens(SignIn::Disabled)).await.unwrap(), found);
    }
}

#[tokio::test]
async fn previews_refresh_but_never_sign_in() {
    let setup = Setup::new(authorize).await;
    let prompt = browser(consents);
    let tokens = setup.tokens(SignIn::Printing(prompt.clone()));
    let deadline = || Deadline::after(Duration::from_secs(5));

    assert_eq!(tokens.without_sign_in(deadline()).await, None);
    setup.store("old-token", 10);
    let refreshed = tokens.without_sign_in(deadline()).await;

    assert_eq!(refreshed.unwrap().expose(), "access-token-0");
    let known = tokens.without_sign_in(deadline()).await;
    assert_eq!(known.unwrap().expose(), "access-token-0");
    assert_eq!(setup.server.received().len(), 1);
    assert_eq!(prompt.shown.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn rejected_token_is_refreshed() {
    let setup = Setup::new(authorize).await;
    setup.store("old-token", 3000);
    let tokens = setup.tokens(SignIn::Disabled);
    assert_eq!(token(&tokens).await.unwrap(), "old-token");

    let rejected = Secret::new("old-token".to_owned());
    let fresh = tokens
        .token(Deadline::after(Duration::from_secs(5)), Some(&rejected))
        .await;

    assert_eq!(fresh.unwrap().expose(), "access-token-0");
}

#[tokio::test]
async fn dead_grant_gives_cause_and_remedy() {
    let setup = Setup::new(|_, _| Reply::error(400, &json!({"error": "invalid_grant"}))).await;
    setup.store("old-token", 10);
    let tokens = setup.tokens(SignIn::Disabled);
    for _ in 0..2 {
        let error = token(&tokens).await.unwrap_err().into_error("Gmail");

        assert_eq!(error.code().as_str(), "sign_in_required");
        assert!(error.message().contains("after 7 days"), "{error}");
        assert!(
            error
                .suggestion()
                .unwrap()
                .starts_with("Ask the user to sign in to Google again")
        );
    }
    assert_eq!(setup.server.received().len(), 1);
    assert!(!setup.path().exists());
}

#[tokio::test]
async fn failed_refresh_keeps_tokens() {
    for (reply, expected) in [
        (
            Reply::error(401, &json!({"error": "invalid_client"})),
            "not_authorized",
        ),
        (Reply::error(503, &json!({})), "unavailable"),
        (Reply::status(200, "", "<html>"), "invalid_response"),
        (
            Reply::json(&json!({"access_token": "a", "expires_in": "x"})),
            "invalid_response",
        ),
        (Reply::Close, "unavailable"),
    ] {
        let setup = Setup::new(move |_, _| reply.clone()).await;
        setup.store("old-token", 10);

        let problem = token(&setup.tokens(SignIn::Disabled)).await.unwrap_err();

        assert_eq!(code(problem), expected);
        assert_eq!(setup.stored()["refresh_token"], "refresh-token-x");
    }
}

#[tokio::test]
async fn token_response_needs_valid_members() {
    for body in [
        json!({}),
        json!({"token_type": "Bearer", "expires_in": 3600}),
        json!({"access_token": "", "token_type": "Bearer"}),
        json!({"access_token": "a\r\nX-Header: b", "token_type": "Bearer"}),
        json!({"access_token": "\u{e4}", "token_type": "Bearer"}),
        json!({"access_token": ["a"], "token_type": "Bearer"}),
        json!({"access_token": "access-token-9", "token_type": "Bearer", "expires_in": -1}),
        json!({"access_token": "access-token-9", "token_type": "Bearer", "expires_in": 1e300}),
    ] {
        let text = body.to_string();
        let setup = Setup::new(move |_, _| Reply::json(&body)).await;
        setup.store("old-token", 10);

        let problem = token(&setup.tokens(SignIn::Disabled)).await.unwrap_err();

        assert_eq!(code(problem), "invalid_response", "{text}");
        assert_eq!(setup.stored()["access_token"], "old-token", "{text}");
    }
}

#[tokio::test]
async fn absurd_lifetime_and_empty_refresh_token_are_harmless() {
    for (lifetime, longest) in [
        (json!(0), 60),
        (json!(u64::MAX), 86_400),
        (json!(31_536_000), 86_400),
        (Value::Null, 3600),
    ] {
        let body = json!({
            "access_token": "access-token-9", "token_type": "Bearer", "expires_in": lifetime, "refresh_token": "",
        });
        let setup = Setup::new(move |_, _| Reply::json(&body)).await;
        setup.store("old-token", 10);

        let fresh = token(&setup.tokens(SignIn::Disabled)).await;

        assert_eq!(fresh.unwrap(), "access-token-9", "{lifetime}");
        let stored = setup.stored();
        assert_eq!(stored["refresh_token"], "refresh-token-x");
        let end: Timestamp = stored["expires_at"].as_str().unwrap().parse().unwrap();
        let left = end.duration_since(Timestamp::now()).as_secs();
        assert!(
            (longest - 30..=longest).contains(&left),
            "{lifetime}: {left}"
        );
    }
}

#[tokio::test]
async fn response_without_refresh_token_keeps_old_one() {
    let body = json!({"access_token": "access-token-9", "token_type": "Bearer"});
    let setup = Setup::new(move |_, _| Reply::json(&body)).await;
    setup.store("old-token", 10);

    assert_eq!(
        token(&setup.tokens(SignIn::Disabled)).await.unwrap(),
        "access-token-9"
    );

    assert_eq!(setup.stored()["refresh_token"], "refresh-token-x");
}

#[cfg(unix)]
#[tokio::test]
async fn unsafe_token_files_are_rejected() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let setup = Setup::new(authorize).await;
    setup.store("old-token", 3000);
    let mode =
        |path: PathBuf, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let result = async || token(&setup.tokens(SignIn::Disabled)).await.map_err(code);

    mode(setup.path(), 0o644);
    assert_eq!(result().await, Err("token_store_failed".to_owned()));
    mode(setup.path(), 0o600);
    mode(setup.scratch.path().join(".gmail-tokens"), 0o755);
    assert_eq!(result().await, Err("token_store_failed".to_owned()));
    mode(setup.scratch.path().join(".gmail-tokens"), 0o700);
    assert_eq!(result().await.unwrap(), "old-token");

    let other = setup.scratch.path().join("other");
    fs::rename(setup.path(), &other).unwrap();
    symlink(&other, setup.path()).unwrap();
    assert_eq!(result().await, Err("token_store_failed".to_owned()));
}

#[tokio::test]
async fn unreadable_token_file_counts_as_missing() {
    let setup = Setup::new(authorize).await;
    for content in [
        "{\"version\": 1",
        "\u{fffd}",
        "{}",
        r#"{"version": 2, "client_id": "x"}"#,
    ] {
        // Writing keeps the mode of the file.
        setup.store("old-token", 3000);
        fs::write(setup.path(), content).unwrap();

        let problem = token(&setup.tokens(SignIn::Disabled)).await.unwrap_err();

        assert_eq!(code(problem), "sign_in_required");
    }
}

#[tokio::test]
async fn sign_out_revokes_and_removes() {
    let setup = Setup::new(|_, _| Reply::json(&json!({}))).await;
    setup.store("old-token", 3000);
    let tokens = setup.tokens(SignIn::Disabled);

    tokens.sign_out().await.unwrap();

    let request = &setup.server.received()[0];
    assert_eq!(
        (request.path.as_str(), &fields(request)["token"]),
        ("/oauth2/revoke", &json!("refresh-token-x"))
    );
    assert!(!setup.path().exists());
    assert_eq!(code(token(&tokens).await.unwrap_err()), "sign_in_required");
}

#[tokio::test]
async fn unfinished_sign_in_expires() {
    let setup = Setup::new(authorize).await;
    let way = SignIn::Printing(browser(never));
    let tokens = setup.tokens(way);

    let pending = tokens
        .token(Deadline::after(Duration::from_millis(200)), None)
        .await
        .unwrap_err();

    assert_eq!(code(pending), "sign_in_pending");
    assert!(setup.server.received().is_empty());
}
