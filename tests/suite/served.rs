//! Tools called through their registry and through an MCP server of the same process.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use agent_loop::{AgentLoop, ModelReply, ScriptedModel};
use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex};
use tool_core::approval::Policy;
use tool_core::output_store::{MemoryStore, read_stored_output};
use tool_core::{Registry, ToolCall, ToolDefinition, ToolResult, Toolset, tool_fn};
use tool_mcp::McpServer;
use tool_test::Scratch;
use tools_builtin::questions::{Question, Respondent};
use tools_builtin::toolsets::ToolGroup;
use tools_builtin::toolsets::ToolsetName::{
    self, Assistant, CliAgent, CodingGpt, Dracode, RepoExplorer, Ryan, Standard,
};
use tools_builtin::web::{AddressGuard, SearchError, SearchProvider, SearchResult, WebFetch};
use tools_builtin::{Kit, Workspace};
use wiremock::{Mock, MockServer, ResponseTemplate, matchers};

/// Default output limit of a registry in bytes.
const LIMIT: usize = 100 * 1024;

/// Size of a file that exceeds it.
const LONG: usize = 200_000;

/// Maximum size of the marker of a cut, which the limit does not count.
const MARKER: usize = 300;

/// Length of the handle of a stored output.
const HANDLE: usize = 36;

/// Length of a time in RFC 3339.
const TIME: usize = 24;

/// Returns one result for each query.
#[derive(Debug)]
struct Echo;

#[async_trait]
impl SearchProvider for Echo {
    fn provider_name(&self) -> &'static str {
        "echo"
    }

    async fn search(&self, query: &str, _count: usize) -> Result<Vec<SearchResult>, SearchError> {
        let found = SearchResult::new(query, "https://example.com/", "Text.");
        Ok(vec![found])
    }
}

/// Client of a server in this process.
struct Client {
    stream: BufReader<DuplexStream>,
    id: u64,
}

impl Client {
    async fn start(server: McpServer) -> Self {
        let (near, far) = duplex(64 * 1024);
        tokio::spawn(server.serve_stream(far));
        let mut client = Self {
            stream: BufReader::new(near),
            id: 0,
        };
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        client.request("initialize", hello).await;
        client
            .send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
        client
    }

    async fn send(&mut self, message: Value) {
        let line = format!("{message}\n");
        self.stream.write_all(line.as_bytes()).await.unwrap();
    }

    async fn request(&mut self, method: &str, params: Value) -> Value {
        self.id += 1;
        self.send(json!({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}))
            .await;
        let mut line = String::new();
        self.stream.read_line(&mut line).await.unwrap();
        let mut response: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(response["id"], self.id, "{response}");
        assert!(response["result"].is_object(), "{response}");
        response["result"].take()
    }

    async fn call(&mut self, name: &str, arguments: &Value) -> Value {
        self.request("tools/call", json!({"name": name, "arguments": arguments}))
            .await
    }
}

/// Returns the text of a served result.
fn text_of(result: &Value) -> String {
    let blocks = result["content"].as_array().unwrap();
    let texts: Vec<&str> = blocks
        .iter()
        .map(|block| block["text"].as_str().unwrap())
        .collect();
    texts.join("\n")
}

/// Directory with the tools of a set.
struct Place {
    scratch: Scratch,
    registry: Registry,
}

impl Place {
    fn new(set: ToolsetName) -> Self {
        let scratch = Scratch::new()
            .file("a", "one\n")
            .file("src/main.rs", "fn main() {}\n")
            .file("long.txt", "0123456789abcde\n".repeat(LONG / 16));
        let guard = AddressGuard::new().allow_range("127.0.0.0/8".parse().unwrap());
        let store = Arc::new(MemoryStore::default());
        let kit = Kit::new(Workspace::open(scratch.path()).unwrap())
            .with_web(WebFetch::new().with_guard(guard))
            .with_search(Arc::new(Echo))
            .with_output_store(store.clone());
        let registry = Registry::builder()
            .policy(Policy::allow_all())
            .output_store(store)
            .toolset(&toolset(set, &kit))
            .unwrap()
            .build();
        Self { scratch, registry }
    }

