// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats/Arrays.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/PartialVoxels.h"
#include "BrickCCL/Host/System.h"

#include <algorithm>
#include <cstring>

namespace brickccl::files
{

std::uint64_t
ArrayBox::Count() const
{
  std::uint64_t count = 1;
  std::for_each(size.begin(), size.end(), [&](std::uint64_t each) { count *= each; });
  return count;
}

std::vector<ArrayBox>
CutIntoBoxes(const ArrayShape & shape, const ArrayShape & cell, const ArraySlices & slices)
{
  std::vector<ArrayBox> boxes(1);
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
  {
    const bool                  isCut = axis == slices.axis;
    const std::uint64_t         last = isCut ? slices.end : shape[axis];
    const std::vector<ArrayBox> wider = std::move(boxes);
    boxes.clear();
    for (const ArrayBox & box : wider)
    {
      for (std::uint64_t begin = isCut ? slices.begin : 0, end = 0; begin < last; begin = end)
      {
        end = std::min(last, (begin / cell[axis] + 1) * cell[axis]);
        ThrowIf<Unsupported>(boxes.size() == std::size_t{ 1 } << 20,
                             "it has more than 1048576 chunks; store it in larger ones");
        boxes.push_back(box);
        boxes.back().begin.push_back(begin);
        boxes.back().size.push_back(end - begin);
      }
    }
  }
  return boxes;
}

void
PutBox(const ArrayShape &  shape,
       const ArrayBox &    box,
       const ArraySlices & slices,
       const ArrayShape &  stored,
       std::size_t         valueBytes,
       const std::byte *   values,
       std::byte *         output)
{
  const std::size_t axes = box.size.size();
  const std::size_t rowBytes = static_cast<std::size_t>(box.size.back()) * valueBytes;
  const std::size_t rows = static_cast<std::size_t>(box.Count() / box.size.back());
  for (std::size_t row = 0; row < rows; ++row)
  {
    std::uint64_t from = 0;
    std::uint64_t place = 0;
    std::uint64_t fromStride = 1;
    std::uint64_t stride = 1;
    std::uint64_t rest = row;
    for (std::size_t i = axes; i-- > 0;)
    {
      const std::uint64_t size = i + 1 == axes ? 1 : box.size[i];
      from += rest % size * fromStride;
      place += (box.begin[i] + rest % size - (i == slices.axis ? slices.begin : 0)) * stride;
      fromStride *= stored[i];
      stride *= shape[i];
      rest /= size;
    }
    std::memcpy(output + place * valueBytes, values + from * valueBytes, rowBytes);
  }
}

void
TakeSlices(const ArrayShape &                                                                        shape,
           const ArrayShape &                                                                        chunk,
           const ReadOptions &                                                                       options,
           const std::function<void(const ArraySlices &, const HostContext &, std::byte * output)> & read,
           LoadedImage &                                                                             image)
{
  const auto  bytes = VoxelBytes(image.extent, image.channels, image.type);
  std::size_t axis = 0;
  while (axis + 1 < shape.size() && shape[axis] == 1)
  {
    ++axis;
  }
  if (!options.inParts)
  {
    read({ axis, 0, shape[axis] }, options.Context(), image.voxels.Resize(bytes));
    return;
  }
  const auto readSome = [=, threads = options.threads](std::size_t first, std::size_t count, std::byte * output) {
    // The progress of a part is not reported, but the command's Ctrl-C need not wait for it.
    ProgressHooks hooks;
    hooks.canceled = WasInterrupted;
    read({ axis, first, first + count }, { threads, Progress(hooks) }, output);
  };
  image.inParts = true;
  image.stream = SliceVoxels(bytes / static_cast<std::size_t>(shape[axis]), readSome);
  image.slicesAtOnce = chunk.empty() ? 1 : static_cast<std::int64_t>(std::min(chunk[axis], shape[axis]));
  image.chunkBytes = chunk.empty() ? 0 : ArrayBox{ {}, chunk }.Count() * SizeOf(image.type);
}

ArrayAxes
AxesOf(const std::string & letters, const ArrayShape & shape, const std::string & source)
{
  const std::string named = letters + " (" + source + ")";
  ArrayAxes         axes;
  std::string       kept;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
  {
    const std::uint64_t size = shape[axis];
    const char          letter = letters[axis];
    if (letter == 'c' && size != 1)
    {
      ThrowIf<Unsupported>(size > 1000000, "it has " + std::to_string(size) + " channels; up to 1000000 are read");
      ThrowIf<Unsupported>(axis + 1 < shape.size(),
                           "its " + std::to_string(size) + " channels are not its last axis, of " + named +
                             "; store the channels last, or store only one");
      axes.channels = static_cast<int>(size);
    }
    // A single time is not an axis.
    else if (letter != 'c' && (letter != 't' || size != 1))
    {
      axes.places.push_back(axis);
      axes.sizes.insert(axes.sizes.begin(), static_cast<std::int64_t>(size));
      kept += letter == '?' ? "" : std::string(1, letter);
    }
  }
  const std::string order = "tzyx";
  ThrowIf<Unsupported>(
    !std::is_sorted(kept.begin(), kept.end(), [&](char a, char b) { return order.find(a) < order.find(b); }),
    "its axes are in the order " + named +
      ", the last one the fastest; t, z, y, x and c are read in this order; transpose the array");
  if (kept.find('t') != std::string::npos && axes.places.size() < 4)
  {
    axes.notes.push_back("its axes are " + named +
                         "; time is labeled as a spatial axis; --by-slice labels each time point separately");
  }
  return axes;
}

} // namespace brickccl::files
