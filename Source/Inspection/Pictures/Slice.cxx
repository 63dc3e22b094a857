// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Pictures/Slice.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace brickccl
{

namespace
{

/** Which voxels along an axis each pixel looks at. */
struct Taps
{
  /** The voxels of pixel i are first[i] .. first[i + 1] - 1. */
  std::vector<std::size_t>  first{ 0 };
  std::vector<std::int64_t> places;
  std::vector<double>       weights;

  void
  Add(std::int64_t place, double weight)
  {
    places.push_back(place);
    weights.push_back(weight);
  }
  void
  EndPixel()
  {
    first.push_back(places.size());
  }
};

/** The voxels under each pixel, from the voxel `low` on. There is at least one. */
Taps
VoxelsUnder(std::int64_t low, std::int64_t voxels, std::int64_t pixels)
{
  Taps taps;
  for (std::int64_t pixel = 0; pixel < pixels; ++pixel)
  {
    if (voxels <= pixels)
    {
      taps.Add(low + (2 * pixel + 1) * voxels / (2 * pixels), 1);
    }
    else
    {
      // A voxel belongs to the pixel that contains its center.
      const std::int64_t begin = (2 * pixel * voxels + pixels) / (2 * pixels);
      const std::int64_t count = (2 * (pixel + 1) * voxels + pixels) / (2 * pixels) - begin;
      const std::int64_t looked = std::min(count, VoxelsPerPixel);
      for (std::int64_t i = 0; i < looked; ++i)
      {
        taps.Add(low + begin + (2 * i + 1) * count / (2 * looked), 1.0 / static_cast<double>(looked));
      }
    }
    taps.EndPixel();
  }
  return taps;
}

/** As VoxelsUnder, but if pixels are smaller than voxels, a pixel uses the two nearest voxels. */
Taps
VoxelsToInterpolate(std::int64_t low, std::int64_t voxels, int pixels)
{
  if (voxels >= pixels)
  {
    return VoxelsUnder(low, voxels, pixels);
  }
  Taps taps;
  for (int pixel = 0; pixel < pixels; ++pixel)
  {
    const double       center = (pixel + 0.5) * static_cast<double>(voxels) / pixels - 0.5;
    const double       place = std::clamp(center, 0.0, static_cast<double>(voxels - 1));
    const auto         before = static_cast<std::int64_t>(place);
    const double       share = place - static_cast<double>(before);
    const std::int64_t after = std::min(before + 1, voxels - 1);
    taps.Add(low + before, 1 - share);
    if (share > 0)
    {
      taps.Add(low + after, share);
    }
    taps.EndPixel();
  }
  return taps;
}

/** The most frequent of sorted labels, the smallest one if there are several; 0 if there is none. */
std::uint64_t
MostFrequent(const std::vector<std::uint64_t> & labels)
{
  std::uint64_t  winner = 0;
  std::ptrdiff_t most = 0;
  for (auto at = labels.begin(), next = at; at != labels.end(); at = next)
  {
    next = std::upper_bound(at, labels.end(), *at);
    winner = next - at > most ? *at : winner;
    most = std::max(most, next - at);
  }
  return winner;
}

/** The labels of the voxels at `places`, on the line through `place` along an axis. Along x the places ascend. */
void
LabelsAlong(const RunVolume & labels,
            int               axis,
            const std::int64_t (&place)[3],
            const std::vector<std::int64_t> & places,
            std::vector<std::uint64_t> &      line)
{
  const std::int64_t height = labels.GetExtent().size[1];
  line.assign(places.size(), 0);
  if (axis != 0)
  {
    for (std::size_t i = 0; i < places.size(); ++i)
    {
      const std::int64_t y = axis == 1 ? places[i] : place[1];
      const std::int64_t z = axis == 2 ? places[i] : place[2];
      line[i] = LabelAt(labels, z * height + y, place[0]);
    }
    return;
  }
  std::size_t at = 0;
  labels.ForEachRun(place[2] * height + place[1], [&](std::int64_t begin, std::int64_t end, std::uint64_t run) {
    while (at < places.size() && places[at] < begin)
    {
      ++at;
    }
    for (; at < places.size() && places[at] < end; ++at)
    {
      line[at] = labels.Label(run);
    }
  });
}

/** Draws the gray values of one row of a slice's pixels. `value` returns the value of a voxel. */
template <typename TValue>
void
DrawGray(const Taps & across,
         std::int64_t stride,
         const Taps & down,
         std::int64_t downStride,
         std::int64_t origin,
         std::size_t  row,
         double *     gray,
         TValue       value)
{
  for (std::size_t pixel = 0; pixel + 1 < across.first.size(); ++pixel)
  {
    double sum = 0;
    double weight = 0;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (std::size_t j = down.first[row]; j < down.first[row + 1]; ++j)
    {
      for (std::size_t i = across.first[pixel]; i < across.first[pixel + 1]; ++i)
      {
        const double one = value(origin + down.places[j] * downStride + across.places[i] * stride);
        if (std::isfinite(one))
        {
          sum += down.weights[j] * across.weights[i] * one;
          weight += down.weights[j] * across.weights[i];
          low = std::min(low, one);
          high = std::max(high, one);
        }
      }
    }
    // Rounding must not make several values of one.
    gray[pixel] = weight > 0 ? std::clamp(sum / weight, low, high) : std::numeric_limits<double>::quiet_NaN();
  }
}

} // namespace

std::uint64_t
LabelAt(const RunVolume & labels, std::int64_t row, std::int64_t x)
{
  const std::int64_t word = x / BitsPerWord;
  const int          bit = static_cast<int>(x % BitsPerWord);
  if ((labels.Foreground(row)[word] >> bit & 1u) == 0)
  {
    return 0;
  }
  std::int64_t started = CountBits(labels.Starts(row, word) & BitsUpTo(bit));
  for (std::int64_t w = 0; w < word; ++w)
  {
    started += CountBits(labels.Starts(row, w));
  }
  return labels.Label(labels.FirstRun(row) + static_cast<std::uint64_t>(started) - 1);
}

SlicePixels
SampleSlice(const LoadedImage & image, const RunVolume & labels, const SliceView & view, const HostContext & context)
{
  const Extent & extent = image.extent;
  SlicePixels    pixels{ view.width, view.height, {}, {}, {} };
  const auto     count = static_cast<std::size_t>(view.width) * static_cast<std::size_t>(view.height);
  pixels.gray.resize(count);
  pixels.labels.resize(count);
  pixels.coverage.resize(count);
  const std::int64_t strides[3] = { 1, extent.size[0], extent.size[0] * extent.size[1] };
  std::int64_t       origin = 0;
  for (int axis = 0; axis < 3; ++axis)
  {
    origin += axis == view.across || axis == view.down ? 0 : view.place[axis] * strides[axis];
  }
  const auto sizeOf = [&](int i, int axis) {
    return view.size[i] > 0 ? view.size[i] : extent.size[axis] - view.low[i];
  };
  const Taps grayAcross = VoxelsToInterpolate(view.low[0], sizeOf(0, view.across), view.width);
  const Taps grayDown = VoxelsToInterpolate(view.low[1], sizeOf(1, view.down), view.height);
  const Taps across = VoxelsUnder(view.low[0], sizeOf(0, view.across), view.width);
  const Taps down = VoxelsUnder(view.low[1], sizeOf(1, view.down), view.height);

  ParallelFor(view.height, context, [&](std::int64_t line) {
    const auto row = static_cast<std::size_t>(view.isUpsideDown ? view.height - 1 - line : line);
    const auto at = static_cast<std::size_t>(line) * static_cast<std::size_t>(view.width);
    VisitScalarType(image.type, [&](auto tag) {
      const auto * const voxels = reinterpret_cast<const typename decltype(tag)::Type *>(image.voxels.Data());
      const int          channels = image.channels;
      DrawGray(grayAcross,
               strides[view.across],
               grayDown,
               strides[view.down],
               origin,
               row,
               &pixels.gray[at],
               [=](std::int64_t voxel) {
                 double sum = 0;
                 for (int channel = 0; channel < channels; ++channel)
                 {
                   sum += static_cast<double>(voxels[voxel * channels + channel]);
                 }
                 return sum / channels;
               });
    });

    std::vector<std::vector<std::uint64_t>> lines(down.first[row + 1] - down.first[row]);
    std::int64_t                            place[3] = { view.place[0], view.place[1], view.place[2] };
    for (std::size_t j = 0; j < lines.size(); ++j)
    {
      place[view.down] = down.places[down.first[row] + j];
      LabelsAlong(labels, view.across, place, across.places, lines[j]);
    }
    std::vector<std::uint64_t> labeled;
    for (std::size_t pixel = 0; pixel < static_cast<std::size_t>(view.width); ++pixel)
    {
      labeled.clear();
      for (const std::vector<std::uint64_t> & one : lines)
      {
        for (std::size_t i = across.first[pixel]; i < across.first[pixel + 1]; ++i)
        {
          if (one[i] != 0)
          {
            labeled.push_back(one[i]);
          }
        }
      }
      const std::size_t looked = lines.size() * (across.first[pixel + 1] - across.first[pixel]);
      std::sort(labeled.begin(), labeled.end());
      pixels.labels[at + pixel] = MostFrequent(labeled);
      pixels.coverage[at + pixel] = static_cast<float>(labeled.size()) / static_cast<float>(looked);
    }
    if (view.isMirrored)
    {
      const auto mirror = [&](auto & values) {
        std::reverse(values.begin() + static_cast<std::ptrdiff_t>(at),
                     values.begin() + static_cast<std::ptrdiff_t>(at) + view.width);
      };
      mirror(pixels.gray);
      mirror(pixels.labels);
      mirror(pixels.coverage);
    }
  });
  return pixels;
}

} // namespace brickccl
