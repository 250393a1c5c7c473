//! Sign-in, mail and calendar against a third-party emulator.
//!
//! `tests/emulators.sh` starts the emulator. Without it, the test is skipped with a message.

use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tool_core::approval::Policy;
use tool_core::{Redactor, Registry, Secret};
use tools_connectors::google::{
    Google, GoogleClient, GoogleEndpoints, GoogleService, SignIn, SignInPrompt, TokenFolder,
};
use tools_connectors::{Connectors, toolsets};

type Outcome = Result<(), Box<dyn Error>>;

/// Returns the address of an emulator, or `None` with a message.
fn emulator(variable: &str) -> Option<String> {
    let address = std::env::var(variable).ok();
    if address.is_none() {
        eprintln!("skipped: `{variable}` is not set; run tests/emulators.sh");
    }
    address
}

/// User who consents in the browser.
#[derive(Debug)]
struct User;

#[async_trait]
impl SignInPrompt for User {
    async fn show(&self, _service: &str, url: &str) {
        let url = url.to_owned();
        tokio::spawn(async move {
            if let Err(error) = consent(&url).await {
                eprintln!("the consent failed: {error}");
            }
        });
    }
}

/// Sends a request and returns head and body of the response.
async fn http(host: &str, request: String) -> Result<String, Box<dyn Error + Send + Sync>> {
    let mut stream = TcpStream::connect(host).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut response = Vec::new();
    stream.read_to_end(&mut response).await?;
    Ok(String::from_utf8_lossy(&response).into_owned())
}

/// Submits the form of the consent page, and follows its redirect.
async fn consent(url: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
    let rest = url.strip_prefix("http://").ok_or("not http")?;
    let (host, path) = rest.split_once('/').ok_or("no path")?;
    let query = path.split_once('?').ok_or("no query")?.1;
    // The page has a form per user with the parameters of the URL.
    let form = format!("{query}&email=me%40example.com");
    let request = format!(
        "POST /o/oauth2/v2/auth/callback HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{form}",
        form.len()
    );
    let response = http(host, request).await?;
    let location = response
        .lines()
        .find_map(|line| {
            line.strip_prefix("location: ")
                .or(line.strip_prefix("Location: "))
        })
        .ok_or("no redirect")?;
    let rest = location.trim().strip_prefix("http://").ok_or("not http")?;
    let split = rest.find(['/', '?']).ok_or("no target")?;
    let (host, target) = rest.split_at(split);
    let target = if target.starts_with('?') {
        format!("/{target}")
    } else {
        target.to_owned()
    };
    let request = format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let page = http(host, request).await?;
    assert!(page.contains("You are signed in"), "{page}");
    Ok(())
}

async fn call(registry: &Registry, tool: &str, arguments: Value) -> Result<Value, Box<dyn Error>> {
    let result = registry.execute(tool, arguments).await;
    assert!(result.success, "{tool}: {result}");
    Ok(result.data.ok_or("no data")?)
}

#[tokio::test]
async fn signs_in_and_uses_mail_and_calendar() -> Outcome {
    let Some(address) = emulator("TOOLWRIGHT_EMULATED_GOOGLE") else {
        return Ok(());
    };
    let folder = TempDir::new()?;
    let redactor = Redactor::new();
    let client = GoogleClient::new("client-1").with_secret(Secret::new("secret-1".to_owned()));
    let google = Google::new(client, TokenFolder::new(folder.path()))
        .with_endpoints(GoogleEndpoints::at(&address)?)
        .with_sign_in(SignIn::Printing(Arc::new(User)))
        .with_redactor(redactor.clone())
        .with_time_zone("UTC")?;
    let connectors = Connectors::new().with_google(google.clone());
    let registry = Registry::builder()
        .policy(Policy::allow_all())
        .redactor(redactor)
        .toolset(&toolsets::standard(&connectors)?)?
        .build();

    let found = call(&registry, "gmail_search", json!({"query": "subject:Tea"})).await?;
    let id = found["messages"][0]["id"].as_str().ok_or("no message")?;
    let read = call(&registry, "gmail_read", json!({"messageId": id})).await?;
    assert_eq!(read["body"], "Tea at four?");

    let mail = json!({"to": "Ada <ada@example.org>", "subject": "Grüße", "body": "Gern.", "replyToMessageId": id});
    let sent = call(&registry, "gmail_send", mail).await?;
    let sent = call(
        &registry,
        "gmail_read",
        json!({"messageId": sent["message_id"]}),
    )
    .await?;
    assert_eq!(
        (&sent["subject"], &sent["body"]),
        (&json!("Grüße"), &json!("Gern."))
    );

    let day = json!({"timeMin": "2026-11-02", "timeMax": "2026-11-02"});
    let events = call(&registry, "calendar_list_events", day.clone()).await?;
    assert_eq!(events["events"][0]["summary"], "Tea");
    let event =
        json!({"summary": "Cake", "start": "2026-11-02T18:00", "attendees": ["ada@example.org"]});
    call(&registry, "calendar_create_event", event).await?;
    let events = call(&registry, "calendar_list_events", day).await?;
    assert_eq!(events["events"].as_array().map(Vec::len), Some(2));

    google.sign_out(GoogleService::Gmail).await?;
    let again = Google::new(
        GoogleClient::new("client-1").with_secret(Secret::new("secret-1".to_owned())),
        TokenFolder::new(folder.path()),
    );
    let again = Connectors::new().with_google(again.with_endpoints(GoogleEndpoints::at(&address)?));
    let registry = Registry::builder()
        .toolset(&toolsets::standard(&again)?)?
        .build();
    let result = registry
        .execute("gmail_search", json!({"query": "tea"}))
        .await;
    assert_eq!(
        result.error.ok_or("it succeeded")?.code.as_str(),
        "sign_in_required"
    );
    Ok(())
}
