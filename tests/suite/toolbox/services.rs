//! `sign-in`, `--base-url`, `--github`, `--mcp` and `--policy`, against services that are imitated on loopback.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tool_test::Scratch;
use wiremock::matchers::{header, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::{PROGRAM, Run, run_with};
use crate::assistant::{services, visit};

/// Imitated services, and what a shell passes to the program.
struct Services {
    server: MockServer,
    runtime: Runtime,
    variables: Vec<(&'static str, String)>,
}

impl Services {
    fn start(scratch: &Scratch) -> Self {
        let runtime = Runtime::new().unwrap();
        let server = runtime.block_on(services());
        let state = scratch.path().join("state").to_str().unwrap().to_owned();
        let variables = [
            ("GOOGLE_CLIENT_ID", "client"),
            ("GOOGLE_CLIENT_SECRET", "secret-canary"),
            ("ANTHROPIC_ADMIN_API_KEY", "sk-ant-admin-canary"),
            ("BRAVE_API_KEY", "BSA-canary"),
            ("GITHUB_TOKEN", "ghp-canary"),
            ("DISPLAY", ""),
            ("WAYLAND_DISPLAY", ""),
            ("XDG_STATE_HOME", &state),
        ];
        let variables = variables.map(|(name, value)| (name, value.to_owned()));
        Self {
            server,
            runtime,
            variables: variables.to_vec(),
        }
    }

    /// Returns the option for the address of a service.
    fn at(&self, service: &str) -> String {
        format!("--base-url={service}={}", self.server.uri())
    }

    fn run(&self, scratch: &Scratch, arguments: &[&str], input: &str) -> Run {
        let variables = self
            .variables
            .iter()
            .map(|(name, value)| (*name, value.as_str()));
        run_with(scratch, arguments, input, variables)
    }

    /// Serves the files of a repository with a commit.
    fn mount_repository(&self, packed: Vec<u8>) {
        let commit = ResponseTemplate::new(200).set_body_json(json!({"sha": "c0ffee"}));
        let archive = ResponseTemplate::new(200).set_body_bytes(packed);
        self.runtime.block_on(async {
            for (route, response) in [("commits/HEAD", commit), ("tarball/c0ffee", archive)] {
                Mock::given(path(format!("/repos/octo/hello/{route}")))
                    .and(header("authorization", "Bearer ghp-canary"))
                    .respond_with(response)
                    .mount(&self.server)
                    .await;
            }
        });
    }
}

fn names(listed: &Value) -> Vec<&str> {
    let tools = listed.as_array().unwrap().iter();
    tools.filter_map(|tool| tool["name"].as_str()).collect()
}

#[test]
fn sign_in_is_needed_once() {
    let scratch = Scratch::new();
    let services = Services::start(&scratch);
    let google = services.at("google");
    let search = [
        "call",
        "gmail_search",
        r#"{"query": "is:unread"}"#,
        "--contract",
        "assistant",
        &google,
    ];

    let before = services.run(&scratch, &search, "");
    assert_eq!(before.document()["error"]["code"], "sign_in_required");
    let mut signing_in = Command::new(PROGRAM.as_path())
        .args(["sign-in", "google", &google])
        .envs(services.variables.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // There is no display, so the address is printed: once for mail and once for the calendar.
    let printed = BufReader::new(signing_in.stderr.take().unwrap()).lines();
    for line in printed
        .map(Result::unwrap)
        .filter(|line| line.starts_with("http"))
    {
        visit(&line);
    }
    let output = signing_in.wait_with_output().unwrap();
    let signed_in = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success() && signed_in.lines().count() == 2,
        "{signed_in}"
    );

    // The tokens are valid, so nothing has to be visited.
    let again = services.run(&scratch, &["sign-in", "google", &google], "");
    assert_eq!((again.status, again.errors.as_str()), (Some(0), ""));
    let after = services.run(&scratch, &search, "");
    assert_eq!(after.status, Some(0), "{}", after.output);
    let place = scratch.path().join("state/toolwright/.gmail-tokens");
    assert!(fs::read_dir(place).unwrap().count() > 0);
    let unknown = services.run(&scratch, &["sign-in", "google", "--base-url=gogle=x"], "");
    assert_eq!(unknown.status, Some(2));
}

#[test]
fn services_are_called_at_other_addresses() {
    let scratch = Scratch::new();
    let services = Services::start(&scratch);
    let usage = r#"{"action": "usage", "starting_at": "2026-11-01"}"#;
    let job = r#"{"url": "https://www.linkedin.com/jobs/view/3812345678/"}"#;
    for (tool, arguments, service, part) in [
        ("anthropic_usage", usage, "anthropic", "2026-11-01"),
        (
            "web_search",
            r#"{"query": "tea"}"#,
            "brave",
            "https://tea.example/",
        ),
        ("linkedin_job_detail", job, "linkedin", "Taste tea."),
    ] {
        let base = services.at(service);
        let call = [
            "call",
            tool,
            arguments,
            "--contract",
            "assistant",
            "--human",
            &base,
        ];

        let run = services.run(&scratch, &call, "");

        assert!(
            run.output.contains(part),
            "{tool}: {}{}",
            run.output,
            run.errors
        );
        assert!(!run.output.contains("canary"), "{}", run.output);
    }
}

#[test]
fn github_servers_and_policy_apply_to_all_commands() {
    let scratch = Scratch::new()
        .file("octo-hello-c0ffee/src/main.rs", "fn main() {}\n")
        .file(
            "policy.json",
            r#"{"rules": [{"id": "no", "tool": "files__list", "effect": "deny"}]}"#,
        );
    let services = Services::start(&scratch);
    let archive = Command::new("tar")
        .args(["czf", "archive.tar.gz", "octo-hello-c0ffee"])
        .current_dir(scratch.path())
        .status();
    assert!(archive.unwrap().success());
    services.mount_repository(scratch.bytes("archive.tar.gz"));
    let program = PROGRAM.to_str().unwrap().replace('$', "$$");
    let servers =
        json!({"mcpServers": {"files": {"command": program, "args": ["serve", "--stdio"]}}});
    let scratch = scratch.file("mcp.json", servers.to_string());
    let github = services.at("github");
    let options = ["--github", "octo/hello", &github, "--mcp", "mcp.json"];
    let with = |arguments: &[&str], input: &str| {
        services.run(&scratch, &[arguments, &options].concat(), input)
    };

    let listed = with(&["list"], "").document();
    for name in [
        "read",
        "list_dirs",
        "list_files",
        "read_file",
        "search_code",
        "files__read",
    ] {
        assert!(
            names(&listed).contains(&name),
            "{name}: {:?}",
            names(&listed)
        );
    }
    let own = with(&["list", "--contract", "repo_explorer"], "").document();
    assert_eq!(names(&own)[..2], ["list_dirs", "list_files"]);
    let read = with(&["call", "read_file", r#"{"path": "src/main.rs"}"#], "");
    assert!(
        read.output.contains("fn main() {}"),
        "{}{}",
        read.output,
        read.errors
    );
    let served = [
        "call",
        "files__list",
        r#"{"path": "."}"#,
        "--approve",
        "all",
    ];
    assert_eq!(with(&served, "").status, Some(0));
    let denied = with(&[&served[..], &["--policy", "policy.json"]].concat(), "");
    assert_eq!(
        denied.document()["error"]["code"],
        "approval_denied",
        "{}",
        denied.output
    );
    let cases = [
        json!({"id": 1, "tool": "search_code", "arguments": {"query": "main"}}),
        json!({"id": 2, "tool": "files__list", "arguments": {"path": "."}}),
    ];
    let cases = cases.map(|case| case.to_string()).join("\n");
    let results = with(&["batch", "--approve", "all"], &cases).lines();
    assert!(
        results.iter().all(|result| result["success"] == true),
        "{results:?}"
    );
    let wrong = with(&["list", "--policy", "mcp.json"], "");
    assert_eq!(wrong.status, Some(2), "{}", wrong.errors);
}
