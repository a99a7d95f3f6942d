"""Of an interleaved body packets are those received."""

from running import Program, counts

program = Program(HEDDLE_LEAST_BATCH="10")
seen = counts("counters")
assert seen["packets"] + seen["one_by_one"] == seen["received"] == 500, seen
assert seen["packets"] > 0 and seen["one_by_one"] > 0, seen
assert seen["batches"] > 0 and seen["crossings"] > 0 and seen["visits"] > 0 and seen["bodies"] == [], seen
assert program.end() == ""

program = Program(HEDDLE_LEAST_BATCH="0")
assert counts("counters")["packets"] == 500
assert program.end() == ""

program = Program(HEDDLE_BATCH="1")
seen = counts("counters")
assert seen["one_by_one"] == 500 and seen["packets"] == seen["batches"] == seen["crossings"] == 0, seen
assert program.end() == ""
print("counts agree")
