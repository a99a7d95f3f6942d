#!/usr/bin/python3
"""interrupt.py SIGNAL WHEN COMMAND...: starts the command, sends it the signal, and prints how it ended and what it
left under TMPDIR (files, and processes started from there).

WHEN is a number of seconds, or the start of a file's name: as soon as one like it exists in the current folder or below
TMPDIR."""
import glob
import os
import signal
import subprocess
import sys
import time

number = getattr(signal, sys.argv[1])
signal.signal(number, signal.SIG_DFL)  # a shell starts what runs in the background with it ignored
process = subprocess.Popen(sys.argv[3:], stdin=subprocess.DEVNULL)
try:
    time.sleep(float(sys.argv[2]))
except ValueError:
    patterns = [sys.argv[2] + "*", os.path.join(os.environ["TMPDIR"], "**", sys.argv[2] + "*")]
    while process.poll() is None and not any(glob.glob(p, recursive=True) for p in patterns):
        time.sleep(0.002)
ended_before = process.poll() is not None
process.send_signal(number)
status = process.wait(60)
print("ended before the signal" if ended_before else "interrupted", flush=True)
print("status", status, flush=True)
left = sorted(os.listdir(os.environ["TMPDIR"]))
for path in glob.glob("/proc/[0-9]*/cmdline"):
    try:
        with open(path, "rb") as file:
            words = file.read().split(b"\0")
        if words[0].startswith(os.fsencode(os.environ["TMPDIR"])):
            left.append("process " + os.fsdecode(words[0]))
    except OSError:
        pass
print("left:", *left, flush=True)
