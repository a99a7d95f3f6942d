#!/usr/bin/python3
"""NanoPL, section 7.3: how much of the gain is left when all cores run. A process of examples/upf on each of 1, 2, ... cores at a time, original and
staged in turn; preloaded frames feed one worker only, so these are processes and not threads of one.
"""
import os

from drawing import errors, figure
from paired import figure_of, interval, rounds_of, start
from upf import Upf, speed


def all_at_once(upf, program, cpus):
    processes = [start(upf.command(program, loops=12, cpu=cpu), {}, cpu) for cpu in cpus]
    return sum(figure_of(process, speed) for process in processes)


def measure(build):
    upf = Upf(build, 32)
    staged, _, _ = upf.plan('cores')
    cpus, rounds = sorted(os.sched_getaffinity(0)), rounds_of(15)
    programs = {'original': upf.program, 'staged': staged}
    seen = {(name, count): [] for count in range(1, len(cpus) + 1) for name in programs}
    for turn in range(rounds + 1):
        for name, count in seen:
            value = all_at_once(upf, programs[name], cpus[len(cpus) - count:])
            if turn:
                seen[name, count].append(value)
    rows = []
    for count in range(1, len(cpus) + 1):
        original, staged_pps = seen['original', count], seen['staged', count]
        rows.append({'cores': count, 'original_pps': interval(original), 'staged_pps': interval(staged_pps),
                     'gain': interval([one / other for one, other in zip(staged_pps, original)])})
    kept = [(seen['staged', len(cpus)][i] / seen['original', len(cpus)][i] - 1) /
            (seen['staged', 1][i] / seen['original', 1][i] - 1) for i in range(rounds)]
    return {'rounds': rounds, 'cores': rows, 'gain_kept': interval(kept)}


def draw(pyplot, data):
    drawn, (speeds, gains) = pyplot.subplots(1, 2, figsize=(8, 3.2))
    rows = data['cores']
    where = [row['cores'] for row in rows]
    for key, label in (('original_pps', 'original'), ('staged_pps', 'staged')):
        values, distances = errors([[value / 1e6 for value in row[key]] for row in rows])
        speeds.errorbar(where, values, yerr=distances, marker='o', capsize=3, label=label)
    speeds.set(xlabel='cores', ylabel='million packets per second', xticks=where, ylim=(0, None))
    speeds.legend()
    values, distances = errors([row['gain'] for row in rows])
    gains.bar(where, values, yerr=distances, capsize=3, width=0.5, color='C2')
    gains.axhline(1, color='#555555', linewidth=0.8)
    gains.set(xlabel='cores', ylabel='staged / original', xticks=where)
    middle, low, high = [100 * share for share in data['gain_kept']]
    gains.set_title(f"of one core's gain kept: {middle:.0f} % [{low:.0f}, {high:.0f}]; NanoPL, 8 cores: 96.8 %", fontsize=8)
    speeds.set_title(f"measured: median of {data['rounds']} rounds in turn, 95 % intervals", fontsize=8)
    return drawn


if __name__ == '__main__':
    figure('nanopl-cores', 'Scaling over cores: a process of examples/upf on each (NanoPL, section 7.3)', measure, draw)
