# Shared by the scripts that bring engines up for tests. Variables: SCALE_PATH, SCALE_PORT (see README.md).
set -euo pipefail

folder=${SCALE_PATH:-/tmp/holdfast-scale}
base_port=${SCALE_PORT:-25500}

# Prints an error and ends the script.
fail() {
  echo "$*" >&2
  exit 1
}

# Ends the script unless all programs exist. Usage: need PACKAGES PROGRAM...
need() {
  local packages=$1 program
  shift
  for program; do
    command -v "$program" >/dev/null || fail "$program is missing: apt-get install -y --no-install-recommends $packages"
  done
}

# Repeats a command until it succeeds. Usage: wait_for NAME SECONDS COMMAND...
wait_for() {
  local name=$1 tries=$(($2 * 5))
  shift 2
  until timeout 10 "$@" >/dev/null 2>&1; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || fail "$name did not come up; see the logs below $folder"
    sleep 0.2
  done
}
