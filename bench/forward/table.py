#!/usr/bin/env python3
"""What forward.sh measured, as a table. table.py APP..., in the folder with APP.json and APP.plan. Last line: one JSON object.

A ratio is of packets per second, of paired runs, with its interval; `off` is the optimized program with nothing interleaved.
"""
import json, re, sys

print(f"{'program':10}{'ns':>8}{'optimized':>11}{'ratio':>25}{'off':>24}{'hidden':>8}{'left':>6}{'batch':>7}")
result = {'bench': 'forward', 'apps': {}}
for app in sys.argv[1:]:
    bench, plan = json.load(open(app + '.json')), open(app + '.plan').read()
    loads = {told: len(re.findall(f'^    {told} ', plan, re.M)) for told in ('hidden', 'left')}
    least = re.search(r'batches of (\d+) packets', plan)
    original, optimized, off = bench['variants']
    nanoseconds = [1e9 / variant['value'] for variant in (original, optimized)]
    cells = ['{:.2f} [{:.2f}, {:.2f}]'.format(v['ratio'], *v['ratio_ci']) for v in (optimized, off)]
    print(f"{app:10}{nanoseconds[0]:8.1f}{nanoseconds[1]:11.1f}{cells[0]:>25}{cells[1]:>24}{loads['hidden']:8}{loads['left']:6}"
          f"{least[1] if least else '-':>7}")
    result['cpu'] = bench['machine']['cpu']
    result['apps'][app] = {
        'ns': [round(n, 1) for n in nanoseconds], 'ratio': round(optimized['ratio'], 3),
        'ci': [round(bound, 3) for bound in optimized['ratio_ci']], 'off': round(off['ratio'], 3), **loads,
    }
print(json.dumps(result))
