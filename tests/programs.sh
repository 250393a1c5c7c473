# Sourced by the scripts in this directory: the example programs that the test run has built.
#
# A script that builds one package resolves other features than the workspace, and so compiles nearly everything again.
# Therefore no script builds; each names the programs that it needs.

# Sets `programs` to the directory of the examples. Fails if one of the named programs is missing.
need_programs() {
  local root name
  root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
  programs=${CARGO_TARGET_DIR:-$root/target}/debug/examples
  for name; do
    [ -x "$programs/$name" ] || [ -x "$programs/../$name" ] || {
      echo "${0##*/}: the program \`$name\` is not built; run \`cargo test --workspace --no-run\` first" >&2
      exit 2
    }
  done
}
