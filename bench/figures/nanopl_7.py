#!/usr/bin/python3
"""NanoPL, Figure 7: throughput and instruction-cache misses against the batch size, 1 to 128, of examples/upf received in bursts of 128.

Each batch size has a plan of its own, made, simulated, built and run for it. A batch of 1 is the plan of 128 with staging off.
"""
from drawing import errors, figure
from paired import beside, rounds_of
from upf import Upf, speed, stages_of

batches = [1, 2, 4, 8, 16, 32, 64, 128]


def measure(build):
    upf = Upf(build, 128)
    plans, variants = {}, {}
    for batch in reversed(batches):
        if batch > 1:
            program, plan, misses = upf.plan(f'batch-{batch}', '--batch', str(batch))
            plans[batch] = {'stages': len(stages_of(plan)), 'misses_per_1000': misses[1]}
        variants[batch] = (upf.command(program if batch > 1 else upf.work / 'upf.batch-128', loops=6),
                           {'HEDDLE_BATCH': str(batch), 'HEDDLE_LEAST_BATCH': '0'})
    plans[1] = {'stages': 1, 'misses_per_1000': misses[0]}
    rounds = rounds_of(15)
    gains, original = beside(variants, (upf.command(loops=6), {}), speed, rounds)
    return {'rounds': rounds, 'original_pps': original,
            'batches': [{'batch': batch, 'ratio': gains[batch], **plans[batch]} for batch in batches]}


def draw(pyplot, data):
    drawn, (speeds, misses) = pyplot.subplots(1, 2, figsize=(8, 3.2))
    rows = data['batches']
    where = [str(row['batch']) for row in rows]
    values, distances = errors([row['ratio'] for row in rows])
    speeds.errorbar(where, values, yerr=distances, marker='o', capsize=3)
    speeds.axhline(1, color='#555555', linewidth=0.8)
    speeds.set(xlabel='batch size', ylabel='packets per second / original')
    speeds.set_title(f"measured: median of {data['rounds']} rounds in turn, 95 % intervals", fontsize=8)
    misses.plot(where, [row['misses_per_1000'] for row in rows], marker='s', color='C1', linestyle='--')
    for place, row in zip(where, rows):
        misses.annotate(f"{row['stages']}", (place, row['misses_per_1000']), textcoords='offset points', xytext=(0, 6),
                        ha='center', fontsize=7)
    misses.set(xlabel='batch size (above the points: stages of its plan)', ylabel='L1I misses per 1,000 instructions', ylim=(0, 1.15 * max(row['misses_per_1000'] for row in rows)))
    misses.set_title('simulated: 32 KiB, 8 ways', fontsize=8)
    return drawn


if __name__ == '__main__':
    figure('nanopl-7', 'Batch size: examples/upf staged (NanoPL, Figure 7)', measure, draw)
