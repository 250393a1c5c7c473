//! Services that commands must not reach: TCP, UDP, Unix sockets and a named pipe.

use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::place::Place;

/// Ports for TCP and UDP. Only the last one is available without a network namespace.
const PORTS: [u16; 6] = [22, 53, 80, 443, 2375, 4280];
/// Sockets of services with the rights of the user or of root.
const STREAMS: [&str; 8] = [
    "/run/docker.sock",
    "/run/containerd/containerd.sock",
    "/run/podman/podman.sock",
    "/run/dbus/system_bus_socket",
    "/run/user/0/bus",
    "/run/ssh-agent.sock",
    "/tmp/.X11-unix/X0",
    "/tmp/ssh-proof/agent.1",
];
const DATAGRAMS: [&str; 3] = [
    "/dev/log",
    "/run/systemd/notify",
    "/run/systemd/journal/socket",
];
const ABSTRACT: [&str; 3] = ["proof", "/tmp/.X11-unix/X0", "/tmp/dbus-proof"];
const PIPE: &str = "/run/initctl";

/// Number of connections, datagrams and bytes that services received.
#[derive(Debug, Clone, Default)]
pub(crate) struct Services(Arc<AtomicUsize>);

impl Services {
    /// Starts the services, in a disposable root also those with fixed paths, and those with ports if
    /// `has_ports` is set.
    pub(crate) fn start(place: &Place, has_ports: bool) -> Self {
        let Place {
            home,
            workspace,
            is_disposable,
            ..
        } = place;
        let is_disposable = *is_disposable;
        let services = Self::default();
        let ports = match (has_ports, is_disposable) {
            (false, _) => &[],
            (true, true) => &PORTS[..],
            (true, false) => &PORTS[5..],
        };
        for port in ports {
            services.port(*port);
        }
        let near = [
            home.join(".gnupg/S.gpg-agent"),
            workspace.join("server.sock"),
        ];
        let fixed = STREAMS.map(PathBuf::from);
        for path in near.iter().chain(fixed.iter().filter(|_| is_disposable)) {
            services.stream(path);
        }
        for name in ABSTRACT {
            services.abstract_stream(name);
        }
        if is_disposable {
            for path in DATAGRAMS {
                services.datagram(Path::new(path));
            }
            services.pipe();
        }
        services
    }

    /// Returns the number of contacts so far.
    pub(crate) fn contacts(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    fn port(&self, port: u16) {
        for address in ["0.0.0.0", "::1"] {
            if let Ok(listener) = TcpListener::bind((address, port)) {
                self.count(move || listener.accept().is_ok());
            }
            if let Ok(socket) = UdpSocket::bind((address, port)) {
                self.count(move || socket.recv(&mut [0; 64]).is_ok());
            }
        }
    }

    fn stream(&self, path: &Path) {
        prepare(path);
        let listener = UnixListener::bind(path).unwrap();
        self.count(move || listener.accept().is_ok());
    }

    fn abstract_stream(&self, name: &str) {
        let address = SocketAddr::from_abstract_name(name).unwrap();
        if let Ok(listener) = UnixListener::bind_addr(&address) {
            self.count(move || listener.accept().is_ok());
        }
    }

    fn datagram(&self, path: &Path) {
        prepare(path);
        let socket = UnixDatagram::bind(path).unwrap();
        self.count(move || socket.recv(&mut [0; 64]).is_ok());
    }

    /// Starts the reader of a named pipe. It is also a writer, so that reads wait for others.
    fn pipe(&self) {
        prepare(Path::new(PIPE));
        let made = Command::new("mkfifo").arg(PIPE).status().unwrap();
        assert!(made.success());
        let mut reader: File = OpenOptions::new()
            .read(true)
            .write(true)
            .mode(0o600)
            .open(PIPE)
            .unwrap();
        self.count(move || reader.read(&mut [0; 64]).is_ok_and(|bytes| bytes > 0));
    }

    fn count(&self, mut next: impl FnMut() -> bool + Send + 'static) {
        let count = self.0.clone();
        thread::spawn(move || {
            while next() {
                count.fetch_add(1, Ordering::SeqCst);
            }
        });
    }
}

fn prepare(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let _ = fs::remove_file(path);
}
