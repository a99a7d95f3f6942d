#!/bin/sh
# `heddle specialize`: the dry run, a version in place and the original back (signal, kill -9), and what it refuses.
# usage: specialize.sh BUILD
. "$(dirname "$0")/common.sh"
. "$here/specialize_common.sh"
make_namespaces
wire heddle0 heddle1
compile_xdp forward
run_inside() { ip netns exec "$inside" "$@"; }
running() { ip -n "$inside" -d link show dev heddle0 | sed -n 's/.*prog\/xdp id \([0-9]*\).*/\1/p'; }
expect() { # FILE TEXT
  grep -q "$2" "$1" || { cat "$1"; fail "no \"$2\""; }
}
# refuses TEXT ARGUMENTS: heddle specialize fails with an error that has TEXT, and a hint.
refuses() {
  text=$1
  shift
  if run_inside timeout 20 "$heddle" specialize "$@" >"$work/refused" 2>&1; then fail "not refused: $text"; fi
  expect "$work/refused" "$text"
  expect "$work/refused" "^heddle: hint: ."
}
# back_soon: the original is on the interface again within a moment.
back_soon() {
  for _ in $(seq 50); do
    [ "$(running)" != "$original" ] || return 0
    sleep 0.1
  done
  fail "the original is not back"
}

refuses "has no XDP program" --dev heddle0 --object "$work/forward.o"
refuses "no such network interface" --dev nowhere --object "$work/forward.o"
run_inside ip link set dev heddle0 xdp obj "$work/forward.o" sec xdp 2>"$work/ip.err" ||
  skip "$test_name: this kernel or iproute2 loads no XDP program: $(tail -1 "$work/ip.err")"
original=$(running)

# What is known of the maps, and what a version would be.
run_inside "$heddle" specialize --dev heddle0 --object "$work/forward.o" --dry-run >"$work/dry"
expect "$work/dry" "^lookups, measured here: array [0-9.]* ns, hash table"
run_inside "$heddle" specialize --dev heddle0 --object "$work/forward.o" --costs built-in --dry-run >"$work/dry"
expect "$work/dry" "^lookups, built-in figures: array 2.2 ns, hash table"
expect "$work/dry" "^denied  *hash .* read-only"
expect "$work/dry" "^routes  *lpm_trie .* read-only"
expect "$work/dry" "^data-plane-writes: packets, forward.bpf.c:[0-9]*:"
expect "$work/dry" "table-elimination: denied"
expect "$work/dry" "guard-elision: denied, forward.bpf.c:[0-9]*: no check of its own"
expect "$work/dry" "inline-table: hops, forward.bpf.c:[0-9]*: 4 entries"
expect "$work/dry" "frozen-constants: .rodata: 1 reads"
expect "$work/dry" "inline-table: hops, .*: compares [0-9.]* ns, the lookup [0-9.]* ns; taken as foreseeable, not sampled"
[ "$(running)" = "$original" ] || fail "a dry run has replaced the program"
run_inside "$heddle" specialize --dev heddle0 --object "$work/forward.o" --dry-run --disable table-elimination >"$work/dry"
! grep -q "table-elimination:" "$work/dry" || fail "a pass that is switched off has run"
refuses "the program has no map nowhere" --dev heddle0 --object "$work/forward.o" --exclude-map nowhere

# The same as JSON, and a version that runs: standard output is JSON, and nothing else.
run_inside "$heddle" specialize --dev heddle0 --object "$work/forward.o" --dry-run --costs built-in --json >"$work/dry.json"
ip netns exec "$inside" "$heddle" specialize --dev heddle0 --object "$work/forward.o" --once --costs built-in --json >"$work/once.json" &
specialize=$!
wait_for "$work/once.json" inline-table
kill -TERM $specialize
wait $specialize || true
back_soon
/usr/bin/python3 - "$work/dry.json" "$work/once.json" <<'END' || fail "the JSON is not as it should be"
import json, sys
dry, once = (json.load(open(name)) for name in sys.argv[1:])
maps = {map["name"]: map for map in dry["maps"]}
assert not dry["costs"]["measured"] and dry["costs"]["surprise"] > 0, dry["costs"]
assert maps["hops"]["entries"] == 4 and "left_alone" not in maps["hops"], maps
assert maps["packets"]["left_alone"]["code"] == "data-plane-writes", maps
assert dry["version"]["performed"] == once["performed"] and once["performed"], (dry, once)
assert once["attached_to"] and once["program"] != dry["program"] and once["milliseconds"] > 0, once
assert [phase["name"] for phase in once["phases"]] == ["tables", "rewrite", "optimize", "emit", "load", "swap"], once
assert sum(phase["milliseconds"] for phase in once["phases"]) <= once["milliseconds"], once
assert once["verified"] > once["verified_before"] > 0, once # two bodies
END

