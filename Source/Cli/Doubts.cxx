#include "BrickCCL/Cli/Doubts.h"

#include "BrickCCL/Clean/Clean.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <sstream>
#include <type_traits>
#include <vector>

namespace brickccl::cli
{

namespace
{

/** From this share of all voxels on, the foreground is nearly everything. */
constexpr double NearlyAll = 0.98;

/** What the values of an image look like. */
enum class Looks
{
  Labels,
  GrayValues,
  Other
};

/** Labels are several whole numbers whose neighbours along x are mostly equal. Of gray values many differ from their
 *  neighbours. Of a large image only some rows are looked at. */
Looks
LooksOf(const LoadedImage & image)
{
  return VisitScalarType(image.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const auto *           voxels = reinterpret_cast<const T *>(image.voxels.Data());
    std::uint64_t          equal = 0;
    std::uint64_t          different = 0;
    T                      first = 0;
    bool                   areSeveral = false;
    constexpr std::int64_t maximumRows = 4096;
    const std::int64_t     step = 1 + image.extent.RowCount() / maximumRows;
    const std::int64_t     stride = step * image.extent.RowLength();
    for (std::int64_t row = 0; row < image.extent.RowCount(); row += step, voxels += stride)
    {
      for (std::int64_t x = 1; x < image.extent.RowLength(); ++x)
      {
        const bool areBoth = voxels[x - 1] != 0 && voxels[x] != 0;
        equal += areBoth && voxels[x - 1] == voxels[x] ? 1 : 0;
        different += areBoth && voxels[x - 1] != voxels[x] ? 1 : 0;
        if (areBoth)
        {
          first = first == 0 ? voxels[x] : first;
          areSeveral = areSeveral || voxels[x] != first;
        }
      }
    }
    // A handful of voxels says nothing.
    if (!areSeveral || equal + different < 100)
    {
      return Looks::Other;
    }
    return different > (equal + different) / 4                           ? Looks::GrayValues
         : std::is_integral_v<T> && different <= (equal + different) / 8 ? Looks::Labels
                                                                         : Looks::Other;
  });
}

/** Whether a component has voxels of several values. */
bool
JoinsValues(const LoadedImage & image, const Labeling & labeling)
{
  return VisitScalarType(image.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const auto *           voxels = reinterpret_cast<const T *>(image.voxels.Data());
    std::vector<T>         values(static_cast<std::size_t>(labeling.ComponentCount()));
    constexpr std::int64_t rows = 4096;
    for (std::int64_t row = 0; row < image.extent.RowCount(); row += rows)
    {
      ThrowIfInterrupted();
      for (const LabelRun & run : labeling.ListRuns(row, std::min(row + rows, image.extent.RowCount())))
      {
        if (run.label == 0)
        {
          continue;
        }
        const T * const begin = voxels + run.place;
        T &             value = values[static_cast<std::size_t>(run.label - 1)];
        value = value == 0 ? *begin : value;
        if (std::any_of(begin, begin + run.length, [value](T voxel) { return voxel != value; }))
        {
          return true;
        }
      }
    }
    return false;
  });
}

std::string
RangeOfValues(const ImageView & image)
{
  const ValueHistogram histogram = HistogramOfValues(image);
  if (histogram.valueCount == 0)
  {
    return "it has no finite values";
  }
  std::ostringstream text;
  text << "its values go from " << static_cast<double>(histogram.minimum) << " to "
       << static_cast<double>(histogram.maximum);
  return text.str();
}

void
NoteChannels(const Criterion & criterion, const LoadedImage & image, ImageReader & reader)
{
  reader.Note("'" + image.files.front() + "' has " + std::to_string(image.channels) +
              (criterion.range ? " channels: a voxel is foreground where every channel lies in the range"
                               : " channels: a voxel is background where every channel has the background value"));
}

bool
IsDefault(const Criterion & criterion)
{
  return !criterion.range && criterion.FollowsForeground();
}

