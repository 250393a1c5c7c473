//! Tools as described in the source document of the toolset.

use serde_json::{Value, json};
use tool_core::{Registry, ToolResult};
use tool_test::Scratch;

use crate::toolsets::ToolsetName::Assistant;
use crate::toolsets::testing;
use crate::{Kit, Workspace};

async fn call(scratch: &Scratch, tool: &str, arguments: Value) -> ToolResult {
    testing::call(Assistant, scratch, tool, arguments).await
}

#[test]
fn schemas_match_document() {
    let path = r#""path": {"type": "string", "description": "Path of the file"}"#;
    let write = r#"{"type": "object", "properties": {PATH,
        "content": {"type": "string", "description": "Content to write"}}, "required": ["path", "content"]}"#;
    let write = write.replace("PATH", path);
    let append = write.replace("Content to write", "Content to append");
    let read =
        r#"{"type": "object", "properties": {PATH}, "required": ["path"]}"#.replace("PATH", path);
    let bash = r#"{"type": "object", "properties": {
        "command": {"type": "string", "description": "Shell command to execute"}}, "required": ["command"]}"#;

    testing::assert_schemas(
        Assistant,
        &[
            ("bash", bash),
            ("read_file", &read),
            ("write_file", &write),
            ("append_file", &append),
            #[cfg(feature = "web")]
            (
                "web_fetch",
                r#"{"type": "object", "properties": {
                    "url": {"type": "string", "description": "URL to fetch"},
                    "maxChars": {"type": "integer", "description": "Maximum characters to return (default: 50000)", "default": 50000}},
                    "required": ["url"]}"#,
            ),
        ],
    );
}

#[test]
fn read_description_matches_document() {
    let tools = testing::registry(Assistant, &Scratch::new()).list();
    let read = tools.iter().find(|tool| tool.name() == "read_file");

    let files = if cfg!(feature = "office") {
        "Read text files and .docx documents."
    } else {
        "Read text files."
    };
    assert_eq!(
        read.unwrap().description(),
        format!(
            "{files} Resolves relative paths by walking up to the repo root, then falling back to the working directory."
        )
    );
}

#[cfg(feature = "office")]
#[tokio::test]
async fn reads_documents_as_text() {
    let body = "<w:p><w:r><w:t>Dear Sir</w:t></w:r></w:p>";
    let letter = crate::office_documents::DocumentBuilder::docx(body).bytes();
    let scratch = Scratch::new().file("letter.docx", letter);

    let read = call(&scratch, "read_file", json!({"path": "letter.docx"})).await;

    assert_eq!(read.text(), "Dear Sir\n");
}

#[tokio::test]
async fn write_creates_directories_and_append_extends() {
    let scratch = Scratch::new();
    let path = "notes/today.md";

    let written = call(
        &scratch,
        "write_file",
        json!({"path": path, "content": "one\n"}),
    )
    .await;
    let appended = call(
        &scratch,
        "append_file",
        json!({"path": path, "content": "two\n"}),
    )
    .await;
    let read = call(&scratch, "read_file", json!({"path": path})).await;

    assert!(written.success && appended.success);
    assert_eq!(appended.files_affected, [path]);
    assert_eq!(read.text(), "one\ntwo\n");
}

#[tokio::test]
async fn append_requires_existing_file() {
    let result = call(
        &Scratch::new(),
        "append_file",
        json!({"path": "a", "content": ""}),
    )
    .await;

    assert_eq!(result.error.unwrap().code.as_str(), "file_not_found");
}

#[tokio::test]
async fn runs_command_in_shell() {
    let result = call(
        &Scratch::new(),
        "bash",
        json!({"command": "echo a | tr a b"}),
    )
    .await;

    assert_eq!(result.text(), "b");
}

#[tokio::test]
async fn read_searches_parent_directories_and_write_does_not() {
    let scratch = Scratch::new()
        .folder("repository/.git")
        .file("repository/notes.md", "above\n")
        .folder("repository/app");
    let repository = scratch.path().join("repository");
    let workspace = Workspace::builder()
        .root(repository.join("app"))
        .read_only_root(&repository)
        .build()
        .unwrap();
    let toolset = Assistant.toolset(&Kit::new(workspace)).unwrap();
    let registry = Registry::builder().toolset(&toolset).unwrap().build();

    let read = registry
        .execute("read_file", json!({"path": "notes.md"}))
        .await;
    let appended = registry
        .execute("append_file", json!({"path": "notes.md", "content": "x"}))
        .await;

    assert_eq!(read.text(), "above\n");
    assert!(!appended.success);
}

#[tokio::test]
async fn read_reaches_repository_root_by_default() {
    let scratch = Scratch::new()
        .folder("repository/.git")
        .file("repository/notes.md", "above\n")
        .file("outside.md", "outside\n")
        .folder("repository/app");
    let kit = Kit::new(Workspace::open(scratch.path().join("repository/app")).unwrap());
    let registry = |kit: &Kit| {
        let toolset = Assistant.toolset(kit).unwrap();
        Registry::builder().toolset(&toolset).unwrap().build()
    };
    let granted = registry(&kit);
    let read = granted
        .execute("read_file", json!({"path": "notes.md"}))
        .await;
    let outside = granted
        .execute("read_file", json!({"path": "outside.md"}))
        .await;
    let absolute = scratch.path().join("repository/notes.md");
    let write = json!({"path": absolute, "content": "x"});
    let written = granted.execute("write_file", write).await;

    let missing = registry(&kit.without_repository_root())
        .execute("read_file", json!({"path": "notes.md"}))
        .await;

    assert_eq!(read.text(), "above\n");
    assert_eq!(outside.error.unwrap().code.as_str(), "file_not_found");
    assert_eq!(
        written.error.unwrap().code.as_str(),
        "path_outside_workspace"
    );
    let reason = "`path` does not exist; the directories above the workspace were not searched, because access to them is not granted.";
    assert_eq!(missing.error.unwrap().message, reason);
}

#[cfg(feature = "web")]
#[tokio::test]
async fn truncated_page_notice_names_parameter() {
    use wiremock::matchers::method;
    use wiremock::{Mock, MockServer, ResponseTemplate};

    use crate::web::{AddressGuard, WebFetch};

    let server = MockServer::start().await;
    let answer =
        ResponseTemplate::new(200).set_body_raw("<title>Tea</title><p>Boil water.", "text/html");
    Mock::given(method("GET"))
        .respond_with(answer)
        .mount(&server)
        .await;
    let guard = AddressGuard::new().allow_host("127.0.0.1").unwrap();
    let scratch = Scratch::new();
    let kit = Kit::new(Workspace::open(scratch.path()).unwrap());
    let kit = kit.with_web(WebFetch::new().with_guard(guard));
    let registry = Registry::builder()
        .policy(tool_core::approval::Policy::allow_all())
        .toolset(&Assistant.toolset(&kit).unwrap())
        .unwrap()
        .build();

    let arguments = json!({"url": server.uri(), "maxChars": 4});
    let result = registry.execute("web_fetch", arguments).await;

    let shown = result.text();
    let (header, content) = shown.split_once("\n--- Content ---\n").unwrap();
    assert!(header.contains("\nTitle: Tea\n"), "{header}");
    assert_eq!(
        content,
        "\nBoil\n\n[Content truncated at 4 characters; 7 more. Use a larger maxChars.]"
    );
    assert_eq!(result.metadata.extra["untrusted_origin"], server.uri());
}