# In and out, by a signal and by kill -9.
for signal in TERM KILL; do
  rm -f "$work/once" # or what is in it already would do
  ip netns exec "$inside" "$heddle" specialize --prog "$original" --object "$work/forward.o" --costs built-in --once >"$work/once" 2>&1 &
  specialize=$!
  wait_for "$work/once" inline-table
  [ "$(running)" != "$original" ] || fail "nothing was replaced"
  kill -$signal $specialize
  wait $specialize || true
  back_soon
done

# Somebody else replaces the program, removes it, or the whole interface: nothing of theirs is touched, and it is said.
for change in "-force link set dev heddle0 xdp obj $work/forward.o sec xdp" "link set dev heddle0 xdp off" "link delete heddle0"; do
  rm -f "$work/replaced"
  ip netns exec "$inside" "$heddle" specialize --dev heddle0 --object "$work/forward.o" --costs built-in >"$work/replaced" 2>&1 &
  specialize=$!
  wait_for "$work/replaced" inline-table
  refuses "is not the program that runs" --dev heddle0 --object "$work/forward.o" # a second Heddle
  # shellcheck disable=SC2086
  run_inside ip $change 2>"$work/ip.err" || { cat "$work/ip.err"; fail "ip $change"; }
  now=$(running 2>/dev/null)
  if wait $specialize; then fail "it has not noticed: $change"; fi
  expect "$work/replaced" "somebody else has replaced"
  [ "$(running 2>/dev/null)" = "$now" ] || fail "what came after \"$change\" was changed"
  [ -n "$now" ] || case $change in *delete*) wire heddle0 heddle1 ;; esac
  run_inside ip -force link set dev heddle0 xdp obj "$work/forward.o" sec xdp 2>/dev/null
done

# Objects that are not the program's.
"$(dirname "$heddle")/heddle-cc" -target bpf -O2 -g -Dforward=other -I"/usr/include/$(uname -m)-linux-gnu" -c \
  "$here/specialize/forward.bpf.c" -o "$work/other.o"
refuses "has no program named forward" --dev heddle0 --object "$work/other.o"
"$(dirname "$heddle")/heddle-cc" -target bpf -O2 -g -DDENIED=XDP_PASS -I"/usr/include/$(uname -m)-linux-gnu" -c \
  "$here/specialize/forward.bpf.c" -o "$work/changed.o"
refuses "is not the program that runs" --dev heddle0 --object "$work/changed.o"
clang-19 -target bpf -O2 -g -I"/usr/include/$(uname -m)-linux-gnu" -c "$here/specialize/forward.bpf.c" -o "$work/plain.o"
refuses "no bitcode inside" --dev heddle0 --object "$work/plain.o"
refuses "is not an eBPF object" --dev heddle0 --object "$heddle"
refuses "cannot be opened" --prog 4000000000 --object "$work/forward.o"
# What would be read in another order than the original's is checked, or left alone.
compile_xdp order
run_inside ip -force link set dev heddle0 xdp obj "$work/order.o" sec xdp 2>/dev/null
run_inside "$heddle" specialize --dev heddle0 --object "$work/order.o" --costs built-in --dry-run >"$work/order"
expect "$work/order" ", 2 checks, accepted"
expect "$work/order" "inline-table: behind"
expect "$work/order" "^ *read-later: order.bpf.c:[0-9]*: late is read"
expect "$work/order" "guard-kept: order.bpf.c:[0-9]*: the table"
! grep -q "inline-table: late" "$work/order" || fail "an array's element that is read late was inlined"

# Large tables: indexed, sampled, or left alone as asked for.
compile_xdp stress
clang-19 -O2 "$here/specialize/map.c" -lbpf -o "$work/map"
run_inside ip -force link set dev heddle0 xdp obj "$work/stress.o" sec xdp 2>/dev/null
run_inside "$work/map" "$(running)" large fill 1000
large() { run_inside "$heddle" specialize --dev heddle0 --object "$work/stress.o" --costs built-in --dry-run "$@" >"$work/large"; }
large
expect "$work/large" "index-table: large, stress.bpf.c:[0-9]*: 1000 entries in"
large --disable index-table
expect "$work/large" "sampling: large, stress.bpf.c:[0-9]*: 1.00 % of the packets"
large --disable index-table --sampling 5
expect "$work/large" "sampling: large, stress.bpf.c:[0-9]*: 5.00 % of the packets"
large --disable index-table --exclude-map large
expect "$work/large" "branch-injection: large, stress.bpf.c:[0-9]*: 3 of 4 bytes of the key"
expect "$work/large" "^ *excluded: stress.bpf.c:[0-9]*: large is excluded from sampling"
! grep -q "sampling:" "$work/large" || fail "an excluded map is sampled"
large --disable index-table,branch-injection
! grep -q "branch-injection:" "$work/large" || fail "a pass that is switched off has run"
checks() { sed -n 's/.*, \([0-9]*\) checks, accepted.*/\1/p' "$work/large"; }
fewer=$(checks)
large --disable index-table,branch-injection,guard-elision
[ "$(checks)" -gt "$fewer" ] || fail "a check was elided although that is switched off"
for off in "--sampling 0" "--once" "--disable hot-keys"; do
  # shellcheck disable=SC2086
  large --disable index-table $off
  ! grep -q "sampling:" "$work/large" || fail "it is sampled in spite of $off"
