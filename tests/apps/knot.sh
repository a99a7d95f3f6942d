#!/bin/sh
# Builds Knot DNS 3.2.6 from Debian's source package with heddle cc: knotd with its own libraries linked
# statically, without systemd, XDP and the optional modules' libraries. Argument: work folder (build/apps/knot).
. "$(dirname "$0")/common.sh"
app knot 3.2.6 "${1:-}"
program=$work/tree/src/knotd
done_already "$program"
compilers
need autoconf automake libtool pkg-config make libgnutls28-dev liburcu-dev liblmdb-dev libedit-dev
fetch_source knot 3.2.6
unpack knot 3.2.6 "$work/tree"
cd "$work/tree"
[ -x configure ] && [ ! -d debian ] || step autoreconf autoreconf -fi
step configure ./configure CC="$HEDDLE_BIN/heddle-cc" CXX="$HEDDLE_BIN/heddle-c++" CFLAGS='-O2 -g' \
  --prefix="$work/run" --disable-shared --enable-static --disable-documentation --disable-fastparser \
  --enable-systemd=no --enable-dbus=no --enable-xdp=no --enable-quic=no --enable-cap-ng=no --disable-utilities \
  --disable-dnstap --with-module-dnstap=no --with-module-geoip=no --disable-maxminddb
step build make -j"$jobs"
finished "$program"
