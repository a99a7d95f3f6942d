"""Sends queries in bursts, checks every answer, then stops the server.

usage: dns_client.py HOST PORT[,PORT...] ZONE NAMES QUERIES PID-FILE [ANSWERS]

Without ANSWERS all ask for addresses. With it they are of many types, for names that exist and others, a third of them with
the signatures, and the answers are written to that file in the order of the queries, with all times to live as 0: a cache
counts them down. Then there is also a broken query in each burst, which may have an answer or none: what reads it gives up
in the middle, maybe by an exception.
Several ports are asked in turn. With a PID-FILE of - the server is left running.
"""

import os
import pathlib
import select
import signal
import socket
import struct
import sys
import time

host, ports, zone, names, queries, pid_file, *answers_file = sys.argv[1:]
names, queries = int(names), int(queries)
BURST = 64
A, NS, CNAME, SOA, MX, TXT, AAAA, OPT = 1, 2, 5, 6, 15, 16, 28, 41
QUESTIONS = [("host", A), ("host", AAAA), ("host", MX), ("alias", A), ("host", TXT), ("none", A), ("", NS), ("host", A),
             ("", SOA), ("alias", CNAME), ("alias", AAAA)]
flags = 0x100 if answers_file else 0  # recursion desired
servers = [(host, int(port)) for port in ports.split(",")]
# Several: the system deals them out to a server's workers.
clients = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(8)]


def question(number):
    label, kind = QUESTIONS[number % len(QUESTIONS)] if answers_file else ("host", A)
    return (f"{label}{number % names + 1}" if label else ""), kind


def query(number):
    label, kind = question(number)
    name = b"".join(bytes([len(part)]) + part.encode() for part in [label, zone] if part) + b"\0"
    signed = answers_file and number % 3 == 0  # EDNS: up to 4,096 bytes, signatures wanted
    option = b"\0" + struct.pack(">2HIH", OPT, 4096, 0x8000, 0) if signed else b""
    return struct.pack(">6H", number & 0xFFFF, flags, 1, 0, 0, 1 if signed else 0) + name + struct.pack(">2H", kind, 1) + option


def broken(number):
    """Its name ends with the datagram, in the middle of a label."""
    return query(number)[:12] + b"\x3fshort"


def send(message, number):
    clients[number % len(clients)].sendto(message, servers[number % len(servers)])


def receive(timeout):
    ready, _, _ = select.select(clients, [], [], timeout)
    if not ready:
        raise TimeoutError
    return ready[0].recv(4096)


def after_name(message, at):
    while message[at] and message[at] < 0xC0:
        at += 1 + message[at]
    return at + (2 if message[at] else 1)


def records(message):
    """(type, time to live's place, data) of each record, the question apart."""
    questions, *counts = struct.unpack(">4H", message[4:12])
    at = 12
    for _ in range(questions):
        at = after_name(message, at) + 4
    for _ in range(sum(counts)):
        at = after_name(message, at)
        kind, _, _, size = struct.unpack(">2HIH", message[at:at + 10])
        yield kind, at + 4, message[at + 10:at + 10 + size]
        at += 10 + size


def without_times(message):
    message = bytearray(message)
    for kind, at, _ in list(records(bytes(message))):
        if kind != OPT:
            message[at:at + 4] = bytes(4)
    return bytes(message)


def is_right(message, number):
    label, kind = question(number)
    code, found = message[3] & 15, [(k, data) for k, _, data in records(message)]
    if label.startswith("none"):
        return code == 3
    if kind == A:
        return code == 0 and (A, bytes([192, 0, 2, (number % names + 1) % 250])) in found
    return code == 0


def ready():
    for _ in range(2000):
        try:
            send(query(0), 0)
            if is_right(receive(1), 0):  # else the zone has not been loaded
                return True
        except OSError:
            pass
        time.sleep(0.05)
    return False


wrong, answers = 0 if ready() else queries, {}
if not wrong:
    for first in range(0, queries, BURST):
        burst = range(first, min(first + BURST, queries))
        for number in burst:
            if answers_file and number % BURST == BURST // 2:
                send(broken(first - 1), number)
            send(query(number), number)
        missing = {number & 0xFFFF: number for number in burst}
        try:
            while missing:
                answer = receive(30)  # no answer is late: a busy machine stops for seconds
                number = missing.pop(struct.unpack(">H", answer[:2])[0], None)
                if number is not None:
                    wrong += not is_right(answer, number)
                    if answers_file:
                        answers[number] = without_times(answer)
        except OSError:
            wrong += len(missing)
            print(f"queries {min(missing.values())} to {max(missing.values())}: {len(missing)} without an answer")
if answers_file:
    lines = (f"{number} {answers[number].hex()}\n" for number in sorted(answers))
    pathlib.Path(answers_file[0]).write_text("".join(lines))
print(f"{queries} queries, {wrong} wrong", flush=True)
if pid_file != "-":
    os.kill(int(pathlib.Path(pid_file).read_text()), signal.SIGTERM)
