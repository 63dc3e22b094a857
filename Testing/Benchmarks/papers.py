#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fills the tables of PAPERS.md from what brickccl-paper-benchmark measured, and draws its charts.

    papers.py papers.csv [brickccl-line-chart]

The papers' own numbers stand here; ours come from the file. Tables go between the marks `<!-- table NAME -->` and
`<!-- end -->`; charts, if the program to draw them is given, to papers-NAME.png beside PAPERS.md.
"""

import csv
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

KALENTEV_CASES = ["C1", "C2", "C3", "C4", "spiral", "random 0.5", "random 0.1"]
KALENTEV_1 = {"RC": ("87.16", "87.89", "87.27", "87.65", "4501.56", "254.47", "34.75"),
              "LE NSZ": ("5.60", "5.77", "5.89", "6.68", "5.60", "6.47", "1.56"),
              "LE SZ": ("16.25", "16.28", "15.22", "17.30", "38.86", "14.23", "2.11")}
KALENTEV_2 = {"LE NSZ": {0.2: "10.33", 0.3: "15.50", 0.4: "18.90", 0.6: "39.34", 0.7: "34.12", 0.8: "33.91", 0.9: "36.30",
                         0.99: "24.42"},
              "LE SZ": {0.2: "16.74", 0.3: "27.81", 0.4: "38.84", 0.6: "84.21", 0.7: "95.70", 0.8: "113.60", 0.9: "137.95",
                        0.99: "317.06"},
              "rounds": {0.2: 4, 0.3: 5, 0.4: 5, 0.6: 8, 0.7: 5, 0.8: 4, 0.9: 4, 0.99: 3}}
KALENTEV_3 = {"LE NSZ": {1024: "6.50", 2048: "24.98", 4096: "97.88", 8128: "388.24"},
              "LE SZ": {1024: "14.30", 2048: "55.75", 4096: "217.89", 8128: "870.70"}}
KALENTEV_4 = {"LE NSZ": {512: "25.09", 256: "24.91", 64: "25.34", 16: "36.19", 4: "123.15", 1: "453.33"},
              "LE SZ": {512: "55.41", 256: "55.73", 64: "55.13", 16: "62.13", 4: "154.91", 1: "522.09"}}
SOH = {"B1": (12.34, 7.10, 6.89, 6.64, 6.51), "B2": (20.41, 7.38, 7.11, 6.86, 6.58), "B3": (21.69, 7.76, 7.37, 7.02, 6.60),
       "B4": (22.31, 8.06, 7.77, 7.28, 6.63), "B5": (24.51, 8.26, 8.17, 7.52, 6.65), "Spiral": (35.37, 8.09, 7.67, 7.27, 6.61),
       "Random1": (10.12, 7.37, 7.18, 6.71, 6.50), "Random2": (15.23, 7.73, 7.53, 6.93, 6.53)}
SOH_METHODS = ("NSZ-LE", "M8DLS", "HYBRID1", "HYBRID2", "HYBRID3")
ZIEGLER = {"100by300 CU_4CON": (32, "4.04"), "100by300 CU_8CON": (64, "2.44"), "1Kby768 CU_4CON": (64, "7.48"),
           "1Kby768 CU_8CON": (128, "10.78"), "4Kby4K CU_4CON": (256, "343.84"), "4Kby4K CU_8CON": (128, "356.43"),
           "256x256x100 CU_6CON_3D": (128, "1499.43")}
STAVA_11 = {("a: one slice", 512): (76, 328, 1542), ("b", 1024): (111, 403, 1049), ("b", 2048): (112, 482, 1294),
            ("b", 4096): (111, 508, 1553), ("c", 1024): (73, 233, 647), ("c", 2048): (73, 272, 735),
            ("c", 4096): (74, 279, 834), ("d", 1024): (121, 233, 1398), ("d", 2048): (124, 272, 1740),
            ("d", 4096): (123, 279, 1939)}
STAVA_12 = {("b", 1024): (34, 52, 7, 7), ("b", 2048): (40, 43, 8, 9), ("b", 4096): (46, 33, 9, 12),
            ("c", 1024): (41, 48, 6, 5), ("c", 2048): (45, 43, 6, 6), ("c", 4096): (50, 37, 5, 8),
            ("d", 1024): (44, 38, 8, 10), ("d", 2048): (48, 34, 7, 11), ("d", 4096): (53, 28, 7, 12)}
RIDGE_METHODS = ("Ordinary LE", "Ordinary TM", "Early LE", "Early TM", "Late LE", "Late TM")
OURS = ["default", "default with table"]
RIDGES_3 = {"Leveling": ("30.9 ± 34%", "19.5 ± 1%", "60.0 ± 9%", "36.1 ± 1%", "59.7 ± 18%", "48.3 ± 1%"),
            "RandomInstancing": ("19.3 ± 9%", "17.0 ± 9%", "38.0 ± 10%", "31.6 ± 9%", "32.1 ± 23%", "29.6 ± 25%"),
            "RandomMerging": ("26.3 ± 16%", "19.5 ± 4%", "50.5 ± 11%", "37.2 ± 5%", "53.3 ± 13%", "51.4 ± 24%"),
            "Scaling": ("17.5 ± 11%", "15.8 ± 11%", "38.8 ± 21%", "29.3 ± 12%", "28.8 ± 36%", "27.0 ± 39%"),
            "Spiral": ("17.9 ± 30%", "22.8 ± 32%", "41.6 ± 35%", "39.4 ± 28%", "30.7 ± 51%", "44.0 ± 56%"),
            "Subdivision": ("21.5 ± 12%", "19.2 ± 5%", "47.5 ± 11%", "36.2 ± 4%", "45.3 ± 10%", "43.0 ± 14%"),
            "Total": ("19.7 ± 31%", "17.5 ± 20%", "41.3 ± 23%", "32.6 ± 18%", "35.7 ± 39%", "34.4 ± 39%")}
RIDGES_4 = {"Ordinary LE": "76 ± 31%", "Ordinary TM": "68 ± 18%", "Late LE": "145 ± 44%", "Late TM": "140 ± 41%"}
RIDGES_6 = {"Ordinary LE": ("21.4", "5.5", "19.7", "6.2"), "Ordinary TM": ("17.0", "4.2", "17.5", "3.5"),
            "Early LE": ("43.2", "12.2", "41.3", "9.5"), "Early TM": ("31.6", "7.1", "32.6", "5.9"),
            "Late LE": ("36.6", "15.5", "35.7", "13.8"), "Late TM": ("31.5", "14.0", "34.4", "13.5")}
RIDGES_7 = {"Ordinary LE": ("75", "1.22e-4", "1.05", "0.12"), "Ordinary TM": ("254", "7.63e-5", "1.07", "0.50"),
            "Early LE": ("170", "2.51e-4", "1.05", "0.33"), "Early TM": ("289", "2.06e-4", "1.05", "0.51"),
            "Late LE": ("93", "3.70e-4", "1.02", "0.01"), "Late TM": ("256", "3.29e-4", "1.02", "0.13")}
RIDGES_8 = {"Ordinary LE": ("34", "1.18e-5", "1.11", "0.05"), "Ordinary TM": ("108", "6.45e-6", "1.11", "0.17"),
            "Early LE": ("24", "5.27e-5", "1.05", "0.02"), "Early TM": ("100", "2.88e-5", "1.06", "0.12"),
            "Late LE": ("64", "8.13e-5", "1.05", "0.05"), "Late TM": ("122", "1.15e-4", "1.03", "0.06")}


class Row:
    def __init__(self, fields):
        self.table, self.case, self.algorithm = fields["table"], fields["case"], fields["algorithm"]
        self.x, self.ms, self.own = float(fields["x"]), float(fields["ms"]), float(fields["own_ms"])
        self.rounds = int(fields["rounds"])


def table(head, lines):
    rows = [head, ["---"] * len(head)] + lines
    return "\n".join("| " + " | ".join(str(cell) for cell in row) + " |" for row in rows)


def ms(value):
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def mean_and_deviation(values):
    mean = sum(values) / len(values)
    return mean, math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))


class Tables:
    def __init__(self, rows):
        self.rows = rows
        measured = {row.algorithm for row in rows if row.table == "Ridges"}
        self.ridge_methods = list(RIDGE_METHODS) + [name for name in OURS if name in measured]

    def one(self, name, case, algorithm, x=None):
        found = [row for row in self.rows if row.table == name and row.case == case and row.algorithm == algorithm and
                 (x is None or row.x == x)]
        if len(found) != 1:
            raise SystemExit(f"error: {len(found)} lines for {name}, {case}, {algorithm}, {x}; there must be one")
        return found[0]

    def kalentev_1(self):
        lines = []
        for algorithm in ("RC", "LE NSZ", "LE SZ", "Hawick", "default"):
            if algorithm in KALENTEV_1:
                lines.append([algorithm + ", paper"] + list(KALENTEV_1[algorithm]))
            found = [self.one("Kalentev 1", case, algorithm) for case in KALENTEV_CASES]
            lines.append([algorithm + ", here"] + [ms(row.ms) for row in found])
            if algorithm in ("RC", "LE NSZ"):
                lines.append(["rounds"] + [row.rounds for row in found])
        return table(["ms"] + KALENTEV_CASES, lines)

    def by_x(self, name, case, published, rounds=None):
        algorithms = [key for key in published if key != "rounds"]
        xs = sorted({row.x for row in self.rows if row.table == name}, reverse=name == "Kalentev 4")
        lines = []
        for algorithm in algorithms:
            lines.append([algorithm + ", paper"] + [published[algorithm].get(x, "") for x in xs])
            lines.append([algorithm + ", here"] + [ms(self.one(name, case, algorithm, x).ms) for x in xs])
        if rounds:
            lines.append(["rounds, paper"] + [published["rounds"].get(x, "") for x in xs])
            lines.append(["rounds, here"] + [self.one(name, case, "LE NSZ", x).rounds for x in xs])
        if any(row.table == name and row.algorithm == "default" for row in self.rows):
            lines.append(["default, here"] + [ms(self.one(name, case, "default", x).ms) for x in xs])
        if name == "Kalentev 4":
            # The same image as in table 3; the default chooses its own blocks.
            lines.append(["default, here"] + [ms(self.one("Kalentev 3", case, "default", 2048).ms)] * len(xs))
        return table(["ms"] + [f"{x:g}" for x in xs], lines)

    def kalentev_2(self):
        return self.by_x("Kalentev 2", "random", KALENTEV_2, rounds=True)

    def kalentev_3(self):
        return self.by_x("Kalentev 3", "random 0.5", KALENTEV_3)

    def kalentev_4(self):
        return self.by_x("Kalentev 4", "random 0.5", KALENTEV_4)

    def soh_1(self):
        lines = []
        for image, published in SOH.items():
            lines.append([image + ", paper"] + [f"{value:.2f}" for value in published] + [""])
            found = [self.one("Soh 1", image, method) for method in SOH_METHODS + ("default",)]
            lines.append([image + ", here"] + [ms(row.ms) for row in found])
            lines.append(["rounds"] + [row.rounds for row in found[:-1]] + [""])
        return table(["ms"] + list(SOH_METHODS) + ["default"], lines)

    def soh_2(self):
        methods = list(SOH_METHODS[2:])
        lines, sums = [], [0.0] * (2 * len(methods) + 1)
        for image, published in SOH.items():
            paper = [100 * (published[1] - value) / published[1] for value in published[2:]]
            base = self.one("Soh 1", image, "M8DLS").ms
            here = [100 * (base - self.one("Soh 1", image, method).ms) / base for method in methods + ["default"]]
            sums = [a + b for a, b in zip(sums, paper + here)]
            lines.append([image] + [f"{value:.1f}" for value in paper + here])
        lines.append(["average"] + [f"{value / len(SOH):.1f}" for value in sums])
        return table(["% of M8DLS's time saved"] + [f"{method}, paper" for method in methods] +
                     [f"{method}, here" for method in methods + ["default"]], lines)

    def ziegler(self):
        caps = (8, 32, 64, 128, 256, 4096)
        lines = []
        for case, (cap, published) in ZIEGLER.items():
            found = [self.one("Ziegler", case, f"links {value}") for value in caps]
            others = [self.one("Ziegler", case, name)
                      for name in ("links 128 without master", "master without links", "neither")]
            lines.append([case, f"{published} ({cap})"] + [ms(row.ms) for row in found] +
                         [f"{ms(row.ms)} ({row.rounds})" for row in others] +
                         [ms(self.one("Ziegler", case, "default").ms)])
        return table(["ms", "paper (gather)"] + [f"gather {value}" for value in caps] +
                     ["128, no master (rounds)", "master, no links (rounds)", "neither (rounds)", "default"], lines)

    def stava_11(self):
        lines = []
        for case, side in list(STAVA_11) + [("a: 200 slices", 512)]:
            pixels = side * side * (200 if case == "a: 200 slices" else 1)
            published = STAVA_11.get((case, side), ("", "", ""))
            found = [self.one("Stava 35.11", case, name, side)
                     for name in ("CPU", "Hawick", "tile merging", "BrickMerging", "default")]
            lines.append([f"{case}, {side}²", *published] + [f"{pixels / row.ms / 1000:.0f}" for row in found])
        return table(["MPixels/s", "CPU (Wu), paper", "Hawick, paper", "tile merging, paper", "our CPU, 1 thread, here",
                      "Hawick, here", "tile merging, here", "BrickMerging, here", "default, here"], lines)

    def stava_12(self):
        lines = []
        for (case, side), published in STAVA_12.items():
            found = [self.one("Stava 35.12", case, f"kernel {kernel}", side).ms for kernel in (1, 2, 3, 4)]
            lines.append([f"{case}, {side}²"] + list(published) + [f"{100 * value / sum(found):.0f}" for value in found])
        return table(["%"] + [f"kernel {k}, {w}" for w in ("paper", "here") for k in (1, 2, 3, 4)], lines)

    def ridge_values(self, side, algorithm, family=None):
        """Milliseconds of all images of a size: of one family, of all patterns (None) or of the data sets."""
        def belongs(row):
            is_dataset = row.case.startswith("Dataset")
            return not is_dataset if family is None else row.case.split(" ")[0] == family
        return [row.ms for row in self.rows if row.table == "Ridges" and row.x == side and row.algorithm == algorithm and
                belongs(row)]

    def ridges_3(self):
        lines = []
        for family, published in RIDGES_3.items():
            name = None if family == "Total" else family
            lines.append([family + ", paper"] + list(published) + [""] * (len(self.ridge_methods) - len(RIDGE_METHODS)))
            cells = []
            for algorithm in self.ridge_methods:
                mean, deviation = mean_and_deviation(self.ridge_values(8192, algorithm, name))
                cells.append(f"{ms(mean)} ± {100 * deviation / mean:.0f}%")
            count = len(self.ridge_values(8192, "default", name))
            lines.append([f"{family}, here ({count} images)"] + cells)
        return table(["ms at 8192²"] + self.ridge_methods, lines)

    def ridges_4(self):
        cells = []
        for algorithm in self.ridge_methods:
            mean, deviation = mean_and_deviation(self.ridge_values(16384, algorithm))
            cells.append(f"{ms(mean)} ± {100 * deviation / mean:.0f}%")
        return table(["ms at 16384²"] + self.ridge_methods,
                     [["paper"] + [RIDGES_4.get(algorithm, "no memory") for algorithm in RIDGE_METHODS] +
                      [""] * (len(self.ridge_methods) - len(RIDGE_METHODS)),
                      [f"here ({len(self.ridge_values(16384, 'default'))} images)"] + cells])

    def ridges_6(self):
        lines = []
        for algorithm in self.ridge_methods:
            data = mean_and_deviation(self.ridge_values(8192, algorithm, "Dataset"))
            patterns = mean_and_deviation(self.ridge_values(8192, algorithm))
            lines.append([algorithm] + list(RIDGES_6.get(algorithm, ("",) * 4)) + [ms(value) for value in data + patterns] +
                         [f"{(patterns[0] - data[0]) / data[1]:.2f}", f"{(patterns[1] - data[1]) / data[1]:.2f}"])
        return table(["ms at 8192²", "µD, paper", "σD", "µS", "σS", "µD, here", "σD", "µS", "σS", "(µS - µD) / σD",
                      "(σS - σD) / σD"], lines)

    def fits(self, published, which):
        """t(x) = a + b x^c in microseconds over pixels: the c of least squares of relative errors, a and b from it."""
        lines = []
        sides = [1 << n for n in range(10, 15)]
        for algorithm in self.ridge_methods:
            values = [1000 * mean_and_deviation(self.ridge_values(side, algorithm))[which] for side in sides]
            a, b, c = fit([side * side for side in sides], values)
            errors = []
            for side in sides:
                data = mean_and_deviation(self.ridge_values(side, algorithm, "Dataset"))
                errors.append(abs(a + b * (side * side) ** c - 1000 * data[which]) / (1000 * data[1]))
            lines.append([algorithm] + list(published.get(algorithm, ("",) * 4)) +
                         [f"{a:.0f}", f"{b:.2e}", f"{c:.2f}", f"{max(errors):.2f}"])
        return table([""] + [f"{name}, {w}" for w in ("paper", "here") for name in ("a", "b", "c", "max. error")], lines)

    def ridges_7(self):
        return self.fits(RIDGES_7, 0)

    def ridges_8(self):
        return self.fits(RIDGES_8, 1)


def fit(xs, ys):
    """The best a, b, c of y = a + b x^c, a >= 0, by relative errors: c by trial, a and b linear."""
    best = None
    for step in range(500, 1501):
        c = step / 1000
        for with_a in (True, False):
            s11 = s12 = s22 = t1 = t2 = 0.0
            for x, y in zip(xs, ys):
                u, v = (1 / y if with_a else 0.0), x ** c / y
                s11, s12, s22, t1, t2 = s11 + u * u, s12 + u * v, s22 + v * v, t1 + u, t2 + v
            determinant = s11 * s22 - s12 * s12
            if with_a:
                a, b = (t1 * s22 - t2 * s12) / determinant, (s11 * t2 - s12 * t1) / determinant
            else:
                a, b = 0.0, t2 / s22
            error = sum(((a + b * x ** c) / y - 1) ** 2 for x, y in zip(xs, ys))
            if a >= 0 and (best is None or error < best[0]):
                best = (error, a, b, c)
    return best[1:]


def charts(tables, program):
    """One chart for each of the papers' tables and figures that has an x axis."""
    def lines_of(name, key=lambda row: row.x, label=lambda row: row.algorithm, keep=lambda row: True):
        rows = [row for row in tables.rows if row.table == name and keep(row)]
        labels = list(dict.fromkeys(label(row) for row in rows))
        return [(text, key(row), row.ms) for text in labels for row in sorted(rows, key=key) if label(row) == text]

    def level(row):
        return int(row.case.split("l=")[1].split(" ")[0])

    def place(cases):
        return lambda row: 1 + cases.index(row.case)

    def gather(row):
        return int(row.algorithm.split(" ")[1])

    sides = [1 << n for n in range(10, 15)]
    fit_points = [(algorithm, side * side, mean_and_deviation(tables.ridge_values(side, algorithm))[0])
                  for algorithm in tables.ridge_methods for side in sides]
    throughput = [(label, side, side * side / value / 1000)
                  for label, side, value in lines_of("Stava 35.11", label=lambda row: f"{row.algorithm} ({row.case})",
                                                     keep=lambda row: row.case in "bd" and row.algorithm != "BrickMerging")]
    for name, points, title, x, y, log in (
            ("kalentev-1", lines_of("Kalentev 1", key=place(KALENTEV_CASES)),
             "Kalentev, table 1: " + ", ".join(KALENTEV_CASES), "case", "ms", True),
            ("kalentev-2", lines_of("Kalentev 2"), "Kalentev, table 2: random images of 2048 x 2048 pixels", "occupancy", "ms",
             False),
            ("kalentev-3", lines_of("Kalentev 3"), "Kalentev, table 3: random 0.5", "side", "ms", True),
            ("kalentev-4", lines_of("Kalentev 4"), "Kalentev, table 4: random 0.5, 2048 x 2048 pixels", "threads per block",
             "ms", True),
            ("soh", lines_of("Soh 1", key=place(list(SOH))), "Soh, table 1: " + ", ".join(SOH), "case", "ms", True),
            ("ziegler", lines_of("Ziegler", key=gather, label=lambda row: row.case,
                                 keep=lambda row: row.algorithm.startswith("links ") and "without" not in row.algorithm),
             "Ziegler: links of so many voxels", "gather", "ms", True),
            ("stava", throughput, "Stava, figure 35.11: (b) few large objects, (d) 250 discs", "side", "MPixels/s", True),
            ("levels", lines_of("Ridges", key=level, keep=lambda row: row.case.startswith("Leveling") and row.x == 8192),
             "Ridge patterns of levels 1 to 12, 8192 x 8192 pixels", "level", "ms", False),
            ("sizes", fit_points, "Ridge patterns, mean of all images", "pixels", "ms", True)):
        with tempfile.NamedTemporaryFile("w", suffix=".csv", delete=False) as stream:
            stream.writelines(f"{series},{place},{value}\n" for series, place, value in points)
        subprocess.run([program, stream.name, os.path.join(HERE, f"papers-{name}.png"), title, x, y] +
                       (["--log"] if log else []), check=True)
        os.remove(stream.name)


def main():
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    with open(sys.argv[1], newline="", encoding="utf-8") as stream:
        tables = Tables([Row(fields) for fields in csv.DictReader(stream)])
    path = os.path.join(HERE, "PAPERS.md")
    with open(path, encoding="utf-8") as stream:
        document = stream.read().split("<!-- table ")
    for i, part in enumerate(document[1:], 1):
        name, rest = part.split(" -->", 1)
        document[i] = f"{name} -->\n{getattr(tables, name)()}\n<!-- end -->{rest.split('<!-- end -->', 1)[1]}"
    with open(path, "w", encoding="utf-8") as stream:
        stream.write("<!-- table ".join(document))
    if len(sys.argv) == 3:
        charts(tables, sys.argv[2])


if __name__ == "__main__":
    main()
