#!/usr/bin/python3
"""Prints golden.txt: for each case the verdict, the packet, what it has become (the same), and why. Applies the rules of small.txt one by
one, and knows nothing of the program. usage: golden.py >golden.txt"""

import ipaddress
import pathlib
import struct
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent))
from packets import DROP, PASS, TX, case, frame, ip4

RULES = [line.split()[1:] for line in (pathlib.Path(__file__).parent / "small.txt").read_text().splitlines()
         if line.startswith("rule")]


def verdict_of(source, to, protocol, ports):
    for near, far, of, first, second, verdict in RULES:
        if (ipaddress.ip_address(source) in ipaddress.ip_network(near) and ipaddress.ip_address(to) in ipaddress.ip_network(far)
                and int(of) in (-1, protocol) and int(first) in (-1, ports[0]) and int(second) in (-1, ports[1])):
            return int(verdict)
    return DROP


def packet(source, to, protocol, ports, **fields):
    return frame(ip4(to, source=source, protocol=protocol, payload=struct.pack(">HH", *ports) + bytes(16), **fields), 0x800)


def ruled(expected, why, source, to, protocol=6, ports=(4000, 80)):
    assert verdict_of(source, to, protocol, ports) == expected, why
    case(expected, why, packet(source, to, protocol, ports))


def main():
    ruled(PASS, "the web server", "8.8.8.8", "192.0.2.10")
    ruled(PASS, "the web server, TLS", "8.8.8.8", "192.0.2.10", ports=(1, 443))
    ruled(DROP, "another port of it", "8.8.8.8", "192.0.2.10", ports=(1, 81))
    ruled(DROP, "its port by UDP", "8.8.8.8", "192.0.2.10", 17)
    ruled(DROP, "its neighbour", "8.8.8.8", "192.0.2.11")
    ruled(PASS, "SSH from the office", "203.0.113.9", "192.0.2.77", ports=(1, 22))
    ruled(DROP, "SSH from elsewhere", "203.1.113.9", "192.0.2.77", ports=(1, 22))
    ruled(PASS, "a blocked host's SSH: the earlier rule wins", "203.0.113.66", "192.0.2.77", ports=(1, 22))
    ruled(DROP, "a blocked host", "203.0.113.66", "192.0.2.77", ports=(1, 23))
    ruled(PASS, "the web server also for a blocked host", "203.0.113.66", "192.0.2.10")
    ruled(PASS, "a friendly network", "203.0.9.9", "192.0.2.77", 17, (9, 9))
    ruled(PASS, "and by a protocol without ports", "203.0.9.9", "192.0.2.77", 47, (0, 0))
    ruled(PASS, "the name server", "8.8.8.8", "192.0.2.53", 17, (4000, 53))
    ruled(DROP, "not by TCP", "8.8.8.8", "192.0.2.53", 6, (4000, 53))
    ruled(TX, "by source port", "198.51.100.53", "10.0.0.1", 17, (53, 4000))
    ruled(DROP, "another source port", "198.51.100.53", "10.0.0.1", 17, (54, 4000))
    ruled(PASS, "ICMP", "8.8.8.8", "10.0.0.1", 1, (0, 0))
    ruled(DROP, "no rule", "8.8.8.8", "10.0.0.1", 47, (0, 0))
    ruled(DROP, "port 0", "8.8.8.8", "192.0.2.10", 6, (0, 0))
    case(PASS, "options before the ports", packet("8.8.8.8", "192.0.2.10", 6, (4000, 80), words=6, options=bytes(4)))
    case(DROP, "a later fragment has no ports", packet("8.8.8.8", "192.0.2.10", 6, (4000, 80), fragment=0x0010))
    case(PASS, "a later fragment from a friendly network", packet("203.0.9.9", "192.0.2.10", 6, (1, 1), fragment=0x0010))
    case(PASS, "a first fragment has", packet("8.8.8.8", "192.0.2.10", 6, (4000, 80), fragment=0x2000))
    case(DROP, "ports that are cut off", frame(ip4("192.0.2.10", source="8.8.8.8", protocol=6, payload=b"\x0f\xa0\0"), 0x800))
    case(DROP, "version 5", packet("8.8.8.8", "192.0.2.10", 6, (4000, 80), version=5))
    case(DROP, "a header of four words", packet("8.8.8.8", "192.0.2.10", 6, (4000, 80), words=4))
    case(DROP, "a header that is cut off", frame(ip4("192.0.2.10")[:19], 0x800))
    case(PASS, "IPv6", frame(bytes(40), 0x86DD))
    case(PASS, "ARP", frame(bytes(28), 0x806))


if __name__ == "__main__":
    main()
