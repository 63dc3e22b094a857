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
#include <string>
#include <vector>

namespace brickccl
{

namespace
{

/** Further pieces of material are worth a note if each has at least this share of the largest one's voxels. */
constexpr double LeastShareOfPiece = 1e-3;
/** Openings to the outside are worth a note if they are at most this many voxels wide, and one has at least this many
 * voxels including the space behind it. */
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

/** Finds the pores of one image, step by step. */
class PoreFinder
{
public:
  PoreFinder(const ImageView & image, const PoreOptions & options)
    : m_Image(image)
    , m_Options(options)
    , m_Context{ options.threads, Progress(options.progress) }
  {
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
    TakeLargestPiece();
    if (m_Options.closeWidth > 0)
    {
      CloseGaps();
    }
    const OutsideOfPart outside =
      FillPart(m_Result.part.data(), m_Image.extent, 1, m_Options, m_Context.Part(0.6, 0.7));
    m_Result.bores = outside.bores;
    m_Result.boreVoxels = outside.boreVoxels;
    if (m_Options.findsOpenings)
    {
      FindOpenings();
    }
    TakeAllPores();
    m_Context.progress.Update(1);
    return std::move(m_Result);
  }

private:
  void
  TakeLargestPiece()
  {
    Label(m_Image, OptionsForPieces(m_Options, m_Options.material, m_Image.extent.dimension), m_Material);
    CheckMaterial(m_Material.ForegroundVoxelCount(), m_Image.extent, m_Options.material);
    m_Result.part.resize(static_cast<std::size_t>(m_Image.extent.VoxelCount()));
    WritePiece(RunsOf(m_Material), m_Result.part.data(), m_Context.Silent());
    m_Context.progress.Update(0.3);
  }

  void
  CloseGaps()
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
    int count = 0;
    while (std::ldexp(m_Options.closeWidth, -count) >= m_LeastSpacing * (1 - 1e-6))
    {
      ++count;
    }
    // Narrow slits need not be as deep as wide ones.
    for (int i = 1; i <= count; ++i)
    {
      const HostContext context = m_Context.Part(0.3 + 0.3 * (i - 1) / count, 0.3 + 0.3 * i / count);
      const double      width = std::ldexp(m_Options.closeWidth, i - count);
      // In fewer voxels, slits look like the ends of tapered grooves.
      TakeGaps(m_Result.part.data(), { m_Options.geometry, width, std::max(width, 2 * m_LeastSpacing), 2 }, context);
      ForEachRow(m_Image.extent, m_Context, [&](std::int64_t row) {
        std::uint8_t * const begin = m_Result.part.data() + row * m_Image.extent.RowLength();
        std::replace(begin,
                     begin + m_Image.extent.RowLength(),
                     static_cast<std::uint8_t>(GapState::Gap),
                     std::uint8_t{ 1 });
      });
    }
  }

  void
  TakeGaps(std::uint8_t * mask, const GapLimits & limits, const HostContext & context) const
  {
    FindGapsToClose(mask, m_Image.extent, limits, context, [&] {
      FillPart(mask, m_Image.extent, static_cast<std::uint8_t>(GapState::Gap), m_Options, context.Part(0.5, 0.6));
    });
  }

  /** Finds what would be pores if narrow openings of the part were closed. */
  void
  FindOpenings()
  {
    auto mask = MakeUnset<std::uint8_t>(m_Result.part.size());
    std::copy(m_Result.part.begin(), m_Result.part.end(), mask.begin());
    const double width = WidthOfOpening * m_LeastSpacing;
    m_Result.openingWidth = width;
    TakeGaps(mask.data(), { m_Options.geometry, width, 1.5 * width, 1 }, m_Context.Part(0.7, 0.9));
    constexpr auto gap = static_cast<std::uint8_t>(GapState::Gap);
    LabelOptions   options = OptionsForPieces(m_Options, Criterion::InRange(gap, gap), m_Image.extent.dimension);
    options.relabel.minimumSize = LeastVoxelsOfOpening;
    const Labeling openings = Label(ImageView(mask.data(), m_Image.extent), options);
    PieceCounter   counter(openings.ComponentCount());
    counter.Add(RunsOf(openings), m_Result.part.data());
    m_Result.openings = counter.Count(1, 0);
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
    CompleteCounts(m_Material.ForegroundVoxelCount(), pieces, m_Result);
  }

