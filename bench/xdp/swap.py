#!/usr/bin/python3
"""What versions took, phase by phase: least, median and most (swap.sh).
usage: swap.py NAME VERSIONS; the last line is the result as JSON"""
import json
import statistics
import sys

name, path = sys.argv[1:]
with open(path) as file:
    first, *versions = [json.loads(line) for line in file]


def of(values):
    values = sorted(values)
    return {"least": round(values[0], 1), "median": round(statistics.median(values), 1), "most": round(values[-1], 1)}


def phases(key):
    took = [{phase["name"]: phase[key] for phase in version["phases"]} for version in versions]
    return {name: of([phases.get(name, 0) for phases in took]) for name in ("tables", "rewrite", "optimize", "emit", "load", "swap")}


result = {"bench": name, "versions": len(versions), "first_milliseconds": round(first["milliseconds"], 1)}
for key in ("milliseconds", "processor_milliseconds"):
    result[key] = {"all": of([version[key] for version in versions])} | phases(key)
last = versions[-1]
for key in ("instructions", "instructions_before", "verified", "verified_before", "checks"):
    result[key] = last[key]
print(f"{name}: {len(versions)} versions of {last['instructions']} instructions, {last['verified']} verified (the original: {last['verified_before']})")
for phase, took in result["processor_milliseconds"].items():
    print(f"  {phase:10} {took['median']:7.1f} ms of a processor [{took['least']}, {took['most']}], {result['milliseconds'][phase]['median']:7.1f} by the clock")
print(json.dumps(result))
