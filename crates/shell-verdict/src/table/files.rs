//! Programs that copy, change and delete files.

use super::{Alarm, Handler, Operands, Row, row, ruled};
use crate::verdict::CommandRule as Rule;

const SET_ID: &[Alarm] = &[(
    "-m4* -m6* -m&u+s -m&g+s --mode=4* --mode=6* --mode=u+s",
    Rule::Permission,
    "sets set-ID bits",
)];

pub(super) const PROGRAMS: &[Row] = &[
    row("7z 7za 7zr ar cpio pax", Operands::Writes, "-oD/ --directory/ -F> --file>").under(Rule::Write),
    row("chmod chown chgrp setfacl", Operands::ModeThenPermits, "-Rvcfh --recursive --verbose").under(Rule::Write).alarms(&[("u+s g+s +s a+s ug+s u=s 4755 4711 4775 4777 2755 2775 2777 6755 6777 04755 02755", Rule::Permission, "sets set-ID bits")]),
    row("cmake", Operands::Any, "* -B/ --build/ --install/ --prefix/ -S< -DGCj= --target= --config= --preset= --parallel=").under(Rule::Project),
    row("cp gcp", Operands::Copies, "-abdfiHLlnPpRrsTuvx --archive --force --interactive --no-clobber --recursive --update --verbose --parents --no-target-directory --dereference --link --symbolic-link --preserve? --backup? -S= --suffix= -t/ --target-directory/").under(Rule::Write).in_place(),
    row("csplit split", Operands::Copies, "-dekszx --numeric-suffixes --quiet --keep-files --elide-empty-files -lbnCa= --lines= --bytes= --number= --suffix-length= --digits= -f> --prefix> --filter^").under(Rule::Write),
    ruled("dd", Rule::Write),
    row("dos2unix unix2dos strip", Operands::Writes, "").under(Rule::Write),
    row("fallocate mkfifo", Operands::Writes, "-lm= --length= --mode=").under(Rule::Write),
    row("find gfind", Operands::Any, "* +exec$ +execdir$ +ok$ +okdir$ +fprint> +fprint0> +fls> +fprintf>").under(Rule::Inspect).in_place().with(Handler::Find),
    row("gzip bzip2 xz zstd gunzip bunzip2 unxz unzstd", Operands::Writes, "-cdfkltqrv0123456789 --decompress --stdout --keep --force --best --fast --test --list -T= --threads= -o>").under(Rule::Write),
    row("install ginstall", Operands::Copies, "-bcCDdpsTv --directory --verbose --compare -mSog= --mode= --suffix= --owner= --group= -t/ --target-directory/").under(Rule::Write).alarms(SET_ID),
    row("ln gln link", Operands::Copies, "-fsnrTvbiPL --symbolic --force --relative --verbose --no-dereference -t/ --target-directory/").under(Rule::Write),
    row("mkdir", Operands::Creates, "-pv --parents --verbose -m= --mode=").under(Rule::Write).alarms(SET_ID),
    row("mktemp", Operands::Writes, "-dqut --directory --dry-run --quiet --suffix= -p/ --tmpdir/").under(Rule::Write),
    row("mv gmv", Operands::Moves, "-bfinTuv --force --no-clobber --verbose --update --no-target-directory --backup? -S= --suffix= -t/ --target-directory/").under(Rule::Write),
    row("patch", Operands::Writes, "-NRsEfbt --dry-run --reverse --forward --batch -p= --strip= -i< --input< -d/ --directory/ -or> --output> --reject-file>").under(Rule::Write),
    row("rm grm unlink rmdir", Operands::Deletes, "-dfirRvIp --force --recursive --verbose --dir --preserve-root --one-file-system --parents --ignore-fail-on-non-empty --interactive?").under(Rule::Write),
    row("rsync", Operands::Copies, "-avzrlptgoDnuhPcx --archive --dry-run --verbose --progress --stats --human-readable --recursive --compress --partial --exclude= --include= --files-from< --exclude-from< --include-from< --password-file< -e^ --rsh^ --rsync-path^").under(Rule::Write).alarms(&[
            ("--delete*", Rule::Delete, "deletes files that are missing in the source"),
            ("*:*", Rule::Network, "copies files to or from another host"),
        ]),
    row("sed gsed", Operands::LinesThenReads, "-nsu --quiet --silent"),
    row("sed gsed", Operands::PatternThenReads, "-nErsuz --quiet --silent --regexp-extended --separate --null-data --debug --sandbox --posix -l= --line-length= -e% --expression% -f< --file<").under(Rule::Interpreter),
    row("sed gsed", Operands::ProgramThenWrites, "-inErsuz --in-place? --quiet --silent --regexp-extended -e% --expression% -f< --file<").under(Rule::Interpreter),
    row("shred truncate", Operands::Deletes, "-fuvzxco --force --zero --no-create -ns= --iterations= --size= --remove= -r< --reference<").under(Rule::Discard).covered(),
    row("tar gtar bsdtar", Operands::Reads, "-rtuxzjJavpkOmhSlZwU --create --extract --get --list --gzip --bzip2 --xz --zstd --verbose --no-same-owner --wildcards --keep-old-files --overwrite --strip-components= --exclude= --sort= --format= -XT< --exclude-from< --files-from< -fg< --file< -C/ --directory/ -IF^ --to-command^ --checkpoint-action^ --use-compress-program^ --rsh-command^ --info-script^ --new-volume-script^").needs("-x -t --extract --get --list").under(Rule::Write),
    row("tar gtar bsdtar", Operands::Reads, "-AcruzjJavphSlZwU --create --append --update --gzip --bzip2 --xz --zstd --verbose --wildcards --exclude= --owner= --group= --mtime= --sort= --transform= --format= -XT< --exclude-from< --files-from< -fg> --file> -C/ --directory/ -IF^ --to-command^ --checkpoint-action^ --use-compress-program^ --rsh-command^ --info-script^ --new-volume-script^").under(Rule::Write),
    row("tee", Operands::Writes, "-ai --append --ignore-interrupts").under(Rule::Write).in_place(),
    row("touch", Operands::Writes, "-acmh --no-create -dt= --date= -r< --reference<").under(Rule::Write).in_place(),
    row("unzip", Operands::Reads, "-lvtqnopj -x= -d/").under(Rule::Write),
    row("xxd", Operands::Copies, "-abCeEipru -cglnosR="),
    row("zip", Operands::Writes, "-rqvju0123456789yX -xi= --exclude= --include= +TT^ --unzip-command^").under(Rule::Write).alarms(&[("-m --move", Rule::Delete, "deletes the files that it archives")]),
];
