// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Segmenting/FillPart.h"

#include "BrickCCL/Clean/Clean.h"
#include "BrickCCL/Dispatch/Label.h"

#include <algorithm>
#include <vector>

namespace brickccl
{

namespace
{

/** A hole that runs straight through is a bore if it does so over at least this share of the part's cross-section. */
constexpr double LeastShareOfBore = 1.0 / 50;
/** Pores, too, run straight through a stack of fewer slices. */
constexpr std::int64_t LeastLengthOfBore = 8;

/** A face of the image: the voxels at one end of an axis, as an image of the other axes. */
class Face
{
public:
  Face(const Extent & extent, int axis, bool atEnd)
  {
    std::int64_t step = 1;
    std::int64_t size[2];
    for (int other = 0, at = 0; other < 3; ++other)
    {
      if (other == axis)
      {
        m_First = atEnd ? step * (extent.size[axis] - 1) : 0;
      }
      else
      {
        m_Step[at] = step;
        size[at++] = extent.size[other];
      }
      step *= extent.size[other];
    }
    m_Extent = Extent(2, size);
  }

  const Extent &
  GetExtent() const
  {
    return m_Extent;
  }

  /** The place in the volume of a voxel of the face. */
  std::size_t
  PlaceOf(std::int64_t x, std::int64_t y) const
  {
    return static_cast<std::size_t>(m_First + x * m_Step[0] + y * m_Step[1]);
  }

  /** Calls `work(place in the face, place in the volume)` for each voxel. */
  template <typename TWork>
  void
  ForEachVoxel(TWork work) const
  {
    std::size_t at = 0;
    for (std::int64_t y = 0; y < m_Extent.size[1]; ++y)
    {
      for (std::int64_t x = 0; x < m_Extent.size[0]; ++x, ++at)
      {
        work(at, PlaceOf(x, y));
      }
    }
  }

private:
  std::int64_t m_First = 0;
  std::int64_t m_Step[2] = { 0, 0 };
  Extent       m_Extent;
};

/** Whether an image is a volume, so that holes within its faces count. */
bool
HasFaces(const Extent & extent)
{
  return extent.size[0] > 1 && extent.size[1] > 1 && extent.size[2] > 1;
}

/** Fills the holes of one mask. */
class PartFiller
{
public:
  PartFiller(std::uint8_t *      mask,
             const Extent &      extent,
             std::uint8_t        hole,
             const PoreOptions & options,
             const HostContext & context)
    : m_Mask(mask)
    , m_Extent(extent)
    , m_Hole(hole)
    , m_Options(options)
    , m_Context(context)
  {}

  Bores
  Fill()
  {
    LookAtFaces();
    FillHolesOfPart();
    return m_Bores;
  }

private:
  CleanOptions
  HolesOf(const Extent & extent) const
  {
    CleanOptions options;
    options.connectivity = Connectivity::Full(extent.dimension);
    options.threads = m_Options.threads;
    options.progress.canceled = m_Options.progress.canceled;
    return options;
  }

  /** Finds what the piece encloses within each face of the image. */
  void
  LookAtFaces()
  {
    for (int axis = 0; axis < 3 && HasFaces(m_Extent); ++axis)
    {
      for (const bool atEnd : { false, true })
      {
        const Face                face(m_Extent, axis, atEnd);
        std::vector<std::uint8_t> mask(static_cast<std::size_t>(face.GetExtent().VoxelCount()));
        face.ForEachVoxel([&](std::size_t at, std::size_t place) { mask[at] = m_Mask[place] == 0 ? 0 : 1; });
        std::vector<std::uint8_t> & filled = m_FilledFaces[axis][atEnd ? 1 : 0];
        filled.resize(mask.size());
        const CleanReport report =
          FillHoles(ImageView(mask.data(), face.GetExtent()), filled.data(), HolesOf(face.GetExtent()));
        m_IsCut[axis][atEnd ? 1 : 0] = report.Total().filledVoxels > 0;
      }
    }
  }

  /** Whether a voxel outside the piece is at the border of the image and not enclosed by the piece. */
  bool
  IsOpen(std::int64_t x, std::int64_t y, std::int64_t z) const
  {
    const Extent &     extent = m_Extent;
    const std::int64_t at[3] = { x, y, z };
    for (int axis = 0; axis < 3; ++axis)
    {
      if (extent.size[axis] == 1 || (at[axis] != 0 && at[axis] != extent.size[axis] - 1))
      {
        continue;
      }
      const std::vector<std::uint8_t> & filled = m_FilledFaces[axis][at[axis] == 0 ? 0 : 1];
      const std::int64_t                inFace = axis == 0 ? z * extent.size[1] + y
                                               : axis == 1 ? z * extent.size[0] + x
                                                           : y * extent.size[0] + x;
      if (filled.empty() || filled[static_cast<std::size_t>(inFace)] == 0)
      {
        return true;
      }
    }
    return false;
  }

