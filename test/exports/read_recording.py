"""Reads a tprof-top recording by docs/formats.md alone, and prints a line of JSON for each window: when it ends, and the
CPU time and ticks that each method on top of a stack had in it."""
import json
import struct
import sys
import zlib

HEAD = struct.Struct('<IIIIdddddI')
SIGNATURE = b'\n.tprof\n'


class Numbers:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self):
        value = self.number()
        return value // 2 if value % 2 == 0 else -(value + 1) // 2

    def exact(self):
        value = self.number()
        return value // 2 if value != 1 else struct.unpack('<d', self.bytes(8))[0]

    def bytes(self, length):
        self.at += length
        return self.data[self.at - length:self.at]

    def byteString(self):
        return self.bytes(self.number())


def blocks(data):
    at = data.index(b'\n') + 1
    while at + len(SIGNATURE) + HEAD.size <= len(data):
        kind, size, _, number, *figures, crc = HEAD.unpack_from(data, at + len(SIGNATURE))
        body = at + len(SIGNATURE) + HEAD.size
        if not data.startswith(SIGNATURE, at) or zlib.crc32(data[body:at + size], zlib.crc32(data[at:body - 4])) != crc:
            at = data.find(SIGNATURE, at + 1)
            if at < 0:
                return
            continue
        yield kind, number, figures, zlib.decompress(data[body:at + size], -15)
        at += size


def read_names(names, strings, frames, nodes):
    for known, read in (
        (strings, lambda: names.byteString().decode()),
        (frames, lambda: (names.number(), names.number(), names.number(), names.signed())),
        (nodes, lambda: (names.number(), names.number())),
    ):
        first, count = names.number(), names.number()
        for index in range(first, first + count):
            entry = read()
            if index == len(known):
                known.append(entry)


def read_changes(numbers, columns):
    """The changes of each column of numbers, by row."""
    for region, names in columns.items():
        for name in names:
            row, changes = -1, {}
            while gap := numbers.number():
                row += gap
                changes[row] = numbers.signed()
            yield region, name, changes


def main(file):
    with open(file, 'rb') as opened:
        data = opened.read()
    assert data.startswith(b'tprof-top recording 1\n')
    about, strings, frames, nodes, counters = None, [], [], [], {}
    for kind, number, figures, content in blocks(data):
        if kind == 0 and about:
            continue
        if kind == 0:
            about = json.loads(content)
            counters = {name: {} for name in about['columns']['counters']}
            continue
        numbers = Numbers(content)
        read_names(Numbers(numbers.byteString()), strings, frames, nodes)
        beside = json.loads(numbers.byteString())
        traces, tasks = numbers.byteString(), numbers.byteString()
        session = {name: numbers.exact() for name in about['figures']}
        counts = [numbers.number() for _ in range(4)]
        if kind == 2:
            # An index stands for itself; where no window is before it, it is what counters begin with.
            counters = {name: {} for name in about['columns']['counters']}
        grown = {}
        for region, name, changes in read_changes(numbers, about['columns']):
            if region == 'counters':
                for row, change in changes.items():
                    counters[name][row] = counters[name].get(row, 0) + change
                grown[name] = changes
        if kind == 2:
            continue
        methods = {}
        for row in {*grown['cpuNs'], *grown['ticks']}:
            frame = frames[nodes[counters['node'].get(row, 0)][1]]
            method = methods.setdefault(f'{strings[frame[0]]}.{strings[frame[1]]}', [0, 0])
            method[0] += grown['cpuNs'].get(row, 0)
            method[1] += grown['ticks'].get(row, 0)
        print(json.dumps({'atMs': figures[0], 'samples': session['samples'], 'counts': counts, 'vitals': beside['vitals'], 'methods': methods}))


main(sys.argv[1])
