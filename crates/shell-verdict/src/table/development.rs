//! Compilers, build tools, package managers and interpreters.

use super::{Handler, Operands, Row, row, ruled};
use crate::verdict::CommandRule as Rule;

/// Words that install, remove or publish packages.
const fn installs(names: &'static str) -> Row {
    ruled(names, Rule::Install)
}

pub(super) const PROGRAMS: &[Row] = &[
    installs("apt apt-get aptitude dpkg yum dnf rpm pacman apk zypper brew snap flatpak nix nix-env port emerge")
        .explained("installs or removes software of the machine")
        .displays("list show search info -l -L -qa -Q --version policy"),
    row("awk gawk mawk nawk", Operands::PatternThenReads)
        .plain("Fv", "--field-separator --assign")
        .flags("", "--posix --re-interval --csv --sandbox --version")
        .pattern("e", "--source")
        .read("fi", "--file --include")
        .with(Handler::Awk),
    ruled("black isort autopep8 yapf clang-format gofmt goimports rustfmt prettier shfmt stylua taplo", Rule::Project)
        .explained("reformats files of the project"),
    row("bundle pipenv pdm rye hatch tox nox", Operands::Subcommand).under(Rule::Project).triggers(&[
        ("install add remove update upgrade publish sync lock", Rule::Install, "installs packages"),
    ]),
    row("cargo", Operands::Subcommand)
        .under(Rule::Project)
        .flags("qvV", "--version --help --list --quiet --verbose --offline --locked --frozen")
        .plain("Z", "--color --config")
        .directory("C", ""),
    row("composer", Operands::Subcommand).under(Rule::Project),
    row("conda mamba micromamba", Operands::Subcommand).under(Rule::Project).plain("np", "--name --prefix"),
    row("dotnet", Operands::Subcommand).under(Rule::Project),
    row("gcc g++ cc c++ clang clang++ rustc rustdoc javac ld as", Operands::Any)
        .under(Rule::Project)
        .explained("compiles files of the project")
        .write("o", "--out-dir")
        .directory("d", "")
        .triggers(&[("-wrapper* -fplugin*", Rule::Opaque, "runs another program")]),
    installs("gem cpan luarocks pipx uvx opam cabal-install")
        .displays("list show info search --version env switch"),
    row("git", Operands::Subcommand)
        .flags("pP", "--no-pager --version --help --no-optional-locks --literal-pathspecs"),
    row("go", Operands::Subcommand).under(Rule::Project),
    ruled(
        "make gmake ninja ctest just task go-task bazel bazelisk mvn gradle sbt meson rake ant scons xmake mage earthly nx turbo lerna rush ./gradlew ./mvnw gradlew mvnw autoreconf autoconf automake aclocal configure",
        Rule::Project,
    )
    .triggers(&[("install install-strip uninstall", Rule::Install, "installs software of the machine"),
        ("exec:exec exec:java -Dexec.*", Rule::Opaque, "runs another program")]),
    row("mix", Operands::Subcommand).under(Rule::Project),
    row("npm pnpm yarn bun deno", Operands::Subcommand)
        .under(Rule::Project)
        .flags("svgrw", "--version --help --silent --recursive")
        .plain("FC", "--filter --prefix --workspace --cwd"),
    ruled(
        "npx bunx pnpx eslint tsc jest vitest mocha playwright cypress webpack vite rollup esbuild tsx ts-node biome oxlint stylelint xo standard depcheck knip madge",
        Rule::Project,
    ),
    row("pip pip3", Operands::Subcommand).under(Rule::Project).flags("vq", "--disable-pip-version-check"),
    row("poetry", Operands::Subcommand).under(Rule::Project),
    ruled("pre-commit", Rule::Project),
    ruled(
        "pytest py.test mypy ruff flake8 pylint pyright coverage bandit rspec rubocop phpunit phpstan psalm phpcs php-cs-fixer golangci-lint staticcheck clang-tidy cppcheck actionlint typos codespell shellcheck hadolint yamllint markdownlint vale cspell buf sqlfluff tokei cloc scc",
        Rule::Project,
    )
    .explained("runs checks of the project"),
    ruled(
        "python python2 python3 python3.10 python3.11 python3.12 python3.13 python3.14 pypy pypy3 node nodejs ruby perl php lua luajit tclsh Rscript R julia java scala ghci guile osascript pwsh expect gdb lldb vim vimdiff view vi nvim ex ed emacs nano sqlite3 bc dc",
        Rule::Interpreter,
    )
    .with(Handler::Interpreter),
    row("rustup", Operands::Subcommand).under(Rule::Inspect),
    row("swift", Operands::Subcommand).under(Rule::Project),
    row("uv", Operands::Subcommand).under(Rule::Project).plain("", "--directory --project --color"),
    ruled("zig stack cabal dune elixir lein", Rule::Project),
];

