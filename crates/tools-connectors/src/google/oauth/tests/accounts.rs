//! Accounts of applications, and stores other than directories.

use std::collections::HashMap;

use super::*;
use crate::google::{Google, GoogleService};

fn google(setup: &Setup) -> Google {
    let client = GoogleClient::new(CLIENT).with_secret(Secret::new("secret-1".to_owned()));
    let endpoints = GoogleEndpoints::at(&setup.server.url()).unwrap();
    Google::new(client, TokenFolder::new(setup.scratch.path())).with_endpoints(endpoints)
}

#[tokio::test]
async fn application_signs_in_and_out() {
    let setup = Setup::new(|request, count| match request.path.as_str() {
        "/oauth2/revoke" => Reply::json(&json!({})),
        _ => authorize(request, count),
    })
    .await;
    let google = google(&setup).with_sign_in(SignIn::Printing(browser(consents)));

    google.sign_in(GoogleService::Gmail).await.unwrap();

    assert_eq!(setup.stored()["access_token"], "access-token-0");
    google.sign_out(GoogleService::Gmail).await.unwrap();
    assert!(!setup.path().exists());
    // Without tokens, nothing is sent.
    google.sign_out(GoogleService::Calendar).await.unwrap();
    assert_eq!(setup.server.received().len(), 2);
}

#[tokio::test]
async fn valid_tokens_need_no_sign_in() {
    let setup = Setup::new(authorize).await;
    let prompt = browser(consents);
    for (seconds, requests) in [(3000, 0), (10, 1)] {
        setup.store("old-token", seconds);
        let google = google(&setup).with_sign_in(SignIn::Printing(prompt.clone()));

        google.sign_in(GoogleService::Gmail).await.unwrap();

        assert_eq!(setup.server.received().len(), requests);
    }
    assert_eq!(prompt.shown.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn failed_sign_in_and_sign_out_are_errors() {
    let setup = Setup::new(|_, _| Reply::error(500, &json!({}))).await;
    let denied = google(&setup).with_sign_in(SignIn::Printing(browser(declines)));
    let error = denied.sign_in(GoogleService::Gmail).await.unwrap_err();
    assert_eq!(error.code().as_str(), "sign_in_denied");

    setup.store("old-token", 3000);
    let error = denied.sign_out(GoogleService::Gmail).await.unwrap_err();
    assert_eq!(error.code().as_str(), "unavailable");
    assert!(!setup.path().exists());

    let store = TokenFolder::new(setup.scratch.path());
    let nameless = Google::new(GoogleClient::new(""), store);
    let error = nameless.sign_in(GoogleService::Gmail).await.unwrap_err();
    assert_eq!(error.code().as_str(), "failed");
    assert!(nameless.sign_out(GoogleService::Gmail).await.is_err());
}

#[tokio::test]
async fn unknown_time_zone_is_rejected() {
    let setup = Setup::new(authorize).await;
    let Err(error) = google(&setup).with_time_zone("Europe/Berln") else {
        panic!("an unknown zone is accepted");
    };
    assert!(error.to_string().contains("Europe/Berlin"), "{error}");
}

/// Store in memory, like a key ring.
#[derive(Debug, Default)]
struct KeyRing(Mutex<HashMap<String, Secret<String>>>);

impl TokenStore for KeyRing {
    fn get(&self, key: &TokenKey) -> Result<Option<Secret<String>>, TokenStoreError> {
        Ok(self.0.lock().unwrap().get(&key.file_name()).cloned())
    }

    fn put(&self, key: &TokenKey, text: &Secret<String>) -> Result<(), TokenStoreError> {
        self.0.lock().unwrap().insert(key.file_name(), text.clone());
        Ok(())
    }

    fn remove(&self, key: &TokenKey) -> Result<(), TokenStoreError> {
        self.0.lock().unwrap().remove(&key.file_name());
        Ok(())
    }

    fn lock(&self, _key: &TokenKey) -> Result<TokenLock, TokenStoreError> {
        Ok(Box::new(()))
    }
}

#[tokio::test]
async fn other_store_keeps_tokens_and_replaces_unreadable_text() {
    let setup = Setup::new(authorize).await;
    let ring = Arc::new(KeyRing::default());
    let unreadable = Secret::new("not JSON".to_owned());
    ring.put(&setup.key, &unreadable).unwrap();
    let tokens = |way| account_in(&setup.server.url(), ring.clone(), way, |_| ());

    let problem = token(&tokens(SignIn::Disabled)).await.unwrap_err();
    assert_eq!(code(problem), "sign_in_required");

    let signed_in = token(&tokens(SignIn::Printing(browser(consents)))).await;
    assert_eq!(signed_in.unwrap(), "access-token-0");
    assert_eq!(
        token(&tokens(SignIn::Disabled)).await.unwrap(),
        "access-token-0"
    );
}
