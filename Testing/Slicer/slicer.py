# SPDX-License-Identifier: Apache-2.0
"""Imitates 3D Slicer: finds modules, reads their XML, builds their command lines, follows their progress, cancels them, and
reads what they return. It knows the rules of Slicer's parser and nothing of how the modules are made."""

import csv
import gzip
import os
import re
import signal
import struct
import subprocess
import xml.etree.ElementTree as ElementTree

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
NUMBERS = ("integer", "float", "double")
ENUMERATIONS = ("integer-enumeration", "float-enumeration", "double-enumeration", "string-enumeration")
SIMPLE = NUMBERS + ENUMERATIONS + ("boolean", "string")
POINTS = ("point", "region")
WITH_CHANNEL = ("image", "table", "geometry", "transform", "measurement")
FILES = ("image", "table", "file", "directory", "geometry", "transform", "measurement")
MODULE_ELEMENTS = {"category", "index", "title", "description", "version", "documentation-url", "license", "contributor",
                   "acknowledgements", "logo", "parameters"}
PARAMETER_ELEMENTS = {"name", "label", "description", "longflag", "flag", "index", "default", "channel", "constraints",
                      "element"}
IMAGE_TYPES = {"any", "scalar", "label", "tensor", "diffusion-weighted", "vector", "signal", "multichannel",
               "dynamic-contrast-enhanced"}


def faults_of_parameter(parameter):
    """What Slicer's parser, or the habits of its GUI, would refuse in one parameter."""
    tag = parameter.tag
    name = parameter.findtext("name", "")
    faults = []

    def check(holds, what):
        if not holds:
            faults.append("%s: %s" % (name, what))

    check(tag in SIMPLE + POINTS + FILES, "unknown element <%s>" % tag)
    check(IDENTIFIER.match(name), "name must be an identifier")
    check({child.tag for child in parameter} <= PARAMETER_ELEMENTS, "unknown element in it")
    longflag, flag, index = (parameter.findtext(key) for key in ("longflag", "flag", "index"))
    channel = parameter.findtext("channel")
    is_return = channel == "output" and tag in SIMPLE
    check(longflag is None or IDENTIFIER.match(longflag), "longflag must be an identifier")
    check(flag is None or len(flag) == 1, "flag must be one character")
    check(index is None or (longflag is None and flag is None), "index excludes flags")
    check(index is None or index.isdigit(), "index must be a number")
    check(is_return or index is not None or longflag is not None, "needs an index or a longflag")
    check(not is_return or (index is None and longflag is None and flag is None), "a return value has no flag and no index")
    check(tag not in WITH_CHANNEL or channel in ("input", "output"), "needs a channel")
    if tag == "image":
        check(parameter.get("type") in IMAGE_TYPES, "image of unknown type")
    if tag == "table":
        check(parameter.get("type") is None, "a table in a TSV file has no type")
    if tag in POINTS:
        check(set(parameter.attrib) <= {"multiple", "coordinateSystem"}, "unknown attribute")
        check(parameter.get("coordinateSystem") in ("ijk", "lps", "ras"), "unknown coordinate system")
    default = parameter.findtext("default")
    if tag == "boolean":
        check(default == "false", "a boolean must be false by default")
    if tag in NUMBERS:
        check(default is not None, "a number needs a default")
        float(default or "nan")
    elements = [element.text for element in parameter.findall("element")]
    check((tag in ENUMERATIONS) == bool(elements), "enumerations, and they alone, have elements")
    check(not elements or default in elements, "the default is none of the elements")
    for constraints in parameter.findall("constraints"):
        check(tag in NUMBERS, "only numbers have constraints")
        check({child.tag for child in constraints} <= {"minimum", "maximum", "step"}, "unknown constraint")
        # Slicer makes a slider of them, whose decimals are those of the texts.
        span = float(constraints.findtext("maximum", "nan")) - float(constraints.findtext("minimum", "nan"))
        check(span / float(constraints.findtext("step", "1")) <= 100, "a slider of more than 100 steps")
    if tag == "double" and not is_return:
        check(len((default or "").partition(".")[2]) >= (6 if "mm3" in parameter.findtext("label", "") else 4),
              "its default has fewer decimals than can be asked for")
    check(parameter.findtext("label") and parameter.findtext("description"), "needs a label and a tooltip")
    return faults


