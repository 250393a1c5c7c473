use std::time::Duration;

use tool_core::{RiskLevel, Secret};

use super::*;
use crate::{McpConfig, McpServerConfig};

fn parse(entry: &str) -> Result<McpServerConfig, String> {
    let config = McpConfig::parse(&format!("{{\"mcpServers\": {{\"a\": {entry}}}}}"))
        .map_err(|error| error.to_string())?;
    if let Some(error) = config.errors().first() {
        return Err(error.to_string());
    }
    Ok(config.servers()[0].1.clone())
}

#[test]
fn reads_all_keys() {
    let config = parse(
        r#"{"transport": "stdio", "command": "npx", "args": ["-y"], "env": {"K": "v", "N": 1}, "cwd": "/tmp",
            "timeout": 5, "max_timeout": 120, "startup_timeout": 0.5, "enabled": false,
            "tools": ["a*"], "disabled_tools": ["b"], "trust": "trusted", "risk": {"read_*": "read_only"},
            "inherit_env": true, "protocol": "2025-11-25", "max_message": 1000, "max_result": 10,
            "max_parallel": 2, "resources": true, "restart": false, "prefix": "p"}"#,
    )
    .unwrap();

    let mut expected = McpServerConfig::stdio("npx", ["-y"])
        .with_env("K", "v")
        .with_env("N", "1")
        .with_cwd("/tmp")
        .with_timeout(Duration::from_secs(5))
        .with_startup_timeout(Duration::from_millis(500))
        .with_trust(Trust::Trusted)
        .with_risk("read_*", RiskLevel::ReadOnly)
        .with_protocol(Protocol::V2025);
    expected.max_timeout = Duration::from_mins(2);
    expected.enabled = false;
    expected.tools = vec!["a*".into()];
    expected.disabled_tools = vec!["b".into()];
    expected.inherit_env = true;
    expected.max_message = 1000;
    expected.max_result = 10;
    expected.max_parallel = 2;
    expected.resources = true;
    expected.restart = false;
    expected.prefix = Some("p".into());
    assert_eq!(config, expected);
}

