#!/usr/bin/env bash
# Runs three workers behind a NATS server, kills one of them every second, and checks that no call is lost and no call that is
# not idempotent runs twice. Requires nats-server 2.11 or later (`NATS_SERVER` names another program).
#
#   tests/remote_kills.sh [SECONDS]     the default is 60 seconds per ledger, with 200 calls each
#
# The workers share a ledger in SQLite, and then one in PostgreSQL. Without PostgreSQL, only SQLite is checked, unless
# REQUIRE_POSTGRES is set.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
server=${NATS_SERVER:-$(command -v nats-server || true)}
[ -n "$server" ] || { echo "set NATS_SERVER to nats-server 2.11 or later" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'kill "${pid-}" 2>/dev/null || true; wait; rm -rf "$scratch"' EXIT

# shellcheck source=tests/programs.sh
. "$root/tests/programs.sh"
need_programs remote_kills
program=$programs/remote_kills
"$server" --addr 127.0.0.1 --port -1 --ports_file_dir "$scratch" --jetstream --store_dir "$scratch/store" >"$scratch/server.log" 2>&1 &
pid=$!
url=
for _ in $(seq 300); do
    url=$(cat "$scratch"/*.ports 2>/dev/null | grep --only-matching --extended-regexp 'nats://[0-9.:]+' | head -n 1 || true)
    [ -z "$url" ] || break
    sleep 0.1
done
mkdir "$scratch/sqlite" "$scratch/postgres"
export NATS_URL=$url
echo "== SQLite"
env -u TOOL_LEDGER_POSTGRES_URL "$program" "$scratch/sqlite" "${1-60}"

echo "== PostgreSQL"
status=0
"$root/tests/postgres.sh" "$program" "$scratch/postgres" "${1-60}" || status=$?
if [ "$status" = 3 ] && [ -z "${REQUIRE_POSTGRES:-}" ]; then
    echo "skipped: PostgreSQL is not installed"
    status=0
fi
exit "$status"
