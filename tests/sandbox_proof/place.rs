//! Disposable home directory and workspace, and the state of everything outside the workspace.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::secrets::MARKER;

/// Secrets in the home directory.
const HOME_SECRETS: [&str; 22] = [
    ".aws/credentials",
    ".bash_history",
    ".cargo/credentials.toml",
    ".config/gh/hosts.yml",
    ".config/gcloud/credentials.db",
    ".docker/config.json",
    ".env",
    ".git-credentials",
    ".gnupg/private-keys-v1.d/key",
    ".kube/config",
    ".local/share/keyrings/login.keyring",
    ".m2/settings.xml",
    ".mozilla/firefox/cookies.sqlite",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".ssh/id_ed25519",
    ".ssh/id_rsa",
    ".ssh/id_rsa.pub",
    "Documents/letter.txt",
    "letter.txt",
    "other/.env",
];
/// Secrets of the system and of other users.
const SYSTEM_SECRETS: [&str; 12] = [
    "/etc/gshadow",
    "/etc/shadow",
    "/etc/ssh/ssh_host_rsa_key",
    "/etc/sudoers",
    "/mnt/backup/dump.sql",
    "/root/.ssh/id_rsa",
    "/run/secrets/token",
    "/srv/data/secret.txt",
    "/srv/data/ca.pem",
    "/tmp/session.txt",
    "/var/lib/app/secret.db",
    "/var/mail/dev",
];
/// Files without secrets, which commands must not change.
const HOME_FILES: [&str; 6] = [
    ".bashrc",
    ".cargo/bin/tool",
    ".cargo/registry/cache/a.crate",
    ".gitconfig",
    ".profile",
    "other/main.c",
];
/// Content of the workspace.
const PROJECT: [(&str, &str); 21] = [
    ("Makefile", "all:\n\techo all\n"),
    ("a.c", "int main(void) { return 0; }\n"),
    ("a.json", "{\"a\": 1}\n"),
    ("a.py", "print(1)\n"),
    ("a.txt", "one\ntwo\n"),
    ("b.txt", "two\n"),
    ("evil", "echo evil\n"),
    ("f", "ZWNobyBldmlsCg==\n"),
    ("h/hooks/pre-commit", "echo evil\n"),
    ("job", "* * * * * root true\n"),
    ("list", "/srv/data/secret.txt\n"),
    ("notes.txt", "todo: sudo file\n"),
    ("p", "1p\n"),
    ("src/main.rs", "fn main() {}\n"),
    ("src/lib.rs", "pub fn f() {}\n"),
    ("x", "echo evil\n"),
    ("x.html", "<p>x</p>\n"),
    ("x.py", "x = 1\n"),
    ("x.rs", "fn main() {}\n"),
    ("y", "y\n"),
    ("script.sh", "echo script\n"),
];

/// Place in which commands run.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) home: PathBuf,
    pub(crate) workspace: PathBuf,
    /// Whether the place is a separate root file system.
    pub(crate) is_disposable: bool,
    top: PathBuf,
    template: PathBuf,
    /// Content of `/etc`, because a change of attributes copies a file to the upper file system.
    system: BTreeMap<PathBuf, u64>,
    /// Directory of the place, removed at the end.
    _scratch: Option<tool_test::Scratch>,
}

/// State of everything outside the workspace: paths with the hash of their content.
pub(crate) type State = BTreeMap<PathBuf, u64>;

impl Place {
    /// Creates the files, in the disposable root or in a scratch directory.
    pub(crate) fn create() -> Self {
        let is_disposable = std::env::var_os("PROOF_PLACE").is_some();
        let scratch = (!is_disposable).then(tool_test::Scratch::new);
        let top = scratch
            .as_ref()
            .map_or(PathBuf::from("/"), |scratch| scratch.path().to_owned());
        let home = top.join("home/dev");
        let mut place = Self {
            workspace: home.join("project"),
            template: top.join("template"),
            home,
            is_disposable,
            top,
            system: BTreeMap::new(),
            _scratch: scratch,
        };
        place.fill();
        place
    }

