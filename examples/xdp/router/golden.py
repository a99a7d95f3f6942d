#!/usr/bin/python3
"""Prints golden.txt: for each case the verdict, the packet, what it has become, and why. Knows the tables of small.txt and
the RFCs, and nothing of the program. usage: golden.py >golden.txt"""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent))
from packets import DROP, PASS, REDIRECT, TX, case, frame, ip4, ip6

HOPS = {n: (bytes([2, 0, 0, 0, 1, n]), bytes([2, 0, 0, 0, 0, n])) for n in (1, 2, 3, 4)}


def same(verdict, why, packet):
    case(verdict, why, packet)


def forwarded(hop, why, make, **fields):
    kind, ttl = (0x800, "ttl") if make is ip4 else (0x86DD, "limit")
    before = fields.pop(ttl, 64)
    to, source = HOPS[hop]
    print(REDIRECT if hop == 4 else TX, frame(make(**fields, **{ttl: before}), kind).hex(),
          frame(make(**fields, **{ttl: before - 1}), kind, to, source).hex(), "#", why)


def main():
    forwarded(1, "10.0.0.0/8", ip4, to="10.200.1.1")
    forwarded(2, "10.1.0.0/16 is longer than 10.0.0.0/8", ip4, to="10.1.3.1")
    forwarded(3, "10.1.2.0/24 is the longest", ip4, to="10.1.2.255")
    forwarded(2, "10.1.3.0 is just behind 10.1.2.0/24", ip4, to="10.1.3.0")
    forwarded(3, "a host route", ip4, to="203.0.113.7")
    forwarded(1, "the last address of a /25", ip4, to="198.51.100.127")
    forwarded(4, "a hop on another interface", ip4, to="192.0.2.200")
    forwarded(1, "two is the least time to live that is forwarded", ip4, to="10.9.9.9", ttl=2)
    forwarded(1, "the greatest time to live", ip4, to="10.9.9.9", ttl=255)
    for number in (0x1FF, 0x2FE, 0xFD01):
        forwarded(1, "checksums that carry", ip4, to=f"10.77.{number >> 8}.{number & 255}", source="10.255.255.254")
    same(PASS, "no route: the first address behind the /25", frame(ip4("198.51.100.128"), 0x800))
    same(PASS, "no route: beside the host route", frame(ip4("203.0.113.8"), 0x800))
    same(PASS, "a route to a hop that is not there", frame(ip4("172.16.1.1"), 0x800))
    same(PASS, "its own address", frame(ip4("10.0.0.1"), 0x800))
    same(PASS, "time to live 1: the host answers", frame(ip4("10.9.9.9", ttl=1), 0x800))
    same(PASS, "time to live 0", frame(ip4("10.9.9.9", ttl=0), 0x800))
    same(PASS, "its own address, with time to live 1", frame(ip4("10.0.0.1", ttl=1), 0x800))
    same(PASS, "to many: the host's business", frame(ip4("224.0.0.5"), 0x800))
    same(PASS, "to all: the host's business", frame(ip4("255.255.255.255"), 0x800))
    same(PASS, "options", frame(ip4("10.9.9.9", words=6, options=b"\x01\x01\x01\x00"), 0x800))
    same(DROP, "a bad checksum", frame(ip4("10.9.9.9", bad=0x0100), 0x800))
    same(DROP, "version 5", frame(ip4("10.9.9.9", version=5), 0x800))
    same(DROP, "a header of four words", frame(ip4("10.9.9.9", words=4), 0x800))
    same(DROP, "shorter than its header", frame(ip4("10.9.9.9", length=19), 0x800))
    same(DROP, "longer than the frame", frame(ip4("10.9.9.9", length=29), 0x800))
    same(DROP, "a header that is cut off", frame(ip4("10.9.9.9")[:19], 0x800))
    for source in ("0.0.0.0", "127.0.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"):
        same(DROP, f"from {source}", frame(ip4("10.9.9.9", source=source), 0x800))
    for to in ("0.0.0.1", "127.0.0.1"):
        same(DROP, f"to {to}", frame(ip4(to), 0x800))
    forwarded(1, "2001:db8::/32", ip6, to="2001:db8:7::1")
    forwarded(2, "a /48", ip6, to="2001:db8:1:9::1")
    forwarded(3, "a /64", ip6, to="2001:db8:1:2:ffff:ffff:ffff:ffff")
    forwarded(1, "a hop limit of two", ip6, to="2001:db8:7::1", limit=2)
    same(PASS, "no route", frame(ip6("2001:db9::1"), 0x86DD))
    same(PASS, "hop limit 1", frame(ip6("2001:db8:7::1", limit=1), 0x86DD))
    same(PASS, "to many", frame(ip6("ff02::1"), 0x86DD))
    same(PASS, "to an address of the link", frame(ip6("fe80::1"), 0x86DD))
    same(PASS, "from an address of the link", frame(ip6("2001:db8:7::1", source="febf::1"), 0x86DD))
    same(DROP, "version 4 in an IPv6 frame", frame(ip6("2001:db8:7::1", version=4), 0x86DD))
    same(DROP, "longer than the frame", frame(ip6("2001:db8:7::1", length=9), 0x86DD))
    same(DROP, "a header that is cut off", frame(ip6("2001:db8:7::1")[:39], 0x86DD))
    for source in ("::", "::1", "ff02::1"):
        same(DROP, f"from {source}", frame(ip6("2001:db8:7::1", source=source), 0x86DD))
    same(DROP, "to the loopback", frame(ip6("::1"), 0x86DD))
    same(PASS, "ARP", frame(bytes(28), 0x806))
    same(PASS, "VLAN", frame(bytes(28), 0x8100))


if __name__ == "__main__":
    main()
