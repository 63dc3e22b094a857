# SPDX-License-Identifier: Apache-2.0
"""What `brickccl render` draws: surfaces by VTK, slices, montages and projections."""

import colorsys
import functools
import json
import math
import os
import shutil
import subprocess
import time
import unittest

from support import COMMAND, CommandTest, read_png, run, write_nrrd

# The direction towards the eye of pictures of surfaces.
TO_EYE = [value / math.sqrt(0.45 ** 2 + 0.8 ** 2 + 0.42 ** 2) for value in (0.45, -0.8, 0.42)]
GROUND = (24, 26, 30)


def box_map(size, boxes):
    """A label map of boxes, each (label, low, high) with high left out."""
    values = [0] * (size[0] * size[1] * size[2])
    for label, low, high in boxes:
        for z in range(low[2], high[2]):
            for y in range(low[1], high[1]):
                begin = (z * size[1] + y) * size[0]
                values[begin + low[0]:begin + high[0]] = [label] * (high[0] - low[0])
    return values


# A picture has a million pixels, and few colors.
@functools.lru_cache(maxsize=None)
def hue_and_saturation(pixel):
    hue, _, saturation = colorsys.rgb_to_hls(*(value / 255 for value in pixel))
    return hue, saturation if max(pixel) - min(pixel) > 12 else 0


class RenderTest(CommandTest):
    def draw(self, *arguments):
        """Draws and returns the summary and the rows of pixels."""
        result = self.ok("render", *arguments, "-o", self.path("p.png"), "--json")
        self.assertEqual(result.stderr, "")
        return json.loads(result.stdout), read_png(self.path("p.png"))

    def scene(self, rows, summary):
        """The pixels of the scene alone, without the key at the right and the axes below it."""
        width = summary["scene"][0]
        return [row[16:16 + width] for row in rows[16:16 + summary["scene"][1]]]

    def write(self, size, boxes, spacing=(1, 1, 1), kind="uint8", name="l.nrrd"):
        write_nrrd(self.path(name), kind, size, box_map(size, boxes), spacing)
        return self.path(name)


