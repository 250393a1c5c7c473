//! Variables that change the behavior of programs.

use super::super::paths::Places;
use super::super::state::State;
use super::super::syntax::Assignment;
use super::super::value;
use super::super::verdict::CommandRule;
use super::Walk;
use super::options::only_tunes;

/// Variables that control programs.
const STEERING: &[&str] = &[
    "PATH",
    "HOME",
    "SHELL",
    "ENV",
    "BASH_ENV",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS2",
    "PS4",
    "BASH_XTRACEFD",
    "CDPATH",
    "FUNCNEST",
    "GLOBIGNORE",
    "SHELLOPTS",
    "BASHOPTS",
    "BASH_CMDS",
    "BASH_ALIASES",
    "PAGER",
    "MANPAGER",
    "EDITOR",
    "VISUAL",
    "BROWSER",
    "LESSOPEN",
    "LESSCLOSE",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "PYTHONINSPECT",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PERL5OPT",
    "PERL5LIB",
    "PERL5DB",
    "RUBYOPT",
    "RUBYLIB",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "CLASSPATH",
    "MAVEN_OPTS",
    "GRADLE_OPTS",
    "RUSTC",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "MAKEFLAGS",
    "MAKEFILES",
    "GCONV_PATH",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "SSH_AUTH_SOCK",
    "TAR_OPTIONS",
    "LUA_INIT",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "R_PROFILE",
    "RIPGREP_CONFIG_PATH",
    "MALLOC_CONF",
    "http_proxy",
    "https_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "GOFLAGS",
    "GOPROXY",
    "EMACSLOADPATH",
    "VIMINIT",
    "EXINIT",
    "PSQL_EDITOR",
    "DOCKER_HOST",
    "KUBECONFIG",
    "CC",
    "CXX",
    "LD",
    "AR",
    "TMPDIR",
    "TERMINFO",
    "CURL_HOME",
    "GOENV",
    "GOROOT",
    "HOSTALIASES",
    "ftp_proxy",
    "all_proxy",
    "PYTHONBREAKPOINT",
    "OPENSSL_CONF",
    "INPUTRC",
    "WGETRC",
    "LESSKEY",
    "VIRTUAL_ENV",
    "GH_HOST",
    "GH_CONFIG_DIR",
    "TF_DATA_DIR",
    "TF_PLUGIN_CACHE_DIR",
    "TF_REATTACH_PROVIDERS",
    "HELM_PLUGINS",
    "GRADLE_USER_HOME",
    "MAVEN_USER_HOME",
    "DOTNET_STARTUP_HOOKS",
    "ASPNETCORE_HOSTINGSTARTUPASSEMBLIES",
];

const STEERING_PREFIXES: &[&str] = &[
    "LD_",
    "DYLD_",
    "GIT_",
    "BASH_FUNC_",
    "npm_config_",
    "PIP_",
    "UV_",
    "CARGO_TARGET_",
    "TF_CLI_ARGS",
    "COR_PROFILER",
    "CORECLR_PROFILER",
];

/// Suffixes of variables that name a program, or a file that names programs.
const RUNNING_ENDS: &[&str] = &[
    "PAGER",
    "EDITOR",
    "_COMMAND",
    "WRAPPER",
    "LAUNCHER",
    "_LINKER",
    "_RUNNER",
    "ASKPASS",
    "_SHELL",
    "ROFFOPT",
    "_PROXY",
    "CONFIG_HOME",
    "CONFIG_PATH",
    "CONFIG_FILE",
    "_CREDENTIAL_PROVIDER",
];
/// Suffixes of variables whose values may be options or program paths.
const DOUBTFUL_ENDS: &[&str] = &[
    "FLAGS",
    "OPTS",
    "_OPTIONS",
    "TOOLCHAIN",
    "TOOLCHAIN_FILE",
    "_COMPILER",
    "_CC",
    "_CXX",
    "_HOME",
    "_PLUGINS",
];
/// Prefixes of such variables.
const DOUBTFUL_BEGINNINGS: &[&str] = &[
    "CARGO_",
    "RUSTC",
    "RUSTDOC",
    "RUSTUP_",
    "NPM_CONFIG_",
    "YARN_",
    "CMAKE_",
    "OPENSSL_",
    "PYTHON",
    "PYTEST_",
    "DOCKER_",
    "COMPOSE_",
    "CC_",
    "CXX_",
    "AR_",
    "PKG_CONFIG",
    "PROTOC",
    "BUNDLE_",
    "RUBYGEMS_",
    "CGO_",
    "CCACHE_",
    "DISTCC",
    "GOTOOL",
    "GNUPGHOME",
    "LESS",
];
/// Compiler options that load or run something.
const LOADING: &[&str] = &[
    "linker",
    "link-arg",
    "plugin",
    "wrapper",
    "specs",
    "fuse-ld",
    "toolexec",
    "codegen-backend",
    "load",
    "exec",
    "-B",
    "-Z",
    "@",
];

