"""Runs the optimized program ./p.heddle with counters, and heddle top on it."""

import json
import os
import subprocess


class Program:
    """At `ready`, all of its packets have run. It ends with its input."""

    def __init__(self, *args, file="counters", **more):
        self.process = subprocess.Popen(
            ["./p.heddle", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "HEDDLE_COUNTERS": file, **more})
        line = self.process.stdout.readline()
        assert line == "ready\n", line

    def end(self):
        """What it has written on standard error."""
        _, told = self.process.communicate("")
        return told


def top(*args, **options):
    done = subprocess.run([os.environ["HEDDLE"], "top", *args], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def counts(*args):
    return json.loads(top(*args, "--json"))


def refused(*args):
    done = subprocess.run([os.environ["HEDDLE"], "top", *args, "--once"], capture_output=True, text=True)
    assert done.returncode == 1 and done.stdout == "", done
    return done.stderr
