# SPDX-License-Identifier: Apache-2.0
"""Compares every column of the component table with its definition (reference_formulas.py), and those that scikit-image
has with that, on seeded label maps and, where they are present, on real masks (see Testing/README.md). Skipped with a
message where the packages are not installed (Testing/Benchmarks/install-peers.sh installs them into build/peers).

    build/peers/bin/python Testing/Cli/reference_measures.py [FOLDER OF REFERENCE DATA]"""

import csv
import gzip
import os
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy
    import scipy.ndimage
    import skimage.measure
except ImportError as error:
    print("skipped: %s; Testing/Benchmarks/install-peers.sh installs the packages" % error)
    sys.exit(77)

import reference_formulas  # needs them

COMMAND = os.environ["BRICKCCL"]
KINDS = {"uint8": "unsigned char", "uint16": "unsigned short", "uint32": "unsigned int", "int16": "short",
         "int64": "longlong", "uint64": "ulonglong", "float32": "float",
         "float64": "double"}
checks = 0


def write(path, voxels, geometry):
    """Writes an array indexed [z, y, x] or [y, x]."""
    dimension = voxels.ndim
    steps = (geometry.direction * geometry.spacing).T
    sizes = voxels.shape[::-1]
    lines = ["NRRD0004", "type: " + KINDS[str(voxels.dtype)], "dimension: %d" % dimension,
             "sizes: " + " ".join(map(str, sizes)), "endian: little", "encoding: raw",
             "space dimension: %d" % dimension,
             "space directions: " + " ".join("(" + ",".join(repr(float(x)) for x in step) + ")" for step in steps),
             "space origin: (" + ",".join(repr(float(x)) for x in geometry.origin) + ")"]
    with open(path, "wb") as stream:
        stream.write(("\n".join(lines) + "\n\n").encode() + voxels.tobytes())


def measured(labels, intensity, geometry, columns, part=None):
    with tempfile.TemporaryDirectory(prefix="brickccl-") as folder:
        paths = [os.path.join(folder, name) for name in ("labels.nrrd", "intensity.nrrd", "table.csv", "part.nrrd")]
        write(paths[0], labels, geometry)
        write(paths[1], intensity, geometry)
        options = []
        if part is not None:
            write(paths[3], part, geometry)
            options = ["--part", paths[3]]
        subprocess.run([COMMAND, "stats", paths[0], "--intensity", paths[1], "-o", paths[2], "--columns", columns, "--quiet",
                        *options], check=True)
        with open(paths[2]) as stream:
            rows = list(csv.DictReader(stream))
    return {name: numpy.array([float(row[name]) for row in rows]) for name in rows[0]}


def check(name, ours, theirs, tolerance=1e-9):
    global checks
    checks += 1
    theirs = numpy.asarray(theirs, float)
    both = numpy.isnan(ours) & numpy.isnan(theirs)
    if numpy.any(numpy.isnan(ours) != numpy.isnan(theirs)):
        sys.exit("%s is not a number where the reference is one, or the other way round" % name)
    ours, theirs = numpy.where(both, 0, ours), numpy.where(both, 0, theirs)
    worst = numpy.max(numpy.abs(ours - theirs) / (1 + numpy.abs(theirs)))
    if not worst <= tolerance:
        place = int(numpy.argmax(numpy.abs(ours - theirs) / (1 + numpy.abs(theirs))))
        sys.exit("%s differs by %g: component %d has %.17g, the reference %.17g" %
                 (name, worst, place, ours[place], theirs[place]))


