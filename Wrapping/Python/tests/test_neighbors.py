# SPDX-License-Identifier: Apache-2.0
"""Neighborhoods of one's own, periodic axes and graphs of voxels beside the oracle, scipy and cc3d."""

import itertools
import warnings

import numpy as np
import pytest

import brickccl
from conftest import all_steps, flood_fill, in_some_layout, random_mask, random_neighborhood, random_shape


def random_problem(random, most=6):
    """An image, the arguments for it, and whether two neighbors are joined."""
    dimension = int(random.integers(1, 5))
    shape = random_shape(random, dimension, most)
    values = random_mask(random, shape) * random.integers(1, 4, shape)
    kind = random.integers(0, 3)
    if kind == 0:
        return values.astype("u1"), {}, lambda a, b: True
    if kind == 1:
        return values.astype("i2"), {"criterion": "equal-value"}, lambda a, b: values[a] == values[b]
    return values.astype("f4"), {"tolerance": 1}, lambda a, b: abs(int(values[a]) - int(values[b])) <= 1


def random_periodic(random, structure):
    """Some axes along which there are neighbors."""
    dimension = structure.ndim
    used = {axis for step in all_steps(dimension) if structure[tuple(np.add(step, 1))] for axis in np.flatnonzero(step)}
    return [int(axis) for axis in sorted(used) if random.random() < 0.6]


def as_some_argument(random, axes, dimension):
    """Axes in one of the ways to give them."""
    kind = random.integers(0, 4)
    if kind == 0:
        return [axis - dimension for axis in axes]
    if kind == 1:
        return [axis in axes for axis in range(dimension)]
    if kind == 2:
        return ",".join("xyzt"[dimension - 1 - axis] for axis in axes)
    return axes[0] if len(axes) == 1 else axes


@pytest.mark.parametrize("seed", range(150))
def test_neighborhoods_and_periodic_axes_are_those_of_the_oracle(seed):
    random = np.random.default_rng(seed)
    image, arguments, joined = random_problem(random)
    structure = random_neighborhood(random, image.ndim)
    periodic = random_periodic(random, structure) if seed % 2 else []
    expected, count = flood_fill(image != 0, structure, joined, periodic)
    labels, found = brickccl.label(
        in_some_layout(random, image),
        neighborhood=structure.astype(random.choice(["?", "i4", "f8"])),
        periodic=as_some_argument(random, periodic, image.ndim),
        return_count=True,
        **arguments,
    )
    np.testing.assert_array_equal(labels, expected)
    assert found == count


@pytest.mark.parametrize("seed", range(60))
def test_periodic_axes_of_every_connectivity(seed):
    random = np.random.default_rng(seed)
    image, arguments, joined = random_problem(random)
    rank = int(random.integers(1, image.ndim + 1))
    periodic = [axis for axis in range(image.ndim) if random.random() < 0.6]
    mask = random.random(image.shape) < 0.8
    expected, _ = flood_fill((image != 0) & mask, rank, joined, periodic)
    labels = brickccl.label(image, connectivity=rank, periodic=periodic, mask=mask, **arguments)
    np.testing.assert_array_equal(labels, expected)


def test_an_image_with_the_axes_x_y_z_has_its_own_order():
    nibabel = pytest.importorskip("nibabel")
    random = np.random.default_rng(5)
    data = (random.random((6, 5, 4)) < 0.4).astype(np.uint8)
    structure = random_neighborhood(random, 3)
    structure[0, 1, 1] = structure[2, 1, 1] = True
    image = nibabel.Nifti1Image(data, np.eye(4))
    labels = brickccl.label(image, neighborhood=structure, periodic=0)
    expected, _ = flood_fill(data.T != 0, structure.T, periodic=[2])
    np.testing.assert_array_equal(np.asarray(labels.dataobj), expected.T)
    np.testing.assert_array_equal(np.asarray(brickccl.label(image, neighborhood=structure, periodic="x").dataobj), expected.T)


