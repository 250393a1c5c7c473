//! Listed, searched and resolved paths.

use super::*;

#[tokio::test]
async fn lists_hidden_and_ignored_files() {
    let scratch = Scratch::new()
        .file(".gitignore", "*.log\n")
        .file(".env", "")
        .file("a.log", "");

    let result = call(&scratch, "list_files", json!({})).await;

    assert_eq!(result.text(), ".env\n.gitignore\na.log");
}

#[tokio::test]
async fn recursive_listing_omits_git_directory() {
    let scratch = Scratch::new()
        .file(".git/HEAD", "")
        .file("sub/.git/HEAD", "")
        .file("sub/.github/ci.yml", "")
        .file("a.txt", "");
    for (arguments, text) in [
        (json!({"recursive": true}), "a.txt\nsub/.github/ci.yml"),
        (json!({"recursive": true, "directory": ".git"}), ".git/HEAD"),
    ] {
        let result = call(&scratch, "list_files", arguments.clone()).await;

        assert_eq!(result.text(), text, "{arguments}");
    }
}

#[tokio::test]
async fn missing_directory_before_parent_component_is_folded() {
    for (tool, arguments, text) in [
        (
            "read_file",
            json!({"file_path": "subfolder/../file1.txt"}),
            "content\n",
        ),
        (
            "read_file",
            json!({"file_path": "a/b/../../src/../file1.txt"}),
            "content\n",
        ),
        (
            "write_file",
            json!({"file_path": "subfolder/../other.txt", "content": "", "create_directories": false}),
            "OK",
        ),
        (
            "list_files",
            json!({"directory": "subfolder/.."}),
            "file1.txt",
        ),
        (
            "search_code",
            json!({"query": "content", "directory": "src/missing/../../"}),
            "file1.txt:1: content",
        ),
    ] {
        let scratch = Scratch::new().file("file1.txt", "content\n").folder("src");

        let result = call(&scratch, tool, arguments.clone()).await;

        assert_eq!(result.text(), text, "{tool} {arguments}");
        assert!(!scratch.path().join("subfolder").exists());
    }
    let scratch = project()
        .folder("outside")
        .file("outside/secret.txt", "secret");
    for path in ["a/../../secret.txt", "..", "src/../../outside/secret.txt"] {
        let result = call(&scratch, "read_file", json!({"file_path": path})).await;

        let code = result.error.unwrap().code;
        assert_eq!(code.as_str(), "path_outside_workspace", "{path}");
    }
}

#[tokio::test]
async fn search_skips_binary_extensions() {
    let scratch = Scratch::new()
        .file("a.png", "needle")
        .file("b.JPEG", "needle")
        .file("c.pdf", "needle")
        .file("d.zip.txt", "needle");

    let result = call(&scratch, "search_code", json!({"query": "needle"})).await;

    assert_eq!(result.text(), "d.zip.txt:1: needle");
}
