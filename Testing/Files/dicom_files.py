# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of DICOM files."""

import os

from files import FilesTest, np, skip_without

pydicom = skip_without("pydicom")

from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.sequence import Sequence
from pydicom.uid import CTImageStorage, ExplicitVRLittleEndian, SegmentationStorage, generate_uid

SERIES = "1.2.826.1"


def make(pixels, position=(0, 0, 0), spacing=(1.0, 1.0), orientation=(1, 0, 0, 0, 1, 0), number=1, syntax=None,
         **attributes):
    """A CT image; `spacing` along x, y; attributes of None are left out."""
    data = Dataset()
    data.file_meta = FileMetaDataset()
    data.file_meta.MediaStorageSOPClassUID = attributes.get("SOPClassUID", CTImageStorage)
    data.file_meta.MediaStorageSOPInstanceUID = generate_uid()
    data.file_meta.TransferSyntaxUID = syntax or ExplicitVRLittleEndian
    data.SOPClassUID = CTImageStorage
    data.SOPInstanceUID = data.file_meta.MediaStorageSOPInstanceUID
    data.SeriesInstanceUID = SERIES
    data.Modality = "CT"
    data.InstanceNumber = number
    if position is not None:
        data.ImagePositionPatient = ["%.8g" % value for value in position]
        data.ImageOrientationPatient = [("%.10f" % value)[:16] for value in orientation]
    if spacing is not None:
        data.PixelSpacing = [spacing[1], spacing[0]]
    data.SamplesPerPixel = 1
    data.PhotometricInterpretation = "MONOCHROME2"
    shape = pixels.shape
    if len(shape) == 3 and attributes.get("SamplesPerPixel", 1) == 1:
        data.NumberOfFrames = shape[0]
        shape = shape[1:]
    data.Rows, data.Columns = shape[:2]
    bits = 8 * pixels.itemsize
    data.BitsAllocated = data.BitsStored = bits
    data.HighBit = bits - 1
    data.PixelRepresentation = int(pixels.dtype.kind == "i")
    data.PixelData = pixels.tobytes() + b"\0" * (pixels.nbytes % 2)
    data["PixelData"].VR = "OB" if bits == 8 else "OW"
    for name, value in attributes.items():
        if value is None:
            if name in data:
                delattr(data, name)
        else:
            setattr(data, name, value)
    return data


def measures(spacing=(1.0, 1.0), between=None, thickness=None):
    item = Dataset()
    item.PixelSpacing = [spacing[1], spacing[0]]
    if between is not None:
        item.SpacingBetweenSlices = between
    if thickness is not None:
        item.SliceThickness = thickness
    return item


def one(**attributes):
    item = Dataset()
    for name, value in attributes.items():
        setattr(item, name, value)
    return Sequence([item])


def segmentation(frames, kind="BINARY", shape=(5, 7), overlap=False, between=2, step=2):
    """Frames (segment, slice) with pixels of their own; the label map that they stand for."""
    generator = np.random.default_rng(4)
    slices = max(place for _, place in frames) + 1
    labels = np.zeros((slices,) + shape, np.uint16)
    bits = np.zeros((len(frames),) + shape, np.uint8)
    for index, (segment, place) in enumerate(frames):
        mask = generator.random(shape) < 0.4
        mask[0, 0] = True
        if not overlap:
            mask &= labels[place] == 0
        bits[index] = mask
        labels[place][mask] = segment
    data = make(bits, None, None, SOPClassUID=SegmentationStorage, Modality="SEG", BitsAllocated=1, BitsStored=1,
                HighBit=0, PixelRepresentation=0, SegmentationType=kind)
    packed = np.packbits(bits.reshape(-1), bitorder="little").tobytes()
    data.PixelData = packed + b"\0" * (len(packed) % 2)
    data["PixelData"].VR = "OB"
    shared = Dataset()
    shared.PixelMeasuresSequence = Sequence([measures((0.5, 0.5), between, thickness=between)])
    shared.PlaneOrientationSequence = one(ImageOrientationPatient=[1, 0, 0, 0, 1, 0])
    data.SharedFunctionalGroupsSequence = Sequence([shared])
    data.SegmentSequence = Sequence(
        [one(SegmentNumber=number, SegmentLabel="organ %d" % number)[0] for number in sorted({s for s, _ in frames})])
    groups = []
    for segment, place in frames:
        group = Dataset()
        group.PlanePositionSequence = one(ImagePositionPatient=[1, 2, 3 + step * place])
        group.SegmentIdentificationSequence = one(ReferencedSegmentNumber=segment)
        groups.append(group)
    data.PerFrameFunctionalGroupsSequence = Sequence(groups)
    return data, labels


class Dicom(FilesTest):
    def save(self, data, *names):
        path = self.path(*names)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        data.save_as(path, enforce_file_format=True)
        return path

    def random(self, shape, dtype=np.int16, seed=1):
        information = np.iinfo(dtype)
        return np.random.default_rng(seed).integers(information.min, information.max, shape, dtype, endpoint=True)

    def series(self, places, folder="series", names=None, change=None, shape=(4, 5), **attributes):
        """Slices at `places` along z; returns their pixels in the order of `places`."""
        pixels = self.random((len(places),) + shape)
        for index, place in enumerate(places):
            position = place if isinstance(place, tuple) else (0, 0, place)
            data = make(pixels[index], position, number=index + 1, **attributes)
            if change:
                change(index, data)
            self.save(data, folder, names[index] if names else "i%d.dcm" % index)
        return self.path(folder), pixels
