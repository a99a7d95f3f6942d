#!/usr/bin/python3
"""Prints golden.txt: for each case the verdict, the packet, what it has become, and why. Knows small.txt, RFC 2003, how Maglev fills
its tables and the hash of connections, and nothing of the program. usage: golden.py >golden.txt"""

import ipaddress
import pathlib
import struct
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent))
from packets import DROP, PASS, TX, case, checksum, connection_hash, frame, ip4

RING = 4099
SERVERS = {number: f"10.1.0.{number}" for number in (1, 2, 3, 4)}
SYN, ACK = 2, 16


def maglev(servers):
    places, turns = [None] * RING, [0] * len(servers)
    while None in places:
        for i, server in enumerate(servers):
            offset, skip = server * 2654435761 % 2**32 % RING, server * 40503 % 2**32 % (RING - 1) + 1
            while True:
                place = (offset + turns[i] * skip) % RING
                turns[i] += 1
                if places[place] is None:
                    break
            places[place] = server
            if None not in places:
                break
    return places


SHARED = maglev([1, 2, 3])


def tcp(to, ports=(4000, 80), flags=ACK, source="203.0.113.9", **fields):
    segment = struct.pack(">HHIIBBHHH", *ports, 1, 1, 0x50, flags, 512, 0, 0)
    return ip4(to, source=source, payload=segment + b"payload.", protocol=6, **fields)


def udp(to, ports=(4000, 443), source="203.0.113.9", **fields):
    return ip4(to, source=source, payload=struct.pack(">HHHH", *ports, 16, 0) + b"payload.", protocol=17, **fields)


def gue(packet, source, to, ports, protocol):
    """Variant 1: the packet follows the UDP header, whose source port has 14 bits of the flow's hash."""
    port = 49152 + connection_hash(source, to, ports, protocol) // 2**18
    return struct.pack(">HHHH", port, 6080, 8 + len(packet), 0) + packet


def sent(server, why, packet, tos=0, flow=None):
    """Inside IP; with a flow (source, destination, ports, protocol), inside UDP."""
    inside = gue(packet, *flow) if flow else packet
    head = struct.pack(">BBHHHBBH", 0x45, tos, len(inside) + 20, 0, 0, 64, 17 if flow else 4, 0)
    head += ipaddress.IPv4Address("192.0.2.1").packed + ipaddress.IPv4Address(SERVERS[server]).packed
    outer = head[:10] + struct.pack(">H", checksum(head)) + head[12:]
    case(TX, why, frame(packet, 0x800), frame(outer + inside, 0x800, bytes([2, 0, 0, 0, 0, 2]), bytes([2, 0, 0, 0, 0, 1])))


def same(verdict, why, packet, kind=0x800):
    case(verdict, why, frame(packet, kind))


def main():
    for port in range(4000, 4012):
        place = connection_hash("203.0.113.9", "198.51.100.1", (port, 80), 6) % RING
        sent(SHARED[place], f"a connection from port {port} begins", tcp("198.51.100.1", (port, 80), SYN))
        sent(SHARED[place], "and goes on", tcp("198.51.100.1", (port, 80)))
    sent(2, "UDP, one server", udp("198.51.100.1"))
    sent(2, "type of service is kept outside", udp("198.51.100.1", tos=0xB8), tos=0xB8)
    for port in (1, 22, 65535):
        sent(3, f"a service of all ports: {port}", tcp("198.51.100.2", (5000, port), SYN))
    for port in (5000, 5001):
        place = connection_hash("203.0.113.77", "198.51.100.3", (port, 53), 17) % RING
        sent(SHARED[place], "a service without memory", udp("198.51.100.3", (port, 53), "203.0.113.77"))
    for port in (4000, 4001, 4002):
        flow = ("203.0.113.9", "198.51.100.5", (port, 80), 6)
        server = SHARED[connection_hash(*flow) % RING]
        sent(server, f"inside UDP: a connection from port {port} begins", tcp("198.51.100.5", (port, 80), SYN), flow=flow)
        sent(server, "and goes on, from the same outer port", tcp("198.51.100.5", (port, 80), tos=8), tos=8, flow=flow)
    flow = ("203.0.113.9", "198.51.100.5", (4000, 443), 17)
    server = SHARED[connection_hash("203.0.113.9", "198.51.100.5", (0, 443), 17) % RING]
    sent(server, "inside UDP, one server for all ports: the outer port is the flow's", udp("198.51.100.5"), flow=flow)
    same(DROP, "its only server is down", tcp("198.51.100.4", flags=SYN))
    same(PASS, "no service at this port", tcp("198.51.100.1", (4000, 81)))
    same(PASS, "no service of this protocol", udp("198.51.100.1", (4000, 80)))
    same(PASS, "no service's address", tcp("198.51.100.9"))
    same(PASS, "ICMP", ip4("198.51.100.1", protocol=1))
    same(PASS, "a first fragment", udp("198.51.100.1", fragment=0x2000))
    same(PASS, "a later fragment", udp("198.51.100.1", fragment=0x0010))
    sent(2, "do not fragment", udp("198.51.100.1", fragment=0x4000))
    same(PASS, "options", ip4("198.51.100.1", words=6, options=bytes(4), protocol=6, payload=bytes(20)))
    same(PASS, "ARP", bytes(28), 0x806)
    same(DROP, "version 6 in an IPv4 frame", udp("198.51.100.1", version=6))
    same(DROP, "a header of four words", udp("198.51.100.1", words=4))
    same(DROP, "longer than the frame", udp("198.51.100.1", length=60))
    same(DROP, "a TCP header that is cut off", ip4("198.51.100.1", protocol=6, payload=bytes(19)))
    same(DROP, "a UDP header that is cut off", ip4("198.51.100.1", payload=bytes(7)))
    same(DROP, "an IP header that is cut off", udp("198.51.100.1")[:19])


if __name__ == "__main__":
    main()