/** Notes that the foreground is nothing or nearly everything. \param values  tells of the image's values. \return
 *  whether there was something to note. */
bool
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
    reader.Note("no voxel of the image lies in the range" + values());
    return true;
  }
  if (static_cast<double>(foreground) >= NearlyAll * all && (IsDefault(criterion) || criterion.range) &&
      image.extent.VoxelCount() >= 100)
  {
    std::ostringstream text;
    text.precision(4);
    text << 100 * static_cast<double>(foreground) / all << " % of the image are foreground";
    reader.Note(text.str() + (IsDefault(criterion)
                                ? ", since every value but the background's is without a criterion; --threshold "
                                  "METHOD or --range LO HI choose others (`brickccl info` proposes thresholds)"
                                : values()));
    return true;
  }
  return false;
}

} // namespace

void
NoteDoubts(const CriterionArguments & arguments,
           const LoadedImage &        image,
           const Segmented &          segmented,
           const Labeling &           labeling,
           bool                       hasMask,
           ImageReader &              reader)
{
  if (image.channels > 1)
  {
    NoteChannels(segmented.asked, image, reader);
    return;
  }
  if (segmented.pores)
  {
    return;
  }
  const auto values = [&] { return "; " + RangeOfValues(segmented.View(image)); };
  const bool isNoted = NoteForeground(segmented.asked, image, labeling.ForegroundVoxelCount(), hasMask, values, reader);
  if (!IsDefault(segmented.asked) || !arguments.smooth.empty())
  {
    return;
  }
  const Looks looks = LooksOf(image);
  if (looks == Looks::Labels && JoinsValues(image, labeling))
  {
    reader.Note("the image looks like a label map, whose labels are joined where they touch; --equal-value keeps "
                "them apart, and `brickccl stats` measures them as they are");
  }
  if (looks == Looks::GrayValues && !isNoted)
  {
    reader.Note("the image looks like a gray scan, of which every value but the background's is foreground without "
                "a criterion; --threshold METHOD or --range LO HI choose others (`brickccl info` proposes "
                "thresholds)");
  }
}

void
NoteDoubtsOfSlabs(const Criterion &   criterion,
                  const LoadedImage & image,
                  std::uint64_t       foreground,
                  bool                hasMask,
                  ImageReader &       reader)
{
  if (image.channels > 1)
  {
    NoteChannels(criterion, image, reader);
    return;
  }
  NoteForeground(
    criterion,
    image,
    foreground,
    hasMask,
    [] { return std::string(); },
    reader);
}

void
NoteHolesOfPart(const LoadedImage & part, int threads, ImageReader & reader)
{
  if (part.channels != 1)
  {
    return;
  }
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(part.extent.VoxelCount()));
  VisitScalarType(part.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const auto * voxels = reinterpret_cast<const T *>(part.voxels.Data());
    std::transform(voxels, voxels + mask.size(), mask.begin(), [](T value) { return value != T(0) ? 1 : 0; });
  });
  CleanOptions options;
  options.connectivity = Connectivity::Full(part.extent.dimension);
  options.threads = threads;
  const CleanedClass filled = FillHoles(ImageView(mask.data(), part.extent), mask.data(), options).Total();
  if (filled.filledVoxels > 0)
  {
    reader.Note(
      "the mask of the part has " + std::to_string(filled.filledHoles) + " holes of " +
      std::to_string(filled.filledVoxels) +
      " voxels, whose walls count as its surface: distances to the surface are 0 in them; `brickccl label SCAN "
      "--pores` fills them");
  }
}

void
NoteOutsideOfPart(const ComponentTable & table, ImageReader & reader)
{
  const std::uint64_t voxels = TotalsOf(table).voxels;
  if (table.hasPart && table.partTotals.componentVoxels < voxels)
  {
    reader.Note(std::to_string(voxels - table.partTotals.componentVoxels) + " of " + std::to_string(voxels) +
                " voxels of components lie outside of the part");
  }
}

} // namespace brickccl::cli
