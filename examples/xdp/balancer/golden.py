#!/usr/bin/python3
"""Prints golden.txt: for each case the verdict, the packet, what it has become, and why. Knows small.txt, RFC 2003, 2473 and 4213, GUE, RFC 9000 and 9369,
how Maglev fills its tables and the hash of connections, and nothing of the program: checksums are summed over all bytes. usage: golden.py >golden.txt"""

import ipaddress
import pathlib
import struct
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent))
from packets import DROP, PASS, TX, case, checksum, connection_hash, frame, ip4, ip6, transport_checksum

RING = 4099
SERVERS = {number: f"10.1.0.{number}" for number in (1, 2, 3, 4)} | {number: f"2001:db8:1::{number}" for number in (5, 6, 7, 8)}
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


SHARED6 = maglev([5, 6])
UNWELL = maglev([5, 6, 7, 8])  # 7 is draining, 8 is down
CLIENT, CLIENT6 = "203.0.113.9", "2001:db8:9::9"


def transport(to, source, protocol, segment, at, summed, fields):
    """A segment inside IP; its checksum at a place, of IPv6 always."""
    source = source or (CLIENT6 if ":" in to else CLIENT)
    if summed or ":" in to and summed is None:
        segment = segment[:at] + struct.pack(">H", transport_checksum(source, to, protocol, segment)) + segment[at + 2:]
    return (ip6 if ":" in to else ip4)(to, source=source, payload=segment, protocol=protocol, **fields)


def tcp(to, ports=(4000, 80), flags=ACK, source=None, payload=b"payload.", summed=None, **fields):
    segment = struct.pack(">HHIIBBHHH", *ports, 1, 1, 0x50, flags, 512, 0, 0)
    return transport(to, source, 6, segment + payload, 16, summed, fields)


def udp(to, ports=(4000, 443), source=None, payload=b"payload.", summed=None, after=b"", **fields):
    segment = struct.pack(">HHHH", *ports, 8 + len(payload), 0) + payload
    return transport(to, source, 17, segment + after, 6, summed, fields)


def outer_udp(source, to, port, packet):
    """GUE of variant 1: the packet follows the UDP header. No checksum over IPv4."""
    head = struct.pack(">HHHH", port, 6080, 8 + len(packet), 0)
    check = transport_checksum(source, to, 17, head + packet) if ":" in to else 0
    return head[:6] + struct.pack(">H", check) + packet


