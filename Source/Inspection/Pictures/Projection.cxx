// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Pictures/Slice.h"

#include "BrickCCL/Labels/Relabel.h"
#include "BrickCCL/Measuring/Measure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

namespace brickccl
{

namespace
{

/** The state of every line along an axis. */
struct Plane
{
  std::vector<float>         gray;
  std::vector<std::uint64_t> labels;
  /** The position of the component of `labels` along the axis. */
  std::vector<std::int64_t> depths;

  explicit Plane(std::int64_t size)
    : gray(static_cast<std::size_t>(size), std::numeric_limits<float>::quiet_NaN())
    , labels(static_cast<std::size_t>(size), 0)
    , depths(static_cast<std::size_t>(size), std::numeric_limits<std::int64_t>::max())
  {}

  void
  See(std::size_t at, float value)
  {
    // NaN is neither seen nor greater: it never replaces a value.
    if (value > gray[at] || std::isnan(gray[at]))
    {
      gray[at] = value;
    }
  }
  void
  See(std::size_t at, std::uint64_t label, std::int64_t depth)
  {
    if (label != 0 && depth < depths[at])
    {
      labels[at] = label;
      depths[at] = depth;
    }
  }
};

template <typename T>
void
AddRow(const T * voxels, int channels, const RunVolume & labels, std::int64_t row, int fixed, Plane & plane)
{
  const Extent &     extent = labels.GetExtent();
  const std::int64_t length = extent.size[0];
  const std::int64_t y = row % extent.size[1];
  const std::int64_t z = row / extent.size[1];
  const auto         placeOf = [&](std::int64_t x) {
    return static_cast<std::size_t>(fixed == 0 ? z * extent.size[1] + y : fixed == 1 ? z * length + x : y * length + x);
  };
  for (std::int64_t x = 0; x < length; ++x)
  {
    double sum = 0;
    for (int channel = 0; channel < channels; ++channel)
    {
      sum += static_cast<double>(voxels[x * channels + channel]);
    }
    plane.See(placeOf(x), static_cast<float>(sum / channels));
  }
  labels.ForEachRun(row, [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
    const std::uint64_t label = labels.Label(run);
    for (std::int64_t x = begin; x < end; ++x)
    {
      plane.See(placeOf(x), label, fixed == 0 ? x : fixed == 1 ? y : z);
    }
  });
}

/** Samples a plane of this extent, as SampleSlice samples a slice. \param view  of the axes 0 and 1 */
SlicePixels
SamplePlane(const Plane & plane, const Extent & extent, const SliceView & view, const HostContext & context)
{
  LoadedImage image;
  image.type = ScalarType::Float32;
  image.extent = extent;
  const auto bytes = plane.gray.size() * sizeof(float);
  std::copy_n(reinterpret_cast<const std::byte *>(plane.gray.data()), bytes, image.voxels.Resize(bytes));
  RunVolume                  runs;
  const ComponentTable       table = MeasureLabelImage(ImageView(plane.labels.data(), extent), {}, {}, context, runs);
  std::vector<std::uint64_t> names{ 0 };
  for (std::size_t place = 0; place < table.components.size(); ++place)
  {
    names.push_back(table.components.Label(place));
  }
  Renumber(runs, names, context);
  return SampleSlice(image, runs, view, context);
}

} // namespace

SlicePixels
SampleProjection(const LoadedImage & image,
                 const RunVolume &   labels,
                 const SliceView &   view,
                 int                 fixed,
                 const HostContext & context)
{
  const Extent &     extent = image.extent;
  const int          first = fixed == 0 ? 1 : 0;
  const int          second = fixed == 2 ? 1 : 2;
  const std::int64_t sizes[2] = { extent.size[first], extent.size[second] };
  const Extent       flat(2, sizes);
  Plane              all(sizes[0] * sizes[1]);
  std::mutex         mutex;
  const std::int64_t rows = extent.RowCount();
  const std::int64_t rowsPerChunk = std::max<std::int64_t>(1, rows / 16);
  ParallelFor((rows + rowsPerChunk - 1) / rowsPerChunk, context, [&](std::int64_t chunk) {
    Plane mine(sizes[0] * sizes[1]);
    VisitScalarType(image.type, [&](auto tag) {
      using T = typename decltype(tag)::Type;
      const auto * const voxels = reinterpret_cast<const T *>(image.voxels.Data());
      for (std::int64_t row = chunk * rowsPerChunk; row < std::min(rows, (chunk + 1) * rowsPerChunk); ++row)
      {
        AddRow(voxels + row * extent.size[0] * image.channels, image.channels, labels, row, fixed, mine);
      }
    });
    const std::lock_guard lock(mutex);
    for (std::size_t at = 0; at < mine.gray.size(); ++at)
    {
      all.See(at, mine.gray[at]);
      all.See(at, mine.labels[at], mine.depths[at]);
    }
  });

  SliceView flatView = view;
  flatView.across = view.across == first ? 0 : 1;
  flatView.down = view.down == first ? 0 : 1;
  std::fill_n(flatView.place, 3, 0);
  return SamplePlane(all, flat, flatView, context.Silent());
}

} // namespace brickccl
