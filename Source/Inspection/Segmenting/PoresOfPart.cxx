// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Segmenting/PoresOfPart.h"

#include "BrickCCL/Core/BitRow.h"
#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Labels/LabeledRuns.h"
#include "BrickCCL/Segmenting/CloseGaps.h"
#include "BrickCCL/Segmenting/FillPart.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <sstream>

namespace brickccl
{

namespace
{

/** Further pieces of material are worth a note if each has at least this share of the largest one's voxels. */
constexpr double LeastShareOfPiece = 1e-3;
/** Openings are noted if at most this many voxels wide, and one has this many voxels with the space behind. */
constexpr double        WidthOfOpening = 4;
constexpr std::uint64_t LeastVoxelsOfOpening = 27;

/** Calls `work(row)` for every row, on several threads. */
template <typename TWork>
void
ForEachRow(const Extent & extent, const HostContext & context, TWork work)
{
  const Chunks chunks(extent.RowCount(), 1, 256);
  ParallelFor(chunks.count, context.Silent(), [&](std::int64_t chunk) {
    for (std::int64_t row = chunks.Begin(chunk); row < chunks.End(chunk); ++row)
    {
      work(row);
    }
  });
}

class PoreFinder
{
public:
  PoreFinder(const ImageView & image, const PoreOptions & options, PoresOfPart memory)
    : m_Image(image)
    , m_Options(options)
    , m_Context{ options.threads, Progress(options.progress) }
  {
    m_Result.part = std::move(memory.part);
    m_Result.pores = std::move(memory.pores);
    m_Result.extent = image.extent;
    m_Result.geometry = options.geometry;
    for (int axis = 0; axis < 3; ++axis)
    {
      const double spacing = options.geometry.spacing[axis];
      m_LeastSpacing = image.extent.size[axis] > 1 ? std::min(m_LeastSpacing, spacing) : m_LeastSpacing;
    }
  }

  PoresOfPart
  Find()
  {
    CheckCloseWidth();
    Label(m_Image, OptionsForPieces(m_Options, m_Options.material, m_Image.extent.dimension), m_Material);
    CheckMaterial(m_Material.ForegroundVoxelCount(), m_Image.extent, m_Options.material);
    m_Context.progress.Update(0.3);
    m_Result.part.resize(static_cast<std::size_t>(m_Image.extent.VoxelCount()));
    m_Result.openingWidth = WidthOfOpening * m_LeastSpacing;
    if (m_Options.parts)
    {
      TakeParts(m_Options.parts.value());
    }
    else
    {
      WritePiece(RunsOf(m_Material), m_Result.part.data(), m_Context.Silent());
      CompletePart(m_Result.part.data(), m_Image.extent, m_Context.Part(0.3, 0.9));
    }
    TakeAllPores();
    m_Context.progress.Update(1);
    return std::move(m_Result);
  }

private:
  void
  CheckCloseWidth() const
  {
    double longest = 0;
    for (int axis = 0; axis < m_Image.extent.dimension; ++axis)
    {
      longest = std::max(longest, m_Options.geometry.spacing[axis] * static_cast<double>(m_Image.extent.size[axis]));
    }
    if (m_Options.closeWidth > longest)
    {
      std::ostringstream text;
      text << "gaps of " << m_Options.closeWidth
           << " mm cannot be closed (--close, part.close_mm), because the image is " << longest
           << " mm long; give the width of the cracks";
      throw InvalidArgument(text.str());
    }
  }

  /** Takes the largest pieces as parts, each with the next number. \param wanted  how many; 0: all */
  void
  TakeParts(std::uint64_t wanted)
  {
    std::fill(m_Result.part.begin(), m_Result.part.end(), std::uint8_t{ 0 });
    ProgressHooks quiet;
    quiet.canceled = m_Options.progress.canceled;
    const ComponentTable       pieces = m_Material.Measure({}, quiet);
    std::vector<std::uint64_t> sizes = { 0 };
    for (const ComponentMeasures & piece : pieces.components)
    {
      sizes.push_back(piece.voxelCount);
    }
    const auto isInPart = [&](std::size_t label) {
      return m_Result.part[static_cast<std::size_t>(pieces.components[label - 1].firstVoxel)] != 0;
    };
    double done = 0.3;
    TakePieces(wanted, sizes, isInPart, [&](std::size_t label) {
      ++m_PartCount;
      const double begin = done;
      done += 0.6 * static_cast<double>(sizes[label]) / static_cast<double>(m_Material.ForegroundVoxelCount());
      TakePiece(pieces.components[label - 1], m_Context.Part(begin, done));
    });
  }

