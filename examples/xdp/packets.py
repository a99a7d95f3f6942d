"""Packets for golden tests: what the RFCs say, and nothing of any program."""

import ipaddress
import struct

DROP, PASS, TX, REDIRECT = 1, 2, 3, 4
ABORTED = 0


def checksum(header):
    total = sum(struct.unpack(f">{len(header) // 2}H", header))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def ip4(to, source="192.0.2.9", ttl=64, version=4, words=5, length=None, bad=0, options=b"", payload=b"payload.",
        protocol=17, number=7, fragment=0, tos=0):
    size = 20 + len(options) + len(payload) if length is None else length
    head = struct.pack(">BBHHHBBH", version << 4 | words, tos, size, number, fragment, ttl, protocol, 0)
    head += ipaddress.IPv4Address(source).packed + ipaddress.IPv4Address(to).packed + options
    return head[:10] + struct.pack(">H", checksum(head) ^ bad) + head[12:] + payload


def ip6(to, source="2001:db8:9::9", limit=64, version=6, kind=0, label=0, length=None, payload=b"payload.", protocol=17):
    """kind: the traffic class."""
    head = struct.pack(">IHBB", version << 28 | kind << 20 | label, len(payload) if length is None else length, protocol, limit)
    return head + ipaddress.IPv6Address(source).packed + ipaddress.IPv6Address(to).packed + payload


def pseudo_header(source, to, protocol, length):
    addresses = ipaddress.ip_address(source).packed + ipaddress.ip_address(to).packed
    return addresses + (struct.pack(">IHBB", length, 0, 0, protocol) if ":" in to else struct.pack(">BBH", 0, protocol, length))


def transport_checksum(source, to, protocol, segment):
    """Of TCP or UDP, over all bytes; the segment's own is zero. UDP writes zero as 0xffff."""
    whole = pseudo_header(source, to, protocol, len(segment)) + segment
    return checksum(whole + bytes(len(whole) % 2)) or (0xFFFF if protocol == 17 else 0)


def frame(body, kind, to=bytes([2, 0, 0, 0, 0, 9]), source=bytes([2, 0, 0, 0, 9, 9])):
    return to + source + struct.pack(">H", kind) + body


def case(verdict, why, before, after=None):
    print(verdict, before.hex(), (before if after is None else after).hex(), "#", why)


def little(data):
    return int.from_bytes(data, "little")


def words(address):
    """An address, as a little-endian machine sees its words of 32 bits."""
    packed = ipaddress.ip_address(address).packed
    return [little(packed[i:i + 4]) for i in range(0, len(packed), 4)]


def connection_hash(source, to, ports, protocol):
    """The finalizer of MurmurHash3 over a connection, as a little-endian machine sees its fields; of IPv6, word by word of the addresses."""
    mask = 2**64 - 1
    sources, tos = (words(address) for address in (source, to))
    near, far = (little(struct.pack(">H", port)) for port in ports)
    h = sources[0] << 32 | tos[0]
    h ^= (near << 24 | far << 8 | protocol) * 0x9E3779B97F4A7C15 & mask
    for first, second in zip(sources[1:], tos[1:]):
        h = (h ^ h >> 33) * 0xFF51AFD7ED558CCD & mask ^ (first << 32 | second)
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        h ^= h >> 33
        h = h * factor & mask
    return (h ^ h >> 33) & 0xFFFFFFFF
