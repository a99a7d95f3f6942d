#!/bin/sh
# The user-plane function on 2 MiB huge pages and net_pcap ports: identical outputs. The pages are reserved for the test
# and given back. What net_pcap writes has time stamps of the machine's; the recordings have not.
# usage: upf_hugepages.sh BUILD
. "$(dirname "$0")/common.sh"
pages=/sys/kernel/mm/hugepages/hugepages-2048kB
[ -w $pages/nr_hugepages ] || skip "upf_hugepages: this kernel has no 2 MiB huge pages"
wanted=160
before=$(cat $pages/nr_hugepages)
undo="umount '$work/huge' 2>/dev/null; echo $before >$pages/nr_hugepages"
echo $((before + wanted)) >$pages/nr_hugepages
free=$(cat $pages/free_hugepages)
[ "$free" -ge $wanted ] || skip "upf_hugepages: only $free of $wanted huge pages could be reserved: memory is fragmented"
mkdir "$work/huge"
mount -t hugetlbfs -o pagesize=2M none "$work/huge"

prepare_upf
# shellcheck disable=SC2086
"$heddle" verify "$upf" --batches 1,32 -- $eal -m 256 --huge-dir "$work/huge" --file-prefix "heddle$$" \
  --vdev "net_pcap0,rx_pcap=$shared/n3.pcap,tx_pcap=$work/tx3.pcap" \
  --vdev "net_pcap1,rx_pcap=$shared/n6.pcap,tx_pcap=$work/tx6.pcap" \
  -- --sessions "$shared/sessions.txt" --record-n3 '{out}/n3.pcap' --record-n6 '{out}/n6.pcap' --stats '{out}/stats' \
  >"$work/log" 2>&1 || { cat "$work/log"; fail "the outputs on huge pages differ"; }
cat "$work/log"
