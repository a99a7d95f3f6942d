#!/bin/sh
# The report's page in headless Chromium: two small programs, one staged, one with hidden loads, go the whole way, and their
# reports are looked at by check.mjs in light, dark, narrow and on paper. usage: report.sh BUILD
# Screenshots stay in BUILD/tests/browser.
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

skip() {
  echo "SKIP: $1"
  exit 77
}

command -v node >/dev/null && command -v npm >/dev/null || skip "the report's page needs node and npm"
[ -f "$build/lib/heddle/heddle-report.html" ] || skip "the report's page was not built"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
  skip "no Chromium (scripts/install-deps --with-browser installs it)"

work=$build/tests/browser
mkdir -p "$work"
cp "$here/package.json" "$here/package-lock.json" "$here"/*.mjs "$work"
(cd "$work" && npm ci --ignore-scripts --no-audit --no-fund --silent) || skip "npm cannot install what drives the browser"

heddle=$build/bin/heddle
includes="-I$root/tests/lit/staged/Inputs -I$root/include"

# A cut wherever it is legal.
staged=$work/staged
# shellcheck disable=SC2086
"$build/bin/heddle-cc" -g -O2 $includes "$root/tests/lit/report/steps-leave-their-results.c" -o "$staged"
"$heddle" profile "$staged" --
"$heddle" plan "$staged" --policy finest

# Caches too small for its table.
hidden=$work/hidden
# shellcheck disable=SC2086
"$build/bin/heddle-cc" -g -O2 $includes "$root/tests/lit/hide/from-profile.c" -o "$hidden"
"$heddle" profile "$hidden" --dcache 1K:4,2K:4,4K:4 --
"$heddle" plan "$hidden" --budget 1000000K

"$heddle" plan "$staged" --policy finest --sweep --pairs 7 --metric wall --
for program in "$staged" "$hidden"; do
  "$heddle" build "$program"
  "$heddle" verify "$program" --
  "$heddle" bench "$program" --pairs 7 --metric wall --
  "$heddle" report "$program" -o "$program.html"
  "$heddle" report "$program" --json "$program.json"
done

# A plan, and nothing else.
bare=$work/bare
rm -rf "$bare.heddle.d"
cp -r "$staged.heddle.d" "$bare.heddle.d"
rm "$bare.heddle.d/path.json" "$bare.heddle.d/sweep.json" "$bare.heddle.d/verify.json" "$bare.heddle.d/bench.json"
"$heddle" report "$bare.heddle.d" -o "$bare.html"
"$heddle" report "$bare.heddle.d" --json "$bare.json"

node "$work/check.mjs" "$browser" "$work" staged hidden bare
