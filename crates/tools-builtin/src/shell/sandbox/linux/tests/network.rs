//! Network and Unix sockets, without and with a separate network.

use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::time::{Duration, Instant};

use super::*;
use crate::shell::BackgroundCommands;
use crate::shell::sandbox::Confinement;
use crate::shell::sandbox::linux::State;
use crate::shell::sandbox::linux::loopback;
use crate::shell::sandbox::linux::state::Kernel;

/// Returns a tool on a system that gives programs no separate network.
fn without_loopback(scratch: &Scratch) -> Bash {
    let workspace = Workspace::open(scratch.path().join("root")).unwrap();
    let state = State::on(Kernel::of_host().without_loopback());
    let mut tool = tool(scratch);
    let confinement = Confinement::with_state(workspace, Sandbox::standard(), state);
    tool.launcher.confinement = Some(confinement);
    tool
}

/// Asserts that `script` succeeds unconfined and opens no socket confined.
async fn assert_no_socket(script: &str) {
    let free = run(&tool(&fixture()), script).await.unwrap();
    assert_eq!(free.exit_code, Some(0), "unconfined: {script}: {free:?}");

    let output = run(&without_loopback(&fixture()), script).await.unwrap();
    assert_ne!(output.exit_code, Some(0), "confined: {script}: {output:?}");
    assert!(
        output.stderr.contains("not permitted") || output.stderr.is_empty(),
        "{output:?}"
    );
}

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
    socket.set_nonblocking(true).unwrap();
    let port = socket.local_addr().unwrap().port();
    let script = format!("echo hi > /dev/udp/127.0.0.1/{port}");

    assert_no_socket(&script).await;
    assert_eq!(socket.recv(&mut [0; 8]).unwrap(), 3);
    // With a separate network, the program can send, but nothing arrives.
    run(&confined(&fixture()), &script).await.unwrap();
    assert!(socket.recv(&mut [0; 8]).is_err());
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
    assert_no_socket(&perl(code)).await;
}

#[tokio::test]
async fn rejects_dns_queries() {
    // The first step of `getaddrinfo`.
    assert_no_socket(&perl("socket(S, PF_INET, SOCK_DGRAM, 17) or exit 1")).await;
    assert_no_socket(&perl("socket(S, PF_INET6, SOCK_DGRAM, 17) or exit 1")).await;
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
    assert_no_socket(&perl("socket(S, 16, SOCK_RAW, 0) or exit 1")).await;
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

/// A server and its client.
const SERVER: &str = "socket(S, PF_INET, SOCK_STREAM, 0) && setsockopt(S, SOL_SOCKET, SO_REUSEADDR, 1) \
    && bind(S, sockaddr_in(PORT, INADDR_LOOPBACK)) && listen(S, 1) or die $!; \
    if (!fork) { socket(C, PF_INET, SOCK_STREAM, 0); connect(C, getsockname(S)) or die $!; syswrite C, q(hi); exit } \
    accept(T, S); sysread T, $b, 2; print $b";

#[tokio::test]
async fn programs_reach_their_own_servers() {
    if !loopback::is_available() {
        return;
    }
    let scratch = fixture();
    let confined = confined(&scratch);
    let server = perl(&SERVER.replace("PORT", "0"));
    assert_eq!(assert_allowed(&server).await, "hi");
    let ipv6 = SERVER.replace("PORT", "0").replace("PF_INET,", "PF_INET6,");
    let ipv6 = ipv6.replace(
        "sockaddr_in(0, INADDR_LOOPBACK)",
        "sockaddr_in6(0, Socket::IN6ADDR_LOOPBACK)",
    );
    assert_eq!(assert_allowed(&perl(&ipv6)).await, "hi");

    // Each call has a separate network, so that calls at the same time can use one port.
    let waiting = format!("{}; sleep 1", perl(&SERVER.replace("PORT", "8080")));
    let (first, second) = tokio::join!(run(&confined, &waiting), run(&confined, &waiting));
    for output in [first.unwrap(), second.unwrap()] {
        assert_eq!(output.stdout, "hi", "{output:?}");
    }
}

#[tokio::test]
async fn own_network_leads_nowhere() {
    if !loopback::is_available() {
        return;
    }
    let listener = TcpListener::bind("0.0.0.0:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let confined = confined(&fixture());
    for script in [
        format!("exec 3<>/dev/tcp/127.0.0.1/{port}"),
        format!("exec 3<>/dev/tcp/192.0.2.1/{port}"),
        // Enabling, adding and routing need a capability; `AF_PACKET` and raw sockets do too.
        perl(
            "socket(S, PF_INET, SOCK_DGRAM, 0) or exit; exit !ioctl(S, 0x8914, pack(q(a16S), q(lo), 0))",
        ),
        perl("socket(S, PF_INET, SOCK_RAW, 1) or exit 1"),
        perl("socket(S, 17, SOCK_RAW, 0) or exit 1"),
        "unshare --net true".to_owned(),
        "nsenter --net=/proc/1/ns/net true".to_owned(),
    ] {
        let output = run(&confined, &script).await.unwrap();

        assert_ne!(output.exit_code, Some(0), "{script}: {output:?}");
    }
    assert!(listener.accept().is_err());
}

#[tokio::test]
async fn refused_connection_names_the_grant() {
    if !loopback::is_available() {
        return;
    }
    let scratch = fixture();

    let report = report(&confined(&scratch), "exec 3<>/dev/tcp/127.0.0.1/5432").await;

    let warnings = serde_json::to_string(&report.warnings).unwrap();
    assert!(
        warnings.contains("only servers that it has started itself"),
        "{warnings}"
    );
}

#[tokio::test]
async fn background_commands_open_no_sockets() {
    let scratch = fixture();
    let commands = BackgroundCommands::default();
    let tool = confined(&scratch).with_background(commands);
    let script = perl("socket(S, PF_INET, SOCK_STREAM, 0) and exit; open F, q(>refused)");
    let input = json!({"command": script, "background": true});

    let cx = ToolContext::test();
    let started = tool.run(&cx, serde_json::from_value(input).unwrap());
    started.await.unwrap();

    let until = Instant::now() + Duration::from_secs(20);
    while !scratch.has("root/refused") {
        assert!(Instant::now() < until, "the socket was opened");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
