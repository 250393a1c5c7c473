//! Random mixes of concurrent calls: each has one result, and the gate's guarantees hold.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard};

use proptest::prelude::*;

use super::*;
use crate::{
    Arguments, CallHandle, CallOptions, CallPlan, PreparedCall, SideEffects, Tool, ToolCall,
    ToolContext, ToolError,
};

/// Maximum number of concurrent calls, in total and of the tool with a separate bound.
const BOUND: usize = 3;
const OWN_BOUND: usize = 2;

/// Records concurrency and completed runs.
#[derive(Default)]
struct RunRecorder(Mutex<Recorded>);

#[derive(Default)]
struct Recorded {
    running: Vec<(&'static str, String)>,
    begun: HashSet<String>,
    broken: Vec<String>,
}

impl RunRecorder {
    fn seen(&self) -> MutexGuard<'_, Recorded> {
        self.0
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Recorded {
    fn enter(&mut self, tool: &'static str, key: &str) {
        let of_tool = self
            .running
            .iter()
            .filter(|(name, _)| *name == tool)
            .count();
        let alone = self.running.iter().all(|(name, _)| *name != "alone")
            && (tool != "alone" || self.running.is_empty());
        let same_key = |(name, held): &(&str, String)| *name == "keyed" && held == key;
        let key_is_free = tool != "keyed" || !self.running.iter().any(same_key);
        let within = self.running.len() < BOUND && (tool != "bounded" || of_tool < OWN_BOUND);
        if !(alone && key_is_free && within) {
            self.broken
                .push(format!("{tool} {key} beside {:?}", self.running));
        }
        self.running.push((tool, key.to_owned()));
    }
}

/// A running call as recorded by the witness.
struct Running {
    recorder: Arc<RunRecorder>,
    tool: &'static str,
    key: String,
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut seen = self.recorder.seen();
        let place = seen
            .running
            .iter()
            .position(|(tool, key)| *tool == self.tool && *key == self.key);
        seen.running.swap_remove(place.unwrap());
    }
}

struct RandomTool {
    name: &'static str,
    definition: ToolDefinition,
    recorder: Arc<RunRecorder>,
}

impl Tool for RandomTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let plan = CallPlan::of(self.definition.risk());
        let key = text_of(arguments, "key");
        let plan = match self.name {
            "keyed" => plan.writes(key),
            "alone" => plan.exclusive(),
            _ => plan,
        };
        let run = self.run(cx, key, text_of(arguments, "mood"));
        Ok(PreparedCall::new(plan, run))
    }
}

fn text_of<'a>(arguments: &'a Arguments<'_>, name: &str) -> &'a str {
    let text = arguments.get(name).and_then(crate::JsonRef::as_str);
    text.unwrap()
}

impl RandomTool {
    async fn run(&self, cx: &ToolContext, key: &str, mood: &str) -> Result<ToolOutput, ToolError> {
        {
            let mut seen = self.recorder.seen();
            seen.enter(self.name, key);
            seen.begun.insert(cx.call_id().to_owned());
        }
        let _running = Running {
            recorder: Arc::clone(&self.recorder),
            tool: self.name,
            key: key.to_owned(),
        };
        match mood {
            "slow" => tokio::time::sleep(Duration::from_millis(3)).await,
            "fail" => return Err(ToolError::failed("As asked")),
            "panic" => panic!("requested panic"),
            "panic later" => {
                tokio::task::yield_now().await;
                panic!("requested panic")
            }
            "hang" => return forever().await,
            _ => {}
        }
        Ok("well".into())
    }
}

const TOOLS: [(&str, RiskLevel); 4] = [
    ("reading", RiskLevel::ReadOnly),
    ("bounded", RiskLevel::SafeWrite),
    ("keyed", RiskLevel::SafeWrite),
    ("alone", RiskLevel::SafeWrite),
];

fn registry(recorder: &Arc<RunRecorder>) -> Registry {
    let schema = json!({
        "type": "object",
        "properties": {"mood": {"type": "string"}, "key": {"type": "string"}},
        "required": ["mood", "key"],
    });
    let tool = |(name, risk): (&'static str, _)| {
        let definition = ToolDefinition::new(name, "For a test.", schema.clone()).with_risk(risk);
        RandomTool {
            name,
            definition: if name == "bounded" {
                definition.with_max_parallel(OWN_BOUND)
            } else {
                definition
            },
            recorder: Arc::clone(recorder),
        }
    };
    let denied = DynamicTool::new(
        definition("denied", RiskLevel::Dangerous),
        |_, _| async move { Ok("ran".into()) },
    );
    let builder = Registry::builder().parallel_calls(BOUND);
    let builder = builder.tool(denied).unwrap();
    let all = TOOLS.into_iter().map(tool);
    all.fold(builder, |builder, tool| builder.tool(tool).unwrap())
        .build()
}

/// Expected result of a call: behavior of its tool, code and effects.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    Ends(&'static str, &'static str),
    Cancelled,
    Dropped,
    Unfit,
    Unknown,
    Denied,
}

