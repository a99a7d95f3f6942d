"""Moves a site, as a user might: shift.py PLAN WHICH BLOCKS moves the WHICH-th site of the packet body by so many blocks.
The bodies of these tests are straight-line code, a block for each call."""
import json
import sys

path, which, blocks = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with open(path) as file:
    plan = json.load(file)
sites = [site for body in plan["bodies"] for site in body["sites"] if site["context"] == 0]
sites[which]["from"] += blocks
sites[which]["to"] += blocks
with open(path, "w") as file:
    json.dump(plan, file)
