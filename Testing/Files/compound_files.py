# SPDX-License-Identifier: Apache-2.0
"""Writes compound files (OLE 2) byte by byte."""

import struct

END, FREE = 0xFFFFFFFE, 0xFFFFFFFF


def compound(streams, size=512):
    """A compound file of streams by their paths; the sectors of each are in reverse order."""
    sectors, following = [], []

    def put(data):
        parts = [data[i:i + size].ljust(size, b"\0") for i in range(0, len(data), size)]
        first = len(sectors)
        sectors.extend(parts[::-1])
        following.extend([END] * bool(parts) + list(range(first, len(sectors) - 1)))
        return len(sectors) - 1 if parts else END

    small, units = b"", []
    entries = [["Root Entry", 5, FREE, 0, 0]]
    folders = {}
    for path, data in streams.items():
        folder, name = path.split("/")
        if len(data) < 4096:
            start = len(small) // 64
            small += data + bytes(-len(data) % 64)
            units += list(range(start + 1, len(small) // 64)) + [END]
        else:
            start = put(data)
        folders.setdefault(folder, []).append(len(entries))
        entries.append([name, 2, FREE, start, len(data)])

    links = {}

    def tree(numbers):
        if not numbers:
            return FREE
        numbers = sorted(numbers, key=lambda number: (len(entries[number][0]), entries[number][0].upper()))
        middle = len(numbers) // 2
        links[numbers[middle]] = tree(numbers[:middle]), tree(numbers[middle + 1:])
        return numbers[middle]

    tops = []
    for folder, numbers in folders.items():
        tops.append(len(entries))
        entries.append([folder, 1, tree(numbers), 0, 0])
    entries[0][2:] = tree(tops), put(small), len(small)
    directory = b"".join((name + "\0").encode("utf-16le").ljust(64, b"\0") +
                         struct.pack("<HBBIII36xIQ", 2 * len(name) + 2, kind, 1, *links.get(number, (FREE, FREE)), child, start, length)
                         for number, (name, kind, child, start, length) in enumerate(entries))
    at_directory, at_units = put(directory), put(struct.pack("<%dI" % len(units), *units))
    count, more = 1, 0
    while (len(sectors) + count + more) * 4 > count * size:
        count += 1
        more = -(-max(0, count - 109) // (size // 4 - 1))
    tables = list(range(len(sectors), len(sectors) + count))
    following += [0xFFFFFFFD] * count + [0xFFFFFFFC] * more
    following += [FREE] * (count * size // 4 - len(following))
    first = len(sectors) + count
    others = [tables[109:][i:i + size // 4 - 1] for i in range(0, len(tables[109:]), size // 4 - 1)]
    lists = [struct.pack("<%dI" % (size // 4), *part, *[FREE] * (size // 4 - 1 - len(part)), first + i + 1 if i + 1 < more else END)
             for i, part in enumerate(others)]
    head = bytes.fromhex("D0CF11E0A1B11AE1") + bytes(16) + struct.pack(
        "<5H6x9I", 0x3E, 3 if size == 512 else 4, 0xFFFE, 9 if size == 512 else 12, 6, 0 if size == 512 else 1, count, at_directory, 0,
        4096, at_units, -(-4 * len(units) // size), first if more else END, more)
    head += struct.pack("<109I", *(tables + [FREE] * 109)[:109])
    return head.ljust(size, b"\0") + b"".join(sectors) + struct.pack("<%dI" % len(following), *following) + b"".join(lists)
