//! Compilers, build tools, package managers and interpreters.

use super::{Handler, Operands, Row, row, ruled};
use crate::verdict::CommandRule as Rule;

/// Words that install, remove or publish packages.
const fn installs(names: &'static str) -> Row {
    ruled(names, Rule::Install)
}

pub(super) const PROGRAMS: &[Row] = &[
    row("apt apt-get aptitude brew dnf yum apk zypper snap flatpak gem cpan luarocks opam pipx", Operands::Any, "-a -q -v --installed --upgradable --versions --all --cask --formula --local")
        .needs("list show search info policy env --version")
        .under(Rule::Inspect),
    installs("apt apt-get aptitude yum dnf apk zypper brew snap flatpak nix nix-env port emerge")
        .explained("installs or removes software of the machine"),
    row("awk gawk mawk nawk", Operands::PatternThenReads, "-Fv= --field-separator= --assign= --posix --re-interval --csv --sandbox --version -e% --source% -fi< --file< --include<")
        .with(Handler::Awk),
    ruled("black isort autopep8 yapf clang-format gofmt goimports rustfmt prettier shfmt stylua taplo", Rule::Project)
        .explained("reformats files of the project"),
    row("bundle pipenv pdm rye hatch tox nox", Operands::Subcommand, "").under(Rule::Project).alarms(&[
        ("install add remove update upgrade publish sync lock", Rule::Install, "installs packages"),
    ]),
    row("cargo", Operands::Subcommand, "-qvV --version --help --list --quiet --verbose --offline --locked --frozen -Z= --color= --config= -C/")
        .under(Rule::Project),
    row("composer", Operands::Subcommand, "").under(Rule::Project),
    row("conda mamba micromamba", Operands::Subcommand, "-np= --name= --prefix=").under(Rule::Project),
    row("dotnet", Operands::Subcommand, "").under(Rule::Project),
    row("dpkg pacman rpm", Operands::AtMost(1), "-lLqaQsSif --list").needs("-l -L -q -Q -s -S --list").under(Rule::Inspect),
    installs("dpkg pacman rpm").explained("installs or removes software of the machine"),
    row("gcc g++ cc c++ clang clang++ rustc rustdoc javac ld as", Operands::Any, "* -o> --out-dir> -d/")
        .under(Rule::Project)
        .explained("compiles files of the project")
        .alarms(&[("-wrapper* -fplugin*", Rule::Opaque, "runs another program")]),
    installs("gem cpan luarocks pipx uvx opam cabal-install")
        .explained("installs, removes or publishes packages"),
    row("git", Operands::Subcommand, "-pP --no-pager --version --help --no-optional-locks --literal-pathspecs"),
    row("go", Operands::Subcommand, "").under(Rule::Project),
    ruled(
        "make gmake ninja ctest just task go-task bazel bazelisk mvn gradle sbt meson rake ant scons xmake mage earthly nx turbo lerna rush ./gradlew ./mvnw gradlew mvnw autoreconf autoconf automake aclocal configure",
        Rule::Project,
    )
    .alarms(&[("install install-strip uninstall", Rule::Install, "installs software of the machine"),
        ("exec:exec exec:java -Dexec.*", Rule::Opaque, "runs another program")]),
    row("mix", Operands::Subcommand, "").under(Rule::Project),
    row("npm pnpm yarn bun deno", Operands::Subcommand, "-svgrw --version --help --silent --recursive -FC= --filter= --prefix= --workspace= --cwd=")
        .under(Rule::Project),
    ruled(
        "npx bunx pnpx eslint tsc jest vitest mocha playwright cypress webpack vite rollup esbuild tsx ts-node biome oxlint stylelint xo standard depcheck knip madge",
        Rule::Project,
    ),
    ruled("perl ruby", Rule::Interpreter)
        .alarms(&[("-i* -pi* -ni* -pie* -lpi* -lni* -0pi* -wpi* -p&-i -n&-i", Rule::Delete, "edits files in place")])
        .covered()
        .with(Handler::Interpreter),
    row("pip pip3", Operands::Subcommand, "-vq --disable-pip-version-check").under(Rule::Project),
    row("poetry", Operands::Subcommand, "").under(Rule::Project),
    ruled("pre-commit", Rule::Project),
    ruled(
        "pytest py.test mypy ruff flake8 pylint pyright coverage bandit rspec rubocop phpunit phpstan psalm phpcs php-cs-fixer golangci-lint staticcheck clang-tidy cppcheck actionlint typos codespell shellcheck hadolint yamllint markdownlint vale cspell buf sqlfluff tokei cloc scc",
        Rule::Project,
    )
    .explained("runs checks of the project"),
    ruled(
        "python python2 python3 python3.10 python3.11 python3.12 python3.13 python3.14 pypy pypy3 node nodejs php lua luajit tclsh Rscript R julia java scala ghci guile osascript pwsh expect gdb lldb vim vimdiff view vi nvim ex ed emacs nano sqlite3 bc dc",
        Rule::Interpreter,
    )
    .alarms(&[
        ("-m&pip&install -m&pip&download -m&pip&wheel -m&pip&uninstall -m&ensurepip", Rule::Install, "installs, removes or publishes packages"),
        ("-m&http.server -m&ftplib -m&webbrowser", Rule::Network, "connects to other hosts or local servers"),
    ])
    .with(Handler::Interpreter),
    row("rustup", Operands::Subcommand, "").under(Rule::Inspect),
    ruled("rustup", Rule::Inspect),
    row("swift", Operands::Subcommand, "").under(Rule::Project),
    row("uv", Operands::Subcommand, "--directory= --project= --color=").under(Rule::Project),
    ruled("zig stack cabal dune elixir lein", Rule::Project),
];

