# Sourced after common.sh by the tests of `heddle specialize`.

# compile_xdp NAME: tests/net/specialize/NAME.bpf.c to $work/NAME.o, with its bitcode.
compile_xdp() {
  "$bin/heddle-cc" -target bpf -O2 -g -Wall -I"/usr/include/$(uname -m)-linux-gnu" -c "$here/specialize/$1.bpf.c" -o "$work/$1.o"
}

# wait_for FILE TEXT: until it is there.
wait_for() {
  for _ in $(seq 300); do
    ! grep -qs "$2" "$1" || return 0
    ! grep -qs "cannot be noticed" "$1" || skip "$test_name: $(grep "cannot be noticed" "$1")"
    sleep 0.1
  done
  cat "$1"
  fail "$1 has no \"$2\""
}

# start_example NAME TABLES [GOLDEN]: the control plane of examples/xdp/NAME, with its program on heddle0; its id is in $example, its
# output in $work/example.out. It goes on when `finish_example` is called.
start_example() {
  name=$1
  shift
  "$bin/heddle-cc" -target bpf -O2 -g -Wall -I"/usr/include/$(uname -m)-linux-gnu" -c "$root/examples/xdp/$name/$name.bpf.c" \
    -o "$work/$name.o"
  clang-19 -O2 -Wall "$root/examples/xdp/control.c" "$root/examples/xdp/$name/fill.c" -lbpf -o "$work/control"
  mkfifo "$work/go"
  ip netns exec "$inside" "$work/control" "$work/$name.o" heddle0 "$@" <"$work/go" >"$work/example.out" 2>&1 &
  example=$!
  exec 9>"$work/go"
  wait_for "$work/example.out" attached
}

finish_example() {
  echo >&9
  wait "$example" || { cat "$work/example.out"; fail "$name has failed"; }
}

# specialize_example NAME OPTIONS: until there is a version; its process is in $specialize.
specialize_example() {
  object=$work/$1.o
  shift
  ip netns exec "$inside" "$heddle" specialize --dev heddle0 --object "$object" "$@" >"$work/heddle.out" 2>&1 &
  specialize=$!
  wait_for "$work/heddle.out" epoch
}
