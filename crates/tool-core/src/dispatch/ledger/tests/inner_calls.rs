//! A call through `call_tool` leaves the same traces as the call itself.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde_json::{Value, json};

use super::setup::{TestLedger, run_7};
use crate::approval::{Answer, Policy, Rule, Verdict, approver_fn};
use crate::audit::{AuditEvent, AuditLog, AuditWrite};
use crate::ledger::{Ledger, LedgerEntry, LedgerFilter, Page};
use crate::output_store::{OutputHandle, OutputStore, StoreError, StoredPage};
use crate::search::{CALL_TOOL, SearchOptions};
use crate::{
    CallArguments, DynamicTool, OutputLimit, Redactor, Registry, RegistryBuilder, RiskLevel,
    Secret, StartSink, ToolCall, ToolDefinition, ToolError, ToolOutput,
};

/// Everything that a call leaves behind besides its result, in order.
#[derive(Debug, Default)]
struct Traces {
    events: Mutex<Vec<Value>>,
    stored: Mutex<Vec<Arc<str>>>,
}

impl Traces {
    fn add(&self, event: Value) {
        self.events.lock().unwrap().push(event);
    }
}

#[derive(Debug, Clone, Default)]
struct Host(Arc<Traces>);

impl AuditLog for Host {
    fn record(&self, event: AuditEvent) -> AuditWrite {
        self.0.add(stable(json!({"audit": event})));
        Box::pin(async { Ok(()) })
    }
}

#[async_trait]
impl StartSink for Host {
    async fn starts(&self, call_id: &str, risk: RiskLevel) -> Result<(), ToolError> {
        self.0.add(json!({"starts": call_id, "risk": risk}));
        Ok(())
    }
}

/// Its handles are the numbers of the outputs, so that those of two hosts are equal.
#[async_trait]
impl OutputStore for Host {
    async fn put(&self, text: Arc<str>) -> Result<OutputHandle, StoreError> {
        let mut stored = self.0.stored.lock().unwrap();
        stored.push(text);
        Ok(OutputHandle::from_random(stored.len() as u128))
    }

    async fn read(
        &self,
        handle: &OutputHandle,
        offset: u64,
        limit: usize,
    ) -> Result<StoredPage, StoreError> {
        let stored = self.0.stored.lock().unwrap();
        let is_it = |number: &usize| OutputHandle::from_random(*number as u128) == *handle;
        let number = (1..=stored.len()).find(is_it).ok_or(StoreError::Unknown)?;
        StoredPage::of(&stored[number - 1], offset, limit)
    }
}

/// Tools by name and risk; `unknown` is called, but does not exist.
const TOOLS: [(&str, RiskLevel); 9] = [
    ("reads", RiskLevel::ReadOnly),
    ("saves", RiskLevel::SafeWrite),
    ("pays", RiskLevel::Dangerous),
    ("edited", RiskLevel::Dangerous),
    ("denied", RiskLevel::Dangerous),
    ("forbidden", RiskLevel::ReadOnly),
    ("fails", RiskLevel::SafeWrite),
    ("panics", RiskLevel::SafeWrite),
    ("talks", RiskLevel::ReadOnly),
];
const UNKNOWN: &str = "unknown";

/// A tool with one required parameter that behaves as its name says.
fn tool(name: &'static str, risk: RiskLevel) -> DynamicTool {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "limit": {"type": "integer", "minimum": 1, "default": 10},
        },
        "required": ["path"],
        "additionalProperties": false,
    });
    let definition = ToolDefinition::new(name, "For a test.", schema).with_alias("file", "path");
    DynamicTool::new(
        definition.with_risk(risk),
        move |cx, arguments| async move {
            cx.affected("a.txt");
            cx.note("exit_code", 3);
            match name {
                "fails" => Err(ToolError::failed("The disk is full").suggest("Delete a file.")),
                "panics" => panic!("requested panic"),
                "talks" => Ok(ToolOutput::text(
                    "a line with a secret: sk-1234567\n".repeat(100),
                )),
                _ => Ok(ToolOutput::json(arguments)),
            }
        },
    )
}

/// Returns a registry with everything that a host can set, whose definitions are deferred.
fn registry(host: &Host, ledger: &Arc<TestLedger>) -> Registry {
    let asked = host.clone();
    let approver = approver_fn(move |request| {
        asked.0.add(
            json!({"asks": request.tool, "arguments": request.arguments, "digest": request.digest}),
        );
        match request.tool.as_str() {
            "edited" if request.arguments["path"] != "e" => Answer::Edit {
                arguments: json!({"path": "e"}),
            },
            "denied" => Answer::Deny {
                reason: Some("Not today.".to_owned()),
            },
            _ => Answer::Approve,
        }
    });
    let secret = Secret::new("sk-1234567".to_owned());
    let forbid = Rule::new("no", "forbidden", Verdict::Deny);
    let builder = Registry::builder()
        .policy(Policy::default().with_rule(forbid))
        .approver(approver)
        .ledger(Arc::clone(ledger) as Arc<dyn Ledger>)
        .audit(host.clone())
        .output_store(Arc::new(host.clone()))
        .references(true)
        .redactor(Redactor::new().with_value(&secret).unwrap())
        .argument_limit(1000)
        .output_limit(OutputLimit::bytes(300));
    let add = |builder: RegistryBuilder, (name, risk)| builder.tool(tool(name, risk)).unwrap();
    let options = SearchOptions::default()
        .with_threshold(0, 0)
        .with_always(["reads"]);
    let registry = TOOLS.into_iter().fold(builder, add).build();
    registry.searchable(options).unwrap()
}

