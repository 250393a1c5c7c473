//! How many calls per second do two servers behind nginx accept, and within what time do 99 % of them end?
//!
//! The servers and the callers share one process and its CPUs.
//!
//! cargo bench -p tool-mcp --features http-client,http-server --bench proxy
//!
//! Requires the program `nginx`.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints and may fail"
)]

mod shared;

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use self::shared::load::{load, serve_registry};
use self::shared::median;

/// Number of rounds.
const ROUNDS: usize = 5;

/// Duration of a round.
const ROUND: Duration = Duration::from_secs(2);

/// Time for the start of nginx.
const START: Duration = Duration::from_secs(10);

/// Running nginx, which is stopped on drop.
struct Nginx(Child);

impl Nginx {
    fn start(directory: &Path, replicas: [SocketAddr; 2]) -> (Self, SocketAddr) {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap();
        drop(free);
        let config = directory.join("nginx.conf");
        std::fs::write(&config, configuration(directory, replicas, address)).unwrap();
        let program = Command::new("nginx")
            .arg("-p")
            .arg(directory)
            .arg("-c")
            .arg(&config)
            .spawn();
        let nginx = Self(program.unwrap());
        let started = Instant::now();
        while TcpStream::connect(address).is_err() {
            assert!(started.elapsed() < START, "nginx does not start");
            std::thread::sleep(Duration::from_millis(20));
        }
        (nginx, address)
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // The main process stops its workers after a signal, which the standard library cannot send.
        let stopped = Command::new("kill").arg(self.0.id().to_string()).status();
        if stopped.is_ok_and(|status| status.success()) {
            let _ = self.0.wait();
        }
    }
}

fn configuration(
    directory: &Path,
    [first, second]: [SocketAddr; 2],
    address: SocketAddr,
) -> String {
    let directory = directory.display();
    format!(
        "daemon off;
pid {directory}/pid;
error_log stderr warn;
worker_processes 1;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {directory}/body;
    proxy_temp_path {directory}/proxy;
    fastcgi_temp_path {directory}/fastcgi;
    uwsgi_temp_path {directory}/uwsgi;
    scgi_temp_path {directory}/scgi;
    keepalive_requests 1000000;
    upstream replicas {{
        server {first};
        server {second};
        keepalive 64;
        keepalive_requests 1000000;
    }}
    server {{
        listen {address};
        location / {{
            proxy_pass http://replicas;
            proxy_http_version 1.1;
            proxy_set_header Connection \"\";
            proxy_set_header Host localhost;
        }}
    }}
}}
"
    )
}

fn main() {
    let directory = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let replicas = runtime.block_on(async { [serve_registry().await, serve_registry().await] });
    let (_nginx, proxy) = Nginx::start(directory.path(), replicas);
    let (mut rates, mut slowest) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let load = runtime.block_on(load(proxy, ROUND));
        rates.push(load.rate);
        slowest.push(load.p99);
    }
    println!(
        "two servers behind nginx: {:.0} calls/s, 99 % within {:.1} ms",
        median(&mut rates),
        median(&mut slowest)
    );
}
