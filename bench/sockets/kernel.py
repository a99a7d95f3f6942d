#!/usr/bin/python3
"""The same nginx end to end: real sockets, wrk with 64 clients, server and clients on a core each.

Original and staged run in turn; what counts is the server's processor time per request, in the program and in the
kernel, because the clients' speed is not the question. Prints a line per batch size and, last, JSON.
usage: kernel.py ORIGINAL STAGED FOLDER [--rounds N] [--batches 1,16,64]   (FOLDER holds nginx.conf)
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time

TICKS = os.sysconf("SC_CLK_TCK")
URL = "http://127.0.0.1:8199/1"


def serve(program, folder, batch, seconds):
    """Microseconds per request in the program and in the kernel."""
    environment = dict(os.environ, **({} if batch is None else {"HEDDLE_BATCH": str(batch)}))
    server = subprocess.Popen(["taskset", "-c", "0", program, "-p", folder, "-c", "nginx.conf"], env=environment,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(0.3)
        said = subprocess.run(["taskset", "-c", "1", "wrk", "-t1", "-c64", f"-d{seconds}", URL], capture_output=True,
                              text=True, check=True).stdout
        with open(f"/proc/{server.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
    finally:
        server.terminate()
        server.wait()
    requests = re.search(r"(\d+) requests in", said)
    if not requests or int(requests[1]) == 0 or "Non-2xx" in said:
        sys.exit(f"kernel.py: {program}: wrk got no answers, or wrong ones:\n{said}")
    return tuple(int(field) / TICKS / int(requests[1]) * 1e6 for field in fields[11:13])


def interval(values):
    """Median and a 95 % interval of it, by order statistics."""
    ordered, half = sorted(values), 0.98 * len(values) ** 0.5
    low, high = int(max(0, len(values) / 2 - half)), int(min(len(values) - 1, len(values) / 2 + half))
    return statistics.median(ordered), ordered[low], ordered[high]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("original")
    parser.add_argument("staged")
    parser.add_argument("folder")
    parser.add_argument("--rounds", type=int, default=24)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--batches", default="1,16,64")
    args = parser.parse_args()
    runs = {"original": (args.original, None)}
    runs |= {f"batch {batch}": (args.staged, batch) for batch in args.batches.split(",")}
    seen = {name: [] for name in runs}
    for _ in range(args.rounds):
        for name, (program, batch) in runs.items():
            seen[name].append(serve(program, args.folder, batch, args.seconds))
    result = {"name": "nginx with the kernel", "clients": 64, "rounds": args.rounds, "runs": []}
    for name, times in seen.items():
        ratio = interval([sum(first) / sum(then) for first, then in zip(seen["original"], times)])
        user, system = (statistics.median(part) for part in zip(*times))
        result["runs"].append({"run": name, "user_us": round(user, 3), "system_us": round(system, 3),
                               "ratio": [round(value, 3) for value in ratio]})
        print(f"{name}: {user:.2f} us in the program, {system:.2f} us in the kernel, ratio {ratio[0]:.3f} "
              f"[{ratio[1]:.3f}, {ratio[2]:.3f}]")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
