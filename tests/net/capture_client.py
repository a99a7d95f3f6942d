#!/usr/bin/python3
"""Sends frames in bursts, waits for the answer to each, writes the answers, and stops the server.

usage: capture_client.py INTERFACE BURST FRAMES OUT
"""

import random
import socket
import sys
import time

interface, burst, frames, out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
REQUEST, ANSWER = b"\x88\xb5", b"\x88\xb6"
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x88B6))
wire.setsockopt(263, 23, 1)  # SOL_PACKET, PACKET_IGNORE_OUTGOING
wire.bind((interface, 0x88B6))
wire.settimeout(20)
head = b"\x02\0\0\0\0\1" + b"\x02\0\0\0\0\2" + REQUEST
rng, slowest = random.Random(7), 0.0
with open(out, "wb") as file:
    for begin in range(0, frames, burst):
        started = time.monotonic()
        for number in range(begin, begin + burst):
            payload = bytes([number & 0xFF, number >> 8]) + rng.randbytes(60 + rng.randrange(120))
            wire.send(head + payload)
        for number in range(begin, begin + burst):
            answer = wire.recv(2048)
            assert answer[12:14] == ANSWER
            file.write(answer)
        slowest = max(slowest, time.monotonic() - started)
wire.send(head + b"stop" + bytes(60))
print(f"slowest burst {slowest:.3f} s")
