import os
import subprocess

from running import Program

program = Program()
os.chmod("counters", 0o600)
for which in (["counters"], ["--pid", str(program.process.pid)]):
    done = subprocess.run(["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", os.environ["HEDDLE"], "top",
                           *which, "--once"], capture_output=True, text=True)
    assert done.returncode == 1
    print(done.stderr, end="")
program.end()
