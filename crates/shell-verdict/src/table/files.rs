//! Programs that copy, change and delete files.

use super::{Handler, Operands, Row, Trigger, row, ruled};
use crate::verdict::CommandRule as Rule;

const SET_ID: &[Trigger] = &[(
    "-m&4??? -m&2??? -m&6??? -m4* -m6* -m&u+s -m&g+s --mode=4* --mode=6* --mode=u+s",
    Rule::Permission,
    "sets set-ID bits",
)];

pub(super) const PROGRAMS: &[Row] = &[
    row("7z 7za 7zr ar cpio pax", Operands::Writes)
        .under(Rule::Write)
        .directory("oD", "--directory")
        .write("F", "--file"),
    ruled("chmod chown chgrp setfacl", Rule::Write).with(Handler::Permissions),
    row("cmake", Operands::Any)
        .under(Rule::Project)
        .directory("B", "--build --install --prefix")
        .read("S", "")
        .plain("DGCj", "--target --config --preset --parallel"),
    row("cp gcp", Operands::Copies)
        .under(Rule::Write)
        .flags("abdfiHLlnPpRrsTuvx", "--archive --force --interactive --no-clobber --recursive --update --verbose --parents --no-target-directory --dereference --link --symbolic-link")
        .optional("", "--preserve --backup")
        .plain("S", "--suffix")
        .directory("t", "--target-directory")
        .in_place(),
    row("csplit split", Operands::Copies)
        .under(Rule::Write)
        .flags("dekszx", "--numeric-suffixes --quiet --keep-files --elide-empty-files")
        .plain("lbnCa", "--lines --bytes --number --suffix-length --digits")
        .write("f", "--prefix")
        .shell("", "--filter"),
    ruled("dd", Rule::Write).with(Handler::Dd),
    row("dos2unix unix2dos strip", Operands::Writes).under(Rule::Write),
    row("fallocate mkfifo", Operands::Writes).under(Rule::Write).plain("lm", "--length --mode"),
    ruled("find gfind", Rule::Inspect).with(Handler::Find),
    row("gzip bzip2 xz zstd gunzip bunzip2 unxz unzstd", Operands::Writes)
        .under(Rule::Write)
        .flags("cdfkltqrv0123456789", "--decompress --stdout --keep --force --best --fast --test --list")
        .plain("T", "--threads")
        .write("o", ""),
    row("install ginstall", Operands::Copies)
        .under(Rule::Write)
        .flags("bcCDdpsTv", "--directory --verbose --compare")
        .plain("mSog", "--mode --suffix --owner --group")
        .directory("t", "--target-directory")
        .triggers(SET_ID),
    row("ln gln link", Operands::Any)
        .under(Rule::Write)
        .flags("fsnrTvbiPL", "--symbolic --force --relative --verbose --no-dereference")
        .directory("t", "--target-directory")
        .with(Handler::Link),
    row("mkdir", Operands::Creates)
        .under(Rule::Write)
        .flags("pv", "--parents --verbose")
        .plain("m", "--mode")
        .triggers(SET_ID),
    row("mktemp", Operands::Writes)
        .under(Rule::Write)
        .flags("dqut", "--directory --dry-run --quiet")
        .plain("", "--suffix")
        .directory("p", "--tmpdir"),
    row("mv gmv", Operands::Moves)
        .under(Rule::Write)
        .flags("bfinTuv", "--force --no-clobber --verbose --update --no-target-directory")
        .optional("", "--backup")
        .plain("S", "--suffix")
        .directory("t", "--target-directory"),
    row("patch", Operands::Writes)
        .under(Rule::Write)
        .flags("NRsEfbt", "--dry-run --reverse --forward --batch")
        .plain("p", "--strip")
        .read("i", "--input")
        .directory("d", "--directory")
        .write("or", "--output --reject-file"),
    row("rm grm unlink rmdir", Operands::Deletes)
        .under(Rule::Write)
        .flags("dfirRvIp", "--force --recursive --verbose --dir --preserve-root --one-file-system --parents --ignore-fail-on-non-empty")
        .optional("", "--interactive"),
    row("rsync", Operands::Copies)
        .under(Rule::Write)
        .flags("avzrlptgoDnuhPcx", "--archive --dry-run --verbose --progress --stats --human-readable --recursive --compress --partial")
        .plain("", "--exclude --include")
        .read("", "--files-from --exclude-from --include-from --password-file")
        .shell("e", "--rsh --rsync-path")
        .triggers(&[
            ("--delete*", Rule::Delete, "deletes files that are missing in the source"),
            ("*:*", Rule::Network, "copies files to or from another host"),
        ]),
    row("sed gsed", Operands::Any)
        .flags("nErsuz", "--quiet --silent --regexp-extended --separate --null-data --debug --sandbox --posix")
        .plain("l", "--line-length")
        .optional("i", "--in-place")
        .pattern("e", "--expression")
        .read("f", "--file")
        .with(Handler::Sed),
    row("shred truncate", Operands::Deletes)
        .under(Rule::Discard)
        .flags("fuvzxco", "--force --zero --no-create")
        .plain("ns", "--iterations --size --remove")
        .read("r", "--reference"),
    row("tar gtar bsdtar", Operands::Any)
        .under(Rule::Write)
        .flags("AcrtuxzjJavpkOmhSlZwUP", "--create --extract --get --list --append --update --gzip --bzip2 --xz --zstd --verbose --no-same-owner --wildcards --keep-old-files --overwrite --absolute-names --absolute-paths --remove-files")
        .optional("", "--checkpoint --one-top-level")
        .plain("", "--strip-components --exclude --owner --group --mtime --sort --transform --format")
        .read("XT", "--exclude-from --files-from")
        .write("fg", "--file")
        .directory("C", "--directory")
        .shell("IF", "--to-command --checkpoint-action --use-compress-program --rsh-command --info-script --new-volume-script")
        .with(Handler::Tar),
    row("tee", Operands::Writes)
        .under(Rule::Write)
        .flags("ai", "--append --ignore-interrupts")
        .in_place()
        .with(Handler::Tee),
    row("touch", Operands::Writes)
        .under(Rule::Write)
        .flags("acmh", "--no-create")
        .in_place()
        .plain("dt", "--date")
        .read("r", "--reference"),
    row("unzip", Operands::Reads)
        .under(Rule::Write)
        .flags("lvtqnopj", "")
        .plain("x", "")
        .directory("d", ""),
    row("xxd", Operands::Copies)
        .flags("abCeEipru", "")
        .plain("cglnosR", "")
        .with(Handler::Decoder),
    row("zip", Operands::ArchiveThenReads)
        .under(Rule::Write)
        .flags("rqvju0123456789yX", "")
        .plain("xi", "--exclude --include")
        .shell("", "-TT --unzip-command")
        .triggers(&[("-m --move", Rule::Delete, "deletes the files that it archives")]),
];

/// Commands of `cmake -E`.
pub(super) const CMAKE_TOOLS: &[Row] = &[
    row(
        "cat compare_files md5sum sha1sum sha256sum sha512sum",
        Operands::Reads,
    )
    .under(Rule::Inspect),
    row("chdir", Operands::Command(1)).under(Rule::Project),
    row(
        "copy copy_if_different copy_directory copy_directory_if_different",
        Operands::Copies,
    )
    .under(Rule::Write)
    .directory("t", ""),
    row("create_symlink create_hardlink", Operands::Any)
        .under(Rule::Write)
        .with(Handler::Link),
    row("env", Operands::Command(0))
        .under(Rule::Environment)
        .with(Handler::Env),
    row("remove remove_directory rm", Operands::Deletes)
        .under(Rule::Write)
        .flags("rRf", ""),
    row("rename", Operands::Moves).under(Rule::Write),
    row("tar", Operands::Any)
        .under(Rule::Write)
        .write("f", "")
        .with(Handler::Tar),
    row("time", Operands::Command(0)).under(Rule::Inspect),
    row("touch touch_nocreate make_directory", Operands::Writes).under(Rule::Write),
];
