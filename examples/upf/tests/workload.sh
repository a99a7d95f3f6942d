#!/bin/sh
# upf-workload is deterministic, takes its own output as input, and upf-pcapcmp tells same from different.
# usage: workload.sh BIN-FOLDER
set -eu
bin=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make_workload() { # NAME OPTIONS...
  name=$1
  shift
  "$bin/upf-workload" "$@" --sessions-file "$work/$name.txt" --uplink "$work/$name-up.pcap" --downlink "$work/$name-down.pcap"
}
fail() {
  echo "FAILED: $1"
  exit 1
}

make_workload a --generate 3000 --seed 5 --malformed 0.1
make_workload b --generate 3000 --seed 5 --malformed 0.1
make_workload c --generate 3000 --seed 6 --malformed 0.1
"$bin/upf-pcapcmp" "$work/a-up.pcap" "$work/b-up.pcap" || fail "the same seed gave another uplink"
"$bin/upf-pcapcmp" "$work/a-down.pcap" "$work/b-down.pcap" || fail "the same seed gave another downlink"
cmp "$work/a.txt" "$work/b.txt" || fail "the same options gave other sessions"
if "$bin/upf-pcapcmp" "$work/a-up.pcap" "$work/c-up.pcap"; then fail "another seed gave the same uplink"; fi

# Even traffic of many users is another, and the same for the same seed, too.
make_workload f --generate 3000 --seed 5 --ues 100000 --flows 20000 --uniform
make_workload g --generate 3000 --seed 5 --ues 100000 --flows 20000 --uniform
"$bin/upf-pcapcmp" "$work/f-up.pcap" "$work/g-up.pcap" || fail "the same seed gave another even uplink"
if "$bin/upf-pcapcmp" "$work/a-up.pcap" "$work/f-up.pcap"; then fail "--uniform changed nothing"; fi

# Plain frames in, from a file and from standard input.
make_workload d --in "$work/a-down.pcap"
make_workload e --in - <"$work/a-down.pcap"
"$bin/upf-pcapcmp" "$work/d-up.pcap" "$work/e-up.pcap" || fail "standard input differs from the file"

# What cannot be read is said so.
head -c 3000 "$work/a-up.pcap" >"$work/short.pcap"
status=0
"$bin/upf-pcapcmp" "$work/a-up.pcap" "$work/short.pcap" || status=$?
[ $status -eq 2 ] || fail "a truncated capture is unreadable, not $status"
if "$bin/upf-workload" --in "$work/none.pcap" --sessions-file "$work/x" --uplink "$work/y" --downlink "$work/z"; then
  fail "a missing capture was accepted"
fi
if "$bin/upf-workload" --generate 10 --malformed 2 --sessions-file "$work/x" --uplink "$work/y" --downlink "$work/z"; then
  fail "a share above one was accepted"
fi
