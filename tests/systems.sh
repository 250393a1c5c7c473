#!/usr/bin/env bash
# Lints the libraries for Windows and macOS, except TLS, which needs a C compiler for the target.
set -euo pipefail
cd "$(dirname "$0")/.."

features=document-sets,office,shell
for target in x86_64-pc-windows-gnu aarch64-apple-darwin; do
  [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ] || {
    printf 'systems.sh: there is no standard library for %s\nInstall with:\n  rustup target add %s\n' "$target" "$target" >&2
    exit 2
  }
  for package in shell-verdict process-tree 'tool-core --all-features' tools-builtin "tools-builtin --no-default-features --features $features" \
    provider-adapters agent-loop tool-test; do
    printf '== %s for %s\n' "$package" "$target"
    # shellcheck disable=SC2086
    cargo clippy --locked --quiet --package $package --target "$target" -- -D warnings
  done
done