    /// Removes what differs between two directories and two runs: the path, handles and times.
    fn comparable(&self, text: &str) -> String {
        let text = text.replace(self.scratch.path().to_str().unwrap(), "ROOT");
        let is_time = |part: &str| part.get(10..11) == Some("T") && part.ends_with('Z');
        let text = without(&text, "out_", HANDLE, |_| true);
        without(&text, "20", TIME, is_time)
    }
}

/// Returns the toolset, the standard one with all groups.
fn toolset(set: ToolsetName, kit: &Kit) -> Toolset {
    let toolset = set.toolset(kit).unwrap();
    if set != Standard {
        return toolset;
    }
    let mut groups = ToolGroup::ALL.iter();
    groups
        .try_fold(toolset, |toolset, group| group.add_to(toolset, kit))
        .unwrap()
}

/// Removes all parts of `length` bytes that begin with `prefix` and satisfy `is_removed`.
fn without(text: &str, prefix: &str, length: usize, is_removed: fn(&str) -> bool) -> String {
    let (mut rest, mut kept) = (text, String::new());
    while let Some(start) = rest.find(prefix) {
        let part = rest.get(start..start + length);
        let end = if part.is_some_and(is_removed) {
            kept.push_str(&rest[..start]);
            start + length
        } else {
            kept.push_str(&rest[..start + prefix.len()]);
            start + prefix.len()
        };
        rest = &rest[end..];
    }
    kept + rest
}

/// Returns calls of every tool of a set, in an order in which all of them succeed except reads of missing files.
fn calls(set: ToolsetName, page: &str) -> Vec<(&'static str, Value)> {
    let plan =
        json!({"items": [{"content": "Test", "activeForm": "Testing", "status": "pending"}]});
    let replace = json!({"path": "a", "old_string": "one", "new_string": "1"});
    let written = json!({"path": "b/c", "content": "x\n"});
    match set {
        Dracode => vec![
            ("list_files", json!({"directory": "src"})),
            ("read_file", json!({"file_path": "a"})),
            ("read_file", json!({"file_path": "missing"})),
            ("read_file", json!({"file_path": "long.txt"})),
            ("write_file", json!({"file_path": "b/c", "content": "x\n"})),
            ("search_code", json!({"query": "fn"})),
            (
                "run_command",
                json!({"command": "echo", "arguments": "a b"}),
            ),
        ],
        RepoExplorer => vec![
            ("list_dirs", json!({"depth": 2})),
            ("list_files", json!({"path": "src"})),
            ("read_file", json!({"path": "a"})),
            ("read_file", json!({"path": "missing"})),
            ("read_file", json!({"path": "long.txt"})),
            ("search_code", json!({"query": "fn"})),
            ("todo_manager", plan),
            (
                "validate_output",
                json!({"outputType": "domain_map", "data": {}}),
            ),
        ],
        Ryan => vec![
            ("execute_bash", json!({"command": "echo err >&2; exit 3"})),
            ("read_file", json!({"path": "a", "start_line": 1.0})),
            ("read_file", json!({"path": "missing"})),
            ("read_file", json!({"path": "long.txt"})),
        ],
        CliAgent => vec![
            ("create_file", written),
            ("read_file", json!({"path": "a"})),
            ("read_file", json!({"path": "missing"})),
            ("read_file", json!({"path": "long.txt"})),
            ("replace_string_in_file", replace),
            ("list_dir", json!({})),
            ("file_search", json!({"pattern": "**/*.rs"})),
            ("grep_search", json!({"pattern": "fn"})),
            ("run_in_terminal", json!({"command": "echo err >&2"})),
            ("terminal_last_command", json!({})),
            ("create_directory", json!({"path": "new"})),
            ("fetch_webpage", json!({"url": page})),
        ],
        Assistant => vec![
            ("bash", json!({"command": "echo err >&2"})),
            ("read_file", json!({"path": "a"})),
            ("read_file", json!({"path": "missing"})),
            ("read_file", json!({"path": "long.txt"})),
            ("write_file", written),
            ("append_file", json!({"path": "a", "content": "two\n"})),
            ("web_fetch", json!({"url": page})),
            ("web_search", json!({"query": "rust"})),
        ],
        _ => standard_calls(page),
    }
}

const PATCH: &str =
    "*** Begin Patch\n*** Update File: a\n-one\n+uno\n*** Add File: d\n+x\n*** End Patch";

