#!/usr/bin/env bash
# Runs a PostgreSQL server in a temporary directory, reachable only through a socket there.
#
#   tests/postgres.sh               prints the URL, and stops the server at the end of its input
#   tests/postgres.sh COMMAND...    runs a command with TOOL_LEDGER_POSTGRES_URL and PGCTL, and stops the server
#
# OPTIONS are further options of the server, such as "-c fsync=off". Exits with 3 if PostgreSQL is not installed.
set -euo pipefail

bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1 || true)
[ -n "$bin" ] || bin=$(dirname "$(command -v postgres || echo /)")
if [ ! -x "$bin/initdb" ]; then
  echo "PostgreSQL is not installed" >&2
  exit 3
fi

directory=$(mktemp -d)
as=()
if [ "$(id -u)" = 0 ]; then
  # The server rejects root.
  chown postgres "$directory"
  chmod 711 "$directory"
  as=(setpriv --reuid=postgres --regid=postgres --clear-groups)
fi
control=("${as[@]}" "$bin/pg_ctl" --silent -w -D "$directory/data" -l "$directory/log")

stop() {
  "${control[@]}" -m immediate stop >/dev/null 2>&1 || true
  rm -rf "$directory"
}
trap stop EXIT
trap 'exit 130' INT TERM

cd "$directory"
"${as[@]}" "$bin/initdb" -D "$directory/data" -U postgres --auth=trust --no-sync >"$directory/initdb.log" 2>&1 \
  || { cat "$directory/initdb.log" >&2; exit 1; }
# The socket's directory keeps other users out; its path must be short.
cat >>"$directory/data/postgresql.conf" <<CONF
listen_addresses = ''
unix_socket_directories = '$directory'
max_connections = 300
CONF
"${control[@]}" -o "${OPTIONS:-}" start >/dev/null || { cat "$directory/log" >&2; exit 1; }

url="postgres://postgres@${directory//\//%2F}/postgres"
if [ $# = 0 ]; then
  printf '%s\n' "$url"
  cat >/dev/null
else
  cd "$OLDPWD"
  TOOL_LEDGER_POSTGRES_URL=$url PGCTL="${control[*]}" "$@"
fi
