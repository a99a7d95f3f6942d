#!/usr/bin/python3
"""Runs every step on ./server with --json and reads what comes. usage: as_json.py HEDDLE"""

import json
import os
import re
import subprocess
import sys

heddle = sys.argv[1]
tried = set()


def try_step(*words):
    done = subprocess.run([heddle, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)  # all of it
    tried.add(words[0])
    marks = [word for word in words[1:] if word in ("--dependencies", "--merge", "--sweep", "--show", "--policy", "none")]
    print(" ".join([words[0], *marks]) + ":", *result)
    return result


try_step("inspect", "server", "--json")
try_step("profile", "server", "--json", "--")
subprocess.run(["cp", "server.heddle.d/profile.hprof", "again"], check=True)
try_step("profile", "server", "--merge", "again", "server.heddle.d/profile.hprof", "--json")
plan = try_step("plan", "server", "--policy=finest", "--budget", "1K", "--print", "--explain", "--json")
with open("server.heddle.d/plan.json") as file:
    assert plan == json.load(file)
try_step("plan", "server", "--sweep", "--policy=finest", "--budget", "1K", "--pairs", "7", "--metric", "wall", "--json", "--")
built = try_step("build", "server", "--json")
assert built["output"] == "server.heddle" and built["sites"] > 0, built
assert try_step("verify", "server", "--json", "--")["verdict"] == "identical"
assert not try_step("verify", "server", "--dependencies", "--json", "--")["violations"]
try_step("bench", "server", "--pairs", "7", "--metric", "wall", "--json", "--")
try_step("report", "server", "--text", "--json")
assert try_step("optimize", "server", "--policy=finest", "--budget", "1K", "--no-bench", "--json", "--")["identical"]
running = subprocess.Popen(["./server.heddle", "wait"], stdout=subprocess.PIPE, text=True,
                           env={**os.environ, "HEDDLE_COUNTERS": "counters"})
running.stdout.readline()
try_step("top", "counters", "--json")
running.kill()
running.wait()
try_step("optimize", "server", "--policy", "none", "--json", "--")
try_step("calibrate", "--quick", "--noise", "1000", "-o", "host.json", "--json")
try_step("calibrate", "--show", "--host", "host.json", "--json")
try_step("doctor", "--json")

steps = re.findall(r"^  ([a-z]+)  ", subprocess.run([heddle, "--help"], capture_output=True, text=True).stdout, re.M)
# cc and c++ are the compiler's; specialize has tests of its own, in namespaces (tests/net).
assert tried == set(steps) - {"cc", "specialize"}, tried ^ set(steps)
print("all steps")
