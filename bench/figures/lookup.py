"""bench/lookup as the scripts of this folder run it: built and planned once, then with other sizes and batches."""
import json

from drawing import root, run


def look_ups(build, *options):
    """[{workload, bytes, batch, variant, ns, ratio, ci}, ...]"""
    work = build / 'bench' / 'lookup'
    program = work / 'lookup.heddle'
    if not program.exists() or program.stat().st_mtime < (build / 'bin' / 'heddle').stat().st_mtime:
        said = run(root / 'bench' / 'lookup' / 'lookup.sh', build, '--workload', 'l2', '--bytes', '32K', '--batch', '8', '--rounds', '3',
                   '--pages', 'huge', '--keys', 'uniform')
        if 'skipped' in said:
            raise SystemExit('SKIP: bench/lookup needs the source of DPDK, and data that is shared')
    out = run(program, *options, '--pages', 'huge', '--keys', 'uniform', '--data', 'data', cwd=work)
    rows = [json.loads(line) for line in out.splitlines() if line.startswith('{')]
    return [row for row in rows if 'variant' in row]
