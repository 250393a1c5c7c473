//! Compilers, build tools, package managers and interpreters.

use super::{Operands, Row, Special, row, ruled};
use crate::verdict::CommandRule;

const CARGO_COMMON: &str = "-qvpj -p=V -j=V -F=V -Z=A --quiet --verbose --package=V --jobs=V --features=V --all-features --no-default-features --workspace --all --exclude=V --lib --bin? --bins --example? --examples --test? --tests --bench? --benches --all-targets --release -r --profile=V --target=V --target-dir=W --message-format=V --locked --offline --frozen --keep-going --no-run --no-fail-fast --doc --manifest-path=R --color=V --no-deps --open --document-private-items --fix --allow-dirty --allow-staged --check --edition=V --ignore-rust-version --timings? --retries=V --config=A -h --help";

pub(super) const PROGRAMS: &[Row] = &[
    row("cargo", "-qvV -C=D --version --help --list --quiet --verbose --offline --locked --frozen --color=V --config=A -Z=A", Operands::Subcommand),
    row("npm pnpm yarn", "-svgr --version --help --silent --recursive --filter=V -F=V --prefix=D -C=D", Operands::Subcommand),
    row("go", "", Operands::Subcommand),
    row("git", "-pP -C=D -c=K --config-env=A --no-pager --version --help --git-dir=A --work-tree=D --exec-path=A --namespace=A --no-optional-locks --literal-pathspecs --bare --paginate!", Operands::Subcommand),
    row("rustc rustdoc", "-OVv -o=W -C=A -L=V -l=V -A=V -W=V -D=V -F=V --version --edition=V --crate-type=V --crate-name=V --emit=V --explain=V --out-dir=W --test --print=V --verbose", Operands::Reads),
    row("rustfmt", "-lvq --check --edition=V --emit=V --quiet --config=V", Operands::Writes),
    row("rustup", "-V --version", Operands::Subcommand),
    row("pip pip3", "-V --version -v -q --disable-pip-version-check", Operands::Subcommand),
    row("dotnet", "--version --info --list-sdks", Operands::Subcommand),
    row("composer", "--version", Operands::Subcommand),
    row("tox nox", "-lvqr -e=V -s=V --list --version --recreate --quiet", Operands::Any),
    row("rspec rubocop", "-fcwaA -P -e=V --format=V --color --version --fail-fast --tag=V", Operands::Any),
    row("rake", "-aAmnqtTPvVW -f=R -e=X -E=X -p=X -r=A --rakefile=R --require=A --execute=X --execute-continue=X --execute-print=X --tasks? --dry-run --trace? --quiet --version", Operands::Any),
    row("swift", "--version", Operands::Subcommand),
    row("mix", "--version", Operands::Subcommand),
    row("gcc g++ cc c++ clang clang++", "-cSEgwvsM -o=W -I=V -L=V -l=V -D=V -U=V -O? -W? -f? -m? -x=V -std? -std=V -# --version -p? -M? -MF=W -MT=V -MQ=V -shared -static -fplugin=A -wrapper=A -specs=A -B=A", Operands::Reads),
    row("make gmake ninja", "-BdeikKnpqrsStvw -C=D -f=R -j? -l? --jobs? --directory=D --file=R --dry-run --silent --keep-going --always-make --version --eval=A", Operands::Any).with(Special::Make),
    row("cmake", "-VNLAH -B=W -S=R --preset=V -D=S -G=V -C=A -j? -P=A --build=W --target=V --config=V --parallel? --version --fresh --install=A -E=A", Operands::Any),
    row("ctest", "-VNQ -C=V -R=V -E=V -L=V -I=V -j? -S=A --preset=V --build-config=V --parallel? --output-on-failure --rerun-failed --verbose --timeout=V --version --test-dir=D", Operands::Any),
    row("just", "-lnqu -f=R -d=D -s=V --list --dry-run --justfile=R --working-directory=D --summary --show=V --evaluate --unsorted --quiet --dump --command=A -c=A", Operands::Any),
    row("task go-task", "-lanqsv -t=R -d=D --list --list-all --dry --taskfile=R --dir=D --silent --summary --verbose", Operands::Any),
    row("pytest py.test", "-qvxslr -k=V -m=V -n=V -r=V -x --verbose --quiet --tb=V --maxfail=V --lf --ff --last-failed --failed-first --cov? --cov-report=V --collect-only --co --durations=V --no-header --pdb --disable-warnings --strict-markers --strict-config --log-cli-level=V --log-level=V -W=V --capture=V --junitxml=W --no-cov --sw --stepwise --runxfail --showlocals -p=G -c=A --rootdir=R --ignore=V --deselect=V", Operands::Any),
    row("mypy ruff black isort flake8 pylint pyright", "-vqci --strict --check --check-only --diff --fix --version --quiet --verbose --line-length=V --select=V --ignore=V --profile=V --ignore-missing-imports --show-error-codes --max-line-length=V", Operands::Writes),
    row("eslint prettier tsc jest vitest mocha", "-wltv -w -c? -w --config=R --write --check --fix --noEmit -b --build --version --watch? --watchAll? --coverage --ext=V --max-warnings=V --runInBand --project=R -p=R --noemit --verbose --silent --quiet -t=V --testNamePattern=V --run --list-different", Operands::Writes),
    row("gofmt goimports", "-ldwse -r=V", Operands::Writes),
    row("shellcheck hadolint yamllint markdownlint", "-xf -s=V -e=V -f=V -S=V --severity=V --shell=V --format=V", Operands::Reads),
    row("mvn", "-qBoUXeNv -D=S -pl=V -am -amd -ntp -fae -ff -P=V -T=V -f=R --quiet --offline --batch-mode --version --no-transfer-progress --fail-at-end --fail-fast --projects=V --also-make --activate-profiles=V --threads=V --file=R", Operands::Any).with(Special::Make),
    row("gradle", "-qismov -D=S -P=V -x=V -p=D -b=R --tests=V --quiet --offline --version --daemon --no-daemon --info --debug --stacktrace --parallel --no-parallel --continue --rerun-tasks --rerun --dry-run --console=V --warning-mode=V --exclude-task=V --project-dir=D --max-workers=V --build-cache --no-build-cache --configuration-cache --no-configuration-cache --refresh-dependencies", Operands::Any).with(Special::Make),
    row("sbt", "-v -D=S --batch --version --no-colors", Operands::Any),
    row("bazel bazelisk", "-ks -c=V --config=V --test_output=V --test_filter=V --verbose_failures --keep_going --jobs=V --compilation_mode=V --runs_per_test=V --nocache_test_results --cache_test_results=V --noshow_progress --output=V --version --run_under=A", Operands::Any).with(Special::Make),
    row("javac javap", "-gv -d=W -cp=V --release=V --version", Operands::Reads),
    row("nm objdump readelf size ldd otool", "-aACdDhlSstTxrpuWegn --dynamic --syms --all-headers --disassemble", Operands::Reads),
    row("tokei cloc scc", "*", Operands::Reads),
    row("hyperfine", "*", Operands::Any).under(CommandRule::Interpreter),
    row("coverage", "", Operands::Subcommand),
    row("python python2 python3 python3.10 python3.11 python3.12 python3.13 pypy pypy3 node nodejs deno bun ruby perl php lua luajit tclsh Rscript R julia java scala ghci guile osascript pwsh expect ts-node gdb lldb vim vimdiff view vi nvim ex ed emacs nano", "*", Operands::Any).with(Special::Interpreter),
    ruled("pipx uvx apt apt-get aptitude dpkg yum dnf rpm pacman apk zypper brew snap flatpak nix nix-env gem cpan luarocks", CommandRule::Install),
];

