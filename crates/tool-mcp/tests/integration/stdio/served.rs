//! Own server, with the own client and with messages as text.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio, exit};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tool_core::approval::Policy;
use tool_core::{
    ContentBlock, DynamicTool, Hints, Progress, Registry, RiskLevel, ToolDefinition, ToolError,
    ToolOutput,
};
use tool_mcp::McpServer;
use tool_mcp::config::{Protocol, Trust};

use crate::stdio::faults::server;
use crate::stdio::{One, code};

/// Serves the tools of [`registry`] to the end of the input.
pub(crate) fn run() -> ! {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let server = McpServer::new(registry())
        .name("own")
        .version("1.2.3")
        .instructions("Be kind.");
    runtime.block_on(server.serve_stdio()).unwrap();
    exit(0)
}

fn registry() -> Registry {
    let registry = Registry::builder().policy(Policy::default()).build();
    let text =
        json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
    let none = json!({"type": "object", "properties": {}});
    let read = |name: &str, schema: &Value| {
        ToolDefinition::new(name, format!("Test tool {name}."), schema.clone())
            .with_risk(RiskLevel::ReadOnly)
    };
    let echo = DynamicTool::new(
        read("echo", &text).with_title("Echo"),
        |_, arguments| async move {
            println!("this print must not reach the client");
            Ok(ToolOutput::text(arguments["text"].as_str().unwrap()))
        },
    );
    let data = read("data", &none)
        .with_output_schema(json!({"type": "object", "properties": {"n": {"type": "integer"}}}));
    let data = DynamicTool::new(data, |cx, _| async move {
        cx.warn("old index");
        Ok(ToolOutput::text("shown").with_data(json!({"n": 1})))
    });
    let fails = DynamicTool::new(read("fails", &none), |_, _| async {
        Err(ToolError::failed("The disk is full")
            .suggest("Delete files.")
            .caused_by("/dev/sda secret"))
    });
    let image = DynamicTool::new(read("image", &none), |_, _| async {
        let mut output = ToolOutput::default();
        output.content = vec![ContentBlock::Image {
            media_type: "image/png".into(),
            data: "AAAA".into(),
        }];
        Ok(output)
    });
    let progress = DynamicTool::new(read("progress", &none), |cx, _| async move {
        for step in 1..=3 {
            cx.progress(&Progress::new("step").with_position(step, Some(3)));
            tokio::time::sleep(Duration::from_millis(150)).await;
        }
        Ok("done".into())
    });
    let waits = DynamicTool::new(read("waits", &none), |_, _| async {
        std::future::pending().await
    });
    let write = ToolDefinition::new("write", "Test tool write.", none.clone())
        .with_risk(RiskLevel::SafeWrite);
    let write = DynamicTool::new(write, |_, _| async { Ok("written".into()) });
    let delete = ToolDefinition::new("delete", "Test tool delete.", none.clone())
        .with_risk(RiskLevel::Dangerous);
    let delete = DynamicTool::new(delete, |_, _| async { Ok("deleted".into()) });
    for tool in [echo, data, fails, image, progress, waits, write, delete] {
        registry.register(tool).unwrap();
    }
    registry
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tools_survive_server_and_client() {
    for protocol in [Protocol::V2025, Protocol::V2026, Protocol::Auto] {
        let one = One::start(
            server("own")
                .with_trust(Trust::Trusted)
                .with_protocol(protocol),
        )
        .await;
        let own = registry();

        let names = [
            "data", "delete", "echo", "fails", "image", "progress", "waits", "write",
        ];
        let listed = one.registry.list();
        assert_eq!(listed.len(), names.len());
        for (listed, name) in listed.iter().zip(names) {
            let original = own.get(name).unwrap().definition().clone();
            assert_eq!(listed.name(), format!("s__{name}"));
            assert_eq!(listed.description(), original.description());
            assert_eq!(listed.title(), original.title());
            assert_eq!(listed.input_schema(), original.input_schema());
            assert_eq!(listed.output_schema(), original.output_schema());
            assert_eq!(
                (listed.risk(), listed.hints()),
                (original.risk(), original.hints())
            );
        }
        for (tool, arguments, error, text) in [
            ("echo", json!({"text": "grüße"}), "", "grüße"),
            ("data", json!({}), "", "shown\nWarning: old index"),
            (
                "fails",
                json!({}),
                "failed",
                "Error: The disk is full. Delete files.",
            ),
            ("write", json!({}), "", "written"),
            ("progress", json!({}), "", "done"),
        ] {
            let result = one.call(tool, arguments).await;

            assert_eq!(
                (code(&result), result.text().as_str()),
                (error, text),
                "{tool} {protocol:?}"
            );
        }
        let image = one.call("image", json!({})).await;
        assert_eq!(
            image.content,
            [ContentBlock::Image {
                media_type: "image/png".into(),
                data: "AAAA".into()
            }]
        );
        one.end().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hints_are_sent_as_annotations() {
    let one = One::start(server("own")).await;

    let hints = one.registry.get("s__echo").unwrap().definition().hints();

    assert_eq!(
        hints,
        Hints {
            open_world: true,
            ..Hints::of(RiskLevel::Dangerous)
        }
    );
    one.end().await;
}

/// Client that sends text.
struct Raw {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Raw {
    fn start() -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "stdio::faults::serve", "--nocapture"])
            .env("FAULT_MODE", "own");
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            stdin,
            stdout,
        }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    /// Returns the next message. The first lines are of the test harness.
    fn receive(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert!(
                self.stdout.read_line(&mut line).unwrap() > 0,
                "the server is gone"
            );
            assert!(!line.contains("this print"), "{line}");
            if line.starts_with('{') {
                return serde_json::from_str(&line).unwrap();
            }
        }
    }

    fn request(&mut self, id: u32, method: &str, params: &Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
        }
    }

    fn initialize(&mut self) -> Value {
        let params = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"},
        });
        let response = self.request(0, "initialize", &params);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        response
    }

    fn call(&mut self, id: u32, name: &str, arguments: &Value) -> Value {
        self.request(
            id,
            "tools/call",
            &json!({"name": name, "arguments": arguments}),
        )
    }

    /// Ends the input, and returns the duration to the exit.
    fn end(mut self) -> Duration {
        let started = Instant::now();
        drop(self.stdin.take());
        assert!(self.child.wait().unwrap().success());
        started.elapsed()
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn responses_have_expected_shape() {
    let mut raw = Raw::start();

    let initialized = raw.initialize();
    assert_eq!(initialized["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(
        initialized["result"]["serverInfo"],
        json!({"name": "own", "version": "1.2.3"})
    );
    assert_eq!(initialized["result"]["instructions"], "Be kind.");
    let list = raw.request(1, "tools/list", &json!({}));
    assert_eq!(
        list["result"]["tools"][2],
        json!({
            "name": "echo", "title": "Echo", "description": "Test tool echo.",
            "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
            "annotations": {"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false},
            "_meta": {"toolwright/risk": "read_only"},
        })
    );
    let data = raw.call(2, "data", &json!({}));
    assert_eq!(
        data["result"],
        json!({
            "content": [{"type": "text", "text": "shown"}, {"type": "text", "text": "Warning: old index"}],
            "structuredContent": {"n": 1}, "isError": false,
        })
    );
    let failed = raw.call(3, "fails", &json!({}));
    assert_eq!(failed["result"]["isError"], true);
    assert_eq!(
        failed["result"]["content"][0]["text"],
        "Error: The disk is full. Delete files."
    );
    let error = &failed["result"]["structuredContent"];
    assert_eq!(error["code"], "failed");
    assert_eq!(failed["result"]["_meta"]["toolwright/error"], *error);
    assert!(!failed.to_string().contains("secret"));
    raw.end();
}

#[test]
fn invalid_requests_are_explained() {
    let mut raw = Raw::start();
    raw.initialize();

    let unknown = raw.call(1, "ecko", &json!({}));
    assert_eq!(unknown["error"]["code"], -32602);
    assert!(
        unknown["error"]["message"]
            .as_str()
            .unwrap()
            .contains("`echo`"),
        "{unknown}"
    );
    let invalid = raw.call(2, "echo", &json!({"txt": "x"}));
    assert_eq!(invalid["result"]["isError"], true);
    assert_eq!(
        invalid["result"]["structuredContent"]["code"],
        "invalid_arguments"
    );
    let denied = raw.call(3, "delete", &json!({}));
    assert_eq!(
        denied["result"]["structuredContent"]["code"],
        "approval_denied"
    );
    let cursor = raw.request(4, "tools/list", &json!({"cursor": "x"}));
    assert_eq!(cursor["error"]["code"], -32602);
    let method = raw.request(5, "prompts/list", &json!({}));
    assert_eq!(method["error"]["code"], -32601);
    let missing = raw.request(6, "tools/call", &json!({"arguments": {}}));
    assert_eq!(missing["error"]["code"], -32602);
    assert_eq!(missing["error"]["message"], "missing field `name`");
    let text = json!({"name": "echo", "arguments": "{}"});
    let text = raw.request(8, "tools/call", &text);
    assert_eq!(text["error"]["code"], -32602);
    for (line, code, id) in [
        ("not a message", -32700, json!(null)),
        ("[]", -32600, json!(null)),
        (
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"\ud800"}}"#,
            -32700,
            json!(9),
        ),
    ] {
        writeln!(raw.stdin.as_mut().unwrap(), "{line}").unwrap();
        let error = raw.receive();
        assert_eq!(
            (&error["error"]["code"], &error["id"]),
            (&json!(code), &id),
            "{error}"
        );
    }
    assert_eq!(
        raw.call(7, "echo", &json!({"text": "next"}))["result"]["content"][0]["text"],
        "next"
    );
    raw.end();
}

#[test]
fn progress_is_sent_for_token() {
    let mut raw = Raw::start();
    raw.initialize();
    let params = json!({"name": "progress", "arguments": {}, "_meta": {"progressToken": "t1"}});
    raw.send(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}));

    let mut steps = Vec::new();
    loop {
        let message = raw.receive();
        if message["id"] == 1 {
            break;
        }
        assert_eq!(message["params"]["progressToken"], "t1");
        steps.push(message["params"]["progress"].as_f64().unwrap());
    }

    assert_eq!(steps.last(), Some(&3.0));
    assert!(steps.is_sorted());
    raw.end();
}

#[test]
fn cancelled_call_and_end_of_input_stop_server() {
    let mut raw = Raw::start();
    raw.initialize();
    let call = |id: u32| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "waits", "arguments": {}}});
    raw.send(&call(1));
    raw.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
    );
    assert_eq!(
        raw.call(2, "echo", &json!({"text": "next"}))["result"]["content"][0]["text"],
        "next"
    );
    raw.send(&call(3));

    let duration = raw.end();

    assert!(duration < Duration::from_secs(4), "{duration:?}");
}