    fn fill(&mut self) {
        for path in HOME_SECRETS {
            write(&self.home.join(path), &format!("{MARKER}-{path}\n"));
        }
        for path in HOME_FILES {
            write(&self.home.join(path), "# plain\n");
        }
        if self.is_disposable {
            for path in SYSTEM_SECRETS {
                write(Path::new(path), &format!("{MARKER}-{path}\n"));
            }
            write(
                Path::new("/etc/hosts"),
                "127.0.0.1 localhost h x x.example example.com\n",
            );
            for path in ["/srv/data/x", "/var/lib/app/x", "/opt/x", "/etc/cron.d/x"] {
                write(Path::new(path), "# plain\n");
            }
            walk(Path::new("/etc"), &|_| false, &mut self.system);
        }
        fs::create_dir_all(&self.workspace).unwrap();
        for (path, content) in PROJECT {
            write(&self.template.join(path), content);
        }
        let git = "git init -q && git add . && git -c user.name=a -c user.email=a@b commit -qm one";
        shell(git, &self.template);
        symlink(self.top.join("srv/data"), self.template.join("link")).unwrap();
        self.reset();
    }

    /// Restores the workspace, except the socket of a service in it.
    pub(crate) fn reset(&self) {
        let script = "chmod -R u+rwX \"$0\" 2>/dev/null; find \"$0\" -mindepth 1 ! -name server.sock -delete; cp -a . \"$0\"";
        let workspace = self.workspace.to_str().unwrap();
        let status = Command::new("sh")
            .args(["-c", script, workspace])
            .current_dir(&self.template)
            .status();
        assert!(status.unwrap().success());
    }

    /// Runs a script in the workspace without the sandbox, and ignores its result.
    pub(crate) fn run_as_user(&self, script: &str) {
        let ran = Command::new("sh")
            .args(["-c", script])
            .current_dir(&self.workspace)
            .env("HOME", &self.home)
            .stdin(Stdio::null())
            .output();
        assert!(ran.is_ok(), "{ran:?}");
    }

    /// Removes the link to a directory outside from the workspace.
    pub(crate) fn unlink(&self) {
        let _ = fs::remove_file(self.workspace.join("link"));
    }

    /// Returns the state of everything outside the workspace.
    pub(crate) fn state(&self) -> State {
        let mut state = State::new();
        walk(&self.top, &|path| self.is_excluded(path), &mut state);
        state.retain(|path, hash| {
            let original = path
                .strip_prefix("/upper")
                .map(|path| Path::new("/").join(path));
            original.map_or(true, |path| self.system.get(&path) != Some(hash))
        });
        state
    }

    /// Returns `true` for the workspace, other file systems and the writable places of the sandbox.
    fn is_excluded(&self, path: &Path) -> bool {
        let others = ["/proc", "/sys", "/dev/shm", "/usr", "/etc", "/stubs"];
        let is_private = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("toolwright-"));
        path == self.workspace
            || is_private
            || self.is_disposable && others.iter().any(|other| path == Path::new(other))
    }
}

/// Returns the paths that differ.
pub(crate) fn changes(before: &State, after: &State) -> Vec<PathBuf> {
    let new = after
        .iter()
        .filter(|(path, hash)| before.get(*path) != Some(*hash));
    let gone = before.iter().filter(|(path, _)| !after.contains_key(*path));
    new.chain(gone).map(|(path, _)| path.clone()).collect()
}

fn walk(directory: &Path, is_excluded: &impl Fn(&Path) -> bool, state: &mut State) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        // The type in the entry is the type below a mount, such as a device.
        let Ok(metadata) = fs::symlink_metadata(&path) else {
            continue;
        };
        let kind = metadata.file_type();
        if is_excluded(&path) {
            continue;
        }
        let mut hasher = DefaultHasher::new();
        (kind.is_dir(), kind.is_symlink(), kind.is_char_device()).hash(&mut hasher);
        if kind.is_file() {
            fs::read(&path).ok().hash(&mut hasher);
            // Set-ID bits and write access for everyone. Other changes of modes are not prevented.
            (metadata.permissions().mode() & 0o6002).hash(&mut hasher);
            let mut names = [0; 256];
            let length = rustix::fs::llistxattr(&path, &mut names).unwrap_or_default();
            names[..length].hash(&mut hasher);
        }
        if kind.is_dir() {
            walk(&path, is_excluded, state);
        }
        state.insert(path, hasher.finish());
    }
}

fn write(path: &Path, content: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    // The owner of the original may be missing in the namespace.
    let _ = fs::remove_file(path);
    fs::write(path, content).unwrap();
}

fn shell(script: &str, directory: &Path) {
    let status = Command::new("sh")
        .args(["-ec", script])
        .current_dir(directory)
        .status();
    assert!(status.unwrap().success(), "{script}");
}
