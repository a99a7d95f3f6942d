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

. "$here/dns.sh"

check_ndpi() {
  program=$work/tree/example/ndpiReader
  expect_body pcap
  [ -f "$data/traffic-mix.pcap.zst" ] || { echo "SKIP: traffic: no traffic-mix.pcap.zst in HEDDLE_DATA ($data)"; exit 77; }
  zstd -qdf "$data/traffic-mix.pcap.zst" -o "$out/mix.pcap"
  "$heddle" profile "$program" --work "$out/work" --stdout "$out/profile.out" -- -i "$out/mix.pcap" -q || fail profile
  plan
  # Cuts that do not pay are to be right, too.
  if plan finest --work "$out/work" --policy finest; then
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
daemon off; ${workers:-master_process off}; pid nginx.pid; error_log logs/error.log;
events { worker_connections 256; use epoll; }
http { access_log logs/access.log; server { listen 127.0.0.1:8099; location / { root html; } } }
CONF
}

# served REQUESTS COMMAND...: runs the command as nginx under 64 connections of clients that check every byte.
served() {
  requests=$1
  shift
  nginx_conf
  { wait_port 8099; /usr/bin/python3 "$here/http_client.py" 127.0.0.1 8099 /file "$requests" "$out/run/html/file" \
    "$out/run/nginx.pid" --clients 4 --together 16 --numbered; } > "$out/client.out" &
  "$@" -p "$out/run" -c nginx.conf > "$out/served.txt" 2>&1 || { tail -n 20 "$out/served.txt"; fail "$* ended badly"; }
  wait
  grep -q ' 0 wrong' "$out/client.out" || { cat "$out/client.out"; fail "wrong answers"; }
  # The access log: a line for each request, those of a connection in its order.
  awk -v all="$(sed -n 's/ requests.*//p' "$out/client.out")" '
    { split($7, asked, "?"); number = asked[2]; sub(/.*-/, "", number); sub(/[^-]*$/, "", asked[2])
      if (asked[2] in last && number + 0 <= last[asked[2]] + 0) exit wrong = 1; last[asked[2]] = number }
    END { exit wrong || NR != all }' "$out/run/logs/access.log" || fail "$out/run/logs/access.log lacks lines, or has them in another order"
}

# as_nginx PROGRAM: right at all batch sizes.
as_nginx() {
  for batch in 1 8 32 64; do
    served 5000 env HEDDLE_BATCH=$batch "$1"
  done
  workers="user root; worker_processes 2"
  served 5000 env HEDDLE_BATCH=32 "$1"
  workers=
  echo "right at batch 1, 8, 32 and 64, and with two workers: $(cat "$out/client.out")"
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
  names=20000
  "$here/zone.sh" "$work/zone" $names || exit $?
  rm -rf "$out/run"
  knot_conf "$out/run" 5399 "$work/zone/example.zone"
  ask profiled 5000 5399 "$heddle" profile "$program" --work "$out/work" --timeout 120 -- -c "$out/run/knot.conf"
  plan
  # Staged or not, what it answers is the same.
  "$heddle" build "$program" --work "$out/work" -o "$out/knot.heddle" || fail build
  compare 5399 "" -c "$out/run/knot.conf"
  knot_conf "$out/run" 5399 "$work/zone/example.zone" 2
  batches=32
  compare 5399 -two-workers -c "$out/run/knot.conf"
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
  unbound_conf 2
  batches=32
  compare 5398 -declared-two-workers -d -c "$out/run/unbound.conf"
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
