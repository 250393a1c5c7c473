#!/usr/bin/env bash
# Tests `tools-connectors` against a third-party emulator of Google. Requires npm; installs Node 22 and the
# emulators in a temporary directory.
#
#   tests/emulators.sh
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
emulators=
trap '[[ -z $emulators ]] || kill "$emulators" 2>/dev/null || true; rm -rf "$scratch"' EXIT

npm install --silent --no-audit --no-fund --prefix "$scratch" node@22 emulate@0.12.2 >"$scratch/npm.log" 2>&1 || {
    cat "$scratch/npm.log" >&2
    exit 1
}
port=$((20000 + RANDOM % 20000))
"$scratch/node_modules/node/bin/node" "$scratch/node_modules/emulate/dist/index.js" start --service google \
    --port "$port" --seed "$root/tests/fixtures/connectors/emulate.yaml" >"$scratch/emulators.log" 2>&1 &
emulators=$!
for _ in $(seq 150); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
        # With `--workspace`, because other features would be compiled if only one package were selected.
        TOOLWRIGHT_EMULATED_GOOGLE=http://127.0.0.1:$port \
            ${CARGO:-cargo} test --quiet --locked --manifest-path "$root/Cargo.toml" --workspace --test emulators
        exit
    fi
    sleep 0.1
done
cat "$scratch/emulators.log" >&2
exit 1
