//! A ledger in memory that can fail, and a tool that counts its runs.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};

use crate::approval::{ApprovalRequest, PendingApprovals, PendingError, Policy};
use crate::ledger::{
    CallKey, Claim, Intent, LeaseToken, Ledger, LedgerEntry, LedgerError, LedgerFilter,
    LedgerState, Page, Settled, Verified,
};
use crate::{
    Arguments, CallOptions, CallPlan, ErrorCode, Hints, PreparedCall, Registry, RegistryBuilder,
    RiskLevel, Timestamp, Tool, ToolCall, ToolContext, ToolDefinition, ToolError, ToolOutput,
    ToolResult,
};

/// Ledger and store of pending approvals in memory.
#[derive(Default)]
pub(super) struct TestLedger {
    entries: Mutex<BTreeMap<CallKey, LedgerEntry>>,
    requests: Mutex<BTreeMap<String, ApprovalRequest>>,
    tokens: AtomicU64,
    pub(super) fails: AtomicBool,
    pub(super) fails_to_settle: AtomicBool,
    pub(super) max_bytes: Mutex<Option<usize>>,
    pub(super) renewals: AtomicU32,
}

impl TestLedger {
    fn check(&self, fails: &AtomicBool) -> Result<(), LedgerError> {
        if fails.load(Ordering::SeqCst) || self.fails.load(Ordering::SeqCst) {
            return Err(LedgerError::unavailable("the disk is full"));
        }
        Ok(())
    }

    /// Returns the only entry.
    pub(super) fn entry(&self) -> LedgerEntry {
        let entries = self.entries.lock().unwrap();
        assert_eq!(entries.len(), 1, "{:?}", entries.keys());
        entries.values().next().unwrap().clone()
    }

    pub(super) fn count(&self) -> usize {
        self.entries.lock().unwrap().len()
    }

    /// Changes all entries.
    pub(super) fn change(&self, change: impl Fn(&mut LedgerEntry)) {
        self.entries.lock().unwrap().values_mut().for_each(change);
    }
}

#[async_trait]
impl Ledger for TestLedger {
    async fn claim(
        &self,
        key: &CallKey,
        intent: &Intent,
        lease: Duration,
    ) -> Result<Claim, LedgerError> {
        self.check(&AtomicBool::new(false))?;
        key.check()?;
        let token = LeaseToken::from_random(self.tokens.fetch_add(1, Ordering::SeqCst));
        let (mut entries, now) = (self.entries.lock().unwrap(), Timestamp::now());
        let position = entries.len() as u64;
        let found = entries.get(key).cloned().map(|entry| entry.at(now));
        if let Some(claim) = found.as_ref().and_then(|entry| entry.claim_for(intent)) {
            return Ok(claim);
        }
        let new = || LedgerEntry::new(position, key.clone(), intent.clone(), now);
        let mut entry = found.unwrap_or_else(new);
        if let Some(request) = &entry.request {
            self.requests.lock().unwrap().remove(&request.id);
        }
        entry.start(intent, token, now, lease);
        entries.insert(key.clone(), entry);
        Ok(Claim::New(token))
    }

    async fn renew(
        &self,
        key: &CallKey,
        token: LeaseToken,
        lease: Duration,
    ) -> Result<(), LedgerError> {
        self.renewals.fetch_add(1, Ordering::SeqCst);
        let mut entries = self.entries.lock().unwrap();
        entries
            .get_mut(key)
            .unwrap()
            .renew(token, Timestamp::now(), lease)
    }

    async fn settle(
        &self,
        key: &CallKey,
        token: LeaseToken,
        outcome: &Settled,
    ) -> Result<(), LedgerError> {
        self.check(&self.fails_to_settle)?;
        let bytes = serde_json::to_vec(outcome).unwrap().len();
        let limit = self.max_bytes.lock().unwrap().unwrap_or(usize::MAX);
        if bytes > limit {
            return Err(LedgerError::TooLarge { bytes, limit });
        }
        let mut entries = self.entries.lock().unwrap();
        entries.get_mut(key).unwrap().settle(token, outcome)
    }

    async fn find(&self, key: &CallKey) -> Result<Option<LedgerEntry>, LedgerError> {
        self.check(&AtomicBool::new(false))?;
        let entry = self.entries.lock().unwrap().get(key).cloned();
        Ok(entry.map(|entry| entry.at(Timestamp::now())))
    }

    async fn list(
        &self,
        filter: &LedgerFilter,
        page: Page,
    ) -> Result<Vec<LedgerEntry>, LedgerError> {
        let entries = self.entries.lock().unwrap();
        let mut found: Vec<LedgerEntry> = entries
            .values()
            .map(|entry| entry.clone().at(Timestamp::now()))
            .filter(|entry| filter.selects(entry))
            .filter(|entry| page.after.is_none_or(|after| entry.position > after))
            .collect();
        found.sort_by_key(|entry| entry.position);
        found.truncate(page.limit);
        Ok(found)
    }

    async fn prune(&self, _age: Duration) -> Result<u64, LedgerError> {
        Ok(0)
    }
}

