#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the seeds of the fuzzers anew, small files of every kind, with independent writers:
    build/peers/bin/python Testing/Fuzz/make_seeds.py      (numpy, nibabel, SimpleITK, tifffile, imagecodecs, pydicom)"""

import base64
import gzip
import json
import os
import struct
import sys
import zlib

import nibabel as nib
import numpy as np
import pydicom
import SimpleITK as sitk
import tifffile
from PIL import Image
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.sequence import Sequence
from pydicom.uid import (CTImageStorage, ExplicitVRLittleEndian,
                         ImplicitVRLittleEndian)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Files"))
from compound_files import compound  # noqa: E402

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "seeds")
VOXELS = (np.random.default_rng(1).random((3, 5, 7)) < 0.4).astype(np.int16) * 300


def path(kind, name):
    os.makedirs(os.path.join(FOLDER, kind), exist_ok=True)
    return os.path.join(FOLDER, kind, name)


def write(kind, name, content):
    with open(path(kind, name), "wb") as stream:
        stream.write(content)


def nrrd():
    raw = VOXELS.tobytes()
    head = "NRRD0005\n# comment\nkey:=value\ntype: short\ndimension: 3\nsizes: 7 5 3\nendian: little\n"
    space = "space: left-posterior-superior\nspace directions: (0.5,0,0) (0,2,0) (0,0,3)\nspace origin: (1,2,3)\n" \
            "kinds: domain domain domain\nspace units: \"mm\" \"um\" \"mm\"\n"
    for encoding, data in (("raw", raw), ("gzip", gzip.compress(raw, mtime=0)),
                           ("text", " ".join(map(str, VOXELS.ravel())).encode())):
        write("nrrd", encoding + ".nrrd", (head + space + "encoding: " + encoding + "\n\n").encode() + data)
    write("nrrd", "spacings.nrrd", (head.replace("little", "big") + "spacings: 1 2 nan\naxis mins: 1 2 3\n"
                                    "centers: cell cell node\nbyte skip: -1\nencoding: raw\n\n").encode() + raw)
    write("nrrd", "vector.nrrd", b"NRRD0004\ntype: uint8\ndimension: 4\nsizes: 4 3 2 2\nkinds: RGBA-color domain domain "
          b"time\nspace: RAST\nspace directions: none (1,0,0,0) (0,1,0,0) none\nencoding: raw\n\n" + bytes(range(48)))
    write("nrrd", "list.nrrd", b"NRRD0004\ntype: uint8\ndimension: 2\nsizes: 3 2\nencoding: raw\ndata file: LIST 1\na\nb\n")
    write("nrrd", "pattern.nrrd", b"NRRD0004\ntype: uint8\ndimension: 2\nsizes: 3 2\nencoding: raw\n"
          b"data file: a%02d.raw 1 2 1\n\n")


def nifti():
    for name, make, kind in (("first", nib.Nifti1Image, "int16"), ("second", nib.Nifti2Image, "float32"),
                             ("analyze", nib.Spm99AnalyzeImage, "uint8")):
        image = make(VOXELS.T.astype(kind), np.diag([2, 3, 4, 1]))
        target = path("nifti", name + (".hdr" if name == "analyze" else ".nii"))
        nib.save(image, target)
        if name == "analyze":
            for extra in (".img", ".mat"):
                if os.path.exists(target[:-4] + extra):
                    os.remove(target[:-4] + extra)
    with open(path("nifti", "first.nii"), "rb") as stream:
        content = stream.read()
    write("nifti", "packed.nii.gz", gzip.compress(content, mtime=0))
    scaled = bytearray(content)
    scaled[112:120] = struct.pack("<2f", 0.5, -3)
    write("nifti", "scaled.nii", scaled)
    colors = nib.Nifti1Image(np.zeros((3, 2, 2), dtype=[("R", "u1"), ("G", "u1"), ("B", "u1")]), np.eye(4))
    nib.save(colors, path("nifti", "colors.nii"))
    vector = nib.Nifti1Image(np.zeros((3, 2, 2, 1, 3), np.float32), np.eye(4))
    nib.save(vector, path("nifti", "vector.nii"))
    # More bytes than an integer of 64 bits counts, and bits of a voxel (bitpix) that are not those of its type.
    with open(path("nifti", "vector.nii"), "rb") as stream:
        many = bytearray(stream.read(400))
    struct.pack_into("<8h", many, 40, 5, 32767, 32767, 32767, 6858, 25185, 1, 1)
    struct.pack_into("<h", many, 72, 7)
    write("nifti", "many-voxels-of-many-channels.nii", bytes(many))


def metaimage():
    raw = VOXELS.tobytes()
    head = "ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\nDimSize = 7 5 3\n" \
           "ElementSpacing = 1 2 3\nOffset = 4 5 6\nTransformMatrix = 1 0 0 0 1 0 0 0 1\nElementType = MET_SHORT\n"
    write("metaimage", "raw.mha", (head + "ElementDataFile = LOCAL\n").encode() + raw)
    packed = zlib.compress(raw)
    write("metaimage", "packed.mha", (head + "CompressedData = True\nCompressedDataSize = %d\nElementDataFile = LOCAL\n"
                                      % len(packed)).encode() + packed)
    write("metaimage", "text.mha", (head.replace("BinaryData = True", "BinaryData = False") +
                                    "ElementDataFile = LOCAL\n").encode() + " ".join(map(str, VOXELS.ravel())).encode())
    write("metaimage", "list.mha", (head + "ElementDataFile = LIST\na.raw\nb.raw\nc.raw\n").encode())
    write("metaimage", "pattern.mha", (head + "ElementDataFile = a%d.raw 1 3 1\n").encode())
    write("metaimage", "long-name.mha", (head + "ElementDataFile = a%d.raw 1 3 1" + " 300" * 80 + "\n").encode() + raw)
    write("metaimage", "channels.mha", (head + "ElementNumberOfChannels = 2\nHeaderSize = -1\n"
                                        "ElementDataFile = LOCAL\n").encode() + raw + raw)


def tiff():
    small = VOXELS.astype(np.uint16)
    for name, options in (("plain", {}), ("big", {"bigtiff": True}), ("motorola", {"byteorder": ">"}),
                          ("deflate", {"compression": "zlib", "predictor": True}), ("lzw", {"compression": "lzw"}),
                          ("packbits", {"compression": "packbits"}), ("tiles", {"tile": (16, 16)}),
                          ("rows", {"rowsperstrip": 1}), ("zstd", {"compression": "zstd"})):
        tifffile.imwrite(path("tiff", name + ".tif"), small, photometric="minisblack", **options)
    tifffile.imwrite(path("tiff", "imagej.tif"), small, imagej=True, resolution=(4, 4),
                     metadata={"spacing": 2.0, "unit": "um", "axes": "ZYX"})
    tifffile.imwrite(path("tiff", "ome.tif"), small, ome=True, metadata={"axes": "ZYX", "PhysicalSizeX": 0.5})
    tifffile.imwrite(path("tiff", "bits.tif"), VOXELS > 0, photometric="minisblack")
    tifffile.imwrite(path("tiff", "half.tif"), VOXELS.astype(np.float16), photometric="minisblack")
    tifffile.imwrite(path("tiff", "colors.tif"), np.zeros((5, 7, 4), np.uint8), photometric="rgb", extrasamples=[2])
    tifffile.imwrite(path("tiff", "planes.tif"), np.zeros((3, 5, 7), np.uint8), photometric="rgb",
                     planarconfig="separate")
    tifffile.imwrite(path("tiff", "turned.tif"), small[0], photometric="minisblack", extratags=[(274, 3, 1, 6, True)])


def pictures():
    gray = Image.fromarray((VOXELS[0] / 2).astype(np.uint8))
    color = Image.fromarray(np.stack([VOXELS[0] / 2] * 3, -1).astype(np.uint8))
    palette = color.convert("P")
    for name, image in (("gray", gray), ("color", color), ("palette", palette), ("bits", gray.convert("1")),
                        ("alpha", gray.convert("LA")), ("wide", Image.fromarray(VOXELS[0].astype(np.uint16)))):
        image.save(path("png", name + ".png"))
    for name, image in (("gray", gray), ("color", color), ("palette", palette), ("bits", gray.convert("1"))):
        image.save(path("bmp", name + ".bmp"))
    gray.save(path("jpeg", "gray.jpg"))
    color.save(path("jpeg", "color.jpg"), progressive=True)


def scanners():
    np.save(path("npy", "short.npy"), VOXELS.astype(np.int16))
    np.save(path("npy", "double.npy"), VOXELS.astype(">f8"))
    head = struct.pack("<16s7i3i3i", b"CTDATA-HEADER_V1", 3, 0, 0, 1, 2, 0, 0, 7, 5, 3, 70, 50, 60).ljust(508, b"\0")
    write("isq", "blocks.isq", head + struct.pack("<i", 1) + bytes(512) + VOXELS.astype("<i2").tobytes())
    head = struct.pack(">7ih15f", 1, 7, 5, 3, 1, 4, 0, 1, 1, 2, 3, -1, 0, 0, 0, 0, -1, 0, 1, 0, 4, 5, 6).ljust(284, b"\0")
    write("mgh", "short.mgh", head + VOXELS.astype(">i2").tobytes() + bytes(20))
    head = struct.pack(">4HH4f", 7, 5, 3, 1, 15, 1, 2, 3, 1).ljust(252, b"\0") + struct.pack(">I", 719555000)
    write("gipl", "short.gipl", head + VOXELS.astype(">i2").tobytes())
    values = (("ImageWidth", "I", 7), ("ImageHeight", "I", 5), ("NoOfImages", "I", 3), ("DataType", "I", 5), ("PixelSize", "f", 2))
    streams = {"ImageInfo/" + name: struct.pack("<" + form, value) for name, form, value in values}
    streams.update(("ImageData1/Image%d" % (i + 1), plane.astype("<u2").tobytes()) for i, plane in enumerate(VOXELS))
    write("txm", "slices.txm", compound(streams))
    write("vff", "short.vff", b"ncaa\nrank=3;\ntype=raster;\nformat=slice;\nbits=16;\nbands=1;\nsize=7 5 3;\nspacing=1 1 2;\norigin=0 0 0;\n"
          b"elementsize=0.5;\n\f\n" + VOXELS.astype(">i2").tobytes())
    write("vgi", "volume.vgi", b"{volume1}\n[file1]\nFileFormat = raw\nSize = 7 5 3\nName = a.vol\nDatatype = unsigned integer\n"
          b"BitsPerElement = 16\n{volumeprimitive1}\n[geometry]\nresolution = 1 2 3\nunit = mm\n")


def vtk():
    data = VOXELS.astype("<i2").tobytes()
    packed = zlib.compress(data)
    text = base64.b64encode(struct.pack("<I", len(data)) + data)
    blocks = struct.pack("<4I", 1, 32768, len(data), len(packed))
    for name, zipped, form, inside, appended in (
            ("raw", b"", b'appended" offset="0', b"", b'raw">_' + struct.pack("<I", len(data)) + data),
            ("packed", b' compressor="vtkZLibDataCompressor"', b'appended" offset="0', b"", b'raw">_' + blocks + packed),
            ("both", b' compressor="vtkZLibDataCompressor"', b"binary", base64.b64encode(blocks) + base64.b64encode(packed), b'base64">_'),
            ("base64", b"", b"binary", text, b'base64">_'), ("text", b"", b"ascii", " ".join(map(str, VOXELS.ravel())).encode(), b'raw">_')):
        write("vtk", name + ".vti", b'<VTKFile type="ImageData" version="0.1" byte_order="LittleEndian"' + zipped +
              b'>\n<ImageData WholeExtent="0 6 0 4 0 2" Origin="1 2 3" Spacing="1 2 3"><Piece Extent="0 6 0 4 0 2"><PointData>\n'
              b'<DataArray type="Int16" Name="a" format="' + form + b'">' + inside + b'</DataArray></PointData></Piece></ImageData>\n'
              b'<AppendedData encoding="' + appended + b"</AppendedData></VTKFile>\n")
    write("vtk", "open-tag.vti", b'<VTKFile type="ImageData" version="0.1" byte_order="LittleEndian">\n<ImageData WholeExtent="0 1 0 1 0 1" Origin="1 2 3">'
          b'<Piece Extent="0 1 0 1 0 1"><PointData>\n<DataArray type="Int16" Name="a" format="binary"/AAAA</VTKFile>\n')
    write("vtk", "lines.vtk", b"# vtk DataFile Version 3.0\ntitle\nBINARY\nDATASET STRUCTURED_POINTS\nDIMENSIONS 7 5 3\nSPACING 1 2 3\nORIGIN 0 0 0\n"
          b"POINT_DATA 105\nSCALARS a short 1\nLOOKUP_TABLE default\n" + VOXELS.astype(">i2").tobytes() + b"\n")


def zarr():
    second = {"zarr_format": 2, "shape": [3, 5, 7], "chunks": [2, 2, 7], "dtype": "<i2", "order": "C", "fill_value": -3, "filters": None,
              "compressor": {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1}, "dimension_separator": "/"}
    third = {"zarr_format": 3, "node_type": "array", "shape": [3, 5, 7], "data_type": "float32", "fill_value": "NaN",
             "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 2, 7]}},
             "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
             "codecs": [{"name": "bytes", "configuration": {"endian": "big"}}, {"name": "zstd", "configuration": {"level": 1}}]}
    axes = [{"name": "c", "type": "channel"}] + [{"name": name, "type": "space", "unit": "micrometer"} for name in "zyx"]
    changes = [{"type": "scale", "scale": [1, 3, 2, 1]}, {"type": "translation", "translation": [0, 1, 2, 3]}]
    image = {"axes": axes, "datasets": [{"path": "0", "coordinateTransformations": changes}], "coordinateTransformations": changes[:1]}
    group = {"zarr_format": 3, "node_type": "group", "attributes": {"ome": {"version": "0.5", "multiscales": [image]}}}
    for name, metadata in (("second", second), ("third", third), ("group", group)):
        write("zarr", name + ".json", json.dumps(metadata).encode())


def slice_of(name, pixels, syntax=ExplicitVRLittleEndian, **extra):
    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID = CTImageStorage, "1.2.3.4.5"
    meta.TransferSyntaxUID = syntax
    data = Dataset()
    data.file_meta = meta
    data.SOPClassUID, data.SOPInstanceUID, data.SeriesInstanceUID = CTImageStorage, "1.2.3.4.5", "1.2.3.4"
    data.Modality, data.InstanceNumber = "CT", 1
    data.ImagePositionPatient, data.ImageOrientationPatient = [1, 2, 3], [1, 0, 0, 0, 1, 0]
    data.PixelSpacing, data.SliceThickness = [0.5, 0.5], 2
    data.SamplesPerPixel, data.PhotometricInterpretation = 1, "MONOCHROME2"
    data.Rows, data.Columns = pixels.shape[-2:]
    data.BitsAllocated = data.BitsStored = 8 * pixels.itemsize
    data.HighBit, data.PixelRepresentation = data.BitsStored - 1, int(pixels.dtype.kind == "i")
    data.RescaleSlope, data.RescaleIntercept = "1", "-1024"
    if pixels.ndim == 3:
        data.NumberOfFrames = pixels.shape[0]
    for key, value in extra.items():
        setattr(data, key, value)
    data.PixelData = pixels.tobytes()
    data["PixelData"].VR = "OW" if pixels.itemsize > 1 else "OB"
    pydicom.dcmwrite(path("dicom", name + ".dcm"), data, enforce_file_format=True, implicit_vr=syntax == ImplicitVRLittleEndian,
                     little_endian=True)


def dicom():
    slice_of("explicit", VOXELS[0])
    slice_of("implicit", VOXELS[0], ImplicitVRLittleEndian)
    slice_of("frames", VOXELS, GridFrameOffsetVector=[0, 3, 6], PixelPaddingValue=0)
    slice_of("scaled", VOXELS[0], RescaleSlope="0.25")
    packed = pydicom.dcmread(path("dicom", "explicit.dcm"))
    packed.compress(pydicom.uid.RLELossless)
    packed.save_as(path("dicom", "rle.dcm"))
    frames = []
    for k in range(3):
        place, frame = Dataset(), Dataset()
        place.ImagePositionPatient = [0, 0, 2 * k]
        frame.PlanePositionSequence = Sequence([place])
        frames.append(frame)
    turn, measures, shared = Dataset(), Dataset(), Dataset()
    turn.ImageOrientationPatient = [1, 0, 0, 0, 1, 0]
    measures.PixelSpacing, measures.SliceThickness = [1, 1], 2
    shared.PlaneOrientationSequence, shared.PixelMeasuresSequence = Sequence([turn]), Sequence([measures])
    groups = {"PerFrameFunctionalGroupsSequence": Sequence(frames), "SharedFunctionalGroupsSequence": Sequence([shared])}
    slice_of("enhanced", VOXELS, **groups)
    slice_of("dose", VOXELS, GridFrameOffsetVector=[3, 5, 7], DoseGridScaling=0.5)
    for k, frame in enumerate(frames):
        segment = Dataset()
        segment.ReferencedSegmentNumber = k + 1
        frame.SegmentIdentificationSequence = Sequence([segment])
    slice_of("segments", (VOXELS > 100).astype(np.uint8), SegmentationType="BINARY", **groups)


for make in (nrrd, nifti, metaimage, tiff, pictures, scanners, vtk, zarr, dicom):
    make()
