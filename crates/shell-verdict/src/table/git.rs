//! git. What may lose work asks unless its form is known to keep it.

use super::{Operands, Row, row, ruled};
use crate::verdict::CommandRule as Rule;

const LOG: &str = "-puszqmib#aw --oneline --shortstat --numstat --name-only --name-status --summary --graph --all --patch --no-patch --abbrev-commit --reverse --follow --merges --no-merges --first-parent --no-color --cached --staged --check --quiet --exit-code --ignore-all-space --ignore-space-change --minimal --histogram --no-ext-diff --merge-base --topo-order --date-order --left-right --cherry-pick --full-history --raw --binary --no-index -nSGLU= --author= --committer= --grep= --since= --until= --after= --before= --max-count= --skip= --date= --diff-filter= --unified= -MC? --stat? --decorate? --format? --pretty? --abbrev? --color? --word-diff? --find-renames? --branches? --tags? --remotes? --relative? --submodule? -O< --output>";
const REVISIONS: &str = "-ptseqdrzl# --show-toplevel --git-dir --verify --quiet --all --count --tags --always --long --exact-match --left-right --is-inside-work-tree --show-prefix --heads --name-only --is-ancestor --symbolic-full-name --first-parent --fork-point --octopus --full-name -n= --match= --format= --sort= --max-count= --since= --max-parents= --abbrev-ref? --short? --dirty? --abbrev? --contains?";

const DISCARDS: &str = "discards uncommitted changes";
const MOVES_BRANCH: &str = "deletes or moves a branch whose commits may be lost";
const MOVES_TAG: &str = "deletes or moves a tag";
const SETTINGS: &str = "changes the settings of git";
const UNREACHABLE: &str = "removes commits that no branch contains";
const UNTRACKED: &str = "deletes untracked files";