  /** Takes a piece as the next part, completed in its box and a voxel around: beyond, nothing is of the piece. */
  void
  TakePiece(const ComponentMeasures & piece, const HostContext & context)
  {
    std::int64_t begin[3] = { 0, 0, 0 };
    Extent       box = m_Image.extent;
    for (int axis = 0; axis < box.dimension; ++axis)
    {
      begin[axis] = std::max<std::int64_t>(0, piece.boxMinimum[axis] - 1);
      box.size[axis] = std::min(m_Image.extent.size[axis], piece.boxMaximum[axis] + 2) - begin[axis];
    }
    const auto rowInImage = [&](std::int64_t row) {
      return (begin[2] + row / box.size[1]) * m_Image.extent.size[1] + begin[1] + row % box.size[1];
    };
    std::vector<std::uint8_t> mask(static_cast<std::size_t>(box.VoxelCount()));
    const RunVolume &         material = RunsOf(m_Material);
    ForEachRow(box, context.Silent(), [&](std::int64_t row) {
      std::vector<LabeledRun> runs;
      CollectLabeledRuns(material, rowInImage(row), runs);
      std::uint8_t * const own = mask.data() + row * box.RowLength() - begin[0];
      for (const LabeledRun & run : runs)
      {
        if (run.label == piece.label)
        {
          std::fill(own + run.begin, own + run.end, std::uint8_t{ 1 });
        }
      }
    });
    CompletePart(mask.data(), box, context);
    ForEachRow(box, context.Silent(), [&](std::int64_t row) {
      const std::uint8_t * own = mask.data() + row * box.RowLength();
      std::uint8_t *       part = m_Result.part.data() + rowInImage(row) * m_Image.extent.RowLength() + begin[0];
      for (const std::uint8_t * const end = own + box.RowLength(); own < end; ++own, ++part)
      {
        *part = *part == 0 && *own != 0 ? static_cast<std::uint8_t>(m_PartCount) : *part;
      }
    });
  }

  /** Makes a part of a piece: closes its gaps, fills it, and looks for its openings. */
  void
  CompletePart(std::uint8_t * mask, const Extent & extent, const HostContext & context)
  {
    if (m_Options.closeWidth > 0)
    {
      CloseGaps(mask, extent, context);
    }
    const OutsideOfPart outside = FillPart(mask, extent, 1, m_Options, context.Part(0.5, 0.7));
    m_Result.bores += outside.bores;
    m_Result.boreVoxels += outside.boreVoxels;
    if (m_Options.findsOpenings)
    {
      FindOpenings(mask, extent, context.Part(0.7, 1));
    }
  }

  void
  CloseGaps(std::uint8_t * mask, const Extent & extent, const HostContext & all) const
  {
    int count = 0;
    while (std::ldexp(m_Options.closeWidth, -count) >= m_LeastSpacing * (1 - 1e-6))
    {
      ++count;
    }
    // Narrow slits need not be as deep as wide ones.
    for (int i = 1; i <= count; ++i)
    {
      const HostContext context = all.Part(0.5 * (i - 1) / count, 0.5 * i / count);
      const double      width = std::ldexp(m_Options.closeWidth, i - count);
      // In fewer voxels, slits look like the ends of tapered grooves.
      TakeGaps(mask, extent, { m_Options.geometry, width, std::max(width, 2 * m_LeastSpacing), 2 }, context);
      ForEachRow(extent, m_Context, [&](std::int64_t row) {
        std::uint8_t * const begin = mask + row * extent.RowLength();
        std::replace(begin, begin + extent.RowLength(), static_cast<std::uint8_t>(GapState::Gap), std::uint8_t{ 1 });
      });
    }
  }

  void
  TakeGaps(std::uint8_t * mask, const Extent & extent, const GapLimits & limits, const HostContext & context) const
  {
    FindGapsToClose(mask, extent, limits, context, [&] {
      FillPart(mask, extent, static_cast<std::uint8_t>(GapState::Gap), m_Options, context.Part(0.5, 0.6));
    });
  }

  /** Finds what would be pores if narrow openings of the part were closed. */
  void
  FindOpenings(const std::uint8_t * part, const Extent & extent, const HostContext & context)
  {
    auto mask = MakeUnset<std::uint8_t>(static_cast<std::size_t>(extent.VoxelCount()));
    std::copy(part, part + extent.VoxelCount(), mask.begin());
    const double width = m_Result.openingWidth;
    TakeGaps(mask.data(), extent, { m_Options.geometry, width, 1.5 * width, 1 }, context);
    constexpr auto gap = static_cast<std::uint8_t>(GapState::Gap);
    LabelOptions   options = OptionsForPieces(m_Options, Criterion::InRange(gap, gap), extent.dimension);
    options.relabel.minimumSize = LeastVoxelsOfOpening;
    const Labeling openings = Label(ImageView(mask.data(), extent), options);
    PieceCounter   counter(openings.ComponentCount());
    counter.Add(RunsOf(openings), part);
    const PoresOfPart::Pieces found = counter.Count(1, 0);
    m_Result.openings.count += found.count;
    m_Result.openings.largestVoxels = std::max(m_Result.openings.largestVoxels, found.largestVoxels);
  }

