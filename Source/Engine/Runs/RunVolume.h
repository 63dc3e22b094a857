// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Runs/RunLabels.h"
#include "BrickCCL/Runs/Unwrapping.h"
#include "BrickCCL/Runs/VolumeRows.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace brickccl
{

/** The axes along which links are found while runs are found, and what else is kept. */
struct LinkAxes
{
  /** Whether voxels are joined along x. Otherwise every voxel is a run of its own. */
  bool x = true;
  /** Whether the links to the row before (y), and to that row in the slice before (z), are kept where they do not
   *  follow the foreground. */
  bool y = false;
  bool z = false;
  /** Whether to keep what RunAt needs. */
  bool countsRuns = false;
  /** Whether to keep what Below and Above return, if the links know separation. */
  bool knowsSeparation = false;
};

/** A labeled volume in compact form: rows of runs, and one label per run. A label of 0 means a filtered component.
 *  Labels have 32 bits where the number of runs allows it, and otherwise 64.
 *
 *  Memory: 1 bit per voxel. With equal values or a tolerance, 1 more bit for the starts of runs, 1 for each of the
 *  axes y and z along which links are kept, 0.5 for RunAt and 2 for separated voxels. 8 bytes per row, 4 (8) bytes
 *  per run. Algorithms keep scratch memory of their own here. */
class RunVolume : public VolumeRows
{
public:
  /** Starts a volume of this extent. The memory of an earlier volume is used again. */
  void
  Reset(const Extent & extent, bool startsFollowForeground)
  {
    VolumeRows::Reset(extent, startsFollowForeground);
    KeepLinks({});
    m_TouchingAreJoined = false;
    m_Unwrapping.reset();
    m_RegionVoxels.reset();
  }

  /** Makes room for what `axes` asks for. */
  void
  KeepLinks(const LinkAxes & axes)
  {
    Keep(axes.y, m_Links.alongY);
    Keep(axes.z, m_Links.alongZ);
    Keep(axes.knowsSeparation, m_Separated.below);
    Keep(axes.knowsSeparation, m_Separated.above);
    if (axes.countsRuns)
    {
      KeepRunsBefore();
    }
  }

  /** Fewer runs than this can be numbered in 32 bits, with one number to spare. */
  static constexpr std::uint64_t MaximumNarrowRuns = std::numeric_limits<std::uint32_t>::max();

  /** Makes room for the labels. FirstRun must be complete. */
  void
  ResizeLabels(bool wide)
  {
    m_Labels.Resize(RunCount(), wide);
  }

  /** Takes the labels of as many runs. */
  void
  SetLabels(RunLabels && labels)
  {
    m_Labels = std::move(labels);
  }

  /** Whether runs that touch, if only at a corner, are known to have the same label. */
  bool
  TouchingAreJoined() const
  {
    return m_TouchingAreJoined;
  }
  void
  SetTouchingAreJoined(bool are)
  {
    m_TouchingAreJoined = are;
  }
  /** How components continue through the ends of periodic axes; null if there are none. */
  const Unwrapping *
  GetUnwrapping() const
  {
    return m_Unwrapping.get();
  }
  void
  SetUnwrapping(std::shared_ptr<const Unwrapping> unwrapping)
  {
    m_Unwrapping = std::move(unwrapping);
  }
  /** The voxels of the region that a mask gave, where one did. */
  const std::optional<std::uint64_t> &
  RegionVoxels() const
  {
    return m_RegionVoxels;
  }
  void
  SetRegionVoxels(std::uint64_t voxels)
  {
    m_RegionVoxels = voxels;
  }

  bool
  HasLinksAlongY() const
  {
    return m_Links.alongY.AreKept();
  }
  bool
  HasLinksAlongZ() const
  {
    return m_Links.alongZ.AreKept();
  }
  /** Bit x: voxel x is joined to the voxel of the row before along the axis. Only where links along the axis are
   *  kept. Unspecified for rows without a row before. */
  Word *
  LinksAlongY(std::int64_t row)
  {
    return m_Links.alongY.From(FirstWord(row));
  }
  const Word *
  LinksAlongY(std::int64_t row) const
  {
    return m_Links.alongY.From(FirstWord(row));
  }
  Word *
  LinksAlongZ(std::int64_t row)
  {
    return m_Links.alongZ.From(FirstWord(row));
  }
  const Word *
  LinksAlongZ(std::int64_t row) const
  {
    return m_Links.alongZ.From(FirstWord(row));
  }

  bool
  KnowsSeparation() const
  {
    return m_Separated.below.AreKept();
  }
  /** The bits of RowLinks::PackSeparated; null where they are not kept. */
  Word *
  Below(std::int64_t row)
  {
    return KnowsSeparation() ? m_Separated.below.From(FirstWord(row)) : nullptr;
  }
  const Word *
  Below(std::int64_t row) const
  {
    return KnowsSeparation() ? m_Separated.below.From(FirstWord(row)) : nullptr;
  }
  Word *
  Above(std::int64_t row)
  {
    return KnowsSeparation() ? m_Separated.above.From(FirstWord(row)) : nullptr;
  }
  const Word *
  Above(std::int64_t row) const
  {
    return KnowsSeparation() ? m_Separated.above.From(FirstWord(row)) : nullptr;
  }

  bool
  IsWide() const
  {
    return m_Labels.IsWide();
  }
  /** As RunLabels::Visit. */
  template <typename TFunction>
  decltype(auto)
  VisitLabels(TFunction && function)
  {
    return m_Labels.Visit(std::forward<TFunction>(function));
  }
  template <typename TFunction>
  decltype(auto)
  VisitLabels(TFunction && function) const
  {
    return m_Labels.Visit(std::forward<TFunction>(function));
  }
  /** The label of one run. Where a short loop asks for many, VisitLabels is faster. */
  std::uint64_t
  Label(std::uint64_t run) const
  {
    return m_Labels[run];
  }

  /** Memory for the algorithm that labels this volume. */
  Workspace &
  Scratch()
  {
    return m_Scratch;
  }

  /** Sets every byte of the memory that is kept for the next volume, as Buffer::Overwrite does. It ends this volume. */
  void
  Overwrite(unsigned char byte)
  {
    OverwriteRows(byte);
    m_Labels.Overwrite(byte);
    m_Scratch.Overwrite(byte);
    for (StoredBits * bits : { &m_Links.alongY, &m_Links.alongZ, &m_Separated.below, &m_Separated.above })
    {
      bits->Overwrite(byte);
    }
  }

  std::size_t
  CapacityBytes() const
  {
    return CapacityBytesOfRows() + m_Labels.CapacityBytes() + m_Scratch.CapacityBytes() +
           m_Links.alongY.CapacityBytes() + m_Links.alongZ.CapacityBytes() + m_Separated.below.CapacityBytes() +
           m_Separated.above.CapacityBytes();
  }

private:
  /** Links to earlier rows that do not follow the foreground. */
  struct LinkBits
  {
    StoredBits alongY;
    StoredBits alongZ;
  };
  /** Knowledge of values that are too different to be joined. */
  struct SeparatedBits
  {
    StoredBits below;
    StoredBits above;
  };

  LinkBits      m_Links;
  SeparatedBits m_Separated;
  RunLabels     m_Labels;
  Workspace     m_Scratch;
  bool          m_TouchingAreJoined = false;

  std::shared_ptr<const Unwrapping> m_Unwrapping;
  std::optional<std::uint64_t>      m_RegionVoxels;
};

} // namespace brickccl
