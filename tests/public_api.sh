#!/usr/bin/env bash
# Compares the public API of every published crate with its snapshot in tests/public_api.
#
#   tests/public_api.sh            fails if a snapshot differs
#   tests/public_api.sh --update   writes the snapshots
#
# Requires cargo-public-api. The JSON of rustdoc is unstable, so RUSTC_BOOTSTRAP enables it on the stable toolchain: for rustdoc
# alone, because many build scripts read the variable, and cargo would build everything that depends on them again.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-$PWD/target}
snapshots=tests/public_api
crates=$(for manifest in crates/*/Cargo.toml; do basename "$(dirname "$manifest")"; done)
mkdir -p "$snapshots"
rustdoc=$(mktemp)
trap 'rm -f "$rustdoc"' EXIT
printf '#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec rustdoc "$@"\n' >"$rustdoc"
chmod +x "$rustdoc"
status=0
for crate in $crates; do
  RUSTDOC=$rustdoc cargo rustdoc --quiet --locked --package "$crate" --lib --all-features -- \
    -Z unstable-options --output-format json --cap-lints allow
  # Three times `-s`: without blanket, auto trait and derived implementations.
  api=$(cargo public-api --rustdoc-json "$target/doc/${crate//-/_}.json" -sss)
  if [ "${1-}" = --update ]; then
    printf '%s\n' "$api" >"$snapshots/$crate.txt"
  elif ! diff -u "$snapshots/$crate.txt" - <<<"$api"; then
    status=1
  fi
done
[ "$status" = 0 ] || echo "The public API has changed. Review the difference, run tests/public_api.sh --update and add a line to CHANGELOG.md." >&2
exit "$status"
