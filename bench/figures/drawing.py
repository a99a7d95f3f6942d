"""One figure: measured once into docs/figures/NAME.json, drawn from that into docs/figures/NAME.svg.

A script of this folder ends with figure(name, title, measure, draw). Its command line: NAME.py [BUILD], or NAME.py --draw to draw again
what was measured before. The machine is part of the title; whatever is not measured says so in its label.
"""
import argparse, json, os, pathlib, re, subprocess, time

root = pathlib.Path(__file__).resolve().parents[2]
folder = pathlib.Path(os.environ.get('FIGURES_FOLDER', root / 'docs' / 'figures'))
colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#555555']  # Okabe and Ito's


def read(path):
    try:
        return pathlib.Path(path).read_text().strip()
    except OSError:
        return ''


def machine():
    cpu = re.search(r'^model name\s*: (.*)$', read('/proc/cpuinfo'), re.M)
    caches = {}
    for cache in sorted(pathlib.Path('/sys/devices/system/cpu/cpu0/cache').glob('index*')):
        kind = {'Data': 'D', 'Instruction': 'I'}.get(read(cache / 'type'), '')
        caches[f"L{read(cache / 'level')}{kind}"] = read(cache / 'size')
    guest = 'hypervisor' in read('/proc/cpuinfo')
    return {'cpu': cpu[1] if cpu else 'unknown', 'cpus': os.cpu_count(), 'caches': caches, 'virtual': guest,
            'kernel': os.uname().release, 'load': round(os.getloadavg()[0], 2), 'date': time.strftime('%Y-%m-%d')}


def told(of):
    caches = ', '.join(f'{size} {name}' for name, size in of['caches'].items())
    beside = f", beside other work (load {of['load']:.1f})" if of.get('load', 0) > 1.5 else ''
    return f"{of['cpu']}, {of['cpus']} CPUs{' of a virtual machine' if of['virtual'] else ''}; {caches}; {of['date']}{beside}"


def figure(name, title, measure, draw):
    """measure(build) gives what goes into the JSON; draw(pyplot, data) makes a figure of it and returns it."""
    arguments = argparse.ArgumentParser(description=title)
    arguments.add_argument('build', nargs='?', default='build', type=pathlib.Path)
    arguments.add_argument('--draw', action='store_true', help='draw what was measured before')
    options = arguments.parse_args()
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / (name + '.json')
    if not options.draw:
        data = {'figure': name, 'title': title, 'machine': machine(), **measure(options.build.resolve())}
        kept.write_text(json.dumps(data, indent=1) + '\n')
    data = json.loads(kept.read_text())

    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot
    pyplot.rcParams.update({
        'font.size': 9, 'axes.grid': True, 'grid.color': '#dddddd', 'axes.axisbelow': True, 'axes.spines.top': False,
        'axes.spines.right': False, 'axes.prop_cycle': matplotlib.cycler(color=colours), 'legend.frameon': False,
        'svg.hashsalt': name, 'savefig.dpi': 130})
    drawn = draw(pyplot, data)
    drawn.suptitle(title, fontsize=11, x=0.01, ha='left')
    drawn.text(0.011, 0.885, told(data['machine']), fontsize=8, color='#555555')
    drawn.tight_layout(rect=(0, 0, 1, 0.93))
    drawn.savefig(folder / (name + '.svg'), metadata=dict.fromkeys(('Creator', 'Date', 'Format', 'Type')))
    if os.environ.get('PNG'):
        drawn.savefig(pathlib.Path(os.environ['PNG']) / (name + '.png'))
    print(json.dumps({'bench': 'figures', 'figure': name, 'file': str(folder / (name + '.svg'))}))


def errors(intervals):
    """Of [median, low, high]: the values, and matplotlib's distances to both ends."""
    values = [one[0] for one in intervals]
    return values, [[one[0] - one[1] for one in intervals], [one[2] - one[0] for one in intervals]]


def run(*command, cwd=None, output=None):
    """Waits for a command; its standard output, and to the end the script if it fails."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, text=True, capture_output=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    if output:
        pathlib.Path(output).write_text(done.stdout)
    return done.stdout
