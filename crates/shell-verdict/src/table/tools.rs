//! Other developer tools.

use super::{Operands, Row, Special, row, ruled};
use crate::verdict::CommandRule;

pub(super) const PROGRAMS: &[Row] = &[
    row("bat batcat", "-nApPfhsuL -l=V -H=V -m=V -r=V --style=V --color=V --paging=V --language=V --line-range=V --highlight-line=V --plain --number --show-all --theme=V --wrap=V --tabs=V --decorations=V --list-languages --list-themes --diff --no-paging --pager=A -V --version", Operands::Reads),
    row("exa eza lsd", "-1aAbBdDFghHiIlLmnrRsStTuUxXZ -I=V -L=V --tree --level=V --long --all --git --icons? --color? --sort=V --group-directories-first --header --oneline --git-ignore --no-user --no-permissions --recurse --reverse --depth=V --ignore-glob=V --version", Operands::Reads),
    row("numfmt", "-z -d=V --to=V --from=V --from-unit=V --to-unit=V --suffix=V --field=V --header? --padding=V --round=V --format=V --delimiter=V --grouping --invalid=V --zero-terminated", Operands::Any),
    row("basenc", "-di -w=V --base64 --base64url --base32 --base32hex --base16 --decode --wrap=V --z85", Operands::Reads),
    row("pv", "-pterabTcDFfILlnqQsWX -s=V -N=V -i=V -L=V", Operands::Reads),
    row("compgen", "-abcdefjksuv -A=V", Operands::Any),
    row("openssl", "", Operands::Subcommand),
    row("gpg gpg2", "-kKbsvqa --list-keys --list-secret-keys --fingerprint --verify --version --with-colons --armor --detach-sign --batch --list-packets -d --decrypt -o=W --output=W", Operands::Reads).under(CommandRule::Interpreter),
    ruled("pass secret-tool kwallet-query", CommandRule::Secret),
    ruled("security", CommandRule::Opaque),
    row("7z 7za 7zr", "*", Operands::Any).with(Special::Archive),
    row("link", "", Operands::Any).with(Special::Link),
    row("clang-format", "-in -style? --style=V --dry-run --Werror -Werror --verbose --fallback-style=V --sort-includes --assume-filename=V --version", Operands::Writes),
    row("clang-tidy", "-p=R --quiet --fix --checks=V -checks=V --warnings-as-errors=V --version", Operands::Writes),
    row("meson", "-C=D --buildtype=V --prefix=V -D=V --verbose --reconfigure --wipe", Operands::Any).with(Special::Make),
    row("golangci-lint staticcheck revive gosec govulncheck", "-v --fix --timeout=V --verbose --enable=V --disable=V --fast", Operands::Any),
    row("php-cs-fixer", "-v --dry-run --diff --no-progress", Operands::Writes),
    row("phpunit phpstan psalm phpcs", "-v --filter=V --testdox --stop-on-failure --coverage-text --dry-run --diff --level=V --no-progress", Operands::Any),
    row("zig stack cabal dune", "-j=V --release", Operands::Subcommand),
    row("pre-commit", "", Operands::Subcommand),
    row("opam", "--short --installed", Operands::Subcommand),
    row("ansible-lint actionlint typos codespell shfmt taplo cspell vale stylua luacheck selene buf sqlfluff djlint biome oxlint stylelint xo standard depcheck knip madge cargo-deny", "-dlwsqiv -i=V -ln=V --write-changes --check --fix --write --diff --format=V --files=V --verbose --quiet --color=V", Operands::Writes),
    row("tldr cheat", "-lp", Operands::Any).under(CommandRule::Network),
    row("xmllint", "--noout --format --valid --xpath=V --schema=R --output=W --nonet --recover --html --version", Operands::Reads),
    row("tidy", "-qeimw -o=W -config=R --show-warnings=V", Operands::Reads),
    row("pandoc", "-sN -f=V -t=V -o=W -F=A --from=V --to=V --output=W --standalone --toc --filter=A --lua-filter=A --pdf-engine=A --metadata=V --number-sections", Operands::Reads),
    row("dot neato", "-vV -T? -K? -G? -N? -E? -o=W", Operands::Reads),
    row("look", "-bdf -t=V", Operands::PatternThenReads),
    row("ul", "-i -t=V", Operands::Reads),
    row("autoreconf autoconf automake aclocal", "-ifvsW", Operands::Any),
    row("watchexec", "*", Operands::Any).under(CommandRule::Endless),
];

pub(super) const OPENSSL: &[Row] = &[
    row("version ciphers list", "-a -v -V -s", Operands::Any),
    row(
        "dgst md5 sha1 sha256 sha512",
        "- -sha1 -sha224 -sha256 -sha384 -sha512 -md5 -r -c -hex -binary -sha3-256 -out=W -sign=R -verify=R -signature=R -hmac=V",
        Operands::Reads,
    ),
    row("rand", "- -hex -base64 -out=W", Operands::Any),
    row(
        "base64 enc",
        "-d -e -a -A -base64 -in=R -out=W -pbkdf2 -salt -aes-256-cbc -aes-128-cbc -aes256 -k=V -pass=A -iter=V -md=V",
        Operands::None,
    ),
    row(
        "x509 req rsa ec pkey genrsa genpkey ecparam crl verify pkcs12 pkcs8 asn1parse s_time dhparam",
        "- -noout -text -in=R -out=W -inform=V -outform=V -subject -issuer -dates -enddate -startdate -serial -fingerprint -pubkey -pubin -pubout -modulus -check -new -x509 -nodes -days=V -subj=V -key=R -keyout=W -newkey=V -sha256 -CA=R -CAkey=R -CAfile=R -untrusted=R -algorithm=V -pkeyopt=V -name=V -genkey -nokeys -clcerts -passin=A -passout=A -purpose -config=A -extensions=V -addext=V -noenc -traditional",
        Operands::Any,
    ),
    ruled("s_client s_server ocsp ts cmp", CommandRule::Network),
    row("speed prime", "-seconds=V -evp=V -hex", Operands::Any),
    row(
        "passwd",
        "-1 -5 -6 -apr1 -stdin -salt=V -in=R",
        Operands::Any,
    ),
];

pub(super) const BUILDERS: &[Row] = &[row(
    "build test bench check fmt haddock clean version",
    "-j=V --release --fast --summary=V --verbose --enable-tests",
    Operands::Any,
)];

pub(super) const PRE_COMMIT: &[Row] = &[row(
    "run validate-config validate-manifest",
    "-av --all-files --verbose --files=V --from-ref=V --to-ref=V --hook-stage=V --show-diff-on-failure",
    Operands::Any,
)];

pub(super) const OPAM: &[Row] = &[
    row(
        "list show env --version",
        "--short --installed",
        Operands::Any,
    ),
    row("switch", "--short", Operands::None),
];
