//! Laws about dropped and concurrent calls.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tool_core::{
    Arguments, CallPlan, DynamicTool, PreparedCall, RiskLevel, Tool, ToolContext, ToolDefinition,
    ToolError, ToolOutput,
};

use crate::{Laws, Scratch};

fn tool<F, Fut>(run: F) -> Arc<dyn Tool>
where
    F: Fn(ToolContext, Value) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ToolOutput, ToolError>> + Send + 'static,
{
    let definition = ToolDefinition::new("f", "For a test.", json!({"type": "object"}))
        .with_risk(RiskLevel::SafeWrite);
    Arc::new(DynamicTool::new(definition, run))
}

async fn broken_by(make: impl Fn(&Path) -> Arc<dyn Tool> + Send + Sync) -> Vec<&'static str> {
    let scratch = Scratch::new();
    let laws = Laws::of(make(scratch.path()))
        .fresh(make)
        .call(json!({"text": "a"}))
        .call(json!({"text": "b"}));
    let mut broken: Vec<&str> = laws.check().await.iter().map(|broken| broken.law).collect();
    broken.dedup();
    broken
}

async fn pause() {
    tokio::time::sleep(Duration::from_millis(15)).await;
}

/// Appends the text to a file; other calls may run between the read and the write.
async fn append(file: PathBuf, arguments: Value) -> Result<ToolOutput, ToolError> {
    let before = fs::read_to_string(&file).unwrap_or_default();
    tokio::time::sleep(Duration::from_millis(1)).await;
    let text = arguments["text"].as_str().unwrap_or("x").to_owned();
    fs::write(&file, before + &text).unwrap();
    Ok("added".into())
}

#[tokio::test]
async fn sequential_tool_breaks_no_law() {
    let make = |directory: &Path| {
        let (file, turn) = (
            directory.join("a.txt"),
            Arc::new(tokio::sync::Mutex::new(())),
        );
        tool(move |_, arguments| {
            let (file, turn) = (file.clone(), Arc::clone(&turn));
            async move {
                let _turn = turn.lock().await;
                pause().await;
                append(file, arguments).await
            }
        })
    };

    assert_eq!(broken_by(make).await, [] as [&str; 0]);
}

#[tokio::test(start_paused = true)]
async fn detects_temporary_file_of_dropped_call() {
    let make = |directory: &Path| {
        let directory = directory.to_owned();
        tool(move |_, _| {
            let directory = directory.clone();
            async move {
                fs::write(directory.join("a.tmp"), "a").unwrap();
                pause().await;
                fs::rename(directory.join("a.tmp"), directory.join("a.txt")).ok();
                Ok("written".into())
            }
        })
    };

    assert!(
        broken_by(make)
            .await
            .contains(&"a dropped call leaves no file")
    );
}

#[cfg(target_os = "linux")]
#[tokio::test(start_paused = true)]
async fn detects_process_of_dropped_call() {
    let make = |directory: &Path| {
        let directory = directory.to_owned();
        tool(move |_, _| {
            let directory = directory.clone();
            async move {
                let mut sleep = std::process::Command::new("sleep");
                let mut child = sleep.arg("5").current_dir(directory).spawn().unwrap();
                pause().await;
                child.kill().unwrap();
                child.wait().unwrap();
                Ok("slept".into())
            }
        })
    };

    assert!(
        broken_by(make)
            .await
            .contains(&"a dropped call leaves no process")
    );
}

#[tokio::test(start_paused = true)]
async fn detects_lock_of_dropped_call() {
    let make = |_: &Path| {
        let held = Arc::new(AtomicBool::new(false));
        tool(move |_, _| {
            let held = Arc::clone(&held);
            async move {
                while held.swap(true, Ordering::SeqCst) {
                    pause().await;
                }
                pause().await;
                held.store(false, Ordering::SeqCst);
                Ok("done".into())
            }
        })
    };

    assert_eq!(broken_by(make).await, ["a dropped call leaves no lock"]);
}

#[tokio::test]
async fn detects_lost_changes_in_files_and_memory() {
    let in_a_file = |directory: &Path| {
        let file = directory.join("a.txt");
        tool(move |_, arguments| append(file.clone(), arguments))
    };
    let in_memory = |_: &Path| {
        let count = Arc::new(AtomicUsize::new(0));
        tool(move |_, _| {
            let count = Arc::clone(&count);
            async move {
                let before = count.load(Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(1)).await;
                count.store(before + 1, Ordering::SeqCst);
                Ok(json!(before + 1).into())
            }
        })
    };
    let law = "concurrent calls do not lose each other's changes";

    assert_eq!(broken_by(in_a_file).await, [law]);
    assert_eq!(broken_by(in_memory).await, [law]);
}

#[tokio::test]
async fn conflict_error_is_not_a_lost_change() {
    let make = |directory: &Path| {
        let (file, busy) = (directory.join("a.txt"), Arc::new(AtomicBool::new(false)));
        tool(move |_, arguments| {
            let (file, busy) = (file.clone(), Arc::clone(&busy));
            async move {
                if busy.swap(true, Ordering::SeqCst) {
                    return Err(ToolError::new("conflict".into(), "The file has changed"));
                }
                let outcome = append(file, arguments).await;
                busy.store(false, Ordering::SeqCst);
                outcome
            }
        })
    };
    let scratch = Scratch::new();
    let laws = Laws::of(make(scratch.path()))
        .fresh(make)
        .call(json!({"text": "a"}));

    let broken = laws.check().await;

    let law = "concurrent calls do not lose each other's changes";
    assert!(
        broken.iter().all(|broken| broken.law() != law),
        "{broken:?}"
    );
}

#[tokio::test]
async fn detects_definitions_that_differ_between_instances() {
    let count = AtomicUsize::new(0);
    let make = |_: &Path| -> Arc<dyn Tool> {
        let description = format!("Number {}.", count.fetch_add(1, Ordering::SeqCst));
        let definition = ToolDefinition::new("f", description, json!({"type": "object"}));
        Arc::new(DynamicTool::new(definition, |_, _| async {
            Ok("done".into())
        }))
    };

    assert_eq!(broken_by(make).await, ["the definition never changes"]);
}

/// Tool that creates a file while it is prepared.
struct Hasty(ToolDefinition, PathBuf);

impl Tool for Hasty {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn prepare<'a>(
        &'a self,
        _cx: &'a ToolContext,
        _arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        fs::write(self.1.join("a.txt"), "a").unwrap();
        let plan = CallPlan::of(RiskLevel::SafeWrite);
        Ok(PreparedCall::new(plan, async { Ok("written".into()) }))
    }
}

#[tokio::test]
async fn detects_preparation_with_effects() {
    let make = |directory: &Path| -> Arc<dyn Tool> {
        let definition = ToolDefinition::new("f", "For a test.", json!({"type": "object"}));
        Arc::new(Hasty(definition, directory.to_owned()))
    };

    assert!(
        broken_by(make)
            .await
            .contains(&"preparing a call changes nothing")
    );
}
