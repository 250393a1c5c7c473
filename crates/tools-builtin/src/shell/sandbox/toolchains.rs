//! Files outside the workspace that programs need: toolchains and their caches.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Toolchain with its readable directories:
/// - variable that replaces the directory, or an empty string;
/// - directory in the home directory, or an empty string if only the variable specifies it;
/// - readable entries; [`ALL`] for the directory itself.
///
/// Directories are listed by entry if they also contain credentials, such as the registry token in
/// `.cargo`. No cache is writable: code planted there would run outside the sandbox in the user's
/// next build.
type Toolchain = (&'static str, &'static str, &'static [&'static str]);

const ALL: &[&str] = &["."];

const TOOLCHAINS: [Toolchain; 47] = [
    // Git, without its stored passwords.
    ("", "", &[".gitconfig", ".gitignore", ".gitignore_global"]),
    ("", ".config/git", &["config", "ignore", "attributes"]),
    // Rust
    (
        "CARGO_HOME",
        ".cargo",
        &["bin", "config", "config.toml", "env", "git", "registry"],
    ),
    ("RUSTUP_HOME", ".rustup", ALL),
    // Node
    ("NVM_DIR", ".nvm", ALL),
    ("", ".npm", &["_cacache", "_npx"]),
    ("", ".nodenv", ALL),
    ("VOLTA_HOME", ".volta", ALL),
    ("", ".fnm", ALL),
    ("", ".local/share/fnm", ALL),
    ("PNPM_HOME", ".local/share/pnpm", ALL),
    ("", ".bun", &["bin", "install/cache"]),
    ("DENO_INSTALL", ".deno", &["bin"]),
    ("", ".yarn", &["berry/cache", "releases"]),
    // Python
    ("PYENV_ROOT", ".pyenv", ALL),
    ("", ".local/lib", ALL),
    ("", ".local/pipx", ALL),
    ("", ".local/share/pipx", ALL),
    ("", ".local/share/uv", &["python", "tools"]),
    ("", ".local/share/virtualenvs", ALL),
    ("", ".cache/pypoetry/virtualenvs", ALL),
    ("", ".cache/pre-commit", ALL),
    ("VIRTUAL_ENV", "", ALL),
    ("CONDA_PREFIX", "", ALL),
    ("", "miniconda3", ALL),
    ("", "anaconda3", ALL),
    ("", "miniforge3", ALL),
    // Go
    ("GOROOT", "", ALL),
    ("GOPATH", "go", &["bin", "pkg"]),
    ("", "sdk", ALL),
    ("", ".config/go", &["env"]),
    // Java, without the passwords of Maven and Gradle.
    ("JAVA_HOME", "", ALL),
    ("", ".sdkman", &["candidates"]),
    ("", ".jdks", ALL),
    ("", ".m2", &["repository", "wrapper"]),
    ("", ".gradle", &["caches", "jdks", "wrapper"]),
    ("", ".ivy2", &["cache", "local"]),
    ("", ".cache/coursier", ALL),
    // .NET
    ("DOTNET_ROOT", ".dotnet", ALL),
    ("", ".nuget", &["packages"]),
    // Ruby
    ("", ".rbenv", ALL),
    ("", ".rvm", ALL),
    ("", ".gem", &["ruby"]),
    ("", ".local/share/gem", &["ruby"]),
    // Version managers for several languages
    ("", ".asdf", ALL),
    ("", ".local/share/mise", &["installs", "shims"]),
    // Nix
    ("", ".nix-profile", ALL),
];

/// Writable directory outside the workspace: POSIX semaphores and shared memory, as in Python's `multiprocessing`, are
/// files in it.
const SHARED_MEMORY: &str = "/dev/shm";

/// Entries next to a `bin` of the search path that its programs need.
const BESIDE_PROGRAMS: [&str; 3] = ["include", "lib", "libexec"];

/// Returns the existing toolchains and caches of this process's user.
pub(super) fn readable() -> Vec<PathBuf> {
    existing(|name| env::var_os(name))
}

/// Returns the existing writable directories outside the workspace.
pub(super) fn writable() -> Vec<PathBuf> {
    let shared = Some(PathBuf::from(SHARED_MEMORY));
    shared.filter(|path| exists(path)).into_iter().collect()
}

fn existing(variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let home = variable("HOME").map(PathBuf::from);
    // A relative `HOME` would depend on the current directory of the host.
    let home = home.filter(|home| home.is_absolute());
    let listed = TOOLCHAINS
        .iter()
        .flat_map(|toolchain| paths(toolchain, home.as_deref(), &variable));
    let mut paths: Vec<PathBuf> = listed
        .chain(programs(&variable("PATH").unwrap_or_default()))
        .filter(|path| is_part(path, home.as_deref()) && exists(path))
        .collect();
    paths.sort();
    paths.dedup();
    paths
}

/// Returns the readable paths of a toolchain.
fn paths(
    (name, directory, entries): &Toolchain,
    home: Option<&Path>,
    variable: impl Fn(&str) -> Option<OsString>,
) -> impl Iterator<Item = PathBuf> {
    let configured = Some(*name).filter(|name| !name.is_empty());
    let configured = configured.and_then(variable).map(PathBuf::from);
    let in_home = !directory.is_empty() || name.is_empty();
    let default = home.filter(|_| in_home).map(|home| home.join(directory));
    let base = configured.or(default).into_iter();
    base.flat_map(|base| entries.iter().map(move |entry| base.join(entry)))
}

