//! Well-known paths.

/// Credentials below a home directory.
pub(super) const SECRET_IN_HOME: &str = ".ssh .gnupg .aws .azure .netrc .kube .docker/config.json .config/gcloud .config/gh \
    .git-credentials .config/git/credentials .npmrc .pypirc .cargo/credentials \
    .cargo/credentials.toml .password-store .mozilla .config/google-chrome .config/chromium \
    .local/share/keyrings .bash_history .zsh_history .pgpass .my.cnf .vault-token \
    .terraform.d/credentials.tfrc.json Library/Keychains .config/op .config/rclone .s3cfg \
    .boto .config/hub .config/glab-cli .config/doctl .config/heroku .config/fly .fly \
    .config/stripe .config/github-copilot .config/configstore .claude .codex \
    .config/anthropic .gem/credentials .m2/settings.xml .gradle/gradle.properties \
    .nuget/NuGet/NuGet.Config .local/share/fish/fish_history .python_history \
    .node_repl_history .psql_history .mysql_history .oci .databrickscfg .huggingface \
    .cache/huggingface/token .kaggle .config/sops .age";

/// Directories of sign-in tokens, which hosts may keep in a workspace.
pub(super) const TOKENS: &str = ".gmail-tokens .calendar-tokens";

/// System credentials.
pub(super) const SECRET_IN_SYSTEM: &str = "etc/shadow etc/shadow- etc/gshadow etc/gshadow- etc/sudoers etc/sudoers.d \
    etc/ssl/private etc/ssh/ssh_host_rsa_key etc/ssh/ssh_host_ed25519_key \
    etc/ssh/ssh_host_ecdsa_key etc/krb5.keytab run/secrets var/run/secrets var/lib/docker";

/// Memory devices. They are files, so nothing is below them.
pub(super) const MEMORY: &str = "dev/mem dev/kmem proc/kcore";

/// Files that run later.
pub(super) const STARTUP_FILES: &str = ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv \
    .zprofile .zlogin .config/fish .ssh .config/autostart .config/systemd \
    .config/environment.d Library/LaunchAgents .gitconfig .config/git .vimrc .inputrc \
    .xinitrc .xprofile .pam_environment .cargo/config.toml";

pub(super) const SYSTEM_STARTUP_FILES: &str = "etc/cron.d etc/cron.daily etc/cron.hourly etc/crontab var/spool/cron etc/profile \
    etc/profile.d etc/rc.local etc/init.d etc/systemd lib/systemd usr/lib/systemd \
    etc/ld.so.preload";

pub(super) const HARMLESS_DEVICES: &str = "/dev/null /dev/zero /dev/stdout /dev/stderr /dev/stdin /dev/full /dev/random \
    /dev/urandom";

/// Top-level directories of the system.
pub(super) const SYSTEM: &str =
    "bin boot dev etc lib lib64 proc root sbin sys usr var System Library";

/// Directories that builds and tests create again.
pub(super) const BUILD_OUTPUTS: &str = "target node_modules dist __pycache__ build out coverage htmlcov .pytest_cache \
    .mypy_cache .ruff_cache .tox .nox .next .nuxt .gradle .turbo .parcel-cache .cache .venv \
    venv _build cmake-build-debug cmake-build-release obj zig-cache zig-out";

/// Endings of files that builds create again.
pub(super) const BUILD_ENDINGS: &str = ".o .pyc .pyo .class .obj .d .a .egg-info";
