#!/usr/bin/python3
"""Are the options of every --help in its manual page, and nothing else? usage: manual.py HEDDLE FOLDER"""

import pathlib
import re
import shutil
import subprocess
import sys

heddle, folder = sys.argv[1], pathlib.Path(sys.argv[2])


def helped(*steps):
    text = subprocess.run([heddle, *steps, "--help"], capture_output=True, text=True, check=True).stdout
    options = re.findall(r"^  (-\S+)", text, re.M)
    names = {name.split("{")[0] for option in options for name in option.split(",")}
    return names, re.findall(r"^  ([a-z+]+)  ", text.split("Subcommands:")[-1], re.M) if not steps else []


def written(page):
    """Names of options, in bold at the start of an entry."""
    text = (folder / page).read_text().replace("\\-", "-")
    entries = re.findall(r"^\.TP\n(.*)\n.", text, re.M)
    return {name for entry in entries for name in re.findall(r"\\fB(-[^\\]*)\\fR", entry)}, text


def same(page, expected):
    found, text = written(page)
    assert found == expected, f"{page}: only in one of both: {found ^ expected}"
    print(f"{page}: {len(expected - {'-h', '-o'})} options", end="")
    return text


expected, steps = helped()
text = same("heddle.1", expected)
print(f", {len(steps)} subcommands")
for step in steps:
    assert f"heddle-{step}\\fR(1)" in text, step
    # What follows cc and c++ is clang's.
    same(f"heddle-{step}.1", set() if step in ("cc", "c++") else helped(step)[0])
    print()

pages = sorted(folder.glob("*.1"))
assert len(pages) == len(steps) + 1, pages
print(len(pages), "pages")
for tool, command in (("groff", ["groff", "-man", "-ww", "-z", "-Tutf8"]), ("mandoc", ["mandoc", "-T", "lint", "-W", "warning"])):
    if not shutil.which(tool):
        print(f"{tool} is not installed: not rendered")
        continue
    done = subprocess.run(command + pages, capture_output=True, text=True)
    assert not done.stdout + done.stderr, done.stdout + done.stderr
    print(f"{tool}: no warning")
