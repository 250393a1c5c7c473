//! Programs that copy, change and delete files.

use super::{Alarm, Handler, Operands, Row, row, ruled};
use crate::verdict::CommandRule as Rule;

const SET_ID: &[Alarm] = &[(
    "-m&4??? -m&2??? -m&6??? -m4* -m6* -m&u+s -m&g+s --mode=4* --mode=6* --mode=u+s",
    Rule::Permission,
    "sets set-ID bits",
)];

pub(super) const PROGRAMS: &[Row] = &[
    row("7z 7za 7zr ar cpio pax", Operands::Writes, "-oD/ --directory/ -F> --file>")
        .under(Rule::Write),
    ruled("chmod chown chgrp setfacl", Rule::Write).with(Handler::Permissions),
    row("cmake", Operands::Any, "* -B/ --build/ --install/ --prefix/ -S< -DGCj= --target= --config= --preset= --parallel=")
        .under(Rule::Project),
    row("cp gcp", Operands::Copies, "-abdfiHLlnPpRrsTuvx --archive --force --interactive --no-clobber --recursive --update --verbose --parents --no-target-directory --dereference --link --symbolic-link --preserve? --backup? -S= --suffix= -t/ --target-directory/")
        .under(Rule::Write)
        .in_place(),
    row("csplit split", Operands::Copies, "-dekszx --numeric-suffixes --quiet --keep-files --elide-empty-files -lbnCa= --lines= --bytes= --number= --suffix-length= --digits= -f> --prefix> --filter!")
        .under(Rule::Write),
    ruled("dd", Rule::Write).with(Handler::Dd),
    row("dos2unix unix2dos strip", Operands::Writes, "").under(Rule::Write),
    row("fallocate mkfifo", Operands::Writes, "-lm= --length= --mode=").under(Rule::Write),
    ruled("find gfind", Rule::Inspect).with(Handler::Find),
    row("gzip bzip2 xz zstd gunzip bunzip2 unxz unzstd", Operands::Writes, "-cdfkltqrv0123456789 --decompress --stdout --keep --force --best --fast --test --list -T= --threads= -o>")
        .under(Rule::Write),
    row("install ginstall", Operands::Copies, "-bcCDdpsTv --directory --verbose --compare -mSog= --mode= --suffix= --owner= --group= -t/ --target-directory/")
        .under(Rule::Write)
        .alarms(SET_ID),
    row("ln gln link", Operands::Any, "-fsnrTvbiPL --symbolic --force --relative --verbose --no-dereference -t/ --target-directory/")
        .under(Rule::Write)
        .with(Handler::Link),
    row("mkdir", Operands::Creates, "-pv --parents --verbose -m= --mode=")
        .under(Rule::Write)
        .alarms(SET_ID),
    row("mktemp", Operands::Writes, "-dqut --directory --dry-run --quiet --suffix= -p/ --tmpdir/")
        .under(Rule::Write),
    row("mv gmv", Operands::Moves, "-bfinTuv --force --no-clobber --verbose --update --no-target-directory --backup? -S= --suffix= -t/ --target-directory/")
        .under(Rule::Write),
    row("patch", Operands::Writes, "-NRsEfbt --dry-run --reverse --forward --batch -p= --strip= -i< --input< -d/ --directory/ -or> --output> --reject-file>")
        .under(Rule::Write),
    row("rm grm unlink rmdir", Operands::Deletes, "-dfirRvIp --force --recursive --verbose --dir --preserve-root --one-file-system --parents --ignore-fail-on-non-empty --interactive?")
        .under(Rule::Write),
    row("rsync", Operands::Copies, "-avzrlptgoDnuhPcx --archive --dry-run --verbose --progress --stats --human-readable --recursive --compress --partial --exclude= --include= --files-from< --exclude-from< --include-from< --password-file< -e! --rsh! --rsync-path!")
        .under(Rule::Write)
        .alarms(&[
            ("--delete*", Rule::Delete, "deletes files that are missing in the source"),
            ("*:*", Rule::Network, "copies files to or from another host"),
        ]),
    row("sed gsed", Operands::PatternThenReads, "-nErsuz --quiet --silent --regexp-extended --separate --null-data --debug --sandbox --posix -l= --line-length= -i? --in-place? -e% --expression% -f< --file<")
        .with(Handler::Sed),
    row("shred truncate", Operands::Deletes, "-fuvzxco --force --zero --no-create -ns= --iterations= --size= --remove= -r< --reference<")
        .under(Rule::Discard)
        .covered(),
    row("tar gtar bsdtar", Operands::Any, "-AcrtuxzjJavpkOmhSlZwUP --create --extract --get --list --append --update --gzip --bzip2 --xz --zstd --verbose --no-same-owner --wildcards --keep-old-files --overwrite --absolute-names --absolute-paths --remove-files --checkpoint? --one-top-level? --strip-components= --exclude= --owner= --group= --mtime= --sort= --transform= --format= -XT< --exclude-from< --files-from< -fg> --file> -C/ --directory/ -IF! --to-command! --checkpoint-action! --use-compress-program! --rsh-command! --info-script! --new-volume-script!")
        .under(Rule::Write)
        .with(Handler::Tar),
    row("tee", Operands::Writes, "-ai --append --ignore-interrupts")
        .under(Rule::Write)
        .in_place(),
    row("touch", Operands::Writes, "-acmh --no-create -dt= --date= -r< --reference<")
        .under(Rule::Write)
        .in_place(),
    row("unzip", Operands::Reads, "-lvtqnopj -x= -d/")
        .under(Rule::Write),
    row("xxd", Operands::Copies, "-abCeEipru -cglnosR=")
        .decodes(),
    row("zip", Operands::ArchiveThenReads, "-rqvju0123456789yX -xi= --exclude= --include= +TT! --unzip-command!")
        .under(Rule::Write)
        .alarms(&[("-m --move", Rule::Delete, "deletes the files that it archives")]),
];

/// Commands of `cmake -E`.
pub(super) const CMAKE_TOOLS: &[Row] = &[
    row(
        "cat compare_files md5sum sha1sum sha256sum sha512sum",
        Operands::Reads,
        "",
    )
    .under(Rule::Inspect),
    row("chdir", Operands::Command(1), "").under(Rule::Project),
    row(
        "copy copy_if_different copy_directory copy_directory_if_different",
        Operands::Copies,
        "-t/",
    )
    .under(Rule::Write),
    row("create_symlink create_hardlink", Operands::Any, "")
        .under(Rule::Write)
        .with(Handler::Link),
    row("env", Operands::Command(0), "")
        .under(Rule::Environment)
        .with(Handler::Env),
    row("remove remove_directory rm", Operands::Deletes, "-rRf").under(Rule::Write),
    row("rename", Operands::Moves, "").under(Rule::Write),
    row("tar", Operands::Any, "-f>")
        .under(Rule::Write)
        .with(Handler::Tar),
    row("time", Operands::Command(0), "").under(Rule::Inspect),
    row("touch touch_nocreate make_directory", Operands::Writes, "").under(Rule::Write),
];
