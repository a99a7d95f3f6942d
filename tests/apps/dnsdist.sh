#!/bin/sh
# Builds PowerDNS dnsdist 1.7.3 from Debian's source package with heddle c++: plain DNS only, without encrypted transports,
# SNMP and the like. Argument: work folder (build/apps/dnsdist).
. "$(dirname "$0")/common.sh"
app dnsdist 1.7.3 "${1:-}"
program=$work/tree/dnsdist
done_already "$program"
compilers
need make pkg-config libboost-dev libedit-dev liblua5.3-dev
fetch_source dnsdist 1.7.3
unpack dnsdist 1.7.3 "$work/tree"
cd "$work/tree"
step configure ./configure CC="$HEDDLE_BIN/heddle-cc" CXX="$HEDDLE_BIN/heddle-c++" CFLAGS='-O2 -g' CXXFLAGS='-O2 -g -Wno-narrowing' \
  --disable-dependency-tracking --disable-dnstap --disable-systemd --without-systemd --with-lua=lua5.3 --without-libsodium \
  --without-ebpf --without-net-snmp --without-libcap --without-libssl --without-gnutls --without-nghttp2 --without-lmdb
step build make -j"$jobs"
finished "$program"
