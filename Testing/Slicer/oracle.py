"""What the modules should find, by plain flood fill."""

import itertools

RANKS = {"6": 1, "18": 2, "26": 3, "4": 1, "8": 2}
AXES = {"no": None, "x": 0, "y": 1, "z": 2}


def steps_of(connectivity, slice_axis):
    """The steps from a voxel to its neighbours."""
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
    components = flood(sizes, foreground, steps_of(p["connectivity"], AXES[p["bySlice"]]),
                       lambda a, b: abs(volume[a] - volume[b]) <= most)
    components = [c for c in components
                  if len(c) >= p["minimumSize"] and len(c) * voxel_volume >= p["minimumVolume"] * (1 - 1e-9)
                  and (p["maximumSize"] == 0 or len(c) <= p["maximumSize"])]
    by_size = sorted(components, key=lambda c: -len(c))
    if p["largest"]:
        kept = by_size[:p["largest"]]
        components = [c for c in components if c in kept]
        by_size = kept
    return by_size if p["order"] == "LargestFirst" else components


def label_map(count, components):
    """The label of every voxel."""
    labels = [0] * count
    for label, component in enumerate(components, 1):
        for voxel in component:
            labels[voxel] = label
    return labels
