#!/bin/sh
# A staged Knot DNS under a client that checks every answer, while it reloads its configuration and a zone that has changed,
# and is killed and started again. Nothing proves a cut in it legal, so its plan is that of `--trust observed`, NOT FOR
# PRODUCTION: here the runtime is tested, not the analysis. usage: knot.sh BUILD
. "$(dirname "$0")/common.sh"
build_app knot
knotd=$build/apps/knot/tree/src/knotd
kept=$build/robust/kept/knot # a plan takes a minute
staged=$kept/knotd.heddle
port=${HEDDLE_PORT:-8095}
common="--work $kept/work"
study="--trust observed --rare 0.02"

# zone SERIAL: 1,000 names
zone() {
  { echo '$ORIGIN example.'; echo "@ 3600 SOA ns admin $1 2 3 4 5"; echo '@ NS ns'; echo 'ns A 192.0.2.1'
    for i in $(seq 1 1000); do echo "host$i A 192.0.2.$((i % 250))"; done; } > "$folder/zone.new"
  mv "$folder/zone.new" "$folder/example.zone"
}
# conf THREADS
conf() {
  cat > "$folder/knot.conf" << CONF
server:
    rundir: "$folder"
    listen: 127.0.0.1@$port
    udp-workers: 1
    tcp-workers: 1
    background-workers: $1
database:
    storage: "$folder"
zone:
  - domain: example
    file: "$folder/example.zone"
    zonefile-load: whole
CONF
}
ask() { /usr/bin/python3 "$repository/tests/apps/dns_client.py" 127.0.0.1 $port example 1000 "$@"; }

folder=$out/run
mkdir -p "$folder"
if [ ! "$staged" -nt "$knotd" ] || [ ! "$staged" -nt "$heddle" ]; then
  rm -rf "$kept"
  mkdir -p "$kept"
  zone 1
  conf 1
  # shellcheck disable=SC2086
  {
    ask 5000 "$folder/knot.pid" &
    "$heddle" profile "$knotd" $common --timeout 120 -- -c "$folder/knot.conf"
    wait
    "$heddle" plan "$knotd" $common $study --policy finest --budget 1K
    ask 5000 "$folder/knot.pid" &
    "$heddle" verify "$knotd" $common --dependencies --json "$kept/seen.json" -- -c "$folder/knot.conf" > "$kept/seen.txt" 2>&1 || true
    wait
    "$heddle" plan "$knotd" $common $study --observed "$kept/seen.json" --policy finest --budget 1K
    grep -q '"stage": 1' "$kept/work/plan.json" || fail "the plan has no site: nothing is tested"
    "$heddle" build "$knotd" $common -o "$staged"
  }
fi

start() {
  rm -f "$folder/knot.pid"
  "$staged" -c "$folder/knot.conf" > "$out/log" 2>&1 &
  server=$!
  started="$started $server"
  until_true 60 test -s "$folder/knot.pid" || { cat "$out/log"; fail "$1: knotd did not start"; }
}
ended() { # NAME
  wait "$client"
  grep -q ' 0 wrong' "$out/client" || { cat "$out/client"; fail "$1: wrong answers"; }
  echo "$1: $(cat "$out/client")"
}
serial() {
  /usr/bin/python3 - "$port" << 'ASK'
import socket, struct, sys
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.settimeout(5)
client.sendto(struct.pack(">6H", 1, 0, 1, 0, 0, 0) + b"\7example\0" + struct.pack(">2H", 6, 1), ("127.0.0.1", int(sys.argv[1])))
print(struct.unpack(">I", client.recv(512)[-20:-16])[0])
ASK
}
has_serial() { [ "$(serial 2> /dev/null)" = "$1" ]; }

zone 1
conf 1
start reload
ask 200000 - > "$out/client" &
client=$!
started="$started $client"
until_true 60 has_serial 1 || fail "reload: no answer"
for serial in 2 3 4; do
  zone $serial
  conf $serial
  kill -HUP "$server"
  until_true 60 has_serial $serial || { cat "$out/log"; fail "reload: the zone is not the new one"; }
  ! gone $client || fail "reload: the client had ended before"
done
ended reload
crossed_sites "$server" reload # stops it for longer than a client waits
kill "$server"
wait "$server" || { cat "$out/log"; fail "reload: knotd ended with an error"; }

start killed
ask 2000 - > "$out/client" &
client=$!
ended killed
crossed_sites "$server" killed
kill -9 "$server"
wait "$server" 2> /dev/null || true
start "killed and restarted"
until_true 60 has_serial 4 || fail "killed and restarted: not the last zone"
ask 20000 "$folder/knot.pid" > "$out/client" &
client=$!
ended "killed and restarted"
wait "$server" || { cat "$out/log"; fail "killed and restarted: knotd ended with an error"; }
