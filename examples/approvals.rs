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
    let pending = Arc::new(MemoryPendingApprovals::default());
    let mail = tool_fn("send_mail", "Sends a mail.", |_, mail: Mail| async move {
        Ok(format!("Sent to {}.", mail.to))
    });
    let registry = Registry::builder()
        // A policy is data: keep it in a file, and write it again whenever it changes.
        .policy(Policy::from_json(r#"{"safe_write": "ask"}"#)?)
        .on_policy_change(|policy| println!("The policy now: {}\n", policy.to_json()))
        .approver(suspend_to(Arc::clone(&pending) as Arc<dyn PendingApprovals>))
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
    Ok(())
}
