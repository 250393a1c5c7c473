//! Forges and clouds: read-only commands.

use super::{Operands, Row, row, ruled};
use crate::verdict::CommandRule;

pub(super) const PROGRAMS: &[Row] = &[
    row("gh", "-R=V --repo=V --version", Operands::Subcommand),
    row(
        "terraform tofu",
        "- -chdir=D -version --version",
        Operands::Subcommand,
    ),
];

pub(super) const GH: &[Row] = &[
    row(
        "pr issue run repo release workflow label",
        "-R=V --repo=V",
        Operands::Subcommand,
    ),
    row("search auth", "", Operands::Subcommand),
    row("status", "-e=V -o=V --exclude=V --org=V", Operands::None),
    row("help version", "", Operands::Any),
    ruled(
        "alias api attestation browse cache codespace completion config copilot extension gist gpg-key org project ruleset secret ssh-key variable",
        CommandRule::Network,
    ),
];

/// `gh` commands for one kind of object.
pub(super) const GH_KIND: &[Row] = &[
    row(
        "list view status diff checks ls watch",
        "-cdvp -L=V -s=V -A=V -a=V -l=V -B=V -H=V -S=V -q=V -t=V -b=V -e=V -u=V -j=V -i=V -R=V -m=V -w=V --limit=V --state=V --author=V --assignee=V --label=V --base=V --head=V --search=V --json=V --jq=V --template=V --branch=V --event=V --user=V --job=V --interval=V --repo=V --milestone=V --workflow=V --app=V --mention=V --attempt=V --commit=V --created=V --order=V --sort=V --color=V --comments --draft --verbose --patch --name-only --watch --required --fail-fast --log --log-failed --exit-status --exclude-drafts --exclude-pre-releases --all --yaml --compact",
        Operands::Any,
    ),
    ruled(
        "create edit close reopen merge checkout comment review ready rerun cancel download delete delete-asset upload clone fork sync rename archive unarchive set-default transfer lock unlock pin unpin develop update-branch revert enable disable run deploy-key autolink license gitignore garden credits verify verify-asset",
        CommandRule::Network,
    ),
];

pub(super) const GH_SEARCH: &[Row] = &[row(
    "issues prs repos commits code",
    "-L=V -R=V -q=V -t=V --limit=V --repo=V --state=V --json=V --jq=V --template=V --author=V --assignee=V --label=V --owner=V --language=V --sort=V --order=V --created=V --updated=V --closed=V --merged --merged-at=V --match=V --filename=V --extension=V --review=V --milestone=V --involves=V --mentions=V --draft --archived --checks=V --base=V --head=V --stars=V --topic=V --visibility=V --size=V",
    Operands::Any,
)];

pub(super) const GH_AUTH: &[Row] = &[
    row("status", "-a -h=V --active --hostname=V", Operands::None),
    ruled("token", CommandRule::Secret),
    ruled(
        "login logout refresh setup-git switch",
        CommandRule::Network,
    ),
];

pub(super) const TERRAFORM: &[Row] = &[
    row(
        "plan validate",
        "- -no-color -compact-warnings -input? -refresh? -refresh-only -lock? -lock-timeout=V -destroy -detailed-exitcode -target=V -replace=V -var=V -var-file=R -out=W -parallelism=V -json",
        Operands::None,
    ),
    row("show", "- -no-color -json!", Operands::Reads),
    row(
        "output providers graph version",
        "- -no-color -json!",
        Operands::None,
    ),
    row(
        "fmt",
        "- -check -diff -recursive -write? -list? -no-color",
        Operands::Writes,
    ),
    row("state workspace", "", Operands::Subcommand),
    ruled(
        "init apply destroy import taint untaint refresh console login logout force-unlock get test query stacks metadata",
        CommandRule::Network,
    ),
];

pub(super) const TERRAFORM_LISTS: &[Row] = &[
    row("list show", "- -id=V -no-color", Operands::Any),
    ruled(
        "mv rm pull push replace-provider new select delete",
        CommandRule::Network,
    ),
];
