// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_BORDERROWS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_BORDERROWS_CUH

#include "BrickCCL/Algorithms/BundleMerging/Borders.cuh"
#include "BrickCCL/Algorithms/BundleMerging/LinkRows.cuh"
#include "BrickCCL/Algorithms/BundleMerging/RowVoxels.cuh"

/** Borders where values decide: the voxels there, and unions across borders along x. */
namespace brickccl::cuda
{

/** A word of a border with its adjacent bits. */
__device__ inline RunWindow
WindowOf(const BorderWord<RowLayout> & word)
{
  const BitWindow<DeviceWord> bits = word.Window().Row(0);
  const BitWindow<DeviceWord> starts = { word.starts, 0, word.StartsAfter() ? 1u : 0u };
  return { { bits.word, starts.word }, bits.Left(), bits.Right(), starts.Right() };
}

/** The shared memory of a warp at a border along x, where values decide. It also has the adjacent voxels. */
template <typename TProblem>
struct RowBorderEnds : BorderEnds
{
  using Pixel = typename TProblem::Pixel;
  /** A voxel's value. For several channels it is a pointer to the voxel. */
  using Voxel = std::conditional_t<TProblem::isOneChannel, Pixel, const Pixel *>;
  /** The voxels at both sides of the border in one row. */
  struct Pair
  {
    Voxel left;
    Voxel right;
  };

  Voxel leftVoxels[bundles];
  Voxel rightVoxels[bundles];

  /** Starts to read a row's voxels at the border, if the row is in the volume. */
  __device__ static Pair
  ReadVoxels(const TProblem &         problem,
             const EndArrays<Pixel> & endArrays,
             unsigned                 brick,
             const BrickPlace &       place,
             int                      bundle)
  {
    if constexpr (TProblem::isTiled)
    {
      return { endArrays.Lasts(brick - 1)[bundle], endArrays.Firsts(brick)[bundle] };
    }
    else
    {
      const BundleGrid & grid = problem.grid;
      const std::int64_t row = grid.RowOf((place.y << grid.bundlesShiftY) + (bundle & grid.MaskY()),
                                          (place.z << grid.bundlesShiftZ) + (bundle >> grid.bundlesShiftY),
                                          0);
      if (row < 0)
      {
        return {};
      }
      const Pixel * const voxel = problem.VoxelAt(row, std::int64_t{ place.x } * VoxelsPerBrickRow);
      if constexpr (TProblem::isOneChannel)
      {
        return { voxel[-1], voxel[0] };
      }
      else
      {
        return { voxel - problem.Channels(), voxel };
      }
    }
  }
  __device__ void
  Keep(int bundle, const Pair & pair)
  {
    leftVoxels[bundle] = pair.left;
    rightVoxels[bundle] = pair.right;
  }
  /** Whether two of the voxels are joined. */
  __device__ static bool
  AreJoined(const TProblem & problem, const Voxel & a, const Voxel & b)
  {
    if constexpr (TProblem::isOneChannel)
    {
      return problem.AreJoined(&a, &b);
    }
    else
    {
      return problem.AreJoined(a, b);
    }
  }
};

/** A lane of a warp at a border, where values decide. EqualBorder and CloseBorder derive from it. */
template <typename TProblem, typename TWords>
class RowBorder : public BorderAgent<RowLayout, TProblem::isAlongAxes ? 1 : 3, TWords, RowBorderEnds<TProblem>>
{
  using Base = typename RowBorder::BorderAgent;

public:
  using Problem = TProblem;
  using ForBorders = RowArrays<typename TProblem::Pixel>;
  /** Minimum resident blocks of MergeBordersKernel per multiprocessor. */
  static constexpr int blocks = TProblem::isAlongAxes ? TuningOf<Tuned::RowBorderBlocksOfFaces>
                              : TProblem::isTransitive && sizeof(typename TProblem::Pixel) == 1
                                ? TuningOf<Tuned::RowBorderBlocksOfEqualBytes>
                                : TuningOf<Tuned::RowBorderBlocks>;
  /** The share of shared memory that the kernel asks for. Voxels and forest are read through the cache, which the
   * driver would leave as small as the solving kernel needs it. */
  static constexpr int sharedPercent = TProblem::isAlongAxes  ? TuningOf<Tuned::RowBorderSharedOfFaces>
                                     : TProblem::isTransitive ? TuningOf<Tuned::RowBorderSharedOfEqual>
                                                              : TuningOf<Tuned::RowBorderShared>;

  __device__
  RowBorder(const TProblem &        problem,
            const BrickArrays &     arrays,
            const ForBorders &      forBorders,
            typename Base::Memory & ofBlock)
    : Base(problem.grid, arrays, ofBlock)
    , m_Problem(problem)
    , m_ForBorders(forBorders)
  {}

