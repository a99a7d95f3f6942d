#!/usr/bin/python3
"""Lines of two numbers, nanoseconds per packet of the original and of the specialized program, to a line of JSON: the median of
their ratios with the interval between two of them that holds the true median with at least 95 % confidence."""

import json
import os
import platform
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from median import interval  # noqa: E402


def machine():
    with open("/proc/cpuinfo") as file:
        cpu = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), platform.machine())
    return f"{cpu}, {os.cpu_count()} CPUs, Linux {platform.release()}"


def compare(pairs):
    ratios = [before / after for before, after in pairs]
    ratio, low, high = interval(ratios)
    return {
        "original_ns": round(statistics.median(before for before, _ in pairs), 2),
        "specialized_ns": round(statistics.median(after for _, after in pairs), 2),
        "ratio": round(ratio, 3), "low": round(low, 3), "high": round(high, 3),
    }


def main():
    pairs = [tuple(map(float, line.split())) for line in sys.stdin if line[0].isdigit()]
    print(json.dumps({"bench": sys.argv[1], "machine": machine(), "rounds": len(pairs), **compare(pairs)}))


if __name__ == "__main__":
    main()
