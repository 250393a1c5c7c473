#!/usr/bin/env bash
# Line coverage of the built-in tools by unit tests: each file of a tool must reach 95 %.
#
# A file belongs to a tool when an engine is in it, when it lies in a folder of tools alone, or when it shows tools under the names of a
# contract. What is below them, such as the workspace, is listed from 90 % down and refuses nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

missing() {
  printf 'coverage.sh: %s\nInstall with:\n  %s\n' "$1" "$2" >&2
  exit 2
}

command -v cargo-llvm-cov >/dev/null || missing 'there is no cargo-llvm-cov' 'cargo install cargo-llvm-cov'
if [ -z "${LLVM_COV:-}" ] || [ -z "${LLVM_PROFDATA:-}" ]; then
  [ -x "$(rustc --print target-libdir)/../bin/llvm-cov" ] ||
    missing 'there is no llvm-cov' \
      'rustup component add llvm-tools   (or set LLVM_COV and LLVM_PROFDATA to those of LLVM 19 or newer)'
fi

engines=$(grep -rlE '^impl Engine for|^impl TypedTool for ReadStoredOutput' crates/tools-builtin/src crates/tool-core/src)
report=target/coverage.lcov
mkdir -p target
cargo llvm-cov -p tools-builtin -p tool-core --all-features --lib --lcov --output-path "$report"

awk -v engines="$engines" '
  BEGIN { count = split(engines, listed, "\n"); for (i = 1; i <= count; i++) is_engine[listed[i]] = 1 }
  /^SF:/ { file = substr($0, 4); sub(/^.*\/crates\//, "crates/", file); lines = "" }
  /^DA:[0-9]+,0$/ { split(substr($0, 4), line, ","); lines = lines " " line[1] }
  /^LF:/ { found = substr($0, 4) }
  /^LH:/ { hit = substr($0, 4) }
  /^end_of_record/ && found > 0 {
    if (file ~ /\/(laws|scenario|testing)\.rs$/) { next }
    share = 100 * hit / found
    all_found += found; all_hit += hit
    is_tool = file in is_engine || file ~ /^crates\/tools-builtin\/src\/(checks|contracts|files|todo|shell\/(background|terminal)|web\/web_fetch)\//
    if (is_tool) {
      tools++
      printf "%6.2f %% of %4d lines  %s\n", share, found, file
      if (share < 95) { low = low sprintf("below 95 %%: %s, lines%s\n", file, lines) }
    } else if (share < 90 && file ~ /tools-builtin/) {
      below = below sprintf("%6.2f %% of %4d lines  %s\n", share, found, file)
    }
  }
  END {
    printf "\nBelow the tools, under 90 %%:\n%s", below
    printf "\n%d files of tools; %.2f %% of all lines\n%s", tools, 100 * all_hit / all_found, low
    exit low != "" || tools < count
  }' "$report"