def compare(name, labels, intensity, spacing):
    """All columns that an independent program has."""
    dimension = labels.ndim
    axes = "xyz"[:dimension]
    ours = measured(labels, intensity, reference_formulas.Geometry(spacing),
                    "place,shape,surface,topology,feret,neighbors,intensity,inscribed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = skimage.measure.regionprops(labels.astype(numpy.int32), intensity, spacing=spacing[::-1])
        plain = skimage.measure.regionprops(labels.astype(numpy.int32))
        voxel = numpy.prod(spacing)
        size = "area_mm2" if dimension == 2 else "volume_mm3"
        check("label", ours["label"], [r.label for r in theirs])
        check(size, ours[size], [r.area for r in theirs])
        check("voxel_count", ours["voxel_count"], [r.num_pixels for r in theirs])
        check("bbox_fill", ours["bbox_fill"], [r.extent for r in plain])
        check("equivalent_spherical_diameter_mm", ours["equivalent_spherical_diameter_mm"],
              [r.equivalent_diameter_area for r in theirs])
        for axis, letter in enumerate(axes):
            at = dimension - 1 - axis
            check("bbox_min_" + letter, ours["bbox_min_" + letter], [r.bbox[at] for r in theirs])
            check("bbox_max_" + letter, ours["bbox_max_" + letter], [r.bbox[at + dimension] - 1 for r in theirs])
            check("centroid_%s_mm" % letter, ours["centroid_%s_mm" % letter], [r.centroid[at] for r in theirs])
            check("weighted_centroid_%s_mm" % letter, ours["weighted_centroid_%s_mm" % letter],
                  [r.centroid_weighted[at] for r in theirs])
        check("intensity_min", ours["intensity_min"], [r.intensity_min for r in theirs])
        check("intensity_max", ours["intensity_max"], [r.intensity_max for r in theirs])
        check("intensity_mean", ours["intensity_mean"], [r.intensity_mean for r in theirs])
        for percentage in (5, 10, 50, 90, 95):
            column = "intensity_median" if percentage == 50 else "intensity_p%d" % percentage
            check(column, ours[column], [numpy.percentile(r.image_intensity[r.image], percentage) for r in theirs])
        neighbors = "8" if dimension == 2 else "26"
        check("euler_number_" + neighbors, ours["euler_number_" + neighbors], [r.euler_number for r in plain])
        faces = "4" if dimension == 2 else "6"
        check("euler_number_" + faces, ours["euler_number_" + faces],
              [skimage.measure.euler_number(r.image, connectivity=1) for r in plain])
        if dimension == 2 and spacing[0] == spacing[1] == 1:
            check("perimeter_mm", ours["perimeter_mm"],
                  [skimage.measure.perimeter_crofton(numpy.pad(r.image, 1), directions=4) for r in plain])
            check("perimeter_2_mm", ours["perimeter_2_mm"],
                  [skimage.measure.perimeter_crofton(numpy.pad(r.image, 1), directions=2) for r in plain])
    covariances, ferets, insides, volumes = [], [], [], []
    for r in theirs:
        points = (numpy.argwhere(r.image) + r.bbox[:dimension])[:, ::-1] * numpy.asarray(spacing)
        covariances.append(numpy.linalg.eigvalsh(numpy.atleast_2d(numpy.cov(points.T, bias=True)))
                           if len(points) > 1 else numpy.zeros(dimension))
        ferets.append(reference_formulas.largest_distance(points))
        # The nearest voxel outside is at most this far from the inscribed ball's surface.
        inside = scipy.ndimage.distance_transform_edt(numpy.pad(r.image, 1), sampling=spacing[::-1]).max()
        insides.append(2 * inside)
    for i in range(dimension):
        column = "principal_moment_%d_mm2" % (i + 1)
        check(column, ours[column], [max(0, c[i]) for c in covariances], 1e-8)
    check("feret_diameter_mm", ours["feret_diameter_mm"], ferets)
    diagonal = numpy.sqrt(numpy.sum(numpy.square(spacing)))
    gap = numpy.array(insides) - ours["inscribed_sphere_diameter_mm"]
    if gap.min() < -1e-5 or gap.max() > diagonal + 1e-5:
        sys.exit("inscribed_sphere_diameter_mm differs by more than a voxel: %g .. %g" % (gap.min(), gap.max()))
    area = {}
    for axis in range(dimension):
        low = [slice(None)] * dimension
        high = [slice(None)] * dimension
        low[axis], high[axis] = slice(None, -1), slice(1, None)
        a, b = labels[tuple(low)], labels[tuple(high)]
        face = voxel / spacing[dimension - 1 - axis]
        for x, y in zip(*(side[(a != b) & (a != 0) & (b != 0)] for side in (a, b))):
            for one in (x, y):
                area[one] = area.get(one, 0) + face
    contact = "contact_length_mm" if dimension == 2 else "contact_area_mm2"
    check(contact, ours[contact], [area.get(label, 0) for label in ours["label"]])
    print("%s: %d components agree" % (name, len(theirs)))


# The columns computed in single precision.
TOLERANCES = {"inscribed_sphere_diameter_mm": 1e-6, "thickness_mean_mm": 1e-6, "thickness_max_mm": 1e-6}


def compare_by_definition(name, labels, intensity, geometry, part):
    """All columns that there are."""
    ours = measured(labels, intensity, geometry,
                    "place,shape,surface,topology,feret,hull,geodesic,skeleton,neighbors,intensity,inscribed,thickness",
                    part)
    found = numpy.argwhere(labels != 0)
    everything = found[:, ::-1], labels[tuple(found.T)].astype(int)
    outside = numpy.argwhere(part == 0)[:, ::-1]
    theirs = []
    for i, label in enumerate(numpy.unique(everything[1])):
        component = reference_formulas.Component(labels, label, geometry, intensity, {k: v[i] for k, v in ours.items()})
        columns = {}
        for group in (component.places(), component.intensities(), component.shapes(), component.extents(),
                      component.hulls(), component.geodesics(), component.skeletons(), component.surfaces(),
                      component.topology(), component.thickness(),
                      component.neighbors(everything), component.part_distance(outside)):
            columns.update(group)
        if component.wrong:
            sys.exit("%s, component %d has %s" % (name, label, "; ".join(component.wrong)))
        theirs.append(columns)
    for column in ours:
        if column not in theirs[0]:
            sys.exit("%s has no definition to be compared with" % column)
        check(column, ours[column], [columns[column] for columns in theirs], TOLERANCES.get(column, 1e-8))
    print("%s: all %d columns of %d components as defined" % (name, len(ours), len(theirs)))


def compare_far_from_zero(random):
    """Moments of base + step * number, which are those of the numbers, of types that do not hold their squares."""
    labels, _ = scipy.ndimage.label(random.random((20, 30, 40)) < 0.25)
    labels = labels.astype(numpy.uint16)
    names = range(1, labels.max() + 1)
    numbers = numpy.floor(random.gamma(1, 50, labels.shape))
    of_component = [numbers[labels == name].astype(numpy.longdouble) for name in names]
    for kind, base, step in (("float64", 1e12, 2.0**-12), ("float64", -1e12, 2.0**-12), ("float64", 1e15, 1), ("float64", 0, 0.1),
                             ("float32", 2**23, 1), ("int64", 2**62 + 1, 3), ("int64", -2**63, 7), ("uint64", 2**64 - 20000, 3),
                             ("uint64", 2**53 + 1, 1), ("int64", 2**53 + 1, 2**40)):
        if kind.startswith("float"):
            intensity = (base + step * numbers).astype(kind)
        else:
            intensity = numpy.array([base + step * int(number) for number in numbers.flat], kind).reshape(labels.shape)
        ours = measured(labels, intensity, reference_formulas.Geometry((1, 1, 1)), "intensity")

        def check_relative(column, theirs, tolerance=1e-12):
            theirs = numpy.array(theirs, float)
            scale = numpy.where(theirs == 0, 1, theirs)
            check("%s of %s at %g" % (column, kind, base), (ours[column] - theirs) / scale, 0 * theirs, tolerance)

        deviations = [numpy.std(n, ddof=1) if len(n) > 1 else numpy.longdouble(0) for n in of_component]
        check_relative("intensity_std", [step * deviation for deviation in deviations])
        check_relative("intensity_mean", [base + step * numpy.mean(n) for n in of_component])
        check_relative("intensity_sum", [len(n) * numpy.longdouble(base) + step * numpy.sum(n) for n in of_component])
        for column, power, less in (("intensity_skewness", 3, 0), ("intensity_kurtosis", 4, 3)):
            theirs = [float(numpy.mean((n - numpy.mean(n))**power) / deviation**power - less) if deviation != 0 else 0
                      for n, deviation in zip(of_component, deviations)]
            check("%s of %s at %g" % (column, kind, base), ours[column], theirs, 1e-9)
    for value in (0.1, 1 / 3, -1000.1, 1e7 + 0.1):
        for kind in ("float32", "float64"):
            intensity = numpy.full(labels.shape, value, kind)
            ours = measured(labels, intensity, reference_formulas.Geometry((1, 1, 1)), "intensity")
            for column in ("intensity_std", "intensity_variance", "intensity_skewness", "intensity_kurtosis"):
                check("%s of equal values" % column, ours[column], numpy.zeros(len(names)), 0)
            check("intensity_mean of equal values", ours["intensity_mean"], numpy.full(len(names), float(intensity[0, 0, 0])), 0)
    print("far from zero: moments of %d components agree" % len(names))


def voxels_of(path, offset_marker, dtype, shape):
    """Voxels that a file holds compressed, behind its header if it has one."""
    with open(path, "rb") as stream:
        content = stream.read()
    return numpy.frombuffer(gzip.decompress(content[content.index(offset_marker) + len(offset_marker):]), dtype).reshape(shape)


def main():
    random = numpy.random.default_rng(5)
    compare_far_from_zero(numpy.random.default_rng(8))
    for dimension, shape, spacing in ((3, (20, 31, 45), (0.5, 1.25, 2)), (3, (16, 16, 70), (1, 1, 1)),
                                      (2, (60, 91), (1, 1)), (2, (40, 50), (0.3, 2))):
        coarse = [-(-n // 3) for n in shape]
        segments = numpy.kron(random.integers(0, 30, coarse), numpy.ones([3] * dimension, int))
        segments = segments[tuple(slice(0, n) for n in shape)].astype(numpy.uint16)
        segments[segments > 18] = 0
        segments[random.random(shape) < 0.03] = 0
        intensity = random.normal(100, 30, shape)
        compare("segments %s" % "x".join(map(str, shape)), segments, intensity, spacing)
        blobs, _ = scipy.ndimage.label(random.random(shape) < 0.2)
        values = random.integers(-500, 1500, shape).astype(numpy.int16)
        compare("blobs %s" % "x".join(map(str, shape)), blobs.astype(numpy.uint16), values, spacing)
        # Turned in space, and far from its origin.
        turned, _ = numpy.linalg.qr(random.normal(size=(dimension, dimension)))
        turned[:, 0] *= numpy.sign(numpy.linalg.det(turned))
        geometry = reference_formulas.Geometry(spacing, turned, random.normal(0, 200, dimension))
        part = (random.random(shape) < 0.995).astype(numpy.uint8)
        half = tuple(slice(0, n // 2) for n in shape)
        for kind, some in (("segments", segments[half]), ("blobs", blobs[half])):
            compare_by_definition("turned %s %s" % (kind, "x".join(map(str, some.shape))),
                                  numpy.ascontiguousarray(some.astype(numpy.uint16)), numpy.ascontiguousarray(values[half]),
                                  geometry, numpy.ascontiguousarray(part[half]))
    data = sys.argv[1] if len(sys.argv) > 1 else ""
    mask = os.path.join(data, "masks", "engine_ge140_256_256_128.raw.gz")
    if os.path.exists(mask):
        voxels = voxels_of(mask, b"", numpy.uint8, (128, 256, 256))
        part = numpy.ascontiguousarray(voxels[:, 60:200, 60:200])
        labels, _ = scipy.ndimage.label(part, scipy.ndimage.generate_binary_structure(3, 3))
        compare("engine", labels.astype(numpy.uint16), part * 3, (1, 1, 1))
    mask = os.path.join(data, "masks", "rockgray_pores_100_100_100.raw.gz")
    scan = os.path.join(data, "vol", "rockgray_100x100x100.nrrd")
    if os.path.exists(mask) and os.path.exists(scan):
        corner = tuple(slice(30, 66) for _ in range(3))
        pores = voxels_of(mask, b"", numpy.uint8, (100, 100, 100))[corner]
        grays = numpy.ascontiguousarray(voxels_of(scan, b"\n\n", numpy.uint16, (100, 100, 100))[corner])
        labels, _ = scipy.ndimage.label(pores)
        inside = scipy.ndimage.distance_transform_edt(numpy.pad(numpy.ones(pores.shape), 1))[1:-1, 1:-1, 1:-1] > 2
        compare_by_definition("rock", labels.astype(numpy.uint16), grays, reference_formulas.Geometry((1, 1, 1)),
                              inside.astype(numpy.uint8))
    print("%d columns compared" % checks)


if __name__ == "__main__":
    main()