def faults_of(xml):
    """What Slicer would refuse in a module's XML."""
    root = ElementTree.fromstring(xml)
    faults = [] if root.tag == "executable" else ["the root is no <executable>"]
    for child in root:
        if child.tag not in MODULE_ELEMENTS:
            faults.append("unknown element <%s>" % child.tag)
    for required in ("title", "description", "category", "version"):
        if not root.findtext(required):
            faults.append("no <%s>" % required)
    names = []
    indices = []
    for group in root.findall("parameters"):
        if not group.findtext("label"):
            faults.append("a group without a label")
        for parameter in group:
            if parameter.tag in ("label", "description"):
                continue
            faults += faults_of_parameter(parameter)
            names += [parameter.findtext("name"), parameter.findtext("longflag")]
            indices.append(parameter.findtext("index"))
            reference = parameter.get("reference")
            if reference is not None and reference not in [p.findtext("name") for p in root.iter("image")]:
                faults.append("reference to an image that is not there: " + reference)
    longflags = [flag for flag in names[1::2] if flag]
    if len(set(names[::2])) != len(names[::2]) or len(set(longflags)) != len(longflags):
        faults.append("two parameters of one name or flag")
    used = sorted(int(index) for index in indices if index)
    if used != list(range(len(used))):
        faults.append("indices are not 0, 1, 2 ...: %s" % used)
    return faults


class Result:
    """How a module ended."""

    def __init__(self, code, stdout, stderr):
        self.code = code
        self.stdout = stdout
        self.stderr = stderr
        self.returned = {}
        self.progress = [float(value) for value in re.findall(r"<filter-progress>(.*?)</filter-progress>", stdout)]
        self.stages = re.findall(r"<filter-comment>(.*?)</filter-comment>", stdout)


def protocol_faults(stdout):
    """What is wrong with the progress that a module told."""
    faults = []
    blocks = re.findall(r"<filter-(start|end)>(.*?)</filter-\1>", stdout, re.S)
    kinds = [kind for kind, _ in blocks]
    if kinds != ["start", "end"] * (len(kinds) // 2) or not kinds:
        faults.append("starts and ends do not alternate: %s" % kinds)
    for kind, block in blocks:
        inner = ElementTree.fromstring("<block>" + block + "</block>")
        wanted = ["filter-name", "filter-comment"] if kind == "start" else ["filter-name", "filter-time"]
        if [child.tag for child in inner] != wanted:
            faults.append("a filter-%s of %s" % (kind, [child.tag for child in inner]))
        if kind == "end" and float(inner.findtext("filter-time")) < 0:
            faults.append("negative time")
    for name in ("filter-progress", "filter-stage-progress"):
        values = [float(value) for value in re.findall("<%s>(.*?)</%s>" % (name, name), stdout)]
        if not values or min(values) < 0 or max(values) > 1:
            faults.append("%s is not within 0..1" % name)
        if name == "filter-progress" and (values != sorted(values) or values[-1:] != [1]):
            faults.append("progress falls, or does not end at 1: %s" % values)
    return faults


class Module:
    """A module as Slicer knows it: by what --xml says."""

    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path)
        answer = subprocess.run([path, "--xml"], capture_output=True, timeout=5, check=True)
        self.xml = answer.stdout.decode()
        self.stderr = answer.stderr
        self.root = ElementTree.fromstring(self.xml)
        self.parameters = {}
        for group in self.root.findall("parameters"):
            for parameter in group:
                if parameter.tag not in ("label", "description"):
                    self.parameters[parameter.findtext("name")] = parameter

    def command(self, values, return_file=None):
        """The command line for these values, by names. What is not given has its default, as in the GUI."""
        unknown = set(values) - set(self.parameters)
        assert not unknown, "no parameters of %s: %s" % (self.name, unknown)
        line = [self.path]
        if return_file:
            line += ["--returnparameterfile", return_file]
        indexed = {}
        for name, parameter in self.parameters.items():
            value = values.get(name, parameter.findtext("default"))
            if parameter.findtext("index") is not None:
                assert value is not None, name + " is required"
                indexed[int(parameter.findtext("index"))] = value
                continue
            flag = parameter.findtext("longflag")
            if flag is None or value is None:
                continue  # a return value, or an image that is not chosen
            if parameter.tag == "boolean":
                line += ["--" + flag] if value in (True, "true") else []
            elif parameter.tag in POINTS:
                for point in value:
                    line += ["--" + flag, ",".join("%g" % coordinate for coordinate in point)]
            elif parameter.tag != "string" or value != "":  # empty strings are not sent
                line += ["--" + flag, str(value)]
        return line + [str(indexed[index]) for index in sorted(indexed)]

    def run(self, folder, environment=None, **values):
        """Runs it to its end and reads its return values."""
        return_file = os.path.join(folder, self.name + "-%d.params" % id(values))
        done = subprocess.run(self.command(values, return_file), capture_output=True, text=True, timeout=300, cwd=folder,
                              env=environment)
        result = Result(done.returncode, done.stdout, done.stderr)
        if os.path.exists(return_file):
            with open(return_file, encoding="utf-8") as stream:
                for line in stream:
                    name, value = line.rstrip("\n").split(" = ", 1)
                    result.returned[name] = value
            os.remove(return_file)
        return result

    def start(self, folder, **values):
        """Starts it and does not wait."""
        return subprocess.Popen(self.command(values), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder)

    def cancel_at(self, fraction, folder, kill=signal.SIGKILL, **values):
        """Ends the module once its progress has come so far, as the Cancel button does. Returns the last progress."""
        process = self.start(folder, **values)
        progress = 0
        for line in process.stdout:
            found = re.match("<filter-progress>(.*)</filter-progress>", line)
            if found:
                progress = float(found.group(1))
                if progress >= fraction:
                    break
        process.send_signal(kill)
        _, errors = process.communicate(timeout=60)
        return progress, process.returncode, errors


