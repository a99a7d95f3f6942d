"""docs/apps.md: what Heddle finds in real programs. usage: table.py BUILD, after check.sh for each."""

import json
import pathlib
import re
import sys

build = pathlib.Path(sys.argv[1])
ROWS = [  # folder, plan, title, input
    ("ndpi", "plan", "nDPI 4.2 `ndpiReader`", "`traffic-mix.pcap`"),
    ("nginx", "plan", "nginx 1.22.1", "4 KB files, 64 keep-alive connections"),
    ("nginx", "declared", "nginx 1.22.1, trusting `nginx.toml`", "4 KB files, 64 keep-alive connections"),
    ("knot", "plan", "Knot DNS 3.2.6 `knotd`", "mixed questions to a signed zone of 100,000 records, in bursts of 64"),
    ("unbound", "plan", "unbound 1.17.1", "mixed questions in bursts of 64, from the cache and a signed stub zone, validated"),
    ("unbound", "declared", "unbound 1.17.1 with processes for threads, trusting `unbound.toml`",
     "100,000 mixed queries in bursts of 64, most answered from the cache"),
    ("dnsdist", "plan", "dnsdist 1.7.3 (C++)", "mixed and broken queries in bursts of 64, packet cache"),
]

SHOWN = 10  # windows of each program

print("""# Real programs

Made by `make apps`: each program is built from Debian's source with heddle cc, inspected, profiled, planned and
explained (`tests/apps/`). A shared location is a range of bytes that the body writes; windows are those that no
relaxation frees, in instructions per packet of the sample, as in the NanoPL paper's Table 3 (there: 38 to 103
variables, largest window 893 to 1,185 instructions, together 1.27 to 2.66 % of the code). Misses are simulated, of the
original order, and of the staged one where there are cuts. The last column is the whole of `heddle plan --print --explain`, on a
shared 2-core machine.
""")
print("| program | input | packet body | packets | instructions per packet | misses per 1,000 at 32K:8 "
      "| shared locations | with a window | largest window | of the packet | cuts | plan |")
print("| --- | --- | --- | --: | --: | --: | --: | --: | --: | --: | --- | --: |")


def place(access):
    kind = "writes" if access["write"] else "reads"
    return f"{access['at']} in `{access['function']}` ({kind}, {100 * access['when']:.0f} %)"


def way(window):
    """First and last access, and the first write between them."""
    sampled = window["sampled"]
    if not sampled:
        named = [a for a in window["accesses"] if a["at"]]
        ends = named[:1] + (named[-1:] if len(named) > 1 else [])
        return " to ".join(f"{a['at']} in `{a['function']}`" for a in ends)
    text = place(sampled[0])
    writes = [a for a in sampled[1:-1] if a["write"]]
    if not sampled[0]["write"] and writes:
        text += ", then " + place(writes[0])
    return text + (" to " + place(sampled[-1]) if len(sampled) > 1 else "")


def location(window):
    text = f"`{window['name']}`"
    fields = [part for part in window["parts"] if part and part[0] not in "+-"]
    if len(window["parts"]) > 1 and fields:
        text += ": " + ", ".join(f"`{field}`" for field in fields[:5])
        text += f" and {len(window['parts']) - 5} more" if len(window["parts"]) > 5 else ""
    if len(window["objects"]) > 1:
        text += "; the other: " if len(window["objects"]) == 2 else "; among the others "
        text += ", ".join(f"`{name}`" for name in window["objects"][1:4])
    return text


def details(title, body, windows):
    held = sum(w["locations"] for w in windows)
    cold = sum(w["locations"] for w in windows if not w["ran"])
    lines = [f"\n## {title}\n",
             f"{held:,} locations with a window, in {len(windows):,} rows. {cold:,} of them are touched only by code that "
             f"no packet of the sample ran; with a rare path for that code the largest piece that cannot be cut would be "
             f"{100 * body['freed_rare']:.0f} % of the packet. What stands in the way, largest first, with the accesses "
             "that bound it and how far into the packet they come:\n",
             "| location | of the packet | accesses | would be freed by |", "| --- | --: | --- | --- |"]
    for window in windows[:SHOWN]:
        lines.append(f"| {location(window)} | {100 * window['heat_share']:.1f} % | {way(window)} "
                     f"| {window['would_free']} |")
    return "\n".join(lines)


explained = []
for name, made, title, traffic in ROWS:
    folder = build / "apps" / name / "heddle"
    try:
        plan = json.loads((folder / f"{made}.json").read_text())
        printed = (folder / f"{made}.txt").read_text()
        measured = (folder / f"{made}.time").read_text().strip()
    except OSError as error:
        print(f"| {title} | {traffic} | not run here: {error.strerror} | | | | | | | | | |")
        continue
    body = max(plan["bodies"], key=lambda b: b["packets"])
    windows = body["windows"]
    misses = re.search(r"32K:8\s+as written\s+([0-9.]+)(?:\s+staged\s+([0-9.]+))?", printed)
    missed = " → ".join(filter(None, misses.groups()[:2 if body["sites"] else 1])) if misses else "-"
    largest = windows[0] if windows else None
    share = f"{100 * largest['heat_share']:.0f} %" if largest else "-"
    instructions = f"{largest['instructions']:,}" if largest else "-"
    sites = len(body["sites"])
    cuts = f"{len(body['stages'])} stages, {sites} sites" if sites else "none"
    held = sum(w["locations"] for w in windows)
    print(f"| {title} | {traffic} | {body['source']} | {body['packets']:,} | {body['instructions']:,.0f} "
          f"| {missed} | {body['shared_locations']:,} | {held:,} | {instructions} | {share} "
          f"| {cuts} | {measured} |")
    explained.append(details(title, body, windows))
print("\n".join(explained))
