use serde_json::json;
use tool_test::Scratch;

use super::*;
use crate::files::scenario::{Outcome, call, open};

async fn make(scratch: &Scratch, path: &str) -> Outcome<CreateDirectoryOutput> {
    call(CreateDirectory(open(scratch)), json!({"path": path})).await
}

#[tokio::test]
async fn creates_directory_with_parents() {
    let scratch = Scratch::new();

    let outcome = make(&scratch, "src/models/user").await;

    assert!(scratch.path().join("src/models/user").is_dir());
    assert_eq!(outcome.affected, ["src/models/user"]);
    let output = outcome.output();
    assert_eq!(
        output,
        CreateDirectoryOutput {
            path: "src/models/user".to_owned(),
            created_parents: vec!["src".to_owned(), "src/models".to_owned()],
            text: "Created directory: src/models/user".to_owned(),
        }
    );
}

#[tokio::test]
async fn reports_only_created_parents() {
    let scratch = Scratch::new().folder("src");

    let output = make(&scratch, "src/models").await.output();

    assert_eq!(
        (output.created_parents.as_slice(), output.text.as_str()),
        (&[][..], "Created directory: src/models")
    );
}

#[tokio::test]
async fn accepts_existing_directory() {
    let scratch = Scratch::new().file("src/a.txt", "kept");
    for path in ["src", "./src/", "src/../src", "."] {
        let outcome = make(&scratch, path).await;

        assert_eq!(outcome.affected, [""; 0], "{path}");
        let output = outcome.output();
        assert_eq!(
            (output.text, output.created_parents.len()),
            (format!("Directory already exists: {path}"), 0),
            "{path}"
        );
    }
    assert_eq!(scratch.read("src/a.txt"), "kept");
}

#[tokio::test]
async fn invalid_path_names_parameter() {
    let scratch = Scratch::new().file("a.txt", "");
    for (path, code) in [
        ("a.txt", "already_exists"),
        ("a.txt/", "already_exists"),
        ("a.txt/sub", "not_a_directory"),
        ("a.txt/sub/deep", "not_a_directory"),
        ("", "invalid_arguments"),
        ("..", "path_outside_working_dir"),
        ("../ws", "path_outside_working_dir"),
        ("/tmp/x", "path_outside_working_dir"),
        ("new/../../x", "path_outside_working_dir"),
        (r"C:\x", "path_outside_working_dir"),
        (r"\\host\x", "path_outside_working_dir"),
    ] {
        let outcome = make(&scratch, path).await;

        let refusal = outcome.refusal();
        assert_eq!(
            refusal,
            (code.to_owned(), Some("path".to_owned())),
            "{path}"
        );
    }
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn existing_file_has_suggestion() {
    let scratch = Scratch::new().file("a.txt", "");

    let error = make(&scratch, "a.txt").await.error();

    assert_eq!(
        error.to_string(),
        "Path 'a.txt' exists as a file, cannot create directory Choose another name for the directory."
    );
}

#[tokio::test]
async fn accepts_any_characters_in_names() {
    let scratch = Scratch::new();
    for path in ["mit Leerzeichen", "größe/日本", "...", "a'b\"c", "-rf"] {
        assert_eq!(make(&scratch, path).await.output().path, path);
        assert!(scratch.path().join(path).is_dir(), "{path}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn backslash_is_ordinary_character() {
    let scratch = Scratch::new();

    make(&scratch, r"a\b").await.output();

    assert!(scratch.path().join(r"a\b").is_dir());
}

#[tokio::test]
async fn rejects_too_long_name() {
    let scratch = Scratch::new();
    for (path, code) in [
        ("x".repeat(300), "invalid_arguments"),
        ("x/".repeat(3000), "invalid_arguments"),
        ("a\0b".to_owned(), "invalid_arguments"),
    ] {
        assert_eq!(make(&scratch, &path).await.refusal().0, code);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn follows_symlinks_only_inside_workspace() {
    let outside = Scratch::new();
    let scratch = Scratch::new()
        .folder("sub")
        .link("in", "sub")
        .link("out", outside.path());

    make(&scratch, "in/new").await.output();
    let refusal = make(&scratch, "out/new").await.refusal();

    assert!(scratch.path().join("sub/new").is_dir());
    assert_eq!(refusal.0, "path_outside_working_dir");
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn concurrent_calls_create_one_tree() {
    let scratch = Scratch::new();
    let tool = CreateDirectory(open(&scratch));
    let calls: Vec<_> = (0..20)
        .map(|_| tokio::spawn(call(tool.clone(), json!({"path": "a/b/c"}))))
        .collect();
    let mut created = 0;
    for call in calls {
        let text = call.await.unwrap().output().text;
        created += usize::from(text == "Created directory: a/b/c");
    }

    assert_eq!(created, 1);
}

#[tokio::test]
async fn cancelled_call_creates_nothing() {
    let scratch = Scratch::new();
    let cx = ToolContext::test();
    cx.cancellation().cancel();
    let input = serde_json::from_value(json!({"path": "new"})).unwrap();

    let outcome = CreateDirectory(open(&scratch)).run(&cx, input).await;

    assert_eq!(outcome.unwrap_err().code().as_str(), "cancelled");
    assert!(!scratch.has("new"));
}

#[test]
fn spellings_of_one_directory_touch_the_same() {
    let tool = CreateDirectory(open(&Scratch::new().folder("a")));
    let touches = |path: &str| {
        let path = path.to_owned();
        let plan = tool.plan(&ToolContext::test(), &CreateDirectoryInput { path });
        plan.unwrap().touches
    };

    assert_eq!(touches("a/b").files_written(), ["a/b"]);
    assert_eq!(touches("a/b"), touches("./a//b"));
}