TYPES = {"uint8": ("B", "unsigned char"), "int16": ("h", "short"), "uint16": ("H", "unsigned short"),
         "uint32": ("I", "unsigned int"), "float": ("f", "float")}


def write_volume(path, kind, sizes, values, columns=((1, 0, 0), (0, 1, 0), (0, 0, 1)), origin=(0, 0, 0),
                 space="left-posterior-superior", compressed=False):
    """Writes a temporary volume as Slicer does. `columns` are the steps from voxel to voxel along i, j and k, in mm."""
    code, name = TYPES[kind]
    data = struct.pack("<%d%s" % (len(values), code), *values)
    lines = ["NRRD0005", "# Complete NRRD file format specification at:",
             "# http://teem.sourceforge.net/nrrd/format.html", "type: " + name, "dimension: 3", "space: " + space,
             "sizes: %d %d %d" % tuple(sizes),
             "space directions: " + " ".join("(%.17g,%.17g,%.17g)" % tuple(column) for column in columns),
             "kinds: domain domain domain", "endian: little", "encoding: " + ("gzip" if compressed else "raw"),
             "space origin: (%.17g,%.17g,%.17g)" % tuple(origin)]
    with open(path, "wb") as stream:
        stream.write(("\n".join(lines) + "\n\n").encode() + (gzip.compress(data) if compressed else data))


def read_volume(path):
    """Reads a volume as Slicer does: the type, the values, and in LPS the steps along i, j and k and the origin."""
    with open(path, "rb") as stream:
        header, data = stream.read().split(b"\n\n", 1)
    fields = dict(line.split(": ", 1) for line in header.decode().splitlines()[1:] if ": " in line)
    if fields["encoding"] in ("gzip", "gz"):
        data = gzip.decompress(data)
    nrrd_names = {"uint8_t": "uint8", "uchar": "uint8", "uint8": "uint8", "uint16_t": "uint16", "ushort": "uint16",
                  "uint16": "uint16", "uint32_t": "uint32", "uint": "uint32", "uint32": "uint32"}
    nrrd_names.update({name: kind for kind, (_, name) in TYPES.items()})
    kind = nrrd_names[fields["type"]]  # others, 64-bit ones above all, Slicer does not map
    code = TYPES[kind][0]
    values = list(struct.unpack("<%d%s" % (len(data) // struct.calcsize(code), code), data))
    vectors = [[float(part) for part in text.split(",")]
               for text in re.findall(r"\((.*?)\)", fields["space directions"] + fields["space origin"])]
    assert fields["space"] == "left-posterior-superior", fields["space"]
    return kind, values, vectors[:3], vectors[3]


def read_table(path):
    """Reads a table with its schema, as Slicer does: rows with the types that the schema names."""
    with open(path, encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    with open(path[:-len(".tsv")] + ".schema.tsv", encoding="utf-8", newline="") as stream:
        schema = {row["columnName"]: row for row in csv.DictReader(stream, delimiter="\t")}
    convert = {"int": int, "double": float, "string": str}
    if rows and list(rows[0]) != list(schema):
        raise ValueError("the schema has other columns than the table")
    return [{name: convert[schema[name]["type"]](value) for name, value in row.items()} for row in rows], schema
