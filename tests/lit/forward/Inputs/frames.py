"""A test's frames: lines `in PORT HEX...` and `out PORT HEX...`, blanks as you like, filled with zeros up to 60 octets; a last word
`short` leaves them as they are.

frames.py write TEST PREFIX PORTS     the frames that come in, as pcap files PREFIX-PORT
frames.py compare TEST PREFIX PORTS   whether the pcap files PREFIX-PORT have the frames that go out
"""
import struct, sys


def frames(test, direction, port):
    for line in open(test):
        words = line.split()
        if words[:2] != [direction, str(port)]:
            continue
        short = words[-1] == 'short'
        frame = bytes.fromhex(''.join(words[2:-1] if short else words[2:]))
        yield frame if short else frame.ljust(60, b'\0')


def write(path, list_of_frames):
    with open(path, 'wb') as f:
        f.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for frame in list_of_frames:
            f.write(struct.pack('<IIII', 0, 0, len(frame), len(frame)) + frame)


def read(path):
    data, at = open(path, 'rb').read(), 24
    while at < len(data):
        length = struct.unpack_from('<I', data, at + 8)[0]
        yield data[at + 16:at + 16 + length]
        at += 16 + length


command, test, prefix, ports = sys.argv[1:]
different = False
for port in range(int(ports)):
    path = f'{prefix}-{port}'
    if command == 'write':
        write(path, frames(test, 'in', port))
        continue
    expected, sent = [f.hex() for f in frames(test, 'out', port)], [f.hex() for f in read(path)]
    for i in range(max(len(expected), len(sent))):
        pair = [(list_of_frames[i:i + 1] or ['none'])[0] for list_of_frames in (expected, sent)]
        if pair[0] != pair[1]:
            different = True
            print(f'port {port}, frame {i}:\n  expected {pair[0]}\n  sent     {pair[1]}')
sys.exit(different)
