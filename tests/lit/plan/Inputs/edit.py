"""Edits a plan by hand, as a user would: edit.py PLAN without RELAXATION | unknown-block | fewer-sites | none."""
import json
import sys

path, what = sys.argv[1:3]
with open(path) as file:
    plan = json.load(file)
sites = next(body["sites"] for body in plan["bodies"] if body["sites"])
if what == "without":
    plan["relaxations"].remove(sys.argv[3])
elif what == "unknown-block":
    sites[0]["to"] = 999999
elif what == "fewer-sites":
    last = max(site["stage"] for site in sites)
    sites[:] = [site for site in sites if site["stage"] != last]
else:
    assert what == "format"
with open(path, "w") as file:
    json.dump(plan, file)
