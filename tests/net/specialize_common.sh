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

# start_router TABLES WHAT ARGUMENT: examples/xdp/router's control plane, once its program is specialized; its id is in $router, its
# output in $work/router.out.
start_router() {
  "$bin/heddle-cc" -target bpf -O2 -g -Wall -I"/usr/include/$(uname -m)-linux-gnu" -c "$root/examples/xdp/router/router.bpf.c" \
    -o "$work/router.o"
  clang-19 -O2 -Wall "$root/examples/xdp/router/control.c" -lbpf -o "$work/control"
  mkfifo "$work/go"
  ip netns exec "$inside" "$work/control" "$work/router.o" heddle0 "$@" <"$work/go" >"$work/router.out" 2>&1 &
  router=$!
  exec 9>"$work/go"
  wait_for "$work/router.out" attached
  ip netns exec "$inside" "$heddle" specialize --dev heddle0 --object "$work/router.o" >"$work/heddle.out" 2>&1 &
  wait_for "$work/heddle.out" epoch
  echo >&9
}