/// Returns the directories of the search path and the libraries of their programs.
fn programs(search_path: &OsStr) -> impl Iterator<Item = PathBuf> + use<> {
    let directories: Vec<PathBuf> = env::split_paths(search_path).collect();
    directories.into_iter().flat_map(|directory| {
        let prefix = directory.parent().filter(|_| directory.ends_with("bin"));
        let beside: Vec<PathBuf> = prefix
            .map(|prefix| BESIDE_PROGRAMS.map(|name| prefix.join(name)).into())
            .unwrap_or_default();
        std::iter::once(directory).chain(beside)
    })
}

/// Returns whether `path` is absolute and neither the home directory nor a parent of it.
fn is_part(path: &Path, home: Option<&Path>) -> bool {
    // A variable or a search path with `$HOME` itself, or `/`, would make all private files readable.
    path.is_absolute() && !home.unwrap_or(Path::new("/")).starts_with(path)
}

#[expect(
    clippy::disallowed_methods,
    reason = "toolchains are outside the workspace"
)]
fn exists(path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use tool_test::Scratch;

    use super::*;

    /// Paths in a home directory that contain credentials or personal data.
    const PRIVATE: [&str; 28] = [
        ".aws/credentials",
        ".bash_history",
        ".bundle/config",
        ".cargo/credentials.toml",
        ".composer/auth.json",
        ".config/gcloud/credentials.db",
        ".config/gh/hosts.yml",
        ".config/git/credentials",
        ".config/pip/pip.conf",
        ".docker/config.json",
        ".gem/credentials",
        ".git-credentials",
        ".gnupg/private-keys-v1.d/key",
        ".gradle/gradle.properties",
        ".kube/config",
        ".local/share/gem/credentials",
        ".local/share/keyrings/login.keyring",
        ".local/share/uv/credentials/x",
        ".m2/settings.xml",
        ".mozilla/firefox/cookies.sqlite",
        ".netrc",
        ".npmrc",
        ".nuget/NuGet/NuGet.Config",
        ".pypirc",
        ".ssh/id_ed25519",
        ".yarnrc.yml",
        "Documents/letter.txt",
        "Mail/inbox",
    ];

    fn of(home: &Path, others: &[(&str, &str)]) -> Vec<PathBuf> {
        existing(|name| match name {
            "HOME" => Some(home.into()),
            _ => others
                .iter()
                .find(|(other, _)| *other == name)
                .map(|(_, value)| value.into()),
        })
    }

    #[test]
    fn toolchains_exclude_credentials() {
        let scratch = PRIVATE
            .iter()
            .fold(Scratch::new(), |scratch, path| scratch.file(path, "x"))
            .file(".cargo/registry/cache/a.crate", "x")
            .file(".local/bin/tool", "x");
        let home = scratch.path();
        let path = home.join(".local/bin");

        let readable = of(home, &[("PATH", path.to_str().unwrap())]);

        for private in PRIVATE {
            let covering = readable
                .iter()
                .find(|path| home.join(private).starts_with(path));
            assert_eq!(covering, None, "{private}");
        }
        assert_eq!(
            readable,
            [home.join(".cargo/registry"), home.join(".local/bin")]
        );
    }

    #[test]
    fn variables_replace_default_directories() {
        let scratch = Scratch::new()
            .file("home/.cargo/bin/cargo", "x")
            .file("cargo/bin/cargo", "x")
            .file("jdk/bin/java", "x");
        let (home, cargo) = (scratch.path().join("home"), scratch.path().join("cargo"));
        let jdk = scratch.path().join("jdk");

        let variables = [
            ("CARGO_HOME", cargo.to_str().unwrap()),
            ("JAVA_HOME", jdk.to_str().unwrap()),
        ];

        assert_eq!(
            of(&home, &variables),
            [cargo.join("bin"), jdk.join(".")],
            "missing directories are omitted"
        );
    }

    #[test]
    fn never_includes_home_or_its_parents() {
        let scratch = Scratch::new().file("user/bin/tool", "x");
        let home = scratch.path().join("user");
        let (at_home, above) = (home.to_str().unwrap(), scratch.path().to_str().unwrap());
        for value in [at_home, above, "/", "relative", ""] {
            let readable = of(&home, &[("GOROOT", value), ("PATH", value)]);

            assert_eq!(readable, [] as [PathBuf; 0], "{value}");
        }
    }

    #[test]
    fn search_path_includes_libraries_of_its_programs() {
        let scratch = Scratch::new()
            .file("node/bin/node", "x")
            .file("node/lib/npm.js", "x")
            .file("node/data/x", "x");
        let node = scratch.path().join("node");

        let bin = node.join("bin");
        let readable = of(Path::new("/home/user"), &[("PATH", bin.to_str().unwrap())]);

        assert_eq!(readable, [node.join("bin"), node.join("lib")]);
    }
}
