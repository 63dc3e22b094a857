// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/CountNotANumber.h"

#include "BrickCCL/Core/Counted.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <vector>

namespace brickccl
{

std::uint64_t
CountNotANumber(const ImageView & image, const HostContext & context)
{
  return VisitScalarType(image.type, [&](auto tag) -> std::uint64_t {
    using T = typename decltype(tag)::Type;
    if constexpr (std::is_floating_point_v<T>)
    {
      const auto *               values = static_cast<const T *>(image.data);
      const Chunks               chunks(image.extent.VoxelCount() * image.channels, 1 << 18, 256);
      std::vector<std::uint64_t> counts(static_cast<std::size_t>(chunks.count));
      ParallelFor(chunks.count, context, [&](std::int64_t chunk) {
        counts[static_cast<std::size_t>(chunk)] = static_cast<std::uint64_t>(
          std::count_if(values + chunks.Begin(chunk), values + chunks.End(chunk), [](T value) {
            return std::isnan(value);
          }));
      });
      return std::accumulate(counts.begin(), counts.end(), std::uint64_t{ 0 });
    }
    else
    {
      return 0;
    }
  });
}

std::string
TellNotANumber(std::uint64_t count)
{
  return Counted(count, "value") +
         (count == 1 ? " is NaN and counts as background" : " are NaN and count as background");
}

} // namespace brickccl
