"""own.py stored|same|broken HEDDLE FOLDER: a calibration of this machine, made out of a stored host."""
import json
import os
import subprocess
import sys

how, heddle, folder = sys.argv[1:]
own = os.path.join(folder, os.uname().nodename + ".json")
stored = os.path.join(os.path.dirname(heddle), "..", "share", "heddle", "hosts", "xeon-gold-6248r.json")
with open(stored) as file:
    host = json.load(file)
if how == "same":
    now = os.path.join(folder, "now")
    subprocess.run([heddle, "calibrate", "--quick", "--noise", "1000", "-o", now], check=True)
    with open(now) as file:
        host["machine"] = json.load(file)["machine"]
    host["machine"]["date"] = "2026-01-01T00:00:00Z"
text = json.dumps(host)
with open(own, "w") as file:
    file.write(text[: len(text) // 2] if how == "broken" else text)
