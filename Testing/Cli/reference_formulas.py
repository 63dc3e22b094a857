# SPDX-License-Identifier: Apache-2.0
"""The columns of the component table by their definitions (Source/Engine/Tables/COLUMNS.md), voxel by voxel with numpy and
scipy: slow, and by other ways than BrickCCL's. reference_measures.py compares them."""

import functools
import itertools

import numpy
import scipy.ndimage
import scipy.optimize
import scipy.sparse
import scipy.spatial
import skimage.measure
import skimage.morphology

try:
    import skan.csr as skan
except ImportError:
    skan = None

PAIRS_AT_ONCE = 2000000


class Geometry:
    """Where the voxel at an index (x first) lies: `origin` + `direction` applied to spacing times index."""

    def __init__(self, spacing, direction=None, origin=None):
        self.spacing = numpy.asarray(spacing, float)
        self.dimension = len(self.spacing)
        self.direction = numpy.eye(self.dimension) if direction is None else numpy.asarray(direction, float)
        self.origin = numpy.zeros(self.dimension) if origin is None else numpy.asarray(origin, float)
        self.is_exact = direction is None

    def place(self, indices):
        return self.origin + (numpy.asarray(indices, float) * self.spacing) @ self.direction.T

    def corners(self, indices):
        """The corners of voxels as boxes."""
        ways = numpy.array(list(itertools.product((-0.5, 0.5), repeat=self.dimension)))
        return self.place((numpy.asarray(indices, float)[:, None] + ways).reshape(-1, self.dimension))


