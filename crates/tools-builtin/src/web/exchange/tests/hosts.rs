//! Names, addresses and connections.

use std::net::Ipv4Addr;

use tokio::net::TcpListener;

use super::*;

/// Returns a guard that allows names with loopback addresses.
fn named() -> AddressGuard {
    local_guard()
}

#[tokio::test]
async fn name_connects_to_checked_address() {
    let server = RawServer::always(response("text/plain", "hello")).await;
    let names = Names::default().with("site.example.org", &[&["127.0.0.1"]]);
    let url = format!("http://site.example.org:{}/", server.address.port());

    let body = Trial::new().guard(named()).names(names).body(&url).await;

    assert_eq!(body, "hello");
    assert!(server.requests()[0].contains("\r\nhost: site.example.org:"));
}

#[tokio::test]
async fn name_with_private_address_is_rejected_before_request() {
    let server = RawServer::always(response("text/plain", "hello")).await;
    let port = server.address.port();
    for answers in [
        &["10.1.2.3"][..],
        &["127.0.0.1", "10.1.2.3"],
        &["10.1.2.3", "127.0.0.1"],
        &["127.0.0.1", "::ffff:192.168.0.1"],
        &["127.0.0.1", "fd00::1"],
        &["127.0.0.1", "64:ff9b::a00:1"],
        &["127.0.0.1", "169.254.169.254"],
        &["127.0.0.1", "0.0.0.0"],
    ] {
        let names = Names::default().with("site.example.org", &[answers]);
        let url = format!("http://site.example.org:{port}/");

        let error = Trial::new().names(names).error(&url).await;

        assert_eq!(error.code().as_str(), "url_forbidden", "{answers:?}");
        assert_eq!(
            error.message(),
            "`url` has a host whose address is not public.",
            "{answers:?}"
        );
    }
    assert_eq!(server.requests(), Vec::<String>::new());
}

#[tokio::test]
async fn address_in_url_is_checked_without_lookup() {
    let server = RawServer::always(response("text/plain", "hello")).await;
    let port = server.address.port();
    let trial = Trial::new().guard(AddressGuard::new());
    for host in [
        "127.0.0.1",
        "127.1",
        "0x7f.1",
        "2130706433",
        "[::ffff:127.0.0.1]",
    ] {
        let code = trial.code(&format!("http://{host}:{port}/")).await;

        assert_eq!(code, "url_forbidden", "{host}");
    }
    assert_eq!(server.requests(), Vec::<String>::new());
}

#[tokio::test]
async fn unknown_name_error_reveals_no_network_details() {
    let trial = Trial::new();
    for host in ["nowhere.example.org", "broken.example.org"] {
        let error = trial.error(&format!("http://{host}/")).await;

        assert_eq!(error.code().as_str(), "host_not_found");
        assert!(!error.to_string().contains("10.9"), "{error}");
    }
}

#[tokio::test]
async fn reports_refused_connection() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);

    let error = Trial::new().error(&format!("http://{address}/")).await;

    assert_eq!(error.code().as_str(), "connection_refused");
    assert!(error.retryable());
    assert!(!error.to_string().contains("127.0.0.1"), "{error}");
}

#[tokio::test]
async fn reports_server_without_http() {
    for greeting in [
        "SSH-2.0-OpenSSH_9.2\r\n",
        "",
        "220 mail ready\r\n",
        "\0\0\0\0",
        "HTTP/1.1 abc\r\n\r\n",
    ] {
        let server = RawServer::always(greeting).await;

        let code = Trial::new().code(&server.url("/")).await;

        assert_eq!(code, "invalid_response", "{greeting:?}");
    }
}

#[tokio::test]
async fn silent_server_fails_at_deadline() {
    let server = RawServer::start(|_, stream| async move {
        tokio::time::sleep(LATE).await;
        drop(stream);
        Ok(())
    })
    .await;

    let error = Trial::new().within(SOON).error(&server.url("/")).await;

    assert_eq!(error.code().as_str(), "timeout");
    assert_eq!(error.message(), "`url` was not fetched within 0.2 seconds.");
}

#[tokio::test]
async fn slow_headers_fail_at_deadline() {
    let server = RawServer::dripping("HTTP/1.1 200 OK\r\n", "X-A: b\r\n").await;

    assert_eq!(
        Trial::new().within(SOON).code(&server.url("/")).await,
        "timeout"
    );
}

#[tokio::test]
async fn rejects_too_many_headers() {
    for count in [70, 600] {
        let header = format!("X-Long: {}\r\n", "a".repeat(1000));
        let headers = header.repeat(count);
        let server = RawServer::always(crate::web::testing::with_headers(&headers, "hello")).await;

        let code = Trial::new().code(&server.url("/")).await;

        assert_eq!(code, "response_headers_too_large", "{count}");
    }
}

#[tokio::test]
async fn accepts_many_short_headers() {
    let headers = "X-Short: a\r\n".repeat(3000);
    let server = RawServer::always(crate::web::testing::with_headers(&headers, "hello")).await;

    assert_eq!(Trial::new().body(&server.url("/")).await, "hello");
}

#[tokio::test]
async fn ignores_empty_content_type() {
    for value in ["", " ", "\t"] {
        let server = RawServer::always(response(value, "hello")).await;

        let fetched = Trial::new().fetch(&server.url("/")).await.unwrap();

        assert_eq!(fetched.content_type, None, "{value:?}");
    }
}
