#!/usr/bin/env python3
"""latency.py ROUNDS ARGUMENTS...: ./upf and ./upf.heddle with these, in turn, at two loads. Last line: one JSON object.

The load is a share of the packets per second that the original makes when they are always there, by its processor time. A ratio is of latencies, to the original's of
the same round; below 1 is less. Each has the median over the rounds, and the 95 % interval by order statistics.
"""
import json, os, re, statistics, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from median import interval  # noqa: E402

VARIANTS = {
    'original': ('./upf', {}),
    'staged': ('./upf.heddle', {'HEDDLE_LEAST_BATCH': '0'}),
    'adaptive': ('./upf.heddle', {}),
    'off': ('./upf.heddle', {'HEDDLE_BATCH': '1'}),
}
PARTS = ('p50', 'p99', 'p99.9')
LOOPS = 4


def run(variant, *more):
    program, settings = VARIANTS[variant]
    clean = {name: value for name, value in os.environ.items() if not name.startswith('HEDDLE_')}
    return subprocess.run(['taskset', '-c', str(max(os.sched_getaffinity(0))), program, *sys.argv[2:], *more], env={**clean, **settings},
                          capture_output=True, text=True, check=True).stdout


def latencies(variant, rate):
    line = re.search(r'^latency_ns (.*)$', run(variant, '--loops', str(LOOPS), '--rate', str(round(rate))), re.M).group(1)
    return {name: float(value) for name, value in (word.split('=') for word in line.split())}


def machine():
    with open('/proc/cpuinfo') as file:
        return re.search(r'^model name\s*: (.*)$', file.read(), re.M).group(1)


rounds = int(sys.argv[1])
capacity = 1e9 / statistics.median(latencies('original', 1e9)['processor_ns'] for _ in range(5))
result = {'bench': 'upf-latency', 'cpu': machine(), 'rounds': rounds, 'capacity_pps': round(capacity), 'loads': {}}
print(f"{'load':6}{'variant':10}" + ''.join(f'{part + " ns":>10}{"ratio":>24}' for part in PARTS))
for load in (0.1, 0.9):
    seen = {variant: [] for variant in VARIANTS}
    for _ in range(rounds):
        for variant in VARIANTS:
            seen[variant].append(latencies(variant, load * capacity))
    table = result['loads'][f'{load:.0%}'] = {}
    for variant, runs in seen.items():
        row = table[variant] = {
            part: {'ns': round(statistics.median(one[part] for one in runs)),
                   'ratio': [round(value, 3) for value in interval([one[part] / original[part] for one, original in zip(runs, seen['original'])])]}
            for part in PARTS}
        cells = ''.join(f"{row[part]['ns']:10}{'{:.3f} [{:.3f}, {:.3f}]'.format(*row[part]['ratio']):>24}" for part in PARTS)
        print(f'{load:<6.0%}{variant:10}{cells}')
print(json.dumps(result))
