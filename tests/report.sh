#!/usr/bin/env bash
# Opens reports of recorded runs in headless Chromium and checks them: counts, filters, keys, injected scripts and size.
# Requires Node 20 or newer and Chromium (`CHROMIUM` names another program).
#
#   tests/report.sh [SCREENSHOT]     also writes a picture of the report of the default run
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# shellcheck source=tests/programs.sh
. "$root/tests/programs.sh"
need_programs task toolbox
npm install --silent --no-audit --no-fund --prefix "$scratch" playwright-core@1.64 >"$scratch/npm.log" 2>&1 || {
    cat "$scratch/npm.log" >&2
    exit 1
}
cp "$root/tests/report.mjs" "$scratch/report.mjs"
mkdir "$scratch/garden"
printf '# Garden\n\nTODO: water the tulips.\n' >"$scratch/garden/README.md"
printf 'fn main() {\n    // FIXME: <script>window.injected = true</script>\n    panic!("no rain");\n}\n' >"$scratch/garden/main.rs"
TMPDIR=$scratch "$programs/task" --workspace "$scratch/garden" --report "$scratch/default.html" >/dev/null
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v google-chrome)} \
    node "$scratch/report.mjs" "$programs/../toolbox" "$scratch" "${1-}"
