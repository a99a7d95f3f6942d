#!/usr/bin/python3
"""What `replay ... phases` and `heddle specialize --json` have written, as a line of JSON: how long after each change of the traffic there
was another version, what a packet took before and behind it, what making versions took, and how much of a processor Heddle had.
usage: phases.py NAME TIMES VERSIONS TICKS"""

import json
import os
import statistics
import sys


def median(values):
    return round(statistics.median(values), 2) if values else None


def main():
    name, times, versions, ticks = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    with open(times) as file:
        rows = [line.split() for line in file if line[0].isdigit()]
    rows = [(int(phase), float(at), float(took), int(program)) for phase, at, took, program in rows]
    with open(versions) as file:
        made = [json.loads(line) for line in file]
    changes = []
    for phase in range(1, rows[-1][0] + 1):
        last = [row for row in rows if row[0] == phase - 1][-1]
        now = [row for row in rows if row[0] == phase]
        follows = next((at for _, at, _, program in now if program != last[3]), None)
        late = [took for _, at, took, program in now if at > (last[1] + now[-1][1]) / 2]  # the second half
        changes.append({
            "seconds_to_version": None if follows is None else round(follows - last[1], 3),
            "ns_until_then": median([took for _, at, took, _ in now if follows is None or at < follows]),
            "ns_settled": median(late),
        })
    known = [change["seconds_to_version"] for change in changes if change["seconds_to_version"] is not None]
    took = [version["milliseconds"] for version in made[1:]] or [made[0]["milliseconds"]]  # the first one prepares for all
    processor = [version["processor_milliseconds"] for version in made[1:]] or [made[0]["processor_milliseconds"]]
    print(json.dumps({
        "bench": name, "phases": rows[-1][0] + 1, "seconds": round(rows[-1][1], 1), "changes": changes,
        "answered": len(known), "median_seconds_to_version": median(known), "most_seconds_to_version": max(known, default=None),
        "versions": len(made), "median_milliseconds_per_version": median(took), "most_milliseconds_per_version": round(max(took), 1),
        "median_processor_milliseconds": median(processor), "first_milliseconds": round(made[0]["milliseconds"], 1),
        "percent_of_a_cpu": round(100 * ticks / os.sysconf("SC_CLK_TCK") / rows[-1][1], 2),
    }))


if __name__ == "__main__":
    main()
