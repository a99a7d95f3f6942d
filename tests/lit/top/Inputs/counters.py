"""What heddle top shows is what has run; and no file stays."""

import os
import re

from running import Program, counts, top

program = Program()
seen = counts("counters")
number = program.process.pid
assert seen["program"] == "p.heddle" and seen["processes"] == [number], seen
assert seen["packets"] + seen["one_by_one"] == 500 == seen["received"], seen
assert seen["one_by_one"] == seen["batch_sizes"][0]["batches"] == 1, seen
body = seen["bodies"][0]
stages = body["stages"]
assert re.fullmatch(r"run \(.*counted\.c:\d+\)", body["name"]), body
assert stages[0]["packets"] == seen["packets"] and stages[0]["visits"] == seen["batches"], seen
assert sum(stage["packets"] for stage in stages[1:]) == seen["crossings"] > 0, seen
assert sum(stage["visits"] for stage in stages[1:]) == seen["visits"] > 0, seen
assert abs(seen["packets_per_visit"] - seen["crossings"] / seen["visits"]) < 1e-9
assert seen["threads_not_counted"] == 0

by_number = counts("--pid", str(number))
assert by_number["packets"] == seen["packets"] and by_number["bodies"] == seen["bodies"]

text = top("counters", "--once")
assert f"p.heddle, process {number}, for " in text, text
assert re.search(rf"^packets staged +\d+ +{seen['packets']}$", text, re.M), text
assert re.search(r"^ +17 to 32 +\d+\.\d % #+$", text, re.M), text
assert re.search(rf"^{re.escape(body['name'])}$", text, re.M), text

os.environ["HEDDLE_COUNTERS"] = "counters"
metrics = {}
for line in top("--prometheus").splitlines():
    if not line.startswith("#"):
        name, value = line.rsplit(" ", 1)
        metrics[name] = int(value)
    else:
        assert re.fullmatch(r"# (HELP heddle_\w+ \S.*\.|TYPE heddle_\w+ (counter|gauge|histogram))", line), line
assert metrics['heddle_packets_total{program="p.heddle"}'] == seen["packets"]
assert metrics['heddle_received_batch_packets_bucket{program="p.heddle",le="+Inf"}'] == sum(
    size["batches"] for size in seen["batch_sizes"])
assert metrics['heddle_received_batch_packets_sum{program="p.heddle"}'] == 500
assert metrics[f'heddle_stage_visits_total{{program="p.heddle",body="{body["name"]}",stage="1"}}'] == stages[1]["visits"]

assert program.end() == "" and not os.path.exists("counters")
print("counts agree")

program = Program("fork")
assert counts("counters")["packets"] == 3 * seen["packets"], counts("counters")
assert counts("counters")["processes"] == [program.process.pid]
assert program.end() == "" and not os.path.exists("counters")
print("forked processes are counted")

# The first process is gone, and the file is the daemon's.
program = Program("daemon")
assert program.process.wait() == 0
[number] = counts("counters")["processes"]
assert number != program.process.pid and counts("--pid", str(number))["packets"] == seen["packets"]
program.process.stdin.close()
while os.path.exists(f"/proc/{number}"):
    pass
assert not os.path.exists("counters")
print("a daemon keeps its counters")

# At the end, with and without a file for top.
for file in ("counters", ""):
    program = Program("fork", file=file, HEDDLE_REPORT="report")
    assert program.end() == ""
    rows = re.findall(r"^ +1 +(\d+) +(\d+) ", open("report").read(), re.M)
    assert rows == [(str(3 * stages[1]["visits"]), str(3 * stages[1]["packets"]))], rows
    os.remove("report")
print("the report has the same counts")
