//! Server with the files of a repository.

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
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
        _ => Reply::error(404, &json!({})),
    }
}

pub(super) async fn server(files: Files) -> Server {
    Server::start(move |request, _| reply(&files, request)).await
}
