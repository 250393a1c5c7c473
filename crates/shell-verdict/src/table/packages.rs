//! Package and environment managers that run the tools of a project.

use super::{Operands, Row, Special, row, ruled};
use crate::verdict::CommandRule;

pub(super) const PROGRAMS: &[Row] = &[
    row(
        "npx bunx pnpx",
        "-yq --yes! --no-install --no --quiet -p=A -c=C --package=A --call=C",
        Operands::Command(0),
    )
    .with(Special::Runner),
    row(
        "uv",
        "-qvnV --quiet --verbose --offline --no-progress --no-cache --color=V --directory=D --project=D --version",
        Operands::Subcommand,
    ),
    row(
        "bundle poetry pipenv pdm rye conda mamba",
        "-qvnV -e=V -C=D -p=D --quiet --verbose --no-interaction --env=V --directory=D --project=D --no-ansi --no-color --version",
        Operands::Subcommand,
    ),
    row(
        "hatch",
        "-qvV -e=V -p=V --quiet --verbose --env=V --project=V --no-color --no-interactive --version",
        Operands::Subcommand,
    ),
];

pub(super) const UV: &[Row] = &[
    row(
        "run",
        "-qvn -p=E --quiet --verbose --frozen --locked --no-sync --offline --isolated --dev --no-dev --exact --active --no-project --all-extras --all-groups --all-packages --extra=V --no-extra=V --group=V --only-group=V --no-group=V --only-dev --package=V --python=E --color=V --no-progress --directory=D --project=D --with=A --with-requirements=A --with-editable=A --env-file=A",
        Operands::Command(0),
    )
    .with(Special::Runner),
    row("pip", "", Operands::Subcommand),
    row(
        "tree",
        "-qv -d=V -p=E --depth=V --invert --package=V --prune=V --outdated --frozen --locked --offline --no-dev --no-dedupe --universal --group=V --all-groups",
        Operands::None,
    ),
    row("version", "--short --output-format=V", Operands::None),
    row("python tool", "", Operands::Subcommand),
    row("lock", "-q --check --locked --dry-run --offline --upgrade --python=E", Operands::None).under(CommandRule::Install),
    row("cache self", "*", Operands::Any).under(CommandRule::Install),
    row("help", "", Operands::Any),
    ruled("add remove sync init build publish venv export format auth x", CommandRule::Install),
];

pub(super) const UV_PIP: &[Row] = &[
    row(
        "list freeze show check tree",
        "-qvef -p=E --outdated --format=V --strict --python=E --exclude=V --editable --exclude-editable --files --depth=V --invert --system",
        Operands::Any,
    ),
    ruled("install uninstall sync compile", CommandRule::Install),
];

pub(super) const UV_LISTS: &[Row] = &[
    row(
        "list dir find",
        "-qv --only-installed --only-downloads --all-versions --show-paths --show-version-specifiers --show-with --outdated --offline",
        Operands::Any,
    ),
    ruled(
        "install uninstall upgrade run pin update-shell",
        CommandRule::Install,
    ),
];

pub(super) const OTHERS: &[Row] = &[
    row(
        "exec run",
        "-qv -n=V -p=A --name=V --prefix=A --quiet --verbose --no-capture-output --live-stream --cwd=D --no-site",
        Operands::Command(0),
    )
    .with(Special::Runner),
    row(
        "list show info outdated check graph version about help",
        "-tlaoqvf -n=V -p=V --tree --latest --outdated --top-level --all --why --name-only --paths --json --bare --short --reverse --graph --python --packages --envs --parseable --strict --lock --format=V --only=V --without=V --with=V --group=V --name=V --prefix=V",
        Operands::Any,
    ),
    row("env config", "*", Operands::Any).under(CommandRule::Install),
    ruled(
        "install add remove update upgrade lock sync build publish init new create uninstall clean activate shell use fix cache self source plugin package gem open export import test",
        CommandRule::Install,
    ),
];