impl Walk<'_> {
    pub(in super::super) fn check_environment(&mut self, state: &State, name: &str, value: &str) {
        let harmless = match name {
            "PAGER" | "GIT_PAGER" | "MANPAGER" => matches!(value, "cat" | ""),
            // The directory is checked as a path when a program uses it.
            "GIT_TERMINAL_PROMPT" | "GIT_OPTIONAL_LOCKS" | "CARGO_TARGET_DIR" => true,
            "EDITOR" | "GIT_EDITOR" | "VISUAL" | "GIT_SEQUENCE_EDITOR" => {
                matches!(value, "true" | ":")
            }
            "CC" | "CXX" => matches!(value, "gcc" | "g++" | "clang" | "clang++" | "cc" | "c++"),
            _ if name.starts_with("GIT_AUTHOR_") || name.starts_with("GIT_COMMITTER_") => true,
            "PYTHONPATH" => {
                let are_at_work = self.are_at_work(state, value);
                if are_at_work {
                    self.relies_on_modules(name);
                }
                are_at_work
            }
            _ => only_tunes(name, value),
        };
        if is_known_to_steer(name) && !harmless {
            self.report(CommandRule::Environment, name);
            self.suspect_setting(state, value);
        }
    }

    /// An assigned number may be the name of a directory or program.
    pub(super) fn assigned_by_arithmetic(&mut self, state: &State, text: &str) {
        if !["=", "++", "--"].iter().any(|sign| text.contains(sign)) {
            return;
        }
        for name in text.split(|letter: char| letter != '_' && !letter.is_ascii_alphanumeric()) {
            self.check_environment(state, name, "?");
        }
    }

    /// Returns `true` if all directories of a search path are below the roots.
    fn are_at_work(&self, state: &State, paths: &str) -> bool {
        let is_at_work = |path: &str| {
            let mut places = state.directories.iter();
            places.all(|place| {
                let path = Places::resolve(path, place.as_deref());
                path.is_some_and(|path| !value::is_open(&path) && self.places.is_at_work(&path))
            })
        };
        paths.split(':').all(is_at_work)
    }

    pub(super) fn check_exported(&mut self, state: &State, assignments: &[Assignment]) {
        for assignment in assignments.iter().filter(|assignment| !assignment.is_array) {
            let value = state.value(&assignment.name).unwrap_or_default();
            self.check_given(state, &assignment.name, &value);
        }
    }

    pub(in super::super) fn check_given(&mut self, state: &State, name: &str, value: &str) {
        if name == "CARGO_TARGET_DIR" {
            self.writes(state, value);
        } else if !is_known_to_steer(name) && is_doubtful(name, value) {
            self.report(CommandRule::Environment, name);
            self.suspect_setting(state, value);
        }
    }
}

fn is_known_to_steer(name: &str) -> bool {
    let mut beginnings = STEERING_PREFIXES.iter();
    STEERING.contains(&name) || beginnings.any(|beginning| name.starts_with(beginning))
}

fn is_doubtful(name: &str, value: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    if ends(RUNNING_ENDS) && name != "NO_PROXY" {
        return !matches!(value, "" | "cat" | "true" | ":");
    }
    if name.ends_with("FLAGS") {
        return LOADING.iter().any(|part| value.contains(part))
            || !value.split(' ').all(is_plain_option);
    }
    let begins = DOUBTFUL_BEGINNINGS
        .iter()
        .any(|beginning| name.starts_with(beginning));
    (begins || ends(DOUBTFUL_ENDS))
        && !is_tame(
            value
                .strip_prefix('-')
                .filter(|_| name == "LESS")
                .unwrap_or(value),
        )
}

/// Returns `true` if a compiler option contains no path, or only a search directory.
fn is_plain_option(option: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_=.,:+/".contains(letter);
    let searches = option.starts_with("-I") || option.starts_with("-L");
    option.chars().all(is_plain) && (searches || !option.contains('/'))
}

fn is_tame(value: &str) -> bool {
    let is_of_system = value.starts_with("/usr/lib/") && !value.contains("..");
    let is_plain = |letter: char| {
        letter.is_ascii_alphanumeric()
            || "_.,:=%+-".contains(letter)
            || (is_of_system && letter == '/')
    };
    !value.starts_with(['-', '.']) && value.chars().all(is_plain)
}
