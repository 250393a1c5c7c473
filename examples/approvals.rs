//! A call that waits for approval, is approved after it returned, and is remembered by the policy.
//!
//! `cargo run --example approvals`

use std::error::Error;
use std::sync::Arc;

use toolwright::CallArguments;
use toolwright::approval::{
    ApprovalRequest, Decision, MemoryPendingApprovals, PendingApprovals, suspend_to,
};
use toolwright::prelude::*;
use toolwright::serde_json::{self, json};

#[data]
struct Mail {
    /// Recipient.
    to: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("policy.json");
    fs::write(&file, r#"{"safe_write": "ask"}"#)?;
    let policy = Policy::from_json(&fs::read_to_string(&file)?)?;

    // A separate thread writes the file, so that calls never wait for I/O.
    let (changes, receiver) = mpsc::channel::<Policy>();
    let path = file.clone();
    let saver = thread::spawn(move || receiver.iter().try_for_each(|policy| save(&path, &policy)));

    let pending = Arc::new(MemoryPendingApprovals::default());
    let mail = tool_fn("send_mail", "Sends a mail.", |_, mail: Mail| async move {
        Ok(format!("Sent to {}.", mail.to))
    });
    let registry = Registry::builder()
        // A policy is data: keep it in a file, and write it again whenever it changes.
        .policy(Policy::from_json(r#"{"safe_write": "ask"}"#)?)
        .on_policy_change(|policy, _| println!("The policy now: {}\n", policy.to_json()))
        .approver(suspend_to(Arc::clone(&pending) as Arc<dyn PendingApprovals>))
        .on_policy_change(move |policy| {
            // The receiver is dropped only when the program exits.
            let _ = changes.send(policy.clone());
        })
        .tool(mail.risk(RiskLevel::Dangerous))?
        .build();

    let arguments = json!({"to": "ada@example.org"});
    let waiting = registry.execute("send_mail", arguments.clone()).await;
    println!("The model reads: {waiting}\n");

    // This part may run in another process, because a request is data.
    let stored = serde_json::to_string_pretty(&pending.list().await?)?;
    println!("Pending requests: {stored}\n");
    let requests: Vec<ApprovalRequest> = serde_json::from_str(&stored)?;
    for request in &requests {
        println!("{request}always\n");
        let decision = Decision::new(request, Answer::Always);
        let result = registry
            .decide(pending.as_ref(), &decision, &CallOptions::default())
            .await?;
        println!("{} was decided: {result}\n", result.id);
    }

    // The same call needs no approval from now on.
    println!(
        "{}",
        registry.explain("send_mail", &CallArguments::from(arguments))?
    );
    drop(registry);
    saver.join().map_err(|_| "the file was not saved")??;
    println!("policy.json: {}", fs::read_to_string(&file)?);
    Ok(())
}

/// Writes a temporary file and renames it, so that readers see either the old or the new content.
fn save(file: &Path, policy: &Policy) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(policy.to_json().as_bytes())?;
    temporary.as_file().sync_all()?;
    temporary.persist(file)?;
    Ok(())
}
