//! TLS connections.

use std::net::Ipv4Addr;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use super::*;

/// Starts a server for `names`, and returns its port and root certificate.
async fn secure_server(names: &[&str]) -> (u16, Vec<u8>) {
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
    let certificate = cert.der().to_vec();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(
        tokio_rustls::rustls::crypto::aws_lc_rs::default_provider(),
    ))
    .with_safe_default_protocol_versions()
    .unwrap()
    .with_no_client_auth()
    .with_single_cert(vec![cert.der().clone()], key)
    .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let mut stream = acceptor.accept(stream).await?;
                let mut request = [0; 4096];
                assert!(stream.read(&mut request).await? > 0);
                stream.write_all(&response("text/plain", "hello")).await?;
                stream.shutdown().await
            });
        }
    });
    (port, certificate)
}

fn trust(trial: &mut Trial, certificate: &[u8]) {
    let root = reqwest::Certificate::from_der(certificate).unwrap();
    trial.settings.roots.push(root);
}

fn names() -> Names {
    let here: &[&[&str]] = &[&["127.0.0.1"]];
    Names::default()
        .with("site.example.org", here)
        .with("other.example.org", here)
}

#[tokio::test]
async fn rejects_untrusted_certificate() {
    let (port, _) = secure_server(&["site.example.org"]).await;

    let error = Trial::new()
        .names(names())
        .error(&format!("https://site.example.org:{port}/"))
        .await;

    assert_eq!(error.code().as_str(), "tls_error");
    assert_eq!(
        error.message(),
        "`url` refers to a server whose certificate is not trusted."
    );
    assert!(!error.retryable());
}

#[tokio::test]
async fn trusted_certificate_is_valid_only_for_own_name() {
    let (port, certificate) = secure_server(&["site.example.org"]).await;
    let mut trial = Trial::new().names(names());
    trust(&mut trial, &certificate);

    let body = trial
        .body(&format!("https://site.example.org:{port}/"))
        .await;
    let error = trial
        .error(&format!("https://other.example.org:{port}/"))
        .await;

    assert_eq!(body, "hello");
    assert_eq!(error.code().as_str(), "tls_error");
    assert_eq!(
        error.message(),
        "`url` refers to a server whose certificate is for another name."
    );
}

#[tokio::test]
async fn server_without_tls_fails() {
    let server = RawServer::always("HTTP/1.1 400 Bad Request\r\n\r\n").await;

    let error = Trial::new()
        .error(&server.url("/").replace("http:", "https:"))
        .await;

    assert_eq!(error.code().as_str(), "tls_error");
    assert_eq!(
        error.message(),
        "`url` refers to a server with which no encrypted connection could be established."
    );
}

#[tokio::test]
async fn hanging_handshake_times_out() {
    let server = RawServer::start(|_, stream| async move {
        tokio::time::sleep(LATE).await;
        drop(stream);
        Ok(())
    })
    .await;
    let mut trial = Trial::new();
    trial.settings.connect_timeout = SOON;

    let error = trial
        .error(&server.url("/").replace("http:", "https:"))
        .await;

    assert_eq!(error.code().as_str(), "connect_timeout");
    assert!(error.retryable());
}

#[tokio::test]
async fn redirect_from_https_is_checked() {
    let (port, certificate) = secure_server(&["site.example.org"]).await;
    let mut trial = Trial::new().names(names());
    trust(&mut trial, &certificate);
    let location = format!("https://site.example.org:{port}/");
    let server = RawServer::always(redirect(&location)).await;

    let found = trial.fetch(&server.url("/")).await.unwrap();

    assert_eq!(found.final_url.as_str(), location);
    assert!(found.is_redirected);
}
