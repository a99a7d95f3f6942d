"""docs/apps.md: what Heddle finds in real programs. usage: table.py BUILD, after check.sh for each."""

import json
import pathlib
import re
import sys

build = pathlib.Path(sys.argv[1])
PROGRAMS = {
    "ndpi": ("nDPI 4.2 `ndpiReader`", "`traffic-mix.pcap`"),
    "nginx": ("nginx 1.22.1", "4 KB files, 16 keep-alive clients"),
    "knot": ("Knot DNS 3.2.6 `knotd`", "A queries in bursts of 64"),
}

print("""# Real programs

Made by `make apps`: each program is built from Debian's source with heddle cc, inspected, profiled, planned and
explained (`tests/apps/`). Shared locations are those that the body writes; the windows are the ones that no relaxation
frees, in instructions per packet of the sample, as in the NanoPL paper's Table 3 (there: 38 to 103 variables, largest
window 893 to 1,185 instructions, together 1.27 to 2.66 % of the code). Misses are simulated, of the original order.
""")
print("| program | input | packet body | packets | instructions per packet | misses per 1,000 at 32K:8 "
      "| shared locations | largest window | of the packet | all windows | cuts | analysis |")
print("| --- | --- | --- | --: | --: | --: | --: | --: | --: | --: | --- | --: |")
details = []
for name, (title, traffic) in PROGRAMS.items():
    folder = build / "apps" / name / "heddle"
    try:
        plan = json.loads((folder / "plan.json").read_text())
        printed = (folder / "plan.txt").read_text()
        seconds = (folder / "plan.time").read_text().strip()
    except OSError as error:
        print(f"| {title} | {traffic} | not run here: {error.strerror} | | | | | | | | | |")
        continue
    body = max(plan["bodies"], key=lambda b: b["packets"])
    windows = [w for w in body["windows"] if w["verdict"] == "window"]
    largest = max(windows, key=lambda w: w["heat"] if "heat" in w else w["instructions"], default=None)
    misses = re.search(r"32K:8\s+as written\s+([0-9.]+)", printed)
    share = f"{100 * largest['heat_share']:.0f} %" if largest else "-"
    instructions = f"{largest['instructions']}" if largest else "-"
    total = f"{100 * body['window_heat'] / body['instructions']:.0f} %" if body["instructions"] else "-"
    sites = len(body["sites"])
    cuts = f"{len(body['stages'])} stages, {sites} sites" if sites else "none"
    print(f"| {title} | {traffic} | {body['source']} | {body['packets']:,} | {body['instructions']:,.0f} "
          f"| {misses.group(1) if misses else '-'} | {body['shared_locations']} | {instructions} | {share} | {total} "
          f"| {cuts} | {seconds} s |")
    lines = [f"\n## {title}\n", "What stands in the way, largest window first:\n",
             "| location | of the packet | why | would be freed by |", "| --- | --: | --- | --- |"]
    for window in sorted(windows, key=lambda w: -w["heat_share"])[:12]:
        lines.append(f"| `{window['name']}` | {100 * window['heat_share']:.0f} % | {window['reason']} "
                     f"| {window['would_free']} |")
    details.append("\n".join(lines))
print("\n".join(details))
