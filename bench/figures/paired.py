"""Programs run in turn, round by round, and what that says: medians, and 95 % intervals by order statistics."""
import os, re, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from median import interval  # noqa: E402


def rounds_of(default):
    """As $ROUNDS says, or the default."""
    return int(os.environ.get('ROUNDS', default))


def clean_environment(more):
    return {**{name: value for name, value in os.environ.items() if not name.startswith('HEDDLE_')}, **more}


def start(command, environment, cpu):
    return subprocess.Popen(['taskset', '-c', str(cpu), *command], env=clean_environment(environment), text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def figure_of(process, pattern):
    out = process.communicate()[0]
    found = re.search(pattern, out)
    if process.returncode or not found:
        raise SystemExit(f'{process.args}: status {process.returncode}, and no {pattern!r} in what it printed')
    return float(found[1])


def last_cpu():
    return max(os.sched_getaffinity(0))


def in_turn(variants, pattern, rounds):
    """variants: {name: (command, environment)}. The figure that `pattern` has, of each in each round; a first round warms up."""
    seen = {name: [] for name in variants}
    for turn in range(rounds + 1):
        for name, (command, environment) in variants.items():
            value = figure_of(start(command, environment, last_cpu()), pattern)
            if turn:
                seen[name].append(value)
    return seen


def beside(variants, base, pattern, rounds):
    """Ratios to `base`, (command, environment), which runs anew before each variant: the machine changes while so many run. Also the base's figures."""
    bases, seen = [], {name: [] for name in variants}
    for turn in range(rounds + 1):
        for name, (command, environment) in variants.items():
            original = figure_of(start(*base, last_cpu()), pattern)
            value = figure_of(start(command, environment, last_cpu()), pattern)
            if turn:
                bases.append(original)
                seen[name].append(value / original)
    return {name: interval(values) for name, values in seen.items()}, interval(bases)


def ratios(seen, base):
    """Of each variant to the base of the same round."""
    return {name: interval([one / other for one, other in zip(values, seen[base])]) for name, values in seen.items()}
