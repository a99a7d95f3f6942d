"""Sends A queries in bursts, checks every answer, then stops the server.

usage: dns_client.py HOST PORT ZONE NAMES QUERIES PID-FILE
"""

import os
import pathlib
import signal
import socket
import struct
import sys
import time

host, port, zone, names, queries, pid_file = sys.argv[1:]
names, queries = int(names), int(queries)
BURST = 64
server = (host, int(port))
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.settimeout(1)


def query(number):
    labels = [f"host{number % names + 1}", zone]
    name = b"".join(bytes([len(label)]) + label.encode() for label in labels) + b"\0"
    return struct.pack(">6H", number & 0xFFFF, 0, 1, 0, 0, 0) + name + struct.pack(">2H", 1, 1)


def ready():
    for _ in range(2000):
        try:
            client.sendto(query(0), server)
            client.recv(512)
            return True
        except OSError:
            time.sleep(0.05)
    return False


wrong = 0 if ready() else queries
if not wrong:
    for first in range(0, queries, BURST):
        burst = range(first, min(first + BURST, queries))
        for number in burst:
            client.sendto(query(number), server)
        missing = {number & 0xFFFF: number for number in burst}
        try:
            while missing:
                answer = client.recv(512)
                number = missing.pop(struct.unpack(">H", answer[:2])[0], None)
                if number is not None:
                    wrong += answer[-4:] != bytes([192, 0, 2, (number % names + 1) % 250])
        except OSError:
            wrong += len(missing)
print(f"{queries} queries, {wrong} wrong", flush=True)
os.kill(int(pathlib.Path(pid_file).read_text()), signal.SIGTERM)
