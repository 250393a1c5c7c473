#!/usr/bin/env bash
# Runs the conformance suite of the Model Context Protocol, for both revisions.
#
#   tests/mcp_conformance.sh server|client|all [RESULTS]
#
# Every scored scenario must pass and have at least one check, except those in mcp_conformance/LEG-REVISION.empty. The
# lists of expected failures, LEG-REVISION.yml, must stay empty: without them, the suite ignores warnings.
# Requires npm and python3. The suite and Node 22 are installed by npx. Results are written to RESULTS, or to a
# temporary directory.
set -euo pipefail
cd "$(dirname "$0")/.."
case ${1-} in
  server | client) legs=$1 ;;
  all) legs="server client" ;;
  *)
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
results=${2:-$(mktemp -d)}
mkdir -p "$results"

# shellcheck source=tests/programs.sh
. tests/programs.sh
need_programs conformance_server conformance_client
export RESULTS=$results EXAMPLES=$programs LEGS=$legs
# shellcheck disable=SC2016 # The shell of npx expands the variables.
exec npx --yes -p node@22.23.3 -p @modelcontextprotocol/conformance@0.2.0-alpha.12 \
  -c 'tests/mcp_conformance/run.sh "$RESULTS" "$EXAMPLES" $LEGS'
