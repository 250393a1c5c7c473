#!/usr/bin/env bash
# Runs two replicas of an MCP server behind nginx with one ledger in PostgreSQL, and kills replicas under load.
#
#   tests/replicas.sh short|full|by_hand
#
# `short` sends 3,200 calls, `full` 16,000, and `by_hand` shows one call whose replica is killed. Requires nginx, python3 and
# PostgreSQL, or its URL in `TOOL_LEDGER_POSTGRES_URL`.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
case ${1-} in
    short) calls=3200 ;;
    full) calls=16000 ;;
    by_hand) calls=0 ;;
    *)
        sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d' >&2
        exit 2
        ;;
esac

# Without a URL, a server runs until this script ends.
[ -n "${TOOL_LEDGER_POSTGRES_URL-}" ] || exec "$root/tests/postgres.sh" "$root/tests/replicas.sh" "$@"
scratch=$(mktemp -d)
proxy_process=
trap '[ -z "$proxy_process" ] || kill "$proxy_process" 2>/dev/null || true; rm -rf "$scratch"' EXIT
trap 'cat "$scratch"/*.log >&2' ERR

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# shellcheck source=tests/programs.sh
. "$root/tests/programs.sh"
need_programs toolbox
toolbox=$programs/../toolbox

mkdir "$scratch/workspace" "$scratch/nginx"
first=$(free_port) second=$(free_port) proxy=$(free_port)
cat >"$scratch/nginx.conf" <<CONF
daemon off;
pid $scratch/nginx/pid;
error_log stderr warn;
events { worker_connections 1024; }
http {
    access_log off;
    client_body_temp_path $scratch/nginx/body;
    proxy_temp_path $scratch/nginx/proxy;
    fastcgi_temp_path $scratch/nginx/fastcgi;
    uwsgi_temp_path $scratch/nginx/uwsgi;
    scgi_temp_path $scratch/nginx/scgi;
    upstream replicas {
        server 127.0.0.1:$first max_fails=1 fail_timeout=1s;
        server 127.0.0.1:$second max_fails=1 fail_timeout=1s;
        keepalive 64;
    }
    server {
        listen 127.0.0.1:$proxy;
        location / {
            proxy_pass http://replicas;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host localhost;
            proxy_read_timeout 120s;
        }
    }
}
CONF
nginx -p "$scratch/nginx" -c "$scratch/nginx.conf" >"$scratch/nginx.log" 2>&1 &
proxy_process=$!

python3 "$root/tests/replicas/drive.py" --mode "$1" --calls "$calls" --workspace "$scratch/workspace" --proxy "$proxy" \
    --logs "$scratch" --ports "$first" "$second" -- "$toolbox" serve --http 127.0.0.1:PORT --no-token --contract assistant --workspace "$scratch/workspace" \
    --approve all --no-sandbox --ledger "$TOOL_LEDGER_POSTGRES_URL" --lease 5