  /** Adds to the part the components of what is not of the piece that are not open to the outside. */
  void
  FillHolesOfPart()
  {
    const Extent & extent = m_Extent;
    LabelOptions   options;
    options.criterion = Criterion::InRange(0, 0);
    options.device = m_Options.device;
    options.threads = m_Options.threads;
    options.progress.canceled = m_Options.progress.canceled;
    const Labeling            air = Label(ImageView(m_Mask, m_Extent), options);
    std::vector<std::uint8_t> isOutside(static_cast<std::size_t>(air.ComponentCount()) + 1);
    for (std::int64_t row = 0; row < extent.RowCount(); ++row)
    {
      const std::int64_t y = row % extent.size[1];
      const std::int64_t z = row / extent.size[1];
      const bool         isInside = !(extent.size[1] > 1 && (y == 0 || y == extent.size[1] - 1)) &&
                            !(extent.size[2] > 1 && (z == 0 || z == extent.size[2] - 1));
      for (const LabelRun & run : air.ListRuns(row, row + 1))
      {
        const std::int64_t begin = run.place - row * extent.RowLength();
        std::uint8_t &     outside = isOutside[static_cast<std::size_t>(run.label)];
        if (isInside)
        {
          const bool isOpen = IsOpen(begin, y, z) || IsOpen(begin + run.length - 1, y, z);
          outside = isOpen ? 1 : outside;
          continue;
        }
        for (std::int64_t x = begin; x < begin + run.length && outside == 0; ++x)
        {
          outside = IsOpen(x, y, z) ? 1 : 0;
        }
      }
    }
    m_Context.progress.Update(0.5);
    for (int axis = 0; axis < 3; ++axis)
    {
      if (m_IsCut[axis][0] && m_IsCut[axis][1] && extent.size[axis] >= LeastLengthOfBore)
      {
        FindBores(air, axis, isOutside);
      }
    }
    const Chunks chunks(extent.RowCount(), 1, 256);
    ParallelFor(chunks.count, m_Context.Quiet(), [&](std::int64_t chunk) {
      for (const LabelRun & run : air.ListRuns(chunks.Begin(chunk), chunks.End(chunk)))
      {
        if (isOutside[static_cast<std::size_t>(run.label)] == 0)
        {
          std::fill_n(m_Mask + run.place, run.length, m_Hole);
        }
      }
    });
  }

  /** Goes on to the next voxels of the lines across a row. \param isFirst  whether the lines begin here */
  template <typename TRuns>
  void
  FollowLines(const TRuns & runs, std::int64_t row, bool isFirst, std::uint64_t * lines) const
  {
    std::int64_t x = 0;
    for (const LabelRun & run : runs)
    {
      const std::int64_t begin = run.place - row * m_Extent.RowLength();
      std::fill(lines + x, lines + begin, std::uint64_t{ 0 });
      for (x = begin; x < begin + run.length; ++x)
      {
        lines[x] = isFirst || lines[x] == run.label ? run.label : 0;
      }
    }
    std::fill(lines + x, lines + m_Extent.RowLength(), std::uint64_t{ 0 });
  }

  /** Finds holes that run straight along an axis over much of the part's cross-section. They become outside. */
  void
  FindBores(const Labeling & air, int axis, std::vector<std::uint8_t> & isOutside)
  {
    const Extent &             extent = m_Extent;
    std::vector<std::uint64_t> sizes(isOutside.size());
    std::vector<std::uint64_t> straight(isOutside.size());
    std::uint64_t              partVoxels = 0;
    // For each line along the axis, the component that all of its voxels so far belong to; 0 if there is none.
    std::vector<std::uint64_t> lines(static_cast<std::size_t>(extent.VoxelCount() / extent.size[axis]));
    for (std::int64_t row = 0; row < extent.RowCount(); ++row)
    {
      const std::int64_t y = row % extent.size[1];
      const std::int64_t z = row / extent.size[1];
      const auto         runs = air.ListRuns(row, row + 1);
      partVoxels += static_cast<std::uint64_t>(extent.RowLength());
      for (const LabelRun & run : runs)
      {
        const auto label = static_cast<std::size_t>(run.label);
        sizes[label] += static_cast<std::uint64_t>(run.length);
        partVoxels -= isOutside[label] == 0 ? 0 : static_cast<std::uint64_t>(run.length);
        straight[label] += axis == 0 && run.length == extent.RowLength() ? 1 : 0;
      }
      if (axis > 0)
      {
        FollowLines(runs, row, (axis == 1 ? y : z) == 0, lines.data() + (axis == 1 ? z : y) * extent.RowLength());
      }
    }
    for (const std::uint64_t label : lines)
    {
      straight[static_cast<std::size_t>(label)] += axis > 0 && label > 0 ? 1 : 0;
    }
    const double section = static_cast<double>(partVoxels) / static_cast<double>(extent.size[axis]);
    for (std::size_t label = 1; label < straight.size(); ++label)
    {
      if (isOutside[label] == 0 && static_cast<double>(straight[label]) >= LeastShareOfBore * section)
      {
        isOutside[label] = 1;
        ++m_Bores.count;
        m_Bores.voxels += sizes[label];
      }
    }
  }

  std::uint8_t *      m_Mask;
  const Extent &      m_Extent;
  std::uint8_t        m_Hole;
  const PoreOptions & m_Options;
  const HostContext & m_Context;
  /** For each axis, at its beginning and its end: the face of the piece with its holes filled, and whether it has any.
   *  Images without faces have none. */
  std::vector<std::uint8_t> m_FilledFaces[3][2];
  bool                      m_IsCut[3][2] = {};
  Bores                     m_Bores;
};

} // namespace

Bores
FillPart(std::uint8_t *      mask,
         const Extent &      extent,
         std::uint8_t        hole,
         const PoreOptions & options,
         const HostContext & context)
{
  return PartFiller(mask, extent, hole, options, context).Fill();
}

} // namespace brickccl