class SurfaceTest(RenderTest):
    def test_a_box_has_the_area_that_it_has(self):
        for spacing, direction in (((1, 1, 1), None), ((0.5, 1, 2), None), ((1, 1, 1), "(-1,0,0) (0,1,0) (0,0,1)"),
                                   ((1, 1, 1), "(0,1,0) (0,0,1) (1,0,0)")):
            path = self.write((60, 64, 56), [(1, (6, 8, 4), (54, 56, 52))], spacing)
            if direction:
                with open(path, "rb") as stream:
                    content = stream.read()
                with open(path, "wb") as stream:
                    stream.write(content.replace(b"(1,0,0) (0,1,0) (0,0,1)", direction.encode()))
            summary, (width, height, rows) = self.draw(path, "--style", "surface", "--size", "640x480")
            self.assertEqual((width, height), (640, 480))
            scene = self.scene(rows, summary)
            seen = sum(pixel != GROUND for row in scene for pixel in row) * summary["pixel_size_mm"] ** 2
            sides = [48 * step for step in spacing]
            expected = sum(abs(TO_EYE[i]) * sides[i - 1] * sides[i - 2] for i in range(3))
            # Edges are rounded within half a voxel.
            self.assertLess(abs(seen / expected - 1), 0.03, (spacing, direction))
            self.assertGreater(summary["triangles"], 1000)

    def test_what_is_in_front_hides_what_is_behind(self):
        # The eye is at -y.
        path = self.write((30, 40, 30), [(1, (5, 30, 5), (9, 34, 9)), (2, (2, 2, 2), (28, 20, 28)), (3, (24, 30, 24), (28, 36, 29))])
        summary, (_, _, rows) = self.draw(path, "--style", "surface", "--size", "640x480")
        hues = [hue_and_saturation(pixel) for row in self.scene(rows, summary) for pixel in row]
        shown = sum(saturation > 0.3 for _, saturation in hues)
        largest = sum(saturation > 0.3 and (hue - 0.57) ** 2 < 0.003 for hue, saturation in hues)
        self.assertGreater(largest / shown, 0.9)
        alone, (_, _, rows) = self.draw(path, "--style", "surface", "--labels", "1,3", "--size", "640x480")
        self.assertEqual(alone["components"], 2)
        self.assertFalse([1 for row in self.scene(rows, alone) for pixel in row
                          if (hue_and_saturation(pixel)[0] - 0.57) ** 2 < 0.003 and hue_and_saturation(pixel)[1] > 0.3])

    def test_colors_by_a_column(self):
        path = self.write((60, 30, 30), [(1, (4, 10, 10), (8, 14, 14)), (7, (20, 5, 5), (40, 25, 25)), (9, (50, 10, 10), (54, 14, 14))])
        for column in ("volume_mm3", "voxel_count"):
            summary, (_, _, rows) = self.draw(path, "--style", "surface", "--color-by", column, "--size", "640x480")
            hues = [hue for hue, saturation in (hue_and_saturation(pixel) for row in self.scene(rows, summary) for pixel in row)
                    if saturation > 0.3]
            yellow, blue = sum(0.1 < hue < 0.2 for hue in hues), sum(0.6 < hue < 0.75 for hue in hues)
            self.assertGreater(yellow, 10 * blue)
            self.assertGreater(blue, 100)
            self.assertGreater(yellow + blue, 0.98 * len(hues))

    def test_colors_by_a_column_in_another_unit(self):
        write_nrrd(self.path("l.nrrd"), "uint8", (8, 8, 8), box_map((8, 8, 8), [(1, (1, 1, 1), (3, 3, 3)), (2, (4, 4, 4), (7, 7, 7))]))
        pictures = [self.draw(self.path("l.nrrd"), "--style", "slices", "--color-by", "volume_%s3" % unit)[1][2] for unit in ("mm", "um")]
        # The legends differ, the slices do not.
        self.assertNotEqual(pictures[0], pictures[1])
        self.assertEqual(*({pixel for row in picture for pixel in row if max(pixel) - min(pixel) > 60} for picture in pictures))

    def test_the_part_is_transparent_around_its_pores(self):
        size, pores = (40, 40, 40), [(1, (6, 6, 6), (18, 18, 18)), (2, (24, 24, 24), (34, 34, 34))]
        path = self.write(size, pores)
        part = self.write(size, [(1, (4, 4, 4), (36, 36, 36))], name="part.nrrd")
        summary, (_, _, rows) = self.draw(path, "--style", "surface", "--part", part, "--size", "640x480")
        pixels = [pixel for row in self.scene(rows, summary) for pixel in row]
        sides = [32 * summary["pixel_size_mm"] ** -1] * 3
        expected = sum(abs(TO_EYE[i]) * sides[i - 1] * sides[i - 2] for i in range(3))
        self.assertLess(abs(sum(pixel != GROUND for pixel in pixels) / expected - 1), 0.03)
        # Both pores are seen through it, and what is not a pore shows the ground through it.
        colored = [pixel for pixel in pixels if hue_and_saturation(pixel)[1] > 0.25]
        expected = (144 + 100) * sum(map(abs, TO_EYE)) / summary["pixel_size_mm"] ** 2
        self.assertGreater(len(colored), 0.8 * expected)
        self.assertLess(len(colored), expected)
        grays = [max(pixel) for pixel in pixels if pixel != GROUND and hue_and_saturation(pixel)[1] <= 0.25]
        self.assertLess(sum(grays) / len(grays), 120)

    def test_small_components_and_single_voxels_stay(self):
        boxes = [(i + 1, (10 * i, 3, 3), (10 * i + 1, 4, 4)) for i in range(12)] + [(13, (0, 10, 0), (120, 11, 1))]
        path = self.write((120, 12, 8), boxes)
        summary, (_, _, rows) = self.draw(path, "--style", "surface", "--size", "1000x480")
        self.assertEqual(summary["components"], 13)
        # Along the row of voxels there are as many separate spots.
        scene = self.scene(rows, summary)
        columns = [any(pixel != GROUND for pixel in column) for column in zip(*scene)]
        self.assertGreater(sum(columns), len(columns) // 2)

    def test_label_maps_of_every_type(self):
        # 2^40 + 1 has no place in 32 bits, and 2^40 has no neighbor in 32-bit floats.
        big = 2 ** 40
        path = self.write((12, 12, 12), [(big, (2, 2, 2), (5, 5, 5)), (big + 1, (7, 7, 7), (10, 10, 10))], kind="uint64")
        self.assertEqual(self.draw(path, "--style", "surface")[0]["components"], 2)
        self.assertEqual(self.draw(path, "--style", "surface", "--labels", big + 1)[0]["components"], 1)
        self.assertEqual(self.draw(path, "--style", "slices", "--labels", big + 1)[0]["components"], 1)
        path = self.write((8, 8, 8), [(3, (2, 2, 2), (5, 5, 5))], kind="double")
        self.assertEqual(self.draw(path, "--style", "surface")[0]["components"], 1)

    def test_large_components_are_drawn_from_blocks_and_it_is_said(self):
        path = self.write((200, 120, 120), [(1, (10, 10, 10), (190, 110, 110)), (2, (2, 2, 2), (4, 4, 4))])
        result = self.ok("render", path, "-o", self.path("p.png"), "--style", "surface", "--size", "480x480", "--json")
        summary = json.loads(result.stdout)
        self.assertGreater(summary["block"][0], 1)
        self.assertIn("are drawn from blocks of", summary["notes"][0])
        _, _, rows = read_png(self.path("p.png"))
        seen = sum(pixel != GROUND for row in self.scene(rows, summary) for pixel in row) * summary["pixel_size_mm"] ** 2
        sides = (180, 100, 100)
        expected = sum(abs(TO_EYE[i]) * sides[i - 1] * sides[i - 2] for i in range(3))
        self.assertLess(abs(seen / expected - 1), 0.05)

    def test_what_is_thinner_than_a_block_stays(self):
        # Plates, one of them slanted, and a thread, of one voxel, in a picture whose pixels are larger than voxels.
        side = 160
        step = [(3, (x, 2 * x // 3 + 20, 10), (x + 1, 2 * x // 3 + 21, 150)) for x in range(10, 150)]
        alone = {1: [(1, (10, 9, 10), (150, 10, 150))], 2: [(2, (10, 140, 11), (150, 141, 12))], 3: step}
        areas = {1: 140 * 140 * abs(TO_EYE[1]), 3: 140 * 140 * abs(-2 / 3 * TO_EYE[0] + TO_EYE[1]),
                 2: 140 * math.hypot(TO_EYE[1], TO_EYE[2])}
        for label, boxes in alone.items():
            # Another component is far away, so that pixels and blocks stay large.
            path = self.write((480, side, side), boxes + [(4, (478, 0, 0), (480, 2, 2))])
            summary, (_, _, rows) = self.draw(path, "--style", "surface", "--size", "480x480")
            self.assertGreater(min(summary["block"]), 1)
            self.assertIn("thinner parts are drawn one block thick", summary["notes"][0])
            seen = sum(pixel != GROUND for row in self.scene(rows, summary) for pixel in row)
            expected = areas[label] / summary["pixel_size_mm"] ** 2
            self.assertGreater(seen, 0.95 * expected, "label %d" % label)
            if label != 2:
                self.assertLess(seen, 1.35 * expected, "label %d" % label)


class DisplayTest(RenderTest):
    def setUp(self):
        super().setUp()
        self.labels = self.write((10, 10, 10), [(1, (2, 2, 2), (6, 6, 6))])
        self.arguments = ("render", self.labels, "-o", self.path("p.png"), "--style", "surface", "--quiet")
        self.plain = {key: value for key, value in os.environ.items() if key != "DISPLAY"}

    def test_it_needs_no_display(self):
        result = run(*self.arguments, env=self.plain)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertTrue(os.path.exists(self.path("p.png")))

    def test_without_an_x_server_it_says_what_to_install(self):
        os.mkdir(self.path("none"))
        for display in ({}, {"DISPLAY": ":987"}):
            result = run(*self.arguments, env={**self.plain, **display, "PATH": self.path("none")})
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn("apt-get install xvfb", result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1)
            self.assertFalse(os.path.exists(self.path("p.png")))
        # Slices need none.
        result = run("render", self.labels, "-o", self.path("p.png"), "--quiet", env={**self.plain, "PATH": self.path("none")})
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_a_display_that_is_there_is_used(self):
        os.mkdir(self.path("none"))
        read, write = os.pipe()
        server = subprocess.Popen([shutil.which("Xvfb"), "-displayfd", str(write), "-screen", "0", "640x480x24", "-nolisten", "tcp"],
                                  pass_fds=[write], stderr=subprocess.DEVNULL)
        try:
            os.close(write)
            with os.fdopen(read) as stream:
                display = ":" + stream.readline().strip()
            result = run(*self.arguments, env={**self.plain, "DISPLAY": display, "PATH": self.path("none")})
            self.assertEqual((result.returncode, result.stderr), (0, ""))
        finally:
            server.terminate()
            server.wait()

    def test_without_drivers_it_says_what_to_install(self):
        result = run(*self.arguments, env={**self.plain, "LIBGL_DRIVERS_PATH": self.path("none"), "MESA_LOADER_DRIVER_OVERRIDE": "none"})
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("libgl1-mesa-dri", result.stderr)
        self.assertFalse(os.path.exists(self.path("p.png")))

    def test_the_server_ends_with_the_command(self):
        before = subprocess.run(["pgrep", "-x", "Xvfb"], capture_output=True, text=True).stdout.split()
        run(*self.arguments, env=self.plain)
        self.fails("render", self.path("none.nrrd"), "-o", self.path("q.png"), "--style", "surface", saying="none.nrrd")
        # It ends once the command's connection has ended.
        end = time.monotonic() + 20
        after = None
        while (after is None or not after <= set(before)) and time.monotonic() < end:
            time.sleep(0.1)
            after = set(subprocess.run(["pgrep", "-x", "-P", "1,%d" % os.getpid(), "Xvfb"], capture_output=True, text=True).stdout.split())
        self.assertLessEqual(after, set(before))

    def test_the_command_itself_has_no_vtk(self):
        if not shutil.which("ldd"):
            self.skipTest("ldd is not there")
        libraries = subprocess.run(["ldd", COMMAND], capture_output=True, text=True).stdout
        self.assertIn("libc.", libraries)
        self.assertNotIn("libvtk", libraries)


class SliceTest(RenderTest):
    BOXES = [(1, (2, 2, 2), (8, 8, 8)), (2, (20, 10, 12), (30, 18, 20))]

    def test_styles(self):
        path = self.write((36, 24, 28), self.BOXES)
        scan = self.path("scan.nrrd")
        write_nrrd(scan, "uint16", (36, 24, 28), [(7 * i) % 900 for i in range(36 * 24 * 28)])
        for style in ("slices", "montage", "mip"):
            for more in ((), ("--intensity", scan), ("--color-by", "volume_mm3")):
                for size in ((), ("--size", "900x700")):
                    summary, (width, height, rows) = self.draw(path, "--style", style, *more, *size)
                    self.assertEqual(summary["components"], 2)
                    if size:
                        self.assertLessEqual(width, 900)
                        self.assertLessEqual(height, 700)
                    colored = sum(hue_and_saturation(pixel)[1] > 0.35 for row in rows for pixel in row)
                    self.assertGreater(colored, 500, (style, more, size))

    def test_a_projection_shows_what_no_slice_does(self):
        # Two boxes that share no slice along any axis; the projection along each shows both. The key has a swatch of 12 x
        # 12 pixels for each label that is visible.
        path = self.write((36, 24, 28), self.BOXES)
        counts = {}
        for style in ("slices", "mip"):
            _, (_, _, rows) = self.draw(path, "--style", style)
            pixels = [hue_and_saturation(pixel) for row in rows for pixel in row]
            counts[style] = [sum(abs(hue - one) < 0.03 and saturation > 0.35 for hue, saturation in pixels) for one in (0.98, 0.57)]
        self.assertEqual(counts["slices"][0], 0)
        self.assertGreater(counts["slices"][1], 1000)
        # Areas in the three projections: 3 x 36 to 80 + 80 + 64 voxels.
        ratio = (counts["mip"][0] - 144) / (counts["mip"][1] - 144)
        self.assertLess(abs(ratio / (108 / 224) - 1), 0.02)

    def test_a_projection_of_a_scan_has_the_greatest_value_of_each_line(self):
        """A gradient along x with NaN here and there, on as many, fewer and more slices than parts, on any number of threads."""
        for depth in (3, 16, 40):
            size = (36, 24, depth)
            path = self.write(size, [(1, (35, 23, depth - 1), (36, 24, depth))])
            for slope in (1, -1):
                scan = self.path("scan.nrrd")
                # Each line along z has a number in one slice at least.
                write_nrrd(scan, "float", size, [math.nan if (x + y) % depth != z and (x + y + z) % 3 else slope * x
                                                 for z in range(depth) for y in range(24) for x in range(36)])
                pictures = []
                for threads in ("1", "2", "3"):
                    _, (_, _, rows) = self.draw(path, "--style", "mip", "--intensity", scan, "--threads", threads)
                    pictures.append(rows)
                self.assertTrue(pictures[0] == pictures[1] == pictures[2])
                # The projection along z is at the top left; its last pixels belong to the component.
                width = 12 * 36 if depth == 40 else 480
                panel = [row[16:16 + width][::slope] for row in pictures[0][16:16 + width * 2 // 3 - width // 24]]
                self.assertTrue(all(row == panel[0] for row in panel))
                grays = [pixel[0] for pixel in panel[0]]
                self.assertEqual(grays, sorted(grays))
                self.assertLess(grays[0], 5)
                self.assertGreater(grays[-1], 250)

    def test_an_intensity_image_that_is_not_drawn_is_told(self):
        path = self.write((36, 24, 28), self.BOXES)
        arguments = ("render", path, "-o", self.path("p.png"), "--style", "surface", "--intensity", path, "--json")
        self.fails(*arguments, saying="--intensity has no effect with --style surface; use --style slices, montage or mip")
        self.assertEqual(json.loads(self.ok(*arguments, "--color-by", "intensity_mean").stdout)["notes"], [])

    def test_images_of_two_dimensions(self):
        write_nrrd(self.path("flat.nrrd"), "uint8", (6, 5), [0] * 12 + [1] * 4 + [0] * 10 + [2] * 4)
        for style in ("slices", "montage", "mip"):
            self.assertEqual(self.draw(self.path("flat.nrrd"), "--style", style)[0]["components"], 2)
        self.fails("render", self.path("flat.nrrd"), "-o", self.path("q.png"), "--style", "surface", saying=["has 2", "--style slices"])


class ErrorTest(RenderTest):
    def test_bad_input(self):
        path = self.write((6, 6, 6), [(1, (1, 1, 1), (3, 3, 3)), (4, (4, 4, 4), (6, 6, 6))])
        empty = self.write((6, 6, 6), [], name="empty.nrrd")
        other = self.write((5, 6, 6), [], name="other.nrrd")
        out = ("-o", self.path("q.png"))
        for arguments, saying in (
                ((path, *out, "--color-by", "volum_mm3"), "did you mean 'volume_mm3'"),
                ((path, *out, "--color-by", "intensity_mean"), "--intensity FILE"),
                ((path, *out, "--color-by", "surface_distance_mm"), "--part FILE"),
                ((path, *out, "--style", "surfaces"), "did you mean 'surface'"),
                ((path, *out, "--labels", "3"), "has no label 3"),
                ((path, *out, "--labels", "1,x"), "is not a list of labels"),
                ((path, *out, "--where", "voxel_count > 100"), "no component is left to draw"),
                ((path, *out, "--where", "voxel_cout > 1"), "did you mean 'voxel_count'"),
                ((path, *out, "--size", "12x12"), "from 480 to 4096"),
                ((path, *out, "--size", "1200"), "as 1200x900"),
                ((path, *out, "--size", "1200x900x3"), "as 1200x900"),
                ((path, "-o", self.path("q.jpg")), "use the extension .png"),
                ((path, "-o", self.path("none/q.png")), "none"),
                ((path, "-o", path), ".png"),
                ((path, *out, "--part", other, "--style", "surface"), "other.nrrd"),
                ((path, *out, "--part", other), "--style surface"),
                ((path, *out, "--intensity", other), "other.nrrd"),
                ((empty, *out), "no component is left to draw; 0 are in"),
                ((empty, *out, "--style", "surface"), "no component is left to draw; 0 are in"),
                ((self.path("none.nrrd"), *out), "none.nrrd")):
            self.fails("render", *arguments, saying=saying)

    def test_a_spacing_of_0(self):
        path = self.write((6, 6, 6), [(1, (1, 1, 1), (3, 3, 3))])
        with open(path, "rb") as stream:
            content = stream.read()
        with open(path, "wb") as stream:
            stream.write(content.replace(b"(0,1,0)", b"(0,0,0)"))
        self.fails("render", path, "-o", self.path("q.png"), "--style", "surface", saying=path)


if __name__ == "__main__":
    unittest.main()
