// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats/TiffEntries.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"

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

void
CheckMicroscope(const FileBytes & file, std::uint64_t place, std::size_t pages)
{
  // UIC2Tag, which has a value for each plane, and CZ_LSMINFO.
  constexpr std::uint64_t tagOfMetaMorph = 33629;
  constexpr std::uint64_t tagOfZeiss = 34412;
  const TiffEntries       entries(file);
  const auto              planes = entries.Find(place, tagOfMetaMorph);
  if (planes && planes->count > 1 && planes->count != pages)
  {
    throw Unsupported("it is a MetaMorph stack (.stk) of " + std::to_string(planes->count) + " planes in " +
                      Counted(pages, "page") + "; save it with one page a slice");
  }
  if (entries.Find(place, tagOfZeiss))
  {
    throw Unsupported("it is a Zeiss image (.lsm), whose pages may be channels, points in time or positions; save its "
                      "slices as OME-TIFF");
  }
}

} // namespace brickccl::files
