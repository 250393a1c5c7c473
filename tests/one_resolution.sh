#!/usr/bin/env bash
# Checks that the commands of the gate resolve the workspace to the same features, so that it is built once.
#
#   tests/one_resolution.sh     prints the features that differ
set -euo pipefail
cd "$(dirname "$0")/.."

resolved() { # options of cargo tree: each package with its features
  cargo tree --locked --workspace --format '{p} | {f}' --prefix none "$@" | sed 's/ (\*)$//' | sort -u
}

all=$(resolved --all-features)
status=0
# `cargo test` without features, against clippy with all features.
diff <(resolved) - <<<"$all" || status=1
# `cargo doc` ignores development dependencies, so it has fewer packages, but each with the same features.
missing=$(comm -23 <(resolved --all-features --edges normal,build) - <<<"$all")
[ -z "$missing" ] || { printf '< %s\n' "$missing"; status=1; }
[ "$status" = 0 ] || echo "one_resolution.sh: the features above differ; name them in the dependencies of tests/Cargo.toml" >&2
exit "$status"
