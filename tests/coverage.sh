#!/usr/bin/env bash
# Line coverage of the built-in tools and the connectors by unit tests: each file of a tool must reach 95 %.
#
# A file belongs to a tool if it implements one, is in a directory that contains only tools, or defines a toolset. Other files, such as
# the workspace, are listed below 90 % but do not fail the check.
set -euo pipefail
cd "$(dirname "$0")/.."

missing() {
  printf 'coverage.sh: %s\nInstall with:\n  %s\n' "$1" "$2" >&2
  exit 2
}

command -v cargo-llvm-cov >/dev/null || missing 'cargo-llvm-cov is not installed' 'cargo install cargo-llvm-cov'
# The profile format is that of rustc's LLVM. Without the component of rustup, Debian's tools of the same major version read it.
component=$(rustc --print target-libdir)/../bin
llvm=$(rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
if [ ! -x "$component/llvm-cov" ] && [ -z "${LLVM_COV:-}" ]; then
  command -v "llvm-cov-$llvm" >/dev/null || missing 'llvm-cov is not installed' \
    "rustup component add llvm-tools   (or apt-get install llvm-$llvm, or set LLVM_COV and LLVM_PROFDATA)"
  export LLVM_COV=llvm-cov-$llvm LLVM_PROFDATA=llvm-profdata-$llvm
fi

tool_files=$(grep -rlE '^impl TypedTool for' crates/{tools-builtin,tools-connectors}/src crates/tool-core/src/output_store)
report=target/coverage.lcov
mkdir -p target
cargo llvm-cov -p tools-builtin -p tools-connectors -p tool-core --all-features --lib --lcov --output-path "$report"

awk -v tool_files="$tool_files" '
  BEGIN { count = split(tool_files, listed, "\n"); for (i = 1; i <= count; i++) implements_tool[listed[i]] = 1 }
  /^SF:/ { file = substr($0, 4); sub(/^.*\/crates\//, "crates/", file); lines = "" }
  /^DA:[0-9]+,0$/ { split(substr($0, 4), line, ","); lines = lines " " line[1] }
  /^LF:/ { found = substr($0, 4) }
  /^LH:/ { hit = substr($0, 4) }
  /^end_of_record/ && found > 0 {
    if (file ~ /\/((laws|scenario|testing|tests)\.rs$|tests\/)/) { next }
    share = 100 * hit / found
    all_found += found; all_hit += hit
    is_tool = file in implements_tool || file ~ /^crates\/tools-builtin\/src\/(checks|files|todo|toolsets|shell\/(background|terminal)|web\/web_fetch)[.\/]/ ||
      file ~ /^crates\/tools-connectors\/src\/(anthropic|calendar|github|gmail|linkedin|toolsets)[.\/]/
    if (is_tool) {
      tools++
      printf "%6.2f %% of %4d lines  %s\n", share, found, file
      if (share < 95) { low = low sprintf("below 95 %%: %s, lines%s\n", file, lines) }
    } else if (share < 90 && file ~ /tools-(builtin|connectors)/) {
      below = below sprintf("%6.2f %% of %4d lines  %s\n", share, found, file)
    }
  }
  END {
    printf "\nOther files below 90 %%:\n%s", below
    printf "\n%d files of tools; %.2f %% of all lines\n%s", tools, 100 * all_hit / all_found, low
    exit low != "" || tools < count
  }' "$report"
