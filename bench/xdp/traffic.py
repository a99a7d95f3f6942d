#!/usr/bin/python3
"""Tables and traces for the examples of examples/xdp. usage: traffic.py PROGRAM LOCALITY FOLDER [PHASES]

LOCALITY is beta of a Pareto distribution with alpha 1, as ClassBench's trace generator has it and Morpheus's paper uses it: each flow is
sent ceil(beta / x) times, x drawn evenly from (0, 1]. 0: every flow once; 0.0001: nearly so; 1: few flows are most of the
packets. Flows are drawn for the tables, and their packets mixed. The same arguments give the same files: FOLDER/tables and
FOLDER/trace (a packet of 64 bytes a line, in hex). LOCALITY `mix`: real packets in their order, the first 64 bytes of each, from HEDDLE_DATA's
traffic-mix.pcap.zst; the router gets routes to their networks besides, the switch their stations. PHASES: so many traces for the same tables, each with flows of its own: FOLDER/trace, FOLDER/trace1, ..."""

import ipaddress
import math
import os
import random
import struct
import subprocess
import sys

PACKETS = 16384


def checksum(header):
    total = sum(struct.unpack(f">{len(header) // 2}H", header))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def ip4_frame(source, to, protocol, payload):
    head = struct.pack(">BBHHHBBH", 0x45, 0, 50, 7, 0, 64, protocol, 0) + struct.pack(">II", source, to)
    head = head[:10] + struct.pack(">H", checksum(head)) + head[12:]
    ethernet = bytes([2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 9, 9]) + struct.pack(">H", 0x800)
    return (ethernet + head + payload).ljust(64, b"\0")


def udp_frame(source, to, ports=(1234, 80)):
    return ip4_frame(source, to, 17, struct.pack(">HHHH", *ports, 30, 0))


def tcp_frame(source, to, ports):
    return ip4_frame(source, to, 6, struct.pack(">HHIIBBHHH", *ports, 1, 1, 0x50, 16, 512, 0, 0))


# How long the prefixes of a backbone's routes are, in percent, roughly.
LENGTHS = {8: 1, 12: 1, 14: 1, 16: 8, 18: 3, 19: 5, 20: 7, 21: 6, 22: 10, 23: 8, 24: 48, 28: 1, 32: 1}


def router(rng, routes=2000, hops=64):
    """Routes of all lengths, and packets to hosts in them."""
    tables = ["own4 10.0.0.1"] + [f"hop {hop} 0" for hop in range(1, hops + 1)]
    prefixes = {}
    while len(prefixes) < routes:
        bits = rng.choices(list(LENGTHS), LENGTHS.values())[0]
        address = rng.randrange(11 << 24, 127 << 24) >> (32 - bits) << (32 - bits)
        prefixes[address, bits] = rng.randint(1, hops)
    tables += [f"route {ipaddress.IPv4Address(address)}/{bits} {hop}" for (address, bits), hop in prefixes.items()]

    def flow():
        address, bits = rng.choice(list(prefixes))
        return udp_frame(rng.randrange(128 << 24, 200 << 24), address | rng.randrange(1 << (32 - bits)))

    return tables, flow


def balancer(rng, services=10, servers=100):
    """TCP connections from anywhere to ten services."""
    tables = ["uplink 192.0.2.1"]
    tables += [f"server {number} 10.1.{number // 250}.{number % 250 + 1} 1" for number in range(1, services * servers + 1)]
    addresses = [(198 << 24 | 51 << 16 | 100 << 8) + number for number in range(services)]
    tables += [f"service {number} {ipaddress.IPv4Address(address)} 80 6 0 {number * servers + 1} {servers}"
               for number, address in enumerate(addresses)]

    def flow():
        return tcp_frame(rng.randrange(11 << 24, 127 << 24), rng.choice(addresses), (rng.randrange(1024, 65536), 80))

    return tables, flow


def firewall(rng, rules=500):
    """Rules as ClassBench's seeds for access lists have them, roughly: prefixes of all lengths, mostly TCP to one port, few to all."""
    def prefix(lengths):
        bits = rng.choice(lengths)
        return (rng.randrange(11 << 24, 127 << 24) >> (32 - bits) << (32 - bits)) if bits else 0, bits

    made = []
    for _ in range(rules):
        protocol = rng.choices([6, 17, -1], [75, 20, 5])[0]
        port = -1 if protocol == -1 else rng.choices([rng.randrange(1, 1024), rng.randrange(1024, 65536), -1], [6, 3, 1])[0]
        made.append((prefix([0, 0, 16, 24, 32]), prefix([24, 28, 32]), protocol, -1, port, rng.choice([1, 3])))
    tables = ["policy 1"]
    for (source, source_bits), (to, to_bits), protocol, first, second, verdict in made:
        tables.append(f"rule {ipaddress.IPv4Address(source)}/{source_bits} {ipaddress.IPv4Address(to)}/{to_bits} "
                      f"{protocol} {first} {second} {verdict}")

    def flow():
        (source, source_bits), (to, to_bits), protocol, _, port, _ = rng.choice(made)
        source |= rng.randrange(1 << (32 - source_bits)) or 1
        to |= rng.randrange(1 << (32 - to_bits))
        ports = (rng.randrange(1024, 65536), port if port != -1 else rng.randrange(1, 65536))
        return (udp_frame if protocol == 17 else tcp_frame)(source, to, ports)

    return tables + ["end"], flow


