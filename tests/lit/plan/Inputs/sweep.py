"""What `heddle plan --sweep` has written agrees with itself, and is kept for the report."""

import json

with open("sweep.json") as file:
    sweep = json.load(file)
with open("server.heddle.d/sweep.json") as file:
    kept = json.load(file)
assert kept.pop("arguments") == [] and kept == sweep
plans = sweep["plans"]
assert [plan["kind"] for plan in plans] == ["neither"] + 3 * ["staged"], plans
assert [plan["batch"] for plan in plans] == [0, 8, 16, 32], plans  # no more than 32 packets come at once
assert all(plan["ratio_ci"][0] <= plan["ratio"] <= plan["ratio_ci"][1] for plan in plans), plans
outputs = sweep["outputs"]
assert outputs["identical"] and [run["name"] for run in outputs["runs"]] == ["original"] + [plan["name"] for plan in plans]
assert outputs["runs"][0]["stdout_bytes"] > 0, outputs
# Cuts that nobody asked to pay: the models know better.
assert all(plan["predicted"] < 1 for plan in plans[1:]), plans
assert sweep["chosen"] == 0
assert plans[sweep["best"]]["ratio"] == max(plan["ratio"] for plan in plans)
assert abs(sweep["share_of_best"] - plans[0]["ratio"] / plans[sweep["best"]]["ratio"]) < 1e-9
