//! Connections that cannot be established, for every operation.

use tool_core::ToolContext;
use tools_builtin::repository::{RepositoryQuery, RepositorySource as _};

use super::*;
use crate::github::{GitHubConnection, GitHubSource};

/// Calls every operation of the registry and of a repository, whose services are at `url`.
async fn check_unreachable(url: &str, expires_at: &str, expected: &str) {
    let (_scratch, registry) = registry(url, expires_at).await;
    for (tool, arguments) in CALLS {
        let result = registry.execute(tool, arguments).await;

        let code = result.error.as_ref().map(|error| error.code.as_str());
        assert_eq!(code, Some(expected), "{tool} at {url}: {result}");
        // Nothing was sent.
        let outcome = result.metadata.extra.get("outcome").and_then(Value::as_str);
        let is_writer = matches!(tool, "gmail_send" | "calendar_create_event");
        assert_eq!(outcome, is_writer.then_some("not_done"), "{tool}: {result}");
    }
    let connection = GitHubConnection::new("octo", "hello").with_base_url(url);
    let source = GitHubSource::quick(connection);
    let cx = ToolContext::test();
    let errors = [
        source.list_folder(&cx, ".", 10).await.err(),
        source.list_files(&cx, ".", 10).await.err(),
        source.read_file(&cx, "a", 10).await.err(),
        source.search(&cx, &RepositoryQuery::new("a")).await.err(),
    ];
    for error in errors {
        assert_eq!(error.unwrap().code().as_str(), expected, "{url}");
    }
}

#[tokio::test]
async fn refused_connection_is_unavailable() {
    // Nothing can listen at port 0.
    for expires_at in [VALID, EXPIRED] {
        check_unreachable("http://127.0.0.1:0", expires_at, "unavailable").await;
    }
}

#[tokio::test]
async fn unknown_host_is_unavailable() {
    let expected = if cfg!(feature = "tls-aws-lc") {
        "unavailable"
    } else {
        "tls_unavailable"
    };
    // The resolver rejects labels of more than 63 characters without a request.
    let url = format!("https://{}.invalid", "a".repeat(64));
    for expires_at in [VALID, EXPIRED] {
        check_unreachable(&url, expires_at, expected).await;
    }
}

#[cfg(feature = "tls-aws-lc")]
#[tokio::test]
async fn bad_certificate_is_unavailable() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use rcgen::{CertifiedKey, generate_simple_self_signed};
    use tokio::net::TcpListener;
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::crypto::aws_lc_rs::default_provider;
    use tokio_rustls::rustls::pki_types::PrivateKeyDer;

    // The name is right, but no known authority has signed the certificate.
    let names = vec!["127.0.0.1".to_owned()];
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
    let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    let (refused, accepted) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counts = (Arc::clone(&refused), Arc::clone(&accepted));
    let server = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            match acceptor.accept(stream).await {
                Ok(_) => counts.1.fetch_add(1, Ordering::Relaxed),
                Err(_) => counts.0.fetch_add(1, Ordering::Relaxed),
            };
        }
    });

    for expires_at in [VALID, EXPIRED] {
        check_unreachable(&url, expires_at, "unavailable").await;
    }

    server.abort();
    assert!(refused.load(Ordering::Relaxed) > 0);
    assert_eq!(accepted.load(Ordering::Relaxed), 0);
}