def unwrapped(labels, periodic, steps):
    """For each label the coordinates of its voxels when it is followed through the ends, and the axes along which it
    meets its own copy."""
    found = {}
    for start in np.argwhere(labels):
        label = labels[tuple(start)]
        if label in found:
            continue
        at = {tuple(start): tuple(start)}
        wraps = set()
        waiting = [tuple(start)]
        while waiting:
            here = waiting.pop()
            for step in steps:
                to = np.add(at[here], step)
                there = tuple(
                    int(place) % size if axis in periodic else int(place)
                    for axis, (place, size) in enumerate(zip(np.add(here, step), labels.shape))
                )
                if any(not 0 <= place < size for place, size in zip(there, labels.shape)) or labels[there] != label:
                    continue
                if there not in at:
                    at[there] = tuple(int(place) for place in to)
                    waiting.append(there)
                wraps |= {axis for axis in range(labels.ndim) if at[there][axis] != to[axis]}
        found[label] = (np.array(list(at.values())), wraps)
    return found


@pytest.mark.parametrize("seed", range(60))
def test_tables_measure_unwrapped_components(seed):
    random = np.random.default_rng(seed)
    dimension = int(random.integers(1, 5))
    image = random.random(random_shape(random, dimension, 9)) < random.choice([0.15, 0.3, 0.5, 0.7])
    rank = int(random.integers(1, dimension + 1))
    periodic = [axis for axis in range(dimension) if random.random() < 0.7]
    labeling = brickccl.find(image, connectivity=rank, periodic=periodic)
    gray = random.integers(1, 9, image.shape).astype(np.uint8)
    table = labeling.table("place,shape,intensity", intensity=gray)
    labels = labeling.labels()
    steps = [step for step in all_steps(dimension) if sum(map(abs, step)) <= rank]
    parts = unwrapped(labels, periodic, steps)
    assert sorted(parts) == list(range(1, labeling.count + 1))
    for label, (places, wraps) in parts.items():
        row = {name: values[label - 1] for name, values in table.items()}
        weights = gray[tuple(places[:, axis] % size for axis, size in enumerate(image.shape))].astype(float)
        assert row["voxel_count"] == len(places)
        assert row["intensity_mean"] == pytest.approx(weights.mean())
        for axis in range(dimension):
            letter = "xyzt"[dimension - 1 - axis]
            own, size = places[:, axis], image.shape[axis]
            if axis in periodic:
                assert row[f"wraps_{letter}"] == (axis in wraps)
            if axis in wraps:
                assert (row[f"bbox_min_{letter}"], row[f"bbox_max_{letter}"]) == (0, size - 1)
                assert np.isnan(row[f"centroid_{letter}"]) and np.isnan(row[f"centroid_{letter}_voxels"])
                assert np.isnan(row[f"weighted_centroid_{letter}_voxels"])
                continue
            own = own - own.min() // size * size
            assert (row[f"bbox_min_{letter}"], row[f"bbox_max_{letter}"]) == (own.min(), own.max())
            assert row[f"centroid_{letter}"] == pytest.approx(own.mean())
            assert row[f"centroid_{letter}_voxels"] == pytest.approx(own.mean())
            weighted = (own * weights).sum() / weights.sum()
            assert row[f"weighted_centroid_{letter}_voxels"] == pytest.approx(weighted)
            covariance = row[f"covariance_{letter}{letter}_voxels"]
            assert np.isnan(covariance) if wraps else covariance == pytest.approx(own.var(), abs=1e-9)
        sides = [
            axis not in periodic and size > 1 and (0 in places[:, axis] or size - 1 in places[:, axis])
            for axis, size in enumerate(image.shape)
        ]
        assert row["touches_border"] == any(sides)


