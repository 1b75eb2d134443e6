#!/usr/bin/env bash
# Starts (`up`) or stops (`down`) PostgreSQL on 127.0.0.1. `up` prints its DATABASE_URL. See README.md.
. "$(dirname "$0")/common.sh"
data=$folder/postgres
port=$((base_port + 99))
bin=$(find /usr/lib/postgresql -maxdepth 2 -type d -name bin 2>/dev/null | sort -V | tail -n 1)

# The server refuses to run as root.
as_server() {
  if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --init-groups env HOME="$data" "$@"; else "$@"; fi
}
is_running() { as_server "$bin/pg_ctl" -D "$data/cluster" status >/dev/null 2>&1; }
sql() { as_server "$bin/psql" -h "$data" -p "$port" -U holdfast -d postgres -tAc "$1"; }

up() {
  [ -n "$bin" ] || fail 'PostgreSQL is missing: apt-get install -y --no-install-recommends postgresql'
  mkdir -p "$data"
  [ "$(id -u)" != 0 ] || chown postgres:postgres "$data"
  if [ ! -f "$data/cluster/PG_VERSION" ]; then
    as_server "$bin/initdb" -D "$data/cluster" -U holdfast --auth=trust --encoding=UTF8 --locale=C >"$data/initdb.log"
    cat >>"$data/cluster/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
unix_socket_directories = '$data'
max_connections = 200
CONF
  fi
  is_running || as_server "$bin/pg_ctl" -D "$data/cluster" -o "-p $port" -l "$data/server.log" -t 60 -w start >/dev/null
  [ "$(sql "SELECT 1 FROM pg_database WHERE datname = 'holdfast'")" = 1 ] ||
    as_server "$bin/createdb" -h "$data" -p "$port" -U holdfast holdfast
  echo "DATABASE_URL=postgres://holdfast@127.0.0.1:$port/holdfast"
}

down() {
  [ -z "$bin" ] || ! is_running || as_server "$bin/pg_ctl" -D "$data/cluster" -m fast -t 60 -w stop >/dev/null
}

case ${1:-} in up | down) "$1" ;; *) fail "usage: $0 up|down" ;; esac
