#!/usr/bin/python3
"""Prints golden.txt: for each case the verdict, the packet, what it has become, and why. Knows small.txt and 802.1Q, and nothing of the
program. Test packets come from interface 1. usage: golden.py >golden.txt"""

import pathlib
import struct
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent))
from packets import DROP, PASS, REDIRECT, case

ME = bytes([2, 0, 0, 0, 0, 9])


def station(number):
    return bytes([2, 0, 0, 0, 0, number])


def ethernet(to, source=ME, vlan=None, priority=0, body=b"payload." * 6):
    tag = b"" if vlan is None else struct.pack(">HH", 0x8100, priority << 13 | vlan)
    return to + source + tag + struct.pack(">H", 0x88B5) + body


def main():
    case(REDIRECT, "a port of the same VLAN", ethernet(station(2)))
    case(REDIRECT, "a port where the VLAN has a tag", ethernet(station(3)), ethernet(station(3), vlan=10))
    case(REDIRECT, "a port where every frame has one", ethernet(station(4)), ethernet(station(4), vlan=10))
    case(REDIRECT, "a tag that is not needed there", ethernet(station(2), vlan=10), ethernet(station(2)))
    case(REDIRECT, "a tag that is kept", ethernet(station(4), vlan=10), ethernet(station(4), vlan=10))
    case(REDIRECT, "with its priority", ethernet(station(4), vlan=10, priority=5), ethernet(station(4), vlan=10, priority=5))
    case(PASS, "a station of another VLAN is not known in this", ethernet(station(5)))
    case(DROP, "a VLAN that the port does not let in", ethernet(station(5), vlan=20))
    case(DROP, "a station on a port that is none", ethernet(station(6)))
    case(DROP, "a station on the port it comes from", ethernet(station(7)))
    case(PASS, "a station that is not known", ethernet(station(77)))
    case(PASS, "to all", ethernet(bytes([255] * 6)))
    case(PASS, "to a group", ethernet(bytes([1, 0, 0x5E, 0, 0, 1])))
    case(DROP, "from a group", ethernet(station(2), source=bytes([3, 0, 0, 0, 0, 1])))
    case(DROP, "VLAN 0", ethernet(station(2), vlan=0))
    case(DROP, "VLAN 4095", ethernet(station(2), vlan=4095))
    case(PASS, "the sender is still to be known", ethernet(station(8), source=station(88)))
    case(DROP, "and is, on this port", ethernet(station(88)))
    case(DROP, "a tag that is cut off", station(2) + ME + b"\x81\0\0")
    case(REDIRECT, "a station moves here", ethernet(station(3), source=station(9)), ethernet(station(3), source=station(9), vlan=10))
    case(DROP, "and is no longer there", ethernet(station(9)))


if __name__ == "__main__":
    main()
