//! Approvals that are requested and decided by different processes, which are killed.

use std::sync::Arc;

use tool_core::approval::{Answer, ApprovalRequest, Decision, Policy, Rule, Verdict, suspend_to};
use tool_core::ledger::{CallKey, LedgerState};
use tool_core::{Registry, RiskLevel};

use crate::calls::{execute, options, process, registry};
use crate::counter::count;
use crate::points::Point;
use crate::store::Store;
use crate::{Outcome, check, print};

fn suspending(store: &Store, counters: &str, risk: RiskLevel, point: &Point) -> Outcome<Registry> {
    let builder = registry(store, counters, risk, point)?;
    let approver = suspend_to(Arc::clone(&store.approvals));
    Ok(builder.policy(Policy::default()).approver(approver).build())
}

/// Requests approval of the call `key`.
pub(crate) async fn request(store: &str, counters: &str, key: &str, point: &str) -> Outcome {
    let point = Point::new(point);
    let store = Store::open(store).await?;
    let registry = suspending(&store, counters, RiskLevel::Dangerous, &point)?;
    let result = execute(&registry, key).await;
    let code = result.error.as_ref().map(|error| error.code.as_str());
    check(code == Some("approval_pending"), || result.to_string())?;
    point.reach("requested");
    Ok(())
}

async fn request_of(store: &Store, key: &str) -> Outcome<Option<ApprovalRequest>> {
    let requests = store.approvals.list().await?;
    Ok(requests.into_iter().find(|request| request.call_id == key))
}

/// Approves the call `key`, and runs it.
pub(crate) async fn decide(store: &str, counters: &str, key: &str, point: &str) -> Outcome {
    let point = Point::new(point);
    let store = Store::open(store).await?;
    let registry = suspending(&store, counters, RiskLevel::Dangerous, &point)?;
    let request = request_of(&store, key).await?.ok_or("no request waits")?;
    let decision = Decision::new(&request, Answer::Approve);
    let result = registry
        .decide(store.approvals.as_ref(), &decision, &options())
        .await?;
    check(result.success, || result.to_string())?;
    point.end();
    Ok(())
}

/// A change after the request.
fn change(registry: &Registry, number: usize, counters: &str) -> Outcome<&'static str> {
    if number.is_multiple_of(2) {
        // The definition contains the hints, which follow the risk.
        let changed =
            crate::counter::Counter::new(counters, RiskLevel::SafeWrite, Point::new("never"));
        registry.replace(changed)?;
        return Ok("The definition of the tool changed");
    }
    let rule = Rule::new("no-count", "count", Verdict::Deny);
    registry.edit_policy(|policy| policy.rules.push(rule));
    Ok("The policy changed")
}

/// Kills processes that request and decide, and checks that each call runs at most once.
pub(crate) async fn run(store: &str, repetitions: usize) -> Outcome {
    let directory = tempfile::tempdir()?;
    let counters = directory.path().to_string_lossy().into_owned();
    let opened = Store::open(store).await?;
    let (mut approved, mut unknown, mut rejected) = (0, 0, 0);
    for number in 0..repetitions {
        for point in [
            "never",
            "before_claim",
            "in_claim",
            "after_claim",
            "after_effect",
            "after_settle",
        ] {
            let key = format!("approved-{point}-{number}");
            process(["request", store, &counters, &key, "requested"], true).await?;
            process(["decide", store, &counters, &key, point], point != "never").await?;
            // Another process decides again if the request still waits. A server may complete the claim of a killed process.
            if request_of(&opened, &key).await?.is_some() {
                let decided = process(["decide", store, &counters, &key, "never"], false).await;
                if decided.is_err() && request_of(&opened, &key).await?.is_some() {
                    decided?;
                }
            }
            let runs = count(directory.path(), &key)?;
            let entry = opened
                .ledger
                .find(&CallKey::new("kills", key.as_str()))
                .await?;
            let state = entry.map(|entry| entry.state);
            let is_done = state == Some(LedgerState::Done) && runs == 1;
            let is_unknown = state.is_some_and(|state| !state.is_settled()) && runs <= 1;
            check(is_done || is_unknown, || {
                format!("{key}: {state:?}, {runs} runs")
            })?;
            approved += u32::from(is_done);
            unknown += u32::from(is_unknown);
        }
        let key = format!("rejected-{number}");
        process(["request", store, &counters, &key, "requested"], true).await?;
        let registry = suspending(
            &opened,
            &counters,
            RiskLevel::Dangerous,
            &Point::new("never"),
        )?;
        let reason = change(&registry, number, &counters)?;
        let request = request_of(&opened, &key).await?.ok_or("no request waits")?;
        let decision = Decision::new(&request, Answer::Approve);
        let approvals = opened.approvals.as_ref();
        let result = registry.decide(approvals, &decision, &options()).await?;
        check(result.to_string().contains(reason), || result.to_string())?;
        check(count(directory.path(), &key)? == 0, || format!("{key} ran"))?;
        rejected += 1;
    }
    print(&format!(
        "approvals decided by another process: {approved} done once, {unknown} unknown and not repeated, {rejected} rejected after a change"
    ))
}