#[test]
fn names_invalid_values_and_what_was_expected() {
    for (entry, message) in [
        ("1", "server \"a\": /mcpServers/a must be an object"),
        (
            r#"{"command": 1}"#,
            "server \"a\": /mcpServers/a/command: invalid type: integer `1`, expected a string",
        ),
        (r#"{"command": "x", "args": "y"}"#, "a/args: invalid type"),
        (r#"{"command": "x", "args": [1]}"#, "expected a string"),
        (
            r#"{"command": "x", "env": {"a": [1]}}"#,
            "a/env: expected a string",
        ),
        (
            r#"{"command": "x", "enabled": "yes"}"#,
            "a/enabled: invalid type: string \"yes\", expected a boolean",
        ),
        (
            r#"{"command": "x", "timeout": 0}"#,
            "a/timeout: expected a number of seconds above 0",
        ),
        (
            r#"{"command": "x", "risk": {"a": "none"}}"#,
            "a/risk: unknown variant `none`, expected one of `read_only`, `safe_write`, `dangerous`",
        ),
        (
            r#"{"command": "x", "protocol": "1999-01-01"}"#,
            "expected one of `auto`, `2026-07-28`, `2025-11-25`",
        ),
        (
            r#"{"command": "x", "startup_timeout": "soon"}"#,
            "a/startup_timeout: expected a number of seconds above 0",
        ),
        (
            r#"{"command": "x", "trust": "yes"}"#,
            "expected `untrusted` or `trusted`",
        ),
        (r#"{"command": "x", "max_message": -1}"#, "a/max_message: "),
        (r#"{"command": "x", "max_message": 0}"#, "a/max_message: "),
        (
            r#"{"command": "x", "transport": "ws"}"#,
            "a/transport: unknown variant `ws`",
        ),
        (
            r#"{"type": "sse", "url": "https://x"}"#,
            "server \"a\": the transport \"sse\" is not supported. Use its streamable HTTP address, often ending in /mcp.",
        ),
        (
            "{}",
            "server \"a\": neither \"command\" nor \"url\" is given. Add \"command\" for a local server or \"url\" for a remote one.",
        ),
        (
            r#"{"command": "x", "url": "https://x"}"#,
            "server \"a\": \"command\" and \"url\" are both given. Keep one.",
        ),
        (
            r#"{"type": "http", "command": "x"}"#,
            "the transport \"http\" requires \"url\"",
        ),
    ] {
        let error = parse(entry).unwrap_err();

        assert!(
            error.ends_with(message) || error.contains(message),
            "{entry}: {error}"
        );
    }
}

#[test]
fn rejects_files_without_servers() {
    for (text, message) in [
        ("", "invalid JSON at line 1, column 1: "),
        (
            "{\n  \"mcpServers\": {]\n}",
            "invalid JSON at line 2, column 18: ",
        ),
        (
            "[]",
            "the configuration has no object \"mcpServers\" or \"servers\"; add {\"mcpServers\": {}}",
        ),
        (
            "{\"mcpServers\": []}",
            "the configuration has no object \"mcpServers\" or \"servers\"; add {\"mcpServers\": {}}",
        ),
    ] {
        let error = McpConfig::parse(text).unwrap_err().to_string();

        assert!(error.starts_with(message), "{text}: {error}");
    }
}

#[test]
fn invalid_server_does_not_affect_others() {
    let config = McpConfig::parse(r#"{"servers": {"bad": {}, "good": {"command": "x"}}}"#).unwrap();

    assert_eq!(config.servers().len(), 1);
    assert_eq!(config.errors().len(), 1);
}

#[test]
fn reads_files_of_other_clients() {
    for (client, text, expected) in [
        (
            "Claude",
            r#"{"mcpServers": {"x": {"type": "stdio", "command": "npx", "args": ["-y", "p"], "env": {}}}}"#,
            McpServerConfig::stdio("npx", ["-y", "p"]),
        ),
        (
            "Cursor",
            "{\n  // local\n  \"mcpServers\": {\"x\": {\"command\": \"npx\", \"args\": [\"-y\", \"p\"],},},\n}",
            McpServerConfig {
                transport: None,
                ..McpServerConfig::stdio("npx", ["-y", "p"])
            },
        ),
        (
            "VS Code",
            r#"{"inputs": [{"type": "promptString", "id": "k", "password": true}],
                "servers": {"x": {"type": "stdio", "command": "npx", "args": ["-y", "p"], "env": {"K": "${input:k}"}}}}"#,
            McpServerConfig::stdio("npx", ["-y", "p"]).with_env("K", "${input:k}"),
        ),
        (
            "Gemini",
            r#"{"theme": "dark", "mcpServers": {"x": {"command": "npx", "args": ["-y", "p"], "cwd": "./s", "timeout": 15000}}}"#,
            McpServerConfig {
                transport: None,
                ..McpServerConfig::stdio("npx", ["-y", "p"])
            }
            .with_cwd("./s")
            .with_timeout(Duration::from_secs(15)),
        ),
    ] {
        let config = McpConfig::parse(text).unwrap();

        assert_eq!(config.servers(), [("x".to_owned(), expected)], "{client}");
        assert_eq!(config.issues(), [""; 0], "{client}");
    }
}

#[test]
fn reports_ignored_approvals_and_unknown_keys() {
    let config = McpConfig::parse(
        r#"{"mcpServers": {"x": {"command": "a", "alwaysAllow": ["b"], "trust": true, "tiemout": 1, "zzz": 1}}}"#,
    )
    .unwrap();

    assert_eq!(
        config.issues(),
        [
            "server \"x\": \"alwaysAllow\" is ignored. Add rules to the policy of the registry.",
            "server \"x\": \"trust\" is ignored. Add rules to the policy of the registry.",
            "server \"x\": unknown key \"tiemout\" at /mcpServers/x/tiemout. Did you mean \"timeout\"?",
            "server \"x\": unknown key \"zzz\" at /mcpServers/x/zzz.",
        ]
    );
    assert_eq!(config.servers()[0].1.trust, Trust::Untrusted);
}

#[test]
fn debug_output_hides_environment() {
    let config = McpServerConfig::stdio("a", ["b"]).with_env("TOKEN", "hidden");

    assert!(!format!("{config:?}").contains("hidden"));
}

#[test]
fn project_files_set_no_trust() {
    let config = McpConfig::parse(
        r#"{"mcpServers": {"x": {"command": "a", "trust": "trusted", "risk": {"*": "read_only"}}, "y": {"command": "b"}}}"#,
    )
    .unwrap()
    .from_project();

    assert_eq!(
        config.issues(),
        [
            "server \"x\": \"trust\" is ignored in the file of a project. Set it in a file of the host.",
            "server \"x\": \"risk\" is ignored in the file of a project. Set it in a file of the host.",
        ]
    );
    for (_, server) in config.servers() {
        assert!(server.trust == Trust::Untrusted && server.is_from_project);
        assert_eq!(server.risk, []);
    }
}

#[test]
fn reads_remote_servers_of_other_clients() {
    let remote = McpServerConfig::http("https://mcp.example.com/mcp");
    let derived = McpServerConfig {
        transport: None,
        ..remote.clone()
    };
    for (client, text, expected) in [
        (
            "Claude",
            r#"{"mcpServers": {"x": {"type": "http", "url": "https://mcp.example.com/mcp", "headers": {"Authorization": "Bearer ${KEY}"}}}}"#,
            remote.clone().with_header("Authorization", "Bearer ${KEY}"),
        ),
        (
            "Cursor",
            r#"{"mcpServers": {"x": {"url": "https://mcp.example.com/mcp", "headers": {"K": "${env:K}"}}}}"#,
            derived.clone().with_header("K", "${env:K}"),
        ),
        (
            "VS Code",
            r#"{"servers": {"x": {"type": "http", "url": "https://mcp.example.com/mcp"}}}"#,
            remote.clone(),
        ),
        (
            "Gemini",
            r#"{"mcpServers": {"x": {"httpUrl": "https://mcp.example.com/mcp", "timeout": 5000}}}"#,
            derived.clone().with_timeout(Duration::from_secs(5)),
        ),
        (
            "others",
            r#"{"mcpServers": {"x": {"serverUrl": "https://mcp.example.com/mcp", "startup_timeout": 7}}}"#,
            derived.with_startup_timeout(Duration::from_secs(7)),
        ),
    ] {
        let config = McpConfig::parse(text).unwrap();

        assert_eq!(config.servers(), [("x".to_owned(), expected)], "{client}");
        assert_eq!(config.issues(), [""; 0], "{client}");
    }
}

#[test]
fn reads_clients_for_logins() {
    for entry in [
        r#"{"url": "https://x", "oauth": {"client_id": "i", "client_secret": "s", "scopes": ["a"]}}"#,
        r#"{"url": "https://x", "auth": {"CLIENT_ID": "i", "CLIENT_SECRET": "s", "scopes": ["a"]}}"#,
        r#"{"url": "https://x", "oauth": {"enabled": true, "clientId": "i", "clientSecret": "s", "scopes": ["a"]}}"#,
    ] {
        let oauth = parse(entry).unwrap().oauth;

        assert_eq!(oauth.client_id.as_deref(), Some("i"), "{entry}");
        assert_eq!(oauth.client_secret, Some(Secret::new("s".to_owned())));
        assert_eq!(oauth.scopes, ["a"]);
        assert!(!format!("{oauth:?}").contains("\"s\""));
    }
    let error = parse(r#"{"url": "https://x", "oauth": true}"#).unwrap_err();
    assert!(
        error.contains("/mcpServers/a/oauth: invalid type"),
        "{error}"
    );
    let error = parse(r#"{"url": "https://x", "headers": {"MCP-Protocol-Version": "1"}}"#);
    assert_eq!(
        error.unwrap_err(),
        "server \"a\": the header \"MCP-Protocol-Version\" is set by the transport. Remove it from \"headers\"."
    );
}

#[test]
fn null_stands_for_missing_value() {
    let config = parse(
        r#"{"command": "x", "args": null, "env": {"A": null, "B": "1"}, "cwd": null, "timeout": null, "type": null,
            "startup_timeout": null, "url": null, "enabled": null, "tools": null, "disabled": null, "prefix": null}"#,
    )
    .unwrap();

    let expected = McpServerConfig {
        transport: None,
        ..McpServerConfig::stdio("x", [""; 0]).with_env("B", "1")
    };
    assert_eq!(config, expected);
    let login = r#"{"url": "https://x", "headers": null, "oauth": {"client_id": null, "client_secret": null}}"#;
    assert_eq!(parse(login).unwrap().oauth, OAuthConfig::default());
}

#[test]
fn reads_further_forms_of_other_clients() {
    let local = McpServerConfig::stdio("npx", ["-y", "p"]);
    let remote = McpServerConfig::http("https://x");
    for (text, expected) in [
        (
            r#"{"mcp": {"x": {"type": "local", "command": ["npx", "-y", "p"], "environment": {"A": "1"}, "enabled": true}}}"#,
            local.clone().with_env("A", "1"),
        ),
        (
            r#"{"mcp": {"x": {"type": "remote", "url": "https://x"}}}"#,
            remote.clone(),
        ),
        (
            r#"{"mcp": {"x": {"type": "local", "command": ["npx", "-y"], "args": ["p"]}}}"#,
            local.clone(),
        ),
        (
            r#"{"mcp_servers": {"x": {"type": "stdio", "command": "npx", "args": ["-y", "p"], "startup_timeout_sec": 20,
                "tool_timeout_sec": 5, "enabled_tools": ["a"], "disabledTools": ["b"]}}}"#,
            McpServerConfig {
                tools: vec!["a".to_owned()],
                disabled_tools: vec!["b".to_owned()],
                ..local.clone()
            }
            .with_startup_timeout(Duration::from_secs(20))
            .with_timeout(Duration::from_secs(5)),
        ),
        (
            r#"{"mcp_servers": {"x": {"type": "http", "url": "https://x", "http_headers": {"A": "1"}}}}"#,
            remote.clone().with_header("A", "1"),
        ),
        (
            r#"{"context_servers": {"x": {"type": "stdio", "command": "npx", "args": ["-y", "p"]}}}"#,
            local,
        ),
        (
            "\u{feff}{\"mcpServers\": {\"x\": {\"type\": \"streamableHttp\", \"url\": \"https://x\"}}}",
            remote,
        ),
    ] {
        let config = McpConfig::parse(text).unwrap();

        assert_eq!(config.servers(), [("x".to_owned(), expected)], "{text}");
        assert_eq!(config.issues(), [""; 0], "{text}");
    }
}
