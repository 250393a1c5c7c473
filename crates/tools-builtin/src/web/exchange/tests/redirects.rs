//! Redirects.

use super::*;
use crate::web::testing::with_headers;

#[tokio::test]
async fn follows_five_redirects() {
    let server = RawServer::answering(|path| {
        let left: u32 = path.trim_start_matches('/').parse().unwrap();
        match left {
            0 => response("text/plain", "there"),
            left => redirect(&format!("{}", left - 1)),
        }
    })
    .await;

    let found = Trial::new().fetch(&server.url("/5")).await.unwrap();

    assert_eq!(found.final_url.as_str(), server.url("/0"));
    assert!(found.is_redirected);
    assert_eq!(found.body, b"there");
    assert_eq!(
        Trial::new().code(&server.url("/6")).await,
        "too_many_redirects"
    );
}

#[tokio::test]
async fn rejects_redirect_loops() {
    let server = RawServer::answering(|path| match path {
        "/a" => redirect("/b"),
        "/b" => redirect("/a"),
        _ => redirect("/self"),
    })
    .await;

    for path in ["/a", "/self"] {
        let error = Trial::new().error(&server.url(path)).await;

        assert_eq!(error.code().as_str(), "redirect_loop", "{path}");
        assert_eq!(error.message(), "`url` redirects in a loop.");
    }
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn redirect_targets_are_checked_by_guard() {
    let secret = RawServer::always(response("text/plain", "secret")).await;
    let port = secret.address.port();
    for (location, reason) in [
        (
            format!("http://[::1]:{port}/"),
            "refers to a loopback address",
        ),
        (
            format!("http://127.0.0.2:{port}/"),
            "refers to a loopback address",
        ),
        (format!("//0x7f.2:{port}/"), "refers to a loopback address"),
        (
            format!("\\\\127.0.0.2:{port}\\"),
            "refers to a loopback address",
        ),
        (
            "http://10.0.0.1/".to_owned(),
            "refers to an address of a private network",
        ),
        (
            "http://169.254.169.254/".to_owned(),
            "refers to a metadata service of a cloud",
        ),
        (
            "http://inside.example.org/".to_owned(),
            "has a host whose address is not public",
        ),
        (
            "http://localhost/".to_owned(),
            "has a host name with a suffix that does not exist on the public Internet",
        ),
        (
            "http://user:word@example.org/".to_owned(),
            "contains a user name or a password",
        ),
        (
            "http://example.org:25/".to_owned(),
            "has a port that belongs to another protocol",
        ),
        (
            "file:///etc/passwd".to_owned(),
            "does not start with http:// or https://",
        ),
        (
            "ftp://example.org/".to_owned(),
            "does not start with http:// or https://",
        ),
        (
            "data:text/plain,hello".to_owned(),
            "does not start with http:// or https://",
        ),
    ] {
        let names = Names::default().with("inside.example.org", &[&["10.0.0.1"]]);
        let answer = redirect(&location);
        let server = RawServer::always(answer).await;

        let error = Trial::new().names(names).error(&server.url("/")).await;

        assert_eq!(error.code().as_str(), "redirect_forbidden", "{location}");
        assert_eq!(
            error.message(),
            format!("`url` redirects to a URL that {reason}."),
            "{location}"
        );
    }
    assert_eq!(secret.requests(), Vec::<String>::new());
}

#[tokio::test]
async fn name_is_checked_again_after_redirect() {
    let server = RawServer::always(redirect("/again")).await;
    let names = Names::default().with("site.example.org", &[&["127.0.0.1"], &["10.0.0.1"]]);
    let url = format!("http://site.example.org:{}/", server.address.port());

    let code = Trial::new().names(names).code(&url).await;

    assert_eq!(code, "redirect_forbidden");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn rejects_invalid_redirect_targets() {
    for location in ["http://", "http://[::1", "http://a b/", "http://\u{ff0f}/"] {
        let server = RawServer::always(redirect(location)).await;

        assert_eq!(
            Trial::new().code(&server.url("/")).await,
            "invalid_redirect",
            "{location}"
        );
    }
    let mut bytes = redirect("/LOCATION");
    let at = bytes
        .windows(8)
        .position(|window| window == b"LOCATION")
        .unwrap();
    bytes[at] = 0xff;
    let server = RawServer::always(bytes).await;

    assert_eq!(
        Trial::new().code(&server.url("/")).await,
        "invalid_redirect"
    );
}

#[tokio::test]
async fn redirect_without_location_is_page() {
    for head in ["302 Found", "304 Not Modified", "300 Multiple Choices"] {
        let server =
            RawServer::always(format!("HTTP/1.1 {head}\r\nContent-Length: 0\r\n\r\n")).await;

        let found = Trial::new().fetch(&server.url("/")).await.unwrap();

        assert!(!found.is_redirected, "{head}");
        assert!(head.starts_with(found.status.as_str()));
    }
}

#[tokio::test]
async fn sends_no_cookies_credentials_or_referrer() {
    let server = RawServer::answering(|path| match path {
        "/a" => redirect("/b"),
        _ => with_headers("Set-Cookie: id=1; Path=/\r\n", "there"),
    })
    .await;
    let trial = Trial::new();

    trial.fetch(&server.url("/a")).await.unwrap();
    trial.fetch(&server.url("/b")).await.unwrap();

    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    for request in requests {
        let request = request.to_ascii_lowercase();
        for header in ["cookie", "authorization", "referer", "proxy"] {
            assert!(!request.contains(header), "{request}");
        }
        assert!(request.starts_with("get /"), "{request}");
        assert!(
            request.contains("\r\nuser-agent: mozilla/5.0 "),
            "{request}"
        );
    }
}

const UNDER_A_PROXY: &str = "web::exchange::tests::redirects::fetches_without_its_proxy";

#[tokio::test]
async fn proxy_variables_are_ignored() {
    let proxy = RawServer::always(response("text/plain", "from the proxy")).await;
    let address = proxy.url("");
    let run = move || {
        // Only a new process can have other variables: changing those of this one is unsafe.
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        child.args(["--ignored", "--exact", UNDER_A_PROXY]);
        for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
            child.env(name, &address);
        }
        child.env_remove("no_proxy").env_remove("NO_PROXY");
        child.output().unwrap()
    };

    let output = tokio::task::spawn_blocking(run).await.unwrap();

    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("1 passed"), "{text}");
    assert_eq!(proxy.requests(), [""; 0]);
}

#[tokio::test]
#[ignore = "another test starts it with variables of a proxy"]
async fn fetches_without_its_proxy() {
    let server = RawServer::always(response("text/plain", "direct")).await;

    assert_eq!(Trial::new().body(&server.url("/")).await, "direct");
}
