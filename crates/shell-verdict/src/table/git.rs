//! git. What may lose work asks unless its form is known to keep it.

use super::{Operands, Row, row, ruled};
use crate::verdict::CommandRule as Rule;

const LOG: &str = "-puszqmib#aw --oneline --shortstat --numstat --name-only --name-status --summary --graph --all --patch --no-patch --abbrev-commit --reverse --follow --merges --no-merges --first-parent --no-color --cached --staged --check --quiet --exit-code --ignore-all-space --ignore-space-change --minimal --histogram --no-ext-diff --merge-base --topo-order --date-order --left-right --cherry-pick --full-history --raw --binary --no-index -nSGLU= --author= --committer= --grep= --since= --until= --after= --before= --max-count= --skip= --date= --diff-filter= --unified= -MC? --stat? --decorate? --format? --pretty? --abbrev? --color? --word-diff? --find-renames? --branches? --tags? --remotes? --relative? --submodule? -O< --output>";
const REVISIONS: &str = "-ptseqdrzl# --show-toplevel --git-dir --verify --quiet --all --count --tags --always --long --exact-match --left-right --is-inside-work-tree --show-prefix --heads --name-only --is-ancestor --symbolic-full-name --first-parent --fork-point --octopus --full-name -n= --match= --format= --sort= --max-count= --since= --max-parents= --abbrev-ref? --short? --dirty? --abbrev? --contains?";
const REFLOG: &str = "-# --oneline --all -n= --max-count=";

/// Branches and commits by convention, which are hardly files.
const BRANCHES: &str = "- main master develop development dev trunk staging production HEAD HEAD~* HEAD^* @{-* origin/* upstream/* feature/* feat/* fix/* bugfix/* hotfix/* release/* chore/* topic/* docs/* refactor/*";

const DISCARDS: &str = "discards uncommitted changes";
const DOWNLOADS: &str = "downloads repositories";
const MOVES_BRANCH: &str = "deletes or moves a branch whose commits may be lost";
const SETTINGS: &str = "changes the settings of git";
const UNREACHABLE: &str = "removes commits that no branch contains";
const UNTRACKED: &str = "deletes untracked files";