/// Twenty arguments: good, repaired, converted, wrong, too long, and with references.
fn arguments() -> Vec<Value> {
    let (stored, foreign) = (OutputHandle::from_random(1), OutputHandle::from_random(99));
    vec![
        json!({"path": "a"}),
        json!({"path": "b", "limit": 3}),
        json!({"limit": "3", "path": "c"}),
        json!({"file": "d"}),
        json!({"path": 7}),
        json!({}),
        json!(null),
        json!([1]),
        json!(r#"{"path": "e"}"#),
        json!(r#"{"path": "f",}"#),
        json!(r#"{"path": "g"#),
        json!(""),
        json!(format!(r#"{{"path": "{}"}}"#, "x".repeat(2000))),
        json!({"path": {"$from": stored}}),
        json!({"path": {"$from": stored, "lines": [5, 2]}}),
        json!({"path": {"$from": foreign}}),
        json!({"path": "h", "api_key": "k"}),
        json!({"path": "i", "limit": 0}),
        json!({"path": "sk-1234567 ä\n\""}),
        json!({"path": "j", "limit": null}),
    ]
}

/// Removes times and random numbers.
fn stable(mut value: Value) -> Value {
    match &mut value {
        Value::Object(members) => {
            members.retain(|key, _| !key.ends_with("time") && !key.ends_with("_ms"));
            members
                .values_mut()
                .for_each(|value| *value = stable(value.take()));
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| *item = stable(item.take())),
        _ => {}
    }
    value
}

/// Makes each call twice, so that the ledger answers those with effects. Returns the results and all traces.
async fn traces(
    call: impl Fn(&'static str, &Value, usize) -> ToolCall,
) -> Vec<(&'static str, Vec<Value>)> {
    let (host, ledger) = (Host::default(), Arc::new(TestLedger::default()));
    let registry = registry(&host, &ledger);
    host.put("stored\nlines\n".into()).await.unwrap();
    let options = run_7().with_start_sink(Arc::new(host.clone()));
    let mut results = Vec::new();
    for name in TOOLS.map(|(name, _)| name).into_iter().chain([UNKNOWN]) {
        for (number, arguments) in arguments().iter().enumerate() {
            let call = call(name, arguments, number).with_id(format!("{name}-{number}"));
            for _ in 0..2 {
                let result = registry.execute_call(&call, &options).await;
                results.push(stable(
                    json!({"text": result.to_string(), "result": result}),
                ));
            }
        }
    }
    let entries = Ledger::list(&*ledger, &LedgerFilter::default(), Page::first(1000)).await;
    let entries = entries.unwrap().into_iter().map(|mut entry| {
        entry.intent.approval = None;
        let LedgerEntry {
            key,
            intent,
            state,
            claims,
            result,
            ..
        } = entry;
        stable(json!([key, intent, state, claims, result]))
    });
    let events = host.0.events.lock().unwrap().clone();
    let stored = host.0.stored.lock().unwrap();
    let stored = stored.iter().map(|text| json!(**text)).collect();
    vec![
        ("results", results),
        ("events", events),
        ("stored", stored),
        ("entries", entries.collect()),
    ]
}

#[tokio::test(start_paused = true)]
async fn inner_calls_leave_the_traces_of_direct_ones() {
    let direct = traces(|name, arguments, _| match arguments {
        Value::String(text) => ToolCall::new(name, text.as_str()),
        value => ToolCall::new(name, value.clone()),
    })
    .await;
    let inner = traces(|name, arguments, number| {
        let outer = json!({"name": name, "arguments": arguments});
        // Models send text, and some adapters pass on a value.
        let is_text = number % 2 == 0 && !arguments.is_string();
        let outer = if is_text {
            CallArguments::Text(outer.to_string())
        } else {
            outer.into()
        };
        ToolCall::new(CALL_TOOL, outer)
    })
    .await;

    for ((kind, inner), (_, direct)) in inner.iter().zip(&direct) {
        assert_eq!(inner.len(), direct.len(), "{kind}");
        for (inner, direct) in inner.iter().zip(direct) {
            assert_eq!(inner, direct, "{kind}");
        }
    }
    // All of it happened.
    let least = [400, 500, 5, 20];
    for ((kind, traces), least) in inner.iter().zip(least) {
        assert!(traces.len() >= least, "{} {kind}", traces.len());
    }
    let asked = inner[1]
        .1
        .iter()
        .filter(|event| event.get("asks").is_some());
    assert!(asked.count() >= 20);
}
