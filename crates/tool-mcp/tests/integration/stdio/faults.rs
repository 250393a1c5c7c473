//! MCP server with faults: this test binary, started with a mode in its environment.

use std::io::{BufRead, Write};
use std::process::{Command, exit};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use std::{env, thread};

use serde_json::{Value, json};
use tool_mcp::McpServerConfig;

/// Variable with the mode.
const MODE: &str = "FAULT_MODE";

/// Number of lists that were requested.
static LISTS: AtomicUsize = AtomicUsize::new(0);

/// Number of calls.
static CALLS: AtomicUsize = AtomicUsize::new(0);

/// Returns the configuration of a server with a mode.
pub(crate) fn server(mode: &str) -> McpServerConfig {
    let program = env::current_exe().unwrap();
    let program = program.to_str().unwrap();
    McpServerConfig::stdio(program, ["--exact", "stdio::faults::serve", "--nocapture"])
        .with_env(MODE, mode)
        .with_startup_timeout(Duration::from_secs(20))
}

/// Returns the configuration of a shell that runs `script`, in which `SERVER` is a normal server.
pub(crate) fn script(script: &str, mark: &str) -> McpServerConfig {
    let program = env::current_exe().unwrap();
    let server = format!(
        "'{}' --exact stdio::faults::serve --nocapture",
        program.to_str().unwrap()
    );
    let script = script.replace("SERVER", &server).replace("${", "$${");
    McpServerConfig::stdio("sh", ["-c".to_owned(), script])
        .with_env(MODE, "old")
        .with_env("TEST_MARK", mark)
        .with_startup_timeout(Duration::from_secs(20))
}

/// Not a test without the variable.
#[test]
fn serve() {
    if let Ok(mode) = env::var(MODE) {
        if mode == "own" {
            crate::stdio::served::run();
        }
        Server { mode }.run();
    }
}

struct Server {
    mode: String,
}

fn write(text: &str) {
    let mut stdout = std::io::stdout().lock();
    // The client may be gone.
    let _ = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
}

fn send(message: &Value) {
    write(&format!("{message}\n"));
}

fn tool(name: &str, properties: &Value, required: &Value) -> Value {
    json!({
        "name": name,
        "description": format!("Test tool {name}."),
        "inputSchema": {"type": "object", "properties": properties, "required": required},
    })
}

fn tools() -> Vec<Value> {
    let text = json!({"text": {"type": "string"}});
    let number = json!({"n": {"type": "integer"}});
    let mut tools = vec![
        tool("echo", &text, &json!(["text"])),
        tool("fail", &text, &json!([])),
        tool("slow", &number, &json!(["n"])),
        tool("big", &number, &json!(["n"])),
        tool("structured", &json!({}), &json!([])),
        tool("read_env", &text, &json!(["text"])),
    ];
    for name in [
        "die",
        "half",
        "hang",
        "wrong_id",
        "reject",
        "hologram",
        "progress",
        "cancelled",
        "spawn",
        "change",
        "lists",
        "calls",
        "bad_byte",
        "surrogate",
        "deep",
    ] {
        tools.push(tool(name, &json!({}), &json!([])));
    }
    tools[4]["outputSchema"] = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    tools[0]["annotations"] = json!({"readOnlyHint": true});
    tools
}

impl Server {
    fn run(self) -> ! {
        match self.mode.as_str() {
            "exit0" => exit(0),
            "exit3" => {
                eprintln!("starting\ncannot open the database with key=topsecret");
                exit(3)
            }
            "mute" => thread::sleep(Duration::from_mins(10)),
            "closed" => {
                write("not a message\n");
                exit(1)
            }
            "noise" => write(&"noise\n{\"a\":1}\n[1]\n\n".repeat(1000)),
            "stderr" => eprintln!("{}", "x".repeat(500_000)),
            "mark" => write("\u{feff}"),
            "slow_start" => thread::sleep(Duration::from_millis(500)),
            _ => {}
        }
        for line in std::io::stdin().lock().lines() {
            let Ok(message) = serde_json::from_str::<Value>(&line.unwrap()) else {
                continue;
            };
            self.handle(&message);
        }
        if self.mode == "ignores_end" {
            thread::sleep(Duration::from_mins(10));
        }
        exit(0)
    }

    fn handle(&self, message: &Value) {
        let id = &message["id"];
        let result = match message["method"].as_str().unwrap_or_default() {
            "server/discover" => self.discover(),
            "initialize" => self.initialize(),
            "tools/list" => self.list(message),
            "tools/call" => {
                Self::call(message);
                return;
            }
            "notifications/cancelled" if self.mode == "old" => {
                eprintln!("cancelled");
                return;
            }
            _ if id.is_null() => return,
            _ => Err(json!({"code": -32601, "message": "unknown method"})),
        };
        match result {
            Ok(result) => send(&json!({"jsonrpc": "2.0", "id": id, "result": result})),
            Err(error) => send(&json!({"jsonrpc": "2.0", "id": id, "error": error})),
        }
    }

    fn discover(&self) -> Result<Value, Value> {
        match self.mode.as_str() {
            "modern" => Ok(json!({
                "resultType": "complete",
                "supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {"listChanged": false}},
                "serverInfo": {"name": "faults", "version": "1"},
                "ttlMs": 0,
                "cacheScope": "public",
            })),
            "empty_discover" => Ok(json!({})),
            "dies_at_discover" => exit(1),
            _ => Err(json!({"code": -32601, "message": "Method not found"})),
        }
    }

