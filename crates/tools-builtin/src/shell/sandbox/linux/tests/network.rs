//! Sockets of every kind.

use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};

use super::*;

/// Perl with its sockets.
fn perl(code: &str) -> String {
    format!("perl -MSocket -e '{code}'")
}

#[tokio::test]
async fn a_shell_cannot_connect() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();

    refused(&format!("exec 3<>/dev/tcp/127.0.0.1/{port}")).await;
}

#[tokio::test]
async fn a_shell_cannot_send_datagrams() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();

    refused(&format!("echo hi > /dev/udp/127.0.0.1/{port}")).await;
}

#[tokio::test]
async fn curl_cannot_fetch() {
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

    refused(&format!("curl -sf --noproxy '*' http://127.0.0.1:{port}/")).await;
}

#[tokio::test]
async fn nobody_can_listen() {
    let code = "socket(S, PF_INET, SOCK_STREAM, 0) && bind(S, sockaddr_in(0, INADDR_LOOPBACK)) && listen(S, 1) or exit 1";
    refused(&perl(code)).await;
}

#[tokio::test]
async fn names_are_not_resolved_over_the_network() {
    // What getaddrinfo does first.
    refused(&perl("socket(S, PF_INET, SOCK_DGRAM, 17) or exit 1")).await;
    refused(&perl("socket(S, PF_INET6, SOCK_DGRAM, 17) or exit 1")).await;
}

#[tokio::test]
async fn nobody_can_ping_or_listen_to_the_wire() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    refused(&perl("socket(S, PF_INET, SOCK_RAW, 1) or exit 1")).await;
    refused(&perl("socket(S, 17, SOCK_RAW, 0) or exit 1")).await;
}

#[tokio::test]
async fn the_kernel_is_not_talked_to_either() {
    refused(&perl("socket(S, 16, SOCK_RAW, 0) or exit 1")).await;
}

#[tokio::test]
async fn a_service_on_the_host_is_out_of_reach() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("service");
    let _listener = UnixListener::bind(&path).unwrap();

    let code = format!(
        "socket(S, PF_UNIX, SOCK_STREAM, 0) && connect(S, sockaddr_un(q({}))) or exit 1",
        path.display()
    );
    refused(&perl(&code)).await;
}

#[tokio::test]
async fn a_service_without_a_file_is_out_of_reach() {
    let name = format!("toolwright-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(&name).unwrap();
    let _listener = UnixListener::bind_addr(&address).unwrap();

    let code = format!(
        "socket(S, PF_UNIX, SOCK_STREAM, 0) && connect(S, pack(q(Sa*), 1, qq(\\0{name}))) or exit 1"
    );
    refused(&perl(&code)).await;
}

#[tokio::test]
async fn a_datagram_reaches_no_service() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let _service = UnixDatagram::bind(&path).unwrap();

    let code = format!(
        "socket(S, PF_UNIX, SOCK_DGRAM, 0) && send(S, q(hi), 0, sockaddr_un(q({}))) or exit 1",
        path.display()
    );
    refused(&perl(&code)).await;
    let code = format!(
        "socketpair(S, T, PF_UNIX, SOCK_DGRAM, 0) && send(S, q(hi), 0, sockaddr_un(q({}))) or exit 1",
        path.display()
    );
    refused(&perl(&code)).await;
}

#[tokio::test]
async fn processes_of_a_call_may_talk_through_a_pair_of_sockets() {
    let code = "socketpair(S, T, PF_UNIX, SOCK_STREAM, 0) or exit 1; syswrite S, q(hi); sysread T, $b, 2; print $b";
    assert_eq!(allowed(&perl(code)).await, "hi");
}

#[tokio::test]
async fn the_host_may_allow_the_network() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let scratch = place();
    let engine = engine(&scratch).with_sandbox(Sandbox::standard().allow_network());

    let script = format!("exec 3<>/dev/tcp/127.0.0.1/{port}");
    let output = run(&engine, &script).await.unwrap();
    let elsewhere = run(&engine, "echo evil > ../outside/b.txt").await.unwrap();

    assert_eq!(output.exit_code, Some(0), "{output:?}");
    assert_ne!(elsewhere.exit_code, Some(0));
}

#[tokio::test]
async fn the_host_may_allow_local_services_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("service");
    let _listener = UnixListener::bind(&path).unwrap();
    let scratch = place();
    let engine = engine(&scratch).with_sandbox(Sandbox::standard().allow_local_services());

    let code = format!(
        "socket(S, PF_UNIX, SOCK_STREAM, 0) && connect(S, sockaddr_un(q({}))) or exit 1",
        path.display()
    );
    let local = run(&engine, &perl(&code)).await.unwrap();
    let remote = run(
        &engine,
        &perl("socket(S, PF_INET, SOCK_STREAM, 0) or exit 1"),
    )
    .await
    .unwrap();

    assert_eq!((local.exit_code, remote.exit_code), (Some(0), Some(1)));
}
