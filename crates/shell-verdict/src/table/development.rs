//! Compilers, build tools, package managers and interpreters.

use super::{Operands, Row, Special, row, ruled};
use crate::verdict::CommandRule;

pub(super) const PROGRAMS: &[Row] = &[
    ruled(
        "apt apt-get aptitude dpkg yum dnf rpm pacman apk zypper brew snap flatpak nix nix-env port emerge",
        CommandRule::Install,
    )
    .explained("installs or removes software of the machine")
    .displays("list show search info -l -L -qa -Q --version policy"),
    row("awk gawk mawk nawk", Operands::PatternThenReads)
        .plain("Fv", "--field-separator --assign")
        .flags("", "--posix --re-interval --csv --sandbox --version")
        .pattern("e", "--source")
        .read("fi", "--file --include")
        .with(Special::Awk),
    ruled("black isort autopep8 yapf clang-format gofmt goimports rustfmt prettier shfmt stylua taplo", CommandRule::Project)
        .explained("reformats files of the project"),
    row("bundle pipenv pdm rye hatch tox nox", Operands::Subcommand).under(CommandRule::Project).alarms(&[
        ("install add remove update upgrade publish sync lock", CommandRule::Install, "installs packages"),
    ]),
    row("cargo", Operands::Subcommand)
        .under(CommandRule::Project)
        .flags("qvV", "--version --help --list --quiet --verbose --offline --locked --frozen")
        .plain("Z", "--color --config")
        .directory("C", ""),
    row("composer", Operands::Subcommand).under(CommandRule::Project),
    row("conda mamba micromamba", Operands::Subcommand).under(CommandRule::Project).plain("np", "--name --prefix"),
    row("dotnet", Operands::Subcommand).under(CommandRule::Project),
    row("gcc g++ cc c++ clang clang++ rustc rustdoc javac ld as", Operands::Any)
        .under(CommandRule::Project)
        .explained("compiles files of the project")
        .write("o", "--out-dir")
        .directory("d", "")
        .alarms(&[("-wrapper* -fplugin*", CommandRule::Opaque, "runs another program")]),
    ruled("gem cpan luarocks pipx uvx opam cabal-install", CommandRule::Install)
        .displays("list show info search --version env switch"),
    row("git", Operands::Subcommand)
        .flags("pP", "--no-pager --version --help --no-optional-locks --literal-pathspecs"),
    row("go", Operands::Subcommand).under(CommandRule::Project),
    ruled(
        "make gmake ninja ctest just task go-task bazel bazelisk mvn gradle sbt meson rake ant scons xmake mage earthly nx turbo lerna rush ./gradlew ./mvnw gradlew mvnw autoreconf autoconf automake aclocal configure",
        CommandRule::Project,
    )
    .alarms(&[("install install-strip uninstall", CommandRule::Install, "installs software of the machine"),
        ("exec:exec exec:java -Dexec.*", CommandRule::Opaque, "runs another program")]),
    row("mix", Operands::Subcommand).under(CommandRule::Project),
    row("npm pnpm yarn bun deno", Operands::Subcommand)
        .under(CommandRule::Project)
        .flags("svgrw", "--version --help --silent --recursive")
        .plain("FC", "--filter --prefix --workspace --cwd"),
    ruled(
        "npx bunx pnpx eslint tsc jest vitest mocha playwright cypress webpack vite rollup esbuild tsx ts-node biome oxlint stylelint xo standard depcheck knip madge",
        CommandRule::Project,
    ),
    row("pip pip3", Operands::Subcommand).under(CommandRule::Project).flags("vq", "--disable-pip-version-check"),
    row("poetry", Operands::Subcommand).under(CommandRule::Project),
    ruled("pre-commit", CommandRule::Project),
    ruled(
        "pytest py.test mypy ruff flake8 pylint pyright coverage bandit rspec rubocop phpunit phpstan psalm phpcs php-cs-fixer golangci-lint staticcheck clang-tidy cppcheck actionlint typos codespell shellcheck hadolint yamllint markdownlint vale cspell buf sqlfluff tokei cloc scc",
        CommandRule::Project,
    )
    .explained("runs checks of the project"),
    ruled(
        "python python2 python3 python3.10 python3.11 python3.12 python3.13 python3.14 pypy pypy3 node nodejs ruby perl php lua luajit tclsh Rscript R julia java scala ghci guile osascript pwsh expect gdb lldb vim vimdiff view vi nvim ex ed emacs nano sqlite3 bc dc",
        CommandRule::Interpreter,
    )
    .with(Special::Interpreter),
    row("rustup", Operands::Subcommand).under(CommandRule::Inspect),
    row("swift", Operands::Subcommand).under(CommandRule::Project),
    row("uv", Operands::Subcommand).under(CommandRule::Project).plain("", "--directory --project --color"),
    ruled("zig stack cabal dune elixir lein", CommandRule::Project),
];

