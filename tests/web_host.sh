#!/usr/bin/env bash
# Drives the example `web_host` in headless Chromium: runs, approvals, keys, a reload, a lost connection, the end of the
# server, contrast, injected scripts, and requests of other pages. Requires Node 20 or newer and Chromium (`CHROMIUM` names
# another program).
#
#   tests/web_host.sh [DIRECTORY]     also writes pictures of the states, wide and narrow, light and dark, and `approval.png`,
#                                     which is the picture in the book's chapter about approvals
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null || true; rm -rf "$scratch"' EXIT

# shellcheck source=tests/programs.sh
. "$root/tests/programs.sh"
need_programs web_host
program=$programs/web_host
npm install --silent --no-audit --no-fund --prefix "$scratch" playwright-core@1.64 >"$scratch/npm.log" 2>&1 || {
    cat "$scratch/npm.log" >&2
    exit 1
}
cp "$root/tests/web_host.mjs" "$scratch/web_host.mjs"
mkdir "$scratch/garden"
printf '<script>window.injected = true</script><img src=x onerror="window.injected = true">\n' >"$scratch/garden/garden.html"
"$program" --workspace "$scratch/garden" >"$scratch/out.txt" &
server=$!
for _ in $(seq 100); do
    [[ -s $scratch/out.txt ]] && break
    sleep 0.1
done
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v google-chrome)} \
    timeout 120 node "$scratch/web_host.mjs" "$(head -n 1 "$scratch/out.txt")" "$scratch/garden" "$server" "${1-}"
