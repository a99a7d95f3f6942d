#!/usr/bin/env python3
"""What sessions.sh measured, as a table. table.py KIND..., in the folder with KIND.json and KIND.plan.json. Last line: one JSON object.

A ratio is of packets per second, of paired runs, with its interval; `off` is the optimized program that runs packet by packet. `waits` is what
a packet waits at expensive loads in simulated cycles, and how much of that is hidden.
"""
import json, sys


def waits(loads):
    """A load in code that several places call is listed for each, with what all of them make."""
    once = {(l['at'], l['accesses'], l['stall'], l['hidden']): l for l in loads}.values()
    cycles = {hidden: sum(l['accesses'] * l['stall'] for l in once if l['hidden'] == hidden) for hidden in (True, False)}
    return cycles[True], cycles[True] + cycles[False]


print(f"{'plan':10}{'ns':>8}{'optimized':>11}{'ratio':>22}{'off':>22}{'stages':>8}{'hidden':>8}{'left':>6}{'waits':>14}")
result = {'bench': 'upf-sessions', 'plans': {}}
for kind in sys.argv[1:]:
    bench, plan = json.load(open(kind + '.json')), json.load(open(kind + '.plan.json'))
    body = plan['bodies'][0]
    loads = body.get('loads', [])
    hidden = sum(l['hidden'] for l in loads)
    covered, waited = waits(loads)
    stages = len(body['stages']) if body['sites'] else 1
    original, optimized, off = bench['variants']
    nanoseconds = [1e9 / variant['value'] for variant in (original, optimized)]
    cells = ['{:.3f} [{:.3f}, {:.3f}]'.format(v['ratio'], *v['ratio_ci']) for v in (optimized, off)]
    print(f"{kind:10}{nanoseconds[0]:8.0f}{nanoseconds[1]:11.0f}{cells[0]:>22}{cells[1]:>22}{stages:8}{hidden:8}{len(loads) - hidden:6}"
          f"{f'{covered:.0f} of {waited:.0f}':>14}")
    result['cpu'] = bench['machine']['cpu']
    result['plans'][kind] = {
        'ns': [round(n) for n in nanoseconds], 'ratio': round(optimized['ratio'], 3),
        'ci': [round(bound, 3) for bound in optimized['ratio_ci']], 'off': round(off['ratio'], 3),
        'stages': stages, 'hidden': hidden, 'left': len(loads) - hidden,
        'waits_hidden': round(covered), 'waits': round(waited),
    }
print(json.dumps(result))