    fn initialize(&self) -> Result<Value, Value> {
        let version = match self.mode.as_str() {
            "1999" => "1999-01-01",
            "2024" => "2024-11-05",
            "rejects" => return Err(json!({"code": -32000, "message": "no license"})),
            _ => "2025-11-25",
        };
        Ok(json!({
            "protocolVersion": version,
            "capabilities": {"tools": {"listChanged": true}},
            "serverInfo": {"name": "faults", "version": "1"},
            "instructions": "Use echo.\u{200b}",
        }))
    }

    fn list(&self, message: &Value) -> Result<Value, Value> {
        LISTS.fetch_add(1, Ordering::Relaxed);
        let mut tools = tools();
        let cursor = match self.mode.as_str() {
            "bad_tools" => {
                tools.insert(0, json!({"name": "bad", "inputSchema": true}));
                tools.push(json!({"name": "worse"}));
                tools.push(json!({
                    "name": "remote",
                    "inputSchema": {"type": "object", "$ref": "https://example.com/schema.json"},
                }));
                Value::Null
            }
            "loop" => json!("again"),
            "flood" => {
                for _ in 0..20_000 {
                    send(&json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
                }
                Value::Null
            }
            "deep_list" => {
                let deep = "{\"a\":".repeat(200) + "1" + &"}".repeat(200);
                let id = &message["id"];
                write(&format!(
                    "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"tools\":[{deep}]}}}}\n"
                ));
                return Err(Value::Null);
            }
            "big_list" => {
                tools.push(
                    json!({"name": "x", "description": "x".repeat(9 << 20), "inputSchema": {}}),
                );
                Value::Null
            }
            "dies_at_list" => exit(4),
            "no_list" => return Ok(json!({"content": []})),
            "rejects_list" => return Err(json!({"code": -32603, "message": "no tools today"})),
            _ => Value::Null,
        };
        eprintln!("listed {}", message["id"]);
        Ok(
            json!({"tools": tools, "nextCursor": cursor, "resultType": "complete", "ttlMs": 0, "cacheScope": "public"}),
        )
    }

    fn write_bad_byte(id: &Value) {
        let before = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"caf"
        );
        let mut line = before.into_bytes();
        line.extend(b"\xe9\"}]}}\n");
        let _ = std::io::stdout().lock().write_all(&line);
        write("");
    }

    fn call(message: &Value) {
        let calls = CALLS.fetch_add(1, Ordering::Relaxed) + 1;
        let id = message["id"].clone();
        let params = &message["params"];
        let arguments = &params["arguments"];
        let text = |text: &str| json!({"content": [{"type": "text", "text": text}], "resultType": "complete"});
        let result = match params["name"].as_str().unwrap_or_default() {
            "echo" => text(arguments["text"].as_str().unwrap()),
            "fail" => json!({"content": [{"type": "text", "text": "disk full"}], "isError": true}),
            "slow" => {
                let wait = Duration::from_millis(arguments["n"].as_u64().unwrap());
                thread::spawn(move || {
                    thread::sleep(wait);
                    send(&json!({"jsonrpc": "2.0", "id": id, "result": {"content": []}}));
                });
                return;
            }
            "big" => {
                let size = usize::try_from(arguments["n"].as_u64().unwrap()).unwrap();
                json!({"content": [{"type": "text", "text": "x".repeat(size)}]})
            }
            "structured" => json!({"content": [], "structuredContent": {"n": "not a number"}}),
            "read_env" => text(&env::var(arguments["text"].as_str().unwrap()).unwrap_or_default()),
            "die" => exit(5),
            "half" => {
                write("{\"jsonrpc\":\"2.0\",\"id\":");
                exit(5)
            }
            "hang" => return,
            "calls" => text(&calls.to_string()),
            "bad_byte" => {
                Self::write_bad_byte(&id);
                return;
            }
            "surrogate" => {
                write(&format!(
                    "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"a\\ud800b\"}}]}}}}\n"
                ));
                return;
            }
            "deep" => {
                let deep = "[".repeat(200) + &"]".repeat(200);
                write(&format!(
                    "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"content\":{deep}}}}}\n"
                ));
                return;
            }
            "lists" => text(&LISTS.load(Ordering::Relaxed).to_string()),
            "wrong_id" => {
                send(&json!({"jsonrpc": "2.0", "id": 999_999, "result": text("wrong")}));
                return;
            }
            "reject" => {
                send(
                    &json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32602, "message": "path is missing"}}),
                );
                return;
            }
            "hologram" => {
                json!({"content": [{"type": "hologram"}, {"foo": 1}, {"type": "text", "text": "end"}]})
            }
            "progress" => {
                let token = &params["_meta"]["progressToken"];
                for step in 1..=3 {
                    send(&json!({
                        "jsonrpc": "2.0", "method": "notifications/progress",
                        "params": {"progressToken": token, "progress": step, "total": 3, "message": "working"},
                    }));
                    thread::sleep(Duration::from_millis(400));
                }
                text("done")
            }
            "spawn" => {
                let mut child = Command::new("sleep").arg("600").spawn().unwrap();
                thread::spawn(move || child.wait());
                text("spawned")
            }
            "change" => {
                let changed =
                    json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
                thread::spawn(move || {
                    for _ in 0..10_000 {
                        send(&changed);
                        thread::sleep(Duration::from_millis(1));
                    }
                });
                text("changed")
            }
            _ => text("unknown"),
        };
        send(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
    }
}
