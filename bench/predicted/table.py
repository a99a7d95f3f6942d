#!/usr/bin/env python3
"""What predicted.sh measured, as a table for docs/model.md. table.py PROGRAM..., in the folder with PROGRAM.json. Last line: JSON.

Predicted and measured are times the original; `points` is how far the share of time that is saved is from the predicted one, in
percentage points; a share of the best below 100 % may be noise, so the best one's interval stands beside it.
"""
import json, sys


def cell(plan):
    return "{:.2f} [{:.2f}, {:.2f}]".format(plan["ratio"], *plan["ratio_ci"])


rows = ["| program | chosen by the models | predicted | measured | points | best | measured | share of the best | outputs |",
        "| --- | --- | --: | --: | --: | --- | --: | --: | --- |"]
result = {"bench": "predicted", "programs": {}}
for name in sys.argv[1:]:
    with open(name + ".json") as file:
        sweep = json.load(file)
    chosen, best = sweep["plans"][sweep["chosen"]], sweep["plans"][sweep["best"]]
    points = 100 * (1 / chosen["ratio"] - 1 / chosen["predicted"])
    same = chosen is best
    rows.append(f"| {name} | {chosen['name']} | {chosen['predicted']:.2f} | {cell(chosen)} | {points:+.1f} | "
                f"{'the same' if same else best['name']} | {'' if same else cell(best)} | {100 * sweep['share_of_best']:.1f} % | "
                f"{sweep['outputs']['verdict']} |")
    result["machine"] = sweep["machine"]
    result["programs"][name] = {
        "chosen": chosen["name"], "predicted": chosen["predicted"], "measured": chosen["ratio"], "interval": chosen["ratio_ci"],
        "points": round(points, 2), "best": best["name"], "best_measured": best["ratio"], "share": sweep["share_of_best"],
        "outputs": sweep["outputs"]["verdict"],
    }
with open("table.md", "w") as file:
    file.write("\n".join(rows) + "\n")
print("\n".join(rows))
print(json.dumps(result))
