//! New tools in new folders.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tool_core::{Registry, RegistryBuilder, Tool};

use super::super::Broken;
use super::super::folder::{self, Files};
use super::{dropped, meeting};
use crate::Scratch;

/// Time limit of a call that nothing blocks.
pub(super) const SOON: Duration = Duration::from_secs(5);

/// Maximum number of calls to test.
const MOST_CALLS: usize = 3;

type Make<'d> = dyn Fn(&Path) -> Arc<dyn Tool> + Send + Sync + 'd;

/// Factory of new tools.
pub(in super::super) struct Fresh<'d>(Box<Make<'d>>);

/// New tool in its own registry and directory.
pub(super) struct Made {
    pub(super) name: String,
    pub(super) registry: Registry,
    pub(super) scratch: Scratch,
}

impl<'d> Fresh<'d> {
    pub(in super::super) fn new(make: impl Fn(&Path) -> Arc<dyn Tool> + Send + Sync + 'd) -> Self {
        Self(Box::new(make))
    }

    /// Returns the laws that new instances of `tool` break with these calls.
    pub(in super::super) async fn check(
        &self,
        tool: &Arc<dyn Tool>,
        registry: impl Fn() -> RegistryBuilder,
        calls: &[Value],
    ) -> Vec<Broken> {
        let mut broken = Vec::new();
        let make = || self.made(registry());
        if self.definition_differs(tool) {
            let detail = "a new instance has another definition";
            broken.push(Broken::new("the definition never changes", detail));
        }
        let calls = calls.get(..MOST_CALLS.min(calls.len())).unwrap_or_default();
        for call in calls {
            broken.extend(dropped::check(&make, call).await);
        }
        for (index, first) in calls.iter().enumerate() {
            for second in calls.iter().skip(index) {
                broken.extend(meeting::check(&make, first, second).await);
            }
        }
        broken
    }

    fn made(&self, registry: RegistryBuilder) -> Option<Made> {
        let scratch = Scratch::new();
        let tool = (self.0)(scratch.path());
        let name = tool.definition().name().to_owned();
        let registry = registry.tool(tool).ok()?.build();
        Some(Made {
            name,
            registry,
            scratch,
        })
    }

    fn definition_differs(&self, tool: &Arc<dyn Tool>) -> bool {
        let scratch = Scratch::new();
        let other = (self.0)(scratch.path());
        other.definition().to_value() != tool.definition().to_value()
    }
}

impl Made {
    /// Reads the files of the directory on a blocking thread.
    pub(super) async fn files(&self) -> Files {
        let root = self.scratch.path().to_owned();
        let files = tokio::task::spawn_blocking(move || folder::files(&root)).await;
        files.unwrap_or_default()
    }

    pub(super) async fn processes(&self) -> Vec<u32> {
        let root = self.scratch.path().to_owned();
        let processes = tokio::task::spawn_blocking(move || folder::processes(&root)).await;
        processes.unwrap_or_default()
    }

    /// Returns `true` if the call finishes within [`SOON`].
    pub(super) async fn ends(&self, call: &Value) -> bool {
        let work = self.registry.execute(&self.name, call.clone());
        tokio::time::timeout(SOON, work).await.is_ok()
    }
}
