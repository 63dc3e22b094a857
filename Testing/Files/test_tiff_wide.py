"""TIFF with integers of 33 to 63 bits, made by hand beside numpy: both byte orders, in strips, tiles and planes."""

import itertools
import struct
import unittest
import zlib

from files import FilesTest, np

RANDOM = np.random.default_rng(3)
WIDTH, HEIGHT = 21, 19
TILE = 16
NONE, LZW, DEFLATE = 1, 5, 8


def numbers(bits, is_signed, shape):
    """Random numbers over all of the range, its ends among them."""
    low, high = (-2**(bits - 1), 2**(bits - 1) - 1) if is_signed else (0, 2**bits - 1)
    kind = np.int64 if is_signed else np.uint64
    image = RANDOM.integers(low, high, shape, dtype=kind, endpoint=True)
    image.flat[:4] = low, high, high // 3, 1
    return image


def packed(image, bits, order):
    """The lowest bytes of each number in the byte order of the file."""
    size = bits // 8
    as_bytes = image.astype(image.dtype.newbyteorder(order)).tobytes()
    each = np.frombuffer(as_bytes, np.uint8).reshape(*image.shape, 8)
    return (each[..., :size] if order == "<" else each[..., 8 - size:]).tobytes()


def tiff(order, sizes, blocks, more):
    """The bytes of a file of one page whose strips or tiles are `blocks`."""
    width, height, bits, form, samples = sizes
    is_tiled = 322 in more
    tags = {256: (4, [width]), 257: (4, [height]), 258: (3, [bits] * samples), 259: (3, [NONE]), 262: (3, [1]),
            277: (3, [samples]), 339: (3, [form] * samples)}
    if samples > 1:
        tags[338] = (3, [0] * (samples - 1))
    tags.update({tag: (3, [value]) for tag, value in more.items()})
    body, places = b"", []
    for block in blocks:
        places.append(8 + len(body))
        body += block + bytes(len(block) % 2)
    tags[324 if is_tiled else 273] = (4, places)
    tags[325 if is_tiled else 279] = (4, [len(block) for block in blocks])
    directory = struct.pack(order + "H", len(tags))
    for tag, (kind, content) in sorted(tags.items()):
        stored = struct.pack(order + ("H" if kind == 3 else "I") * len(content), *content)
        if len(stored) > 4:
            place = 8 + len(body)
            body += stored
            stored = struct.pack(order + "I", place)
        directory += struct.pack(order + "HHI", tag, kind, len(content)) + stored.ljust(4, b"\0")
    mark = b"II*\0" if order == "<" else b"MM\0*"
    return mark + struct.pack(order + "I", 8 + len(body)) + body + directory + bytes(4)


def strips_of(image, bits, order, rows):
    return [packed(image[y:y + rows], bits, order) for y in range(0, HEIGHT, rows)]


def tiles_of(image, bits, order):
    padding = [(0, -HEIGHT % TILE), (0, -WIDTH % TILE)] + [(0, 0)] * (image.ndim - 2)
    whole = np.pad(image, padding)
    return [packed(whole[y:y + TILE, x:x + TILE], bits, order)
            for y in range(0, HEIGHT, TILE) for x in range(0, WIDTH, TILE)]


class WideIntegers(FilesTest):
    def save(self, data):
        with open(self.path("wide.tif"), "wb") as stream:
            stream.write(data)
        return self.path("wide.tif")

    def expect(self, image, data):
        ours = self.read(self.save(data))
        self.assertEqual(ours.type, image.dtype.name)
        np.testing.assert_array_equal(ours.voxels, image)
        return ours

    def test_strips_tiles_and_planes_in_both_byte_orders(self):
        layouts = ("strips", "tiles")
        for bits, is_signed, order, layout, samples, is_planar, compression in itertools.product(
                (40, 48, 56), (False, True), "<>", layouts, (1, 2), (False, True), (NONE, DEFLATE)):
            if is_planar and samples == 1:
                continue
            with self.subTest(bits=bits, signed=is_signed, order=order, layout=layout, samples=samples,
                              planar=is_planar, compression=compression):
                image = numbers(bits, is_signed, (HEIGHT, WIDTH) + ((samples,) if samples > 1 else ()))
                more = {259: compression, 284: 2 if is_planar else 1}
                more.update({278: 8} if layout == "strips" else {322: TILE, 323: TILE})
                blocks = []
                for plane in [image[..., c] for c in range(samples)] if is_planar else [image]:
                    blocks += strips_of(plane, bits, order, 8) if layout == "strips" else tiles_of(plane, bits, order)
                if compression == DEFLATE:
                    blocks = [zlib.compress(block) for block in blocks]
                self.expect(image, tiff(order, (WIDTH, HEIGHT, bits, 2 if is_signed else 1, samples), blocks, more))

    def test_bits_in_reverse_order(self):
        reverse = bytes(int(format(byte, "08b")[::-1], 2) for byte in range(256))
        for order in "<>":
            image = numbers(48, True, (HEIGHT, WIDTH))
            blocks = [block.translate(reverse) for block in strips_of(image, 48, order, HEIGHT)]
            self.expect(image, tiff(order, (WIDTH, HEIGHT, 48, 2, 1), blocks, {266: 2, 278: HEIGHT}))

    def test_the_order_of_bytes_is_told_where_readers_may_differ(self):
        image = numbers(40, False, (HEIGHT, WIDTH))
        for order, notes in ("<", 1), (">", 0):
            blocks = strips_of(image, 40, order, HEIGHT)
            ours = self.expect(image, tiff(order, (WIDTH, HEIGHT, 40, 1, 1), blocks, {278: HEIGHT}))
            self.assertEqual(sum("lowest byte" in note for note in ours.notes), notes)

    def test_a_strip_that_is_cut_is_an_error(self):
        for order in "<>":
            blocks = strips_of(numbers(56, False, (HEIGHT, WIDTH)), 56, order, HEIGHT)
            blocks[0] = blocks[0][:-7]
            data = tiff(order, (WIDTH, HEIGHT, 56, 1, 1), blocks, {278: HEIGHT})
            self.refuses(self.save(data), saying="the file is damaged")

    def test_differences_are_refused(self):
        blocks = [zlib.compress(block) for block in strips_of(numbers(40, False, (HEIGHT, WIDTH)), 40, "<", HEIGHT)]
        data = tiff("<", (WIDTH, HEIGHT, 40, 1, 1), blocks, {259: DEFLATE, 278: HEIGHT, 317: 2})
        self.refuses(self.save(data), saying="40 bits are differences (predictor 2)")

    def test_floats_of_24_bits_are_refused(self):
        blocks = [bytes(3 * WIDTH * HEIGHT)]
        data = tiff("<", (WIDTH, HEIGHT, 24, 3, 1), blocks, {278: HEIGHT})
        self.refuses(self.save(data), saying=("24 bits", "floating-point numbers of 16, 32 and 64 bits are read"))


if __name__ == "__main__":
    unittest.main()