def smallest_distances(own, others, spacing, gap):
    """From each of `own` to the nearest of `others`, of which along each axis `gap` voxels do not count: 0 between centers,
    0.5 from a center to a box, 1 between boxes."""
    smallest = numpy.full(len(own), numpy.nan)
    if len(others) == 0:
        return smallest
    step = max(1, PAIRS_AT_ONCE // len(others))
    for at in range(0, len(own), step):
        apart = numpy.abs(own[at:at + step, None] - others)
        smallest[at:at + step] = numpy.sqrt((numpy.square(numpy.maximum(apart - gap, 0) * spacing)).sum(-1).min(1))
    return smallest


def crossings(mask, way):
    """How often lines along `way` (x first) enter or leave a mask that is padded by one voxel."""
    low, high = [], []
    for step in way[::-1]:
        low.append(slice(max(0, -step), -step if step > 0 else None))
        high.append(slice(max(0, step), step if step < 0 else None))
    return numpy.count_nonzero(mask[tuple(low)] != mask[tuple(high)])


def directions(spacing, axes_only):
    """Directions to neighbors, one of each pair, and the share of the sphere (circle) that is nearest to each pair."""
    dimension = len(spacing)
    ways = [way for way in itertools.product((-1, 0, 1), repeat=dimension) if any(way)]
    if axes_only:
        ways = [way for way in ways if numpy.abs(way).sum() == 1]
        shares = numpy.full(len(ways), 1 / len(ways))
    else:
        units = numpy.array(ways) * spacing
        units /= numpy.linalg.norm(units, axis=1)[:, None]
        if dimension == 2:
            angles = numpy.arctan2(units[:, 1], units[:, 0])
            order = numpy.argsort(angles)
            around = numpy.diff(numpy.concatenate([angles[order], [angles[order][0] + 2 * numpy.pi]]))
            shares = numpy.empty(len(ways))
            shares[order] = (around + numpy.roll(around, 1)) / (4 * numpy.pi)
        else:
            shares = scipy.spatial.SphericalVoronoi(units).calculate_areas() / (4 * numpy.pi)
    return [(way, 2 * share) for way, share in zip(ways, shares) if way > tuple(-step for step in way)]


def crofton(mask, spacing, axes_only):
    """Surface (perimeter) from the crossings of all lines of voxels along some directions: half of what a set's lines cross
    is what it covers, seen along them."""
    factor = 2 if mask.ndim == 3 else numpy.pi / 2
    return factor * sum(share * crossings(mask, way) * numpy.prod(spacing) / numpy.linalg.norm(way * spacing)
                        for way, share in directions(spacing, axes_only))


def missed(mask, spacing):
    """What the lines of crofton() miss of a ball (disk) of the mask's volume: short chords are hit in some places only. By
    numerical integration over the distance of the chords from the center."""
    volume = mask.sum() * numpy.prod(spacing)
    radius = (volume / numpy.pi) ** 0.5 if mask.ndim == 2 else (6 * volume / numpy.pi) ** (1 / 3) / 2
    total = 0
    for way, share in directions(spacing, False):
        length = numpy.linalg.norm(way * spacing)
        nearest = numpy.sqrt(max(0, radius ** 2 - length ** 2 / 4))
        angles = numpy.linspace(numpy.arcsin(nearest / radius), numpy.pi / 2, 20001)
        middle = (angles[1:] + angles[:-1]) / 2
        density = (1 - 2 * radius * numpy.cos(middle) / length) * radius * numpy.cos(middle)
        around = 2 if mask.ndim == 2 else 2 * numpy.pi * radius * numpy.sin(middle)
        total += share * (density * around).sum() * (angles[1] - angles[0])
    return (numpy.pi if mask.ndim == 2 else 4) * total


def largest_distance(points):
    """Between any two of them."""
    if len(points) > 500:
        try:
            points = points[scipy.spatial.ConvexHull(points).vertices]
        except scipy.spatial.QhullError:
            pass
    return scipy.spatial.distance.pdist(points).max() if len(points) > 1 else 0


def encloses(points, center, diameter):
    """Whether a ball is the smallest one around all points: it holds them, and its center lies in the hull of those on its
    surface."""
    radius = diameter / 2
    away = numpy.linalg.norm(points - center, axis=1)
    on_surface = points[away > radius * (1 - 1e-7)] - center
    if away.max() > radius * (1 + 1e-9) or len(on_surface) == 0:
        return False
    _, rest = scipy.optimize.nnls(numpy.vstack([on_surface.T / radius, numpy.ones(len(on_surface))]),
                                  numpy.concatenate([numpy.zeros(points.shape[1]), [1]]))
    return rest < 1e-5


def steps_within(mask, spacing):
    """The distances between the centers of neighbors in a mask (x last), as a sparse matrix over its voxels."""
    numbers = numpy.pad(numpy.where(mask, numpy.cumsum(mask).reshape(mask.shape), 0), 1)
    found = numpy.argwhere(numbers)
    steps = scipy.sparse.lil_matrix((len(found), len(found)))
    for way in itertools.product((-1, 0, 1), repeat=mask.ndim):
        to = numbers[tuple((found + way).T)]
        own = numpy.flatnonzero(to) if any(way) else []
        steps[own, to[own] - 1] = numpy.linalg.norm(numpy.multiply(way, spacing[::-1]))
    return steps.tocsr()


class Component:
    """One component's columns. \\param row  what is to be compared, for what has several right answers (the axes)."""

    def __init__(self, labels, label, geometry, intensity, row):
        self.labels = labels
        self.label = label
        self.geometry = geometry
        self.row = row
        self.wrong = []
        found = numpy.argwhere(labels == label)
        self.indices = found[:, ::-1]
        self.values = intensity[tuple(found.T)].astype(float)
        low, high = found.min(0), found.max(0) + 1
        self.mask = numpy.pad(labels[tuple(slice(a, b) for a, b in zip(low, high))] == label, 1)
        self.corner = low[::-1] - 1

    def axis_columns(self, name, values, ending=""):
        return {name + letter + ending: value for letter, value in zip("xyz", values)}

    def places(self):
        geometry, dimension = self.geometry, self.geometry.dimension
        low, high = self.indices.min(0), self.indices.max(0)
        size = numpy.array(self.labels.shape[::-1])
        volume = len(self.indices) * numpy.prod(geometry.spacing)
        diameter = 2 * numpy.sqrt(volume / numpy.pi) if dimension == 2 else (6 * volume / numpy.pi) ** (1 / 3)
        box = geometry.corners([low + numpy.array(way) * (high - low)
                                for way in itertools.product((0, 1), repeat=dimension)])
        centroid = self.indices.mean(0)
        columns = {"label": self.label, "voxel_count": len(self.indices),
                   "area_mm2" if dimension == 2 else "volume_mm3": volume,
                   "equivalent_spherical_diameter_mm": diameter, "equivalent_spherical_radius_mm": diameter / 2,
                   "touches_border": int(numpy.any(low == 0) or numpy.any(high == size - 1)),
                   "bbox_fill": len(self.indices) / numpy.prod(high - low + 1)}
        columns.update(self.axis_columns("bbox_min_", low))
        columns.update(self.axis_columns("bbox_max_", high))
        columns.update(self.axis_columns("bbox_min_", box.min(0), "_mm"))
        columns.update(self.axis_columns("bbox_max_", box.max(0), "_mm"))
        columns.update(self.axis_columns("centroid_", centroid))
        columns.update(self.axis_columns("centroid_", geometry.place(centroid), "_mm"))
        columns.update(self.axis_columns("first_voxel_", self.indices[0]))
        columns.update(self.axis_columns("touches_", (low == 0).astype(int), "_min"))
        columns.update(self.axis_columns("touches_", (high == size - 1).astype(int), "_max"))
        return columns

    def intensities(self):
        values, count = self.values, len(self.values)
        deviation = values.std(ddof=1) if count > 1 else 0.0
        columns = {"intensity_min": values.min(), "intensity_max": values.max(), "intensity_sum": values.sum(),
                   "intensity_mean": values.mean(), "intensity_std": deviation, "intensity_variance": deviation ** 2}
        about = values - values.mean()
        for name, power, less in (("intensity_skewness", 3, 0), ("intensity_kurtosis", 4, 3)):
            columns[name] = 0 if values.min() == values.max() else (about ** power).mean() / deviation ** power - less
        for percentage in (5, 10, 50, 90, 95):
            columns["intensity_median" if percentage == 50 else "intensity_p%d" % percentage] = \
                numpy.percentile(values, percentage)
        centroid = numpy.full(self.geometry.dimension, numpy.nan)
        if values.sum() != 0:
            centroid = (self.indices * values[:, None]).sum(0) / values.sum()
        columns.update(self.axis_columns("weighted_centroid_", centroid))
        columns.update(self.axis_columns("weighted_centroid_", self.geometry.place(centroid), "_mm"))
        return columns

    @functools.cached_property
    def axes(self):
        """The principal axes of the row, which must be that; of several right ones any will do."""
        dimension = self.geometry.dimension
        points = self.geometry.place(self.indices)
        self.covariance = numpy.cov(points.T, bias=True) if len(points) > 1 else numpy.zeros((dimension, dimension))
        scale = max(numpy.trace(self.covariance), 1e-300)
        axes = numpy.array([[self.row["principal_axis_%d_%s" % (i + 1, "xyz"[k])] for k in range(dimension)]
                            for i in range(dimension)])
        moments = numpy.maximum(numpy.linalg.eigvalsh(self.covariance), 0)
        if numpy.abs(axes @ axes.T - numpy.eye(dimension)).max() > 1e-9:
            self.wrong.append("principal axes that are not at right angles or no unit vectors")
        if numpy.abs(self.covariance @ axes.T - axes.T * moments).max() > 1e-7 * scale:
            self.wrong.append("principal axes that are not the covariance's")
        for axis in axes:
            if axis[numpy.abs(axis) > numpy.abs(axis).max() - 1e-9].max() < 0:
                self.wrong.append("a principal axis whose largest component is negative")
        return axes, moments

    def shapes(self):
        dimension = self.geometry.dimension
        axes, moments = self.axes
        columns = {}
        for i, k in itertools.combinations_with_replacement(range(dimension), 2):
            columns["covariance_%s%s_mm2" % ("xyz"[i], "xyz"[k])] = self.covariance[i, k]
        is_flat = moments <= 1e-12 * max(moments.max(), 1e-300)
        moments = numpy.where(is_flat, 0, moments)
        roots = numpy.sqrt(moments)
        unit = 0 if is_flat.any() else \
            self.places()["equivalent_spherical_diameter_mm"] / numpy.prod(roots) ** (1 / dimension)
        for i in range(dimension):
            columns["principal_moment_%d_mm2" % (i + 1)] = moments[i]
            columns["axis_length_%d_mm" % (i + 1)] = 2 * numpy.sqrt((dimension + 2) * moments[i])
            columns["ellipsoid_diameter_%d_mm" % (i + 1)] = roots[i] * unit
            columns.update(self.axis_columns("principal_axis_%d_" % (i + 1), axes[i]))
        columns["elongation"] = roots[-1] / roots[-2] if roots[-2] > 0 else 0
        columns["flatness"] = roots[1] / roots[0] if roots[0] > 0 else 0
        longest = axes[-1]
        azimuth = numpy.degrees(numpy.arctan2(longest[1], longest[0]))
        azimuth = azimuth - 180 if azimuth > 90 else azimuth + 180 if azimuth <= -90 else azimuth
        columns["azimuth_deg"] = azimuth if numpy.any(longest[:2] != 0) else 0
        if dimension == 3:
            columns["inclination_deg"] = numpy.degrees(numpy.arcsin(min(1, abs(longest[2]))))
        return columns

    def extents(self):
        geometry, dimension = self.geometry, self.geometry.dimension
        points = geometry.place(self.indices)
        corners = geometry.corners(self.indices)
        columns = {"feret_diameter_mm": largest_distance(points)}
        names = ["enclosing_sphere_%s_mm" % letter for letter in "xyz"[:dimension]] + ["enclosing_sphere_diameter_mm"]
        if not encloses(corners, [self.row[name] for name in names[:-1]], self.row[names[-1]]):
            self.wrong.append("a ball that is not the smallest around all voxels")
        columns.update((name, self.row[name]) for name in names)
        axes, _ = self.axes
        along = corners @ axes.T
        for i in range(dimension):
            columns["oriented_box_size_%d_mm" % (i + 1)] = numpy.ptp(along[:, i])
        columns.update(self.axis_columns("oriented_box_", (along.min(0) + along.max(0)) / 2 @ axes, "_mm"))
        return columns

    def hulls(self):
        """Of all directions across faces and across two edges, whether these are opposite or not, the one of least width."""
        dimension = self.geometry.dimension
        hull = scipy.spatial.ConvexHull(numpy.unique(self.geometry.corners(self.indices) - self.geometry.origin, axis=0))
        points = hull.points[hull.vertices]
        ways = [hull.equations[:, :-1]]
        if dimension == 3:
            edges = {(min(pair), max(pair)) for face in hull.simplices for pair in itertools.combinations(face, 2)}
            along = numpy.array([hull.points[b] - hull.points[a] for a, b in edges])
            along /= numpy.linalg.norm(along, axis=1)[:, None]
            along = numpy.unique(along.round(9), axis=0)
            ways += [numpy.cross(one, along[:at]) for at, one in enumerate(along) if at]
        ways = numpy.concatenate(ways)
        lengths = numpy.linalg.norm(ways, axis=1)
        ways = ways[lengths > 1e-6] / lengths[lengths > 1e-6, None]
        widths = [numpy.ptp(points @ ways[at:at + 10000].T, axis=0).min() for at in range(0, len(ways), 10000)]
        return {"convex_area_mm2" if dimension == 2 else "convex_volume_mm3": hull.volume,
                "solidity": len(self.indices) * numpy.prod(self.geometry.spacing) / hull.volume,
                "caliper_width_mm": min(widths)}

    def geodesics(self):
        paths = scipy.sparse.csgraph.shortest_path(steps_within(self.mask, self.geometry.spacing), "D")
        return {"geodesic_diameter_mm": paths[numpy.isfinite(paths)].max()}

    def skeletons(self):
        """Of the whole image, because scikit-image thins an image of one slice in another way. It removes some pieces
        altogether; one voxel of these should be left."""
        mask = skimage.morphology.skeletonize(self.labels == self.label, method="lee") != 0
        pieces, count = scipy.ndimage.label(self.labels == self.label, numpy.ones([3] * mask.ndim))
        vanished = count - len(numpy.unique(pieces[mask]))
        steps = steps_within(mask, self.geometry.spacing)
        neighbors = numpy.asarray((steps != 0).sum(0)).ravel()
        junctions = steps[neighbors > 2][:, neighbors > 2]
        length = (steps.sum() - junctions.sum()) / 2 + scipy.sparse.csgraph.minimum_spanning_tree(junctions).sum()
        if skan and steps.nnz:
            theirs = skan.skeleton_to_csgraph(mask, spacing=self.geometry.spacing[::-1])[0].sum() / 2
            if abs(length - theirs) > 1e-9 * length:
                self.wrong.append("a skeleton whose length is not what skan finds")
        branches = scipy.sparse.csgraph.connected_components(steps[neighbors < 3][:, neighbors < 3])[0]
        return {"skeleton_voxels": mask.sum() + vanished, "skeleton_length_mm": length, "skeleton_ends": (neighbors == 1).sum(),
                "skeleton_branches": branches - (neighbors == 0).sum()}

    def surfaces(self):
        spacing, dimension = self.geometry.spacing, self.geometry.dimension
        faces = sum(crossings(self.mask, way) * numpy.prod(spacing) / spacing[numpy.argmax(way)]
                    for way in numpy.eye(dimension, dtype=int))
        around = crofton(self.mask, spacing, False)
        size = len(self.indices) * numpy.prod(spacing)
        if dimension == 2:
            circularity = min(1, 4 * numpy.pi * size / (around + missed(self.mask, spacing)) ** 2)
            return {"perimeter_mm": around, "perimeter_2_mm": crofton(self.mask, spacing, True),
                    "face_perimeter_mm": faces, "circularity": circularity,
                    "roundness": 2 * numpy.sqrt(numpy.pi * size) / around, "opening_mm": 2 * size / around}
        ball = numpy.pi ** (1 / 3) * (6 * size) ** (2 / 3)
        sphericity = min(1, ball / (around + missed(self.mask, spacing)))
        return {"surface_area_mm2": around, "surface_area_3_mm2": crofton(self.mask, spacing, True),
                "face_area_mm2": faces, "sphericity": sphericity, "compactness": sphericity ** 3, "roundness": ball / around,
                "opening_mm": 2 * size / around}

    def topology(self):
        columns = {}
        for rank, neighbors in ((1, (4, 6)), (self.geometry.dimension, (8, 26))):
            at = neighbors[self.geometry.dimension - 2]
            number = skimage.measure.euler_number(self.mask, connectivity=rank)
            columns["euler_number_%d" % at] = number
            columns["tunnels_less_cavities_%d" % at] = 1 - number
            columns["holes_%d" % at] = 1 - number
        return columns

    def thickness(self):
        spacing, dimension = self.geometry.spacing, self.geometry.dimension
        beside = skimage.morphology.dilation(self.mask, numpy.ones([3] * dimension)) & ~self.mask
        outside = numpy.argwhere(beside)[:, ::-1] + self.corner
        radii = smallest_distances(self.indices, outside, spacing, 0.5)
        largest = numpy.zeros(len(radii))
        for at in range(len(radii)):
            away = numpy.linalg.norm((self.indices - self.indices[at]) * spacing, axis=1)
            largest[at] = radii[away < radii * (1 - 1e-6)].max()
        first = self.indices[numpy.argmax(radii >= radii.max() * (1 - 1e-6))]
        columns = {"inscribed_sphere_diameter_mm": 2 * radii.max(), "thickness_mean_mm": 2 * largest.mean(),
                   "thickness_max_mm": 2 * largest.max()}
        columns.update(self.axis_columns("inscribed_sphere_", first))
        return columns

    def neighbors(self, everything):
        """\\param everything  indices of all components' voxels, and their labels."""
        spacing, dimension = self.geometry.spacing, self.geometry.dimension
        indices, owners = everything
        others = owners != self.label
        distances = smallest_distances(indices[others], self.indices, spacing, 1)
        distance = distances.min() if len(distances) else numpy.nan
        as_near = owners[others][distances <= distance * (1 + 1e-9)]
        nearest = min(as_near, default=0)
        if not self.geometry.is_exact and self.row["nearest_label"] in as_near:
            # Lengths along turned axes are rounded, so one of several equally near ones may become nearer.
            nearest = self.row["nearest_label"]
        touching = {}
        whole = numpy.pad(self.labels, 1)
        for axis in range(dimension):
            a, b = (numpy.take(whole, range(from_, whole.shape[axis] - 1 + from_), axis) for from_ in (0, 1))
            face = numpy.prod(spacing) / spacing[dimension - 1 - axis]
            for one, other in ((a, b), (b, a)):
                for label in other[(one == self.label) & (other != self.label) & (other != 0)]:
                    touching[label] = touching.get(label, 0) + face
        return {"nearest_distance_mm": distance,
                "nearest_label": nearest,
                "touching_count": len(touching),
                "contact_length_mm" if dimension == 2 else "contact_area_mm2": sum(touching.values())}

    def part_distance(self, outside):
        distances = smallest_distances(self.indices, outside, self.geometry.spacing, 1)
        return {"surface_distance_mm": distances.min() if len(outside) else numpy.nan}
