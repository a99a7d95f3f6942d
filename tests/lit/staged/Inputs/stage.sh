#!/bin/sh
# Takes PROGRAM, built with heddle cc, the whole way with a cut wherever one is legal: profile, plan, build, verify at
# several batch sizes. Prints the plan (sites and their places), the verdict, and how often packets were suspended at
# sites; fails when none was, because such a test proves nothing.
# usage: stage.sh PROGRAM [ARGS]; STAGE_PLAN: more options for plan, STAGE_BODY: for all steps; STAGE_HIDE: set, no cuts, so that
# loads are hidden.
set -eu
program=$1
shift
body=${STAGE_BODY:-}
cuts="--policy finest --budget 1K"
[ -z "${STAGE_HIDE:-}" ] || cuts="--budget 1000000K"
# shellcheck disable=SC2086
{
  heddle profile "$program" $body --stdout "$program.profiled" -- "$@"
  heddle plan "$program" $body $cuts --print ${STAGE_PLAN:-}
  heddle build "$program" $body
  heddle verify "$program" --batches 0,1,2,7,32,64 -- "$@"
}
status=0
SHOW_CROSSINGS=1 "$program.heddle" "$@" >/dev/null 2>"$program.crossings" || status=$?
cat "$program.crossings"
echo "exit status $status"
grep -q 'crossings [1-9]' "$program.crossings" || { echo "no packet was ever suspended"; exit 1; }
