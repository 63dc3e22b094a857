# SPDX-License-Identifier: Apache-2.0
"""What the modules should find, by plain flood fill."""

import itertools

RANKS = {"6": 1, "18": 2, "26": 3, "4": 1, "8": 2}
AXES = {"no": None, "x": 0, "y": 1, "z": 2}


def steps_of(connectivity, slice_axis):
    """The steps from a voxel to its neighbors."""
    rank = RANKS[str(connectivity)]
    return [step for step in itertools.product((-1, 0, 1), repeat=3)
            if 0 < sum(map(abs, step)) <= rank and (slice_axis is None or step[slice_axis] == 0)]


def flood(sizes, foreground, steps, joined):
    """The components as lists of voxels (indices x fastest), in the order of their first voxels."""
    seen = set()
    components = []
    for start in range(len(foreground)):
        if not foreground[start] or start in seen:
            continue
        seen.add(start)
        stack = [start]
        component = []
        while stack:
            voxel = stack.pop()
            component.append(voxel)
            place = (voxel % sizes[0], voxel // sizes[0] % sizes[1], voxel // (sizes[0] * sizes[1]))
            for step in steps:
                x, y, z = (a + b for a, b in zip(place, step))
                if not (0 <= x < sizes[0] and 0 <= y < sizes[1] and 0 <= z < sizes[2]):
                    continue
                other = x + sizes[0] * (y + sizes[1] * z)
                if foreground[other] and other not in seen and joined(voxel, other):
                    seen.add(other)
                    stack.append(other)
        components.append(component)
    return components


DUAL = {"6": "26", "18": "6", "26": "6"}


def at_border(sizes, voxel):
    place = (voxel % sizes[0], voxel // sizes[0] % sizes[1], voxel // (sizes[0] * sizes[1]))
    return any(at in (0, size - 1) for at, size in zip(place, sizes))


def median(sizes, volume, radius):
    """The median around every voxel; beyond the border the nearest voxel counts again."""
    x_size, y_size, z_size = sizes
    around = range(-radius, radius + 1)
    result = []
    for z, y, x in itertools.product(range(z_size), range(y_size), range(x_size)):
        values = sorted(volume[min(max(x + i, 0), x_size - 1) + x_size * (
            min(max(y + j, 0), y_size - 1) + y_size * min(max(z + k, 0), z_size - 1))]
            for i in around for j in around for k in around)
        result.append(values[len(values) // 2])
    return result


def otsu(values):
    """The lowest value of the upper class of Otsu's method."""
    def between(start):
        low, high = [v for v in values if v < start], [v for v in values if v >= start]
        return len(low) * len(high) * (sum(low) / len(low) - sum(high) / len(high)) ** 2
    return max(sorted(set(values))[1:], key=between)


def label_volume(sizes, volume, mask, voxel_volume, p):
    """The components that BrickLabelVolume should find with the parameters `p`, in the order of their labels."""
    if p["medianRadius"]:
        volume = median(sizes, volume, p["medianRadius"])
    lower = p["lowerThreshold"] if p["foreground"] in ("FromLowerToUpper", "AtLeastLower") else float("-inf")
    upper = p["upperThreshold"] if p["foreground"] in ("FromLowerToUpper", "AtMostUpper") else float("inf")
    foreground = [value != 0 if p["foreground"] == "NotZero" else lower <= value <= upper for value in volume]
    if p["foreground"].endswith("FoundThreshold"):
        inside = [value for value, m in zip(volume, mask or volume) if mask is None or m]
        start = otsu(inside)
        foreground = [(value < start) == p["foreground"].startswith("Below") for value in volume]
    if mask is not None:
        foreground = [inside and value != 0 for inside, value in zip(foreground, mask)]
    most = {"Always": float("inf"), "EqualValues": 0, "SimilarValues": p["tolerance"]}[p["joining"]]
    if p["fillHoles"]:
        for hole in flood(sizes, [not inside for inside in foreground], steps_of(DUAL[str(p["connectivity"])], None),
                          lambda a, b: True):
            if not any(at_border(sizes, voxel) for voxel in hole):
                for voxel in hole:
                    foreground[voxel] = True
    components = flood(sizes, foreground, steps_of(p["connectivity"], AXES[p["bySlice"]]),
                       lambda a, b: abs(volume[a] - volume[b]) <= most)
    if p["clearBorder"]:
        components = [c for c in components if not any(at_border(sizes, voxel) for voxel in c)]
    components = [c for c in components
                  if len(c) >= p["minimumSize"] and len(c) * voxel_volume >= p["minimumVolume"] * (1 - 1e-9)
                  and (p["maximumSize"] == 0 or len(c) <= p["maximumSize"])]
    by_size = sorted(components, key=lambda c: -len(c))
    if p["largest"]:
        kept = by_size[:p["largest"]]
        components = [c for c in components if c in kept]
        by_size = kept
    return by_size if p["order"] == "size" else components


def label_map(count, components):
    """The label of every voxel."""
    labels = [0] * count
    for label, component in enumerate(components, 1):
        for voxel in component:
            labels[voxel] = label
    return labels


def clean(sizes, spacing, volume, p):
    """The voxels that BrickCleanSegmentation should write, and its four return values."""
    segments = [int(value) for value in p["segments"].split(",")] if p["segments"] else sorted(set(volume) - {0})
    voxel_volume = spacing[0] * spacing[1] * spacing[2]
    result = list(volume)
    removed = []
    for value in segments:
        pieces = flood(sizes, [v == value for v in volume], steps_of(p["connectivity"], None), lambda a, b: True)
        kept = [c for c in pieces if len(c) >= p["minimumSize"] and len(c) * voxel_volume >= p["minimumVolume"] * (1 - 1e-9)]
        kept = sorted(kept, key=lambda c: -len(c))[:p["largest"] or None]
        removed += [c for c in pieces if c not in kept]
    for voxel in itertools.chain(*removed):
        result[voxel] = 0
    axis = {"InSlicesX": 0, "InSlicesY": 1, "InSlicesZ": 2}.get(p["fillHoles"])
    filled = []
    if p["fillHoles"] != "No":
        # Within slices, 4 and 8 neighbors are dual.
        dual = DUAL[str(p["connectivity"])] if axis is None else "8" if str(p["connectivity"]) == "6" else "4"
        most = (p["maximumHoleVolume"] or float("inf")) * (1 + 1e-9)
        voxel_size = voxel_volume / (1 if axis is None else spacing[axis])
        strides = (1, sizes[0], sizes[0] * sizes[1])
        for hole in flood(sizes, [v == 0 for v in result], steps_of(dual, axis), lambda a, b: True):
            walls = set()
            is_open = False
            for voxel in hole:
                for k in range(3):
                    place = voxel // strides[k] % sizes[k]
                    if k == axis:
                        continue
                    is_open |= place in (0, sizes[k] - 1)
                    for step in (-1, 1):
                        if 0 <= place + step < sizes[k] and result[voxel + step * strides[k]] != 0:
                            walls.add(result[voxel + step * strides[k]])
            if not is_open and len(hole) * voxel_size <= most and len(walls) == 1 and min(walls) in segments:
                filled.append((hole, min(walls)))
    for hole, wall in filled:
        for voxel in hole:
            result[voxel] = wall
    return result, (len(removed), sum(map(len, removed)), len(filled), sum(len(hole) for hole, _ in filled))


def defects(sizes, scan, start, p):
    """The defects that BrickDefectAnalysis should find for a threshold `start`, largest first, and the part's voxels."""
    if p["medianRadius"]:
        scan = median(sizes, scan, p["medianRadius"])
    material = [(value < start) == p["darkMaterial"] for value in scan]
    piece = max(flood(sizes, material, steps_of(26, None), lambda a, b: True), key=len)
    in_piece = set(piece)
    part = set(piece)
    strides = (1, sizes[0], sizes[0] * sizes[1])
    for region in flood(sizes, [voxel not in in_piece for voxel in range(len(scan))], steps_of(6, None), lambda a, b: True):
        if not any(voxel // strides[k] % sizes[k] in (0, sizes[k] - 1) for voxel in region for k in range(3)):
            part |= set(region)
    found = flood(sizes, [voxel in part and not material[voxel] for voxel in range(len(scan))],
                  steps_of(p["connectivity"], None), lambda a, b: True)
    found = [c for c in found if len(c) >= p["minimumSize"] and len(c) * p["voxelVolume"] >= p["minimumVolume"] * (1 - 1e-9)]
    return sorted(found, key=lambda c: -len(c)), part
