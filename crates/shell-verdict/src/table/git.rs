//! git, one row for each subcommand.

use super::{Operands, Row, row, ruled};
use crate::verdict::CommandRule;

const LOG: &str = "-pusznqmi -# -n=V -S=V -G=V -L=V -M? -C? -U=V -O=A --oneline --stat? --shortstat --numstat --name-only --name-status --summary --graph --all --decorate? --patch --no-patch --format=V --pretty? --abbrev? --abbrev-commit --author=V --committer=V --grep=V --since=V --until=V --after=V --before=V --max-count=V --skip=V --reverse --follow --merges --no-merges --first-parent --date=V --color? --no-color --word-diff? --cached --staged --check --quiet --exit-code --diff-filter=V --find-renames? --ignore-all-space --ignore-space-change --minimal --histogram --no-pager --no-ext-diff --merge-base --branches? --tags? --remotes? --topo-order --date-order --left-right --cherry-pick --full-history --output=W --raw --binary --unified=V --relative? --submodule? --no-index -w -b -a";

pub(super) const COMMANDS: &[Row] = &[
    row(
        "status",
        "-sbvz -u? --short --branch --porcelain? --long --untracked-files? --ignored? --show-stash --verbose",
        Operands::Any,
    ),
    row(
        "shortlog",
        "-cens# -w? --summary --numbered --email --committer --group=V --since=V --until=V --all --no-merges",
        Operands::Any,
    ),
    row(
        "log show diff whatchanged reflog range-diff diff-tree",
        LOG,
        Operands::Any,
    ),
    row(
        "blame annotate",
        "-wCMlstefnp -L=V --porcelain --date=V --since=V",
        Operands::Any,
    ),
    row(
        "add stage",
        "-AnvufiNep --all --update --dry-run --force --verbose --intent-to-add --patch --chmod=V",
        Operands::Any,
    ),
    row(
        "commit",
        "-aqvsnSpeo -m=V -F=R -C=V -c=V -t=R --all --message=V --amend --no-edit --quiet --verbose --signoff --allow-empty --author=V --date=V --dry-run --fixup=V --squash=V --file=R --reuse-message=V --no-verify! --allow-empty-message --no-gpg-sign --only",
        Operands::Any,
    ),
    row(
        "branch",
        "-avrlmMcuqi --all --list --remotes --show-current --contains? --merged? --no-merged? --sort=V --format=V --move --copy --set-upstream-to=V --verbose --points-at=V -d -D! --delete --force! -f!",
        Operands::Any,
    ),
    row(
        "switch",
        "-cqt -c=V -C=V --create=V --detach --quiet --track? --force-create=V --discard-changes! -f! --force!",
        Operands::Any,
    ),
    row(
        "checkout",
        "-qtm -b=V -B=V --detach --quiet --track? --orphan=V --ours --theirs -f! --force! -p",
        Operands::Any,
    ),
    row(
        "restore",
        "-qSpW -s=V --staged --quiet --source=V --patch --worktree --ours --theirs",
        Operands::Any,
    ),
    row(
        "tag",
        "-lnaf -m=V -F=R --list --sort=V --contains? --points-at=V --format=V --annotate --message=V -d! --delete!",
        Operands::Any,
    ),
    row(
        "merge rebase cherry-pick revert pull-merge",
        "-nqsx -m=V -X=V --abort --continue --skip --quit --no-edit --no-ff --ff-only --ff --squash --no-commit --autosquash --autostash --onto=V --strategy=V --strategy-option=V --message=V -i! -x=A --exec=A",
        Operands::Any,
    ),
    row("mv", "-fknv", Operands::Moves),
    row(
        "rm",
        "-frnq --cached --force --dry-run --quiet --ignore-unmatch",
        Operands::Deletes,
    ),
    row(
        "reset",
        "-qNp --soft --mixed --quiet --hard! --merge! --keep!",
        Operands::Any,
    ),
    row(
        "clean",
        "-nqx -e=V --dry-run -f! -d -X --force!",
        Operands::Any,
    ),
    row(
        "stash",
        "-uakq -m=V --include-untracked --all --keep-index --message=V",
        Operands::Subcommand,
    ),
    row("remote", "-v --verbose", Operands::Subcommand),
    row("worktree", "", Operands::Subcommand),
    row(
        "config",
        "-lz --list --get=V --get-all=V --get-regexp=V --global --system --add --replace-all --unset --unset-all -e! --edit! --file=R -f=R --show-origin --show-scope --name-only --type=V --local",
        Operands::Any,
    ),
    row(
        "rev-parse rev-list cherry name-rev describe merge-base for-each-ref show-ref symbolic-ref cat-file ls-tree count-objects var",
        "-ptseqdrzlnvH -n=V -# --abbrev-ref? --short? --show-toplevel --git-dir --verify --quiet --all --count --tags --always --long --dirty? --match=V --abbrev? --format=V --sort=V --contains? --exact-match --left-right --is-inside-work-tree --show-prefix --max-count=V --heads --batch-check? --name-only --is-ancestor --symbolic-full-name --first-parent --since=V --max-parents=V --fork-point --octopus",
        Operands::Any,
    ),
    row(
        "ls-files",
        "-cdmokstuzv -x=V -X=R --cached --deleted --modified --others --ignored --stage --exclude-standard --exclude=V --full-name --error-unmatch --eol",
        Operands::Any,
    ),
    row(
        "grep",
        "-EFGPiIlLnowcvqhHpWz -A=V -B=V -C=V -e=P -f=R --count --line-number --name-only --ignore-case --cached --untracked --heading --break --and --or -O! --open-files-in-pager!",
        Operands::Any,
    ),
    row(
        "check-ignore check-attr",
        "-vnqz --verbose --no-index",
        Operands::Any,
    ),
    row(
        "apply am",
        "-vR3q -p=V --check --stat --index --cached --reverse --3way --whitespace=V --abort --continue --skip --directory=W --reject --numstat --summary --recount",
        Operands::Reads,
    ),
    row(
        "format-patch",
        "-kns -o=W -# --stdout --output-directory=W --cover-letter",
        Operands::Any,
    ),
    row(
        "init",
        "-q -b=V --quiet --initial-branch=V --bare",
        Operands::Writes,
    ),
    row(
        "archive",
        "-lv -o=W --format=V --prefix=V --output=W --remote=A --exec=A",
        Operands::Any,
    ),
    row("notes bisect submodule sparse-checkout", "*", Operands::Any).under(CommandRule::Opaque),
    row("hash-object", "-w -t=V --stdin --stdin-paths! --path=V --no-filters --literally", Operands::Reads),
    row("checkout-index", "-auqz -f! --all --force! --prefix=W --stdin", Operands::Any),
    row("difftool mergetool", "-dyg -t=V -x=A --tool=V --extcmd=A --no-prompt --prompt --dir-diff --cached --staged --gui --tool-help", Operands::Any).under(CommandRule::Interpreter),
    row("bundle", "-q --all --quiet", Operands::Any),
    ruled("credential", CommandRule::Secret),
    row("help version", "-av --all", Operands::Any),
    row("gc prune fsck", "-q --quiet --auto --full", Operands::Any).under(CommandRule::Discard),
    ruled(
        "push fetch pull clone ls-remote send-email remote-https request-pull",
        CommandRule::Network,
    ),
    ruled(
        "filter-branch filter-repo update-ref replace",
        CommandRule::Discard,
    ),
];

pub(super) const STASH: &[Row] = &[
    row(
        "list show",
        "-pu --stat --patch --name-only --oneline",
        Operands::Any,
    ),
    row(
        "push save pop apply branch",
        "-ukqapm -m=V --include-untracked --keep-index --index --quiet --message=V --staged",
        Operands::Any,
    ),
    ruled("drop clear", CommandRule::Discard),
];

pub(super) const REMOTE: &[Row] = &[
    row("show get-url", "-vn --all --push", Operands::Any),
    row(
        "add set-url remove rename rm prune update set-head set-branches",
        "*",
        Operands::Any,
    )
    .under(CommandRule::Protected),
];

pub(super) const WORKTREE: &[Row] = &[
    row("list", "-v --porcelain", Operands::None),
    row(
        "add",
        "-qf -b=V -B=V --detach --quiet --force",
        Operands::Writes,
    ),
    row("remove prune move lock unlock repair", "*", Operands::Any).under(CommandRule::Discard),
];
