//! An assistant that signs in, searches and reads mail, and sends a message after approval.
//!
//! With `GOOGLE_CLIENT_ID` and `GOOGLE_CLIENT_SECRET`, it uses your account: the browser opens for the
//! sign-in, and a message is sent to `ASSISTANT_RECIPIENT` after approval at the terminal. Otherwise, a
//! small server on 127.0.0.1 takes the place of Google.
//!
//! `cargo run -p examples --example assistant --features connectors`

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use agent_loop::TerminalApprover;
use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tool_core::approval::{Answer, ApprovalRequest, approver_fn};
use tool_core::{Redactor, Registry, Secret};
use tools_connectors::google::{
    Google, GoogleClient, GoogleEndpoints, GoogleService, SignIn, SignInPrompt, TokenFolder,
};
use tools_connectors::{Connectors, toolsets};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = format!("http://{}", listener.local_addr()?);
    let server = tokio::spawn(serve(listener));

    let folder = tempfile::tempdir()?;
    let redactor = Redactor::new();
    let own = own_account()?;
    let is_own = own.is_some();
    let google = match own {
        Some(google) => google,
        None => scripted_account(folder.path(), &address)?,
    };
    let google = google.with_redactor(redactor.clone());
    google.sign_in(GoogleService::Gmail).await?;

    let connectors = Connectors::new().with_google(google);
    let builder = Registry::builder().redactor(redactor);
    let builder = if is_own {
        builder.approver(TerminalApprover::new())
    } else {
        builder.approver(approver_fn(|request| approve(&request)))
    };
    let registry = builder.toolset(&toolsets::assistant(&connectors)?)?.build();

    let found = call(&registry, "gmail_search", json!({"query": "is:unread"})).await;
    let first = found.and_then(|found| Some(found.pointer("/messages/0/id")?.clone()));
    if let Some(id) = first {
        call(&registry, "gmail_read", json!({"messageId": id})).await;
    }
    let to = std::env::var("ASSISTANT_RECIPIENT").ok();
    if let Some(to) = to.or((!is_own).then(|| "ada@example.com".to_owned())) {
        let mail = json!({"to": to, "subject": "Re: Tea", "body": "Yes, at four."});
        call(&registry, "gmail_send", mail).await;
    }
    server.abort();
    Ok(())
}

/// Calls a tool, prints its result and returns the data.
async fn call(registry: &Registry, tool: &str, arguments: Value) -> Option<Value> {
    let result = registry.execute(tool, arguments).await;
    println!("{tool}:\n{result}\n");
    result.data
}

/// Returns the account of the user if a client is configured.
fn own_account() -> Result<Option<Google>, Box<dyn Error>> {
    let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let (Some(id), Some(secret)) = (
        variable("GOOGLE_CLIENT_ID"),
        variable("GOOGLE_CLIENT_SECRET"),
    ) else {
        return Ok(None);
    };
    let client = GoogleClient::new(id).with_secret(Secret::new(secret));
    let tokens = TokenFolder::in_state_folder("toolwright-assistant")?;
    Ok(Some(
        Google::new(client, tokens).with_sign_in(SignIn::Browser(Arc::new(Terminal))),
    ))
}

/// Returns an account on the server of this program.
fn scripted_account(folder: &Path, address: &str) -> Result<Google, Box<dyn Error>> {
    let client = GoogleClient::new("example").with_secret(Secret::new("example-secret".to_owned()));
    Ok(Google::new(client, TokenFolder::new(folder))
        .with_endpoints(GoogleEndpoints::at(address)?)
        .with_sign_in(SignIn::Printing(Arc::new(Script))))
}

/// Shows the message and approves it, because the server of this program sends nothing.
fn approve(request: &ApprovalRequest) -> Answer {
    let preview = request.preview.as_ref().map(ToString::to_string);
    println!("Approving this message:\n{}\n", preview.unwrap_or_default());
    Answer::Approve
}

/// Prompt that prints the address.
#[derive(Debug)]
struct Terminal;

#[async_trait]
impl SignInPrompt for Terminal {
    async fn show(&self, service: &str, url: &str) {
        println!("Open this address to sign in to {service}:\n{url}\n");
    }
}

/// Prompt that prints the start of the address, and opens it like the user would.
#[derive(Debug)]
struct Script;

#[async_trait]
impl SignInPrompt for Script {
    async fn show(&self, service: &str, url: &str) {
        println!(
            "Open this address to sign in to {service}: {}...\n",
            &url[..60]
        );
        let url = url.to_owned();
        tokio::spawn(async move { visit(&url).await });
    }
}

/// Follows the redirect to the library, as a browser does after the consent.
async fn visit(url: &str) -> Option<()> {
    let parameter = |name: &str| {
        let (_, rest) = url.split_once(&format!("{name}="))?;
        Some(rest.split('&').next().unwrap_or(rest).to_owned())
    };
    let host = parameter("redirect_uri")?
        .replace("%3A", ":")
        .replace("%2F", "/");
    let host = host.trim_start_matches("http://").to_owned();
    let target = format!("/?state={}&code=code-1", parameter("state")?);
    let mut stream = TcpStream::connect(&host).await.ok()?;
    let request = format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.ok()?;
    stream.read_to_end(&mut Vec::new()).await.ok()?;
    Some(())
}

async fn serve(listener: TcpListener) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(answer(stream));
    }
}

async fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut request = vec![0; 16 * 1024];
    let read = stream.read(&mut request).await?;
    let request = String::from_utf8_lossy(&request[..read]).into_owned();
    let path = request.split(' ').nth(1).unwrap_or_default();
    let body = response(path).to_string();
    let length = body.len();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    stream.shutdown().await
}

fn response(path: &str) -> Value {
    let path = path.split('?').next().unwrap_or_default();
    match path.rsplit('/').next().unwrap_or_default() {
        "token" => json!({
            "access_token": "token-123456", "refresh_token": "refresh-123456", "expires_in": 3600, "token_type": "Bearer",
        }),
        "profile" => json!({"emailAddress": "me@example.com"}),
        "send" => json!({"id": "m2", "threadId": "t1"}),
        "messages" => json!({"messages": [{"id": "m1"}], "resultSizeEstimate": 1}),
        _ => json!({
            "id": "m1", "threadId": "t1", "labelIds": ["UNREAD"], "snippet": "Tea at four?",
            "internalDate": "1792000000000",
            "payload": {
                "mimeType": "text/plain",
                "headers": [
                    {"name": "From", "value": "Ada <ada@example.com>"},
                    {"name": "Subject", "value": "Tea"},
                ],
                "body": {"size": 12, "data": "VGVhIGF0IGZvdXI_"},
            },
        }),
    }
}
