#!/bin/sh
# The Debian package on a clean system: made, installed with apt into a new root (debootstrap), a program compiled there with
# heddle cc, optimised and compared, and the package removed again. usage: clean_root.sh BUILD
# The clean root and what apt has downloaded stay in BUILD/package, so that only the first run takes minutes.
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
inputs=$here/../lit
work=$build/package
mirror=${DEBIAN_MIRROR-} # empty: debootstrap's own choice

skip() {
  echo "SKIP: $1"
  exit 77
}

if [ "${2-}" != unshared ]; then
  [ "$(id -u)" = 0 ] || skip "a clean root needs root"
  command -v debootstrap >/dev/null || skip "no debootstrap (apt install debootstrap)"
  unshare -m true 2>/dev/null || skip "no mount namespace can be made"
  exec unshare -m "$here/$(basename "$0")" "$build" unshared
fi

mkdir -p "$work/archives/partial"
if [ ! -e "$work/clean.tar" ]; then
  rm -rf "$work/root"
  timeout 600 debootstrap --variant=minbase bookworm "$work/root" ${mirror:+"$mirror"} >"$work/debootstrap.log" 2>&1 ||
    skip "debootstrap cannot make a root${mirror:+ from $mirror}: $(tail -n 1 "$work/debootstrap.log")"
  tar -C "$work/root" -cf "$work/clean.tar.tmp" . && mv "$work/clean.tar.tmp" "$work/clean.tar"
fi

(cd "$build" && cpack >"$work/cpack.log") || { tail "$work/cpack.log"; exit 1; }
package=$(ls -t "$work"/heddle_*.deb | head -n 1)
echo "package: $(basename "$package"), $(stat -c %s "$package") bytes"
if command -v lintian >/dev/null; then
  lintian --allow-root --fail-on error,warning "$package" && echo "lintian: no error, no warning"
else
  echo "lintian is not installed: the package was not looked at"
fi

root=$work/root
rm -rf "$root" && mkdir "$root"
tar -C "$root" -xf "$work/clean.tar"
mount -t proc none "$root/proc"
mount --bind "$work/archives" "$root/var/cache/apt/archives"
cp "$package" "$root/tmp/heddle.deb"
cp "$inputs/cli/Inputs/server.c" "$inputs/staged/Inputs/packets.h" "$root/tmp"
cp /etc/resolv.conf "$root/etc/resolv.conf"

# There: what somebody does who has just got the package. The archives that apt keeps are found again in the next run.
within() {
  timeout 600 chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive "$@"
}
apt="apt-get -qq -o Binary::apt-get::APT::Keep-Downloaded-Packages=true --no-install-recommends"
# shellcheck disable=SC2086
within sh -c "apt-get -qq update && $apt install -y /tmp/heddle.deb" >"$work/apt.log" 2>&1 ||
  { tail "$work/apt.log"; exit 1; }
within sh -eu -c '
cd /tmp
heddle doctor | tee doctor.txt | head -n 4
cc=heddle-cc
$cc -O2 -g -I. server.c -o server
heddle optimize server --policy finest --budget 1K --no-bench --json result.json --
grep -q "\"identical\": true" result.json
heddle report server --text | grep -E "outputs +identical"
HEDDLE_BATCH=32 ./server.heddle >optimized.txt && ./server >original.txt && cmp original.txt optimized.txt
heddle verify server --dependencies -- | tail -n 2
'
within apt-get -qq purge -y heddle >>"$work/apt.log" 2>&1
left=$(within sh -c 'ls -d /usr/bin/heddle* /usr/lib/heddle /usr/share/heddle /usr/include/heddle 2>/dev/null' || true)
[ -z "$left" ] || { echo "left after purge: $left"; exit 1; }
umount "$root/var/cache/apt/archives" "$root/proc"
rm -rf "$root"
echo "installed, used and removed on a clean root"
