#!/usr/bin/env python3
"""What lookup.sh measured, as tables: nanoseconds per look-up of the baseline, and how many times as fast the others are.

table.py RESULTS.jsonl PLAN.txt

An interval is of the paired ratio, 95 %. Last line: one JSON object, with the geometric mean of each variant's ratios over all
parameters and, as `large`, over tables of 64 MB and more that are looked up uniformly by batches of 32 or more; and the ratios of
tries with and without compression to DPDK's table, which have a table of their own.
"""
import json, math, re, sys

order = ['heddle', 'group', 'amac', 'coroutines']
tries = ['heddle', 'trie', 'trie by heddle', 'compressed', 'compressed by heddle']


def size(count):
    for unit, name in ((1 << 30, 'G'), (1 << 20, 'M'), (1 << 10, 'K')):
        if count >= unit:
            return f'{count / unit:.3g}{name}'
    return str(count)


def mean(ratios):
    return round(math.exp(sum(map(math.log, ratios)) / len(ratios)), 3) if ratios else None


def show(rows, variants):
    """A line for each set of parameters."""
    if not rows:
        return
    print(f"{'look-up':18}{'table':>7} {'pages':6}{'keys':9}{'batch':>5}{'ns':>10}", *(f'{v:>24}' for v in variants))
    for (name, count, pages, keys, batch), row in rows.items():
        cells = [f"{row[v]['ratio']:8.2f} [{row[v]['ci'][0]:.2f}, {row[v]['ci'][1]:.2f}]" for v in variants]
        print(f"{name:18}{size(count):>7} {pages:6}{keys:9}{batch:5}{row['baseline']['ns']:10.1f}",
              *(f'{cell:>24}' for cell in cells))


def main(results, plan):
    machine, rows, compression = {}, {}, {}
    for line in open(results):
        if not line.startswith('{'):
            print(line.rstrip())  # what was skipped
            continue
        entry = json.loads(line)
        if entry.get('measure') == 'machine':
            machine = entry
            continue
        name = entry['workload'] + (f" {entry['hops']}" if 'hops' in entry else '')
        key = (name, entry['bytes'], entry['pages'], entry['keys'], entry['batch'])
        into = compression if name.startswith('compression') else rows
        into.setdefault(key, {})[entry['variant']] = entry

    print(f"{machine.get('cpu', '?')}, {machine.get('ghz', 0):.2f} GHz")
    show(rows, order)
    show(compression, tries)

    text = open(plan).read()
    large = [row for (_, count, _, keys, batch), row in rows.items()
             if count >= 64 << 20 and keys == 'uniform' and batch >= 32]
    print(json.dumps({
        'bench': 'lookup', 'cpu': machine.get('cpu'),
        'loads': {told: len(re.findall(f'^    {told} ', text, re.M)) for told in ('hidden', 'left')},
        'parameters': len(rows) + len(compression),
        'ratio': {v: mean([row[v]['ratio'] for row in rows.values()]) for v in order},
        'large': {v: mean([row[v]['ratio'] for row in large]) for v in order},
        'compression': [{
            'prefixes': name.removeprefix('compression-'), 'keys': keys, 'pages': pages, 'batch': batch,
            'steps': [row['baseline'][steps] for steps in ('steps', 'compressed_steps')],
            **{v: row[v]['ratio'] for v in tries},
        } for (name, _, pages, keys, batch), row in compression.items()],
    }))


main(*sys.argv[1:])
