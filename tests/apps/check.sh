#!/bin/sh
# The whole way on a real program: build, inspect, profile on traffic, plan, explain, and where cuts are legal
# build and compare outputs. usage: check.sh nginx|ndpi|knot|unbound [BUILD]
# Leaves inspect.txt, plan.json, explain.txt and figures.json in BUILD/apps/NAME/heddle.
here=$(cd "$(dirname "$0")" && pwd)
name=$1
build=$(cd "${2:-build}" && pwd)
work=$build/apps/$name
HEDDLE_BIN=$build/bin
export HEDDLE_BIN
heddle=$HEDDLE_BIN/heddle
out=$work/heddle
data=${HEDDLE_DATA:-../shared/data}
set -u

"$here/$name.sh" "$work"
status=$?
[ $status = 0 ] || exit $status
mkdir -p "$out"

fail() { echo "FAIL: $name: $*"; exit 1; }

# expect_body TEXT: what `heddle inspect` must have found.
expect_body() {
  "$heddle" inspect "$program" --work "$out/work" --json "$out/inspect.json" > "$out/inspect.txt" || fail inspect
  grep -q "$1" "$out/inspect.txt" || { cat "$out/inspect.txt"; fail "expected a body with $1"; }
  echo "found: $(grep -m1 "$1" "$out/inspect.txt")"
}

# plan: decide and explain; tells whether anything is staged.
plan() {
  /usr/bin/python3 "$here/measure.py" "$out/plan.time" 600 \
    "$heddle" plan "$program" --work "$out/work" --print --explain > "$out/plan.txt" || fail plan
  # An explanation names windows, and where packets of the sample meet them.
  grep -q 'windows, largest first' "$out/plan.txt" && grep -q 'first access' "$out/plan.txt" || fail "nothing explained"
  cp "$out/plan.txt" "$out/explain.txt"
  cp "$out/work/plan.json" "$out/plan.json"
  grep -q '"stage":' "$out/plan.json"
}

# A server on loopback is profiled, and compared, by running a client against it: serve PROGRAM LABEL [PREFIX...]
wait_port() {
  for _ in $(seq 1 2000); do
    /usr/bin/python3 -c "import socket; socket.create_connection(('127.0.0.1', $1), 1)" 2> /dev/null && return 0
    sleep 0.05
  done
  fail "no server on port $1"
}

check_ndpi() {
  program=$work/tree/example/ndpiReader
  expect_body pcap
  [ -f "$data/traffic-mix.pcap.zst" ] || { echo "SKIP: traffic: no traffic-mix.pcap.zst in HEDDLE_DATA ($data)"; exit 77; }
  zstd -qdf "$data/traffic-mix.pcap.zst" -o "$out/mix.pcap"
  "$heddle" profile "$program" --work "$out/work" --stdout "$out/profile.out" -- -i "$out/mix.pcap" -q || fail profile
  if plan; then
    "$heddle" verify "$program" --work "$out/work" --dependencies -- -i "$out/mix.pcap" -q > "$out/dependencies.txt" || {
      cat "$out/dependencies.txt"
      fail "the plan reverses dependences"
    }
    tail -n 1 "$out/dependencies.txt"
    "$heddle" build "$program" --work "$out/work" -o "$out/ndpiReader.heddle" || fail build
    "$heddle" verify "$program" --optimized "$out/ndpiReader.heddle" --filter durations --filter rates \
      -- -i "$out/mix.pcap" || fail verify
  fi
}

nginx_conf() {
  rm -rf "$out/run" && mkdir -p "$out/run/logs" "$out/run/html"
  head -c 4096 /dev/urandom | od -An -tx1 | head -c 4096 > "$out/run/html/file"
  cat > "$out/run/nginx.conf" << CONF
daemon off; master_process off; pid nginx.pid; error_log logs/error.log;
events { worker_connections 256; use epoll; }
http { access_log logs/access.log; server { listen 127.0.0.1:8099; location / { root html; } } }
CONF
}

nginx_client() {
  wait_port 8099
  /usr/bin/python3 "$here/http_client.py" 127.0.0.1 8099 /file "$1" "$out/run/html/file" "$out/run/nginx.pid"
}

check_nginx() {
  program=$work/tree/objs/nginx
  expect_body ngx_epoll_process_events
  nginx_conf
  nginx_client 2000 > "$out/client.out" &
  "$heddle" profile "$program" --work "$out/work" --timeout 120 -- -p "$out/run" -c nginx.conf || fail profile
  wait
  grep -q ' 0 wrong' "$out/client.out" || { cat "$out/client.out"; fail "wrong answers while profiled"; }
  if plan; then
    "$heddle" build "$program" --work "$out/work" -o "$out/nginx.heddle" || fail build
    nginx_conf
    nginx_client 5000 > "$out/client.out" &
    "$out/nginx.heddle" -p "$out/run" -c nginx.conf || fail "optimized nginx ended badly"
    wait
    grep -q ' 0 wrong' "$out/client.out" || { cat "$out/client.out"; fail "wrong answers"; }
  fi
  cat "$out/client.out"
}

