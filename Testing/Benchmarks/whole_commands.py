#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times whole commands, from start to the written label map, beside ten lines of Python with SimpleITK and cc3d.

    Testing/Benchmarks/install-peers.sh numpy SimpleITK connected-components-3d
    build/peers/bin/python Testing/Benchmarks/whole_commands.py [--runs 7] [--cpu] [--earlier OLD_BRICKCCL] IMAGE ...

Images are masks that both read (.nhdr with .raw.gz, say). Programs take turns within one run; figures are medians, with
the page cache warm. `--reading IMAGE` times reading alone beside SimpleITK's reader, of a folder beside its reader of
DICOM series; `--itk build/release/bin/brickccl-itk-reading` beside ITK's reader as well. `--reading-of IMAGE` does so for
a 16-bit volume that SimpleITK writes before: as gzip-compressed NRRD, NIfTI and MetaImage, as TIFF with LZW, Deflate and
PackBits, and as a DICOM series. Its slices are repeated, mirrored in turns, up to the number that `--slices` asks for."""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PEER = """
import sys
import SimpleITK as sitk
import cc3d
image = sitk.ReadImage(sys.argv[1])
labels = cc3d.connected_components(sitk.GetArrayFromImage(image), connectivity=26)
out = sitk.GetImageFromArray(labels)
out.CopyInformation(image)
sitk.WriteImage(out, sys.argv[2], True)
"""
EXTENSIONS = (".nrrd", ".nii.gz", ".mha", ".tif")
READ_PEER = """
import os
import sys
import time
import SimpleITK as sitk
begin = time.perf_counter()
path = sys.argv[1]
sitk.ReadImage(sitk.ImageSeriesReader.GetGDCMSeriesFileNames(path) if os.path.isdir(path) else path)
print(time.perf_counter() - begin)
"""
WRITE_ALL = """
import os
import sys
import numpy as np
import SimpleITK as sitk
source, folder, slices = sys.argv[1], sys.argv[2], int(sys.argv[3])
image = sitk.ReadImage(source)
voxels = sitk.GetArrayFromImage(image).astype(np.int16)
voxels = np.concatenate([voxels[::1 - i % 2 * 2] for i in range(-(-slices // len(voxels)))])[:slices]
volume = sitk.GetImageFromArray(voxels)
volume.SetSpacing(image.GetSpacing())
for name in ("volume.nrrd", "volume.nii.gz", "volume.mha"):
    sitk.WriteImage(volume, os.path.join(folder, name), True)
for method in ("LZW", "Deflate", "PackBits"):
    sitk.WriteImage(volume, os.path.join(folder, method + ".tif"), True, imageIO="TIFFImageIO", compressor=method)
os.mkdir(os.path.join(folder, "series"))
writer = sitk.ImageFileWriter()
writer.KeepOriginalImageUIDOn()
for k in range(slices):
    plane = volume[:, :, k]
    for tag, value in (("0008|0060", "CT"), ("0020|000e", "1.2.826.0.1.3680043.2.1125.1"), ("0020|0013", str(k + 1)),
                       ("0020|000d", "1.2.826.0.1.3680043.2.1125.2"), ("0020|0037", r"1\\0\\0\\0\\1\\0"),
                       ("0020|0032", "\\\\".join(map(str, volume.TransformIndexToPhysicalPoint((0, 0, k)))))):
        plane.SetMetaData(tag, value)
    writer.SetFileName(os.path.join(folder, "series", "%04d.dcm" % k))
    writer.Execute(plane)
"""


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def seconds_of(command, clock=time.perf_counter):
    begin = clock()
    result = subprocess.run(command, capture_output=True, text=True)
    duration = clock() - begin
    if result.returncode != 0:
        return None, result
    return duration, result


def peak_of(command):
    """The most memory of the command, bytes."""
    result = subprocess.run(["/usr/bin/env", "python3", "-c",
                             "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, "
                             "stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL); "
                             "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)", *command],
                            capture_output=True, text=True)
    return int(result.stdout) if result.returncode == 0 else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("images", nargs="*")
    parser.add_argument("--command", default="build/release/bin/brickccl")
    parser.add_argument("--earlier", help="an earlier brickccl")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--cpu", action="store_true", help="seconds of the processor, for busy machines; brickccl has one thread")
    parser.add_argument("--reading", action="append", default=[])
    parser.add_argument("--reading-of", metavar="IMAGE")
    parser.add_argument("--itk", help="the program that times ITK's own reader")
    parser.add_argument("--slices", type=int, default=275)
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="brickccl-")
    peer = os.path.join(folder, "peer.py")
    with open(peer, "w") as stream:
        stream.write(PEER)
    ratios, against_earlier = [], []
    threads = ["--threads", "1"] if arguments.cpu else []
    try:
        if arguments.images:
            print("| image | to | brickccl s | SimpleITK + cc3d s | ratio | earlier s | ratio | MB | SimpleITK's MB | "
                  "earlier MB | peak bytes per voxel beyond 64 MB |")
            print("| --- " * 11 + "|")
        for image in arguments.images:
            for extension in EXTENSIONS:
                ours, theirs, old = (os.path.join(folder, name + extension) for name in ("ours", "theirs", "old"))
                commands = {"ours": [arguments.command, "label", image, ours, "--connectivity", "26",
                                     *threads, "--quiet"],
                            "theirs": [sys.executable, peer, image, theirs]}
                if arguments.earlier:
                    commands["old"] = [arguments.earlier, "label", image, old, "--connectivity", "26", *threads, "--quiet"]
                times = {name: [] for name in commands}
                clock = processor_seconds if arguments.cpu else time.perf_counter
                for turn in range(arguments.runs + 1):
                    # A program finds the memory that the one before it left: every other turn is in reverse order.
                    for name in [*commands][::1 - turn % 2 * 2]:
                        times[name].append(seconds_of(commands[name], clock)[0])
                median = {name: statistics.median(all_[1:]) if None not in all_ else None
                          for name, all_ in times.items()}
                size = {name: os.path.getsize(path) / 1e6 if os.path.exists(path) else 0
                        for name, path in (("ours", ours), ("theirs", theirs), ("old", old))}
                summary = subprocess.run([*commands["ours"][:-1], "--json"], capture_output=True, text=True).stdout
                import json
                extent = json.loads(summary)["extent"]
                voxels = 1
                for length in extent:
                    voxels *= length
                peak = (peak_of(commands["ours"]) - 64e6) / voxels
                ratio = median["ours"] / median["theirs"] if median["theirs"] else None
                ratios += [ratio] if ratio else []
                earlier = median["ours"] / median["old"] if median.get("old") else None
                against_earlier += [earlier] if earlier else []
                text = lambda value: "" if value is None else "%.3f" % value
                print("| %s | %s | %s | %s | %s | %s | %s | %.2f | %.2f | %.2f | %.2f |" % (
                    os.path.basename(image), extension, text(median["ours"]), text(median["theirs"]), text(ratio),
                    text(median.get("old")), text(earlier), size["ours"], size["theirs"], size["old"], peak), flush=True)
        for name, all_ in (("SimpleITK + cc3d", ratios), ("the earlier command", against_earlier)):
            if all_:
                print("geometric mean against %s: %.3f, largest %.3f" % (name, statistics.geometric_mean(all_), max(all_)))
        if arguments.reading_of:
            written = os.path.join(folder, "written")
            os.mkdir(written)
            subprocess.run([sys.executable, "-c", WRITE_ALL, arguments.reading_of, written, str(arguments.slices)], check=True)
            arguments.reading += [os.path.join(written, name) for name in sorted(os.listdir(written))]
        for image in arguments.reading:
            ours, theirs, itk = [], [], []
            for _ in range(arguments.runs + 1):
                _, result = seconds_of([arguments.command, "label", image, os.path.join(folder, "r.nrrd"), "--json",
                                        "--range", "100", "inf"])
                import json
                ours.append(json.loads(result.stdout)["seconds"]["read"])
                theirs.append(float(seconds_of([sys.executable, "-c", READ_PEER, image])[1].stdout))
                if arguments.itk:
                    itk.append(float(seconds_of([arguments.itk, image])[1].stdout))
            ours, theirs = statistics.median(ours[1:]), statistics.median(theirs[1:])
            line = "reading %s: %.4f s, SimpleITK %.4f s, ratio %.3f" % (os.path.basename(image), ours, theirs, ours / theirs)
            if itk:
                line += ", ITK %.4f s, ratio %.3f" % (statistics.median(itk[1:]), ours / statistics.median(itk[1:]))
            print(line, flush=True)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
