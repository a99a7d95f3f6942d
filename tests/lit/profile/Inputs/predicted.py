"""predicted.py PLAN above|below CYCLES: what the models say a packet takes as it is."""

import json
import sys

with open(sys.argv[1]) as file:
    cycles = json.load(file)["bodies"][0]["predicted"][-1]["original"]
assert cycles > float(sys.argv[3]) if sys.argv[2] == "above" else cycles < float(sys.argv[3]), cycles
