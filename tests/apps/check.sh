#!/bin/sh
# The whole way on a real program: build, inspect, profile on traffic, plan, explain, and where cuts are legal
# build and compare outputs. usage: check.sh nginx|ndpi|knot|unbound|dnsdist [BUILD [declared]]
# With `declared` it goes on with what NAME.toml says, where there is one, which takes minutes more.
# Leaves inspect.txt, plan.json and explain.txt in BUILD/apps/NAME/heddle, and declared.json likewise.
here=$(cd "$(dirname "$0")" && pwd)
name=$1
build=$(cd "${2:-build}" && pwd)
declared=${3:-}
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

# plan [LABEL [OPTIONS...]]: decide and explain; tells whether anything is staged. Files: LABEL.txt, LABEL.time, LABEL.json.
plan() {
  label=${1:-plan}
  [ $# = 0 ] || shift
  [ $# != 0 ] || set -- --work "$out/work"
  # dnsdist, the largest, takes six minutes alone on a machine.
  /usr/bin/python3 "$here/measure.py" "$out/$label.time" 1800 \
    "$heddle" plan "$program" "$@" --print --explain > "$out/$label.txt" || fail plan
  # An explanation names windows, and where packets of the sample meet them.
  grep -q 'windows, largest first' "$out/$label.txt" || fail "nothing explained"
  if [ $label = plan ]; then
    grep -q 'first access' "$out/plan.txt" || fail "no access named"
    cp "$out/plan.txt" "$out/explain.txt"
  fi
  cp "$2/plan.json" "$out/$label.json"
  grep -q '"stage":' "$out/$label.json"
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

log=logs/access.log
nginx_conf() {
  rm -rf "$out/run" && mkdir -p "$out/run/logs" "$out/run/html"
  head -c 4096 /dev/urandom | od -An -tx1 | head -c 4096 > "$out/run/html/file"
  cat > "$out/run/nginx.conf" << CONF
daemon off; master_process off; pid nginx.pid; error_log logs/error.log;
events { worker_connections 256; use epoll; }
http { access_log $log; server { listen 127.0.0.1:8099; location / { root html; } } }
CONF
}

# served REQUESTS COMMAND...: runs the command as nginx under 64 connections of clients that check every byte.
served() {
  requests=$1
  shift
  nginx_conf
  { wait_port 8099; /usr/bin/python3 "$here/http_client.py" 127.0.0.1 8099 /file "$requests" "$out/run/html/file" \
    "$out/run/nginx.pid" --clients 4 --together 16; } > "$out/client.out" &
  "$@" -p "$out/run" -c nginx.conf > "$out/served.txt" 2>&1 || { tail -n 20 "$out/served.txt"; fail "$* ended badly"; }
  wait
  grep -q ' 0 wrong' "$out/client.out" || { cat "$out/client.out"; fail "wrong answers"; }
}

# as_nginx PROGRAM: right at all batch sizes.
as_nginx() {
  for batch in 1 8 32 64; do
    served 5000 env HEDDLE_BATCH=$batch "$1"
  done
  echo "right at batch 1, 8, 32 and 64: $(cat "$out/client.out")"
}

check_nginx() {
  program=$work/tree/objs/nginx
  expect_body ngx_epoll_process_events
  served 2000 "$heddle" profile "$program" --work "$out/work" --timeout 120 --
  if plan; then
    "$heddle" build "$program" --work "$out/work" -o "$out/nginx.heddle" || fail build
    as_nginx "$out/nginx.heddle"
  fi
  [ "$declared" = declared ] || return 0
  log=off # nginx.toml
  said="--work $out/declared --config $here/nginx.toml"
  # shellcheck disable=SC2086
  {
    served 8000 "$heddle" profile "$program" $said --timeout 300 --
    # 64 new connections are many for 8,000 requests.
    plan declared $said --rare 0.06 --budget 16K || fail "what nginx.toml says allows no cut"
    served 4000 "$heddle" verify "$program" $said --dependencies --
    grep '^order:' "$out/served.txt"
    "$heddle" build "$program" $said -o "$out/nginx.declared" || fail build
  }
  as_nginx "$out/nginx.declared"
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

# backend PORT: an authoritative server with a zone of the mixed questions that dns_client.py asks, until the script ends.
backend() {
  "$here/knot.sh" "$build/apps/knot" || exit $?
  rm -rf "$out/run" && mkdir -p "$out/run/knot"
  { echo '$ORIGIN example.'; echo '@ 3600 SOA ns admin 1 2 3 4 5'; echo '@ NS ns'; echo 'ns A 192.0.2.1'
    for i in $(seq 1 200); do
      echo "host$i A 192.0.2.$((i % 250))"; echo "host$i AAAA 2001:db8::$i"; echo "host$i MX 10 ns"
      echo "host$i TXT \"text of host $i\""; echo "alias$i CNAME host$i"
    done; } > "$out/run/knot/example.zone"
  cat > "$out/run/knot/knot.conf" << CONF
server:
    rundir: "$out/run/knot"
    listen: 127.0.0.1@$1
database:
    storage: "$out/run/knot"
zone:
  - domain: example
    file: "$out/run/knot/example.zone"
CONF
  "$build/apps/knot/tree/src/knotd" -c "$out/run/knot/knot.conf" > "$out/run/knot/log" 2>&1 &
  knot=$!
  trap 'kill $knot 2> /dev/null' EXIT
}

# ask LABEL QUERIES PORTS COMMAND...: runs the command as the server, with fresh caches, under the client of mixed questions.
# stopped: the command's status after the client's SIGTERM.
stopped=0
ask() {
  label=$1 queries=$2 ports=$3
  shift 3
  rm -f "$out/run/$name.pid"
  /usr/bin/python3 "$here/dns_client.py" 127.0.0.1 "$ports" example 200 "$queries" "$out/run/$name.pid" \
    "$out/$label.answers" > "$out/client.out" &
  client=$!
  "$@"
  status=$?
  [ $status = "$stopped" ] || { kill $client; fail "$label: $name ended badly ($status)"; }
  wait $client
  grep -q ' 0 wrong' "$out/client.out" || { cat "$out/client.out"; fail "$label: wrong answers"; }
}

# compare PORTS LABEL COMMAND...: the original's answers and, at every batch size, the optimized program's.
compare() {
  ports=$1 suffix=$2
  shift 2
  ask "original$suffix" 20000 "$ports" "$program" "$@"
  for batch in 1 8 32 64; do
    ask "batch-$batch$suffix" 20000 "$ports" env HEDDLE_BATCH=$batch "$out/$name.heddle" "$@"
    cmp "$out/original$suffix.answers" "$out/batch-$batch$suffix.answers" || fail "batch $batch$suffix: answers differ"
  done
  echo "identical at batch 1, 8, 32 and 64$suffix: $(cat "$out/client.out")"
}

# One answer to one question: no rotation, nothing fetched ahead of time.
unbound_conf() {
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

check_unbound() {
  program=$work/tree/unbound
  expect_body 'recvfrom\|recvmsg'
  grep -q 'comm_point_udp_callback' "$out/inspect.txt" || fail "the loop of comm_point_udp_callback is no body"
  backend 5397
  unbound_conf
  ask profiled 5000 5398 "$heddle" profile "$program" --work "$out/work" --timeout 120 -- -d -c "$out/run/unbound.conf"
  plan
  # Staged or not, what it answers is the same.
  "$heddle" build "$program" --work "$out/work" -o "$out/unbound.heddle" || fail build
  compare 5398 "" -d -c "$out/run/unbound.conf"
  [ "$declared" = declared ] || return 0
  "$here/unbound.sh" "$work-forks" forks || exit $?
  program=$work-forks/tree/unbound
  said="--work $out/declared --config $here/unbound.toml"
  # shellcheck disable=SC2086
  {
    # Long enough for most answers to come from the cache: what does not is rare code.
    ask profiled 100000 5398 "$heddle" profile "$program" $said --timeout 500 -- -d -c "$out/run/unbound.conf"
    plan declared $said --rare 0.15 --budget 16K || fail "what unbound.toml says allows no cut"
    ask checked 20000 5398 "$heddle" verify "$program" $said --dependencies -- -d -c "$out/run/unbound.conf"
    "$heddle" build "$program" $said -o "$out/unbound.heddle" || fail build
  }
  compare 5398 -declared -d -c "$out/run/unbound.conf"
}

# dnsdist_conf FILE PORT...: a thread for each port, which takes datagrams with recvmmsg; a packet cache; a few rules, which are
# virtual calls. dnsdist writes no pid file, but its configuration is a program.
dnsdist_conf() {
  conf=$1
  shift
  { for port in "$@"; do echo "addLocal('127.0.0.1:$port')"; done
    cat << CONF
io.open('$out/run/dnsdist.pid', 'w'):write(io.open('/proc/self/stat'):read('n')):close()
setSecurityPollSuffix('')
setUDPMultipleMessagesVectorSize(64)
newServer({address='127.0.0.1:5394'}):setUp()
getPool(''):setCache(newPacketCache(10000))
addAction(AndRule({QTypeRule(DNSQType.ANY), QNameRule('example')}), TCAction())
addAction(OrRule({OpcodeRule(DNSOpcode.Update), QNameLabelsCountRule(0, 5)}), RCodeAction(DNSRCode.REFUSED))
CONF
  } > "$conf"
}

check_dnsdist() {
  program=$work/tree/dnsdist
  expect_body recvmmsg
  grep -q 'MultipleMessagesUDPClientThread' "$out/inspect.txt" || fail "the loop of MultipleMessagesUDPClientThread is no body"
  backend 5394
  dnsdist_conf "$out/run/one.conf" 5395
  dnsdist_conf "$out/run/two.conf" 5395 5396
  ask profiled 5000 5395 "$heddle" profile "$program" --work "$out/work" --timeout 120 -- --supervised -C "$out/run/one.conf"
  plan
  # Staged or not, what it answers is the same.
  "$heddle" build "$program" --work "$out/work" -o "$out/dnsdist.heddle" || fail build
  stopped=143 # it does not handle SIGTERM
  compare 5395 "" --supervised -C "$out/run/one.conf"
  compare 5395,5396 "-two-threads" --supervised -C "$out/run/two.conf"
}

check_"$name"
# Of the body with the largest window.
largest() { grep "^ *$1" "$out/explain.txt" | sort -n -k 3 | tail -n 1; }
echo "$name: $(largest 'shared locations'); $(largest 'largest window')"
