#!/usr/bin/env bash
# Fuzzes each target for a number of seconds (default 60): tests/fuzz.sh [SECONDS [TARGET...]]
# New inputs are written to a temporary corpus; a crash is kept in fuzz/artifacts.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(cd fuzz/fuzz_targets && ls -- *.rs | sed 's/\.rs$//')
command -v cargo-fuzz >/dev/null || cargo install --quiet --locked cargo-fuzz@0.13.2
# Coverage instrumentation works on stable Rust without a sanitizer.
cargo fuzz build --sanitizer none
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for target in "${targets[@]}"; do
  mkdir "$work/$target"
  cargo fuzz run --sanitizer none "$target" "$work/$target" "fuzz/corpus/$target" \
    -- -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=2048
done
