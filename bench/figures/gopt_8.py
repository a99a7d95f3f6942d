#!/usr/bin/python3
"""G-Opt, Figure 8, and APSys 2017, Figure 4: Heddle beside what people write by hand (bench/lookup), each look-up over its plain loop."""
from drawing import figure
from lookup import look_ups
from paired import rounds_of

names = {'cuckoo': 'cuckoo hash', 'chase': 'pointer chasing,\n10 hops', 'lpm4': 'IPv4 LPM\n(DPDK)', 'lpm6': 'IPv6 LPM\n(DPDK)',
         'l2': 'two MAC\naddresses', 'ndn': 'NDN names'}
variants = {'heddle': 'Heddle', 'group': 'group prefetching by hand', 'amac': 'AMAC by hand', 'coroutines': 'coroutines by hand'}
batch = 256


def measure(build):
    rounds = rounds_of(31)
    rows = look_ups(build, '--workload', ','.join(names), '--bytes', '256M', '--hops', '10', '--batch', str(batch), '--rounds', str(rounds))
    return {'rounds': rounds, 'batch': batch, 'look_ups': rows}


def draw(pyplot, data):
    drawn, at = pyplot.subplots(figsize=(9, 3.6))
    rows = {(row['workload'], row['variant']): row for row in data['look_ups']}
    shown = [name for name in names if (name, 'heddle') in rows]
    width = 0.8 / len(variants)
    for i, (variant, label) in enumerate(variants.items()):
        have = [(place, rows[name, variant]) for place, name in enumerate(shown) if (name, variant) in rows]
        at.bar([place + (i - 1.5) * width for place, _ in have], [row['ratio'] for _, row in have], width * 0.92, label=label, capsize=2,
               yerr=[[row['ratio'] - row['ci'][0] for _, row in have], [row['ci'][1] - row['ratio'] for _, row in have]])
    at.axhline(1, color='#555555', linewidth=0.8)
    at.set_xticks(range(len(shown)), [names[name] for name in shown])
    at.set(ylabel='speed / plain loop')
    at.set_title(f"measured: median of {data['rounds']} rounds in turn, 95 % intervals; batches of {data['batch']}, tables of 256 MiB "
                 '(LPM: as large as DPDK makes them), huge pages', fontsize=8)
    at.legend(fontsize=7, ncols=2)
    return drawn


if __name__ == '__main__':
    figure('gopt-8', 'Speed-up by technique and look-up (G-Opt, Figure 8; APSys 2017, Figure 4)', measure, draw)
