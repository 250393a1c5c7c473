//! Program that has the effects that its arguments suggest.

use std::collections::BTreeSet;
use std::env;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use crate::place::Place;
use crate::tables::commands;

/// Name of a file that the stub creates in directories.
const NAME: &str = "proof-marker";
/// Search path of the system's programs.
pub(crate) const PROGRAMS: &str = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";
/// Programs that run others, which a stub would hide.
const SHELLS: [&str; 12] = [
    "bash", "sh", "dash", "env", "eval", "xargs", "timeout", "nohup", "nice", "time", "find",
    "stdbuf",
];

/// Writes to each path in the arguments, prints its content and connects to each host.
pub(crate) fn run() -> ExitCode {
    for argument in env::args().skip(1) {
        for part in parts(&argument) {
            act(&part);
        }
    }
    ExitCode::SUCCESS
}

/// Returns the argument, the value of an option and the items of a list.
fn parts(argument: &str) -> Vec<String> {
    let attached = argument.strip_prefix('-').and_then(|rest| rest.get(1..));
    let separated = argument.split(['=', ',', ';', ' ', '\'', '"', '|', '>', '(', ')']);
    let mut parts: Vec<String> = separated.chain(attached).map(str::to_owned).collect();
    parts.push(argument.to_owned());
    parts.retain(|part| !part.is_empty() && !part.starts_with('-'));
    parts.dedup();
    parts
}

fn act(part: &str) {
    if part.contains("://") || part.contains(':') {
        let nothing = Duration::from_millis(100);
        let _ = TcpStream::connect_timeout(&SocketAddr::from(([127, 0, 0, 1], 4280)), nothing);
    }
    let home = env::var("HOME").unwrap_or_default();
    let path = match part.strip_prefix('~') {
        Some(rest) => format!("{home}{rest}"),
        None => part.to_owned(),
    };
    if path.contains('/') || path.contains("..") {
        touch(Path::new(&path));
    }
}

fn touch(path: &Path) {
    let _ = UnixStream::connect(path);
    let mut content = [0; 4096];
    if let Ok(read) = fs::File::open(path).and_then(|file| file.take(4096).read(&mut content)) {
        let _ = io::stdout().write_all(&content[..read]);
    }
    if path.is_dir() {
        let _ = fs::write(path.join(NAME), "x");
    } else if let Ok(mut file) = OpenOptions::new().append(true).create(true).open(path) {
        let _ = file.write_all(b"x");
    }
}

/// Links the names of programs in the tables to this program: all names in `/stubs/all`, and the
/// names of missing programs in `/stubs/missing`.
pub(crate) fn install(place: &Place) {
    if !place.is_disposable {
        return;
    }
    for directory in ["/stubs/all", "/stubs/missing"] {
        fs::create_dir_all(directory).unwrap();
    }
    for name in names() {
        let exists = PROGRAMS
            .split(':')
            .any(|directory| Path::new(directory).join(&name).exists());
        let _ = symlink("/stubs/stub", Path::new("/stubs/all").join(&name));
        if !exists {
            let _ = symlink("/stubs/stub", Path::new("/stubs/missing").join(&name));
        }
    }
}

/// Returns the first words of the commands in the tables that can be names of programs.
fn names() -> BTreeSet<String> {
    let commands = commands::lines(commands::HARMFUL).into_iter();
    let commands = commands.chain(commands::lines(commands::HARMLESS));
    let confined = commands::grouped(commands::HARMFUL_CONFINED).into_iter();
    let commands = commands.chain(confined.map(|(_, command)| command));
    let first = commands.filter_map(|command| command.split_whitespace().next().map(str::to_owned));
    let is_name = |name: &String| {
        name.len() > 1
            && !SHELLS.contains(&name.as_str())
            && name
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || "-_.+".contains(letter))
            && !name.starts_with('.')
    };
    first.filter(is_name).collect()
}
