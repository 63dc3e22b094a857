# SPDX-License-Identifier: Apache-2.0
"""Makes the DICOM series Data/forearm: a synthetic CT of two bones in soft tissue, 32 slices, in HU. It needs numpy and
pydicom.   make_forearm.py [FOLDER]"""

import os
import sys

import numpy
import pydicom
from pydicom.dataset import Dataset, FileDataset, FileMetaDataset
from pydicom.uid import CTImageStorage, ExplicitVRLittleEndian, RLELossless

ROOT = "1.2.826.0.1.3680043.10.54321.7"  # below the root that Medical Connections gives away for tests
WIDTH, HEIGHT, SLICES = 128, 96, 32
SPACING, DISTANCE = 0.8, 2.5
AIR, SKIN, MUSCLE, MARROW, CORTEX = -1000, 20, 55, -60, 1350


def disc(x, y, center, radius, flattening=1.0):
    return (x - center[0]) ** 2 + ((y - center[1]) / flattening) ** 2 <= radius ** 2


def slice_values(z):
    """The HU of a slice; the bones cross each other a little and grow towards the wrist."""
    y, x = numpy.mgrid[0:HEIGHT, 0:WIDTH].astype(float)
    image = numpy.full((HEIGHT, WIDTH), AIR, numpy.int16)
    image[disc(x, y, (64, 48), 50, 0.8)] = SKIN
    image[disc(x, y, (64, 48), 47, 0.79)] = MUSCLE
    share = z / (SLICES - 1)
    for center, outer, inner in (((44 + 6 * share, 50 - 4 * share), 11 + 4 * share, 6 + 3 * share),
                                 ((86 - 4 * share, 46 + 3 * share), 12 - 4 * share, 7 - 3 * share)):
        image[disc(x, y, center, outer)] = CORTEX
        image[disc(x, y, center, inner)] = MARROW
    # A grain of calcification in the muscle.
    if 10 <= z <= 11:
        image[30:32, 66:68] = 400
    return image


def write_slice(folder, z):
    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID = CTImageStorage
    meta.MediaStorageSOPInstanceUID = "%s.3.%d" % (ROOT, z + 1)
    meta.TransferSyntaxUID = ExplicitVRLittleEndian
    meta.ImplementationClassUID = ROOT + ".9"
    image = FileDataset(None, Dataset(), file_meta=meta, preamble=b"\0" * 128)
    image.SOPClassUID, image.SOPInstanceUID = meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID
    image.StudyInstanceUID, image.SeriesInstanceUID, image.FrameOfReferenceUID = ROOT + ".1", ROOT + ".2", ROOT + ".4"
    image.Modality, image.PatientName, image.PatientID = "CT", "Phantom^Forearm", "PHANTOM"
    image.SeriesDescription, image.SeriesNumber, image.InstanceNumber = "forearm, bone", 2, z + 1
    image.StudyDate, image.StudyTime = "20260101", "120000"
    image.ImagePositionPatient = [-51.2, -38.4, DISTANCE * z]
    image.ImageOrientationPatient = [1, 0, 0, 0, 1, 0]
    image.PixelSpacing, image.SliceThickness = [SPACING, SPACING], DISTANCE
    image.Rows, image.Columns, image.SamplesPerPixel, image.PhotometricInterpretation = HEIGHT, WIDTH, 1, "MONOCHROME2"
    image.BitsAllocated = image.BitsStored = 16
    image.HighBit, image.PixelRepresentation = 15, 1
    image.RescaleIntercept, image.RescaleSlope, image.RescaleType = 0, 1, "HU"
    image.PixelData = slice_values(z).tobytes()
    image.compress(RLELossless, generate_instance_uid=False)
    image.save_as(os.path.join(folder, "slice-%02d.dcm" % (z + 1)), write_like_original=False)


def main():
    default = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Data", "forearm")
    folder = sys.argv[1] if len(sys.argv) > 1 else default
    os.makedirs(folder, exist_ok=True)
    for z in range(SLICES):
        write_slice(folder, z)


if __name__ == "__main__":
    main()
