"""walks.py OUTPUT PLAN: do the table's reads take walks exactly if it lies on small pages? The program has said on which it does."""

import json
import sys

with open(sys.argv[1]) as file:
    pages = file.read().split()[-1]
with open(sys.argv[2]) as file:
    loads = [load for load in json.load(file)["opened_loads"] if load["memory"] + load["level3"] > 0.5]
assert len(loads) == 1, loads
walks = loads[0]["walks"]
assert walks > 0.5 if pages == "small" else walks < 0.05, (pages, walks)