def test_what_periodic_tables_do_not_have_is_told():
    labeling = brickccl.find(np.eye(5, dtype=np.uint8), connectivity=8, periodic="xy")
    for group in ("feret", "hull", "geodesic", "skeleton", "surface", "topology", "inscribed", "thickness", "neighbors"):
        with pytest.raises(NotImplementedError, match=f"'{group}' cannot be measured in an image that is periodic along xy"):
            labeling.table(group)
    with pytest.raises(NotImplementedError, match="surface of a part"):
        labeling.table(part=np.ones((5, 5), np.uint8))
    with pytest.raises(ValueError, match="periodic images are not merged"):
        brickccl.merge_tables(labeling.table(), brickccl.find(np.eye(5, dtype=np.uint8), start=(9, 9)).table(), [])
    assert labeling.table()["wraps_x"].tolist() == [1]
    with pytest.raises(NotImplementedError, match="holes cannot be filled in an image that is periodic along xy"):
        brickccl.label(np.eye(5, dtype=np.uint8), periodic="xy", fill_holes=True)
    with pytest.raises(NotImplementedError, match="equal or similar values cannot be filled in an image that is periodic along x"):
        brickccl.label(np.eye(5, dtype=np.uint8), periodic="x", fill_holes=True, criterion="equal-value")
    # The gap between two walls goes around.
    walls = np.zeros((5, 4), np.uint8)
    walls[1] = walls[3] = 1
    assert brickccl.label(walls, periodic="x", fill_holes=True).sum(axis=1).tolist() == [0, 4, 4, 4, 0]
    assert brickccl.label(walls, fill_holes=True)[2].max() == 0
    kept = brickccl.label(np.eye(5, dtype=np.uint8), connectivity=8, periodic="xy", clear_border=True)
    assert kept.max() == 1


def test_a_neighborhood_may_be_a_text():
    image = np.random.default_rng(3).random((9, 8, 7)) < 0.2
    element = np.zeros((3, 3, 3), bool)
    element[1] = element[:, 1, 1] = True
    expected = brickccl.label(image, neighborhood=element)
    np.testing.assert_array_equal(brickccl.label(image, neighborhood="8+z"), expected)
    assert (expected != brickccl.label(image, neighborhood="8+x")).any()
    np.testing.assert_array_equal(brickccl.label(image, neighborhood="8+x"), brickccl.label(image, neighborhood=element.T))
    for text, message in (("8+t", "names the axis t"), ("9+z", "9"), ("eight", "'eight' is not a neighborhood")):
        with pytest.raises(ValueError, match=message):
            brickccl.label(image, neighborhood=text)


@pytest.mark.parametrize(
    "error, text, arguments",
    [
        (ValueError, r"offset \(1, 1\) but lacks the opposite one, \(-1, -1\)", {"neighborhood": [[0, 0, 0], [0, 1, 0], [0, 0, 1]]}),
        (ValueError, r"shape \(3, 3\), as the image", {"neighborhood": np.ones((3, 3, 3))}),
        (ValueError, "replaces connectivity", {"neighborhood": np.ones((3, 3)), "connectivity": 4}),
        (ValueError, "replaces connectivity", {"neighborhood": np.ones((3, 3)), "by_slice": 0}),
        (ValueError, "periodic=2 is not an axis", {"periodic": 2}),
        (ValueError, "different letters of 'xy'", {"periodic": "z"}),
        (ValueError, "different letters of 'xy'", {"periodic": "xx"}),
        (ValueError, "names an axis twice", {"periodic": [0, -2]}),
        (ValueError, "3 truth values; the image has 2 axes", {"periodic": [True, False, True]}),
        (TypeError, "periodic must be axes", {"periodic": [0.5]}),
        (ValueError, "cannot be periodic along y", {"periodic": 0, "neighborhood": [[0, 0, 0], [1, 1, 1], [0, 0, 0]]}),
    ],
)
def test_arguments_without_meaning_are_told(error, text, arguments):
    with pytest.raises(error, match=text):
        brickccl.label(np.ones((4, 5)), **arguments)


