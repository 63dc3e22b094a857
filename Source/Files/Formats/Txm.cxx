// SPDX-License-Identifier: Apache-2.0
// Scans of Zeiss (Xradia): .txm and .xrm. They are compound files, whose streams are like small files in folders.

#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/Voxels.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace brickccl::files
{

namespace
{

using Numbers = std::vector<std::uint32_t>;
using Places = std::vector<std::uint64_t>;

/** Bytes in chains of units: sectors of a file, or parts of the stream that holds all small ones. */
struct Units
{
  FileBytes     bytes;
  std::uint64_t begin = 0;
  std::uint64_t size = 64;
  /** The unit behind each unit. */
  Numbers next = {};

  Places
  PlacesOf(std::uint64_t unit) const
  {
    Places places;
    for (; unit != 0xFFFFFFFE; unit = next[unit])
    {
      if (unit >= next.size() || places.size() == next.size())
      {
        throw Error("the file is truncated, or a chain of its sectors is damaged");
      }
      places.push_back(begin + unit * size);
    }
    return places;
  }

  Numbers
  NumbersAt(const Places & places) const
  {
    Numbers numbers;
    for (const std::uint64_t place : places)
    {
      for (std::uint64_t i = 0; i < size; i += 4)
      {
        numbers.push_back(static_cast<std::uint32_t>(bytes.Number(place + i, 4)));
      }
    }
    return numbers;
  }

  void
  Read(const Places & places, std::uint64_t count, std::byte * output) const
  {
    ThrowIf(places.size() != (count + size - 1) / size, "a chain of its sectors is shorter or longer than its stream");
    for (std::uint64_t done = 0; done < count; done += size)
    {
      const std::uint64_t part = std::min(size, count - done);
      bytes.Require(places[done / size], part);
      std::memcpy(output + done, bytes.Data() + places[done / size], part);
    }
  }
};

struct CompoundFile
{
  Units large;
  Units small;
  /** Start and size of streams. */
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> streams;

  /** \throws Error unless there is such a stream of `size` bytes. \param output  null: not read */
  void
  Read(const std::string & name, std::uint64_t size, std::byte * output) const
  {
    const auto found = streams.find(name);
    ThrowIf(found == streams.end() || found->second.second != size,
            "it has no stream " + Quoted(name) + " of " + std::to_string(size) +
              " bytes: it is damaged, or not a scan of Zeiss");
    if (output != nullptr)
    {
      const Units & units = size < 4096 ? small : large;
      units.Read(units.PlacesOf(found->second.first), size, output);
    }
  }
};

CompoundFile
OpenCompound(const FileBytes & file)
{
  const std::uint64_t sector = file.Number(30, 2) == 12 ? 4096 : 512;
  CompoundFile        compound = { { file, sector, sector }, {}, {} };
  const Units &       large = compound.large;
  Places              tables;
  std::uint64_t       place = 76;
  std::uint64_t       end = 512;
  std::uint64_t       next = file.Number(68, 4);
  ThrowIf(file.Number(44, 4) > file.Size() / sector, "the file is truncated, or its header is damaged");
  for (std::uint64_t i = file.Number(44, 4); i > 0; --i, place += 4)
  {
    if (place == end)
    {
      // The list continues in other sectors, which end with the number of the next one.
      place = (next + 1) * sector;
      end = place + sector - 4;
      next = file.Number(end, 4);
    }
    tables.push_back((file.Number(place, 4) + 1) * sector);
  }
  compound.large.next = large.NumbersAt(tables);
  compound.small.next = large.NumbersAt(large.PlacesOf(file.Number(60, 4)));
  // Entries of 32 numbers: 16 with letters, their bytes and the kind, two neighbors and the first entry inside, ...
  const Numbers entries = large.NumbersAt(large.PlacesOf(file.Number(48, 4)));
  ThrowIf(entries.empty(), "its list of streams is missing");
  const Places           places = large.PlacesOf(entries[29]);
  std::vector<std::byte> small(places.size() * sector);
  large.Read(places, small.size(), small.data());
  compound.small.bytes = FileBytes::FromMemory(file.Path(), small.data(), small.size());
  std::vector<std::pair<std::uint32_t, std::string>> found = { { entries[19], "" } };
  for (std::size_t i = 0; i < found.size(); ++i)
  {
    const auto [number, folder] = found[i];
    if (number == 0xFFFFFFFF)
    {
      continue;
    }
    ThrowIf(number >= entries.size() / 32 || i >= entries.size(), "its list of streams is damaged");
    const std::uint32_t * const entry = entries.data() + std::size_t{ 32 } * number;
    std::string                 name = folder;
    for (std::size_t letter = 0; letter + 2 < std::min<std::size_t>(64, entry[16] & 0xFFFF); letter += 2)
    {
      name += static_cast<char>(entry[letter / 4] >> (letter % 4 * 8));
    }
    found.insert(found.end(), { { entry[17], folder }, { entry[18], folder }, { entry[19], name + '/' } });
    compound.streams[name] = { entry[29], entry[30] };
  }
  return compound;
}

} // namespace

bool
IsTxm(const FileBytes & file)
{
  return file.BeginsWith("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", 8);
}

LoadedImage
ReadTxm(const FileBytes & file, const ReadOptions & options)
{
  ThrowIf<Unsupported>(HasExtension(file.Path(), ".txrm"),
                       "it has the projections of a scan; export its reconstruction as .txm");
  const auto compound = std::make_shared<const CompoundFile>(OpenCompound(file));
  const auto value = [&](const char * name) {
    std::byte bytes[4];
    compound->Read(std::string("ImageInfo/") + name, 4, bytes);
    return FileBytes::FromMemory(file.Path(), bytes, 4);
  };
  const auto         whole = [&](const char * name) { return static_cast<std::int64_t>(value(name).Number(0, 4)); };
  const std::int64_t type = whole("DataType");
  const std::int64_t count = whole("NoOfImages");
  const double       micrometers = value("PixelSize").Real(0, 4);
  ThrowIf<Unsupported>(type != 3 && type != 5 && type != 10,
                       "its voxels have the type " + std::to_string(type) +
                         "; 3 (uint8), 5 (uint16) and 10 (float32) are read");
  LoadedImage image;
  image.inParts = options.inParts;
  image.type = type == 3 ? ScalarType::UInt8 : type == 5 ? ScalarType::UInt16 : ScalarType::Float32;
  image.extent = SettleExtent({ whole("ImageWidth"), whole("ImageHeight"), count });
  image.spacingSource = micrometers == 0 ? "none" : "file";
  std::fill_n(image.geometry.spacing, 3, micrometers == 0 ? 1 : micrometers / 1000);
  SettleSpacing(image);
  const std::size_t bytes = VoxelBytes(image.extent, 1, image.type) / static_cast<std::size_t>(count);
  const auto read = [=, valueBytes = SizeOf(image.type)](std::size_t first, std::size_t slices, std::byte * output) {
    for (std::size_t slice = first; slice < first + slices; ++slice)
    {
      const std::string name = "ImageData" + std::to_string(slice / 100 + 1) + "/Image" + std::to_string(slice + 1);
      compound->Read(name, bytes, output == nullptr ? output : output + (slice - first) * bytes);
    }
    SwapBytes(output, valueBytes, HostIsBigEndian && output != nullptr ? slices * bytes / valueBytes : 0, {});
    Forget(file);
  };
  read(0, static_cast<std::size_t>(count), nullptr);
  TellHeader(options, image);
  if (image.inParts)
  {
    image.stream = SliceVoxels(bytes, read);
    return image;
  }
  read(0, static_cast<std::size_t>(count), image.voxels.Resize(bytes * static_cast<std::size_t>(count)));
  return image;
}

} // namespace brickccl::files
