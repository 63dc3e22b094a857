// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_ALGORITHMS_BUNDLEMERGING_MERGEBORDERS_CUH
#define BRICKCCL_ALGORITHMS_BUNDLEMERGING_MERGEBORDERS_CUH

#include "BrickCCL/Algorithms/BundleMerging/Borders.cuh"

/** Unions of components across the borders of bricks, where links follow the foreground. */
namespace brickccl::cuda
{

/** A lane of a warp at a border, where links follow the foreground. */
template <Bundling VBundling>
class BitBorder : public BorderAgent<BundleLayout<VBundling>,
                                     VBundling == Bundling::Rows ? 1 : 3,
                                     BorderWords<BundleLayout<VBundling>>,
                                     BorderEnds>
{
  using Base = typename BitBorder::BorderAgent;

public:
  using Problem = BundleGrid;
  using typename Base::Memory;
  /** Minimum resident blocks per multiprocessor. */
  static constexpr int blocks =
    VBundling == Bundling::Rows ? TuningOf<Tuned::BorderBlocksOfFaces> : TuningOf<Tuned::BorderBlocks>;

  using ForBorders = typename BitLinks<VBundling>::ForBorders;

  __device__
  BitBorder(const BundleGrid & bundleGrid, const BrickArrays & arrays, const ForBorders &, Memory & ofBlock)
    : Base(bundleGrid, arrays, ofBlock)
  {}

  __device__ __forceinline__ void
  MergeEnds() const
  {
    BorderEnds & ends = memory.of[warp].ends;
    const auto   nothing = [](int) { return 0; };
    Base::ReadAndUniteEnds(
      ends,
      nothing,
      [](int, int) {},
      [&](int bundle) { UniteEnds(bundle, ends); });
  }
  __device__ __forceinline__ void
  Read() const
  {
    Base::ReadWords(Base::OfWarp());
  }
  __device__ __forceinline__ void
  FindLinks()
  {
    FindTouching();
#pragma unroll
    for (int part = 0; part < Base::parts; ++part)
    {
      FindLinksOf(part);
    }
  }

private:
  using Window = typename BitLinks<VBundling>::Window;
  using Base::axis;
  using Base::bricks;
  using Base::BundleBefore;
  using Base::lane;
  using Base::m_Links;
  using Base::memory;
  using Base::warp;

  /** Unites the ends of a bundle across a border along x. Diagonal links stay within the same two bricks here.
   * Links to other bricks belong to the other warps. */
  __device__ __forceinline__ void
  UniteEnds(int bundle, const BorderEnds & ends) const
  {
    constexpr int  rowCount = RowsOf(VBundling);
    const unsigned own = ends.bits[bundle];
    const unsigned lasts = own & 0xFu;
    const unsigned firsts = own >> 4;
    if (lasts != 0 && firsts != 0)
    {
      UniteComponents(bricks, ends.right[bundle], ends.left[bundle]);
    }
    if (VBundling == Bundling::Rows || own == 0)
    {
      return;
    }
    // Windows of one bit: to the right of the border, then to its left.
    const auto window = [](unsigned rows, int at, unsigned before, unsigned after) {
      BundleWindow<DeviceWord, rowCount> of;
#pragma unroll
      for (int r = 0; r < rowCount; ++r)
      {
        of.rows[r] = (rows >> r & 1u) << at;
      }
      of.before = before;
      of.after = after;
      return of;
    };
#pragma unroll
    for (int n = 0; n < BackwardBundles; ++n)
    {
      const int other = BundleBefore(bundle, n);
      if (other < 0)
      {
        continue;
      }
      const unsigned otherLasts = ends.bits[other] & 0xFu;
      const unsigned otherFirsts = ends.bits[other] >> 4;
      if ((LinksTo<VBundling>(n, window(firsts, 0, lasts, 0), window(otherFirsts, 0, otherLasts, 0)).left & 1u) != 0)
      {
        UniteComponents(bricks, ends.right[bundle], ends.left[other]);
      }
      if ((LinksTo<VBundling>(n, window(lasts, 31, 0, firsts), window(otherLasts, 31, 0, otherFirsts)).right >> 31) !=
          0)
      {
        UniteComponents(bricks, ends.left[bundle], ends.right[other]);
      }
    }
  }

  /** Finds where the bundles of the lane touch those before them. */
  __device__ __forceinline__ void
  FindTouching()
  {
    const Window own = WindowAt(Base::Facing(false));
    const Window other = WindowAt(Base::Facing(true));
    if (lane >= WordsPerBrickRow)
    {
      const auto touches = [&](const Window & a, const Window & b) {
        return axis == AlongZ ? LinksTo<VBundling>(0, a, b).same : LinksTo<VBundling>(1, a, b).same;
      };
      m_TouchesBefore = touches(own, WindowAt(Base::Facing(false) - WordsPerBrickRow));
      m_OtherTouchesBefore = touches(other, WindowAt(Base::Facing(true) - WordsPerBrickRow));
    }
  }
  /** Finds the links of a part, after the parts before it, that others do not imply. */
  __device__ __forceinline__ void
  FindLinksOf(int part)
  {
    DeviceWord joined = 0;
    if (Base::HasLinks(part))
    {
      const Window from = WindowAt(Base::From(part));
      const Window to = WindowAt(Base::To(part));
      m_Links.Set(part, BitLinks<VBundling>::Find(Base::BackwardBundle(part), from, to, joined));
    }
    m_Links.same.of[part] &= ~BitBefore(joined);
    m_JoinedFacing = part == 0 ? joined : m_JoinedFacing;
    m_Links.same.of[part] = WithoutImplied(m_Links.same.of[part], joined, ImpliedBits(part));
  }
  /** The bits at which a part's runs are linked by way of others. */
  __device__ __forceinline__ DeviceWord
  ImpliedBits(int part) const
  {
    const DeviceWord joinedBefore = __shfl_up_sync(AllLanes, m_JoinedFacing, WordsPerBrickRow);
    if (part == 0)
    {
      return m_TouchesBefore & joinedBefore & m_OtherTouchesBefore;
    }
    if (part == 1)
    {
      return (m_TouchesBefore & joinedBefore) | (m_JoinedFacing & m_OtherTouchesBefore);
    }
    if (axis == AlongY)
    {
      return (m_JoinedFacing & m_TouchesBefore) | (m_OtherTouchesBefore & joinedBefore);
    }
    const DeviceWord touchesNext = __shfl_down_sync(AllLanes, m_TouchesBefore & m_JoinedFacing, WordsPerBrickRow);
    const DeviceWord otherTouchesNext = __shfl_down_sync(AllLanes, m_OtherTouchesBefore, WordsPerBrickRow);
    const bool       hasNext = lane < WordsPerLayer - WordsPerBrickRow;
    return hasNext ? touchesNext | (m_JoinedFacing & otherTouchesNext) : 0u;
  }
  __device__ __forceinline__ Window
  WindowAt(int at) const
  {
    return Base::OfWarp().words[at].Window();
  }

  /** The bits at which a bundle of either brick touches the one before it there, which faces the bundle before the
   *  lane's. */
  DeviceWord m_TouchesBefore = 0;
  DeviceWord m_OtherTouchesBefore = 0;
  /** The bits at which the lane's bundle and the one that faces it are joined. */
  DeviceWord m_JoinedFacing = 0;
};

} // namespace brickccl::cuda

#endif