pub(super) const COMMANDS: &[Row] = &[
    ruled("add stage", Rule::Write),
    row("apply am", Operands::Reads, "-vR3q --check --stat --index --cached --reverse --3way --continue --reject --numstat --summary --recount -pC= --whitespace= --exclude= --include= --directory/")
        .under(Rule::Write)
        .alarms(&[("--abort --skip", Rule::Discard, DISCARDS)]),
    row("archive bundle format-patch", Operands::Any, "* -o> --output> --output-directory> --exec!")
        .under(Rule::Write)
        .alarms(&[("--remote*", Rule::Network, "connects to other hosts")]),
    ruled("bisect lfs notes sparse-checkout", Rule::Project).alarms(&[
        ("update add sync push pull fetch clone", Rule::Network, "downloads repositories"),
        ("deinit remove prune", Rule::Discard, "removes work that cannot be recovered"),
        ("run", Rule::Interpreter, "runs code whose effects are not known in advance"),
    ]),
    row("blame annotate", Operands::Any, "-wCMlstefnp --porcelain -L= --date= --since="),
    row("branch", Operands::AtMost(0), "-avrl --all --list --remotes --show-current --verbose --contains? --merged? --no-merged? --color? --sort= --format= --points-at="),
    row("branch", Operands::Any, "-avrl --all --list --remotes --verbose --color? --sort= --format= --merged? --no-merged? --contains?").needs("-l --list --merged --no-merged --contains"),
    row("branch", Operands::AtMost(2), "-qtdm --quiet --track --no-track --delete --move -u= --set-upstream-to=")
        .under(Rule::Write)
        .otherwise(Rule::Discard, MOVES_BRANCH),
    row("cat-file rev-parse rev-list cherry name-rev describe merge-base for-each-ref show-ref ls-tree count-objects", Operands::Any, REVISIONS),
    row("check-attr check-ignore", Operands::Any, "-vnqz --verbose --no-index"),
    row("checkout", Operands::AtMost(1), "-qt --quiet --track --no-track -b= --orphan=")
        .needs("-b --orphan")
        .under(Rule::Write),
    row("checkout", Operands::Branch, "-qd --quiet --detach --progress --no-progress --guess --no-guess")
        .under(Rule::Write)
        .otherwise(Rule::Discard, DISCARDS)
        .covered(),
    ruled("checkout-index read-tree", Rule::Discard).explained(DISCARDS).covered(),
    row("clean", Operands::Any, "-ndxXq --dry-run --quiet").needs("-n --dry-run").under(Rule::Inspect),
    row("clean", Operands::Any, "-fdq --force --quiet").under(Rule::Discard).explained(UNTRACKED).covered(),
    ruled("clean", Rule::Discard).explained(UNTRACKED),
    row("clone", Operands::Clones, "* -bcjou= --branch= --config= --depth= --filter= --jobs= --origin= --server-option= --shallow-since= --shallow-exclude= --upload-pack= --bundle-uri= --reference< --reference-if-able< --template< --separate-git-dir>")
        .under(Rule::Network)
        .explained("downloads a repository"),
    ruled("commit", Rule::Write).explained("commits changes, which runs the hooks of the repository"),
    row("config", Operands::Subcommand, "").under(Rule::Protected).explained(SETTINGS),
    row("config", Operands::AtMost(2), "-lz --get --get-all --get-regexp --list --global --local --system --show-origin --show-scope --name-only --null --bool --int --path --includes --type= --default= -f< --file<")
        .needs("-l --get --get-all --get-regexp --list")
        .under(Rule::Inspect),
    row("config", Operands::AtMost(1), "--global --local --get? --get-all? --get-regexp?").under(Rule::Inspect),
    ruled("config", Rule::Protected).explained(SETTINGS),
    ruled("credential credential-cache credential-store", Rule::Secret),
    row("difftool mergetool", Operands::Any, "* -x! --extcmd!").under(Rule::Interpreter),
    ruled("fetch ls-remote pull", Rule::Network),
    ruled("filter-branch filter-repo replace update-ref", Rule::Discard).explained("rewrites commits, which cannot be undone"),
    ruled("fsck", Rule::Inspect),
    ruled("gc prune repack", Rule::Discard).explained(UNREACHABLE),
    row("grep", Operands::Any, "-EFGPiIlLnowcvqhHpWz --count --line-number --name-only --ignore-case --cached --untracked --heading --break --and --or -ABC= -e%"),
    row("hash-object", Operands::Reads, "-w --stdin -t=").under(Rule::Write),
    row("help version", Operands::AtMost(1), "").under(Rule::Inspect),
    row("init", Operands::Creates, "-q --quiet --bare -b= --initial-branch=").under(Rule::Write),
    row("log show diff whatchanged range-diff diff-tree", Operands::Any, LOG).in_place(),
    row("ls-files", Operands::Any, "-cdmokstuzv --cached --deleted --modified --others --ignored --stage --exclude-standard --full-name --error-unmatch --eol -x= --exclude= -X<"),
    ruled("merge cherry-pick revert", Rule::Write),
    row("mv", Operands::Moves, "-knv").under(Rule::Write).otherwise(Rule::Discard, DISCARDS).covered(),
    ruled("push send-email remote-https request-pull", Rule::Network)
        .explained("sends commits to another host")
        .alarms(&[("-f --force* --delete -d --mirror --prune +*", Rule::Discard, "overwrites or deletes branches on another host")]),
    row("rebase", Operands::Any, "* -x! --exec!").under(Rule::Write),
    row("reflog", Operands::Subcommand, "").under(Rule::Discard).explained(UNREACHABLE),
    row("reflog", Operands::AtMost(1), "-# --oneline --all -n= --max-count=").otherwise(Rule::Discard, UNREACHABLE),
    row("remote", Operands::Subcommand, "-v --verbose"),
    row("reset", Operands::Any, "-qN --quiet --soft --mixed --intent-to-add --refresh --no-refresh")
        .under(Rule::Write)
        .otherwise(Rule::Discard, DISCARDS)
        .covered(),
    row("restore", Operands::Any, "-Sq --staged --quiet -s= --source=")
        .needs("-S --staged")
        .under(Rule::Write),
    ruled("restore", Rule::Discard).explained(DISCARDS).covered(),
    row("rm", Operands::Any, "-rnqf --cached --dry-run --quiet --force --ignore-unmatch").needs("--cached").under(Rule::Write),
    row("rm", Operands::Deletes, "-rnq --dry-run --quiet --ignore-unmatch")
        .under(Rule::Write)
        .otherwise(Rule::Discard, DISCARDS)
        .covered(),
    row("shortlog", Operands::Any, "-cens# --summary --numbered --email --committer --all --no-merges --group= --since= --until="),
    row("stash", Operands::Subcommand, "").under(Rule::Write),
    row("stash", Operands::Any, "*").under(Rule::Write),
    row("status", Operands::Any, "-sbvz --short --branch --long --show-stash --verbose -u? --porcelain? --untracked-files? --ignored?"),
    row("submodule", Operands::Subcommand, "-q --quiet").under(Rule::Project),
    row("switch", Operands::AtMost(2), "-qdt --quiet --detach --track --no-track --guess --no-guess -c= --create= --orphan=")
        .under(Rule::Write)
        .otherwise(Rule::Discard, DISCARDS)
        .covered(),
    row("symbolic-ref", Operands::AtMost(1), "-q --quiet --short").otherwise(Rule::Discard, MOVES_BRANCH),
    row("tag", Operands::AtMost(0), "-l --list -n? --contains? --sort= --points-at= --format="),
    row("tag", Operands::Any, "-l --list -n? --sort= --format=").needs("-l --list"),
    row("tag", Operands::AtMost(2), "-as --annotate --sign -m= --message= -F<")
        .under(Rule::Write)
        .otherwise(Rule::Discard, MOVES_TAG),
    row("worktree", Operands::Subcommand, "").under(Rule::Write),
];

