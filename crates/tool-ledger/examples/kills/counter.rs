//! A tool that is not idempotent: it appends to a file outside of the database.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use tool_core::{
    Arguments, CallPlan, OrFail, PreparedCall, RiskLevel, Tool, ToolContext, ToolDefinition,
    ToolError, ToolOutput,
};

use crate::Outcome;
use crate::points::Point;

/// Appends one byte to the file of its key.
pub(crate) struct Counter {
    definition: ToolDefinition,
    directory: PathBuf,
    point: Point,
}

impl Counter {
    pub(crate) fn new(directory: &str, risk: RiskLevel, point: Point) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {"key": {"type": "string"}},
            "required": ["key"],
        });
        Self {
            definition: ToolDefinition::new("count", "Counts.", schema).with_risk(risk),
            directory: directory.into(),
            point,
        }
    }

    fn append(&self, key: &str) -> std::io::Result<()> {
        let path = self.directory.join(key);
        let mut file = File::options().create(true).append(true).open(path)?;
        file.write_all(b"x")?;
        file.sync_data()
    }
}

impl Tool for Counter {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn prepare<'a>(
        &'a self,
        cx: &'a ToolContext,
        arguments: &'a Arguments<'a>,
    ) -> Result<PreparedCall<'a>, ToolError> {
        let plan = CallPlan::of(self.definition().risk());
        Ok(PreparedCall::new(plan, self.execute(cx, arguments)))
    }
}

impl Counter {
    async fn execute(
        &self,
        _cx: &ToolContext,
        arguments: &Arguments<'_>,
    ) -> Result<ToolOutput, ToolError> {
        self.point.reach("tool_start");
        let arguments = arguments.to_value();
        let key = arguments.get("key").and_then(|key| key.as_str());
        self.point.reach("before_effect");
        self.append(key.unwrap_or_default())
            .or_fail("The counter cannot be written")?;
        self.point.reach("after_effect");
        if self.point.waits_for_renewal() {
            tokio::time::sleep(Duration::from_secs(30)).await;
        }
        self.point.reach("tool_end");
        Ok(ToolOutput::json(json!({"counted": arguments})))
    }
}

/// Returns the number of runs with an effect.
pub(crate) fn count(directory: &Path, key: &str) -> Outcome<u64> {
    match fs::metadata(directory.join(key)) {
        Ok(file) => Ok(file.len()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error.into()),
    }
}
