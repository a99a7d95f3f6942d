#!/bin/sh
# Builds unbound 1.17.1 from Debian's source package with heddle cc: with its own event loop, which is the default, and
# its own library static. Arguments: work folder (build/apps/unbound); `forks`: workers are processes, not threads, so the
# caches have no locks.
. "$(dirname "$0")/common.sh"
app unbound 1.17.1 "${1:-}"
program=$work/tree/unbound
done_already "$program"
compilers
case "${2:-}" in
"") threads= ;;
forks) threads='--without-pthreads --without-solaris-threads' ;;
*) fail "unknown argument $2: nothing, or forks" ;;
esac
need make bison flex libssl-dev libexpat1-dev
fetch_source unbound 1.17.1
unpack unbound 1.17.1 "$work/tree"
cd "$work/tree"
# shellcheck disable=SC2086
step configure ./configure CC="$HEDDLE_BIN/heddle-cc" CFLAGS='-O2 -g' --prefix="$work/run" \
  --with-conf-file="$work/run/unbound.conf" --with-pidfile="$work/run/unbound.pid" --with-username= \
  --disable-shared --enable-static --disable-rpath --without-libevent $threads
step build make -j"$jobs" unbound
finished "$program"
