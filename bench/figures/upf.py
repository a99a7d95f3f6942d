"""examples/upf as the scripts of this folder run it: generated traffic as scripts/demo has it, received in bursts of a given size."""
import json, re

from drawing import root, run

eal = '--no-huge --no-pci -m 256 --no-shconf --no-telemetry --log-level=error'.split()
input_files = '--sessions sessions.txt --preload-n3 n3.pcap --preload-n6 n6.pcap'.split()
speed = r'pps=([0-9.]+)'


class Upf:
    """Built by heddle cc and profiled in BUILD/bench/figures/upf-BURST."""

    def __init__(self, build, burst):
        self.heddle = build / 'bin' / 'heddle'
        self.work = build / 'bench' / 'figures' / f'upf-{burst}'
        self.program = self.work / 'upf'
        self.work.mkdir(parents=True, exist_ok=True)
        run(build / 'bin' / 'upf-workload', *'--generate 20000 --seed 7 --ues 512 --sessions 2000 --malformed 0.002'.split(),
            *'--sessions-file sessions.txt --uplink n3.pcap --downlink n6.pcap'.split(), cwd=self.work)
        run('make', '-s', '-C', root / 'examples' / 'upf', f"CC={build / 'bin' / 'heddle-cc'}", f'BUILD={self.work}',
            f'CFLAGS=-O2 -g -DUPF_BURST={burst}')
        run(self.heddle, 'profile', self.program, '--', *self.command()[1:], cwd=self.work)

    def command(self, program=None, loops=None, cpu=0):
        """DPDK takes the CPU itself."""
        files = [str(self.work / word) if '.' in word else word for word in input_files]
        return [str(program or self.program), '-l', str(cpu), *eal, '--', *files, *(['--loops', str(loops)] if loops else [])]

    def plan(self, name, *options):
        """The program that a plan makes, the plan, and its simulated misses: (program, plan, [as written, staged])."""
        plan, program = self.work / f'{name}.plan.json', self.work / f'upf.{name}'
        text = run(self.heddle, 'plan', self.program, '--no-hide', *options, '--print', '-o', plan)
        run(self.heddle, 'build', self.program, '--plan', plan, '-o', program)
        misses = re.search(r'as written +([0-9.]+) +staged +([0-9.]+)', text)
        return program, json.loads(plan.read_text()), [float(number) for number in misses.groups()]


def stages_of(plan):
    body = plan['bodies'][0]
    return body['stages'] if body['sites'] else body['stages'][:1]