  void
  TakeAllPores()
  {
    PieceCounter pieces(m_Material.ComponentCount());
    pieces.Add(RunsOf(m_Material), m_Result.part.data());
    m_Result.pores.resize(m_Result.part.size());
    TakePores(m_Result.PartView(),
              m_Options.region,
              RunsOf(m_Material),
              m_Result.pores.data(),
              m_Context.Silent(),
              m_Result);
    if (m_Options.parts)
    {
      m_Result.voxelsOfParts =
        CountNumbers(m_Result.PartView(), m_Result.PartView(), m_Options.region, m_Options.threads);
    }
    CompleteCounts(m_Material.ForegroundVoxelCount(), pieces, m_Result);
  }

  const ImageView &   m_Image;
  const PoreOptions & m_Options;
  HostContext         m_Context;
  Labeling            m_Material;
  PoresOfPart         m_Result;
  double              m_LeastSpacing = std::numeric_limits<double>::max();
  std::size_t         m_PartCount = 0;
};

} // namespace

LabelOptions
OptionsForPieces(const PoreOptions & options, const Criterion & criterion, int dimension)
{
  LabelOptions own;
  own.criterion = criterion;
  own.criterion.joining = Criterion::Joining::Foreground;
  own.connectivity = Connectivity::Full(dimension);
  own.relabel.order = LabelOrder::Size;
  own.device = options.device;
  own.threads = options.threads;
  own.progress.canceled = options.progress.canceled;
  return own;
}

void
WritePiece(const RunVolume & material, std::uint8_t * mask, const HostContext & context, std::uint64_t piece)
{
  const Extent & extent = material.GetExtent();
  ForEachRow(extent, context, [&](std::int64_t row) {
    std::uint8_t * const    begin = mask + row * extent.RowLength();
    std::vector<LabeledRun> runs;
    CollectLabeledRuns(material, row, runs);
    std::fill_n(begin, extent.RowLength(), std::uint8_t{ 0 });
    for (const LabeledRun & run : runs)
    {
      std::fill(begin + run.begin, begin + run.end, static_cast<std::uint8_t>(run.label == piece ? 1 : 0));
    }
  });
}

void
TakePieces(std::uint64_t                            wanted,
           const std::vector<std::uint64_t> &       sizes,
           const std::function<bool(std::size_t)> & isInPart,
           const std::function<void(std::size_t)> & take)
{
  std::size_t parts = 0;
  for (std::size_t label = 1; label < sizes.size() && (wanted == 0 || parts < wanted) &&
                              static_cast<double>(sizes[label]) >= LeastShareOfPiece * static_cast<double>(sizes[1]);
       ++label)
  {
    if (isInPart(label))
    {
      continue;
    }
    ThrowIf<InvalidArgument>(parts == MaximumParts,
                             "there are more than " + std::to_string(MaximumParts) +
                               " pieces of material with at least a thousandth of the largest one's voxels; take fewer "
                               "of them as parts (--parts N, part.parts), or smooth the image first");
    ++parts;
    take(label);
  }
  ThrowIf<InvalidArgument>(parts < wanted,
                           std::to_string(wanted) + " parts are asked for (--parts, part.parts), but there " +
                             (parts == 1 ? "is only 1 piece" : "are only " + std::to_string(parts) + " pieces") +
                             " of material with at least a thousandth of the largest one's voxels; pieces that touch "
                             "are one");
}

void
PieceCounter::Add(const RunVolume & components, const std::uint8_t * part)
{
  const Extent & extent = components.GetExtent();
  components.VisitLabels([&](const auto * labels) {
    for (std::int64_t row = 0; row < extent.RowCount(); ++row)
    {
      components.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
        const auto label = static_cast<std::size_t>(labels[run]);
        sizes[label] += static_cast<std::uint64_t>(end - begin);
        isInPart[label] |= part[row * extent.RowLength() + begin];
      });
    }
  });
}

PoresOfPart::Pieces
PieceCounter::Count(std::size_t first, double least) const
{
  PoresOfPart::Pieces pieces;
  for (std::size_t label = first; label < sizes.size(); ++label)
  {
    if (static_cast<double>(sizes[label]) >= least * static_cast<double>(sizes[1]) && isInPart[label] == 0)
    {
      ++pieces.count;
      pieces.largestVoxels = std::max(pieces.largestVoxels, sizes[label]);
    }
  }
  return pieces;
}