  /** Merges a border along x. */
  __device__ __forceinline__ void
  MergeEnds() const
  {
    RowBorderEnds<TProblem> & ends = memory.of[warp].ends;
    const auto                readVoxels = [&](int bundle) {
      return ends.ReadVoxels(m_Problem, m_ForBorders.ends, Base::brick, place, bundle);
    };
    const auto keepVoxels = [&](int bundle, const auto & pair) { ends.Keep(bundle, pair); };
    Base::ReadAndUniteEnds(ends, readVoxels, keepVoxels, [&](int bundle) { UniteRowEnds(bundle, ends); });
  }

protected:
  using Links = typename TProblem::Links;
  using Words = BorderWords<RowLayout>;
  using Voxels = MemoryVoxels<TProblem>;
  static constexpr bool isAlongAxes = TProblem::isAlongAxes;
  using Base::axis;
  using Base::bricks;
  using Base::grid;
  using Base::lane;
  using Base::m_Links;
  using Base::memory;
  using Base::place;
  using Base::warp;

  const TProblem &   m_Problem;
  const ForBorders & m_ForBorders;

  __device__ __forceinline__ RunWindow
  WindowAt(int at) const
  {
    return WindowOf(Base::OfWarp().words[at]);
  }
  /** The first voxel of a word of the border, if the volume has it. */
  __device__ __forceinline__ const typename TProblem::Pixel *
             FirstVoxel(int at) const
  {
    const bool     isOther = at >= Words::others;
    const int      step = at / WordsPerBrickRow - (isOther ? Words::others / WordsPerBrickRow + 1 : 0);
    const int      back = isOther ? -1 : 0;
    const int      y = (place.y << grid.bundlesShiftY) + (axis == AlongZ ? step : back);
    const int      z = (place.z << grid.bundlesShiftZ) + (axis == AlongZ ? back : step);
    const int      word = place.x * WordsPerBrickRow + at % WordsPerBrickRow;
    const unsigned row = grid.RowAt(static_cast<unsigned>(y), static_cast<unsigned>(z));
    return m_Problem.VoxelAt(row * grid.rowLength + static_cast<unsigned>(word) * BitsPerDeviceWord);
  }
  /** The voxels of the words from which a part's links lead, facing those to which they lead. */
  __device__ __forceinline__ Voxels
  VoxelsOfPart(int part) const
  {
    // The rows of the warp's lanes: rows of the brick, or rows that face them.
    const int    from = Base::From(part);
    const bool   areOthers = from != Base::Facing(false);
    const Voxels voxels(m_Problem,
                        place.x * WordsPerBrickRow,
                        (place.y << grid.bundlesShiftY) - (areOthers ? 1 : 0),
                        place.z << grid.bundlesShiftZ,
                        FirstVoxel(from),
                        axis == AlongY);
    return voxels.Facing(Base::BackwardBundle(part), 0);
  }

private:
  /** Unites the ends of a row across a border along x. */
  __device__ __forceinline__ void
  UniteRowEnds(int bundle, const RowBorderEnds<TProblem> & ends) const
  {
    const auto hasLeft = [&](int of) { return (ends.bits[of] & 1u) != 0; };
    const auto hasRight = [&](int of) { return (ends.bits[of] & 16u) != 0; };
    const auto joined = [&](const auto & a, const auto & b) { return ends.AreJoined(m_Problem, a, b); };
    const auto meets = [&](int of) {
      return hasLeft(of) && hasRight(of) && joined(ends.rightVoxels[of], ends.leftVoxels[of]);
    };
    if (ends.bits[bundle] == 0)
    {
      return;
    }
    const bool ownMeets = meets(bundle);
    if (ownMeets)
    {
      UniteComponents(bricks, ends.right[bundle], ends.left[bundle]);
      if constexpr (TProblem::isTransitive)
      {
        // Voxels that are equal to either of these are linked to both.
        return;
      }
    }
    // Diagonal links stay within the rows of the same two bricks here. Links to other bricks belong to the other warps.
#pragma unroll 1
    for (int n = 0; n < (TProblem::isAlongAxes ? 0 : BackwardBundles); ++n)
    {
      const int other = m_Problem.HasDiagonals(n) ? Base::BundleBefore(bundle, n) : -1;
      if (other < 0)
      {
        continue;
      }
      // Links along three sides imply the diagonal.
      const bool otherMeets = meets(other);
      bool       leftsMeet = true;
      bool       rightsMeet = true;
      if constexpr (!TProblem::isTransitive)
      {
        leftsMeet = hasLeft(bundle) && hasLeft(other) && joined(ends.leftVoxels[bundle], ends.leftVoxels[other]);
        rightsMeet = hasRight(bundle) && hasRight(other) && joined(ends.rightVoxels[bundle], ends.rightVoxels[other]);
      }
      if (hasRight(bundle) && hasLeft(other) && !(ownMeets && leftsMeet) && !(rightsMeet && otherMeets) &&
          joined(ends.rightVoxels[bundle], ends.leftVoxels[other]))
      {
        UniteComponents(bricks, ends.right[bundle], ends.left[other]);
      }
      if (hasLeft(bundle) && hasRight(other) && !(ownMeets && rightsMeet) && !(leftsMeet && otherMeets) &&
          joined(ends.leftVoxels[bundle], ends.rightVoxels[other]))
      {
        UniteComponents(bricks, ends.left[bundle], ends.right[other]);
      }
    }
  }
};

} // namespace brickccl::cuda

#endif
