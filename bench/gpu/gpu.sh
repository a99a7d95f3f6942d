#!/bin/sh
# Look-ups on a GPU beside one core of the processor (main.cu), with the tables and keys of bench/lookup. Needs CUDA's nvcc (in the
# PATH, in /usr/local/cuda/bin, or named by NVCC), and an NVIDIA GPU; a skip prints its reason. In BUILD/bench/gpu: results.jsonl,
# table.txt. Last line: JSON.
# usage: gpu.sh [BUILD] [ROUNDS]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-build}" && pwd)
work=$build/bench/gpu
lookup=$here/../lookup

nvcc=${NVCC:-$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc || true)}
[ -n "$nvcc" ] || { echo '{"skipped":"no nvcc"}'; exit 0; }

mkdir -p "$build/bench/lookup" "$work/objects"
status=0
HEDDLE_BIN=$build/bin "$lookup/fetch-dpdk" "$build/bench/lookup/dpdk" || status=$?
[ $status != 77 ] || { echo '{"skipped":"no source of DPDK"}'; exit 0; }
[ $status = 0 ] || exit $status

# The processor's side is nobody's but the compiler's: what Heddle would change is a second copy of the plain look-up.
dpdk=$(pkg-config --cflags libdpdk | sed 's/-I/-isystem /g')
compile() {
  # shellcheck disable=SC2086
  clang++-19 -std=c++20 $dpdk -isystem "$build/bench/lookup/dpdk" -I "$here/../../include" -I "$here/../../examples" \
    -O2 -march=native -fno-rtti -Wall -Wextra "$@"
}
cd "$work"
for name in chase cuckoo lpm4 lpm6 l2 ndn; do
  compile -c "$lookup/$name.cpp" -o "objects/$name.o"
  compile -c "$lookup/${name}_plain.cpp" -o "objects/${name}_plain.o"
  compile -DHEDDLE_COPY -c "$lookup/${name}_plain.cpp" -o "objects/${name}_heddle.o"
done
for name in lpm6_table prefixes6 memory measure dpdk; do
  compile -c "$lookup/$name.cpp" -o "objects/$name.o"
done
clang-19 -O2 -Wall -Wextra -c "$here/../../examples/forward/lpm6.c" -o objects/trie.o
# For the GPU that is here; where there is none, for any.
# shellcheck disable=SC2046
"$nvcc" -std=c++17 -O3 -arch=native -o gpu "$here/main.cu" objects/*.o $(pkg-config --libs libdpdk | sed 's/-Wl,/-Xlinker /g') \
  2> nvcc.log || { cat nvcc.log >&2; exit 1; }

./gpu ${2:+"$2"} > results.jsonl || status=$?
if [ $status = 77 ]; then
  echo "{\"skipped\":\"$(sed -n 's/^SKIP: no GPU: /no GPU: /p' results.jsonl)\"}"
  exit 0
fi
[ $status = 0 ] || exit $status
"$here/table.py" results.jsonl > table.txt
cat table.txt
