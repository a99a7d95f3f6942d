#!/usr/bin/python3
"""Runs a command on a terminal, and prints each different line that was drawn there and erased or overwritten ("drawn"), and
those that stay ("left"). With --interrupt, Ctrl-C is typed once the first line is drawn.
usage: terminal.py [--interrupt] COMMAND..."""

import os
import pty
import signal
import sys

interrupt = sys.argv[1] == "--interrupt"
command = sys.argv[2:] if interrupt else sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # may be ignored here
    os.execv(command[0], command)
text = b""
while True:
    try:
        more = os.read(terminal, 65536)
    except OSError:  # the other end is closed
        more = b""
    if not more:
        break
    text += more
    if interrupt and b"\x1b[K" in text:
        os.write(terminal, b"\x03")
        interrupt = False
os.waitpid(child, 0)

drawn, left = [], []
for line in text.decode().replace("\r\n", "\n").split("\n"):
    parts = line.split("\r")
    for part in parts:
        part = part.replace("\x1b[K", "")
        if part and part not in drawn and part != parts[-1].replace("\x1b[K", ""):
            drawn.append(part)
    left.append(parts[-1].replace("\x1b[K", ""))
print(*(f"drawn: {line}" for line in drawn), *(f"left: {line}" for line in left if line), sep="\n")
