#!/usr/bin/env python3
"""What gpu.sh measured, as a table: microseconds per batch, and how many cores' look-ups the GPU makes.

table.py RESULTS.jsonl

A core is one that looks up 256 at a time, with group prefetching where that is faster; below 1, it had better do so itself. Last line: one JSON object,
with the random accesses per second of G-Opt's table 1 (1 GB, 10 hops), the latency of a batch of 32 that asks for nothing, and per
look-up the smallest batch that is worth a core when it is copied there and back.
"""
import json, sys


def main(results):
    machine, cores, rows = {}, {}, []
    for line in open(results):
        if not line.startswith('{'):
            print(line.rstrip())  # what was skipped
            continue
        entry = json.loads(line)
        name = (entry.get('workload'), entry.get('hops'))
        if entry.get('measure') == 'machine':
            machine = entry
        elif 'group_ns' in entry:
            cores[name] = entry
        else:
            rows.append((name, entry))

    print(machine.get('gpu', '?'))
    print(f"{'look-up':12}{'batch':>8}{'kernel us':>12}{'launched us':>12}{'whole us':>12}{'M/s':>9}{'cores':>8}{'whole':>8}")
    accesses, echo, least = 0, None, {}
    for (name, hops), entry in rows:
        n, core = entry['batch'], min(cores[name, hops][time] for time in ('baseline_ns', 'group_ns')) * 1e-3
        title = f'{name} {hops}' if name == 'chase' else name
        resident, whole = (n * core / entry[time] for time in ('resident_us', 'whole_us'))
        print(f"{title:12}{n:8}{entry['kernel_us']:12.2f}{entry['resident_us']:12.2f}{entry['whole_us']:12.2f}"
              f"{n / entry['whole_us']:9.1f}{resident:8.2f}{whole:8.2f}")
        if (name, hops) == ('chase', 10):
            accesses = max(accesses, n * hops / entry['kernel_us'] * 1e6)
        if (name, hops, n) == ('chase', 0, 32):
            echo = entry['whole_us']
        if whole >= 1 and (name, hops) != ('chase', 0):
            least.setdefault(title, n)
    print(json.dumps({'bench': 'gpu', 'gpu': machine.get('gpu'), 'random_accesses_per_s': round(accesses),
                      'least_us': echo, 'batch_worth_a_core': least}))


main(sys.argv[1])
