"""Files that are not to be read, and files that are not to be written."""

import os
import shutil
import signal
import stat

from running import Program, counts, refused

print("missing:", refused("absent"))
print("unnamed:", refused())
print("nobody:", refused("--pid", "999999999"))
print("without:", refused("--pid", str(os.getpid())))
os.mkfifo("fifo")
print("fifo:", refused("fifo"))
with open("text", "w") as file:
    file.write("something that is not ours\n" * 500)
print("text:", refused("text"))

program = Program()
whole = open("counters", "rb").read()


def changed(name, at, value):
    with open(name, "wb") as file:
        file.write(whole[:at] + value + whole[at + len(value):])
    return refused(name)


print("version:", changed("version", 8, (99).to_bytes(4, "little")))
print("damaged slots:", changed("slots", 32, (1 << 30).to_bytes(4, "little")))
print("damaged rows:", changed("rows", 36, (1 << 20).to_bytes(4, "little")))
for size in (0, 7, 100, 3000, len(whole) - 1):
    with open("cut", "wb") as file:
        file.write(whole[:size])
    print(f"cut to {size if size < len(whole) - 1 else 'all but one'}:", refused("cut"))

# A second program does not take the first one's file, nor any other.
for name in ("counters", "text", "absent/counters", "fifo"):
    second = Program(file=name)
    print(f"taken {name}:", second.end())
assert counts("counters")["processes"] == [program.process.pid]
assert stat.S_ISFIFO(os.stat("fifo").st_mode)

# Killed: stale, until the program starts again.
program.process.send_signal(signal.SIGKILL)
# Not waited for yet: a zombie is dead.
while open(f"/proc/{program.process.pid}/stat").read().rsplit(")", 1)[1].split()[0] != "Z":
    pass
print("stale:", refused("counters"))
program.process.wait()
print("gone:", refused("counters"))
shutil.copy("counters", "copy")
again = Program()
assert counts("counters")["processes"] == [again.process.pid]
assert again.end() == ""

long = Program(file="x" * 5000)
print("too long:", long.end()[-200:])