fn standard_calls(page: &str) -> Vec<(&'static str, Value)> {
    let plan =
        json!({"items": [{"content": "Test", "activeForm": "Testing", "status": "pending"}]});
    let background = |stop| json!({"id": "command-1", "stop": stop});
    vec![
        ("list", json!({})),
        ("list", json!({"depth": 2})),
        ("search", json!({"pattern": "", "glob": "**/*.rs"})),
        ("search", json!({"pattern": "fn"})),
        ("read", json!({"path": "a"})),
        ("read", json!({"path": "missing"})),
        ("write", json!({"path": "b/c", "content": "x\n"})),
        (
            "edit",
            json!({"path": "a", "edits": [{"old": "one", "new": "1"}]}),
        ),
        ("write", json!({"path": "a", "content": "one\n"})),
        ("apply_patch", json!({"patch": PATCH})),
        ("move", json!({"from": "d", "to": "e/f"})),
        ("delete", json!({"path": "e/f"})),
        ("bash", json!({"command": "echo err >&2; exit 3"})),
        ("bash", json!({"command": "sleep 60", "background": true})),
        ("background", background(false)),
        ("background", json!({})),
        ("background", background(true)),
        ("web_fetch", json!({"url": page})),
        ("plan", plan),
        (
            "validate_output",
            json!({"output_type": "domain_map", "data": {}}),
        ),
        ("web_search", json!({"query": "rust"})),
        (
            "web_fetch",
            json!({"url": format!("{page}/long"), "max_chars": 200_000}),
        ),
        ("read", json!({"path": "out_", "start_line": 100})),
    ]
}

/// Sets the handle that the last text contains.
fn with_handle(arguments: &Value, text: &str) -> Value {
    let mut arguments = arguments.clone();
    if let Some(handle) = arguments.get_mut("path").filter(|path| *path == "out_") {
        let start = text.find("out_").unwrap();
        *handle = text[start..start + HANDLE].into();
    }
    arguments
}

async fn page() -> MockServer {
    let server = MockServer::start().await;
    let html = "<title>Foxes</title><h1>Foxes</h1><p>The quick brown fox.</p>";
    let response = ResponseTemplate::new(200).set_body_raw(html, "text/html");
    let long = ResponseTemplate::new(200)
        .set_body_raw("0123456789abcde\n".repeat(LONG / 16), "text/plain");
    Mock::given(matchers::path("/long"))
        .respond_with(long)
        .mount(&server)
        .await;
    Mock::given(matchers::any())
        .respond_with(response)
        .mount(&server)
        .await;
    server
}

/// Counts the questions.
#[derive(Debug, Default)]
struct User(AtomicUsize);

#[async_trait]
impl Respondent for User {
    async fn answer(&self, _question: &Question) -> Option<String> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Some("yes".to_owned())
    }
}

#[tokio::test]
async fn servers_and_sub_agents_do_not_ask_the_user() {
    let (scratch, user) = (Scratch::new(), Arc::new(User::default()));
    let kit = Kit::new(Workspace::open(scratch.path()).unwrap()).with_respondent(user.clone());
    let toolset = ToolGroup::AskUser.add_to(Standard.toolset(&kit).unwrap(), &kit);
    let registry = Registry::builder().toolset(&toolset.unwrap()).unwrap();
    let registry = registry.build();
    let question = json!({"question": "Continue?"});
    let model = ScriptedModel::new([
        ModelReply::calls([ToolCall::new("ask_user", question.clone())]),
        ModelReply::text("Nobody answered."),
    ]);
    let schema = json!({"type": "object", "properties": {}});
    let definition = ToolDefinition::new("helper", "Helps.", schema);
    let sub_agent = AgentLoop::new(registry.clone(), model).as_tool(definition);

    let own = registry.execute("ask_user", question).await;
    let mut client = Client::start(McpServer::new(registry)).await;
    let served = client.request("tools/list", json!({})).await.to_string();
    let registry = Registry::of(sub_agent).unwrap();
    let helped = registry.execute("helper", json!({"task": "Ask."})).await;

    assert_eq!(
        (own.text().as_str(), user.0.load(Ordering::Relaxed)),
        ("yes", 1)
    );
    assert!(
        served.contains("\"edit\"") && !served.contains("ask_user"),
        "{served}"
    );
    assert_eq!(helped.text(), "Nobody answered.");
}

