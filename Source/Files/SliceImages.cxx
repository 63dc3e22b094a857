// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/ErrorContext.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/SliceNames.h"
#include "BrickCCL/Files/PartialVoxels.h"
#include "BrickCCL/Files/Settle.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

namespace brickccl::files
{

static std::string
NameOfFile(const std::string & path)
{
  return std::filesystem::path(path).filename().string();
}

static LoadedImage
ReadSlice(const std::string & path, const ReadOptions & options)
{
  return WithContext("slice " + Quoted(NameOfFile(path)) + ": ", [&] {
    const FileBytes      file = FileBytes::Map(path);
    const Format * const format = FormatOfFile(file, options);
    if (format == nullptr)
    {
      throw Error(WhyNotRead(file, 2));
    }
    LoadedImage image = format->read(file, options);
    ThrowIf(image.extent.size[2] > 1 || image.extent.size[3] > 1,
            "it holds " + image.extent.ToString() + " voxels; a slice image has two dimensions");
    return image;
  });
}

/** The properties in which all slices must agree, as text. */
static std::string
KindOf(const LoadedImage & image)
{
  return std::to_string(image.extent.size[0]) + " x " + std::to_string(image.extent.size[1]) + " voxels of type " +
         NameOf(image.type) + " in " + std::to_string(image.channels) +
         (image.channels == 1 ? " channel" : " channels") + (image.meaning.empty() ? "" : ", " + image.meaning);
}

static std::string
SpacingOf(const LoadedImage & image)
{
  return image.spacingSource == "none"
         ? std::string("no spacing")
         : "a spacing of " + Shortest(image.geometry.spacing[0]) + " x " + Shortest(image.geometry.spacing[1]) + " mm";
}

static void
CheckAlike(const std::string & firstName,
           const LoadedImage & first,
           const std::string & name,
           const LoadedImage & slice,
           bool                spacingMatters)
{
  ThrowIf(KindOf(slice) != KindOf(first),
          "the slice " + Quoted(name) + " has " + KindOf(slice) + " but " + Quoted(firstName) + " has " +
            KindOf(first) + "; all slices of a volume must be alike" +
            (slice.channels != first.channels ? ": convert color slices to gray"
             : slice.meaning != first.meaning ? ": save all as gray values that count from black"
                                              : ""));
  bool isSame = slice.spacingSource == first.spacingSource;
  for (int axis = 0; axis < 2; ++axis)
  {
    const double spacing = first.geometry.spacing[axis];
    isSame = isSame && std::fabs(slice.geometry.spacing[axis] - spacing) <= 1e-4 * spacing;
  }
  ThrowIf(spacingMatters && !isSame,
          "the slice " + Quoted(name) + " has " + SpacingOf(slice) + " but " + Quoted(firstName) + " has " +
            SpacingOf(first) + "; all slices must agree, or set it with --spacing");
}

static std::vector<std::string>
MergedNotes(const std::vector<std::vector<std::string>> & notesOfSlices)
{
  std::map<std::string, std::size_t> counts;
  for (const auto & notes : notesOfSlices)
  {
    for (const std::string & note : notes)
    {
      ++counts[note];
    }
  }
  constexpr std::size_t    maximumNotes = 8;
  std::vector<std::string> merged;
  for (const auto & [note, count] : counts)
  {
    if (merged.size() == maximumNotes)
    {
      merged.push_back(std::to_string(counts.size() - maximumNotes) + " more notes on slices are not shown");
      break;
    }
    merged.push_back((count == notesOfSlices.size() ? "all slices: " : Counted(count, "slice") + ": ") + note);
  }
  return merged;
}

LoadedImage
ReadSliceImages(const std::vector<std::string> & paths, const ReadOptions & options)
{
  ThrowIf(paths.empty(), "there are no slice images");
  std::vector<std::string> ordered = paths;
  std::sort(ordered.begin(), ordered.end(), NaturallyBefore);
  ReadOptions alone = options;
  alone.threads = 1;
  alone.inParts = false;
  alone.spacing.clear();
  alone.onHeader = {};
  alone.progress = {};
  const std::string problem = ProblemOfSliceNames(ordered);
  ThrowIf(!problem.empty() && !options.acceptIrregularSlices,
          "the slice images are not a complete volume: " + problem +
            "; complete it, or read them in order of name with --accept-irregular-slices");
  const auto        kept = std::make_shared<const LoadedImage>(ReadSlice(ordered.front(), alone));
  const auto &      first = *kept;
  const std::string firstName = NameOfFile(ordered.front());
  const std::size_t bytes = first.ByteCount();
  // Copies a slice's voxels. Returns its notes.
  const auto take = [=, spacingMatters = options.spacing.empty()](std::size_t number, std::byte * output) {
    const LoadedImage   own = number == 0 ? LoadedImage() : ReadSlice(ordered[number], alone);
    const LoadedImage & slice = number == 0 ? *kept : own;
    CheckAlike(firstName, *kept, NameOfFile(ordered[number]), slice, spacingMatters);
    std::memcpy(output, slice.voxels.Data(), bytes);
    return slice.notes;
  };

  LoadedImage volume;
  volume.type = first.type;
  volume.channels = first.channels;
  volume.geometry = first.geometry;
  volume.geometry.spacing[2] = 1;
  volume.spacingSource = first.spacingSource;
  const auto count = static_cast<std::int64_t>(ordered.size());
  volume.extent = SettleExtent({ first.extent.size[0], first.extent.size[1], count });
  TellHeader(options, volume);
  volume.inParts = options.inParts;
  if (volume.inParts)
  {
    const auto read = [=, threads = options.threads](std::size_t begin, std::size_t slices, std::byte * output) {
      ParallelFor(static_cast<std::int64_t>(slices), { threads }, [&](std::int64_t i) {
        take(begin + static_cast<std::size_t>(i), output + static_cast<std::size_t>(i) * bytes);
      });
    };
    volume.stream = SliceVoxels(bytes, read);
  }
  std::byte * const voxels =
    volume.inParts ? nullptr : volume.voxels.Resize(VoxelBytes(volume.extent, volume.channels, volume.type));
  const HostContext context = options.Context();

  std::vector<std::vector<std::string>> notes(ordered.size());
  // In parts, each slice is checked when it is read.
  ParallelFor(volume.inParts ? 0 : count, context, [&](std::int64_t i) {
    const auto number = static_cast<std::size_t>(i);
    notes[number] = take(number, voxels + number * bytes);
  });
  volume.notes.push_back(
    "the volume is made of " + std::to_string(count) +
    (count == 1 ? " slice image, " + Quoted(firstName)
                : " slice images, from " + Quoted(firstName) + " to " + Quoted(NameOfFile(ordered.back()))));
  if (!problem.empty())
  {
    volume.notes.push_back(problem + "; the slice images are read in order of name");
  }
  if (options.spacing.empty() && volume.spacingSource != "none")
  {
    volume.notes.push_back("slice images do not have a slice spacing; 1 mm is assumed (set it with --spacing)");
  }
  const std::vector<std::string> merged = MergedNotes(notes);
  volume.notes.insert(volume.notes.end(), merged.begin(), merged.end());
  volume.files = std::move(ordered);
  return volume;
}

} // namespace brickccl::files