pub(super) const CONFIG: &[Row] = &[
    ruled(
        "edit remove-section rename-section set unset",
        Rule::Protected,
    )
    .explained(SETTINGS),
    row(
        "get list",
        Operands::AtMost(1),
        "--all --show-origin --show-scope --name-only --global --local",
    )
    .under(Rule::Inspect),
];

pub(super) const REFLOG: &[Row] = &[
    ruled("delete drop expire", Rule::Discard).explained(UNREACHABLE),
    row(
        "exists show",
        Operands::AtMost(1),
        "-# --oneline --all -n= --max-count=",
    )
    .otherwise(Rule::Discard, UNREACHABLE),
];

pub(super) const REMOTE: &[Row] = &[
    ruled(
        "add set-url remove rename rm set-head set-branches",
        Rule::Protected,
    )
    .explained(SETTINGS),
    row("get-url", Operands::AtMost(1), "--all --push"),
    ruled("show update prune", Rule::Network),
];

pub(super) const STASH: &[Row] = &[
    ruled("drop clear", Rule::Discard).explained("deletes stashed changes"),
    row(
        "list show",
        Operands::Any,
        "-pu --stat --patch --name-only --oneline",
    ),
];

pub(super) const SUBMODULE: &[Row] = &[
    ruled("add sync update", Rule::Network).explained("downloads repositories"),
    ruled("deinit", Rule::Discard)
        .explained("removes work that cannot be recovered")
        .covered(),
    row("foreach", Operands::Script, "-q --quiet --recursive").under(Rule::Construct),
    row("status summary", Operands::Any, "--cached --recursive").under(Rule::Inspect),
];

pub(super) const WORKTREE: &[Row] = &[
    row("add", Operands::Writes, "-q --detach --quiet -b=")
        .under(Rule::Write)
        .otherwise(Rule::Discard, MOVES_BRANCH),
    row("list", Operands::AtMost(0), "-v --porcelain"),
    ruled("remove move", Rule::Discard).explained("removes a working directory"),
];
