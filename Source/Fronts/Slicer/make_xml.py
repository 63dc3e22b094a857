#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the XML of the modules for 3D Slicer:

    make_xml.py BRICKCCL FOLDER

Options of `brickccl label` get their types, defaults, choices and help from their rows
(Source/Inspection/Job/Parameters.cxx), which `BRICKCCL recipe schema --options` prints. All other parameters are written here."""

import json
import pathlib
import subprocess
import sys

TYPES = {"boolean": "boolean", "integer": "integer", "number": "double", "string": "string"}


class Parameters:
    """Makes the elements of parameters."""

    def __init__(self, rows):
        self.rows = rows

    def option(self, option, label, more="", text=None, name=None, tag=None, default=None, choices=(), attributes="", channel=None):
        """A parameter that is an option. `more` follows the help of its row, and `text` replaces it; `choices` are
        taken from the row; "no" is allowed in addition."""
        row = self.rows[option]
        words = option.split("-")
        name = name or words[0] + "".join(word.capitalize() for word in words[1:])
        kinds = [row["type"]] if isinstance(row.get("type"), str) else row.get("type", ["string"])
        tag = tag or ("string-enumeration" if choices else TYPES[kinds[0]])
        unknown = set(choices) - {"no"} - set(row.get("enum", choices))
        if unknown:
            raise ValueError(f"{name}: --{option} has no choice {', '.join(sorted(unknown))}")
        default = row["default"] if default is None else default
        if tag in ("integer", "double"):
            default = row.get("minimum", 0) if default is None else default
            # Slicer's field has as many decimals.
            default = f"{default:.{6 if 'mm3' in row['unit'] else 4}f}" if tag == "double" else default
        text = row["description"][0].upper() + row["description"][1:] if text is None else text
        text += (". " if more else "") + more
        return element(name, label, text, tag, default, choices, attributes, channel)


def element(name, label, text, tag, default=None, choices=(), attributes="", channel=None, index=None, limits=None, flag=True):
    """The element of a parameter, line by line."""
    lines = [f"<name>{name}</name>", f"<label>{label}</label>"]
    lines += [f"<longflag>{name}</longflag>"] if flag and index is None else []
    lines += [f"<channel>{channel}</channel>"] if channel else []
    lines += [f"<index>{index}</index>"] if index is not None else []
    if default is not None:
        lines += [f"<default>{str(default).lower() if isinstance(default, bool) else default}</default>"]
    lines += [f"<element>{choice}</element>" for choice in choices]
    if limits:
        lines += ["<constraints>", *(f"  <{key}>{value}</{key}>" for key, value in limits.items()), "</constraints>"]
    lines += [f"<description><![CDATA[{text}]]></description>"]
    attributes = " " + attributes if attributes else ""
    return [f"<{tag}{attributes}>", *("  " + line for line in lines), f"</{tag}>"]


def image(name, label, text, kind, channel="input", index=None, reference=None):
    attributes = f'type="{kind}" fileExtensions=".nrrd"' + (f' reference="{reference}"' if reference else "")
    return element(name, label, text, "image", attributes=attributes, channel=channel, index=index)


def table(text, index=None):
    return element("outputTable", "Output table", text, "table", attributes='fileExtensions=".tsv"', channel="output", index=index)


def result(name, label, text, tag="double", default=0):
    return element(name, label, text, tag, default, channel="output", flag=False)


def flag(name, label, text):
    return element(name, label, text, "boolean", False)


def number(name, label, text, default="0.0000"):
    return element(name, label, text, "double", default)


METHODS = ("otsu", "multi-otsu:3", "multi-otsu:4", "valley", "iso50")
METHODS_TEXT = (
    "otsu: between two classes of gray values. multi-otsu: the highest threshold between 3 or 4 classes. valley: the least "
    "frequent value between the two peaks of the histogram. iso50: the middle between the peaks of air and material"
)
NEIGHBORS = (6, 18, 26)


def median(before):
    text = (
        f"Smooths a noisy scan before {before}: each voxel gets the median of 2 R + 1 voxels along each axis; 0: no smoothing. "
        "Radius 1 is often enough"
    )
    limits = {"minimum": 0, "maximum": 10, "step": 1}
    return element("medianRadius", "Smooth by a median of radius", text, "integer", 0, limits=limits)


def neighbors(make, text, default=6):
    return make.option("connectivity", "Number of neighbors", text=text, tag="integer-enumeration", default=default, choices=NEIGHBORS)


def regions(make):
    text = (
        "Optional regions of interest. Use only the voxels in them; thresholds and shares refer to these voxels. Regions must not "
        "be rotated"
    )
    return make.option(
        "box", "Regions", text=text, name="regions", tag="region", attributes='multiple="true" coordinateSystem="lps"'
    )


def threads(make):
    return make.option("threads", "Threads", "It does not change the result")


def device(make, cuda):
    text = f"auto: the graphics card if the volume is so large that it is faster there. cpu: the processor. cuda: the graphics card; {cuda}"
    return make.option("device", "Device", text=text, choices=("auto", "cpu", "cuda"))


def label_volume(make):
    yield "Volumes", "Input and output", [
        image("inputVolume", "Input volume", "The scan or segmentation whose components are labeled", "scalar", index=0),
        image("outputLabels", "Output labels", "The label map: 0 is background, and 1, 2, 3 ... are the components", "label",
              "output", 1, "inputVolume"),
        make.option("mask", "Mask", "Optional. It must have the same grid as the input", name="maskVolume", tag="image",
                    attributes='type="label" fileExtensions=".nrrd"', channel="input"),
        table("Optional. It gets one row per component: size, volume in mm3, place, diameter and contact with the border of the "
              'image. "Component Statistics" measures more'),
    ]
    yield "Foreground", "Which voxels are foreground", [
        element("foreground", "Foreground",
                "NotZero: every voxel that is not 0, as in a segmentation. The next three compare gray values with the two limits "
                "below: pores of a dense part are AtMostUpper, bone in a CT scan is AtLeastLower. The last two use a threshold "
                "found in the scan", "string-enumeration", "NotZero",
                ("NotZero", "FromLowerToUpper", "AtLeastLower", "AtMostUpper", "AtLeastFoundThreshold", "BelowFoundThreshold")),
        number("lowerThreshold", "Lower limit", "The lowest gray value of the foreground. Used only if the choice above names it"),
        number("upperThreshold", "Upper limit", "The highest gray value of the foreground. Used only if the choice above names it"),
        element("thresholdMethod", "How the threshold is found",
                "Used only if the choice above needs a threshold to be found. " + METHODS_TEXT, "string-enumeration", "otsu", METHODS),
        median("it is compared"),
        regions(make),
    ]
    yield "Connection", "Which foreground voxels belong together", [
        neighbors(make, "6: voxels that share a face are connected. 18: also those that share an edge. 26: also those that share a "
                  "corner. Within slices (see the next choice) 6 means the 4 neighbors that share an edge of the slice, 18 and 26 "
                  "mean all 8"),
        make.option("by-slice", "Label slice by slice", "no: components extend through the whole volume", default="no",
                    choices=("no", "x", "y", "z")),
        element("joining", "Join neighbors",
                "Always: all neighboring foreground voxels. EqualValues: only voxels of equal value, so touching segments stay "
                "apart. SimilarValues: only voxels whose values differ by at most the tolerance, as for grains of different gray",
                "string-enumeration", "Always", ("Always", "EqualValues", "SimilarValues")),
        make.option("tolerance", "Tolerance", "Used only with SimilarValues"),
        flag("split", "Split touching objects",
             "Splits components at their necks. The limits below, the table and the numbers are then for the objects, and the table "
             "has the component of each as its parent"),
        number("splitHeight", "Split height (mm)",
               "Objects are split at a neck if the distance to the border is at least this much less there than in the middle of the "
               "smaller object; 0: 0.75 of the smallest spacing"),
    ]
    yield "Selection and order", "Which components stay, and how they are numbered", [
        make.option("minimum-size", "Fewest voxels", "They may be noise"),
        make.option("maximum-size", "Most voxels", "This drops the air around a part. 0: no limit"),
        make.option("minimum-volume", "Smallest volume (mm3)"),
        make.option("seeds", "Seeds", text="Optional points. Keep only components that contain one, such as the vessel or pore you "
                    "clicked", tag="point", attributes='multiple="true" coordinateSystem="lps"'),
        make.option("clear-border", "Drop components at the border", "They may be cut off"),
        make.option("fill-holes", "Fill holes", text="Fill enclosed holes", tag="boolean", default=False),
        make.option("largest", "Keep the largest"),
        make.option("order", "Order of labels", choices=("raster", "size")),
    ]
    yield "Advanced", "Type of the labels, device, threads", [
        make.option("label-type", "Type of labels", text="auto: the smallest type that holds all labels. A type that is too small "
                    "is an error", choices=("auto", "uint8", "uint16", "uint32")),
        device(make, "a note explains why if the processor is used instead. The result is the same"),
        threads(make),
    ]
    yield "Results", "Results", [
        result("threshold", "Threshold", "The threshold found; nan if none was requested"),
        result("componentCount", "Number of components", "The number of components in the label map", "integer"),
        result("componentVolume", "Volume of all components (mm3)", "The volume of all components together, in cubic millimeters"),
        result("volumeFraction", "Share of the volume",
               "The share of voxels in components, from 0 to 1: of the mask and the regions if there are any, else of the image. "
               "For pores in an image that the part fills, it is the porosity"),
    ]


def component_statistics(make):
    yield "Volumes", "Input and output", [
        image("inputLabels", "Input labels", "The label map. Every nonzero value is the label of one component", "label", index=0),
        table("The table with one row per component. Column names include units", 1),
        make.option("intensity", "Scan", "Optional. Mean, standard deviation, lowest and highest gray value. It must have the same "
                    "grid as the labels", name="intensityVolume", tag="image", attributes='type="scalar" fileExtensions=".nrrd"',
                    channel="input"),
        make.option("part", "Part", "Optional. Nonzero inside, including its pores. The porosity is then relative to the part",
                    name="partVolume", tag="image", attributes='type="label" fileExtensions=".nrrd"', channel="input"),
    ]
    yield "Further measures", ("Columns in addition to sizes, bounding boxes, centroids, equivalent diameters and contact with the "
                               "border"), [
        flag("measurePlace", "Place in the image",
             "First voxel, filled share of the bounding box, and contact with each side of the image"),
        flag("measureShape", "Shape", "Moments: principal axes and their lengths, elongation, flatness"),
        flag("measureFeret", "Feret diameter",
             "The largest distance between two points of a component, the smallest ball and the oriented box around it"),
        flag("measureHull", "Convex hull", "Volume of the convex hull, the share of it that is filled, and the least width"),
        flag("measureGeodesic", "Geodesic diameter", "The longest path within each component; slow for thick ones"),
        flag("measureSkeleton", "Skeleton", "Length, branches and ends of the skeleton of each component"),
        flag("measureSurface", "Surface and sphericity", "Area of the surface, and sphericity: 1 for a ball, near 0 for a crack"),
        flag("measureTopology", "Holes and tunnels", "Euler numbers of each component: pieces less tunnels plus cavities"),
        flag("measureInscribed", "Largest ball inside", "The largest ball that fits into each component"),
        flag("measureThickness", "Thickness",
             "Local thickness of each component: the largest ball through each of its voxels"),
        flag("measureNeighbors", "Distances and contacts",
             "The distance to the nearest other component, and how many others touch"),
        flag("measureIntensity", "Percentiles of gray values",
             "Median, percentiles and skewness of the gray values. It needs the scan"),
    ]
    yield "Advanced", "Threads", [threads(make)]
    yield "Results", "Results", [
        result("componentCount", "Number of components", "Number of measured components", "integer"),
        result("componentVolume", "Volume of all components (mm3)", "The volume of all components together, in cubic millimeters"),
        result("porosity_percent", "Porosity (%)", "The volume of the components as a percentage of the volume of the part, or of "
               "the image without a part"),
    ]


def clean_segmentation(make):
    yield "Volumes", "Input and output", [
        image("inputSegmentation", "Input segmentation", "The segmentation as a label map: every value but 0 is a segment", "label",
              index=0),
        image("outputSegmentation", "Output segmentation", "The cleaned segmentation, of the same type and with the same values",
              "label", "output", 1, "inputSegmentation"),
    ]
    yield "Cleaning", "The steps are done in this order: small pieces, then all but the largest, then holes", [
        element("segments", "Segments",
                "Values of the segments to clean, such as 1,3,5; empty: all. Other segments do not change", "string", ""),
        make.option("minimum-size", "Fewest voxels"),
        make.option("minimum-volume", "Smallest volume (mm3)"),
        make.option("largest", "Keep the largest", "Each segment has its own; 1 for an organ in one piece"),
        make.option("fill-holes", "Fill holes", text="A hole is background that does not reach the border of the image. A segment "
                    "fills the holes that only it surrounds; a hole between several segments stays. InVolume: holes closed on all "
                    "sides. InSlices: also holes closed only within a slice across this axis of the voxel grid",
                    default="InVolume", choices=("No", "InVolume", "InSlicesX", "InSlicesY", "InSlicesZ")),
        number("maximumHoleVolume", "Largest hole (mm3)", "Holes with more volume, in cubic millimeters (within slices: area in "
               "square millimeters), stay open; 0: no limit", "0.000000"),
    ]
    yield "Advanced", "Connection, threads", [
        neighbors(make, "6: voxels of a segment that share a face belong to one piece. 18: also those that share an edge. 26: also "
                  "those that share a corner. Holes use the dual connectivity"),
        threads(make),
    ]
    yield "Results", "Results", [
        result("removedComponents", "Removed pieces", "Number of removed pieces", "integer"),
        result("removedVoxels", "Removed voxels", "Number of their voxels"),
        result("filledHoles", "Filled holes", "Number of filled holes", "integer"),
        result("filledVoxels", "Filled voxels", "Number of their voxels"),
    ]


def defect_analysis(make):
    yield "Volumes", "Input and output", [
        image("inputVolume", "Scan", "The CT scan of one part", "scalar", index=0),
        image("outputLabels", "Output defects", "The label map: 1 is the largest defect, 2 the next, and so on", "label", "output", 1,
              "inputVolume"),
        table("Optional. It gets one row per defect: size, volume in mm3, place, diameter, sphericity and distance to the surface of "
              "the part"),
    ]
    yield "Material", "How material is separated from air", [
        element("thresholdMethod", "Threshold",
                "Values at or above the threshold are material. " + METHODS_TEXT + ". manual: the value below",
                "string-enumeration", "otsu", (*METHODS, "manual")),
        number("manualThreshold", "Threshold by hand", "The lowest gray value of material. Used only with manual"),
        flag("darkMaterial", "Material is dark", "Values below the threshold are material"),
        median("the threshold is found"),
        regions(make),
    ]
    yield "Defects", "Defects to count", [
        make.option("parts", "Parts", "The table then has the part of each defect. The limits are for all parts together",
                    tag="string"),
        make.option("close", "Close openings up to (mm)", "0: only closed pores count", name="closeWidth"),
        make.option("minimum-size", "Fewest voxels", "They may be noise"),
        make.option("minimum-volume", "Smallest volume (mm3)"),
        neighbors(make, "6: voxels that share a face belong to one defect. 18: also those that share an edge. 26: also those that "
                  "share a corner", 26),
    ]
    yield "Limits", "Limits for the part. Without a limit there is no verdict", [
        flag("limitPorosity", "Limit the porosity", "The part fails if its porosity is above the limit below"),
        number("maximumPorosity", "Highest porosity (%)",
               "The volume of all defects as a percentage of the volume of the part. Used only if the box above is checked", "1.0000"),
        flag("limitDefectVolume", "Limit the largest defect",
             "The part fails if its largest defect has more volume than the limit below"),
        number("maximumDefectVolume", "Largest defect (mm3)",
               "The volume of a defect in cubic millimeters. Used only if the box above is checked", "1.000000"),
        flag("limitDefectCount", "Limit the number of defects", "The part fails if it has more defects than the limit below"),
        element("maximumDefectCount", "Most defects", "The number of defects. Used only if the box above is checked", "integer", 0),
    ]
    yield "Advanced", "Device, threads", [
        device(make, "a note says why where the processor does the work instead. The result is the same"),
        threads(make),
    ]
    yield "Results", "Results", [
        result("verdict", "Verdict",
               "pass: the part keeps every limit. fail: it exceeds the limits that follow. none: no limit was set", "string", "none"),
        result("componentCount", "Number of defects", "The number of defects in the label map", "integer"),
        result("porosity_percent", "Porosity (%)",
               "The volume of the defects in the label map as a percentage of the volume of the part"),
        result("largestDefectVolume", "Largest defect (mm3)", "The volume of the largest defect in cubic millimeters"),
        result("partVolume", "Volume of the part (mm3)", "The volume of the part with its defects in cubic millimeters"),
        result("threshold", "Threshold", "The gray value between air and material"),
    ]


MODULES = {
    "BrickLabelVolume": (
        label_volume, "Label Volume",
        "Finds the connected components of a volume (pores, grains, lesions, vessels) and numbers them. 0 is background. The result "
        "is a label map and, optionally, a table with one row per component."),
    "BrickComponentStatistics": (
        component_statistics, "Component Statistics",
        "Measures the components of a label map: size, volume, place and shape, and optionally gray values, distances and more. The "
        "result is a table with one row per component, and the porosity."),
    "BrickCleanSegmentation": (
        clean_segmentation, "Clean Segmentation",
        "Cleans a segmentation: removes small islands, keeps the largest pieces of each segment, and fills holes. Segments keep "
        "their values, and nothing is smoothed."),
    "BrickDefectAnalysis": (
        defect_analysis, "Defect Analysis",
        "Finds the pores, shrinkage holes and closed cracks of a part in its CT scan, measures them, and checks the part against "
        "limits. The part is the largest piece of material with its holes filled; everything else inside it is a defect."),
}


def xml_of(make, groups, title, description):
    lines = ['<?xml version="1.0" encoding="utf-8"?>', "<executable>", "  <category>BrickCCL</category>", f"  <title>{title}</title>",
             f"  <description><![CDATA[{description}]]></description>", "  <version>@PROJECT_VERSION@</version>",
             "  <documentation-url>@BRICKCCL_SLICER_PAGE@</documentation-url>", "  <license>Apache-2.0</license>", "  <contributor>The BrickCCL authors</contributor>"]
    for label, text, parameters in groups(make):
        lines += ['  <parameters advanced="true">' if label == "Advanced" else "  <parameters>", f"    <label>{label}</label>",
                  f"    <description><![CDATA[{text}]]></description>"]
        lines += ["    " + line for parameter in parameters for line in parameter]
        lines += ["  </parameters>"]
    return "\n".join([*lines, "</executable>", ""])


def main(command, folder):
    schema = subprocess.run([command, "recipe", "schema", "--options"], check=True, capture_output=True, text=True).stdout
    make = Parameters(json.loads(schema)["properties"])
    for name, (groups, title, description) in MODULES.items():
        (pathlib.Path(folder) / f"{name}.xml").write_text(xml_of(make, groups, title, description), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
