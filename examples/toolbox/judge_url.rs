//! `judge url`: verdicts for URLs, without DNS lookups.

use std::collections::BTreeMap;
use std::io;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use tools_builtin::web::AddressGuard;

use crate::failure::Failure;
use crate::judge::{Answer, Case};
use crate::{input, lines, output};

/// Checks each URL on standard input like a URL to fetch, without DNS lookups.
#[derive(Debug, Args)]
#[command(after_help = r#"Each line: {"id", "text"}

Example:
  echo '{"id": 1, "text": "http://0x7f.1/"}' | toolbox judge url"#)]
pub(crate) struct JudgeUrl {
    /// DNS results, as `{host: [address, …]}`. Other names are checked only by their text.
    #[arg(long, value_name = "FILE")]
    resolve: Option<PathBuf>,
}

type Answers = BTreeMap<String, Vec<IpAddr>>;

impl JudgeUrl {
    pub(crate) fn run(self) -> Result<ExitCode, Failure> {
        let answers = match &self.resolve {
            Some(path) => answers(path)?,
            None => Answers::new(),
        };
        let guard = AddressGuard::new();
        for line in lines::cases(io::stdin().lock()) {
            match line? {
                Ok(case) => output::line(&checked(case, &guard, &answers))?,
                Err(unreadable) => output::line(&unreadable)?,
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn answers(path: &Path) -> Result<Answers, Failure> {
    let read: Answers = serde_json::from_str(&input::file(path)?)
        .map_err(|error| Failure::input(path.display(), error))?;
    let named = read.into_iter().map(|(name, addresses)| {
        let name = name.to_lowercase();
        (name.trim_end_matches('.').to_owned(), addresses)
    });
    Ok(named.collect())
}

fn checked(case: Case, guard: &AddressGuard, answers: &Answers) -> Answer {
    let resolve = |name: &str| answers.get(name).cloned().unwrap_or_default();
    let refusal = guard.check_resolved(&case.text, resolve).err();
    Answer {
        id: case.id,
        verdict: if refusal.is_some() { "forbid" } else { "allow" },
        rule: refusal.map(|refusal| refusal.rule().id()),
        reason: refusal.map(|refusal| refusal.to_string()),
        span: None,
    }
}
