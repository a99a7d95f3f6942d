# Sourced by the tests of this folder: NAME BUILD. Network namespaces, the example built with heddle cc, cleaning up.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
test_name=$(basename "$0" .sh)
bin=$(cd "$1/bin" && pwd)
heddle=$bin/heddle
mkdir -p "$1/net"
shared=$(cd "$1/net" && pwd)

skip() {
  echo "SKIP: $1"
  exit 77
}

fail() {
  echo "FAILED: $1"
  exit 1
}

[ "$(id -u)" = 0 ] || skip "$test_name needs root: network namespaces and raw sockets"
ip netns add "heddle-probe-$$" 2>/dev/null || skip "$test_name: this machine makes no network namespaces"
ip netns delete "heddle-probe-$$"

work=$(mktemp -d)
export TMPDIR="$work" # what is killed at the end cleans up nothing
inside=heddle-inside-$$  # where the program runs
outside=heddle-outside-$$ # its neighbours
undo= # commands, run whatever happens

clean_up() {
  status=$?
  trap - EXIT INT TERM HUP
  for namespace in "$inside" "$outside"; do
    ip netns pids "$namespace" 2>/dev/null | xargs -r kill -9 2>/dev/null || true
    ip netns delete "$namespace" 2>/dev/null || true
  done
  eval "$undo"
  rm -rf "$work"
  exit $status
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Two namespaces whose kernels send nothing of their own accord.
make_namespaces() {
  for namespace in "$inside" "$outside"; do
    ip netns add "$namespace"
    ip netns exec "$namespace" sh -c 'for f in /proc/sys/net/ipv6/conf/*/disable_ipv6; do echo 1 >"$f"; done' 2>/dev/null || true
    ip -n "$namespace" link set lo up
  done
}

# wire A B: a veth pair, A inside and B outside.
wire() {
  ip -n "$inside" link add "$1" mtu 2000 type veth peer name "$2" mtu 2000 netns "$outside"
  ip -n "$inside" link set "$1" up
  ip -n "$outside" link set "$2" up
}

. "$root/tests/net/upf.sh"
