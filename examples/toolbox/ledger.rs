//! `ledger`: the calls of a ledger.

use std::collections::BTreeSet;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use tool_core::Registry;
use tool_core::ledger::{
    CallKey, LedgerEntry, LedgerError, LedgerFilter, LedgerState, Page, Recovery,
};

use crate::failure::Failure;
use crate::ledger_options::{OpenLedger, unavailable};
use crate::options::{SandboxOptions, ToolsetOptions};
use crate::{output, runtime};

/// Lists the calls of a ledger, and recovers calls with an unknown outcome.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  toolbox ledger --ledger calls.db list --state unknown
  toolbox ledger --ledger calls.db show default/order-7
  toolbox ledger --ledger postgres://localhost/calls recover --scope run-7")]
pub(crate) struct LedgerCommand {
    /// SQLite file, which is created if it does not exist, or `postgres://` URL.
    #[arg(long, value_name = "FILE or URL")]
    ledger: String,
    #[command(subcommand)]
    command: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print the entries as JSON Lines, oldest first.
    List {
        /// Scope of the entries.
        #[arg(long)]
        scope: Option<String>,
        /// Name of the tool of the entries.
        #[arg(long)]
        tool: Option<String>,
        /// State of the entries, such as `running` or `unknown`; may be repeated.
        #[arg(long, value_parser = state)]
        state: Vec<LedgerState>,
    },
    /// Print one entry with its result. Exits with 1 if it does not exist.
    Show {
        /// Key in the form `scope/key`, as `list` prints it.
        key: String,
    },
    /// Ask the tools about calls with an unknown outcome, and store the outcomes. Exits with 1 if a call stays unknown.
    Recover {
        /// Scope of the calls. By default, the calls of all scopes.
        #[arg(long)]
        scope: Option<String>,
        #[command(flatten)]
        toolset: Box<ToolsetOptions>,
        #[command(flatten)]
        sandbox: SandboxOptions,
    },
}

impl LedgerCommand {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        runtime::run(async |interrupt| {
            let ledger = OpenLedger::at(&self.ledger).await?;
            match &self.command {
                Action::List { scope, tool, state } => {
                    let filter = filter(scope.as_deref(), tool.as_deref(), state);
                    list(&ledger, &filter).await
                }
                Action::Show { key } => show(&ledger, key).await,
                Action::Recover {
                    scope,
                    toolset,
                    sandbox,
                } => {
                    let builder = toolset.add_to(Registry::builder(), sandbox)?;
                    let registry = builder.ledger(ledger.calls.clone()).build();
                    let recover = async || recover(&ledger, &registry, scope.as_deref()).await;
                    let recovered = toolset.with_servers(&registry, &interrupt, recover).await?;
                    recovered.unwrap_or_else(|| Ok(ExitCode::from(runtime::INTERRUPTED)))
                }
            }
        })?
    }
}

fn state(name: &str) -> Result<LedgerState, String> {
    let mut states = LedgerState::ALL.into_iter();
    let known = states.find(|state| state.as_str() == name);
    known.ok_or_else(|| {
        let names: Vec<&str> = LedgerState::ALL
            .into_iter()
            .map(LedgerState::as_str)
            .collect();
        format!("use one of {}", names.join(", "))
    })
}

fn filter(scope: Option<&str>, tool: Option<&str>, states: &[LedgerState]) -> LedgerFilter {
    let mut filter = LedgerFilter::default();
    filter.scope = scope.map(str::to_owned);
    filter.tool = tool.map(str::to_owned);
    filter.states = states.to_vec();
    filter
}

async fn list(ledger: &OpenLedger, filter: &LedgerFilter) -> Result<ExitCode, Failure> {
    let mut page = Page::default();
    loop {
        let entries = ledger.calls.list(filter, page).await.map_err(failed)?;
        let Some(last) = entries.last() else {
            return Ok(ExitCode::SUCCESS);
        };
        page = page.after(last);
        for entry in &entries {
            output::line(&summary(entry))?;
        }
    }
}

fn summary(entry: &LedgerEntry) -> Value {
    json!({
        "key": entry.key.to_string(),
        "tool": entry.intent.tool,
        "state": entry.state,
        "since": entry.since,
        "lease_until": entry.lease_until,
        "claims": entry.claims,
        "by": entry.intent.by,
        "arguments": entry.intent.arguments,
    })
}

async fn show(ledger: &OpenLedger, key: &str) -> Result<ExitCode, Failure> {
    // Both parts may contain slashes.
    for (position, _) in key.match_indices('/') {
        let (scope, rest) = (&key[..position], &key[position + 1..]);
        let found = ledger.calls.find(&CallKey::new(scope, rest)).await;
        if let Some(entry) = found.map_err(failed)? {
            output::document(&entry)?;
            return Ok(ExitCode::SUCCESS);
        }
    }
    eprintln!("toolbox: no call has the key {key:?}; `list` prints the keys");
    Ok(ExitCode::FAILURE)
}

async fn recover(
    ledger: &OpenLedger,
    registry: &Registry,
    scope: Option<&str>,
) -> Result<ExitCode, Failure> {
    let mut remaining = 0;
    for scope in scopes(ledger, scope).await? {
        let Recovery {
            happened,
            did_not_happen,
            unknown,
            ..
        } = registry.recover(&scope).await.map_err(failed)?;
        remaining += unknown.len();
        for (finding, entries) in [
            ("happened", happened),
            ("did_not_happen", did_not_happen),
            ("unknown", unknown),
        ] {
            for entry in &entries {
                let mut line = summary(entry);
                line["finding"] = finding.into();
                output::line(&line)?;
            }
        }
    }
    Ok(ExitCode::from(u8::from(remaining > 0)))
}

/// Returns the scopes of the unknown calls.
async fn scopes(ledger: &OpenLedger, scope: Option<&str>) -> Result<BTreeSet<String>, Failure> {
    if let Some(scope) = scope {
        return Ok(BTreeSet::from([scope.to_owned()]));
    }
    let filter = filter(None, None, &[LedgerState::Unknown]);
    let (mut page, mut scopes) = (Page::default(), BTreeSet::new());
    loop {
        let entries = ledger.calls.list(&filter, page).await.map_err(failed)?;
        let Some(last) = entries.last() else {
            return Ok(scopes);
        };
        page = page.after(last);
        scopes.extend(entries.into_iter().map(|entry| entry.key.scope));
    }
}

#[expect(clippy::needless_pass_by_value, reason = "an argument of `map_err`")]
fn failed(error: LedgerError) -> Failure {
    unavailable("the ledger", &error)
}
