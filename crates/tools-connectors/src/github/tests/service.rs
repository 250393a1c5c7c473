//! Server with the files of a repository.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use tar::{Builder, EntryType, Header};

use super::TOKEN;
use crate::door::testing::{Received, Reply, Server};

/// Files of a repository on a test server: path and content, or the target of a link.
pub(super) type Files = Vec<(&'static str, EntryType, Vec<u8>)>;

pub(super) fn sample() -> Files {
    let file = |path, content: &str| (path, EntryType::Regular, content.as_bytes().to_vec());
    let link = |path, target: &str| (path, EntryType::Symlink, target.as_bytes().to_vec());
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
        file("key.txt", &format!("a {TOKEN}\n")),
        file(
            "big.bin",
            "version https://git-lfs.github.com/spec/v1\nsize 9\n",
        ),
    ]
}

/// Packs files like the service, which puts them into one directory.
pub(super) fn packed(files: &Files) -> Vec<u8> {
    let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, kind, content) in files {
        let path = format!("octo-hello-c0ffee/{path}");
        let mut header = Header::new_gnu();
        header.set_entry_type(*kind);
        header.set_mode(0o664);
        if *kind == EntryType::Symlink {
            let target = String::from_utf8(content.clone()).unwrap();
            header.set_size(0);
            builder.append_link(&mut header, path, target).unwrap();
        } else {
            header.set_size(content.len() as u64);
            builder
                .append_data(&mut header, path, content.as_slice())
                .unwrap();
        }
    }
    builder.into_inner().unwrap().finish().unwrap()
}

/// Serves one entry.
pub(super) fn contents(files: &Files, request: &Received, path: &str) -> Reply {
    assert_eq!(request.query("ref").as_deref(), Some("c0ffee"));
    if let Some((path, _, content)) = files.iter().find(|(known, ..)| *known == path) {
        if request.header("accept") == Some("application/vnd.github.raw+json") {
            return Reply::status(200, "", content);
        }
        let shown = if content.len() > 1024 * 1024 {
            &[]
        } else {
            content.as_slice()
        };
        let text = BASE64_STANDARD.encode(shown).replace('A', "A\n");
        return Reply::json(&json!({
            "type": "file", "path": path, "size": content.len(), "content": text,
        }));
    }
    let prefix = if path.is_empty() {
        String::new()
    } else {
        format!("{path}/")
    };
    let mut entries: Vec<Value> = Vec::new();
    for (known, _, content) in files {
        let Some(name) = known.strip_prefix(&prefix) else {
            continue;
        };
        let (name, kind) = match name.split_once('/') {
            Some((name, _)) => (name, "dir"),
            None => (name, "file"),
        };
        let path = format!("{prefix}{name}");
        if !entries.iter().any(|entry| entry["path"] == path) {
            entries.push(json!({"path": path, "type": kind, "size": content.len()}));
        }
    }
    match entries.as_slice() {
        [] => Reply::error(404, &json!({"message": "Not Found"})),
        _ => Reply::json(&Value::from(entries)),
    }
}

pub(super) fn reply(files: &Files, request: &Received) -> Reply {
    let route = request.route();
    let route = route.strip_prefix("/repos/octo/hello").unwrap_or(route);
    match route {
        "/commits/HEAD" => Reply::json(&json!({"sha": "c0ffee"})),
        "/tarball/c0ffee" => Reply::status(302, "Location: /archive/x.tar.gz\r\n", ""),
        "/archive/x.tar.gz" => {
            assert_eq!(request.header("authorization"), None);
            Reply::status(200, "", packed(files))
        }
        _ => match route.strip_prefix("/contents") {
            Some(path) => contents(files, request, path.trim_start_matches('/')),
            None => Reply::error(404, &json!({})),
        },
    }
}

pub(super) async fn server(files: Files) -> Server {
    Server::start(move |request, _| reply(&files, request)).await
}

/// Serves files without an archive.
pub(super) async fn without_archive(files: Files) -> Server {
    Server::start(move |request, _| {
        if request.path.contains("/tarball/") {
            Reply::error(404, &json!({}))
        } else {
            reply(&files, request)
        }
    })
    .await
}
