#!/usr/bin/env bash
# Kills processes in the middle of calls, and checks that no call runs twice and no stored result is lost.
#
#   tests/ledger_kills.sh [REPETITIONS [KEYS [RESTARTS [CALLS]]]]
#
# REPETITIONS (100) per point of a call, KEYS (10000) claimed by 8 processes, RESTARTS (10) of PostgreSQL in each mode with
# at least CALLS (1000) calls each. Without PostgreSQL, only SQLite is checked, unless REQUIRE_POSTGRES is set.
set -euo pipefail
cd "$(dirname "$0")/.."

repetitions=${1:-100} keys=${2:-10000} restarts=${3:-10} calls=${4:-1000}
# shellcheck source=tests/programs.sh
. tests/programs.sh
need_programs kills
kills=$programs/kills

checks() { # store of the points, store of the claims
  "$kills" points "$1" "$repetitions"
  "$kills" claims "$2" 8 "$keys"
  "$kills" approvals "$1" "$(((repetitions + 9) / 10))"
}

if [ "${LEDGER_KILLS:-}" = postgres ]; then
  echo "== PostgreSQL"
  checks "$TOOL_LEDGER_POSTGRES_URL" "$TOOL_LEDGER_POSTGRES_URL"
  "$kills" restarts "$TOOL_LEDGER_POSTGRES_URL" fast "$restarts" "$calls"
  "$kills" restarts "$TOOL_LEDGER_POSTGRES_URL" immediate "$restarts" "$calls"
  exit
fi

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
echo "== SQLite"
checks "$directory/points.sqlite" "$directory/claims.sqlite"

status=0
LEDGER_KILLS=postgres tests/postgres.sh "$0" "$@" || status=$?
if [ "$status" = 3 ] && [ -z "${REQUIRE_POSTGRES:-}" ]; then
  echo "skipped PostgreSQL: it is not installed"
else
  exit "$status"
fi
