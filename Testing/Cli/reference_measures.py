"""Compares the columns of the component table with numpy, scipy and scikit-image, on seeded label maps and, where they are
present, on real masks (see Testing/README.md). Skipped with a message where the packages are not installed
(Testing/Benchmarks/install-peers.sh installs them into build/peers).

    build/peers/bin/python Testing/Cli/reference_measures.py [FOLDER OF REFERENCE DATA]"""

import csv
import os
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy
    import scipy.ndimage
    import scipy.spatial
    import skimage.measure
except ImportError as error:
    print("skipped: %s; Testing/Benchmarks/install-peers.sh installs the packages" % error)
    sys.exit(77)

COMMAND = os.environ["BRICKCCL"]
KINDS = {"uint8": "unsigned char", "uint16": "unsigned short", "uint32": "unsigned int", "int16": "short",
         "float64": "double"}
checks = 0


def write(path, voxels, spacing):
    """Writes an array indexed [z, y, x] or [y, x]."""
    dimension = voxels.ndim
    sizes = voxels.shape[::-1]
    lines = ["NRRD0004", "type: " + KINDS[str(voxels.dtype)], "dimension: %d" % dimension,
             "sizes: " + " ".join(map(str, sizes)), "endian: little", "encoding: raw",
             "space dimension: %d" % dimension,
             "space directions: " + " ".join("(" + ",".join(repr(float(spacing[i])) if i == k else "0"
                                                              for k in range(dimension)) + ")" for i in range(dimension)),
             "space origin: (" + ",".join(["0"] * dimension) + ")"]
    with open(path, "wb") as stream:
        stream.write(("\n".join(lines) + "\n\n").encode() + voxels.tobytes())


def measured(folder, labels, intensity, spacing, columns):
    paths = [os.path.join(folder, name) for name in ("labels.nrrd", "intensity.nrrd", "table.csv")]
    write(paths[0], labels, spacing)
    write(paths[1], intensity, spacing)
    subprocess.run([COMMAND, "stats", paths[0], "--intensity", paths[1], "-o", paths[2], "--columns", columns, "--quiet"],
                   check=True)
    with open(paths[2]) as stream:
        rows = list(csv.DictReader(stream))
    return {name: numpy.array([float(row[name]) for row in rows]) for name in rows[0]}


def check(name, ours, theirs, tolerance=1e-9):
    global checks
    checks += 1
    theirs = numpy.asarray(theirs, float)
    both = numpy.isnan(ours) & numpy.isnan(theirs)
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
    with tempfile.TemporaryDirectory() as folder:
        ours = measured(folder, labels, intensity, spacing,
                        "place,shape,surface,topology,feret,neighbours,intensity,inscribed")
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
        neighbours = "8" if dimension == 2 else "26"
        check("euler_number_" + neighbours, ours["euler_number_" + neighbours], [r.euler_number for r in plain])
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
        hull = points
        if len(points) > 500:
            try:
                hull = points[scipy.spatial.ConvexHull(points).vertices]
            except scipy.spatial.QhullError:
                pass
        ferets.append(scipy.spatial.distance.pdist(hull).max() if len(hull) > 1 else 0)
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


def main():
    random = numpy.random.default_rng(5)
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
        compare("blobs %s" % "x".join(map(str, shape)), blobs.astype(numpy.uint16),
                random.integers(-500, 1500, shape).astype(numpy.int16), spacing)
    folder = os.path.join(sys.argv[1], "masks") if len(sys.argv) > 1 else ""
    mask = os.path.join(folder, "engine_ge140_256_256_128.nhdr")
    if os.path.exists(mask):
        import gzip
        with gzip.open(mask.replace(".nhdr", ".raw.gz")) as stream:
            voxels = numpy.frombuffer(stream.read(), numpy.uint8).reshape(128, 256, 256)
        part = numpy.ascontiguousarray(voxels[:, 60:200, 60:200])
        labels, _ = scipy.ndimage.label(part, scipy.ndimage.generate_binary_structure(3, 3))
        compare("engine", labels.astype(numpy.uint16), part * 3, (1, 1, 1))
    print("%d columns compared" % checks)


if __name__ == "__main__":
    main()
