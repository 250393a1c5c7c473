//! New tools in new folders.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use tool_core::{RegistryBuilder, Tool};

use super::super::Broken;
use super::instance::ToolInstance;
use super::{concurrent, dropped, prepared};
use crate::Scratch;

/// Maximum number of calls to test.
const MAX_CALLS: usize = 3;

type CreateTool<'d> = dyn Fn(&Path) -> Arc<dyn Tool> + Send + Sync + 'd;

/// Factory of new tools.
pub(in super::super) struct ToolFactory<'d>(Box<CreateTool<'d>>);

impl<'d> ToolFactory<'d> {
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
        let make = || self.instance(registry());
        if self.definition_differs(tool) {
            let detail = "a new instance has another definition";
            broken.push(Broken::new("the definition never changes", detail));
        }
        let calls = calls.get(..MAX_CALLS.min(calls.len())).unwrap_or_default();
        for call in calls {
            broken.extend(prepared::check(&make, call).await);
            broken.extend(dropped::check(&make, call).await);
        }
        for (index, first) in calls.iter().enumerate() {
            for second in calls.iter().skip(index) {
                broken.extend(concurrent::check(&make, first, second).await);
            }
        }
        broken
    }

    fn instance(&self, registry: RegistryBuilder) -> Option<ToolInstance> {
        let scratch = Scratch::new();
        let tool = (self.0)(scratch.path());
        let name = tool.definition().name().to_owned();
        let registry = registry.tool(tool).ok()?.build();
        Some(ToolInstance {
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