def nat(rng):
    """Connections from inside to anywhere; all but the first packet of each find theirs."""
    tables = ["inside 10.0.0.0/8", "address 192.0.2.1", "service 80 6 10.0.0.80 8080", "service 443 6 10.0.0.80 8443", "ready"]

    def flow():
        return tcp_frame(rng.randrange(10 << 24, 11 << 24), rng.randrange(11 << 24, 127 << 24), (rng.randrange(1024, 65536), 443))

    return tables, flow


def switch(rng, others=4, stations=4000):
    """Stations on four ports, one VLAN without tags; frames come from interface 1, as test runs' packets do."""
    tables = ["port 1 10 0"] + [f"port {port} 10 0" for port in range(2, 2 + others)]
    addresses = [rng.randrange(1 << 32) for _ in range(stations)]

    def mac(number):
        return bytes([2, 1]) + struct.pack(">I", number)

    for address in addresses:
        tables.append(f"station {mac(address).hex(':')} 10 {rng.randrange(2, 2 + others)}")
    senders = [rng.randrange(1 << 32) for _ in range(stations)]

    def flow():
        return (mac(rng.choice(addresses)) + mac(rng.choice(senders)) + struct.pack(">H", 0x88B5)).ljust(64, b"\0")

    return tables, flow


def chain(rng, blocked=200, services=100, routes=2000, hops=64):
    """TCP connections to open services behind routes, from sources that are not blocked."""
    tables = [f"blocked 203.{number}.0.0/16" for number in range(blocked)]
    ports = rng.sample(range(1, 10000), services)
    tables += [f"service {port} 6 1" for port in ports] + [f"hop {hop}" for hop in range(1, hops + 1)]
    more, route = router(rng, routes, hops)
    tables += [line for line in more if line.startswith("route")]

    def flow():
        frame = route()
        to, = struct.unpack(">I", frame[30:34])
        return tcp_frame(rng.randrange(128 << 24, 200 << 24), to, (rng.randrange(1024, 65536), rng.choice(ports)))

    return tables, flow


PROGRAMS = {"chain": chain, "router": router, "balancer": balancer, "firewall": firewall, "nat": nat, "switch": switch}


def mix():
    """The first packets of the mix, cut or filled up to 64 bytes."""
    path = os.path.join(os.environ.get("HEDDLE_DATA", "../shared/data"), "traffic-mix.pcap.zst")
    packets = []
    with subprocess.Popen(["zstd", "-dc", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        process.stdout.read(24)  # the file's header: little-endian, Ethernet
        while len(packets) < PACKETS and (head := process.stdout.read(16)):
            packets.append(process.stdout.read(struct.unpack("<8xII", head)[0])[:64].ljust(64, b"\0"))
        process.kill()
    if len(packets) < PACKETS:
        sys.exit(f"traffic.py: {path} has {len(packets)} packets: set HEDDLE_DATA to the folder with traffic-mix.pcap.zst")
    return packets


def for_mix(program, tables, packets, rng):
    """What the tables have to know of these packets beside what they have."""
    more = set()
    for packet in packets:
        if program == "router" and packet[12:14] == b"\x08\0":
            more.add(f"{ipaddress.IPv4Address(packet[30:33] + bytes(1))}/24")
        elif program == "switch" and not packet[0] & 1:
            more.add(packet[:6].hex(":"))
    if program == "router":
        known = {line.split()[1] for line in tables if line.startswith("route")}
        return [f"route {prefix} {rng.randint(1, 64)}" for prefix in sorted(more - known)]
    return [f"station {address} 10 {rng.randrange(2, 6)}" for address in sorted(more)]


def main():
    program, locality, folder = sys.argv[1:4]
    rng = random.Random(1)
    tables, flow = PROGRAMS[program](rng)
    packets = mix() if locality == "mix" else []
    if program in ("router", "switch"):
        tables += for_mix(program, tables, packets, rng)
    if packets:
        with open(f"{folder}/tables", "w") as file:
            file.writelines(line + "\n" for line in tables)
        with open(f"{folder}/trace", "w") as file:
            file.writelines(packet.hex() + "\n" for packet in packets)
        return
    beta = float(locality)
    with open(f"{folder}/tables", "w") as file:
        file.writelines(line + "\n" for line in tables)
    for phase in range(int(sys.argv[4]) if len(sys.argv) > 4 else 1):
        trace = []
        while len(trace) < PACKETS:
            times = max(1, math.ceil(beta / (1 - rng.random())))
            trace += [flow()] * min(times, PACKETS // 4)
        trace = trace[:PACKETS]
        rng.shuffle(trace)
        with open(f"{folder}/trace{phase or ''}", "w") as file:
            file.writelines(packet.hex() + "\n" for packet in trace)


if __name__ == "__main__":
    main()