  const ImageView &   m_Image;
  const PoreOptions & m_Options;
  HostContext         m_Context;
  Labeling            m_Material;
  PoresOfPart         m_Result;
  double              m_LeastSpacing = std::numeric_limits<double>::max();
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
WritePiece(const RunVolume & material, std::uint8_t * mask, const HostContext & context)
{
  const Extent & extent = material.GetExtent();
  ForEachRow(extent, context, [&](std::int64_t row) {
    std::uint8_t * const    begin = mask + row * extent.RowLength();
    std::vector<LabeledRun> runs;
    CollectLabeledRuns(material, row, runs);
    std::fill_n(begin, extent.RowLength(), std::uint8_t{ 0 });
    for (const LabeledRun & run : runs)
    {
      std::fill(begin + run.begin, begin + run.end, static_cast<std::uint8_t>(run.label == 1 ? 1 : 0));
    }
  });
}

void
PieceCounter::Add(const RunVolume & components, const std::uint8_t * part)
{
  const Extent &          extent = components.GetExtent();
  std::vector<LabeledRun> runs;
  for (std::int64_t row = 0; row < extent.RowCount(); ++row)
  {
    CollectLabeledRuns(components, row, runs);
    for (const LabeledRun & run : runs)
    {
      m_Sizes[static_cast<std::size_t>(run.label)] += static_cast<std::uint64_t>(run.end - run.begin);
      m_IsInPart[static_cast<std::size_t>(run.label)] = part[row * extent.RowLength() + run.begin];
    }
  }
}

PoresOfPart::Pieces
PieceCounter::Count(std::size_t first, double least) const
{
  PoresOfPart::Pieces pieces;
  for (std::size_t label = first; label < m_Sizes.size(); ++label)
  {
    if (static_cast<double>(m_Sizes[label]) >= least * static_cast<double>(m_Sizes[1]) && m_IsInPart[label] == 0)
    {
      ++pieces.count;
      pieces.largestVoxels = std::max(pieces.largestVoxels, m_Sizes[label]);
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
    for (std::size_t w = 0; w < words; ++w)
    {
      sums[0] += static_cast<std::uint64_t>(CountBits(whole[w]));
      sums[1] += static_cast<std::uint64_t>(CountBits(whole[w] & isMaterial[w]));
      sums[2] += static_cast<std::uint64_t>(CountBits(own[w]));
      own[w] &= ~isMaterial[w];
      sums[3] += static_cast<std::uint64_t>(CountBits(own[w]));
    }
    std::uint8_t * const begin = pores + row * extent.RowLength();
    for (std::int64_t x = 0; x < extent.RowLength(); ++x)
    {
      begin[x] = static_cast<std::uint8_t>(own[static_cast<std::size_t>(x / BitsPerWord)] >> (x % BitsPerWord) & 1);
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

void
CompleteCounts(std::uint64_t materialVoxels, const PieceCounter & pieces, PoresOfPart & found)
{
  if (found.partVoxels == 0)
  {
    throw InvalidArgument("the mask is 0 everywhere in the part; use a mask that overlaps the part");
  }
  found.fillsImage = found.wholeVoxels == static_cast<std::uint64_t>(found.extent.VoxelCount());
  found.otherMaterialVoxels = materialVoxels - found.materialVoxels;
  found.furtherPieces = pieces.Count(2, LeastShareOfPiece);
}

PoresOfPart
FindPores(const ImageView & image, const PoreOptions & options)
{
  CheckMayHavePart(image.extent, image.channels);
  return PoreFinder(image, options).Find();
}

void
CheckMayHavePart(const Extent & extent, int channels)
{
  if (channels != 1 || extent.dimension > 3)
  {
    throw InvalidArgument("pores are found in images with 1 channel and up to 3 dimensions; this one has " +
                          Counted(channels, "channel") + " and " + Counted(extent.dimension, "dimension"));
  }
}

void
CheckMaterial(std::uint64_t materialVoxels, const Extent & extent, const Criterion & criterion)
{
  if (materialVoxels == 0)
  {
    throw InvalidArgument("the image has no material: no voxel is in " + criterion.ToString() +
                          "; give another threshold");
  }
  CheckThatAirIsLeft(materialVoxels, extent, criterion);
}

void
CheckThatAirIsLeft(std::uint64_t materialVoxels, const Extent & extent, const Criterion & criterion)
{
  if (materialVoxels == static_cast<std::uint64_t>(extent.VoxelCount()))
  {
    throw InvalidArgument("the part fills the image: every voxel is in " + criterion.ToString() +
                          "; give another threshold");
  }
}

std::string
NoteOnFullImage()
{
  return "the part fills the whole image; if the scan shows air around the part, the threshold is wrong";
}

std::vector<std::string>
NotesOn(const PoresOfPart & found, const std::string & closing)
{
  const auto largest = [&](const PoresOfPart::Pieces & pieces) {
    std::ostringstream text;
    text.precision(4);
    text << (pieces.count == 1 ? " (" : " (the largest of ") << Counted(pieces.largestVoxels, "voxel") << ", "
         << static_cast<double>(pieces.largestVoxels) * found.geometry.VoxelVolume(found.extent.dimension)
         << (found.extent.dimension == 1 ? " mm" : " mm^" + std::to_string(found.extent.dimension)) << ')';
    return text.str();
  };
  std::vector<std::string> notes;
  if (found.fillsImage)
  {
    notes.push_back(NoteOnFullImage());
  }
  if (found.furtherPieces.count > 0)
  {
    const bool isOne = found.furtherPieces.count == 1;
    notes.push_back(Counted(found.furtherPieces.count, "further piece") + " of material" +
                    largest(found.furtherPieces) + (isOne ? " is" : " are") +
                    " not inspected: the part is the largest piece");
  }
  if (found.openings.count > 0)
  {
    const bool         isOne = found.openings.count == 1;
    std::ostringstream text;
    text.precision(4);
    text << found.openings.count << (isOne ? " crack or cavity" : " cracks or cavities") << largest(found.openings)
         << (isOne ? " is" : " are") << " open to the outside through gaps of up to " << found.openingWidth
         << " mm and " << (isOne ? "counts" : "count") << " as outside, not as pores; " << closing
         << " closes such gaps";
    notes.push_back(text.str());
  }
  if (found.bores > 0)
  {
    notes.push_back(Counted(found.bores, "bore") + " of " + Counted(found.boreVoxels, "voxel") +
                    (found.bores == 1 ? " runs" : " run") + " straight through the image and count" +
                    (found.bores == 1 ? "s" : "") + " as outside, not as pores");
  }
  return notes;
}

} // namespace brickccl
