//! Programs that read files and print text.

use super::{Handler, Operands, Row, row};

pub(super) const PROGRAMS: &[Row] = &[
    row("basename dirname", Operands::Any)
        .flags("az", "--multiple --zero")
        .plain("s", "--suffix"),
    row("cal", Operands::Any)
        .flags("13my#", ""),
    row("cmp", Operands::Reads)
        .flags("bls", "")
        .plain("in", ""),
    row("column", Operands::Reads)
        .flags("tnxe", "--table")
        .plain("soc", "--separator"),
    row("cut", Operands::Reads)
        .flags("nsz", "--complement --only-delimited")
        .plain("bcdf", "--delimiter --fields --characters --output-delimiter"),
    row("df", Operands::Reads)
        .flags("ahHiklPT", "--human-readable --total")
        .plain("tx", "")
        .optional("", "--output"),
    row("diff colordiff sdiff", Operands::Reads)
        .flags("abBcdeEiNnpqrsTtuwy", "--brief --recursive --new-file --side-by-side --ignore-all-space --ignore-space-change --strip-trailing-cr --stat --suppress-common-lines --left-column --report-identical-files --text --minimal")
        .plain("UCxILW", "--exclude --label --width --new-line-format --old-line-format --unchanged-line-format --line-format")
        .optional("", "--unified --context --color")
        .read("", "--to-file --from-file"),
    row("du", Operands::Reads)
        .flags("abcDhHklLmPsSx0", "--all --summarize --human-readable --total --apparent-size")
        .plain("dt", "--max-depth --exclude")
        .read("X", ""),
    row("fd fdfind", Operands::PatternThenReads)
        .with(Handler::Fd)
        .flags("HIaglLps0u", "--hidden --no-ignore --absolute-path --glob")
        .plain("etdE", "--type --extension --exclude --max-depth"),
    row("file", Operands::Reads)
        .flags("bihL", "--brief --mime --mime-type"),
    row("fold fmt expand unexpand pr", Operands::Reads)
        .flags("sbuic#", "")
        .plain("wt", "--width --tabs"),
    row("grep egrep fgrep ggrep zgrep", Operands::PatternThenReads)
        .flags("EFGPacHhiILlnoqrRsUvVwxyzTZ#", "--count --extended-regexp --fixed-strings --basic-regexp --perl-regexp --files-with-matches --files-without-match --ignore-case --invert-match --line-number --line-regexp --no-filename --with-filename --no-messages --null --only-matching --quiet --silent --recursive --dereference-recursive --text --word-regexp --line-buffered --help --version")
        .plain("ABCmdD", "--after-context --before-context --binary-files --include --exclude --exclude-dir --max-count")
        .pattern("e", "--regexp")
        .read("f", "--exclude-from --file")
        .optional("", "--context --color --colour"),
    row("head ghead", Operands::Reads)
        .flags("qvz#", "--quiet --silent --verbose")
        .plain("nc", "--lines --bytes"),
    row("hexdump hd", Operands::Reads)
        .flags("bcCdovx", "")
        .plain("ens", "")
        .read("f", ""),
    row("id", Operands::Any)
        .flags("ugnGrz", ""),
    row("jq gojq", Operands::PatternThenReads)
        .with(Handler::Jq)
        .flags("acCeMnrRsSj", "--slurp --raw-output --raw-input --compact-output --null-input --exit-status --tab --sort-keys --args --jsonargs --color-output --monochrome-output")
        .read("fL", "--from-file")
        .pair("", "--arg --argjson --slurpfile --rawfile")
        .plain("", "--indent"),
    row("ls gls dir vdir", Operands::Reads)
        .flags("aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1", "--all --almost-all --human-readable --recursive --reverse --classify --group-directories-first --full-time --size --inode --directory --help --version")
        .plain("IwT", "--sort --time --time-style --hide --ignore --format")
        .optional("", "--color"),
    row("md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum shasum cksum sum", Operands::Reads)
        .flags("bt", "--binary --text --tag")
        .plain("a", ""),
    row("nl", Operands::Reads)
        .flags("p", "")
        .plain("bwsvn", ""),
    row("numfmt", Operands::Any)
        .flags("z", "--grouping --zero-terminated")
        .plain("d", "--to --from --from-unit --to-unit --suffix --field --padding --round --format --delimiter --invalid")
        .optional("", "--header"),
    row("od", Operands::Reads)
        .flags("abcdfhiloxsv", "--output-duplicates --version --help")
        .plain("AjNSt", "--address-radix --skip-bytes --read-bytes --format")
        .optional("w", "--width"),
    row("paste join comm", Operands::Reads)
        .flags("123sziv", "")
        .plain("dtaoje", "--delimiters"),
    row("pwd", Operands::None)
        .flags("LP", "--logical --physical"),
    row("readlink realpath", Operands::Any)
        .flags("femnqsvz", "--canonicalize --canonicalize-missing --no-symlinks")
        .plain("", "--relative-to --relative-base"),
    row("rg", Operands::PatternThenReads)
        .flags("aciFHhIlLNnopPqSsUuvVwx.", "--hidden --no-ignore --no-ignore-vcs --files --files-with-matches --files-without-match --type-list --ignore-case --smart-case --fixed-strings --line-number --no-line-number --no-heading --heading --count --count-matches --json --multiline --only-matching --pcre2 --stats --word-regexp --invert-match --vimgrep --with-filename --no-filename --passthru --follow --version --help")
        .plain("ABCgmMtTjrd", "--type --type-not --glob --iglob --color --context --after-context --before-context --max-count --max-depth --replace --sort")
        .pattern("e", "--regexp")
        .read("f", ""),
    row("seq factor expr", Operands::Any)
        .flags("w", "--equal-width --version")
        .plain("fs", "--format --separator"),
    row("shuf", Operands::Reads)
        .flags("erz", "")
        .plain("ni", "")
        .write("o", ""),
    row("sleep", Operands::Any),
    row("sort gsort", Operands::Reads)
        .flags("bcCdfghimMnrRsuVz", "--reverse --unique --numeric-sort --version-sort --human-numeric-sort")
        .plain("ktS", "--key --field-separator --parallel --batch-size")
        .write("oT", "--output --temporary-directory")
        .in_place()
        .read("", "--random-source"),
    row("stat", Operands::Reads)
        .flags("fLt", "")
        .plain("c", "--format --printf"),
    row("strings", Operands::Reads)
        .flags("afwd#", "--all --print-file-name")
        .plain("ntTe", "--bytes --radix --encoding"),
    row("tac rev", Operands::Reads),
    row("tail gtail", Operands::Reads)
        .flags("fFqvz#", "--quiet --retry")
        .plain("nc", "--lines --bytes --pid")
        .optional("", "--follow"),
    row("tr", Operands::Any)
        .flags("cCdst", "--delete --squeeze-repeats --complement"),
    row("tree", Operands::Reads)
        .flags("adfilpsughDFrtvxCnQN", "--dirsfirst --noreport --du --prune --gitignore")
        .plain("LIP", "")
        .write("o", ""),
    row("type which", Operands::Any)
        .flags("atpPf", "--all --skip-alias --skip-functions"),
    row("uname arch nproc hostid tty logname whoami groups uptime free vmstat lscpu getconf locale", Operands::Any)
        .flags("asnrvmpiohkgtw", "--all --human --kernel-name --machine --version"),
    row("uniq", Operands::Copies)
        .flags("cdDiuz", "--count --repeated --unique --ignore-case")
        .plain("fsw", ""),
    row("wc", Operands::Reads)
        .flags("clmwL", "--lines --words --bytes --chars --max-line-length"),
    row("who w users last lastlog", Operands::Any)
        .flags("abdHilmpqrstTuwxFhfo#", "--all"),
    row("zcat bzcat xzcat zstdcat zless", Operands::Reads)
        .flags("fq", ""),
];
