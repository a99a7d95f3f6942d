#!/usr/bin/python3
"""The turns of end_to_end.c as a line of JSON. usage: end_to_end.py NAME TURNS

Full speed: nanoseconds from packet to packet of the program's processor, and what is left of them without the way's. At a load: percentiles of
microseconds from one end to the other, in each turn; medians over the turns, and ratios as ratio.py has them."""

import json
import statistics
import sys

from ratio import compare, machine

from median import interval  # noqa: E402: ratio has told where it is

FIELDS = ("round", "variant", "gap", "is_original", "seconds", "sent", "handled", "expected", "arrived", "came_back", "p50",
          "p90", "p99", "p99.9")
PERCENTILES = FIELDS[-4:]


def read(path):
    turns, counts = [], {}
    with open(path) as file:
        for line in file:
            words = line.split()
            if words[0] == "replaced":
                counts = {"versions_replaced_in_their_turn": int(words[1]), "rounds_checked": int(words[3])}
            elif words[0].isdigit():
                turns.append({name: word if name == "variant" else float(word) for name, word in zip(FIELDS, words)})
    return turns, counts


def of(turns, variant):
    return [turn for turn in turns if turn["variant"] == variant]


def median(values):
    return statistics.median(list(values))


def nanoseconds(turn):
    return turn["seconds"] * 1e9 / turn["handled"]


def lost(turns):
    """Of the packets that were to arrive."""
    return round(1 - sum(turn["arrived"] for turn in turns) / sum(turn["expected"] for turn in turns), 6)


def full_speed(turns):
    way, before, after = (of(turns, variant) for variant in ("way", "original", "specialized"))
    pairs = [(nanoseconds(one), nanoseconds(other)) for one, other in zip(before, after)]
    alone = [(one - nanoseconds(way[number]), other - nanoseconds(way[number])) for number, (one, other) in enumerate(pairs)]
    result = {"way_ns": round(median(map(nanoseconds, way)), 1), **compare(pairs)}
    for name, rows in (("way", way), ("original", before), ("specialized", after)):
        result[name] = {"handled_per_second": round(median(turn["handled"] / turn["seconds"] for turn in rows)),
                        "arrived_per_second": round(median(turn["arrived"] / turn["seconds"] for turn in rows)),
                        "sent_per_second": round(median(turn["sent"] / turn["seconds"] for turn in rows)), "lost": lost(rows)}
    # Where a turn was disturbed by more than a program takes there is no ratio.
    result["without_way"] = compare(alone) if all(min(pair) > 0 for pair in alone) else None
    result["program_share"] = round(1 - median(map(nanoseconds, way)) / result["original_ns"], 3)
    return result


def at_load(turns, highest):
    before, after = of(turns, "original"), of(turns, "specialized")
    load = median(turn["sent"] / turn["seconds"] for turn in turns)
    result = {"packets_per_second": round(load)}
    for name, rows in (("original", before), ("specialized", after)):
        result[name] = {"share": round(load / highest[name]["handled_per_second"], 2), "lost": lost(rows),
                        "lost_in_front": round(1 - sum(turn["handled"] for turn in rows) / sum(turn["sent"] for turn in rows), 6),
                        "microseconds": {name: round(median(turn[name] for turn in rows) / 1000, 2) for name in PERCENTILES}}
    for name in PERCENTILES:
        ratios = [one[name] / other[name] for one, other in zip(before, after)]
        result[f"{name}_ratio"] = [round(value, 3) for value in interval(ratios)]
    return result


def main():
    turns, counts = read(sys.argv[2])
    full = full_speed([turn for turn in turns if not turn["gap"]])
    load = at_load([turn for turn in turns if turn["gap"]], full)
    print(json.dumps({
        "bench": sys.argv[1], "machine": machine(), "rounds": int(turns[-1]["round"]) + 1, "turn_seconds": round(turns[0]["seconds"], 2),
        "full_speed": full, "at_load": load, "compared": int(sum(turn["arrived"] for turn in turns if turn["variant"] != "way")), "wrong": 0,
        "came_back": round(sum(turn["came_back"] for turn in turns) / sum(turn["arrived"] for turn in turns), 3),
        "turns_of_specialized_with_original": int(sum(turn["is_original"] for turn in of(turns, "specialized"))),
        **counts,
    }))


if __name__ == "__main__":
    main()
