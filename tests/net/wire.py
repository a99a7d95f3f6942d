#!/usr/bin/python3
"""Sends a capture into each of two interfaces, and writes what comes out of both.

usage: wire.py SESSIONS GNB N3.pcap OUT.pcap CORE N6.pcap OUT.pcap

The first capture goes in, then an ARP request whose answer says that the program has done all before it; then the second.
So the program receives its packets in one order, whatever the machine does, and what it sends can be compared. Received
frames are written with the time stamp 0.
"""

import re
import select
import socket
import struct
import sys
import time

ETH_P_ALL, SOL_PACKET, PACKET_IGNORE_OUTGOING, SO_RCVBUFFORCE = 3, 263, 23, 33
WAIT = 30  # seconds, for a machine that is busy with other things


class Side:
    def __init__(self, interface, capture, out, name, sessions):
        port = re.search(rf"^port {name} .*", sessions, re.M).group(0)
        self.address = socket.inet_aton(re.search(r" ip4 (\S+)", port).group(1))
        self.peer = bytes.fromhex(re.search(r" peer-mac (\S+)", port).group(1).replace(":", ""))
        self.frames, self.out, self.received = list(read(capture)), out, []
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
        self.socket.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        self.socket.bind((interface, 0))

    def arp_request(self):
        sender = bytes([10, 255, 255, 254])
        arp = struct.pack(">HHBBH6s4s6s4s", 1, 0x0800, 6, 4, 1, self.peer, sender, bytes(6), self.address)
        return b"\xff" * 6 + self.peer + b"\x08\x06" + arp + bytes(18)

    def is_answer(self, frame):
        return frame[12:14] == b"\x08\x06" and frame[20:22] == b"\0\2" and frame[28:32] == self.address

    def write(self):
        with open(self.out, "wb") as file:
            file.write(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
            for frame in self.received:
                file.write(struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame)


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    at = 24
    while at < len(data):
        length = struct.unpack_from("<8xI4x", data, at)[0]
        yield data[at + 16:at + 16 + length]
        at += 16 + length


def receive(sides, seconds):
    """Takes what is there; True once an answer to an ARP request was among it."""
    answered = False
    ready, _, _ = select.select([s.socket for s in sides], [], [], seconds)
    for side in sides:
        if side.socket in ready:
            frame = side.socket.recv(65535)
            answered |= side.is_answer(frame)
            side.received.append(frame)
    return answered


def take_all(sides):
    while select.select([s.socket for s in sides], [], [], 0)[0]:
        receive(sides, 0)


def done(side, sides):
    """True once the program has answered, and all that it sent before is here."""
    side.socket.send(side.arp_request())
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        if receive(sides, 0.2):
            take_all(sides)
            return True
    return False


def main():
    with open(sys.argv[1]) as file:
        sessions = file.read()
    sides = [Side(*sys.argv[2:5], "n3", sessions), Side(*sys.argv[5:8], "n6", sessions)]
    for side in sides:
        for number, frame in enumerate(side.frames):
            side.socket.send(frame)
            if number % 16 == 15:
                time.sleep(0.001)
            take_all(sides)
        if not done(side, sides):
            sys.exit("the program stopped answering")
    for side in sides:
        side.write()
    print("sent", *(len(s.frames) for s in sides), "received", *(len(s.received) for s in sides))
    if any(len(s.received) < 100 for s in sides):
        sys.exit("hardly anything came out")


main()
