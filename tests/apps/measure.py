"""Runs a command and writes its seconds and peak memory. usage: measure.py FILE SECONDS-LIMIT COMMAND..."""

import pathlib
import resource
import subprocess
import sys
import time

begin = time.monotonic()
try:
    status = subprocess.run(sys.argv[3:], timeout=float(sys.argv[2])).returncode
except subprocess.TimeoutExpired as error:
    sys.exit(f"{error}")
megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
pathlib.Path(sys.argv[1]).write_text(f"{time.monotonic() - begin:.0f} s, {megabytes:,.0f} MB\n")
sys.exit(status)
