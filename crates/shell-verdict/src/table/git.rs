//! git, one row for each subcommand.

use super::{Operands, Row, row, ruled};
use crate::verdict::CommandRule as Rule;

const LOG: &str = "--oneline --shortstat --numstat --name-only --name-status --summary --graph --all --patch --no-patch --abbrev-commit --reverse --follow --merges --no-merges --first-parent --no-color --cached --staged --check --quiet --exit-code --ignore-all-space --ignore-space-change --minimal --histogram --no-ext-diff --merge-base --topo-order --date-order --left-right --cherry-pick --full-history --raw --binary --no-index";
const LOG_VALUES: &str = "--author --committer --grep --since --until --after --before --max-count --skip --date --diff-filter --unified";
const LOG_OPTIONAL: &str = "--stat --decorate --format --pretty --abbrev --color --word-diff --find-renames --branches --tags --remotes --relative --submodule";
const REVISIONS: &str = "--show-toplevel --git-dir --verify --quiet --all --count --tags --always --long --exact-match --left-right --is-inside-work-tree --show-prefix --heads --name-only --is-ancestor --symbolic-full-name --first-parent --fork-point --octopus --full-name";

const DISCARDS: &str = "discards uncommitted changes";

pub(super) const COMMANDS: &[Row] = &[
    row("add stage", Operands::Any).under(Rule::Write),
    row("apply am", Operands::Reads)
        .under(Rule::Write)
        .flags("vR3q", "--check --stat --index --cached --reverse --3way --abort --continue --skip --reject --numstat --summary --recount")
        .plain("pC", "--whitespace --exclude --include")
        .directory("", "--directory"),
    row("archive format-patch bundle", Operands::Any)
        .under(Rule::Write)
        .write("o", "--output --output-directory")
        .shell("", "--exec")
        .triggers(&[("--remote*", Rule::Network, "connects to other hosts")]),
    ruled("bisect notes sparse-checkout submodule lfs", Rule::Project)
        .triggers(&[
            ("update add sync push pull fetch clone", Rule::Network, "downloads repositories"),
            ("deinit remove prune", Rule::Discard, "removes work that cannot be recovered"),
        ]),
    row("blame annotate", Operands::Any)
        .flags("wCMlstefnp", "--porcelain")
        .plain("L", "--date --since"),
    row("branch", Operands::None)
        .flags("avrl", "--all --list --remotes --show-current --verbose")
        .optional("", "--contains --merged --no-merged --color")
        .plain("", "--sort --format --points-at")
        .triggers(&[("-D --force -f", Rule::Discard, "deletes or moves a branch whose commits may be lost")]),
    row("cat-file rev-parse rev-list cherry name-rev describe merge-base for-each-ref show-ref ls-tree count-objects", Operands::Any)
        .flags("ptseqdrzl#", REVISIONS)
        .plain("n", "--match --format --sort --max-count --since --max-parents")
        .optional("", "--abbrev-ref --short --dirty --abbrev --contains"),
    row("check-ignore check-attr", Operands::Any).flags("vnqz", "--verbose --no-index"),
    ruled("checkout", Rule::Write)
        .triggers(&[("-f --force -- . :/ HEAD* --theirs --ours", Rule::Discard, DISCARDS)]),
    row("checkout-index", Operands::Any)
        .under(Rule::Write)
        .write("", "--prefix")
        .triggers(&[("-f --force", Rule::Discard, DISCARDS)]),
    ruled("clean", Rule::Discard)
        .explained("deletes untracked files")
        .displays("-n --dry-run"),
    row("clone", Operands::Clones)
        .under(Rule::Network)
        .explained("downloads a repository")
        .flags("lnqsv46", "--local --no-hardlinks --shared --no-checkout --bare --mirror --quiet --verbose --progress --dissociate --sparse --single-branch --no-single-branch --no-tags --shallow-submodules --remote-submodules")
        .plain("bcjou", "--branch --config --depth --filter --jobs --origin --server-option --shallow-since --shallow-exclude --upload-pack --bundle-uri")
        .optional("", "--recurse-submodules")
        .read("", "--reference --reference-if-able --template")
        .write("", "--separate-git-dir"),
    ruled("commit", Rule::Write)
        .explained("commits changes, which runs the hooks of the repository"),
    row("config", Operands::Any)
        .under(Rule::Protected)
        .explained("changes the settings of git")
        .displays("--get --get-all --get-regexp --list -l get list --get=* --get-regexp=* (1)")
        .read("f", "--file"),
    ruled("credential credential-store credential-cache", Rule::Secret),
    ruled("difftool mergetool", Rule::Interpreter),
    ruled("fetch pull ls-remote", Rule::Network),
    ruled("filter-branch filter-repo update-ref replace", Rule::Discard)
        .explained("rewrites commits, which cannot be undone"),
    ruled("fsck", Rule::Inspect),
    ruled("gc prune repack", Rule::Discard).explained("removes commits that no branch contains"),
    row("grep", Operands::Any)
        .flags("EFGPiIlLnowcvqhHpWz", "--count --line-number --name-only --ignore-case --cached --untracked --heading --break --and --or")
        .plain("ABCe", ""),
    row("hash-object", Operands::Reads).flags("w", "--stdin").plain("t", "").under(Rule::Write),
    row("help version", Operands::None).under(Rule::Inspect),
    row("init", Operands::Creates)
        .under(Rule::Write)
        .flags("q", "--quiet --bare")
        .plain("b", "--initial-branch"),
    row("log show diff whatchanged range-diff diff-tree", Operands::Any)
        .flags("puszqmib#aw", LOG)
        .plain("nSGLU", LOG_VALUES)
        .optional("MC", LOG_OPTIONAL)
        .read("O", "")
        .write("", "--output")
        .in_place(),
    row("ls-files", Operands::Any)
        .flags("cdmokstuzv", "--cached --deleted --modified --others --ignored --stage --exclude-standard --full-name --error-unmatch --eol")
        .plain("x", "--exclude")
        .read("X", ""),
    ruled("merge rebase cherry-pick revert", Rule::Write)
        .triggers(&[("-x* --exec* -i --interactive", Rule::Interpreter, "runs code whose effects are not known in advance")]),
    row("mv", Operands::Moves).under(Rule::Write).flags("fknv", ""),
    ruled("push send-email remote-https request-pull", Rule::Network)
        .explained("sends commits to another host")
        .triggers(&[("-f --force* --delete -d --mirror --prune", Rule::Discard, "overwrites or deletes branches on another host")]),
    row("reflog", Operands::Any)
        .flags("#", "--oneline --all")
        .plain("n", "--max-count")
        .triggers(&[("expire delete", Rule::Discard, "removes commits that no branch contains")]),
    row("remote", Operands::Subcommand).flags("v", "--verbose"),
    row("reset", Operands::Any)
        .under(Rule::Write)
        .triggers(&[("--hard --merge --keep", Rule::Discard, DISCARDS)]),
    row("restore", Operands::Any)
        .under(Rule::Discard)
        .explained(DISCARDS)
        .displays("--staged -S"),
    row("rm", Operands::Deletes)
        .under(Rule::Write)
        .flags("frnq", "--force --dry-run --quiet --ignore-unmatch")
        .displays("--cached"),
    row("shortlog", Operands::Any)
        .flags("cens#", "--summary --numbered --email --committer --all --no-merges")
        .plain("", "--group --since --until"),
    row("stash", Operands::Subcommand).under(Rule::Write),
    row("status", Operands::Any)
        .flags("sbvz", "--short --branch --long --show-stash --verbose")
        .optional("u", "--porcelain --untracked-files --ignored"),
    ruled("switch", Rule::Write)
        .triggers(&[("-f --force --discard-changes -C", Rule::Discard, DISCARDS)]),
    row("tag", Operands::None)
        .flags("l", "--list")
        .optional("n", "--contains")
        .plain("", "--sort --points-at --format")
        .triggers(&[("-d --delete -f --force", Rule::Discard, "deletes or moves a tag")]),
    row("worktree", Operands::Subcommand).under(Rule::Write),
];

pub(super) const STASH: &[Row] = &[
    ruled("drop clear", Rule::Discard).explained("deletes stashed changes"),
    row("list show", Operands::Any).flags("pu", "--stat --patch --name-only --oneline"),
];

pub(super) const REMOTE: &[Row] = &[
    row(
        "add set-url remove rename rm set-head set-branches",
        Operands::Any,
    )
    .under(Rule::Protected)
    .explained("changes the settings of git"),
    row("get-url", Operands::Any).flags("", "--all --push"),
    ruled("show update prune", Rule::Network),
];

pub(super) const WORKTREE: &[Row] = &[
    row("add", Operands::Writes)
        .under(Rule::Write)
        .flags("qf", "--detach --quiet --force")
        .plain("bB", ""),
    row("list", Operands::None).flags("v", "--porcelain"),
    ruled("remove move", Rule::Discard).explained("removes a working directory"),
];
