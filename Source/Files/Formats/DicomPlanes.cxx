// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats/DicomPlanes.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace brickccl::files::dicom
{

namespace
{

/** The functional groups of a frame, or those that all frames share. Each is parsed once. */
class FunctionalGroups
{
public:
  FunctionalGroups() = default;
  explicit FunctionalGroups(DataSet groups)
    : m_Groups(std::move(groups))
  {}

  /** The first item of a group; null if there is none. */
  const DataSet *
  Find(const Tag & group)
  {
    auto found = m_Items.find(group.number);
    if (found == m_Items.end())
    {
      found = m_Items.emplace(group.number, m_Groups.Items(group)).first;
    }
    return found->second.empty() ? nullptr : &found->second[0];
  }

private:
  DataSet                                       m_Groups;
  std::map<std::uint32_t, std::vector<DataSet>> m_Items;
};

/** The data set that holds an attribute of a frame: a group of the frame, a group of all frames, or the file. */
using Attributes = std::function<const DataSet &(const Tag & group, const Tag & attribute)>;

void
Normalize(double * vector)
{
  const double length = std::sqrt(Dot(vector, vector));
  for (int row = 0; row < 3; ++row)
  {
    vector[row] /= length;
  }
}

/** Makes directions orthonormal, since files give few digits. \throws Error for directions that are far from it. */
void
SettleOrientation(double (&orientation)[6])
{
  double * const   second = orientation + 3;
  constexpr double accuracy = 2e-3;
  ThrowIf(!(std::fabs(Dot(orientation, orientation) - 1) < accuracy) ||
            !(std::fabs(Dot(second, second) - 1) < accuracy) || !(std::fabs(Dot(orientation, second)) < accuracy),
          "ImageOrientationPatient is " + Joined(orientation, "\\", Shortest) +
            "; it must be two orthogonal vectors of length 1");
  Normalize(orientation);
  const double product = Dot(orientation, second);
  for (int row = 0; row < 3; ++row)
  {
    second[row] -= product * orientation[row];
  }
  Normalize(second);
}

void
TakeSpacing(const Attributes & attributes, Plane & plane, std::vector<std::string> & notes)
{
  const Tag * const tagsOfSpacing[] = { &tags::PixelSpacing,
                                        &tags::ImagerPixelSpacing,
                                        &tags::NominalScannedPixelSpacing };
  for (const Tag * const tag : tagsOfSpacing)
  {
    double spacing[2];
    if (!attributes(tags::PixelMeasures, *tag).FixedNumbers(*tag, 2, spacing))
    {
      continue;
    }
    ThrowIf(!(spacing[0] > 0) || !(spacing[1] > 0),
            std::string(tag->keyword) + " is " + Shortest(spacing[0]) + " x " + Shortest(spacing[1]) +
              "; it must be above 0");
    // The distance of rows comes first.
    plane.spacing = { spacing[1], spacing[0] };
    AddNoteIf(tag != tagsOfSpacing[0],
              notes,
              "PixelSpacing is missing; " + std::string(tag->keyword) + " is taken for it");
    return;
  }
}

void
TakeStep(const Attributes & attributes, Plane & plane)
{
  for (const Tag * const tag : { &tags::SpacingBetweenSlices, &tags::SliceThickness })
  {
    const std::optional<double> step = attributes(tags::PixelMeasures, *tag).Number(*tag);
    if (step && *step != 0)
    {
      plane.step = std::fabs(*step);
      plane.stepSource = tag;
      return;
    }
  }
}

void
TakeScaling(const Attributes & attributes, const DataSet & data, Plane & plane)
{
  const DataSet & holder = attributes(tags::ValueTransformations, tags::Slope);
  ThrowIf<Unsupported>(
    !holder.Has(tags::Slope) && data.Has(tags::ModalityLut),
    "its values need a lookup table (ModalityLUTSequence), which is not supported; apply the table first");
  if (plane.source->format.samples > 1)
  {
    return; // colors are not rescaled
  }
  plane.rescaleType = attributes(tags::ValueTransformations, tags::RescaleType).Text(tags::RescaleType);
  plane.hasSlope = holder.Has(tags::Slope);
  plane.hasIntercept = holder.Number(tags::Intercept).has_value();
  plane.scaling.slope = holder.Number(tags::Slope).value_or(1);
  plane.scaling.intercept = holder.Number(tags::Intercept).value_or(0);
  if (const std::optional<double> dose = data.Number(tags::DoseScaling))
  {
    plane.scaling = { *dose, 0 };
  }
  ThrowIf(plane.scaling.slope == 0, "RescaleSlope is 0; all values would be the same");
}

void
TakePlace(const Attributes & attributes, Plane & plane, std::vector<std::string> & notes)
{
  const auto take = [&](const Tag & group, const Tag & tag, std::size_t count, double * numbers) {
    return attributes(group, tag).FixedNumbers(tag, count, numbers);
  };
  const bool hasPosition = take(tags::PlanePositions, tags::Position, 3, plane.position);
  const bool hasOrientation = take(tags::PlaneOrientations, tags::Orientation, 6, plane.orientation);
  if (hasOrientation)
  {
    SettleOrientation(plane.orientation);
  }
  plane.isPlaced = hasPosition && hasOrientation;
  if (hasPosition != hasOrientation)
  {
    AddNote(notes,
            std::string(hasPosition ? "ImageOrientationPatient" : "ImagePositionPatient") +
              " is missing: the position of the slices in the patient is unknown");
    static const Plane unplaced;
    std::copy(unplaced.position, unplaced.position + 3, plane.position);
    std::copy(unplaced.orientation, unplaced.orientation + 6, plane.orientation);
  }
}

} // namespace

void
AddNote(std::vector<std::string> & notes, const std::string & note)
{
  if (std::find(notes.begin(), notes.end(), note) == notes.end())
  {
    notes.push_back(note);
  }
}

void
NormalOf(const double (&orientation)[6], double (&normal)[3])
{
  const double * const x = orientation;
  const double * const y = orientation + 3;
  for (int row = 0; row < 3; ++row)
  {
    const int next = (row + 1) % 3;
    const int last = (row + 2) % 3;
    normal[row] = x[next] * y[last] - x[last] * y[next];
  }
}

/** Places the frames of a file that has the position of the first frame and the offsets of the others.
 *  \throws Unsupported for other files: their frames may be something else than slices. */
static void
PlaceFrames(const DataSet & data, std::vector<Plane> & planes)
{
  std::vector<double> offsets(planes.size());
  const Plane         first = planes[0];
  ThrowIf<Unsupported>(
    !first.isPlaced || !data.Has(tags::FrameOffsets),
    "its " + Counted(planes.size(), "frame") +
      " have no positions, so they may be moments in time or projections; give each frame a position "
      "(PlanePositionSequence or GridFrameOffsetVector), or extract one frame");
  data.FixedNumbers(tags::FrameOffsets, offsets.size(), offsets.data());
  // The offsets are distances from the first frame, or, in axial images, places along z (PS3.3 C.8.8.3.2).
  const double begin = offsets[0];
  double       normal[3];
  NormalOf(first.orientation, normal);
  // Positions and offsets are rounded separately.
  ThrowIf(begin != 0 && (std::fabs(normal[2]) < 0.999 || std::fabs(begin - first.position[2]) > 0.01),
          "GridFrameOffsetVector begins with " + Shortest(begin) +
            "; it must begin with 0, or in axial images with the z of ImagePositionPatient, " +
            Shortest(first.position[2]));
  for (std::size_t i = 0; i < planes.size(); ++i)
  {
    const double distance = (offsets[i] - begin) / (begin == 0 ? 1 : normal[2]);
    for (int row = 0; row < 3; ++row)
    {
      planes[i].position[row] += distance * normal[row];
    }
  }
}

std::shared_ptr<const Source>
OpenSource(File file, std::string name)
{
  const auto source = std::make_shared<Source>();
  source->file = std::move(file);
  source->name = std::move(name);
  source->patient = source->file.data.Text(tags::PatientId);
  ThrowIf(source->file.pixels == nullptr,
          source->file.data.Text(tags::Modality) == "RTSTRUCT"
            ? "it has contours (RTSTRUCT), not voxels; `plastimatch convert` makes an image of them"
            : "it has no pixel data: it is truncated, or not an image");
  source->format = ReadPixelFormat(source->file);
  if (source->format.encapsulated)
  {
    source->coded = FindCodedFrames(source->file, source->format);
  }
  return source;
}

std::vector<Plane>
PlanesOf(const std::shared_ptr<const Source> & source, std::vector<std::string> & notes)
{
  const DataSet &     data = source->file.data;
  const PixelFormat & format = source->format;
  constexpr Tag       tiles{ 0x00480006, "UL", "TotalPixelMatrixColumns" };
  ThrowIf<Unsupported>(data.Has(tiles), "its frames are tiles of a larger image, which is not supported");
  ThrowIf<Unsupported>(
    ("\\" + data.Text(tags::ImageType) + "\\").find("\\MOSAIC\\") != std::string::npos,
    "its slices are tiles of one picture (MOSAIC), which is not supported; convert it, for example with dcm2niix");
  const std::vector<DataSet> groups = data.Items(tags::FrameGroups);
  const std::vector<DataSet> shared = data.Items(tags::SharedGroups);
  FunctionalGroups           ofAll(shared.empty() ? DataSet() : shared[0]);
  const bool                 hasGroups = !groups.empty();
  ThrowIf(hasGroups && groups.size() != static_cast<std::size_t>(format.frames),
          "PerFrameFunctionalGroupsSequence has " + Counted(groups.size(), "item") + " for " +
            Counted(format.frames, "frame"));
  const auto         frames = static_cast<std::size_t>(format.frames);
  std::vector<Plane> planes(frames);
  std::size_t        withPlace = 0;
  std::size_t        withoutPlace = 0;
  const auto         hasPlace = [](FunctionalGroups & of) {
    const DataSet * const place = of.Find(tags::PlanePositions);
    return place != nullptr && place->Has(tags::Position);
  };
  for (std::size_t i = 0; i < frames; ++i)
  {
    Plane & plane = planes[i];
    if (i > 0 && !hasGroups)
    {
      plane = planes[0];
    }
    plane.frame = static_cast<std::int64_t>(i);
    plane.name = frames == 1 && !source->name.empty()
                 ? source->name
                 : (source->name.empty() ? "" : source->name + ", ") + "frame " + std::to_string(i + 1);
    if (i > 0 && !hasGroups)
    {
      continue;
    }
    plane.source = source;
    FunctionalGroups own(hasGroups ? groups[i] : DataSet());
    const Attributes attributes = [&](const Tag & group, const Tag & attribute) -> const DataSet & {
      for (FunctionalGroups * const groupsOf : { &own, &ofAll })
      {
        const DataSet * const item = groupsOf->Find(group);
        if (item != nullptr && item->Has(attribute))
        {
          return *item;
        }
      }
      return data;
    };
    TakePlace(attributes, plane, notes);
    TakeSpacing(attributes, plane, notes);
    TakeStep(attributes, plane);
    TakeScaling(attributes, data, plane);
    plane.modality = data.Text(tags::Modality);
    plane.units = data.Text(tags::Units);
    plane.number = data.Whole(tags::InstanceNumber);
    plane.frameOfReference = data.Text(tags::FrameOfReference);
    (hasPlace(own) ? withPlace : withoutPlace) = i + 1;
  }
  const bool sharePlace = hasPlace(ofAll);
  ThrowIf(withPlace > 0 && withoutPlace > 0 && !sharePlace,
          "frame " + std::to_string(withoutPlace) + " has no position in its functional groups, but frame " +
            std::to_string(withPlace) + " has one");
  // Frames that share a position in their groups are there, all of them.
  if (frames > 1 && ((withPlace == 0 && !sharePlace) || (hasGroups && !planes[0].isPlaced)))
  {
    PlaceFrames(data, planes);
  }
  const std::size_t needed =
    (format.bitsAllocated == 1 ? (frames * static_cast<std::size_t>(format.PixelsOfFrame()) + 7) / 8
                               : frames * format.BytesOfFrame());
  AddNoteIf(!format.encapsulated && source->file.pixels->size > needed + 1,
            notes,
            "the pixel data are longer than the header promises, by " +
              std::to_string(source->file.pixels->size - needed) + " bytes, which are ignored");
  AddNoteIf(format.photometric == "PALETTE COLOR",
            notes,
            "it has a palette; the voxels are numbers of colors, not brightness");
  return planes;
}

} // namespace brickccl::files::dicom
