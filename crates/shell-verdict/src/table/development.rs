//! Compilers, build tools, package managers and interpreters.

use super::{Operands, Row, row, ruled};
use crate::verdict::CommandRule as Rule;

const INSTALLS: &str = "installs, removes or publishes packages";
const INSTALLS_SOFTWARE: &str = "installs or removes software of the machine";

/// Words that install, remove or publish packages.
const fn installs(names: &'static str) -> Row {
    ruled(names, Rule::Install)
}

pub(super) const PROGRAMS: &[Row] = &[
    row("apt apt-get aptitude brew dnf yum apk zypper snap flatpak gem cpan luarocks opam pipx", Operands::Any, "-a -q -v --installed --upgradable --versions --all --cask --formula --local").needs("list show search info policy env --version").under(Rule::Inspect),
    installs("apt apt-get aptitude yum dnf apk zypper brew snap flatpak nix nix-env port emerge").explained(INSTALLS_SOFTWARE),
    row("awk gawk mawk nawk", Operands::PatternThenReads, "* -Fv= -f< -e% --source%").under(Rule::Interpreter),
    row("cargo", Operands::Subcommand, "-qvV --version --help --list --quiet --verbose --offline --locked --frozen -Z= --color= --config= -C/").under(Rule::Project),
    row("dpkg pacman rpm", Operands::AtMost(1), "-lLqaQsSif --list").needs("-l -L -q -Q -s -S --list").under(Rule::Inspect),
    installs("dpkg pacman rpm").explained(INSTALLS_SOFTWARE),
    row("gcc g++ cc c++ clang clang++ rustc rustdoc javac ld as", Operands::Any, "* -o> --out-dir> -d/").under(Rule::Project).explained("compiles files of the project").alarms(&[("-wrapper* -fplugin*", Rule::Opaque, "runs another program")]),
    installs("gem cpan luarocks pipx uvx opam cabal-install").explained(INSTALLS),
    row("git", Operands::Subcommand, "-pP --no-pager --version --help --no-optional-locks --literal-pathspecs -c^ --config-env^ -C/ --work-tree/ --git-dir< --exec-path<"),
    ruled("go", Rule::Project).explained("builds the project, which runs its code").alarms(&[
        ("get install mod&download", Rule::Install, INSTALLS),
        ("-modcache -cache", Rule::Discard, "deletes caches outside the workspace"),
    ]),
    ruled("make gmake ninja ctest just task go-task bazel bazelisk mvn gradle sbt meson rake ant scons xmake mage earthly nx turbo lerna rush gradlew mvnw autoreconf autoconf automake aclocal configure", Rule::Project).alarms(&[("install install-strip uninstall", Rule::Install, "installs software of the machine"),
        ("exec:exec exec:java -Dexec.*", Rule::Opaque, "runs another program")]),
    row("npm pnpm yarn bun deno", Operands::Subcommand, "-svgrw --version --help --silent --recursive -FC= --filter= --prefix= --workspace= --cwd=").under(Rule::Project),
    ruled("perl ruby", Rule::Interpreter).alarms(&[("-i* -pi* -ni* -pie* -lpi* -lni* -0pi* -wpi* -p&-i -n&-i", Rule::Delete, "edits files in place")]).covered(),
    // Package managers whose subcommands may be in any position.
    ruled("pip pip3 poetry uv conda mamba micromamba bundle pipenv pdm rye hatch tox nox composer dotnet mix swift rustup", Rule::Project).alarms(&[
        ("install uninstall add remove update upgrade sync lock publish create download wheel restore require init create-project self-update global", Rule::Install, INSTALLS),
        ("nuget workload deps.get deps.update local.hex local.rebar hex.publish archive.install default", Rule::Install, INSTALLS),
    ]),
    ruled("pytest py.test mypy ruff flake8 pylint pyright coverage bandit rspec rubocop phpunit phpstan psalm phpcs php-cs-fixer golangci-lint staticcheck clang-tidy cppcheck actionlint typos codespell shellcheck hadolint yamllint markdownlint vale cspell buf sqlfluff tokei cloc scc npx bunx pnpx eslint tsc jest vitest mocha playwright cypress webpack vite rollup esbuild tsx ts-node biome oxlint stylelint xo standard depcheck knip madge black isort autopep8 yapf clang-format gofmt goimports rustfmt prettier shfmt taplo pre-commit zig stack cabal dune elixir lein", Rule::Project).explained("runs tools on the project"),
    ruled("python python2 python3 python3.10 python3.11 python3.12 python3.13 python3.14 pypy pypy3 node nodejs php lua luajit tclsh Rscript R julia java scala ghci guile osascript pwsh expect gdb lldb vim vimdiff view vi nvim ex ed emacs nano sqlite3 bc dc", Rule::Interpreter).alarms(&[
        ("-m&pip&install -m&pip&download -m&pip&wheel -m&pip&uninstall -m&ensurepip", Rule::Install, INSTALLS),
        ("-m&http.server -m&ftplib -m&webbrowser", Rule::Network, "connects to other hosts or local servers"),
    ]),
];

pub(super) const CARGO: &[Row] = &[installs(
    "add remove rm update fetch vendor generate-lockfile search info install uninstall publish yank login logout owner",
)];

pub(super) const NPM: &[Row] = &[
    ruled("audit view info search fund ping whoami", Rule::Network),
    installs(
        "install i ci add remove rm uninstall un update upgrade up publish link unlink login logout create dlx set",
    ),
];