pub(super) const CARGO: &[Row] = &[
    row(
        "build b check c test t clippy doc d bench run r fmt fix rustc rustdoc nextest expand llvm-cov deny machete udeps bloat",
        CARGO_COMMON,
        Operands::Any,
    ),
    row(
        "hack",
        "-qvp -p=V -j=V --quiet --verbose --package=V --jobs=V --features=V --all-features --no-default-features --workspace --all --exclude=V --lib --bins --tests --all-targets --release --locked --offline --keep-going --each-feature --feature-powerset --depth=V --skip=V --exclude-features=V --exclude-no-default-features --exclude-all-features --optional-deps? --no-dev-deps --no-private --ignore-private --partition=V --target=V --rust-version --clean-per-run",
        Operands::Any,
    ),
    row(
        "tree",
        "-qdi -p=V -e=V -f=V -F=V -Z=A --invert? --depth=V --edges=V --package=V --prefix=V --duplicates --features=V --all-features --no-default-features --target=V --format=V --workspace --locked --offline --manifest-path=R --charset=V --no-dedupe --prune=V",
        Operands::Any,
    ),
    row(
        "metadata",
        "-q -F=V -Z=A --format-version=V --no-deps --features=V --all-features --no-default-features --filter-platform=V --locked --offline --manifest-path=R",
        Operands::None,
    ),
    row(
        "clean",
        "-q -p=V --release --doc --target-dir=W --package=V",
        Operands::None,
    ),
    row(
        "version help locate-project pkgid read-manifest verify-project",
        "-v",
        Operands::Any,
    ),
    row(
        "new init",
        "-q --lib --bin --name=V --edition=V --vcs=V",
        Operands::Writes,
    ),
    row(
        "update add remove fetch generate-lockfile vendor search info",
        "*",
        Operands::Any,
    )
    .under(CommandRule::Network),
    ruled(
        "install uninstall publish yank login logout owner",
        CommandRule::Install,
    ),
];

