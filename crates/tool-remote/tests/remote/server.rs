//! NATS servers on loopback.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::time::sleep;
use tool_remote::NatsOptions;

/// Returns the program of the server: `NATS_SERVER`, or `nats-server` in `PATH`. Prints a message if there is none.
fn program() -> Option<PathBuf> {
    if let Some(program) = std::env::var_os("NATS_SERVER") {
        return Some(program.into());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut programs = std::env::split_paths(&path).map(|directory| directory.join("nats-server"));
    let program = programs.find(|program| program.is_file());
    if program.is_none() {
        eprintln!("skipped: set NATS_SERVER to nats-server 2.11 or later");
    }
    program
}

/// A server with an empty directory, terminated on drop.
pub(crate) struct Server {
    process: Child,
    directory: TempDir,
    program: PathBuf,
    port: u16,
}

impl Server {
    /// Starts a server; `None` if the program is not installed.
    pub(crate) async fn start() -> Option<Self> {
        Self::configured("").await
    }

    /// Starts a server with further lines of configuration. `{directory}` stands for its directory.
    pub(crate) async fn configured(configuration: &str) -> Option<Self> {
        let program = program()?;
        let directory = tempfile::tempdir().unwrap();
        Some(Self::start_in(program, directory, configuration).await)
    }

    /// Starts a server whose directory contains the files that the configuration names.
    pub(crate) async fn with_files(files: &[(&str, &str)], configuration: &str) -> Option<Self> {
        let program = program()?;
        let directory = tempfile::tempdir().unwrap();
        for (name, content) in files {
            std::fs::write(directory.path().join(name), content).unwrap();
        }
        Some(Self::start_in(program, directory, configuration).await)
    }

    async fn start_in(program: PathBuf, directory: TempDir, configuration: &str) -> Self {
        let path = directory.path();
        configure(path, configuration);
        let process = spawn(&program, path, -1);
        let port = port_of(path).await;
        let server = Self {
            process,
            directory,
            program,
            port,
        };
        server.wait().await;
        server
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub(crate) fn tls_url(&self) -> String {
        format!("tls://localhost:{}", self.port)
    }

    /// Returns options with short times.
    pub(crate) fn options(&self) -> NatsOptions {
        NatsOptions::new(self.url())
            .ack_wait(Duration::from_secs(1))
            .request_timeout(Duration::from_secs(10))
    }

    pub(crate) async fn client(&self) -> async_nats::Client {
        async_nats::connect(self.url()).await.unwrap()
    }

    pub(crate) async fn stream(&self) -> async_nats::jetstream::Context {
        async_nats::jetstream::new(self.client().await)
    }

    /// Replaces the further lines of configuration, for the next start.
    pub(crate) fn configure(&self, configuration: &str) {
        configure(self.directory.path(), configuration);
    }

    /// Kills the server.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Starts a killed server again with its data and port.
    pub(crate) async fn revive(&mut self) {
        self.process = spawn(&self.program, self.directory.path(), self.port.into());
        self.wait().await;
    }

    async fn wait(&self) {
        for _ in 0..3000 {
            if TcpStream::connect(("127.0.0.1", self.port)).await.is_ok() {
                return;
            }
            sleep(Duration::from_millis(20)).await;
        }
        panic!("the server does not accept connections");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn configure(directory: &Path, configuration: &str) {
    let store = directory.join("store");
    let text = format!(
        "jetstream {{ store_dir: \"{}\" }}\n{}",
        store.display(),
        configuration.replace("{directory}", &directory.display().to_string())
    );
    std::fs::write(directory.join("server.conf"), text).unwrap();
}

fn spawn(program: &Path, directory: &Path, port: i32) -> Child {
    Command::new(program)
        .args(["--addr", "127.0.0.1", "--port", &port.to_string()])
        .arg("--config")
        .arg(directory.join("server.conf"))
        .arg("--ports_file_dir")
        .arg(directory)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Reads the port from the file that the server writes.
async fn port_of(directory: &Path) -> u16 {
    for _ in 0..3000 {
        let files = std::fs::read_dir(directory).unwrap();
        let mut files = files.map(|file| file.unwrap().path());
        let ports = files.find(|path| path.extension().is_some_and(|end| end == "ports"));
        let text = ports.and_then(|path| std::fs::read_to_string(path).ok());
        let ports: Option<Value> = text.and_then(|text| serde_json::from_str(&text).ok());
        let port = ports.as_ref().and_then(|ports| ports["nats"][0].as_str());
        if let Some(port) = port.and_then(|url| url.rsplit(':').next()) {
            return port.parse().unwrap();
        }
        sleep(Duration::from_millis(20)).await;
    }
    panic!("the server did not start");
}
