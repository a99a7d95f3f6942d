# Sourced after common.sh by the tests of `heddle specialize`.

# compile_xdp NAME: tests/net/specialize/NAME.bpf.c to $work/NAME.o, with its bitcode.
compile_xdp() {
  "$bin/heddle-cc" -target bpf -O2 -g -Wall -I"/usr/include/$(uname -m)-linux-gnu" -c "$here/specialize/$1.bpf.c" -o "$work/$1.o"
}

# wait_for FILE TEXT: until it is there.
wait_for() {
  for _ in $(seq 300); do
    ! grep -q "$2" "$1" || return 0
    sleep 0.1
  done
  cat "$1"
  fail "$1 has no \"$2\""
}
