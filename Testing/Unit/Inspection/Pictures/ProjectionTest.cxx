// SPDX-License-Identifier: Apache-2.0
// The pixels of projections: the greatest value and the first component along each line.

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Phantoms/Random.h"
#include "BrickCCL/Pictures/Slice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace brickccl
{
namespace
{

constexpr float NaN = std::numeric_limits<float>::quiet_NaN();

/** The projection along an axis, pixel by pixel. */
struct Seen
{
  std::vector<float>         gray;
  std::vector<std::uint32_t> labels;
};

Seen
LookAlong(int                                fixed,
          const Extent &                     extent,
          const std::vector<float> &         values,
          const std::vector<std::uint32_t> & labels)
{
  const int          across = fixed == 0 ? 1 : 0;
  const int          down = fixed == 2 ? 1 : 2;
  const std::int64_t strides[3] = { 1, extent.size[0], extent.size[0] * extent.size[1] };
  Seen               seen;
  for (std::int64_t v = 0; v < extent.size[down]; ++v)
  {
    for (std::int64_t u = 0; u < extent.size[across]; ++u)
    {
      seen.gray.push_back(NaN);
      seen.labels.push_back(0);
      for (std::int64_t w = 0; w < extent.size[fixed]; ++w)
      {
        const auto at = static_cast<std::size_t>(u * strides[across] + v * strides[down] + w * strides[fixed]);
        seen.gray.back() = std::fmax(seen.gray.back(), values[at]);
        seen.labels.back() = seen.labels.back() == 0 ? labels[at] : seen.labels.back();
      }
    }
  }
  return seen;
}

void
ExpectAlike(const Extent & extent, const std::vector<float> & values, int threads)
{
  LabelOptions options;
  options.criterion = Criterion::InRange(0.5, 0.8);
  const Labeling             labeling = Label(ImageView(values.data(), extent), options);
  std::vector<std::uint32_t> labels(values.size());
  labeling.Write(labels.data());
  LoadedImage image;
  image.type = ScalarType::Float32;
  image.extent = extent;
  std::copy_n(reinterpret_cast<const std::byte *>(values.data()),
              values.size() * sizeof(float),
              image.voxels.Resize(values.size() * sizeof(float)));
  for (int fixed = 0; fixed < 3; ++fixed)
  {
    SCOPED_TRACE(extent.ToString() + " along axis " + std::to_string(fixed) + ", threads " + std::to_string(threads));
    SliceView view;
    view.across = fixed == 0 ? 1 : 0;
    view.down = fixed == 2 ? 1 : 2;
    view.width = static_cast<int>(extent.size[view.across]);
    view.height = static_cast<int>(extent.size[view.down]);
    const SlicePixels pixels = SampleProjection(image, RunsOf(labeling), view, fixed, HostContext{ threads });
    const Seen        seen = LookAlong(fixed, extent, values, labels);
    ASSERT_EQ(pixels.gray.size(), seen.gray.size());
    for (std::size_t at = 0; at < seen.gray.size(); ++at)
    {
      ASSERT_TRUE(pixels.gray[at] == seen.gray[at] || (std::isnan(pixels.gray[at]) && std::isnan(seen.gray[at]))) << at;
      ASSERT_EQ(pixels.labels[at], seen.labels[at]) << at;
    }
  }
}

/** Fewer rows than parts, as many, and more. */
const Extent Extents[] = { Extent{ 7, 3, 2 },  Extent{ 5, 4, 4 },  Extent{ 9, 13, 11 },
                           Extent{ 40, 1, 3 }, Extent{ 4, 3, 70 }, Extent{ 1, 50, 2 } };

TEST(Projection, OfGradientsIsTheGreatestValue)
{
  for (const Extent & extent : Extents)
  {
    for (const int slope : { 1, -1 })
    {
      std::vector<float> values(static_cast<std::size_t>(extent.VoxelCount()));
      for (std::size_t at = 0; at < values.size(); ++at)
      {
        values[at] = static_cast<float>(slope) * static_cast<float>(at) / static_cast<float>(values.size());
      }
      for (const int threads : { 1, 2, 3 })
      {
        ExpectAlike(extent, values, threads);
      }
    }
  }
}

TEST(Projection, LeavesNaNOut)
{
  for (const Extent & extent : Extents)
  {
    // NaN in some voxels, and then on most whole lines.
    for (const std::uint64_t ofTen : { 1, 9 })
    {
      std::vector<float> values(static_cast<std::size_t>(extent.VoxelCount()));
      for (std::size_t at = 0; at < values.size(); ++at)
      {
        values[at] = HashOf(5, at) % 10 < ofTen ? NaN : static_cast<float>(HashOf(6, at) % 1000) / 1000 - 0.2F;
      }
      for (const int threads : { 1, 2, 3 })
      {
        ExpectAlike(extent, values, threads);
      }
    }
  }
}

} // namespace
} // namespace brickccl
