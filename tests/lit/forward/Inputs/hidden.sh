#!/bin/sh
# Takes PROGRAM, an application built with heddle cc, the whole way on generated traffic, as if the caches were too small for its table.
# Prints the plan, and whether the outputs are identical. usage: hidden.sh PROGRAM ARGS
set -eu
program=$1
shift
eal="-l 0 --no-huge --no-pci --no-shconf --no-telemetry --log-level=error -m 256"
# shellcheck disable=SC2086
{
  heddle profile "$program" --dcache 8K:4,16K:4,32K:4 --stdout "$program.profiled" -- $eal -- --packets 20000 "$@"
  heddle plan "$program" --print
  heddle build "$program"
  heddle verify "$program" --batches 0,1,2,7,32,64 -- $eal -- --packets 5000 --digest --record '{out}/sent' "$@"
  heddle verify "$program" --dependencies -- $eal -- --packets 5000 "$@"
}