#[async_trait]
impl PendingApprovals for TestLedger {
    async fn put(&self, request: &ApprovalRequest) -> Result<(), PendingError> {
        let mut requests = self.requests.lock().unwrap();
        requests.insert(request.id.clone(), request.clone());
        if let Some(key) = &request.call_key {
            let intent = Intent::of_request(request);
            let mut entries = self.entries.lock().unwrap();
            let entry = entries.entry(key.clone()).or_insert_with(|| {
                let mut entry = LedgerEntry::new(0, key.clone(), intent.clone(), Timestamp::now());
                entry.state = LedgerState::AwaitingApproval;
                entry
            });
            assert!(entry.wait_for(request, intent));
        }
        Ok(())
    }

    async fn list(&self) -> Result<Vec<ApprovalRequest>, PendingError> {
        Ok(self.requests.lock().unwrap().values().cloned().collect())
    }

    async fn take(&self, request_id: &str) -> Result<Option<ApprovalRequest>, PendingError> {
        let request = self.requests.lock().unwrap().remove(request_id);
        self.change(|entry| entry.withdraw(request_id));
        Ok(request)
    }

    fn claims_requests(&self) -> bool {
        true
    }
}

/// Behavior of the tool.
#[derive(Clone, Copy, Default)]
pub(super) enum Run {
    #[default]
    Succeeds,
    Fails,
    /// Fails without an effect.
    IsBusy,
    LosesResponse,
    Waits(Duration),
}

/// A tool that counts its runs.
pub(super) struct Counter {
    definition: ToolDefinition,
    pub(super) runs: Arc<AtomicU32>,
    pub(super) run: Arc<Mutex<Run>>,
    pub(super) derives_key: bool,
    pub(super) verified: Verified,
    /// Arguments that were verified.
    pub(super) arguments: Arc<Mutex<Vec<Value>>>,
}

impl Counter {
    pub(super) fn new(risk: RiskLevel, idempotent: bool) -> Self {
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        let hints = Hints {
            idempotent,
            ..Hints::of(risk)
        };
        Self {
            definition: ToolDefinition::new("count", "Counts.", schema)
                .with_risk(risk)
                .with_hints(hints),
            runs: Arc::default(),
            run: Arc::default(),
            derives_key: false,
            verified: Verified::Unknown,
            arguments: Arc::default(),
        }
    }
}

#[async_trait]
impl Tool for Counter {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    async fn verify(&self, cx: &ToolContext, arguments: &Arguments<'_>) -> Verified {
        assert!(cx.call_key().is_some());
        self.arguments.lock().unwrap().push(arguments.to_value());
        self.verified.clone()
    }

    fn prepare<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let mut plan = CallPlan::of(self.definition.risk());
        if let Some(number) = arguments.to_value().get("n")
            && self.derives_key
        {
            plan = plan.once(number.to_string());
        }
        Ok(PreparedCall::new(plan, self.execute(cx, arguments)))
    }
}

impl Counter {
    async fn execute(
        &self,
        cx: &ToolContext,
        arguments: &Arguments<'_>,
    ) -> Result<ToolOutput, ToolError> {
        let run = self.runs.fetch_add(1, Ordering::SeqCst) + 1;
        let how = *self.run.lock().unwrap();
        match how {
            Run::Succeeds => {}
            Run::Fails => return Err(ToolError::failed("The payment failed")),
            Run::IsBusy => {
                let error = ToolError::new(ErrorCode::Unavailable, "The service is busy");
                return Err(error.with_side_effects(crate::SideEffects::None));
            }
            Run::LosesResponse => return Err(ToolError::outcome_unknown("The response was lost")),
            Run::Waits(time) => tokio::time::sleep(time).await,
        }
        let key = cx.call_key().map(ToString::to_string);
        Ok(ToolOutput::json(
            json!({"run": run, "key": key, "arguments": arguments.to_value()}),
        ))
    }
}

pub(super) fn builder(ledger: &Arc<TestLedger>) -> RegistryBuilder {
    let ledger: Arc<dyn Ledger> = Arc::clone(ledger) as _;
    Registry::builder()
        .policy(Policy::allow_all())
        .ledger(ledger)
}

/// Returns a ledger, and a registry with a counter that is not idempotent.
pub(super) fn setup() -> (Arc<TestLedger>, Registry, Arc<AtomicU32>) {
    let ledger = Arc::new(TestLedger::default());
    let counter = Counter::new(RiskLevel::SafeWrite, false);
    let runs = Arc::clone(&counter.runs);
    let registry = builder(&ledger).tool(counter).unwrap().build();
    (ledger, registry, runs)
}

pub(super) fn run_7() -> CallOptions {
    CallOptions::default().with_scope("run-7")
}

pub(super) async fn call(registry: &Registry, id: &str, arguments: Value) -> ToolResult {
    let call = ToolCall::new("count", arguments).with_id(id);
    registry.execute_call(&call, &run_7()).await
}

pub(super) fn code(result: &ToolResult) -> Option<&str> {
    result.error.as_ref().map(|error| error.code.as_str())
}

pub(super) fn count(runs: &AtomicU32) -> u32 {
    runs.load(Ordering::SeqCst)
}
