// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Files/Disk/FileBytes.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace brickccl::files::dicom
{

/** An attribute: its number (group, element), its value representation in the standard, and its keyword. */
struct Tag
{
  std::uint32_t number;
  const char *  representation;
  const char *  keyword;
};

namespace tags
{
inline constexpr Tag TransferSyntax{ 0x00020010, "UI", "TransferSyntaxUID" };
inline constexpr Tag CharacterSet{ 0x00080005, "CS", "SpecificCharacterSet" };
inline constexpr Tag ImageType{ 0x00080008, "CS", "ImageType" };
inline constexpr Tag SopClass{ 0x00080016, "UI", "SOPClassUID" };
inline constexpr Tag Modality{ 0x00080060, "CS", "Modality" };
inline constexpr Tag CodeValue{ 0x00080100, "SH", "CodeValue" };
inline constexpr Tag CodingScheme{ 0x00080102, "SH", "CodingSchemeDesignator" };
inline constexpr Tag CodeMeaning{ 0x00080104, "LO", "CodeMeaning" };
inline constexpr Tag SeriesDescription{ 0x0008103E, "LO", "SeriesDescription" };
inline constexpr Tag PatientId{ 0x00100020, "LO", "PatientID" };
inline constexpr Tag SliceThickness{ 0x00180050, "DS", "SliceThickness" };
inline constexpr Tag SpacingBetweenSlices{ 0x00180088, "DS", "SpacingBetweenSlices" };
inline constexpr Tag ImagerPixelSpacing{ 0x00181164, "DS", "ImagerPixelSpacing" };
inline constexpr Tag NominalScannedPixelSpacing{ 0x00182010, "DS", "NominalScannedPixelSpacing" };
inline constexpr Tag FrameOfReference{ 0x00200052, "UI", "FrameOfReferenceUID" };
inline constexpr Tag SeriesUid{ 0x0020000E, "UI", "SeriesInstanceUID" };
inline constexpr Tag SeriesNumber{ 0x00200011, "IS", "SeriesNumber" };
inline constexpr Tag InstanceNumber{ 0x00200013, "IS", "InstanceNumber" };
inline constexpr Tag Position{ 0x00200032, "DS", "ImagePositionPatient" };
inline constexpr Tag Orientation{ 0x00200037, "DS", "ImageOrientationPatient" };
inline constexpr Tag PlanePositions{ 0x00209113, "SQ", "PlanePositionSequence" };
inline constexpr Tag PlaneOrientations{ 0x00209116, "SQ", "PlaneOrientationSequence" };
inline constexpr Tag Samples{ 0x00280002, "US", "SamplesPerPixel" };
inline constexpr Tag Photometric{ 0x00280004, "CS", "PhotometricInterpretation" };
inline constexpr Tag Planar{ 0x00280006, "US", "PlanarConfiguration" };
inline constexpr Tag Frames{ 0x00280008, "IS", "NumberOfFrames" };
inline constexpr Tag Rows{ 0x00280010, "US", "Rows" };
inline constexpr Tag Columns{ 0x00280011, "US", "Columns" };
inline constexpr Tag PixelSpacing{ 0x00280030, "DS", "PixelSpacing" };
inline constexpr Tag BitsAllocated{ 0x00280100, "US", "BitsAllocated" };
inline constexpr Tag BitsStored{ 0x00280101, "US", "BitsStored" };
inline constexpr Tag HighBit{ 0x00280102, "US", "HighBit" };
inline constexpr Tag IsSigned{ 0x00280103, "US", "PixelRepresentation" };
inline constexpr Tag Intercept{ 0x00281052, "DS", "RescaleIntercept" };
inline constexpr Tag Slope{ 0x00281053, "DS", "RescaleSlope" };
inline constexpr Tag RescaleType{ 0x00281054, "LO", "RescaleType" };
inline constexpr Tag ModalityLut{ 0x00283000, "SQ", "ModalityLUTSequence" };
inline constexpr Tag PixelMeasures{ 0x00289110, "SQ", "PixelMeasuresSequence" };
inline constexpr Tag ValueTransformations{ 0x00289145, "SQ", "PixelValueTransformationSequence" };
inline constexpr Tag Units{ 0x00541001, "CS", "Units" };
inline constexpr Tag SegmentationType{ 0x00620001, "CS", "SegmentationType" };
inline constexpr Tag Segments{ 0x00620002, "SQ", "SegmentSequence" };
inline constexpr Tag SegmentCategory{ 0x00620003, "SQ", "SegmentedPropertyCategoryCodeSequence" };
inline constexpr Tag SegmentNumber{ 0x00620004, "US", "SegmentNumber" };
inline constexpr Tag SegmentLabel{ 0x00620005, "LO", "SegmentLabel" };
inline constexpr Tag SegmentIdentifications{ 0x0062000A, "SQ", "SegmentIdentificationSequence" };
inline constexpr Tag ReferencedSegment{ 0x0062000B, "US", "ReferencedSegmentNumber" };
inline constexpr Tag SegmentColor{ 0x0062000D, "US", "RecommendedDisplayCIELabValue" };
inline constexpr Tag SegmentType{ 0x0062000F, "SQ", "SegmentedPropertyTypeCodeSequence" };
inline constexpr Tag FrameOffsets{ 0x3004000C, "DS", "GridFrameOffsetVector" };
inline constexpr Tag DoseScaling{ 0x3004000E, "DS", "DoseGridScaling" };
inline constexpr Tag SharedGroups{ 0x52009229, "SQ", "SharedFunctionalGroupsSequence" };
inline constexpr Tag FrameGroups{ 0x52009230, "SQ", "PerFrameFunctionalGroupsSequence" };
inline constexpr Tag FloatPixels{ 0x7FE00008, "OF", "FloatPixelData" };
inline constexpr Tag DoublePixels{ 0x7FE00009, "OD", "DoubleFloatPixelData" };
inline constexpr Tag Pixels{ 0x7FE00010, "OW", "PixelData" };
} // namespace tags

struct Element
{
  std::uint32_t         tag = 0;
  char                  representation[2] = {};
  bool                  undefinedLength = false;
  const unsigned char * data = nullptr;
  std::size_t           size = 0;
  /** The size that the header states. Pixel data may be cut; then `size` is less. */
  std::size_t declaredSize = 0;
};

/** The elements of a file, or of an item of a sequence, up to the pixel data. They point into the file's bytes.
 *  \throws Error, from every function, that names the element and says what is wrong with it. */
class DataSet
{
public:
  DataSet() = default;
  /** \param hasRepresentations  whether elements state the representation of their values (explicit) */
  DataSet(const unsigned char * begin, const unsigned char * end, bool hasRepresentations, int depth = 0);

  /** Null unless the element exists and has a value. */
  const Element * Find(const Tag & tag) const;
  bool
  Has(const Tag & tag) const
  {
    return Find(tag) != nullptr;
  }
  /** The text of an element without the spaces around it; empty if the element is missing. */
  std::string         Text(const Tag & tag) const;
  std::vector<double> Numbers(const Tag & tag) const;
  /** \throws Error unless the element is missing or has `count` finite numbers. \return whether it exists. */
  bool                        FixedNumbers(const Tag & tag, std::size_t count, double * numbers) const;
  std::optional<double>       Number(const Tag & tag) const;
  std::optional<std::int64_t> Whole(const Tag & tag) const;
  /** The items of a sequence; none if it is missing. */
  std::vector<DataSet> Items(const Tag & tag) const;

private:
  /** The elements, sorted by their tags. */
  std::vector<Element> m_Elements;
  bool                 m_HasRepresentations = true;
  int                  m_Depth = 0;
};

inline constexpr const char * RleSyntax = "1.2.840.10008.1.2.5";

struct File
{
  FileBytes   bytes;
  std::string transferSyntax;
  bool        hasRepresentations = true;
  DataSet     data;
  /** The integer, float or double pixel data; null if there are none. */
  const Element * pixels = nullptr;

  File() = default;
  explicit File(const FileBytes & mapped);
  // `pixels` points into `data`. A move keeps it valid, since the elements move along.
  File(File &&) = default;
  File & operator=(File &&) = default;
};

/** Whether a file has the preamble of DICOM, or begins like a data set without one. */
bool HasPreamble(const FileBytes & file);
bool BeginsLikeDataSet(const FileBytes & file);

} // namespace brickccl::files::dicom
