#!/bin/sh
# The whole example on a generated workload: counters must be the golden ones, and a second run must send the same
# packets. After a change that is meant to move counters: UPDATE=1 sh counters.sh BIN-FOLDER
# usage: counters.sh BIN-FOLDER
set -eu
bin=$1
golden=$(dirname "$0")/counters.golden
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$bin/upf-workload" --generate 20000 --seed 11 --malformed 0.05 --control 0.01 --ues 200 --sessions 1000 \
  --sessions-file "$work/sessions" --uplink "$work/up.pcap" --downlink "$work/down.pcap"
run() { # NAME
  "$bin/upf" --no-huge --no-pci --no-shconf --no-telemetry --log-level=error -m 128 -l 0 --file-prefix "upf-test-$$-$1" \
    --vdev "net_pcap0,rx_pcap=$work/up.pcap,tx_pcap=$work/$1-n3.pcap" \
    --vdev "net_pcap1,rx_pcap=$work/down.pcap,tx_pcap=$work/$1-n6.pcap" \
    -- --sessions "$work/sessions" --stats "$work/$1.stats" --report "$work/$1.report" --clock packet
}
run first
run second
cmp "$work/first.stats" "$work/second.stats"
cmp "$work/first.report" "$work/second.report"
"$bin/upf-pcapcmp" "$work/first-n3.pcap" "$work/second-n3.pcap"
"$bin/upf-pcapcmp" "$work/first-n6.pcap" "$work/second-n6.pcap"
grep -E '^(port|drop|seen|app|profile) ' "$work/first.stats" >"$work/counters"
if [ -n "${UPDATE:-}" ]; then cp "$work/counters" "$golden"; fi
diff -u "$golden" "$work/counters"
