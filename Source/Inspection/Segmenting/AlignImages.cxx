// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Segmenting/AlignImages.h"

#include "BrickCCL/Segmenting/SmoothImage.h"
#include "BrickCCL/Segmenting/Threshold.h"

#include <algorithm>
#include <cmath>

namespace brickccl
{

Moments::Moments(const LoadedImage & image, const HostContext & context)
{
  const auto    threshold = FindThreshold(HistogramOfValues(image.View(), {}, context), {}).value.Nearest();
  const float * value = static_cast<const float *>(image.View().data);
  double        sums[6] = {};
  double        count = 0;
  for (std::int64_t row = 0; row < image.extent.RowCount(); ++row)
  {
    const RowPosition at(image.extent, row);
    for (std::int64_t x = 0; x < image.extent.RowLength(); ++x, ++value)
    {
      if (static_cast<double>(*value) >= threshold)
      {
        const double index[3] = { double(x), double(at.at[0]), double(at.at[1]) };
        double       point[3];
        image.geometry.IndexToPhysical(3, index, point);
        for (int i = 0; i < 3; ++i)
        {
          sums[i] += point[i];
          sums[3 + i] += point[i] * point[i];
        }
        ++count;
      }
    }
  }
  double squares = 0;
  for (int i = 0; i < 3; ++i)
  {
    center[i] = sums[i] / count;
    squares += sums[3 + i] / count - center[i] * center[i];
  }
  radius = std::sqrt(squares);
}

LoadedImage
Reduce(const LoadedImage & image, bool areLabels, std::int64_t most, const HostContext & context)
{
  LoadedImage  reduced = EmptyCopy(image, ScalarType::Float32);
  auto * const begin = reinterpret_cast<float *>(reduced.voxels.Resize(reduced.ByteCount()));
  VisitScalarType(image.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const T * const voxels = static_cast<const T *>(image.View().data);
    std::transform(voxels, voxels + image.extent.VoxelCount(), begin, [&](T value) {
      return areLabels ? float(value != T(0)) : static_cast<float>(value);
    });
  });
  int factor = 1;
  while (image.extent.VoxelCount() / (std::int64_t{ factor } * factor * factor) > most)
  {
    ++factor;
  }
  factor > 1 ? Downsample(reduced, factor, context) : void();
  return reduced;
}

} // namespace brickccl