def sent(server, why, packet, flow, tos=0, gue=False, summed=True, padding=b""):
    """What a server gets: flow is source, destination, ports and protocol. summed: the packet has a checksum over all its bytes. padding:
    what the frame has behind the packet, and keeps."""
    whole, to = connection_hash(*flow), SERVERS[server]
    source = "2001:db8:ff::1" if ":" in to else "192.0.2.1"
    inside, protocol = packet, 41 if packet[0] >> 4 == 6 else 4
    if gue:
        inside, protocol = outer_udp(source, to, 49152 + whole // 2**18, packet), 17
        inside = inside if summed else inside[:6] + bytes(2) + inside[8:]
    if ":" in to:
        outer = ip6(to, source=source, kind=tos, label=whole % 2**20, payload=inside, protocol=protocol)
    else:
        outer = ip4(to, source=source, tos=tos, payload=inside, protocol=protocol, number=0)
    case(TX, why, frame(packet + padding, kind_of(packet)),
         frame(outer + padding, kind_of(outer), bytes([2, 0, 0, 0, 0, 2]), bytes([2, 0, 0, 0, 0, 1])))


def kind_of(packet):
    return 0x86DD if packet[0] >> 4 == 6 else 0x800


def same(verdict, why, packet, kind=None):
    case(verdict, why, frame(packet, kind or kind_of(packet)))


def services4():
    """Services of IPv4 with servers of IPv4."""
    for port in range(4000, 4012):
        flow = (CLIENT, "198.51.100.1", (port, 80), 6)
        server = SHARED[connection_hash(*flow) % RING]
        sent(server, f"a connection from port {port} begins", tcp("198.51.100.1", (port, 80), SYN), flow)
        sent(server, "and goes on", tcp("198.51.100.1", (port, 80)), flow)
    flow = (CLIENT, "198.51.100.1", (4000, 443), 17)
    sent(2, "UDP, one server", udp("198.51.100.1"), flow)
    sent(2, "type of service is kept outside", udp("198.51.100.1", tos=0xB8), flow, tos=0xB8)
    sent(2, "do not fragment", udp("198.51.100.1", fragment=0x4000), flow)
    for port in (1, 22, 65535):
        sent(3, f"a service of all ports: {port}", tcp("198.51.100.2", (5000, port), SYN), (CLIENT, "198.51.100.2", (5000, port), 6))
    for port in (5000, 5001):
        flow = ("203.0.113.77", "198.51.100.3", (port, 53), 17)
        sent(SHARED[connection_hash(*flow) % RING], "a service without memory", udp("198.51.100.3", (port, 53), "203.0.113.77"), flow)
    for port in (4000, 4001, 4002):
        flow = (CLIENT, "198.51.100.5", (port, 80), 6)
        server = SHARED[connection_hash(*flow) % RING]
        sent(server, f"inside UDP: a connection from port {port} begins", tcp("198.51.100.5", (port, 80), SYN), flow, gue=True)
        sent(server, "and goes on, from the same outer port", tcp("198.51.100.5", (port, 80), tos=8), flow, tos=8, gue=True)
    server = SHARED[connection_hash(CLIENT, "198.51.100.5", (0, 443), 17) % RING]
    sent(server, "inside UDP, one server for all ports: the outer port is the flow's", udp("198.51.100.5"),
         (CLIENT, "198.51.100.5", (4000, 443), 17), gue=True)


def label_without_sum(flow, server):
    """A flow label with which the outer UDP checksum is 0, and so is written as 0xffff."""
    port = 49152 + connection_hash(*flow) // 2**18
    for label in range(2**16):
        outer = outer_udp("2001:db8:ff::1", SERVERS[server], port, udp(flow[1], flow[2], label=label))
        if outer[6:8] == b"\xff\xff":
            return label
    raise SystemExit("no such label")


def services6():
    """Services or servers of IPv6."""
    web, datagrams, mixed, down = "2001:db8:f::1", "2001:db8:f::1", "198.51.100.6", "2001:db8:f::3"
    for port in (4000, 4001, 4002):
        flow = (CLIENT6, web, (port, 80), 6)
        server = SHARED6[connection_hash(*flow) % RING]
        sent(server, f"IPv6 inside IPv6: a connection from port {port} begins", tcp(web, (port, 80), SYN), flow)
        sent(server, "and goes on, with class and label", tcp(web, (port, 80), kind=0xB8, label=0x12345), flow, tos=0xB8)
    for port in (4000, 4001):
        flow = (CLIENT6, datagrams, (port, 443), 17)
        server = SHARED6[connection_hash(*flow) % RING]
        sent(server, f"UDP of IPv6 inside UDP over IPv6, from port {port}", udp(datagrams, (port, 443)), flow, gue=True)
    label = label_without_sum(flow, server)
    sent(server, "an outer checksum of 0 is written as 0xffff", udp(datagrams, (4001, 443), label=label), flow, gue=True)
    flow = (CLIENT6, datagrams, (4000, 443), 17)
    server = SHARED6[connection_hash(*flow) % RING]
    sent(server, "an odd number of bytes, class, label and hop limit", udp(datagrams, payload=b"odd", kind=0x2E, label=0xFEDCB, limit=7),
         flow, tos=0x2E, gue=True)
    sent(server, "no checksum inside, none outside", udp(datagrams, summed=False), flow, gue=True, summed=False)
    sent(server, "UDP does not fill the packet: no checksum outside", udp(datagrams, after=b"more"), flow, gue=True, summed=False)
    sent(server, "padding behind the packet", udp(datagrams, payload=b"pad"), flow, gue=True, padding=b"\xa5\x5a")
    flow = (CLIENT6, "2001:db8:f::2", (4000, 80), 6)
    server = SHARED6[connection_hash(*flow) % RING]
    sent(server, "TCP of IPv6 inside UDP over IPv6", tcp("2001:db8:f::2", payload=b"seven b"), flow, gue=True)
    flow = (CLIENT, mixed, (4000, 443), 17)
    server = SHARED6[connection_hash(*flow) % RING]
    sent(server, "IPv4 inside UDP over IPv6", udp(mixed, summed=True, payload=b"seven b", tos=4), flow, tos=4, gue=True)
    sent(server, "IPv4 inside UDP over IPv6, no checksum", udp(mixed), flow, gue=True, summed=False)
    flow = (CLIENT, mixed, (4000, 8080), 6)
    sent(SHARED6[connection_hash(*flow) % RING], "TCP of IPv4 inside UDP over IPv6", tcp(mixed, (4000, 8080), summed=True), flow, gue=True)
    flow = (CLIENT6, down, (4000, 22), 6)
    sent(SHARED[connection_hash(*flow) % RING], "IPv6 inside IPv4", tcp(down, (4000, 22), kind=16), flow, tos=16)
    flow = (CLIENT6, down, (4000, 443), 17)
    sent(SHARED[connection_hash(*flow) % RING], "IPv6 inside UDP over IPv4", udp(down), flow, gue=True)


INITIAL, EARLY, HANDSHAKE, RETRY = 0, 1, 2, 3
QUIC_1, QUIC_2 = 1, 0x6B3343CF


def connection_id(configuration, server):
    """In the way of draft-ietf-quic-load-balancers: what comes behind is the server's affair."""
    return bytes([configuration << 5 | 7]) + struct.pack(">H", server) + b"nonce"


def long_header(kind, name, version=QUIC_1):
    """kind: as in version 1; version 2 has the next number for each."""
    first = 0xC0 | (kind + (version == QUIC_2)) % 4 << 4
    return struct.pack(">BIB", first, version, len(name)) + name + b"\0rest"


def short_header(name):
    return b"\x45" + name + b"rest"


def quic4():
    """A service of three servers of IPv4, 1 to 3. What has an id has one of another server than the hash's."""
    to = "198.51.100.7"

    def hashed(port, source=CLIENT):
        return SHARED[connection_hash(source, to, (port, 443), 17) % RING]

    def case_of(server, why, payload, port=4000, source=CLIENT, padding=b""):
        sent(server, "QUIC: " + why, udp(to, (port, 443), source, payload), (source, to, (port, 443), 17), padding=padding)

    chosen = hashed(4000)
    other = chosen % 3 + 1
    name = connection_id(0, other)
    for version, number in ((QUIC_1, 1), (QUIC_2, 2)):
        case_of(chosen, f"version {number}, Initial: by hash, whatever the id", long_header(INITIAL, name, version))
        case_of(chosen, f"version {number}, 0-RTT: by hash", long_header(EARLY, name, version))
        case_of(other, f"version {number}, Handshake: by id", long_header(HANDSHAKE, name, version))
    case_of(chosen, "another version: by hash", long_header(HANDSHAKE, name, 0x1A2A3A4A))
    case_of(chosen, "another version, the number of version 2's Handshake: by hash", long_header(RETRY, name, 0x1A2A3A4A))
    case_of(chosen, "Retry, which no client sends: by hash", long_header(RETRY, name))
    case_of(other, "a short header: by id", short_header(name))
    moved = next(port for port in range(5000, 6000) if hashed(port, "192.0.2.200") != other)
    case_of(other, "the client has moved", short_header(name), moved, "192.0.2.200")
    case_of(other, "the shortest packet with an id", b"\x40" + name[:3])
    case_of(chosen, "one byte too short for an id", b"\x40" + name[:2])
    case_of(other, "the shortest Handshake with an id", long_header(HANDSHAKE, name)[:9])
    case_of(chosen, "one byte too short for a Handshake's id", long_header(HANDSHAKE, name)[:8])
    case_of(chosen, "one byte too short for an id, which the frame's padding has", b"\x40" + name[:2], padding=name[2:3] + bytes(9))
    case_of(chosen, "one byte too short for a Handshake's id, which the padding has", long_header(HANDSHAKE, name)[:8],
            padding=name[2:3] + bytes(9))
    case_of(chosen, "an id of two bytes, and more behind it", long_header(HANDSHAKE, name[:2])[:-5] + name[2:])
    case_of(chosen, "no server's id", short_header(connection_id(0, 999)))
    case_of(chosen, "a configuration that is not known", short_header(connection_id(2, other)))
    case_of(chosen, "no id in it", short_header(connection_id(7, other)))
    case_of(chosen, "the id's server is down", short_header(connection_id(0, 260)))
    third = next(server for server in (1, 2, 3) if server not in (chosen, other))
    id_of = {3: 1, 1: 2, 2: 3}
    case_of(third, "another configuration, other ids", short_header(connection_id(1, id_of[third])))


def quic6():
    """A service of two servers of IPv6, inside UDP."""
    to = "2001:db8:f::1"
    flow = (CLIENT6, to, (4000, 443), 17)
    chosen = SHARED6[connection_hash(*flow) % RING]
    other = 11 - chosen
    name = connection_id(0, {5: 5, 6: 65534}[other])
    sent(chosen, "QUIC over IPv6, Initial: by hash", udp(to, payload=long_header(INITIAL, name)), flow, gue=True)
    sent(other, "QUIC over IPv6, Handshake: by id", udp(to, payload=long_header(HANDSHAKE, name)), flow, gue=True)
    sent(other, "QUIC over IPv6, a short header: by id", udp(to, payload=short_header(name)), flow, gue=True)


def places(flow):
    """Places of the ring that are tried, one after the other."""
    whole = connection_hash(*flow)
    return [(whole + i * (1 + whole // RING % (RING - 1))) % RING for i in range(16)]


def health():
    """A service of four servers, of which two are given new connections; IPv4 inside IPv6."""
    to = "198.51.100.6"

    def flow_of(port):
        return (CLIENT, to, (port, 80), 6)

    def chosen(port):
        return next(UNWELL[place] for place in places(flow_of(port)) if UNWELL[place] < 7)

    seen = set()
    for port in range(4000, 4100):
        first, second = (UNWELL[place] for place in places(flow_of(port))[:2])
        kind = (first, second) if first >= 7 else (first,)
        if kind in seen:
            continue
        seen.add(kind)
        states = {5: "up", 6: "up", 7: "draining", 8: "down"}
        why = "the ring has a server that is " + ", then one that is ".join(states[server] for server in kind)
        sent(chosen(port), why, tcp(to, (port, 80), SYN, tos=4), flow_of(port), tos=4)
        sent(chosen(port), "and it goes on there", tcp(to, (port, 80)), flow_of(port))
    if len(seen) != 10:
        raise SystemExit("some states are not met")
    sent(7, "a connection that is known, of a draining server", tcp(to, (6000, 80)), flow_of(6000))
    sent(chosen(6001), "it begins again: not at the draining server", tcp(to, (6001, 80), SYN), flow_of(6001))
    sent(chosen(6002), "a connection that is known, of a server that is down", tcp(to, (6002, 80)), flow_of(6002))
    for port, server in ((6003, 5), (6004, 6)):
        sent(server, "a connection that is known, whatever the ring has", tcp(to, (port, 80)), flow_of(port))
    quic = "2001:db8:f::1"
    flow = (CLIENT6, quic, (4000, 443), 17)
    sent(7, "QUIC: the id of a draining server", udp(quic, payload=short_header(connection_id(0, 7))), flow, gue=True)
    sent(SHARED6[connection_hash(*flow) % RING], "QUIC: the id of a server that is down",
         udp(quic, payload=short_header(connection_id(0, 8))), flow, gue=True)


def others():
    same(DROP, "its only server is down", tcp("198.51.100.4", flags=SYN))
    same(PASS, "no service at this port", tcp("198.51.100.1", (4000, 81)))
    same(PASS, "no service of this protocol", udp("198.51.100.1", (4000, 80)))
    same(PASS, "no service's address", tcp("198.51.100.9"))
    same(PASS, "ICMP", ip4("198.51.100.1", protocol=1))
    same(PASS, "a first fragment", udp("198.51.100.1", fragment=0x2000))
    same(PASS, "a later fragment", udp("198.51.100.1", fragment=0x0010))
    same(PASS, "options", ip4("198.51.100.1", words=6, options=bytes(4), protocol=6, payload=bytes(20)))
    same(PASS, "ARP", bytes(28), 0x806)
    same(DROP, "version 6 in an IPv4 frame", udp("198.51.100.1", version=6), 0x800)
    same(DROP, "a header of four words", udp("198.51.100.1", words=4))
    same(DROP, "longer than the frame", udp("198.51.100.1", length=60))
    same(DROP, "a TCP header that is cut off", ip4("198.51.100.1", protocol=6, payload=bytes(19)))
    same(DROP, "a UDP header that is cut off", ip4("198.51.100.1", payload=bytes(7)))
    same(DROP, "an IP header that is cut off", udp("198.51.100.1")[:19])
    same(PASS, "IPv6: no service at this port", tcp("2001:db8:f::1", (4000, 81)))
    same(PASS, "IPv6: an address that begins as a service's of IPv4", tcp("c633:6401::"))
    same(PASS, "IPv6: a neighbour solicitation", ip6("2001:db8:f::1", protocol=58, limit=255, payload=bytes([135]) + bytes(23)))
    same(PASS, "IPv6: a fragment", ip6("2001:db8:f::1", protocol=44, payload=bytes([6, 0, 0, 1]) + bytes(24)))
    same(PASS, "IPv6: options before TCP", ip6("2001:db8:f::1", protocol=0, payload=bytes([6, 0, 1, 4]) + bytes(24)))
    same(DROP, "version 4 in an IPv6 frame", tcp("2001:db8:f::1", version=4), 0x86DD)
    same(DROP, "IPv6: longer than the frame", tcp("2001:db8:f::1", length=29))
    same(DROP, "IPv6: a TCP header that is cut off", ip6("2001:db8:f::1", protocol=6, payload=bytes(19)))
    same(DROP, "IPv6: a UDP header that is cut off", ip6("2001:db8:f::1", payload=bytes(7)))
    same(DROP, "IPv6: an IP header that is cut off", tcp("2001:db8:f::1")[:39])


def main():
    services4()
    services6()
    quic4()
    quic6()
    health()
    others()


if __name__ == "__main__":
    main()