pub(super) const NPM: &[Row] = &[
    row(
        "test t run run-script start build lint",
        "-swr -w=V -F=V --silent --if-present --workspace=V --workspaces --recursive --filter=V --watch? --watchAll? --coverage --run --ci --fix",
        Operands::Any,
    ),
    row(
        "ls list why explain outdated version --version help root prefix bin",
        "-gla --depth=V --json --long --all",
        Operands::Any,
    ),
    row(
        "audit view info search fund doctor ping whoami",
        "*",
        Operands::Any,
    )
    .under(CommandRule::Network),
    row(
        "exec x dlx",
        "-yqr -p=A -c=C --yes! --no --quiet --recursive --package=A --call=C --shell-mode! --parallel",
        Operands::Command(0),
    )
    .with(Special::Runner),
    row("workspace", "*", Operands::Any),
    row("workspaces pkg pack", "*", Operands::Any).under(CommandRule::Install),
    ruled(
        "install i ci add remove uninstall update upgrade publish link login logout config set create init rebuild",
        CommandRule::Install,
    ),
];

/// `cmake -E` commands.
pub(super) const CMAKE_TOOLS: &[Row] = &[
    row("rm", "-rRf", Operands::Deletes),
    row("remove remove_directory", "-f", Operands::Deletes),
    row(
        "copy copy_if_different copy_if_newer copy_directory copy_directory_if_different copy_directory_if_newer",
        "-t=W",
        Operands::Copies,
    ),
    row("rename", "--no-replace", Operands::Moves),
    row("touch touch_nocreate make_directory", "", Operands::Writes),
    row(
        "cat compare_files md5sum sha1sum sha224sum sha256sum sha384sum sha512sum",
        "--ignore-eol",
        Operands::Reads,
    ),
    row("create_symlink create_hardlink", "", Operands::Any).with(Special::Link),
    row("env", "--unset=V --modify=A", Operands::Command(0)).with(Special::Env),
    row("time", "", Operands::Command(0)),
    row(
        "tar",
        "--files-from=L --format=V --mtime=V --touch --zstd",
        Operands::Any,
    )
    .with(Special::Tar),
    row(
        "echo echo_append sleep true false capabilities environment",
        "*",
        Operands::Any,
    ),
];

