//! A policy file that stores approval decisions, and a call that is approved after it returned.
//!
//! `cargo run --example approvals`

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::{fs, io, thread};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tool_core::approval::{
    Answer, ApprovalRequest, Decision, MemoryPendingApprovals, PendingApprovals, Policy, suspend_to,
};
use tool_core::{CallArguments, CallOptions, Registry, RiskLevel, tool_fn};

#[derive(Deserialize, JsonSchema)]
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
    let (changes, receiver) = mpsc::channel::<(u64, Policy)>();
    let path = file.clone();
    let saver = thread::spawn(move || save_all(&path, &receiver));

    let pending = Arc::new(MemoryPendingApprovals::default());
    let mail = tool_fn("send_mail", "Sends a mail.", |_, mail: Mail| async move {
        Ok(format!("Sent to {}.", mail.to))
    });
    let registry = Registry::builder()
        .policy(policy)
        .approver(suspend_to(Arc::clone(&pending) as Arc<dyn PendingApprovals>))
        .on_policy_change(move |policy, generation| {
            // The receiver is dropped only when the program exits.
            let _ = changes.send((generation, policy.clone()));
        })
        .tool(mail.risk(RiskLevel::Dangerous))?
        .build();

    let arguments = json!({"to": "ada@example.org"});
    let waiting = registry.execute("send_mail", arguments.clone()).await;
    println!("The model reads: {waiting}\n");

    // This part may run in another process, because the request is data.
    let stored = serde_json::to_string_pretty(&pending.list().await?)?;
    println!("Pending requests: {stored}\n");
    let requests: Vec<ApprovalRequest> = serde_json::from_str(&stored)?;
    for request in &requests {
        println!("{request}always\n");
        let decision = Decision::new(request, Answer::Always);
        let options = CallOptions::default();
        let result = registry
            .answer(pending.as_ref(), &decision, &options)
            .await?;
        println!("{} was decided: {result}\n", result.id);
    }

    println!(
        "{}\n",
        registry.explain("send_mail", &CallArguments::from(arguments))?
    );
    drop(registry);
    saver.join().map_err(|_| "the file was not saved")??;
    println!("policy.json: {}", fs::read_to_string(&file)?);
    Ok(())
}

/// Saves each policy that is newer than the last saved one.
fn save_all(file: &Path, changed: &mpsc::Receiver<(u64, Policy)>) -> io::Result<()> {
    let mut saved = 0;
    for (generation, policy) in changed {
        if generation > saved {
            save(file, &policy)?;
            saved = generation;
        }
    }
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