const INSTALLS: &str = "installs or removes packages";

pub(super) const CARGO: &[Row] = &[
    ruled(
        "add remove rm update fetch vendor generate-lockfile search info",
        CommandRule::Install,
    )
    .explained("downloads packages")
    .displays("--offline --dry-run"),
    row(
        "build b check c test t clippy doc d bench run r fix rustc rustdoc",
        Operands::Any,
    )
    .under(CommandRule::Project)
    .explained("builds the project, which runs its code")
    .directory("", "--target-dir --out-dir"),
    row("clean", Operands::Any)
        .under(CommandRule::Write)
        .explained("deletes build output")
        .directory("", "--target-dir"),
    ruled(
        "install uninstall publish yank login logout owner",
        CommandRule::Install,
    )
    .explained(INSTALLS),
    row("new init", Operands::Creates)
        .under(CommandRule::Write)
        .plain("", "--name --edition --vcs"),
];

pub(super) const INSTALLERS: &[Row] = &[ruled(
    "install update upgrade require remove create-project global self-update",
    CommandRule::Install,
)];

pub(super) const ENVIRONMENTS: &[Row] = &[
    ruled(
        "add remove sync init install update upgrade publish create uninstall self cache tool python lock",
        CommandRule::Install,
    )
    .displays("list dir find --offline"),
    row("pip", Operands::Subcommand).under(CommandRule::Project),
    row("run", Operands::Command(0))
        .under(CommandRule::Project)
        .flags("qv", "--quiet --verbose --frozen --locked --no-sync --offline --isolated --dev --no-dev --exact --active --no-project --all-extras --all-groups --no-capture-output --live-stream")
        .plain("np", "--name --prefix --extra --group --only-group --python --package --with --env-file"),
];

pub(super) const GO: &[Row] = &[
    row(
        "build test vet run fmt list doc tool generate",
        Operands::Any,
    )
    .under(CommandRule::Project)
    .explained("builds the project, which runs its code")
    .write(
        "o",
        "-o -coverprofile -cpuprofile -memprofile -outputdir -trace",
    ),
    ruled("clean", CommandRule::Write).alarms(&[(
        "-modcache -cache",
        CommandRule::Discard,
        "deletes caches outside the workspace",
    )]),
    ruled("get install", CommandRule::Install),
    row("mod", Operands::Subcommand).under(CommandRule::Project),
];

pub(super) const GO_MOD: &[Row] = &[ruled("download get", CommandRule::Install)];

pub(super) const DOTNET: &[Row] = &[ruled(
    "restore add remove publish nuget tool workload",
    CommandRule::Install,
)];

pub(super) const MIX: &[Row] = &[ruled(
    "deps.get deps.update local.hex local.rebar hex.publish archive.install",
    CommandRule::Install,
)];

pub(super) const NPM: &[Row] = &[
    ruled("audit view info search fund ping whoami", CommandRule::Network),
    ruled(
        "install i ci add remove rm uninstall un update upgrade up publish link unlink login logout create dlx set",
        CommandRule::Install,
    )
    .explained(INSTALLS),
];

pub(super) const PIP: &[Row] = &[ruled(
    "install uninstall download wheel sync compile search",
    CommandRule::Install,
)
.explained(INSTALLS)];

pub(super) const RUSTUP: &[Row] = &[
    ruled(
        "install update default toolchain target component override self set uninstall",
        CommandRule::Install,
    )
    .displays("list"),
    row("run", Operands::Command(1)).under(CommandRule::Project),
];

pub(super) const SWIFT: &[Row] = &[ruled("package", CommandRule::Install)];
