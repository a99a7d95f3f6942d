#!/bin/sh
# Look-ups that wait for memory, five ways side by side (main.cpp): builds the program the Heddle way, profiles its look-ups under
# small tables, plans, builds, and measures; all variants' results must be the baseline's. In BUILD/bench/lookup: plan.txt,
# results.jsonl, table.txt. Last line: JSON. DPDK's source and the data are fetched to there, too.
# usage: lookup.sh [BUILD] [OPTIONS OF THE PROGRAM], e.g. lookup.sh build --workload cuckoo --bytes 1G --batch 32. --all: its defaults,
# which take an hour or more and 8 GB. ANNOTATED=no: without annotations, and with a profile and a plan for each size of the tables
# and number of hops: what is hidden is Heddle's own choice.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-build}" && pwd)
[ $# = 0 ] || shift
if [ "${1:-}" = --all ]; then
  shift
elif [ $# = 0 ]; then
  set -- --bytes 32K,1M,16M,256M --batch 8,32,256 --hops 10,100 --pages huge --keys uniform,zipf
fi
heddle=$build/bin/heddle
work=$build/bench/lookup
data=${HEDDLE_DATA:-$here/../../../shared/data}
mkdir -p "$work/data" "$work/objects"

status=0
HEDDLE_BIN=$build/bin "$here/fetch-dpdk" "$work/dpdk" || status=$?
[ $status != 77 ] || { echo '{"skipped":"no source of DPDK"}'; exit 0; }
[ $status = 0 ] || exit $status
for file in snort-dfa-patterns.txt traffic-mix.pcap routeviews-ipv6-201409.txt; do
  [ ! -f "$data/$file.zst" ] || [ -f "$work/data/$file" ] || zstd -qd "$data/$file.zst" -o "$work/data/$file"
done

# What is fetched is not ours to warn about.
dpdk=$(pkg-config --cflags libdpdk | sed 's/-I/-isystem /g')
# shellcheck disable=SC2086
compile() {
  "$build/bin/heddle-c++" -std=c++20 $dpdk -isystem "$work/dpdk" -I "$here/../../include" -I "$here/../../examples" \
    -O2 -g -march=native -fno-exceptions -fno-rtti -Wall -Wextra "$@"
}

annotated=${ANNOTATED:-yes} unannotated=
[ "$annotated" != no ] || unannotated=-DNOT_ANNOTATED

cd "$work"
bodies=
for source in "$here"/*.cpp; do
  name=$(basename "$source" .cpp)
  compile -c "$source" -o "objects/$name.o"
  case $name in
  *_plain)
    # shellcheck disable=SC2086
    compile -DHEDDLE_COPY $unannotated -c "$source" -o "objects/$name.heddle.o"
    bodies="$bodies --body ${name%_plain}_heddle"
    ;;
  esac
done
"$build/bin/heddle-cc" -O2 -g -march=native -Wall -Wextra -c "$here/../../examples/forward/lpm6.c" -o objects/trie.o
# shellcheck disable=SC2046
compile -o lookup objects/*.o $(pkg-config --libs libdpdk)

# build_heddle OPTIONS OF THE PROFILED RUN: lookup.heddle, and its plan as text behind plan.txt
# shellcheck disable=SC2086
build_heddle() {
  "$heddle" profile lookup $bodies -- --short --data data "$@"
  "$heddle" plan lookup $bodies --print >> plan.txt
  "$heddle" build lookup $bodies -o lookup.heddle
  ./lookup.heddle --short --data data "$@"
}

# value_of OPTION DEFAULT ARGUMENTS: the parts of its value
value_of() {
  option=$1 value=$2
  shift 2
  while [ $# -gt 1 ]; do
    [ "$1" != "$option" ] || value=$2
    shift
  done
  echo "$value" | tr , ' '
}

# both LIST LIST: what is in both, with commas
both() {
  for name in $1; do
    case " $2 " in *" $name "*) printf '%s,' "$name" ;; esac
  done | sed 's/,$//'
}

: > plan.txt
if [ "$annotated" != no ]; then
  build_heddle
  ./lookup.heddle "$@" --data data > results.jsonl
else
  : > results.jsonl
  sized='chase cuckoo l2 l2-dpdk ndn'
  names=$(value_of --workload "$(echo $sized | tr ' ' ,),lpm4,lpm6,lpm6-real,trie6,trie6-compressed,ac" "$@")
  these=$names
  for bytes in $(value_of --bytes 32K,1M,16M,256M "$@"); do
    for hops in $(value_of --hops 10,100 "$@"); do
      list=$(both "$names" "$these")
      these=chase # of other numbers of hops
      [ -n "$list" ] || continue
      build_heddle --distinct 32768 --bytes "$bytes" --hops "$hops" --workload "$list"
      ./lookup.heddle "$@" --data data --bytes "$bytes" --hops "$hops" --workload "$list" >> results.jsonl
    done
    these=$sized # of other sizes
  done
fi
grep -E '^    (hidden|left) ' plan.txt || true
"$here/table.py" results.jsonl plan.txt > table.txt
cat table.txt