pub(super) const CARGO: &[Row] = &[
    installs("add remove rm update fetch vendor generate-lockfile search info")
        .explained("downloads packages")
        .displays("--offline --dry-run"),
    row(
        "build b check c test t clippy doc d bench run r fix rustc rustdoc",
        Operands::Any,
    )
    .under(Rule::Project)
    .explained("builds the project, which runs its code")
    .directory("", "--target-dir --out-dir"),
    row("clean", Operands::Any)
        .under(Rule::Write)
        .explained("deletes build output")
        .directory("", "--target-dir"),
    installs("install uninstall publish yank login logout owner"),
    row("new init", Operands::Creates)
        .under(Rule::Write)
        .plain("", "--name --edition --vcs"),
];

pub(super) const INSTALLERS: &[Row] = &[installs(
    "install update upgrade require remove create-project global self-update",
)];

pub(super) const ENVIRONMENTS: &[Row] = &[
    installs("add remove sync init install update upgrade publish create uninstall self cache tool python lock")
    .displays("list dir find --offline"),
    row("pip", Operands::Subcommand).under(Rule::Project),
    row("run", Operands::Command(0))
        .under(Rule::Project)
        .flags("qv", "--quiet --verbose --frozen --locked --no-sync --offline --isolated --dev --no-dev --exact --active --no-project --all-extras --all-groups --no-capture-output --live-stream")
        .plain("np", "--name --prefix --extra --group --only-group --python --package --with --env-file"),
];

pub(super) const GO: &[Row] = &[
    row(
        "build test vet run fmt list doc tool generate",
        Operands::Any,
    )
    .under(Rule::Project)
    .explained("builds the project, which runs its code")
    .write(
        "",
        "-o -coverprofile -cpuprofile -memprofile -outputdir -trace",
    ),
    ruled("clean", Rule::Write).triggers(&[(
        "-modcache -cache",
        Rule::Discard,
        "deletes caches outside the workspace",
    )]),
    installs("get install"),
    row("mod", Operands::Subcommand).under(Rule::Project),
];

pub(super) const GO_MOD: &[Row] = &[installs("download get")];

pub(super) const DOTNET: &[Row] = &[installs("restore add remove publish nuget tool workload")];

pub(super) const MIX: &[Row] = &[installs(
    "deps.get deps.update local.hex local.rebar hex.publish archive.install",
)];

pub(super) const NPM: &[Row] = &[
    ruled("audit view info search fund ping whoami", Rule::Network),
    installs(
        "install i ci add remove rm uninstall un update upgrade up publish link unlink login logout create dlx set",
    ),
];

pub(super) const PIP: &[Row] = &[installs(
    "install uninstall download wheel sync compile search",
)];

pub(super) const RUSTUP: &[Row] = &[
    installs("install update default toolchain target component override self set uninstall")
        .displays("list"),
    row("run", Operands::Command(1)).under(Rule::Project),
];

pub(super) const SWIFT: &[Row] = &[installs("package")];
