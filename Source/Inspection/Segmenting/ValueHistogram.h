// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Criteria/Criterion.h"
#include "BrickCCL/Host/Parallel.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace brickccl
{

/** How often the values of an image occur. Values that are not finite are counted apart.
 *
 *  Whole numbers that span less than 2^16 have a bin each, also where they are stored as floating-point numbers. Other
 *  values share 2^16 bins of equal width. These bins cover all but the rarest values where a few lie far away; such
 *  outliers count in the first or last bin. */
struct ValueHistogram
{
  /** The number of finite values. */
  std::uint64_t valueCount = 0;
  std::uint64_t notANumberCount = 0;
  std::uint64_t infiniteCount = 0;
  /** The least and the greatest finite value. */
  Number minimum = 0;
  Number maximum = 0;

  /** The center of the first bin, and the distance of one bin to the next. */
  double first = 0;
  double width = 1;
  /** Whether each bin is one value; of whole numbers beyond 2^53 its center is the nearest double. */
  bool                       isExact = true;
  std::vector<std::uint64_t> counts;

  /** The value in the middle of a bin. */
  double
  ValueOf(std::size_t bin) const
  {
    return first + width * static_cast<double>(bin);
  }

  /** The smallest value that at least this many percent of the values do not exceed: numpy.percentile's "inverted_cdf".
   *  If bins are not exact, the center of its bin, but 0 and 100 always give the minimum and the maximum.
   *  \throws InvalidArgument unless 0 <= percent <= 100, and for a histogram of no values. */
  double Percentile(double percent) const;

  /** Whether the lowest value is not a measurement but fills the area outside a CT scanner's view: a single value below
   *  -1100 HU that at least one voxel of 200 has, 300 HU or more below at least two others. Thresholds ignore it. */
  bool HasPadding() const;
};

/** The histogram of an image's values, in all voxels or where a mask of the same extent is not 0.
 *  \throws InvalidArgument for an image of several channels, and if the extents differ; Canceled. */
ValueHistogram HistogramOfValues(const ImageView &                image,
                                 const std::optional<ImageView> & mask = {},
                                 const HostContext &              context = {});

/** An image of 1 channel that comes in parts: calls a function for each, with its mask if there is one. */
using ImageParts =
  std::function<void(const std::function<void(const ImageView &, const std::optional<ImageView> & mask)> &)>;

/** The same of an image of this type in parts, which are read at least twice. */
ValueHistogram HistogramOfValues(ScalarType type, const ImageParts & parts, const HostContext & context);

/** A bar of a histogram that is drawn: values from `low` up to `high`. */
struct HistogramBar
{
  double        low = 0;
  double        high = 0;
  std::uint64_t count = 0;
};

/** At most this many bars, over all but the rarest values, which the outermost bars hold. */
std::vector<HistogramBar> BarsOf(const ValueHistogram & histogram, std::size_t most);

/** The look of an image's values, which may come in parts. Labels are several whole numbers whose neighbors along x
 *  are mostly equal; many gray values differ from their neighbors. Only some rows of a large image are checked. */
class LooksOfImage
{
public:
  /** Sees a part of whole slices.
   *  \param firstRow  the part's first row in the image
   *  \param image     the extent of the whole image */
  void Add(const ImageView & part, std::int64_t firstRow, const Extent & image);

  bool
  AreLabels() const
  {
    return Look() == Kind::Labels;
  }
  bool
  AreGrayValues() const
  {
    return Look() == Kind::GrayValues;
  }

private:
  enum class Kind
  {
    Labels,
    GrayValues,
    Other
  };

  Kind Look() const;

  std::uint64_t m_Equal = 0;
  std::uint64_t m_Different = 0;
  double        m_First = 0;
  bool          m_AreSeveral = false;
  bool          m_AreWhole = false;
};

} // namespace brickccl
