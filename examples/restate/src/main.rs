//! Tool calls inside a handler of Restate, with the keys of a ledger.
//!
//! Restate repeats a handler after a crash and skips the steps in its journal. It cannot know whether a step ran whose result is
//! not in the journal. The ledger knows: the repeated step returns the stored result or `outcome_unknown`.
//!
//! cargo run --manifest-path examples/restate/Cargo.toml -- calls.db shipped.txt
//!
//! With a server of Restate on the default ports (npm package `@restatedev/restate-server`):
//!
//! curl localhost:9070/deployments --json '{"uri": "http://127.0.0.1:9080"}'
//! curl localhost:8080/Tools/call --json '{"tool": "ship", "arguments": {"order": "7"}}'

use std::error::Error;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use restate_sdk::prelude::*;
use serde::{Deserialize, Serialize};
use tool_core::{
    CallOptions, ErrorCode, OrFail, Registry, RiskLevel, ToolCall, ToolResult, tool_fn,
};
use tool_ledger::SqliteLedger;

/// Lease of a call. Restate repeats a step of a crashed process until the lease ends.
const LEASE: Duration = Duration::from_secs(5);

#[derive(Deserialize, schemars::JsonSchema)]
struct Order {
    /// Number of the order.
    order: String,
}

/// Call of a tool.
#[derive(Serialize, Deserialize)]
struct Request {
    tool: String,
    arguments: tool_core::CallArguments,
}

struct Tools {
    registry: Registry,
}

#[restate_sdk::service(name = "Tools")]
impl Tools {
    /// Executes a call once per invocation.
    #[handler]
    async fn call(
        &self,
        cx: Context<'_>,
        Json(request): Json<Request>,
    ) -> Result<Json<ToolResult>, HandlerError> {
        // The id of the invocation is the same in every repetition.
        let options = CallOptions::default()
            .with_scope("restate")
            .with_call_key(cx.invocation_id());
        let call = ToolCall::new(request.tool, request.arguments);
        let step = cx.run(|| async {
            let result = self.registry.execute_call(&call, &options).await;
            match result.error.as_deref().map(|error| &error.code) {
                // Restate repeats the step.
                Some(ErrorCode::InProgress | ErrorCode::LedgerUnavailable) => {
                    Err(result.to_string().into())
                }
                _ => Ok(Json(result)),
            }
        });
        let policy = RunRetryPolicy::new().initial_delay(Duration::from_secs(1));
        Ok(step.name("call").retry_policy(policy).await?)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let calls = arguments.next().unwrap_or_else(|| "calls.db".to_owned());
    let shipped = PathBuf::from(arguments.next().unwrap_or_else(|| "shipped.txt".to_owned()));
    let address = arguments
        .next()
        .unwrap_or_else(|| "127.0.0.1:9080".to_owned());

    let ship = tool_fn("ship", "Ships an order.", move |_cx, input: Order| {
        let shipped = shipped.clone();
        async move {
            let mut file = OpenOptions::new()
                .create(true)
                .append(true)
                .open(shipped)
                .or_fail("The list cannot be opened")?;
            writeln!(file, "{}", input.order).or_fail("The list cannot be written")?;
            // Time to stop the process after the effect and before the result.
            tokio::time::sleep(Duration::from_secs(3)).await;
            Ok(format!("Order {} is on its way.", input.order))
        }
    });
    let registry = Registry::builder()
        .ledger(Arc::new(SqliteLedger::open(calls).await?))
        .ledger_lease(LEASE)
        .tool(ship.risk(RiskLevel::SafeWrite))?
        .build();

    HttpServer::new(Endpoint::builder().bind(Tools { registry }).build())
        .listen_and_serve(address.parse()?)
        .await;
    Ok(())
}
