//! Unusual courses of a sign-in.

use super::*;

#[tokio::test]
async fn taken_port_fails_at_once() {
    let setup = Setup::new(authorize).await;
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = taken.local_addr().unwrap().port();
    let prompt = browser(consents);
    let tokens = setup.tokens_with(SignIn::Printing(prompt.clone()), |settings| {
        settings.port = port;
    });

    let error = token(&tokens).await.unwrap_err().into_error("Gmail");

    assert_eq!(error.code().as_str(), "sign_in_required");
    assert!(error.message().contains("port"), "{error}");
    assert_eq!(prompt.shown.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn expired_sign_in_is_required_again() {
    let setup = Setup::new(authorize).await;
    let tokens = setup.tokens_with(SignIn::Printing(browser(never)), |settings| {
        settings.patience = Duration::from_millis(100);
    });

    for _ in 0..2 {
        let error = token(&tokens).await.unwrap_err().into_error("Gmail");

        assert_eq!(error.code().as_str(), "sign_in_required");
        assert!(error.message().contains("not finished in time"), "{error}");
    }
}

#[tokio::test]
async fn second_browser_tab_has_no_effect() {
    let twice: Browse = |url| {
        Box::pin(async move {
            let second = url.clone();
            consents(url).await;
            // The listener is closed, or the state is unknown.
            let redirect: Url = parameter(&second, "redirect_uri").parse().unwrap();
            let stream = TcpStream::connect(("127.0.0.1", redirect.port().unwrap())).await;
            assert!(stream.is_err());
        })
    };
    let setup = Setup::new(authorize).await;
    let tokens = setup.tokens(SignIn::Printing(browser(twice)));

    assert_eq!(token(&tokens).await.unwrap(), "access-token-0");

    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(token(&tokens).await.unwrap(), "access-token-0");
    assert_eq!(setup.server.received().len(), 1);
}

#[tokio::test]
async fn cancelled_call_does_not_end_sign_in() {
    let late: Browse = |url| {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(200)).await;
            consents(url).await;
        })
    };
    let setup = Setup::new(authorize).await;
    let prompt = browser(late);
    let tokens = Arc::new(setup.tokens(SignIn::Printing(prompt.clone())));
    let call = tokio::spawn({
        let tokens = Arc::clone(&tokens);
        async move { token(&tokens).await }
    });
    while prompt.shown.load(Ordering::Relaxed) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }

    call.abort();

    assert_eq!(token(&tokens).await.unwrap(), "access-token-0");
    assert_eq!(prompt.shown.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn rejected_code_is_reported() {
    for (error, expected) in [
        ("invalid_grant", "sign_in_required"),
        ("invalid_client", "not_authorized"),
        ("admin_policy_enforced", "failed"),
    ] {
        let setup = Setup::new(move |_, _| Reply::error(400, &json!({"error": error}))).await;
        let ends: Browse = |url| {
            Box::pin(async move {
                let state = parameter(&url, "state");
                visit(&url, None, &format!("/?state={state}&code=x")).await;
            })
        };

        let problem = token(&setup.tokens(SignIn::Printing(browser(ends)))).await;

        assert_eq!(code(problem.unwrap_err()), expected, "{error}");
        assert!(!setup.path().exists());
    }
}

/// Prompt whose user pastes wrong addresses.
#[derive(Debug, Default)]
struct Mistypes(AtomicUsize);

#[async_trait]
impl SignInPrompt for Mistypes {
    async fn show(&self, _service: &str, _url: &str) {}

    async fn pasted(&self) -> Option<String> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Some("http://127.0.0.1:1/?state=wrong&code=x".to_owned())
    }
}

#[tokio::test]
async fn wrong_pasted_addresses_end_sign_in() {
    let setup = Setup::new(authorize).await;
    let prompt = Arc::<Mistypes>::default();

    let problem = token(&setup.tokens(SignIn::Pasted(prompt.clone()))).await;

    assert_eq!(code(problem.unwrap_err()), "sign_in_required");
    assert_eq!(prompt.0.load(Ordering::Relaxed), 5);
    // A prompt that pastes nothing ends the sign-in, too.
    let problem = token(&setup.tokens(SignIn::Pasted(browser(never)))).await;
    assert_eq!(code(problem.unwrap_err()), "sign_in_required");
    assert!(setup.server.received().is_empty());
}

/// Prompt that keeps all URLs, and consents.
#[derive(Debug)]
struct Records(Arc<Mutex<Vec<Url>>>);

#[async_trait]
impl SignInPrompt for Records {
    async fn show(&self, _service: &str, url: &str) {
        let url: Url = url.parse().unwrap();
        self.0.lock().unwrap().push(url.clone());
        tokio::spawn(consents(url));
    }
}

#[tokio::test]
async fn unticked_scope_is_known_and_asked_for_again() {
    let setup = Setup::new(|_, _| {
        Reply::json(&json!({
            "access_token": "access-token-0", "refresh_token": "refresh-token-0", "expires_in": 3600,
            "scope": "a", "token_type": "Bearer",
        }))
    })
    .await;
    let urls: Arc<Mutex<Vec<Url>>> = Arc::default();
    let tokens = setup.tokens(SignIn::Printing(Arc::new(Records(urls.clone()))));

    assert!(token(&tokens).await.is_ok());
    assert!(!tokens.lacks("a") && tokens.lacks("b"));

    // A repeated sign-in shows the permissions again.
    assert!(tokens.sign_in().await.unwrap().is_ok());
    let urls = urls.lock().unwrap();
    assert_eq!(
        (urls.len(), parameter(&urls[1], "prompt")),
        (2, "consent".to_owned())
    );
}
