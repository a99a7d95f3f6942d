#!/usr/bin/python3
"""NanoPL, Figure 8: policies of choosing cuts compared on examples/upf: speed, scheduling sites, and size of a stage.

Of each policy's cuts those that the model finds not to pay are dropped, as `heddle plan` does.
"""
from drawing import errors, figure
from paired import beside, rounds_of
from upf import Upf, speed, stages_of

policies = ['conservative', 'greedy-heat', 'optimistic-bound']


def measure(build):
    upf = Upf(build, 32)
    rows, variants = {}, {}
    for policy in policies:
        program, plan, misses = upf.plan(policy, '--policy', policy)
        stages, sites = stages_of(plan), plan['bodies'][0]['sites']
        rows[policy] = {
            'policy': policy, 'stages': len(stages), 'sites': len(sites), 'misses_per_1000': misses,
            'crossings_per_packet': sum(stage['crossings'] for stage in stages),
            'instructions_per_stage': sum(stage['heat'] for stage in stages) / len(stages)}
        variants[policy] = (upf.command(program, loops=6), {})
    rounds = rounds_of(21)
    gains, original = beside(variants, (upf.command(loops=6), {}), speed, rounds)
    return {'rounds': rounds, 'original_pps': original, 'policies': [{**rows[policy], 'ratio': gains[policy]} for policy in policies]}


def draw(pyplot, data):
    drawn, axes = pyplot.subplots(1, 3, figsize=(9, 3.2))
    rows = data['policies']
    names = [row['policy'].replace('-', '\n') for row in rows]
    colours = [f'C{i}' for i in range(len(rows))]
    values, distances = errors([row['ratio'] for row in rows])
    axes[0].bar(names, values, yerr=distances, capsize=3, color=colours, width=0.6)
    axes[0].axhline(1, color='#555555', linewidth=0.8)
    axes[0].set(ylabel='packets per second / original')
    axes[0].set_title(f"measured: median of {data['rounds']} rounds, 95 % intervals", fontsize=8)
    for at, key, label, source in ((axes[1], 'sites', 'scheduling sites', 'analysed; above: stages'),
                                   (axes[2], 'instructions_per_stage', 'instructions per stage', 'sampled')):
        bars = at.bar(names, [row[key] for row in rows], color=colours, width=0.6)
        at.bar_label(bars, [row['stages'] for row in rows] if key == 'sites' else [f'{row[key]:.0f}' for row in rows], fontsize=7)
        at.set(ylabel=label)
        at.set_title(source, fontsize=8)
    for at in axes:
        at.tick_params(axis='x', labelsize=7)
    return drawn


if __name__ == '__main__':
    figure('nanopl-8', 'Policies of choosing cuts: examples/upf (NanoPL, Figure 8)', measure, draw)
