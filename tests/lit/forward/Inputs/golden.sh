#!/bin/sh
# Runs the program on a test's frames (frames.py) with its lines `table ...` for a table, and compares what it sends on each port.
# Prints what the program prints. usage: golden.sh PROGRAM TEST PORTS
set -eu
program=$1 test=$2 ports=$3
frames=$(dirname "$0")/frames.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n 's/^table //p' "$test" > "$work/table"
/usr/bin/python3 "$frames" write "$test" "$work/in" "$ports"
set --
for port in $(seq 0 $((ports - 1))); do
  set -- "$@" --vdev "net_pcap$port,rx_pcap=$work/in-$port,tx_pcap=$work/sent-$port"
done
"$program" -l 0 --no-huge --no-pci --no-shconf --no-telemetry --log-level=error -m 256 --file-prefix "golden-$$" "$@" -- \
  --table "$work/table" --ports "$ports" --record "$work/out" --idle 10
/usr/bin/python3 "$frames" compare "$test" "$work/out" "$ports"
/usr/bin/python3 "$frames" compare "$test" "$work/sent" "$ports"