done

# The most ways through compares is a limit that the user sets.
large --most-ways 3 # whole tables: three times three
expect "$work/large" "inline-table: slots"
large --most-ways 2
expect "$work/large" "^ *too-many-ways: stress.bpf.c:[0-9]*: 0 of 8 cases of slots are compared with: there would be too many ways .*; hint: ."
! grep -q "inline-table: slots" "$work/large" || fail "there are more ways than were asked for"
refuses "" --dev heddle0 --object "$work/stress.o" --most-ways 0

# Options from a file; the command line goes before, and the file may hold what is for other steps.
cat >"$work/heddle.toml" <<'END'
[specialize]
disable = ["index-table", "branch-injection"]
sampling = "10%"
[allocators]
functions = ["pool_get"]
END
large --config "$work/heddle.toml"
expect "$work/large" "sampling: large, stress.bpf.c:[0-9]*: 10.00 % of the packets"
! grep -q "branch-injection:" "$work/large" || fail "a pass that the file switches off has run"
large --config "$work/heddle.toml" --sampling 5%
expect "$work/large" "sampling: large, stress.bpf.c:[0-9]*: 5.00 % of the packets"
refuses "nowhere.toml:.*could not be opened" --dev heddle0 --object "$work/stress.o" --config "$work/nowhere.toml"
for line in "nonsense = 1" "period = 100000" 'disable = "nonsense"' "period = 1 s"; do
  printf '[specialize]\n%s\n' "$line" >"$work/wrong.toml"
  refuses "wrong.toml:2: " --dev heddle0 --object "$work/stress.o" --config "$work/wrong.toml"
done

# Values that the program counts in: what it does not change is known, and so are the keys.
compile_xdp counted
run_inside ip -force link set dev heddle0 xdp obj "$work/counted.o" sec xdp 2>/dev/null
run_inside "$work/map" "$(running)" rules fill 1000
run_inside "$heddle" specialize --dev heddle0 --object "$work/counted.o" --costs built-in --dry-run >"$work/counted"
expect "$work/counted" "^rules  *hash .* 16 of 24 bytes written"
expect "$work/counted" "table-elimination: none"
expect "$work/counted" "constant-fields: rules, counted.bpf.c:[0-9]*: 2 reads, 1000 entries"
expect "$work/counted" "branch-injection: rules, counted.bpf.c:[0-9]*: 3 of 4 bytes of the key"
expect "$work/counted" "^ *data-plane-writes: counted.bpf.c:[0-9]*: the program changes 16 of 24 bytes"
! grep -q "inline-table\|index-table\|sampling" "$work/counted" || fail "values that the program writes to were copied"

# A version that cannot be made with all passes: the one to blame is left out, and named.
compile_xdp deep
run_inside ip -force link set dev heddle0 xdp obj "$work/deep.o" sec xdp 2>/dev/null
run_inside "$work/map" "$(running)" known fill 2
run_inside "$heddle" specialize --dev heddle0 --object "$work/deep.o" --costs built-in --dry-run >"$work/deep"
expect "$work/deep" "table-elimination: nothing"
expect "$work/deep" "^ *refused: inline-table: .* stack"
! grep -q "inline-table: known" "$work/deep" || fail "a pass that was refused has run"
run_inside ip -force link set dev heddle0 xdp obj "$work/stress.o" sec xdp 2>/dev/null
run_inside "$work/map" "$(running)" large fill 1000

# What it is at, for people and for Prometheus.
original=$(running)
ip netns exec "$inside" "$heddle" specialize --dev heddle0 --object "$work/stress.o" --costs built-in --disable index-table --watch --period 0.1 \
  --prometheus "$work/metrics" >"$work/watched" 2>&1 &
specialize=$!
wait_for "$work/watched" "heddle0: program [0-9]*, epoch [0-9]*, specialized"
wait_for "$work/watched" "^  large#0  *unknown  *yes  *0  *0 %"
wait_for "$work/watched" "^  inline-table: slots"
wait_for "$work/watched" "^0 packets on the original because tables had changed"
wait_for "$work/metrics" '^heddle_specialized{attached_to="heddle0"} 1.000'
/usr/bin/python3 - "$work/metrics" <<'END' || fail "the metrics are not as Prometheus takes them"
import re, sys
typed = set()
for line in open(sys.argv[1]):
    if line.startswith("# TYPE "):
        typed.add(line.split()[2])
    elif not line.startswith("#"):
        name = re.fullmatch(r'([a-z_]+)\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\} [0-9.]+\n', line).group(1)
        assert name in typed, line