def test_a_neighborhood_without_neighbors_is_told_and_done():
    image = np.random.default_rng(3).random((5, 6, 7)) < 0.4
    center = np.zeros((3, 3, 3), np.uint8)
    center[1, 1, 1] = 1
    for element in (np.zeros((3, 3, 3), bool), center):
        with pytest.warns(UserWarning, match="neighborhood has no neighbor, so every voxel would be a component"):
            labels, count = brickccl.label(image, neighborhood=element, return_count=True)
        assert count == image.sum() == labels.max()
    # scipy says nothing.
    scipy_label = pytest.importorskip("brickccl.compat.scipy").label
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert scipy_label(image, center)[1] == image.sum()
        assert brickccl.label(image, neighborhood="8+z").max() < image.sum()


def graph_of(image, structure, joined, periodic):
    """The oracle of graphs, with sets of steps in the place of bits: steps out of the array are in them."""
    steps = [step for step in all_steps(image.ndim) if structure[tuple(np.add(step, 1))]]
    graph = {}
    for here in np.ndindex(image.shape):
        graph[here] = set()
        for step in steps:
            there = tuple(
                (at + along) % size if axis in periodic else at + along
                for axis, (at, along, size) in enumerate(zip(here, step, image.shape))
            )
            is_outside = any(not 0 <= at < size for at, size in zip(there, image.shape))
            if is_outside or (image[here] and image[there] and joined(here, there)):
                graph[here].add(step)
    return graph


#: In the documented order, as steps along x, y and z.
BITS = (
    [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1), (1, 1, 0), (-1, 1, 0), (1, -1, 0), (-1, -1, 0)]
    + [(1, 0, 1), (-1, 0, 1), (0, 1, 1), (0, -1, 1), (1, 0, -1), (-1, 0, -1), (0, 1, -1), (0, -1, -1)]
    + [(x, y, z) for z in (1, -1) for y in (1, -1) for x in (1, -1)]
)


def bits_of(step, dimension):
    """The bit of a step along the axes of an array, x last."""
    step = tuple(step[::-1])
    if dimension == 3:
        return BITS.index(step)
    return [one[:dimension] for one in BITS if not any(one[dimension:])].index(step)


@pytest.mark.parametrize("seed", range(60))
def test_graphs_are_those_of_the_oracle_and_give_the_components(seed):
    random = np.random.default_rng(seed)
    image, arguments, _ = random_problem(random)
    image = image if image.ndim < 4 else image[0]
    values = image.astype(int)
    joined = {
        "criterion": lambda a, b: values[a] == values[b],
        "tolerance": lambda a, b: abs(values[a] - values[b]) <= 1,
    }.get(next(iter(arguments), ""), lambda a, b: True)
    structure = random_neighborhood(random, image.ndim)
    periodic = random_periodic(random, structure) if seed % 2 else []
    graph = brickccl.voxel_graph(image, neighborhood=structure, periodic=periodic, **arguments)
    assert graph.dtype == (np.uint32 if image.ndim == 3 else np.uint8)
    for here, steps in graph_of(image, structure, joined, periodic).items():
        assert int(graph[here]) == sum(1 << bits_of(step, image.ndim) for step in steps), (here, steps)
    if any(image.shape[axis] < 3 for axis in periodic):
        with pytest.raises(ValueError, match="3 voxels or more"):
            brickccl.label_graph(graph, neighborhood=structure, periodic=periodic)
        return
    labels, count = brickccl.label_graph(graph, neighborhood=structure, periodic=periodic, mask=image, return_count=True)
    expected, number = flood_fill(image != 0, structure, joined, periodic)
    np.testing.assert_array_equal(labels, expected)
    assert count == number