pub(super) const COVERAGE: &[Row] = &[
    row(
        "report html xml json lcov combine erase",
        "-mi -o=W -d=W --include=V --omit=V --show-missing --skip-covered --fail-under=V",
        Operands::Any,
    ),
    row("run", "*", Operands::Any).under(CommandRule::Interpreter),
];

pub(super) const GO: &[Row] = &[
    row(
        "build test vet run fmt list doc version",
        "-vnxa -# -run=V -count=V -race -short -cover -coverprofile=W -bench=V -benchmem -timeout=V -tags=V -o=W -json -m -f=V -p=V -parallel=V -failfast -mod=V -C=D -exec=A -toolexec=A -vettool=A -modfile=A -overlay=A -pkgdir=A -ldflags=A -gcflags=A -asmflags=A -buildmode=V -buildvcs? -trimpath -work -c -fuzz=V -fuzztime=V -list=V -skip=V -shuffle=V -cpu=V -coverpkg=V -covermode=V -vet=V -cpuprofile=W -memprofile=W -blockprofile=W -mutexprofile=W -outputdir=W -trace=W",
        Operands::Any,
    ),
    row("generate", "-vnx -run=V -skip=V", Operands::Any),
    row("env", "-json", Operands::Any),
    row("tool", "", Operands::Subcommand),
    row("mod", "", Operands::Subcommand),
    row("work", "", Operands::Subcommand),
    row("clean", "*", Operands::Any).under(CommandRule::Discard),
    ruled("get install", CommandRule::Install),
];

pub(super) const GO_WORK: &[Row] = &[
    row("sync", "-v", Operands::None),
    ruled("init use edit vendor", CommandRule::Install),
];

pub(super) const GO_TOOL: &[Row] = &[row("cover", "-func=R -html=R -o=W", Operands::None)];

pub(super) const GO_MOD: &[Row] = &[
    row(
        "tidy vendor verify download",
        "-vxe -json -go=V -compat=V -o=W",
        Operands::None,
    ),
    row("graph why", "-vm -vendor -go=V", Operands::Any),
    row("init", "", Operands::Any),
    ruled("edit", CommandRule::Network),
];

pub(super) const PIP: &[Row] = &[
    row(
        "list show freeze check help debug",
        "-vqfole --format=V --outdated --user --local --verbose --quiet --files --exclude=V",
        Operands::Any,
    ),
    ruled(
        "install uninstall download wheel cache config index hash inspect",
        CommandRule::Install,
    ),
];

pub(super) const RUSTUP: &[Row] = &[
    row(
        "show which check doc",
        "-v --verbose --installed",
        Operands::Any,
    ),
    row("run", "--install!", Operands::Command(1)),
    ruled(
        "install update default toolchain target component override self set completions uninstall",
        CommandRule::Install,
    ),
];

pub(super) const DOTNET: &[Row] = &[
    row(
        "build test run clean format sln list",
        "-cfrvo -c=V --outdated --vulnerable --deprecated --include-transitive -f=V -r=V -v=V -o=W --configuration=V --framework=V --no-restore --no-build --verbosity=V --filter=V --nologo --project=R --logger=V --verify-no-changes",
        Operands::Any,
    ),
    ruled(
        "restore add remove new publish pack nuget tool workload",
        CommandRule::Install,
    ),
];

pub(super) const COMPOSER: &[Row] = &[
    row(
        "validate show licenses depends check",
        "-tvDo --direct --tree --strict",
        Operands::Any,
    ),
    ruled(
        "install update require remove create-project global run-script exec dump-autoload self-update",
        CommandRule::Install,
    ),
];

pub(super) const SWIFT: &[Row] = &[
    row(
        "build test run",
        "-vqc -c=V --configuration=V --verbose --quiet --filter=V --parallel --target=V --product=V",
        Operands::Any,
    ),
    ruled("package", CommandRule::Install),
];

pub(super) const MIX: &[Row] = &[
    row(
        "test compile format",
        "--trace --force --only=V --exclude=V --check-formatted --warnings-as-errors --cover",
        Operands::Any,
    ),
    ruled(
        "deps.get deps.update local.hex hex.publish archive.install",
        CommandRule::Install,
    ),
];
