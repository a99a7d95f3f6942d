#!/usr/bin/python3
"""Prints golden.txt: for each case the verdict, the packet, what it has become, and why. Knows the tables of small.txt and
the RFCs, and nothing of the programs. usage: golden.py >golden.txt"""

import pathlib
import struct
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent))
from packets import DROP, PASS, TX, case, frame, ip4

HOPS = {n: (bytes([2, 0, 0, 0, 1, n]), bytes([2, 0, 0, 0, 0, n])) for n in (1, 2)}
TCP, UDP = 6, 17


def segment(port, protocol=TCP):
    if protocol == UDP:
        return struct.pack(">HHHH", 40000, port, 8, 0)
    return struct.pack(">HHIIBBHHH", 40000, port, 1, 1, 0x50, 16, 512, 0, 0)


def same(verdict, why, **fields):
    case(verdict, why, frame(ip4(**fields), 0x800))


def forwarded(hop, why, ttl=64, **fields):
    to, source = HOPS[hop]
    case(TX, why, frame(ip4(ttl=ttl, **fields), 0x800), frame(ip4(ttl=ttl - 1, **fields), 0x800, to, source))


def main():
    web = {"protocol": TCP, "payload": segment(80)}
    forwarded(1, "an open service, through all three", to="10.9.9.9", **web)
    forwarded(2, "the longer prefix", to="10.1.9.9", protocol=TCP, payload=segment(443))
    forwarded(1, "a service of UDP", to="10.9.9.9", protocol=UDP, payload=segment(53, UDP))
    forwarded(1, "neither TCP nor UDP", to="10.9.9.9", protocol=1, payload=b"\x08\0\xf7\xff\0\0\0\0")
    forwarded(1, "a fragment behind the first has no ports", to="10.9.9.9", protocol=TCP, fragment=0x0001)
    forwarded(1, "the first fragment has", to="10.9.9.9", fragment=0x2000, **web)
    forwarded(1, "beside a blocked address", to="10.9.9.9", source="198.51.100.67", **web)
    forwarded(1, "two is the least time to live that is forwarded", ttl=2, to="10.9.9.9", **web)
    same(DROP, "a blocked network", to="10.9.9.9", source="203.0.113.9", **web)
    same(DROP, "a blocked address", to="10.9.9.9", source="198.51.100.66", **web)
    same(DROP, "blocked, whatever its time to live", ttl=1, to="10.9.9.9", source="203.0.113.9", **web)
    same(DROP, "no such service", to="10.9.9.9", protocol=TCP, payload=segment(8080))
    same(DROP, "a service that is closed", to="10.9.9.9", protocol=TCP, payload=segment(22))
    same(DROP, "a port of TCP, in UDP", to="10.9.9.9", protocol=UDP, payload=segment(80, UDP))
    same(DROP, "no room for ports", to="10.9.9.9", protocol=UDP, payload=b"\0\0")
    same(PASS, "time to live 1: the host answers", ttl=1, to="10.9.9.9", **web)
    same(PASS, "no route", to="11.9.9.9", **web)
    same(PASS, "a route to a hop that is not there", to="172.16.9.9", **web)
    same(PASS, "options", to="10.9.9.9", words=6, options=b"\x01\x01\x01\x00", **web)
    same(DROP, "a bad checksum", to="10.9.9.9", bad=0x0100, **web)
    same(DROP, "version 5", to="10.9.9.9", version=5, **web)
    same(DROP, "a header of four words", to="10.9.9.9", words=4, **web)
    same(DROP, "longer than the frame", to="10.9.9.9", length=90, **web)
    case(PASS, "not IPv4", frame(bytes(46), 0x806))
    case(DROP, "cut off in the header", frame(ip4("10.9.9.9")[:12], 0x800))


if __name__ == "__main__":
    main()
