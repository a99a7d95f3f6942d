#!/usr/bin/python3
"""Lines of two numbers, nanoseconds per packet of the original and of the specialized program, to a line of JSON: the median of
their ratios with the interval between two of them that holds the true median with at least 95 % confidence."""

import json
import math
import os
import platform
import statistics
import sys


def interval(values):
    """As heddle::median_interval: by the binomial distribution of how many lie below the median."""
    values, n, low = sorted(values), len(values), 0
    while low + 1 < n / 2 and 1 - 2 * sum(math.comb(n, k) for k in range(low + 2)) / 2**n >= 0.95:
        low += 1
    return values[low], values[n - 1 - low]


def machine():
    with open("/proc/cpuinfo") as file:
        cpu = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), platform.machine())
    return f"{cpu}, {os.cpu_count()} CPUs, Linux {platform.release()}"


def compare(pairs):
    ratios = [before / after for before, after in pairs]
    low, high = interval(ratios)
    return {
        "original_ns": round(statistics.median(before for before, _ in pairs), 2),
        "specialized_ns": round(statistics.median(after for _, after in pairs), 2),
        "ratio": round(statistics.median(ratios), 3), "low": round(low, 3), "high": round(high, 3),
    }


def main():
    pairs = [tuple(map(float, line.split())) for line in sys.stdin if line[0].isdigit()]
    print(json.dumps({"bench": sys.argv[1], "machine": machine(), "rounds": len(pairs), **compare(pairs)}))


if __name__ == "__main__":
    main()
