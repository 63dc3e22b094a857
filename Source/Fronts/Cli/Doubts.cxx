// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Doubts.h"

#include "BrickCCL/Clean/Clean.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Measuring/CountNotANumber.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>
#include <vector>

namespace brickccl::cli
{

/** From this share of all voxels on, the foreground is nearly everything. */
constexpr double NearlyAll = 0.98;

/** "; its values range from 0 to 9". Nothing without an image. */
static std::string
RangeOfValues(const std::optional<ImageView> & image, int threads)
{
  if (!image)
  {
    return {};
  }
  const ValueHistogram histogram = HistogramOfValues(*image, {}, { threads });
  if (histogram.valueCount == 0)
  {
    return "; it has no finite values";
  }
  std::ostringstream text;
  text << "; its values range from " << static_cast<double>(histogram.minimum) << " to "
       << static_cast<double>(histogram.maximum);
  return text.str();
}

static bool
IsDefault(const Criterion & criterion)
{
  return !criterion.range && criterion.background && criterion.FollowsForeground();
}

/** Notes that the foreground is nothing or nearly everything. \param values  of the image \return whether it is */
static bool
NoteForeground(const Criterion &                    criterion,
               const LoadedImage &                  image,
               std::uint64_t                        foreground,
               bool                                 hasMask,
               const std::function<std::string()> & values,
               ImageReader &                        reader)
{
  const auto all = static_cast<double>(image.extent.VoxelCount());
  if (foreground == 0 && !hasMask && criterion.range)
  {
    reader.Note("no voxel is in the range" + values());
    return true;
  }
  if (static_cast<double>(foreground) >= NearlyAll * all && (IsDefault(criterion) || criterion.range) &&
      image.extent.VoxelCount() >= 100)
  {
    std::ostringstream text;
    text.precision(4);
    text << 100 * static_cast<double>(foreground) / all << " % of the voxels are foreground";
    reader.Note(text.str() + (IsDefault(criterion)
                                ? ": without a criterion, every non-background value is; use --threshold METHOD or "
                                  "--range LO HI (`brickccl info` proposes thresholds)"
                                : values()));
    return true;
  }
  return false;
}

static bool
IsJpeg(const LoadedImage & image)
{
  const std::string extension = image.files.empty() ? "" : ExtensionOf(image.files.front());
  return extension == ".jpg" || extension == ".jpeg";
}

/** Notes that a label map, a gray scan or a JPEG was taken for a mask. \param areSome  whether there are components
 *  \param isNoted  whether the foreground was noted */
static void
NoteLooks(const LooksOfImage & looks, bool areSome, bool isNoted, bool isLossy, ImageReader & reader)
{
  reader.NoteIf(isLossy && !looks.AreGrayValues(),
                "the image is a JPEG, whose compression turns background near edges into foreground and extra "
                "components; use --range 128 255, and store masks as PNG");
  reader.NoteIf(looks.AreLabels() && areSome,
                "the image looks like a label map, whose touching labels are joined; --equal-value keeps them apart, "
                "`brickccl stats` measures them unchanged");
  reader.NoteIf(looks.AreGrayValues() && !isNoted,
                "the image looks like a grayscale scan; without a criterion all non-background voxels are foreground; "
                "use --threshold METHOD or --range LO HI (`brickccl info` proposes thresholds)");
}

void
Doubts::See(const ImageView & slab, std::int64_t firstRow)
{
  if (m_Image.channels == 1 && IsDefault(m_Criterion) && !m_IsSmoothed)
  {
    m_Looks.Add(slab, firstRow, m_Image.extent);
  }
}

void
Doubts::Note(std::uint64_t                    foreground,
             std::uint64_t                    components,
             ImageReader &                    reader,
             const std::optional<ImageView> & whole) const
{
  if (m_Image.channels > 1)
  {
    reader.Note(Quoted(m_Image.files.front()) + " has " + std::to_string(m_Image.channels) +
                (m_Criterion.range ? " channels: a voxel is foreground where every channel is in the range"
                                   : " channels: a voxel is background where every channel has the background value"));
    return;
  }
  const auto values = [&] { return RangeOfValues(whole, m_Threads); };
  const bool isNoted = NoteForeground(m_Criterion, m_Image, foreground, m_HasMask, values, reader);
  NoteLooks(m_Looks, components > 0, isNoted, IsJpeg(m_Image) && IsDefault(m_Criterion) && !m_IsSmoothed, reader);
}

void
CheckPart(const LoadedImage & part, int threads, ImageReader & reader)
{
  if (part.channels != 1)
  {
    return;
  }
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(part.extent.VoxelCount()));
  LooksOfImage              looks;
  looks.Add(part.View(), 0, part.extent);
  VisitScalarType(part.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const auto * voxels = reinterpret_cast<const T *>(part.voxels.Data());
    std::transform(voxels, voxels + mask.size(), mask.begin(), [](T value) { return IsInPart(value) ? 1 : 0; });
  });
  const std::string name = Quoted(part.files.front());
  ThrowIf<InvalidArgument>(
    std::find(mask.begin(), mask.end(), 0) == mask.end(),
    name + " (--part) is not a mask of a part: no voxel is 0, so the part has no surface; use an image "
           "that is 0 outside the part, or omit --part");
  reader.NoteIf(looks.AreGrayValues(),
                name + " (--part) looks like a grayscale scan, not a mask: every nonzero voxel counts as part");
  CleanOptions options;
  options.connectivity = Connectivity::Full(part.extent.dimension);
  options.threads = threads;
  const CleanedClass filled = FillHoles(ImageView(mask.data(), part.extent), mask.data(), options).Total();
  reader.NoteIf(
    filled.filledVoxels > 0,
    "the mask of the part has " + std::to_string(filled.filledHoles) + " holes of " +
      std::to_string(filled.filledVoxels) +
      " voxels, which count as outside, so their walls are surface; `brickccl label SCAN --pores` fills them");
}

void
NoteOutsideOfPart(const ComponentTable & table, ImageReader & reader)
{
  const std::uint64_t voxels = TotalsOf(table).voxels;
  reader.NoteIf(table.hasPart && table.partTotals.componentVoxels < voxels,
                std::to_string(voxels - table.partTotals.componentVoxels) + " of " + std::to_string(voxels) +
                  " component voxels are outside the part");
}

void
NoteGrayClasses(const LoadedImage & image, ImageReader & reader, const std::string & advice)
{
  LooksOfImage looks;
  if (image.channels == 1)
  {
    looks.Add(image.View(), 0, image.extent);
  }
  reader.NoteIf(looks.AreGrayValues(),
                "the segmentation looks like a grayscale scan, with each value as a class; " + advice);
}

void
NoteMeasures(const ComponentTable & table, ImageReader & reader, const std::string & otherwise)
{
  std::uint64_t without = 0;
  for (std::size_t c = 0; table.hasIntensity && c < table.components.size(); ++c)
  {
    without += std::isnan(table.components.Intensity(c).mean) ? 1 : 0;
  }
  reader.NoteIf(
    without > 0,
    std::to_string(without) + " of " + std::to_string(table.components.size()) +
      " components have no mean intensity: their values include NaN or both infinities, or the sum is too large" +
      otherwise + "; intensity_min and intensity_max ignore NaN");
}

} // namespace brickccl::cli
