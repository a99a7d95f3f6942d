# Sourced: servers' configurations and clients of the programs that answer DNS queries. Uses $here, $build, $name, $out,
# $program and fail().

# knot_conf FOLDER PORT ZONE-FILE [WORKERS]
knot_conf() {
  mkdir -p "$1"
  cat > "$1/knot.conf" << CONF
server:
    rundir: "$1"
    listen: 127.0.0.1@$2
    udp-workers: ${4:-1}
    tcp-workers: 1
    background-workers: 1
database:
    storage: "$1"
zone:
  - domain: example
    file: "$3"
CONF
}

# backend PORT: an authoritative server of 200 names, until the script ends.
backend() {
  "$here/knot.sh" "$build/apps/knot" || exit $?
  "$here/zone.sh" "$build/apps/zone" || exit $?
  rm -rf "$out/run"
  knot_conf "$out/run/knot" "$1" "$build/apps/zone/example.zone"
  "$build/apps/knot/tree/src/knotd" -c "$out/run/knot/knot.conf" > "$out/run/knot/log" 2>&1 &
  knot=$!
  trap 'kill $knot 2> /dev/null' EXIT
}

# unbound_conf [WORKERS]: a resolver on port 5398 that asks the backend on port 5397 and validates. One answer to one question: no rotation,
# nothing fetched ahead of time, nothing concluded from other questions' answers.
unbound_conf() {
  cat > "$out/run/unbound.conf" << CONF
server:
    interface: 127.0.0.1
    port: 5398
    num-threads: ${1:-1}
    directory: "$out/run"
    pidfile: "$out/run/unbound.pid"
    chroot: ""
    username: ""
    use-syslog: no
    logfile: "$out/run/unbound.log"
    do-not-query-localhost: no
    module-config: "validator iterator"
    trust-anchor-file: "$build/apps/zone/example.key"
    aggressive-nsec: no
    rrset-roundrobin: no
    prefetch: no
remote-control:
    control-enable: no
stub-zone:
    name: "example"
    stub-addr: 127.0.0.1@5397
CONF
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

# ask LABEL QUERIES PORTS COMMAND...: runs the command as the server, with fresh caches, under the client of mixed questions.
# names: of the zone; batches: sizes to compare; stopped: the command's status after the client's SIGTERM.
names=200
batches='1 8 32 64'
stopped=0
ask() {
  label=$1 queries=$2 ports=$3
  shift 3
  rm -f "$out/run/$name.pid"
  /usr/bin/python3 "$here/dns_client.py" 127.0.0.1 "$ports" example $names "$queries" "$out/run/$name.pid" \
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
  for batch in $batches; do
    ask "batch-$batch$suffix" 20000 "$ports" env HEDDLE_BATCH=$batch HEDDLE_LEAST_BATCH=2 "$out/$name.heddle" "$@"
    cmp "$out/original$suffix.answers" "$out/batch-$batch$suffix.answers" || fail "batch $batch$suffix: answers differ"
  done
  echo "identical at batch $batches$suffix: $(cat "$out/client.out")"
}
