// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Pictures/Plane.h"

#include "BrickCCL/Labels/Relabel.h"
#include "BrickCCL/Measuring/Measure.h"

#include <algorithm>

namespace brickccl
{

SlicePixels
SamplePlane(const std::vector<float> &         gray,
            const std::vector<std::uint64_t> & labels,
            const Extent &                     extent,
            const SliceView &                  view,
            const HostContext &                context)
{
  LoadedImage image;
  image.type = ScalarType::Float32;
  image.extent = extent;
  const auto bytes = gray.size() * sizeof(float);
  std::copy_n(reinterpret_cast<const std::byte *>(gray.data()), bytes, image.voxels.Resize(bytes));
  RunVolume                  runs;
  const ComponentTable       table = MeasureLabelImage(ImageView(labels.data(), extent), {}, {}, context, runs);
  std::vector<std::uint64_t> names{ 0 };
  for (std::size_t place = 0; place < table.components.size(); ++place)
  {
    names.push_back(table.components.Label(place));
  }
  Renumber(runs, names, context);
  return SampleSlice(image, runs, view, context);
}

} // namespace brickccl