pub(super) const COMMANDS: &[Row] = &[
    ruled("add stage apply am archive bundle format-patch hash-object merge cherry-pick revert rebase notes lfs bisect sparse-checkout", Rule::Write).alarms(&[
        ("deinit remove prune", Rule::Discard, "removes work that cannot be recovered"),
        ("push pull fetch clone --remote*", Rule::Network, DOWNLOADS),
    ]),
    row("blame annotate", Operands::Any, "-wCMlstefnp --porcelain -L= --date= --since="),
    row("branch", Operands::AtMost(0), "-avrl --all --list --remotes --show-current --verbose --contains? --merged? --no-merged? --color? --sort= --format= --points-at="),
    row("branch", Operands::Any, "-avrl --all --list --remotes --verbose --color? --sort= --format= --merged? --no-merged? --contains?").needs("-l --list --merged --no-merged --contains"),
    row("branch", Operands::AtMost(2), "-qtdm --quiet --track --no-track --delete --move -u= --set-upstream-to=").under(Rule::Write).otherwise(Rule::Discard, MOVES_BRANCH),
    row("cat-file rev-parse rev-list cherry name-rev describe merge-base for-each-ref show-ref ls-tree count-objects", Operands::Any, REVISIONS),
    row("check-attr check-ignore", Operands::Any, "-vnqz --verbose --no-index"),
    row("checkout", Operands::AtMost(1), "-qt --quiet --track --no-track -b= --orphan=").needs("-b --orphan").under(Rule::Write),
    row("checkout", Operands::AtMost(1), "-qd --quiet --detach --progress --no-progress --guess --no-guess").needs(BRANCHES).under(Rule::Write).otherwise(Rule::Discard, DISCARDS).covered(),
    row("clean", Operands::Any, "-ndxXq --dry-run --quiet").needs("-n --dry-run").under(Rule::Inspect),
    row("clean", Operands::Any, "-fdq --force --quiet").under(Rule::Discard).explained(UNTRACKED).covered(),
    ruled("clean", Rule::Discard).explained(UNTRACKED),
    row("clone", Operands::AtMost(1), "-qvnlsb= --quiet --verbose --bare --mirror --recursive --recurse-submodules? --branch= --depth= --single-branch --shallow-submodules").under(Rule::Write).alarms(&[("*", Rule::Network, "downloads a repository")]),
    row("clone", Operands::Copies, "* -bcjou= --branch= --config= --depth= --filter= --jobs= --origin= --server-option= --shallow-since= --shallow-exclude= --upload-pack= --bundle-uri= --reference< --reference-if-able< --template< --separate-git-dir>").under(Rule::Network).explained("downloads a repository"),
    ruled("commit", Rule::Write).explained("commits changes, which runs the hooks of the repository"),
    row("config", Operands::AtMost(2), "-lz --get --get-all --get-regexp --list --global --local --system --show-origin --show-scope --name-only --null --bool --int --path --includes --type= --default= -f< --file<").needs("-l --get --get-all --get-regexp --list get list").under(Rule::Inspect),
    row("config", Operands::AtMost(1), "--global --local --get? --get-all? --get-regexp?").under(Rule::Inspect).otherwise(Rule::Protected, SETTINGS),
    ruled("credential credential-cache credential-store", Rule::Secret),
    ruled("fetch ls-remote pull", Rule::Network),
    ruled("filter-branch filter-repo replace update-ref", Rule::Discard).explained("rewrites commits, which cannot be undone"),
    ruled("fsck help version", Rule::Inspect),
    ruled("gc prune repack", Rule::Discard).explained(UNREACHABLE),
    row("grep", Operands::Any, "-EFGPiIlLnowcvqhHpWz --count --line-number --name-only --ignore-case --cached --untracked --heading --break --and --or -ABC= -e%"),
    row("init", Operands::Creates, "-q --quiet --bare -b= --initial-branch=").under(Rule::Write),
    row("log show diff whatchanged range-diff diff-tree", Operands::Any, LOG).in_place(),
    row("ls-files", Operands::Any, "-cdmokstuzv --cached --deleted --modified --others --ignored --stage --exclude-standard --full-name --error-unmatch --eol -x= --exclude= -X<"),
    row("mv", Operands::Moves, "-knv").under(Rule::Write).otherwise(Rule::Discard, DISCARDS).covered(),
    ruled("push send-email remote-https request-pull", Rule::Network).explained("sends commits to another host").alarms(&[("-f --force* --delete -d --mirror --prune +*", Rule::Discard, "overwrites or deletes branches on another host")]),
    row("reflog", Operands::AtMost(0), REFLOG),
    row("reflog", Operands::AtMost(2), REFLOG).needs("show exists HEAD").otherwise(Rule::Discard, UNREACHABLE),
    row("remote", Operands::AtMost(0), "-v --verbose"),
    row("remote", Operands::AtMost(2), "--all --push").needs("get-url"),
    row("remote", Operands::AtMost(2), "-np").needs("show update prune").under(Rule::Network).otherwise(Rule::Protected, SETTINGS),
    row("reset", Operands::Any, "-qN --quiet --soft --mixed --intent-to-add --refresh --no-refresh").under(Rule::Write).otherwise(Rule::Discard, DISCARDS).covered(),
    row("restore", Operands::Any, "-Sq --staged --quiet -s= --source=").needs("-S --staged").under(Rule::Write),
    ruled("restore checkout-index read-tree", Rule::Discard).explained(DISCARDS).covered(),
    row("rm", Operands::Any, "-rnqf --cached --dry-run --quiet --force --ignore-unmatch").needs("--cached").under(Rule::Write),
    row("rm", Operands::Deletes, "-rnq --dry-run --quiet --ignore-unmatch").under(Rule::Write).otherwise(Rule::Discard, DISCARDS).covered(),
    row("shortlog", Operands::Any, "-cens# --summary --numbered --email --committer --all --no-merges --group= --since= --until="),
    row("stash", Operands::Any, "-pu --stat --patch --name-only --oneline").needs("list show"),
    ruled("stash", Rule::Write).alarms(&[("drop clear", Rule::Discard, "deletes stashed changes")]),
    row("status", Operands::Any, "-sbvz --short --branch --long --show-stash --verbose -u? --porcelain? --untracked-files? --ignored?"),
    ruled("submodule", Rule::Project).covered().alarms(&[
        ("add sync update", Rule::Network, DOWNLOADS),
        ("deinit", Rule::Discard, "removes work that cannot be recovered"),
        ("foreach", Rule::Opaque, "runs another command in an unknown way"),
    ]),
    row("switch", Operands::AtMost(2), "-qdt --quiet --detach --track --no-track --guess --no-guess -c= --create= --orphan=").under(Rule::Write).otherwise(Rule::Discard, DISCARDS).covered(),
    row("symbolic-ref", Operands::AtMost(1), "-q --quiet --short").otherwise(Rule::Discard, MOVES_BRANCH),
    row("tag", Operands::AtMost(0), "-l --list -n? --contains? --sort= --points-at= --format="),
    row("tag", Operands::Any, "-l --list -n? --sort= --format=").needs("-l --list"),
    row("tag", Operands::AtMost(2), "-as --annotate --sign -m= --message= -F<").under(Rule::Write).otherwise(Rule::Discard, "deletes or moves a tag"),
    row("worktree", Operands::AtMost(1), "-v --porcelain").needs("list"),
    row("worktree", Operands::Writes, "-q --detach --quiet -b=").needs("add").under(Rule::Write).otherwise(Rule::Discard, "removes a working directory"),
];
