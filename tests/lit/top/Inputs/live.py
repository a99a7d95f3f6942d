"""The live view: one look after the other, until the program has ended."""

import os
import subprocess
import sys
import time

from running import Program

program = Program()
watching = subprocess.Popen([os.environ["HEDDLE"], "top", "counters", "--seconds", "0.05"], stdout=open("view", "w"),
                            stderr=subprocess.PIPE, text=True)
while open("view").read().count("packets per visit") < 3:
    time.sleep(0.02)
assert program.end() == ""
_, told = watching.communicate(timeout=20)
sys.stdout.write(told)
assert watching.returncode == 0
looks = open("view").read().split("p.heddle, process ")[1:]
# The first has averages since the beginning; in the others nothing runs any more.
assert "packets staged                      0 " not in looks[0] and "batches received, by packets\n" in looks[0], looks[0]
assert "packets staged                      0 " in looks[-1] and "by packets: none\n" in looks[-1], looks[-1]

# Killed meanwhile.
program = Program()
watching = subprocess.Popen([os.environ["HEDDLE"], "top", "counters", "--seconds", "0.05"], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)
watching.stdout.readline()
program.process.kill()
_, told = watching.communicate(timeout=20)
sys.stdout.write(told)
assert watching.returncode == 1
