#!/usr/bin/env bash
# Starts (`up`) or stops (`down`) Ceph with its S3 gateway on 127.0.0.1: plain processes without systemd, containers and
# cephx. `up` prints the S3_* variables. See README.md.
. "$(dirname "$0")/common.sh"
data=$folder/ceph
port=$base_port
key=holdfast secret=holdfast-secret
export CEPH_CONF=$data/ceph.conf
daemons='client.rgw osd.0 mgr.x mon.a'

write_configuration() {
  cat >"$CEPH_CONF" <<CONF
[global]
fsid = $(cat /proc/sys/kernel/random/uuid)
mon host = [v2:127.0.0.1:$((port + 1)),v1:127.0.0.1:$((port + 2))]
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind port min = $((port + 10))
ms bind port max = $((port + 90))
ms bind ipv6 = false
# On loopback only, without secrets but those of the S3 account.
auth cluster required = none
auth service required = none
auth client required = none
keyring = $data/keyring
run dir = $data/run
admin socket = $data/run/\$name.asok
pid file = $data/run/\$name.pid
log file = $data/log/\$name.log
mon cluster log file = $data/log/cluster.log
crash dir = $data/crash
# One copy on one disk, in few placement groups.
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pgp num = 8
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon warn on pool no redundancy = false
mon data avail crit = 1
mon data avail warn = 1
mon max pg per osd = 1000
mon osd nearfull ratio = .96
mon osd backfillfull ratio = .97
mon osd full ratio = .98
osd failsafe full ratio = .99

[mon]
mon data = $data/mon
mon initial members = a
auth allow insecure global id reclaim = false

[mgr]
mgr data = $data/mgr
mgr module path = /usr/share/ceph/mgr
mgr initial modules =

[osd]
osd data = $data/osd
osd objectstore = bluestore
osd memory target = 939524096
osd class update on start = false
bluestore block create = true
bluestore block size = $(numfmt --from=iec "${CEPH_SIZE:-20G}")

[client.rgw]
rgw data = $data/rgw
# Without it every small response takes 44 ms.
rgw frontends = beast endpoint=127.0.0.1:$port tcp_nodelay=1
rgw thread pool size = 128
# The default is encryption towards the monitor, which does not exist without cephx: the gateway would hang.
ms mon client mode = crc
rgw enable apis = s3
rgw dns name = 127.0.0.1
rgw run sync thread = false
# Deleted objects return their space within two minutes; the default is two hours.
rgw gc obj min wait = 60
rgw gc processor period = 60
rgw gc processor max time = 60
CONF
}

# True while the daemon runs. Process ids are reused, so the command line is compared.
is_up() { [ -s "$data/run/$1.pid" ] && grep -qsF "$CEPH_CONF" "/proc/$(cat "$data/run/$1.pid")/cmdline"; }

start_monitor() {
  if [ ! -f "$data/mon/kv_backend" ]; then
    ceph-authtool --create-keyring "$data/keyring" --gen-key -n mon. --cap mon 'allow *' >/dev/null
    ceph-authtool "$data/keyring" --gen-key -n client.admin --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *' >/dev/null
    monmaptool --create --clobber --fsid "$(sed -n 's/^fsid = //p' "$CEPH_CONF")" \
      --addv a "[v2:127.0.0.1:$((port + 1)),v1:127.0.0.1:$((port + 2))]" "$data/monmap" >/dev/null
    ceph-mon -c "$CEPH_CONF" --mkfs -i a --monmap "$data/monmap" --keyring "$data/keyring"
  fi
  is_up mon.a || ceph-mon -c "$CEPH_CONF" -i a
  wait_for 'The monitor' 30 ceph --connect-timeout 2 -s
}

start_disk() {
  if [ ! -f "$data/osd/whoami" ]; then
    local uuid
    uuid=$(cat /proc/sys/kernel/random/uuid)
    [ "$(ceph osd new "$uuid")" = 0 ] || fail "An earlier start broke off: remove $data and begin again"
    ceph-osd -c "$CEPH_CONF" -i 0 --mkfs --osd-uuid "$uuid" >>"$data/log/start.log" 2>&1
  fi
  is_up osd.0 || ceph-osd -c "$CEPH_CONF" -i 0 >>"$data/log/start.log" 2>&1
  disk_is_up() { ceph --connect-timeout 2 osd stat -f json | grep -q '"num_up_osds":1'; }
  export -f disk_is_up
  wait_for 'The disk' 60 bash -c disk_is_up
}

s3() {
  curl -sf --retry 3 --max-time 60 --aws-sigv4 aws:amz:default:s3 --user "$key:$secret" \
    -H 'x-amz-content-sha256: UNSIGNED-PAYLOAD' "$@"
}

start_gateway() {
  is_up client.rgw || radosgw -c "$CEPH_CONF" -n client.rgw
  wait_for 'The gateway' 120 curl -sf "http://127.0.0.1:$port/"
  radosgw-admin -n client.rgw user info --uid holdfast >/dev/null 2>&1 ||
    radosgw-admin -n client.rgw user create --uid holdfast --display-name Holdfast \
      --access-key "$key" --secret-key "$secret" >/dev/null 2>>"$data/log/start.log"
  # The first bucket and object create pools, which takes seconds that no test should wait for.
  if ! s3 "http://127.0.0.1:$port/holdfast" >/dev/null; then
    s3 -X PUT "http://127.0.0.1:$port/holdfast"
    s3 -X PUT -d warm "http://127.0.0.1:$port/holdfast/warm"
    s3 -X DELETE "http://127.0.0.1:$port/holdfast/warm"
  fi
}

up() {
  need 'ceph-mon ceph-osd ceph-mgr radosgw ceph-common curl' \
    ceph-mon ceph-osd ceph-mgr radosgw radosgw-admin monmaptool ceph curl
  mkdir -p "$data"/{mon,mgr,osd,rgw,log,run}
  [ -f "$CEPH_CONF" ] || write_configuration
  start_monitor
  # S3 works without a manager, which takes 300 MB of memory.
  [ "${CEPH_MGR:-1}" = 0 ] || is_up mgr.x || ceph-mgr -c "$CEPH_CONF" -i x
  start_disk
  start_gateway
  cat <<ENV
S3_ENDPOINT=http://127.0.0.1:$port
S3_BUCKET=holdfast
S3_REGION=default
S3_ACCESS_KEY_ID=$key
S3_SECRET_ACCESS_KEY=$secret
ENV
}

# Stops the gateway first and the monitor last, which takes up to 30 s each.
down() {
  local name pid
  for name in $daemons; do
    is_up "$name" || continue
    pid=$(cat "$data/run/$name.pid")
    kill "$pid" 2>/dev/null || continue
    for _ in $(seq 150); do kill -0 "$pid" 2>/dev/null && sleep 0.2 || break; done
    kill -KILL "$pid" 2>/dev/null || true
    rm -f "$data/run/$name.pid"
  done
}

case ${1:-} in up | down) "$1" ;; *) fail "usage: $0 up|down" ;; esac
