"""Where packets became alone: each has a place, and what is told of it agrees."""

import re

from running import Program, counts, top

program = Program(HEDDLE_REPORT="stages")
seen = counts("counters")
places = seen["alone_at"]
assert places and sum(place["packets"] for place in places) == seen["alone"] > 0, seen
assert [place["packets"] for place in places] == sorted((place["packets"] for place in places), reverse=True), places
assert all(re.fullmatch(r"[\w.]+ \(.*counted\.c:\d+\)", place["name"]) for place in places), places

text = top("counters", "--once")
assert re.search(r"ran alone, by where they became so\n +[\d.]+  " + re.escape(places[0]["name"]) + "\n", text), text
metric = f'heddle_alone_at_total{{program="p.heddle",place="{places[0]["name"]}"}} {places[0]["packets"]}\n'
assert metric in top("counters", "--prometheus")

program.end()
with open("stages") as file:
    assert f"{places[0]['packets']:12}  {places[0]['name']}\n" in file.read()
print("places agree")