assert "heddle_hot_share" in typed, typed
END
kill -TERM $specialize
wait $specialize || true
back_soon

# A change that changes nothing: the version that runs holds again. One that does: there is another.
original=$(running)
rm -f "$work/again"
ip netns exec "$inside" "$heddle" specialize --dev heddle0 --object "$work/stress.o" --costs built-in --period 0.05 >"$work/again" 2>&1 &
specialize=$!
wait_for "$work/again" "index-table: large"
version=$(running)
made_for=$(run_inside "$work/map" "$version" heddle_made_for read)
run_inside "$work/map" "$version" large fill 1000
for _ in $(seq 50); do
  now=$(run_inside "$work/map" "$version" heddle_made_for read)
  [ "$now" -lt $((made_for + 1000)) ] || break
  sleep 0.1
done
[ "$now" -ge $((made_for + 1000)) ] || fail "the version is for epoch $now, not $made_for and 1000 changes more"
[ "$(running)" = "$version" ] || fail "another version was made for the same tables"
run_inside "$work/map" "$version" large fill 1000 2
for _ in $(seq 50); do
  [ "$(running)" = "$version" ] || break
  sleep 0.1
done
[ "$(running)" != "$version" ] || fail "no version was made for other tables"
kill -TERM $specialize
wait $specialize || true
back_soon

# Other values in an index are no other code: nothing is compiled, and the version has them.
rm -f "$work/again"
ip netns exec "$inside" "$heddle" specialize --dev heddle0 --object "$work/stress.o" --costs built-in --period 0.05 --json >"$work/again" 2>"$work/heddle.err" &
specialize=$!
wait_for "$work/again" "index-table"
for value in 3 4 5; do # half of them: no field is the same in all entries, whatever there was before
  before=$(wc -l <"$work/again")
  run_inside "$work/map" "$(running)" large fill 500 $value
  for _ in $(seq 50); do
    [ "$(wc -l <"$work/again")" = "$before" ] || break
    sleep 0.1
  done
  sleep 0.3 # versions in the middle of the changes
done
kill -TERM $specialize
wait $specialize || true
back_soon
/usr/bin/python3 - "$work/again" <<'END' || fail "the same code was compiled again"
import json, sys
first, *_, last = [json.loads(line) for line in open(sys.argv[1])]
assert [phase["name"] for phase in first["phases"]] == ["tables", "rewrite", "optimize", "emit", "load", "swap"], first
assert [phase["name"] for phase in last["phases"]] == ["tables", "rewrite", "load", "swap"], last
assert any(done["pass"] == "index-table" for done in last["performed"]), last
END
run_inside "$work/map" "$(running)" large fill 1000 2 # as before

# Where there is nothing to gain, the original runs itself: from the beginning, and after a version that was worth it.
all_but_elimination=inline-table,index-table,hot-keys,constant-fields,branch-injection,frozen-constants
rm -f "$work/again"
ip netns exec "$inside" "$heddle" specialize --dev heddle0 --object "$work/stress.o" --costs built-in --period 0.05 --watch \
  --disable table-elimination,$all_but_elimination >"$work/again" 2>&1 &
specialize=$!
wait_for "$work/again" "program $original, epoch [0-9]*, the original: there is nothing to gain"
run_inside "$work/map" "$original" large fill 1000 2
wait_for "$work/again" "^0 versions, [1-9][0-9]* confirmed"
[ "$(running)" = "$original" ] || fail "a version runs that does nothing"
kill -TERM $specialize || fail "it has ended"
wait $specialize || true
back_soon
run_inside ip -force link set dev heddle0 xdp obj "$work/deep.o" sec xdp 2>/dev/null
original=$(running)
ip netns exec "$inside" "$heddle" specialize --dev heddle0 --object "$work/deep.o" --costs built-in --period 0.05 \
  --disable $all_but_elimination >"$work/gained" 2>&1 &
specialize=$!
wait_for "$work/gained" "table-elimination: nothing"
[ "$(running)" != "$original" ] || fail "nothing was replaced"
run_inside "$work/map" "$(running)" nothing fill 1
run_inside "$work/map" "$(running)" known fill 1
wait_for "$work/gained" "the original, program $original, for epoch [0-9]*: there is nothing to gain"
[ "$(running)" = "$original" ] || fail "the original does not run"
kill -TERM $specialize || fail "it has ended"
wait $specialize || true
back_soon

echo "in place and back by TERM and KILL; replaced, removed, interface gone; refusals"
