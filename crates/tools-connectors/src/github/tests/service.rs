//! Test server with the files of a repository.

use super::*;

/// Files of a repository on a test server: path, mode and content.
pub(super) type Files = Vec<(String, &'static str, Vec<u8>)>;

pub(super) fn id(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    let mut id = String::new();
    for byte in digest.iter().take(20) {
        write!(id, "{byte:02x}").unwrap();
    }
    id
}

pub(super) fn sample() -> Files {
    let file = |path: &str, content: &str| (path.to_owned(), "100644", content.as_bytes().to_vec());
    let link = |path: &str, target: &str| (path.to_owned(), "120000", target.as_bytes().to_vec());
    vec![
        file("README.md", "The Main idea\n"),
        file("src/main.rs", "fn main() {}\n// MAIN again\n"),
        file("src/deep/a.rs", "main();\n"),
        file("src-old/b.rs", "nothing\n"),
        file(".hidden/c.rs", "main\n"),
        link("alias.rs", "src/main.rs"),
        link("src/up", "../src-old"),
        link("out", "../../etc/passwd"),
        link("loop", "loop"),
        ("module".to_owned(), "160000", b"submodule".to_vec()),
    ]
}

fn tree(files: &Files) -> Vec<Value> {
    let mut entries: BTreeMap<String, Value> = BTreeMap::new();
    for (path, mode, content) in files {
        let mut parent = String::new();
        for name in path.split('/').collect::<Vec<_>>().split_last().unwrap().1 {
            parent = if parent.is_empty() {
                (*name).to_owned()
            } else {
                format!("{parent}/{name}")
            };
            let sha = id(format!("tree {parent}").as_bytes());
            entries.insert(
                parent.clone(),
                json!({"path": parent, "mode": "040000", "type": "tree", "sha": sha}),
            );
        }
        let size = content.len();
        entries.insert(
            path.clone(),
            json!({"path": path, "mode": mode, "type": "blob", "sha": id(content), "size": size}),
        );
    }
    entries.into_values().collect()
}

/// Serves one entry. Like the service, it follows a link to a file and keeps the path and ID of the link.
fn contents(files: &Files, path: &str) -> Reply {
    let found = |path: &str| files.iter().find(|(known, ..)| known == path);
    let Some((_, mode, content)) = found(path) else {
        let is_directory = files
            .iter()
            .any(|(known, ..)| known.starts_with(&format!("{path}/")));
        if is_directory {
            return Reply::json(&json!({"type": "dir", "path": path, "entries": []}));
        }
        return Reply::error(404, &json!({"message": "Not Found"}));
    };
    let target = String::from_utf8_lossy(content).into_owned();
    let linked = found(&target).filter(|(_, mode, _)| *mode == "100644");
    let (kind, shown) = match (*mode, linked) {
        ("160000", _) => ("submodule", &Vec::new()),
        ("120000", None) => ("symlink", &Vec::new()),
        ("120000", Some((_, _, content))) => ("file", content),
        _ => ("file", content),
    };
    let is_small = shown.len() <= 1024 * 1024;
    let text = if is_small {
        BASE64_STANDARD.encode(shown)
    } else {
        String::new()
    };
    let lines: Vec<&str> = text
        .as_bytes()
        .chunks(60)
        .map(|line| std::str::from_utf8(line).unwrap())
        .collect();
    Reply::json(&json!({
        "type": kind, "encoding": if is_small { "base64" } else { "none" }, "size": shown.len(), "path": path,
        "sha": id(content), "content": lines.join("\n") + "\n",
    }))
}

/// Serves the files. `is_truncated` serves trees directory by directory only.
pub(super) fn reply(files: &Files, is_truncated: bool, request: &Received) -> Reply {
    let route = request
        .route()
        .strip_prefix("/repos/octo/hello")
        .unwrap_or("/other");
    let entries = tree(files);
    let below = |directory: &str| -> Vec<Value> {
        let prefix = if directory.is_empty() {
            String::new()
        } else {
            format!("{directory}/")
        };
        let named = entries.iter().filter_map(|entry| {
            let name = entry["path"].as_str()?.strip_prefix(&prefix)?;
            let mut entry = entry.clone();
            entry["path"] = json!(name);
            (!name.contains('/')).then_some(entry)
        });
        named.collect()
    };
    match route.split('/').skip(1).collect::<Vec<_>>().as_slice() {
        [] => Reply::json(&json!({"default_branch": "main", "size": 10})),
        ["commits", "main"] => {
            let commit = json!({"sha": "c0ffee", "commit": {"tree": {"sha": "abcd"}}});
            Reply::status(200, "ETag: \"v1\"\r\n", commit.to_string())
        }
        ["git", "trees", "abcd"] if request.query("recursive").is_some() => {
            Reply::json(&json!({"tree": entries, "truncated": is_truncated}))
        }
        ["git", "trees", "abcd"] => Reply::json(&json!({"tree": below("")})),
        ["git", "trees", sha] => {
            let directory = entries.iter().find(|entry| entry["sha"] == *sha).unwrap();
            Reply::json(&json!({"tree": below(directory["path"].as_str().unwrap())}))
        }
        ["contents", ..] => {
            assert_eq!(request.query("ref").as_deref(), Some("c0ffee"));
            let path = route.trim_start_matches("/contents/").replace('+', "%2B");
            let path = url::form_urlencoded::parse(format!("path={path}").as_bytes())
                .next()
                .unwrap()
                .1
                .into_owned();
            contents(files, &path)
        }
        ["git", "blobs", sha] => {
            let found = files.iter().find(|(_, _, content)| id(content) == *sha);
            Reply::status(200, "", &found.unwrap().2)
        }
        ["tarball", "c0ffee"] => Reply::status(302, "Location: /archive/x.tar.gz\r\n", ""),
        ["other"] if request.route() == "/archive/x.tar.gz" => {
            assert_eq!(request.header("authorization"), None);
            let regular: Vec<(&str, &[u8])> = files
                .iter()
                .filter(|(_, mode, _)| *mode == "100644")
                .map(|(path, _, content)| (path.as_str(), content.as_slice()))
                .collect();
            Reply::status(200, "", tarball::testing::packed(&regular))
        }
        ["other"] if request.route() == "/search/code" => {
            Reply::json(&json!({"items": [{"path": "src/main.rs"}, {"path": "gone.rs"}]}))
        }
        _ => Reply::error(404, &json!({})),
    }
}

pub(super) async fn server(files: Files, is_truncated: bool) -> Server {
    Server::start(move |request, _| reply(&files, is_truncated, request)).await
}
