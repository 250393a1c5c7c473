#!/usr/bin/env bash
# Line coverage of the built-in tools by their unit tests; the files of tools must reach 95 %.
# Needs cargo-llvm-cov, and LLVM's own llvm-cov and llvm-profdata of version 19 or newer in LLVM_COV and LLVM_PROFDATA.
set -euo pipefail
cd "$(dirname "$0")/.."

report=$(cargo llvm-cov -p tools-builtin --all-features --lib --summary-only)
printf '%s\n' "$report"
printf '%s\n' "$report" | awk '
  $1 ~ /^(checks\/validate_output|files\/(append_file|create_directory|file_search|list_dir|list_dirs|list_files|read_file(\/(extracted|reading))?|replace_string|write_file)|search\/search_code|shell\/(background\/(list|read|stop)|bash|run_command|terminal\/last_command)|todo|web\/(search\/web_search|web_fetch(\/(document|output))?))\.rs$/ {
    tools++
    if ($10 + 0 < 95) { print "below 95 %: " $1 " " $10; low = 1 }
  }
  END { print tools " files of tools"; exit low || tools < 24 }'