check_knot() {
  program=$work/tree/src/knotd
  expect_body recvmmsg
  rm -rf "$out/run" && mkdir -p "$out/run"
  { echo '$ORIGIN example.'; echo '@ 3600 SOA ns admin 1 2 3 4 5'; echo '@ NS ns'; echo 'ns A 192.0.2.1'
    for i in $(seq 1 1000); do echo "host$i A 192.0.2.$((i % 250))"; done; } > "$out/run/example.zone"
  cat > "$out/run/knot.conf" << CONF
server:
    rundir: "$out/run"
    listen: 127.0.0.1@5399
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
database:
    storage: "$out/run"
zone:
  - domain: example
    file: "$out/run/example.zone"
CONF
  /usr/bin/python3 "$here/dns_client.py" 127.0.0.1 5399 example 1000 5000 "$out/run/knot.pid" > "$out/client.out" &
  "$heddle" profile "$program" --work "$out/work" --timeout 120 -- -c "$out/run/knot.conf" || fail profile
  wait
  grep -q ' 0 wrong' "$out/client.out" || { cat "$out/client.out"; fail "wrong answers while profiled"; }
  if plan; then
    "$heddle" build "$program" --work "$out/work" -o "$out/knotd.heddle" || fail build
    /usr/bin/python3 "$here/dns_client.py" 127.0.0.1 5399 example 1000 20000 "$out/run/knot.pid" > "$out/client.out" &
    "$out/knotd.heddle" -c "$out/run/knot.conf" || fail "optimized knotd ended badly"
    wait
    grep -q ' 0 wrong' "$out/client.out" || { cat "$out/client.out"; fail "wrong answers"; }
  fi
  cat "$out/client.out"
}

# A zone of the mixed questions that dns_client.py asks, at an authoritative server, which unbound has as a stub.
unbound_conf() {
  rm -rf "$out/run" && mkdir -p "$out/run/knot"
  { echo '$ORIGIN example.'; echo '@ 3600 SOA ns admin 1 2 3 4 5'; echo '@ NS ns'; echo 'ns A 192.0.2.1'
    for i in $(seq 1 200); do
      echo "host$i A 192.0.2.$((i % 250))"; echo "host$i AAAA 2001:db8::$i"; echo "host$i MX 10 ns"
      echo "host$i TXT \"text of host $i\""; echo "alias$i CNAME host$i"
    done; } > "$out/run/knot/example.zone"
  cat > "$out/run/knot/knot.conf" << CONF
server:
    rundir: "$out/run/knot"
    listen: 127.0.0.1@5397
database:
    storage: "$out/run/knot"
zone:
  - domain: example
    file: "$out/run/knot/example.zone"
CONF
  # One answer to one question: no rotation, nothing fetched ahead of time.
  cat > "$out/run/unbound.conf" << CONF
server:
    interface: 127.0.0.1
    port: 5398
    num-threads: 1
    directory: "$out/run"
    pidfile: "$out/run/unbound.pid"
    chroot: ""
    username: ""
    use-syslog: no
    logfile: "$out/run/unbound.log"
    do-not-query-localhost: no
    module-config: "iterator"
    rrset-roundrobin: no
    prefetch: no
remote-control:
    control-enable: no
stub-zone:
    name: "example"
    stub-addr: 127.0.0.1@5397
CONF
}

# ask_unbound LABEL QUERIES COMMAND...: runs the command as unbound, with fresh caches, under the client.
ask_unbound() {
  label=$1 queries=$2
  shift 2
  rm -f "$out/run/unbound.pid"
  /usr/bin/python3 "$here/dns_client.py" 127.0.0.1 5398 example 200 "$queries" "$out/run/unbound.pid" \
    "$out/$label.answers" > "$out/client.out" &
  client=$!
  "$@" || fail "$label: unbound ended badly"
  wait $client
  grep -q ' 0 wrong' "$out/client.out" || { cat "$out/client.out"; fail "$label: wrong answers"; }
}

check_unbound() {
  program=$work/tree/unbound
  "$here/knot.sh" "$build/apps/knot" || exit $?
  expect_body 'recvfrom\|recvmsg'
  grep -q 'comm_point_udp_callback' "$out/inspect.txt" || fail "the loop of comm_point_udp_callback is no body"
  unbound_conf
  "$build/apps/knot/tree/src/knotd" -c "$out/run/knot/knot.conf" > "$out/run/knot/log" 2>&1 &
  knot=$!
  trap 'kill $knot 2> /dev/null' EXIT
  ask_unbound profiled 5000 "$heddle" profile "$program" --work "$out/work" --timeout 120 -- -d -c "$out/run/unbound.conf"
  plan
  # Staged or not, what it answers is the same.
  "$heddle" build "$program" --work "$out/work" -o "$out/unbound.heddle" || fail build
  ask_unbound original 20000 "$program" -d -c "$out/run/unbound.conf"
  for batch in 1 8 32 64; do
    ask_unbound "batch-$batch" 20000 env HEDDLE_BATCH=$batch "$out/unbound.heddle" -d -c "$out/run/unbound.conf"
    cmp "$out/original.answers" "$out/batch-$batch.answers" || fail "batch $batch: answers differ"
  done
  echo "identical at batch 1, 8, 32 and 64: $(cat "$out/client.out")"
}

check_"$name"
# Of the body with the largest window.
largest() { grep "^ *$1" "$out/explain.txt" | sort -n -k 3 | tail -n 1; }
echo "$name: $(largest 'shared locations'); $(largest 'largest window')"
