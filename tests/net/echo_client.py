#!/usr/bin/python3
"""Sends requests in bursts, checks every answer, writes them all, and stops the server.

usage: echo_client.py ADDRESS PORT REQUESTS OUT
"""

import random
import socket
import struct
import sys

server, requests, out = (sys.argv[1], int(sys.argv[2])), int(sys.argv[3]), sys.argv[4]
BURST = 32
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
client.connect(server)
client.settimeout(20)


def mix(x):
    x &= 0xFFFFFFFF
    x = ((x ^ x >> 16) * 0x7FEB352D) & 0xFFFFFFFF
    x = ((x ^ x >> 15) * 0x846CA68B) & 0xFFFFFFFF
    return x ^ x >> 16


def request(key, payload):
    digest = 0
    for byte in payload:
        digest = mix(digest + byte)
    x, changed = mix(key), bytearray(payload)
    for i in range(len(payload)):
        changed[i] ^= x & 0xFF
        x = mix(x + i + 8)
    return struct.pack(">II", key, digest) + payload, struct.pack(">II", key, mix(x ^ digest)) + bytes(changed)


rng, wrong = random.Random(5), 0
with open(out, "wb") as file:
    for begin in range(0, requests, BURST):
        expected, burst = [], []  # made first, so that the server finds many datagrams at once
        for _ in range(BURST):
            question, answer = request(rng.randrange(1 << 32), rng.randbytes(rng.randrange(1, 200)))
            if rng.random() < 0.02:
                question = question[:6]  # malformed: no answer
            else:
                expected.append(answer)
            burst.append(question)
        for question in burst:
            client.send(question)
        for answer in expected:
            got = client.recv(2048)
            wrong += got != answer
            file.write(got)
client.send(b"stop")
print(f"{requests} requests, {wrong} wrong answers")
sys.exit(wrong != 0)
