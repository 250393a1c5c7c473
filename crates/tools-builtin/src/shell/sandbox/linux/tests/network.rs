//! Network and Unix sockets.

use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};

use super::*;

/// Returns a command line that runs Perl code with sockets.
fn perl(code: &str) -> String {
    format!("perl -MSocket -e '{code}'")
}

#[tokio::test]
async fn rejects_tcp_connections() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();

    assert_rejected(&format!("exec 3<>/dev/tcp/127.0.0.1/{port}")).await;
}

#[tokio::test]
async fn rejects_udp_datagrams() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();

    assert_rejected(&format!("echo hi > /dev/udp/127.0.0.1/{port}")).await;
}

#[tokio::test]
async fn rejects_http_requests() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        use std::io::{Read, Write};

        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            let _ = connection.read(&mut [0; 1024]);
            let _ = connection.write_all(b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi");
        }
    });

    assert_rejected(&format!("curl -sf --noproxy '*' http://127.0.0.1:{port}/")).await;
}

#[tokio::test]
async fn rejects_listening() {
    let code = "socket(S, PF_INET, SOCK_STREAM, 0) && bind(S, sockaddr_in(0, INADDR_LOOPBACK)) && listen(S, 1) or exit 1";
    assert_rejected(&perl(code)).await;
}

#[tokio::test]
async fn rejects_dns_queries() {
    // The first step of `getaddrinfo`.
    assert_rejected(&perl("socket(S, PF_INET, SOCK_DGRAM, 17) or exit 1")).await;
    assert_rejected(&perl("socket(S, PF_INET6, SOCK_DGRAM, 17) or exit 1")).await;
}

#[tokio::test]
async fn rejects_raw_and_packet_sockets() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    assert_rejected(&perl("socket(S, PF_INET, SOCK_RAW, 1) or exit 1")).await;
    assert_rejected(&perl("socket(S, 17, SOCK_RAW, 0) or exit 1")).await;
}

#[tokio::test]
async fn rejects_netlink_sockets() {
    assert_rejected(&perl("socket(S, 16, SOCK_RAW, 0) or exit 1")).await;
}

#[tokio::test]
async fn rejects_unix_socket_connections() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("service");
    let _listener = UnixListener::bind(&path).unwrap();

    let code = format!(
        "socket(S, PF_UNIX, SOCK_STREAM, 0) && connect(S, sockaddr_un(q({}))) or exit 1",
        path.display()
    );
    assert_rejected(&perl(&code)).await;
}

#[tokio::test]
async fn rejects_abstract_socket_connections() {
    let name = format!("toolwright-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let _listener = UnixListener::bind_addr(&address).unwrap();

    let code = format!(
        "socket(S, PF_UNIX, SOCK_STREAM, 0) && connect(S, pack(q(Sa*), 1, qq(\\0{name}))) or exit 1"
    );
    assert_rejected(&perl(&code)).await;
}

#[tokio::test]
async fn rejects_unix_datagrams() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let _service = UnixDatagram::bind(&path).unwrap();

    let code = format!(
        "socket(S, PF_UNIX, SOCK_DGRAM, 0) && send(S, q(hi), 0, sockaddr_un(q({}))) or exit 1",
        path.display()
    );
    assert_rejected(&perl(&code)).await;
    let code = format!(
        "socketpair(S, T, PF_UNIX, SOCK_DGRAM, 0) && send(S, q(hi), 0, sockaddr_un(q({}))) or exit 1",
        path.display()
    );
    assert_rejected(&perl(&code)).await;
}

#[tokio::test]
async fn allows_stream_socket_pairs() {
    let code = "socketpair(S, T, PF_UNIX, SOCK_STREAM, 0) or exit 1; syswrite S, q(hi); sysread T, $b, 2; print $b";
    assert_eq!(assert_allowed(&perl(code)).await, "hi");
}

#[tokio::test]
async fn host_allows_network() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let scratch = fixture();
    let tool = tool(&scratch).with_sandbox(Sandbox::standard().allow_network());

    let script = format!("exec 3<>/dev/tcp/127.0.0.1/{port}");
    let output = run(&tool, &script).await.unwrap();
    let unsupported = run(&tool, "echo evil > ../outside/b.txt").await.unwrap();

    assert_eq!(output.exit_code, Some(0), "{output:?}");
    assert_ne!(unsupported.exit_code, Some(0));
}

#[tokio::test]
async fn host_allows_only_local_services() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("service");
    let _listener = UnixListener::bind(&path).unwrap();
    let scratch = fixture();
    let tool = tool(&scratch).with_sandbox(Sandbox::standard().allow_local_services());

    let code = format!(
        "socket(S, PF_UNIX, SOCK_STREAM, 0) && connect(S, sockaddr_un(q({}))) or exit 1",
        path.display()
    );
    let local = run(&tool, &perl(&code)).await.unwrap();
    let remote = run(&tool, &perl("socket(S, PF_INET, SOCK_STREAM, 0) or exit 1"))
        .await
        .unwrap();

    assert_eq!((local.exit_code, remote.exit_code), (Some(0), Some(1)));
}

#[tokio::test]
async fn network_access_opens_no_other_sockets() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("service");
    let _listener = UnixListener::bind(&path).unwrap();
    let scratch = fixture();
    let tool = tool(&scratch).with_sandbox(Sandbox::standard().allow_network());
    let unix = format!(
        "socket(S, PF_UNIX, SOCK_STREAM, 0) && connect(S, sockaddr_un(q({}))) or exit 1",
        path.display()
    );
    for (code, expected) in [
        (unix.as_str(), 1),
        // Netlink for addresses, and for events of devices; sockets of a virtual machine's host.
        ("socket(S, 16, SOCK_RAW, 0) or exit 1", 0),
        ("socket(S, 16, SOCK_RAW, 15) or exit 1", 1),
        ("socket(S, 40, SOCK_STREAM, 0) or exit 1", 1),
        ("socket(S, PF_INET6, SOCK_STREAM, 0) or exit 1", 0),
        ("socketpair(S, T, PF_UNIX, SOCK_STREAM, 0) or exit 1", 0),
    ] {
        let output = run(&tool, &perl(code)).await.unwrap();

        assert_eq!(output.exit_code, Some(expected), "{code}: {output:?}");
    }
}
