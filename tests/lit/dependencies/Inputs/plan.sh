#!/bin/sh
# Profiles PROGRAM, built with heddle cc, and plans a cut wherever one is legal. usage: plan.sh PROGRAM [PLAN OPTIONS...]
set -eu
program=$1
shift
heddle profile "$program" --stdout /dev/null --
heddle plan "$program" --policy finest --budget 1K "$@"
