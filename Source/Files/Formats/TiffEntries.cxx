// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats/TiffEntries.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace brickccl::files
{

TiffEntries::TiffEntries(const FileBytes & file)
  : m_File(file)
{
  file.Require(0, 8);
  m_IsBigEndian = file.Data()[0] == 'M';
  m_IsBig = file.Data()[m_IsBigEndian ? 3 : 2] == 43;
}

std::uint64_t
TiffEntries::Number(std::uint64_t at, std::size_t size) const
{
  return m_File.Number(at, size, m_IsBigEndian);
}

std::optional<TiffEntry>
TiffEntries::Find(std::uint64_t place, std::uint64_t tag) const
{
  constexpr std::uint64_t typeOfShorts = 3;
  const std::uint64_t     entries = Number(place, m_IsBig ? 8 : 2);
  const std::uint64_t     entrySize = m_IsBig ? 20 : 12;
  std::uint64_t           entry = place + (m_IsBig ? 8 : 2);
  for (std::uint64_t i = 0; i < entries; ++i, entry += entrySize)
  {
    if (Number(entry, 2) == tag)
    {
      const std::uint64_t count = Number(entry + 4, m_IsBig ? 8 : 4);
      const bool          isShort = Number(entry + 2, 2) == typeOfShorts && count == 1;
      return TiffEntry{ count, Number(entry + (m_IsBig ? 12 : 8), isShort ? 2 : m_IsBig ? 8 : 4) };
    }
  }
  return std::nullopt;
}

namespace
{

// MetaMorph's UIC2Tag has a value for each plane.
constexpr std::uint64_t TagOfMetaMorph = 33629;
// CZ_LSMINFO: a magic number, a size, and the numbers of columns, rows, slices, channels and points in time, of 4 bytes
// each. The distances of voxels (three doubles) and the way of scanning follow.
constexpr std::uint64_t TagOfZeiss = 34412;
constexpr std::uint64_t PlaceOfSlices = 16;
constexpr std::uint64_t PlaceOfTimes = 24;
constexpr std::uint64_t PlaceOfSpacing = 40;
constexpr std::uint64_t PlaceOfScan = 88;

} // namespace

std::array<double, 3>
SpacingOfMicroscope(const FileBytes & file, std::uint64_t place, std::size_t pages, std::vector<std::string> & notes)
{
  std::array<double, 3> spacing = {};
  const TiffEntries     entries(file);
  const auto            planes = entries.Find(place, TagOfMetaMorph);
  if (planes && planes->count > 1 && planes->count != pages)
  {
    throw Unsupported("it is a MetaMorph stack (.stk) of " + std::to_string(planes->count) + " planes in " +
                      Counted(pages, "page") + "; save it with one page a slice");
  }
  const auto zeiss = entries.Find(place, TagOfZeiss);
  if (!zeiss || zeiss->count < PlaceOfTimes + 4)
  {
    return spacing;
  }
  const auto times = std::max<std::uint64_t>(1, entries.Number(zeiss->value + PlaceOfTimes, 4));
  if (times > 1 && pages > 1)
  {
    throw Unsupported("it is a Zeiss image (.lsm) of " + std::to_string(times) +
                      " points in time, which are not slices; save only one of them");
  }
  if (zeiss->count < PlaceOfScan + 2)
  {
    return spacing;
  }
  const std::uint64_t magic = entries.Number(zeiss->value, 4);
  if (magic != 0x0300494C && magic != 0x0400494C)
  {
    notes.push_back("its Zeiss tag (.lsm) has an unknown version; its spacing is not read");
    return spacing;
  }
  // 0: slices of x and y, 3: these at points in time, 6: volumes at points in time. Others have z or the time as rows.
  const std::uint64_t scan = entries.Number(zeiss->value + PlaceOfScan, 2);
  if (scan != 0 && scan != 3 && scan != 6)
  {
    notes.push_back("it is a Zeiss scan (.lsm) of the type " + std::to_string(scan) +
                    ", whose rows may not be y; its spacing is not read");
    return spacing;
  }
  const auto slices = std::max<std::uint64_t>(1, entries.Number(zeiss->value + PlaceOfSlices, 4));
  if (slices * times != pages)
  {
    throw Error("its Zeiss tag (.lsm) gives " + Counted(slices, "slice") + " at " + Counted(times, "point") +
                " in time but there " + (pages == 1 ? "is " : "are ") + Counted(pages, "page") +
                ": the file is truncated, or it has several positions; save only one of them");
  }
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const double meters = file.Real(zeiss->value + PlaceOfSpacing + 8 * axis, 8, file.Data()[0] == 'M');
    spacing[axis] = std::isfinite(meters) && meters > 0 ? meters * 1e3 : 0;
  }
  return spacing;
}

} // namespace brickccl::files