def test_a_graph_with_one_bit_of_two_is_refused():
    graph = brickccl.voxel_graph(np.ones((3, 4, 5)), connectivity=26)
    assert graph.dtype == np.uint32 and brickccl.label_graph(graph).max() == 1
    for place, bit in itertools.product([(1, 1, 1), (0, 0, 0), (2, 3, 4)], range(26)):
        wrong = graph.copy()
        wrong[place] ^= np.uint32(1 << bit)
        step = BITS[bit][::-1]
        if all(0 <= at + along < size for at, along, size in zip(place, step, graph.shape)):
            with pytest.raises(ValueError, match="only one has the bit towards the other"):
                brickccl.label_graph(wrong)
        else:
            assert brickccl.label_graph(wrong).max() == 1
    with pytest.raises(ValueError, match="uint8 or uint32"):
        brickccl.label_graph(graph.astype(np.int64))
    with pytest.raises(ValueError, match="has no bits for connectivity 26"):
        brickccl.label_graph(graph.astype(np.uint8), connectivity=26)
    with pytest.raises(ValueError, match="1 to 3 dimensions"):
        brickccl.voxel_graph(np.ones((2, 2, 2, 2)))


def test_graphs_beside_cc3d(cases):
    cc3d = pytest.importorskip("cc3d")
    ours = pytest.importorskip("brickccl.compat.cc3d")
    for seed in range(cases // 4):
        random = np.random.default_rng(seed)
        dimension = int(random.integers(1, 4))
        image = in_some_layout(random, random.integers(0, random.integers(2, 4), random_shape(random, dimension)))
        image = image.astype(random.choice(["?", "i1", "u2", "i4", "u8"]))
        connectivity = int(random.choice([4, 8, 6, 18, 26] if dimension == 2 else [6, 18, 26]))
        expected = cc3d.voxel_connectivity_graph(np.asfortranarray(image), connectivity=connectivity)
        graph = ours.voxel_connectivity_graph(image, connectivity=connectivity)
        context = f"seed {seed} {image.dtype} {image.shape} {connectivity}"
        assert graph.dtype == expected.dtype and graph.flags.f_contiguous, context
        np.testing.assert_array_equal(graph, expected, context)
        for chosen in (4, 6, 8, 26):
            try:
                labels, count = cc3d.color_connectivity_graph(expected, connectivity=chosen, return_N=True)
            except (ValueError, cc3d.DimensionError) as error:
                with pytest.raises((ValueError, ours.DimensionError)):
                    ours.color_connectivity_graph(graph, connectivity=chosen)
                continue
            found, number = ours.color_connectivity_graph(graph, connectivity=chosen, return_N=True)
            assert found.dtype == labels.dtype and number == count, f"{context} {chosen}"
            np.testing.assert_array_equal(found, labels, f"{context} {chosen}")


def test_periodic_boundaries_beside_cc3d(cases):
    cc3d = pytest.importorskip("cc3d")
    ours = pytest.importorskip("brickccl.compat.cc3d")
    for seed in range(cases // 4):
        random = np.random.default_rng(seed)
        dimension = int(random.integers(2, 4))
        # cc3d does not join the ends of images of one column.
        image = random_mask(random, tuple(int(size) for size in random.integers(2, 9, dimension)))
        image = np.ascontiguousarray((image * random.integers(1, 4, image.shape)).astype("u2"))
        connectivity = int(random.choice([4, 8] if dimension == 2 else [6]))
        expected, count = cc3d.connected_components(image, connectivity=connectivity, periodic_boundary=True, return_N=True)
        if image.any(axis=-1).sum() < 2:
            # Nor does it join the ends of the only row that is not empty.
            values = image.astype(int)
            rank = 2 if connectivity == 8 else 1
            expected, count = flood_fill(image != 0, rank, lambda a, b: values[a] == values[b], range(dimension))
        labels, number = ours.connected_components(image, connectivity=connectivity, periodic_boundary=True, return_N=True)
        np.testing.assert_array_equal(labels, expected, f"seed {seed} {image.shape} {connectivity}")
        assert number == count