void
TakePores(const ImageView &                part,
          const std::optional<ImageView> & region,
          const RunVolume &                material,
          std::uint8_t *                   pores,
          const HostContext &              context,
          PoresOfPart &                    found)
{
  const Extent &             extent = part.extent;
  const auto                 inPart = MakeRowLinks(part, Criterion::Foreground());
  const auto                 inRegion = MakeRowLinks(part, Criterion::Foreground(), region);
  std::atomic<std::uint64_t> counts[4] = {};
  ForEachRow(extent, context, [&](std::int64_t row) {
    const auto        words = static_cast<std::size_t>(WordsForBits(extent.RowLength()));
    const Word *      isMaterial = material.Foreground(row);
    std::vector<Word> whole(words);
    std::vector<Word> own(words);
    std::uint64_t     sums[4] = {};
    inPart->PackForeground(row, whole.data());
    inRegion->PackForeground(row, own.data());
    std::uint8_t * const       begin = pores + row * extent.RowLength();
    const std::uint8_t * const numbers = static_cast<const std::uint8_t *>(part.data) + row * extent.RowLength();
    std::fill_n(begin, extent.RowLength(), std::uint8_t{ 0 });
    for (std::size_t w = 0; w < words; ++w)
    {
      sums[0] += static_cast<std::uint64_t>(CountBits(whole[w]));
      sums[1] += static_cast<std::uint64_t>(CountBits(whole[w] & isMaterial[w]));
      sums[2] += static_cast<std::uint64_t>(CountBits(own[w]));
      own[w] &= ~isMaterial[w];
      sums[3] += static_cast<std::uint64_t>(CountBits(own[w]));
      for (Word rest = own[w]; rest != 0; rest &= rest - 1)
      {
        const std::int64_t x = static_cast<std::int64_t>(w) * BitsPerWord + LowestBit(rest);
        begin[x] = numbers[x];
      }
    }
    for (int i = 0; i < 4; ++i)
    {
      counts[i] += sums[i];
    }
  });
  found.wholeVoxels += counts[0];
  found.materialVoxels += counts[1];
  found.partVoxels += counts[2];
  found.poreVoxels += counts[3];
}

VoxelsOfNumbers
CountNumbers(const ImageView & numbers, const ImageView & within, const std::optional<ImageView> & region, int threads)
{
  LabelOptions options;
  options.mask = region;
  options.device.kind = Device::Kind::Cpu;
  options.threads = threads;
  MeasureOptions measures;
  measures.zones = numbers;
  const ComponentTable table = Label(within, options).Measure(measures);
  VoxelsOfNumbers      voxels;
  for (const auto & [number, count] : table.measures.Of<NumberVoxels<ZoneNumber>>())
  {
    voxels[number] = count;
  }
  return voxels;
}

void
CompleteCounts(std::uint64_t materialVoxels, const PieceCounter & pieces, PoresOfPart & found)
{
  ThrowIf<InvalidArgument>(
    found.partVoxels == 0,
    "no voxel of the part is in the region; choose a box, cylinder, sphere or mask that overlaps the part");
  found.fillsImage = found.wholeVoxels == static_cast<std::uint64_t>(found.extent.VoxelCount());
  found.otherMaterialVoxels = materialVoxels - found.materialVoxels;
  found.furtherPieces = pieces.Count(2, LeastShareOfPiece);
}

PoresOfPart
FindPores(const ImageView & image, const PoreOptions & options, PoresOfPart memory)
{
  CheckMayHavePart(image.extent, image.channels);
  return PoreFinder(image, options, std::move(memory)).Find();
}

void
CheckMayHavePart(const Extent & extent, int channels)
{
  ThrowIf<InvalidArgument>(channels != 1 || extent.dimension > 3,
                           "pores are found in images with 1 channel and up to 3 dimensions; this one has " +
                             Counted(channels, "channel") + " and " + Counted(extent.dimension, "dimension"));
}

void
CheckMaterial(std::uint64_t materialVoxels, const Extent & extent, const Criterion & criterion)
{
  ThrowIf<InvalidArgument>(materialVoxels == 0,
                           "the image has no material: no voxel is in " + criterion.ToString() +
                             "; give another threshold");
  CheckThatAirIsLeft(materialVoxels, extent, criterion);
}

void
CheckThatAirIsLeft(std::uint64_t materialVoxels, const Extent & extent, const Criterion & criterion)
{
  ThrowIf<InvalidArgument>(materialVoxels == static_cast<std::uint64_t>(extent.VoxelCount()),
                           "the part fills the image: every voxel is in " + criterion.ToString() +
                             "; give another threshold");
}

} // namespace brickccl