pub(super) const CARGO: &[Row] = &[
    installs("add remove rm update fetch vendor generate-lockfile search info")
        .explained("downloads packages"),
    row(
        "build b check c test t clippy doc d bench run r fix rustc rustdoc",
        Operands::Any,
        "* --target-dir/ --out-dir/",
    )
    .under(Rule::Project)
    .explained("builds the project, which runs its code"),
    row("clean", Operands::Any, "* --target-dir/")
        .under(Rule::Write)
        .explained("deletes build output"),
    installs("install uninstall publish yank login logout owner"),
    row("new init", Operands::Creates, "--name= --edition= --vcs=").under(Rule::Write),
];

pub(super) const INSTALLERS: &[Row] = &[installs(
    "install update upgrade require remove create-project global self-update",
)];

pub(super) const ENVIRONMENTS: &[Row] = &[
    installs("add remove sync init install update upgrade publish create uninstall lock"),
    row("cache env python self tool", Operands::AtMost(1), "-v --verbose").needs("list dir find").under(Rule::Inspect),
    installs("cache python self tool"),
    row("pip", Operands::Subcommand, "").under(Rule::Project),
    row("run", Operands::Command(0), "-qv --quiet --verbose --frozen --locked --no-sync --offline --isolated --dev --no-dev --exact --active --no-project --all-extras --all-groups --no-capture-output --live-stream -np= --name= --prefix= --extra= --group= --only-group= --python= --package= --with= --env-file=")
        .under(Rule::Project),
];

pub(super) const GO: &[Row] = &[
    row(
        "build test vet run fmt list doc tool generate",
        Operands::Any,
        "* +o> +coverprofile> +cpuprofile> +memprofile> +outputdir> +trace> +exec!",
    )
    .under(Rule::Project)
    .explained("builds the project, which runs its code"),
    ruled("clean", Rule::Write).alarms(&[(
        "-modcache -cache",
        Rule::Discard,
        "deletes caches outside the workspace",
    )]),
    installs("get install"),
    row("mod", Operands::Subcommand, "").under(Rule::Project),
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
    row(
        "component override target toolchain",
        Operands::AtMost(1),
        "-v --verbose --installed",
    )
    .needs("list")
    .under(Rule::Inspect),
    installs("component default install override self set target toolchain uninstall update"),
    row("run", Operands::Command(1), "").under(Rule::Project),
];

pub(super) const SWIFT: &[Row] = &[installs("package")];
