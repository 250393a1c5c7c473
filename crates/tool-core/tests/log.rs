//! Log records of calls, for applications that enable the `log` feature of `tracing` without a
//! subscriber.

use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use log::{LevelFilter, Log, Metadata, Record};
use tool_core::{Registry, ToolError, tool_fn};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Input {
    text: String,
}

/// A logger that stores its lines.
struct Lines(Mutex<Vec<String>>);

static LINES: Lines = Lines(Mutex::new(Vec::new()));

impl Lines {
    fn kept(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Log for Lines {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        let line = format!("{}: {}", record.level(), record.args());
        self.kept().push(line);
    }

    fn flush(&self) {}
}

#[tokio::test]
async fn logger_receives_calls_up_to_its_level() {
    log::set_logger(&LINES).unwrap();
    let fails = tool_fn("fails", "Fails.", |_, input: Input| async move {
        Err::<String, _>(ToolError::failed(input.text))
    });
    let tools = Registry::of(fails).unwrap();
    let text = r#"{"text": "secret"}"#;

    for (level, begins, says_why) in [
        (LevelFilter::Off, false, false),
        (LevelFilter::Warn, false, false),
        (LevelFilter::Info, true, false),
        (LevelFilter::Debug, true, true),
        (LevelFilter::Warn, false, false),
    ] {
        log::set_max_level(level);
        tools.execute("fails", text).await;
        let lines = mem::take(&mut *LINES.kept());
        let begun = |line: &String| {
            line.starts_with("INFO: execute_tool;") && line.contains("gen_ai.tool.name=\"fails\"")
        };
        assert_eq!(lines.iter().any(begun), begins, "{level}: {lines:#?}");
        let why = |line: &String| line.starts_with("DEBUG: the call failed");
        assert_eq!(lines.iter().any(why), says_why, "{level}: {lines:#?}");
        assert!(!lines.concat().contains("secret"), "{lines:#?}");
    }
}
