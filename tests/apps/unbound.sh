#!/bin/sh
# Builds unbound 1.17.1 from Debian's source package with heddle cc: with its own event loop, which is the default, and
# its own library static. Argument: work folder (build/apps/unbound).
. "$(dirname "$0")/common.sh"
app unbound 1.17.1 "${1:-}"
program=$work/tree/unbound
done_already "$program"
compilers
need make bison flex libssl-dev libexpat1-dev
fetch_source unbound 1.17.1
unpack unbound 1.17.1 "$work/tree"
cd "$work/tree"
step configure ./configure CC="$HEDDLE_BIN/heddle-cc" CFLAGS='-O2 -g' --prefix="$work/run" \
  --with-conf-file="$work/run/unbound.conf" --with-pidfile="$work/run/unbound.pid" --with-username= \
  --disable-shared --enable-static --disable-rpath --without-libevent
step build make -j"$jobs" unbound
finished "$program"