const FATES: [Fate; 11] = [
    Fate::Ends("well", ""),
    Fate::Ends("slow", ""),
    Fate::Ends("fail", "failed"),
    Fate::Ends("panic", "panic"),
    Fate::Ends("panic later", "panic"),
    Fate::Ends("hang", "timeout"),
    Fate::Cancelled,
    Fate::Dropped,
    Fate::Unfit,
    Fate::Unknown,
    Fate::Denied,
];

#[derive(Debug, Clone)]
struct Plan {
    fate: Fate,
    tool: usize,
    key: &'static str,
}

fn plans(most: usize) -> impl Strategy<Value = Vec<Plan>> {
    let plan = (
        prop::sample::select(&FATES[..]),
        0..TOOLS.len(),
        prop::sample::select(&["a", "b"][..]),
    );
    let plan = plan.prop_map(|(fate, tool, key)| Plan { fate, tool, key });
    prop::collection::vec(plan, 0..most)
}

impl Plan {
    fn call(&self, id: usize) -> ToolCall {
        let tool = TOOLS[self.tool].0;
        let call = match self.fate {
            Fate::Ends(mood, _) => ToolCall::new(tool, json!({"mood": mood, "key": self.key})),
            Fate::Cancelled | Fate::Dropped => {
                ToolCall::new(tool, json!({"mood": "hang", "key": self.key}))
            }
            Fate::Unfit => ToolCall::new(tool, json!({"key": self.key})),
            Fate::Unknown => ToolCall::new("nobody", json!({})),
            Fate::Denied => ToolCall::new("denied", json!({})),
        };
        call.with_id(id.to_string())
    }

    fn options(&self) -> CallOptions {
        CallOptions::default().with_timeout(match self.fate {
            Fate::Ends("hang", _) => Duration::from_millis(20),
            _ => Duration::from_mins(1),
        })
    }

    fn code(&self) -> &'static str {
        match self.fate {
            Fate::Ends(_, code) => code,
            Fate::Cancelled => "cancelled",
            Fate::Dropped => "no result at all",
            Fate::Unfit => "invalid_arguments",
            Fate::Unknown => "tool_not_found",
            Fate::Denied => "approval_denied",
        }
    }

    /// Returns the expected side effects.
    fn effects(&self, begun: bool) -> SideEffects {
        let reads = TOOLS[self.tool].1 == RiskLevel::ReadOnly;
        match self.code() {
            _ if reads || !begun => SideEffects::None,
            "" => SideEffects::Done,
            _ => SideEffects::Possible,
        }
    }
}

/// Returns the results of the calls that were not dropped.
async fn carry_out(registry: &Registry, plans: &[Plan]) -> Vec<(Plan, usize, ToolResult)> {
    let mut handles: Vec<Option<CallHandle>> = Vec::new();
    for (id, plan) in plans.iter().enumerate() {
        handles.push(Some(registry.spawn(plan.call(id), plan.options())));
    }
    tokio::time::sleep(Duration::from_millis(5)).await;
    for (plan, handle) in plans.iter().zip(&mut handles) {
        match plan.fate {
            Fate::Cancelled => handle.as_ref().unwrap().cancel(),
            Fate::Dropped => drop(handle.take()),
            _ => {}
        }
    }
    let mut results = Vec::new();
    for (id, (plan, handle)) in plans.iter().zip(handles).enumerate() {
        if let Some(handle) = handle {
            results.push((plan.clone(), id, soon(handle).await));
        }
    }
    results
}

async fn check(plans: Vec<Plan>) -> Result<(), TestCaseError> {
    let recorder = Arc::new(RunRecorder::default());
    let registry = registry(&recorder);

    let results = carry_out(&registry, &plans).await;

    for (plan, id, result) in &results {
        let code = result
            .error
            .as_ref()
            .map_or("", |error| error.code.as_str());
        prop_assert_eq!(result.id.as_str(), id.to_string());
        prop_assert_eq!(code, plan.code(), "{}", id);
        let begun = recorder.seen().begun.contains(result.id.as_str());
        prop_assert_eq!(result.metadata.side_effects, plan.effects(begun), "{}", id);
    }
    for (tool, _) in TOOLS {
        let again = soon(registry.execute(tool, json!({"mood": "well", "key": "a"}))).await;
        prop_assert!(again.success, "{}: {}", tool, again);
    }
    let seen = recorder.seen();
    prop_assert_eq!(&seen.broken, &Vec::<String>::new());
    prop_assert_eq!(&seen.running, &Vec::new());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn each_call_has_result_and_gate_holds(plans in plans(30)) {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_time().start_paused(true).build().unwrap();

        runtime.block_on(check(plans))?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn each_call_has_result_on_many_threads(plans in plans(12)) {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(4).enable_time().build().unwrap();

        runtime.block_on(async { tokio::spawn(check(plans)).await.unwrap() })?;
    }
}
