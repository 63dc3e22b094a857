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

/** Whether a component has voxels of several values. */
bool
JoinsValues(const ImageView & image, const Labeling & labeling)
{
  return VisitScalarType(image.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const auto *           voxels = static_cast<const T *>(image.data);
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

/** Notes that a label map or a gray scan was taken for an image. \param isNoted  whether the foreground was noted */
void
NoteLooks(const LooksOfImage & looks, bool isNoted, ImageReader & reader)
{
  if (looks.AreLabelsJoined())
  {
    reader.Note("the image looks like a label map, whose labels are joined where they touch; --equal-value keeps "
                "them apart, and `brickccl stats` measures them as they are");
  }
  if (looks.AreGrayValues() && !isNoted)
  {
    reader.Note("the image looks like a gray scan, of which every value but the background's is foreground without "
                "a criterion; --threshold METHOD or --range LO HI choose others (`brickccl info` proposes "
                "thresholds)");
  }
}

} // namespace

LooksOfImage::Kind
LooksOfImage::Look() const
{
  // A handful of voxels says nothing.
  if (!m_AreSeveral || m_Equal + m_Different < 100)
  {
    return Kind::Other;
  }
  return m_Different > (m_Equal + m_Different) / 4                ? Kind::GrayValues
       : m_AreWhole && m_Different <= (m_Equal + m_Different) / 8 ? Kind::Labels
                                                                  : Kind::Other;
}

void
LooksOfImage::Add(const ImageView & part, std::int64_t firstRow, std::int64_t rowsOfImage, const Labeling & labeling)
{
  VisitScalarType(part.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const auto *           voxels = static_cast<const T *>(part.data);
    constexpr std::int64_t maximumRows = 4096;
    const std::int64_t     step = 1 + rowsOfImage / maximumRows;
    const std::int64_t     length = part.extent.RowLength();
    m_AreWhole = std::is_integral_v<T>;
    for (std::int64_t row = (step - firstRow % step) % step; row < part.extent.RowCount(); row += step)
    {
      const T * const begin = voxels + row * length;
      for (std::int64_t x = 1; x < length; ++x)
      {
        const bool areBoth = begin[x - 1] != 0 && begin[x] != 0;
        m_Equal += areBoth && begin[x - 1] == begin[x] ? 1 : 0;
        m_Different += areBoth && begin[x - 1] != begin[x] ? 1 : 0;
        if (areBoth)
        {
          // Other numbers than these may be the same as doubles; labels are not so large.
          const auto value = static_cast<double>(begin[x]);
          m_First = m_First == 0 ? value : m_First;
          m_AreSeveral = m_AreSeveral || value != m_First;
        }
      }
    }
  });
  m_JoinsValues = m_JoinsValues || (Look() == Kind::Labels && JoinsValues(part, labeling));
}

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
  const ImageView whole(image.voxels.Data(), image.type, image.extent, 1);
  LooksOfImage    looks;
  looks.Add(whole, 0, image.extent.RowCount(), labeling);
  NoteLooks(looks, isNoted, reader);
}

void
NoteDoubtsOfSlabs(const Criterion &    criterion,
                  const LoadedImage &  image,
                  std::uint64_t        foreground,
                  const LooksOfImage & looks,
                  bool                 hasMask,
                  ImageReader &        reader)
{
  if (image.channels > 1)
  {
    NoteChannels(criterion, image, reader);
    return;
  }
  const auto values = [] { return std::string(); };
  const bool isNoted = NoteForeground(criterion, image, foreground, hasMask, values, reader);
  NoteLooks(looks, isNoted, reader);
}

bool
LooksDecide(const Criterion & criterion, int channels)
{
  return IsDefault(criterion) && channels == 1;
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
