#!/usr/bin/python3
"""A server end to end: real sockets, a load generator, server and clients on a core each.

Original and staged run in turn; what counts is the server's processor time per request, in the program and in the
kernel, because the clients' speed is not the question. The load runs once for a second to fill caches and is then
measured. Prints a line per batch size and, last, JSON.
usage: kernel.py NAME ORIGINAL STAGED --server ARGS --load COMMAND --completed REGEX [--wrong REGEX]
"""

import argparse
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from median import interval  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")


def ticks(process):
    """Processor time so far, in the program and in the kernel."""
    with open(f"/proc/{process}/stat", encoding="ascii") as stat:
        return [int(field) for field in stat.read().rsplit(")", 1)[1].split()[11:13]]


def load(args, seconds):
    """Requests that were answered."""
    command = shlex.split(args.load.format(seconds=seconds))
    said = subprocess.run(["taskset", "-c", "1", *command], capture_output=True, text=True, check=True).stdout
    completed = re.search(args.completed, said)
    if not completed or int(completed[1]) == 0 or (args.wrong and re.search(args.wrong, said)):
        sys.exit(f"kernel.py: {command[0]} got no answers, or wrong ones:\n{said}")
    return int(completed[1])


def serve(args, program, batch):
    """Microseconds per request in the program and in the kernel."""
    environment = dict(os.environ, **({} if batch is None else {"HEDDLE_BATCH": str(batch)}))
    server = subprocess.Popen(["taskset", "-c", "0", program, *shlex.split(args.server)], env=environment,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(0.5)
        load(args, 1)
        before = ticks(server.pid)
        requests = load(args, args.seconds)
        after = ticks(server.pid)
    finally:
        server.terminate()
        server.wait()
    return [(then - first) / TICKS / requests * 1e6 for first, then in zip(before, after)]


def rounded(values):
    return [round(value, 3) for value in interval(values)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("original")
    parser.add_argument("staged")
    parser.add_argument("--server", required=True, help="the server's arguments")
    parser.add_argument("--load", required=True, help="the load generator; {seconds} in it is how long")
    parser.add_argument("--completed", required=True, help="finds the number of answers in what it prints")
    parser.add_argument("--wrong", help="what it prints when answers are wrong")
    parser.add_argument("--rounds", type=int, default=24)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--batches", default="1,16,64")
    args = parser.parse_args()
    runs = {"original": (args.original, None)}
    runs |= {f"batch {batch}": (args.staged, batch) for batch in args.batches.split(",")}
    seen = {name: [] for name in runs}
    for _ in range(args.rounds):
        for name, (program, batch) in runs.items():
            seen[name].append(serve(args, program, batch))
    result = {"name": f"{args.name} with the kernel", "rounds": args.rounds, "runs": []}
    for name, times in seen.items():
        together = rounded([sum(first) / sum(then) for first, then in zip(seen["original"], times)])
        program = rounded([first[0] / then[0] for first, then in zip(seen["original"], times)])
        user, system = (round(statistics.median(part), 3) for part in zip(*times))
        result["runs"].append({"run": name, "user_us": user, "system_us": system, "ratio": together,
                               "program_ratio": program})
        print(f"{name}: {user} us in the program, {system} us in the kernel; ratio in the program "
              f"{program[0]} {program[1:]}, with the kernel {together[0]} {together[1:]}")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