#[tokio::test]
async fn served_tools_return_text_of_local_calls() {
    let page = page().await;
    // The other set has no tools besides those of the standard set and its groups.
    for set in ToolsetName::ALL.into_iter().filter(|set| *set != CodingGpt) {
        let (local, served) = (Place::new(set), Place::new(set));
        let mut client = Client::start(McpServer::new(served.registry.clone())).await;
        let mut uncalled: Vec<String> = local
            .registry
            .list()
            .iter()
            .map(|definition| definition.name().to_string())
            .collect();
        let (mut local_text, mut served_text) = (String::new(), String::new());
        for (tool, arguments) in calls(set, &page.uri()) {
            let called = local
                .registry
                .execute(tool, with_handle(&arguments, &local_text))
                .await;
            let answer = client
                .call(tool, &with_handle(&arguments, &served_text))
                .await;

            (local_text, served_text) = (called.to_string(), text_of(&answer));
            assert_eq!(
                served.comparable(&served_text),
                local.comparable(&local_text),
                "{set}: {tool} {arguments}"
            );
            assert_eq!(answer["isError"], !called.success, "{set}: {tool}");
            uncalled.retain(|name| name != tool);
        }
        assert_eq!(uncalled, [""; 0], "{set}");
    }
}

#[tokio::test]
async fn served_page_has_text_and_data() {
    let page = page().await;
    let place = Place::new(Standard);
    let mut client = Client::start(McpServer::new(place.registry.clone())).await;

    let fetched = client.call("web_fetch", &json!({"url": page.uri()})).await;

    let text = text_of(&fetched);
    assert!(text.contains("The quick brown fox."), "{fetched}");
    assert_eq!(
        fetched["structuredContent"]["status_code"], 200,
        "{fetched}"
    );
}

/// Returns the results of a local and of a served read.
async fn read(path: &str) -> (ToolResult, Value) {
    let place = Place::new(Standard);
    let mut client = Client::start(McpServer::new(place.registry.clone())).await;
    let arguments = json!({"path": path});
    let local = place.registry.execute("read", arguments.clone()).await;
    (local, client.call("read", &arguments).await)
}

/// Text of a length, for a tool without its own limit.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Printed {
    text: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Lines {
    /// Number of lines.
    count: usize,
}

/// Returns the results of a local and of a served call that returns 16 bytes for each line.
async fn printed(lines: usize) -> (ToolResult, Value) {
    let store: Arc<MemoryStore> = Arc::default();
    let print = tool_fn("print", "Prints lines.", |_cx, input: Lines| async move {
        let text = "0123456789abcde\n".repeat(input.count);
        Ok(Printed { text })
    });
    let registry = Registry::builder()
        .policy(Policy::allow_all())
        .output_store(store.clone())
        .tool(print)
        .unwrap()
        .tool(read_stored_output(store))
        .unwrap()
        .build();
    let mut client = Client::start(McpServer::new(registry.clone())).await;
    let arguments = json!({"count": lines});
    let local = registry.execute("print", arguments.clone()).await;
    (local, client.call("print", &arguments).await)
}

#[tokio::test]
async fn data_is_served_beside_text_within_limit() {
    let (local, served) = read("src/main.rs").await;

    assert_eq!(text_of(&served), local.to_string());
    assert_eq!(Some(&served["structuredContent"]), local.data.as_ref());
}

#[tokio::test]
async fn data_over_limit_is_not_served() {
    // The text alone fits, but not with the data, which repeats it.
    let (local, served) = printed(4000).await;
    assert_eq!(text_of(&served), local.to_string());
    assert_eq!(served.get("structuredContent"), None);

    let (_, served) = printed(LONG / 16).await;
    let text = text_of(&served);
    assert!(
        text.contains("read_stored_output {\"handle\":\"out_"),
        "{text}"
    );
    assert!(text.len() <= LIMIT + MARKER, "{}", text.len());
    assert_eq!(served.get("structuredContent"), None);
    assert_eq!(served["isError"], false);
    let total = served.to_string().len();
    assert!(total <= LIMIT * 11 / 10, "{total}");
}
