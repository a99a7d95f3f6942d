#!/usr/bin/python3
"""Prints golden.txt: for each case the verdict, the packet, what it has become, and why. Computes every checksum anew, knows small.txt
and how ports are chosen, and nothing else of the program. usage: golden.py >golden.txt"""

import ipaddress
import pathlib
import struct
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent))
from packets import DROP, PASS, TX, case, checksum, connection_hash, frame, ip4

SHARED = "192.0.2.1"
OWN, INSIDE, OUTSIDE = bytes([2, 0, 0, 0, 0, 9]), bytes([2, 0, 0, 0, 1, 1]), bytes([2, 0, 0, 0, 1, 2])
TCP, UDP = 6, 17


def datagram(source, to, protocol, ports, summed=True, **fields):
    data = b"payload."
    if protocol == TCP:
        segment, at = struct.pack(">HHIIBBHHH", *ports, 1, 1, 0x50, 16, 512, 0, 0) + data, 16
    else:
        segment, at = struct.pack(">HHHH", *ports, 8 + len(data), 0) + data, 6
    pseudo = ipaddress.IPv4Address(source).packed + ipaddress.IPv4Address(to).packed + struct.pack(">HH", protocol, len(segment))
    total = checksum(pseudo + segment) or 0xFFFF
    if summed:
        segment = segment[:at] + struct.pack(">H", total) + segment[at + 2:]
    return ip4(to, source=source, protocol=protocol, payload=segment, **fields)


def port_of(source, to, protocol, ports, skipped=0):
    return 1024 + (connection_hash(source, to, ports, protocol) + skipped) % 64512


def outward(why, source, to, protocol, ports, seen_as=None, **fields):
    near = port_of(source, to, protocol, ports) if seen_as is None else seen_as
    case(TX, why, frame(datagram(source, to, protocol, ports, ttl=64, **fields), 0x800),
         frame(datagram(SHARED, to, protocol, (near, ports[1]), ttl=63, **fields), 0x800, OUTSIDE, OWN))
    return near


def inward(why, source, ports, protocol, to, port, **fields):
    case(TX, why, frame(datagram(source, SHARED, protocol, ports, ttl=9, **fields), 0x800),
         frame(datagram(source, to, protocol, (ports[0], port), ttl=8, **fields), 0x800, INSIDE, OWN))


def same(verdict, why, packet, kind=0x800):
    case(verdict, why, frame(packet, kind))


def main():
    for protocol, name in ((TCP, "TCP"), (UDP, "UDP")):
        for port in (4000, 4001, 65535):
            near = outward(f"{name} from port {port} goes out", "10.1.2.3", "203.0.113.9", protocol, (port, 443))
            outward("and again by the same port", "10.1.2.3", "203.0.113.9", protocol, (port, 443))
            inward("its answer comes back", "203.0.113.9", (443, near), protocol, "10.1.2.3", port)
            same(PASS, "not from another host", datagram("203.0.113.8", SHARED, protocol, (443, near)))
            same(PASS, "not from another port", datagram("203.0.113.9", SHARED, protocol, (444, near)))
    near = outward("UDP without a checksum stays without", "10.9.9.9", "203.0.113.9", UDP, (7, 7), summed=False)
    inward("also back", "203.0.113.9", (7, near), UDP, "10.9.9.9", 7, summed=False)
    inward("a connection to a service begins", "203.0.113.7", (5000, 80), TCP, "10.0.0.80", 8080)
    outward("its answer is from the port it is known by", "10.0.0.80", "203.0.113.7", TCP, (8080, 5000), seen_as=80)
    inward("a service of UDP", "203.0.113.7", (5000, 53), UDP, "10.0.0.53", 53)
    same(PASS, "no such service", datagram("203.0.113.7", SHARED, TCP, (5000, 81)))
    same(PASS, "its port by another protocol", datagram("203.0.113.7", SHARED, UDP, (5000, 80)))
    same(PASS, "within the inside", datagram("10.1.1.1", "10.2.2.2", TCP, (1, 2)))
    same(PASS, "from outside to elsewhere", datagram("203.0.113.7", "203.0.113.8", TCP, (1, 2)))
    same(PASS, "from inside to the shared address", datagram("10.1.1.1", SHARED, TCP, (1, 80)))
    same(PASS, "its time has come", datagram("10.1.2.3", "203.0.113.9", TCP, (4000, 443), ttl=1))
    same(PASS, "a fragment", datagram("10.1.2.3", "203.0.113.9", UDP, (4000, 443), fragment=0x2000))
    same(PASS, "ICMP", ip4("203.0.113.9", source="10.1.2.3", protocol=1))
    same(PASS, "options", ip4("203.0.113.9", source="10.1.2.3", words=6, options=bytes(4), payload=bytes(20)))
    same(PASS, "ARP", bytes(28), 0x806)
    same(DROP, "version 5", datagram("10.1.2.3", "203.0.113.9", TCP, (4000, 443), version=5))
    same(DROP, "longer than the frame", datagram("10.1.2.3", "203.0.113.9", TCP, (4000, 443), length=90))
    same(DROP, "a TCP header that is cut off", ip4("203.0.113.9", source="10.1.2.3", protocol=TCP, payload=bytes(19)))
    same(DROP, "a UDP header that is cut off", ip4("203.0.113.9", source="10.1.2.3", payload=bytes(7)))


if __name__ == "__main__":
    main()
