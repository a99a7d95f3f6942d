#!/usr/bin/python3
"""APSys 2017, Figure 6: throughput against batch and table size, with and without prefetching. Two MAC addresses a look-up (bench/lookup).

Without: a plain loop over the batch, in which the processor overlaps what it can. With: the same loop, hidden by Heddle.
"""
from drawing import figure
from lookup import look_ups
from paired import rounds_of

batches = [1, 2, 4, 8, 16, 32, 64, 128, 256]
entries = {'2 K': '32K', '16 K': '256K', '1 M': '16M', '16 M': '256M'}


def measure(build):
    rounds = rounds_of(31)
    rows = look_ups(build, '--workload', 'l2', '--bytes', ','.join(entries.values()), '--batch', ','.join(map(str, batches)),
                    '--rounds', str(rounds))
    return {'rounds': rounds, 'look_ups': [row for row in rows if row['variant'] in ('baseline', 'heddle')]}


def draw(pyplot, data):
    drawn, (speeds, gains) = pyplot.subplots(1, 2, figsize=(9, 3.6))
    rows = data['look_ups']
    for i, size in enumerate(sorted({row['bytes'] for row in rows})):
        here = {(row['variant'], row['batch']): row for row in rows if row['bytes'] == size}
        where = [str(batch) for batch in batches]
        label = f'{size >> 10} KiB' if size < 1 << 20 else f'{size >> 20} MiB'
        for variant, style in (('baseline', ':'), ('heddle', '-')):
            speeds.plot(where, [1e3 / here[variant, batch]['ns'] for batch in batches], style, marker='.', color=f'C{i}',
                        label=label if variant == 'heddle' else None)
        row = [here['heddle', batch] for batch in batches]
        gains.errorbar(where, [one['ratio'] for one in row], marker='.', capsize=2, color=f'C{i}',
                       yerr=[[one['ratio'] - one['ci'][0] for one in row], [one['ci'][1] - one['ratio'] for one in row]])
    speeds.set(xlabel='batch size', ylabel='million look-ups per second', yscale='log')
    speeds.set_title('dotted: batched; solid: batched and prefetched by Heddle', fontsize=8)
    speeds.set_yticks([10, 20, 40, 80], ['10', '20', '40', '80'])
    speeds.minorticks_off()
    speeds.legend(fontsize=7, title='table', title_fontsize=7, ncols=2, loc=(0.5, 0.33))
    gains.axhline(1, color='#555555', linewidth=0.8)
    gains.set(xlabel='batch size', ylabel='prefetched / batched')
    gains.set_title(f"measured: median of {data['rounds']} rounds in turn, 95 % intervals", fontsize=8)
    return drawn


if __name__ == '__main__':
    figure('apsys-6', 'Batch and table size, with and without prefetching: two MAC addresses (APSys 2017, Figure 6)', measure, draw)
