#!/usr/bin/python3
"""APSys 2017, Figure 3: what batching and prefetching bring each application (examples/forward): one frame a receive call, 32 frames, and 32
frames with latency hidden by Heddle. Packets per second of all that the program does with a packet, receiving and sending included.
"""
from drawing import errors, figure, root, run
from paired import in_turn, interval, ratios, rounds_of

entries = {'l2switch': 1000000, 'ipv4': 100000, 'ipv6': 1000000, 'ndn': 1000000, 'crypto': 1000000}
eal = '-l 0 --no-huge --no-pci --no-shconf --no-telemetry --log-level=error -m 512'.split()
bursts = [1, 32]


def measure(build):
    heddle, rounds = build / 'bin' / 'heddle', rounds_of(7)
    for burst in bursts:
        run('make', '-s', '-C', root / 'examples' / 'forward', f"CC={build / 'bin' / 'heddle-cc'}",
            f"BUILD={build / 'bench' / 'figures' / f'forward-{burst}'}", f'CFLAGS=-O2 -g -DFORWARD_BURST={burst}')
    rows = []
    for app, count in entries.items():
        arguments = [*eal, '--', '--entries', str(count), '--packets', '600000', '--timing']
        one, many = [build / 'bench' / 'figures' / f'forward-{burst}' / f'forward-{app}' for burst in bursts]
        run(heddle, 'profile', many, '--', *eal, '--', '--entries', str(count), '--packets', '300000', cwd=many.parent)
        run(heddle, 'plan', many, '--no-stage')
        run(heddle, 'build', many)
        seen = in_turn({'one at a time': ([str(one), *arguments], {}), 'batched': ([str(many), *arguments], {}),
                        'hidden': ([str(many) + '.heddle', *arguments], {})}, r'pps=([0-9.]+)', rounds)
        rows.append({'application': app, 'entries': count, 'pps': {name: interval(values) for name, values in seen.items()},
                     'ratio': ratios(seen, 'one at a time'), 'hidden_to_batched': ratios(seen, 'batched')['hidden']})
    return {'rounds': rounds, 'applications': rows}


def draw(pyplot, data):
    drawn, at = pyplot.subplots(figsize=(8, 3.4))
    rows = data['applications']
    for i, (variant, label) in enumerate((('one at a time', 'one frame a call'), ('batched', '32 frames a call'),
                                          ('hidden', '32 frames, latency hidden by Heddle'))):
        values, distances = errors([row['ratio'][variant] for row in rows])
        at.bar([place + (i - 1) * 0.27 for place in range(len(rows))], values, 0.25, yerr=distances, capsize=2, label=label)
    at.axhline(1, color='#555555', linewidth=0.8)
    at.set_xticks(range(len(rows)), [f"{row['application']}\n{row['entries']:,} entries" for row in rows])
    at.set(ylabel='packets per second / one at a time')
    at.set_title(f"measured: median of {data['rounds']} rounds in turn, 95 % intervals; ring devices, no NIC", fontsize=8)
    at.legend(fontsize=7)
    return drawn


if __name__ == '__main__':
    figure('apsys-3', 'Batching and hiding latency by application: examples/forward (APSys 2017, Figure 3)', measure, draw)
