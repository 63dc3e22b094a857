// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Codecs/RunCompressor.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace brickccl::files
{

namespace
{

constexpr std::uint32_t NoRun = std::numeric_limits<std::uint32_t>::max();
constexpr int           HashBits = 15;
/** This many earlier places are tried, and no further one once a copy covers this many runs. */
constexpr int           PlacesTried = 16;
constexpr std::uint32_t EnoughRuns = 24;
/** Typical bits of a run's beginning that is not copied, of the codes of a copy without the extra bits of its distance,
 * and of a repeat of the voxel before. */
constexpr std::int64_t BitsOfRun = 24;
constexpr std::int64_t BitsOfCopy = 8;
constexpr std::int64_t BitsOfRepeat = 6;
/** So many voxels of a long run are left for the copy that goes across its end. */
constexpr std::uint32_t VoxelsLeft = 4;
/** Where runs are shorter than this in the mean, there is more to find in bytes. */
constexpr std::size_t ShortestMeanRun = 3;

std::size_t
HashOf(std::uint32_t before, std::uint32_t value)
{
  const std::uint64_t mixed = before * std::uint64_t{ 0x9E3779B1u } + value * std::uint64_t{ 0x85EBCA77u };
  return static_cast<std::size_t>((mixed * 0x9E3779B97F4A7C15u) >> (64 - HashBits));
}

template <typename TVoxel>
TVoxel
VoxelAt(const unsigned char * bytes, std::size_t index)
{
  TVoxel voxel;
  std::memcpy(&voxel, bytes + index * sizeof(TVoxel), sizeof(TVoxel));
  return voxel;
}

/** \return the first voxel from `index` on that is not `value`, or `count`. */
template <typename TVoxel>
std::size_t
EndOfRun(const unsigned char * bytes, std::size_t index, std::size_t count, TVoxel value)
{
  constexpr std::size_t Group = 32 / sizeof(TVoxel);
  while (index + Group <= count)
  {
    bool areEqual = true;
    for (std::size_t i = 0; i < Group; ++i)
    {
      areEqual &= VoxelAt<TVoxel>(bytes, index + i) == value;
    }
    if (!areEqual)
    {
      break;
    }
    index += Group;
  }
  while (index < count && VoxelAt<TVoxel>(bytes, index) == value)
  {
    ++index;
  }
  return index;
}

} // namespace

template <typename TVoxel>
bool
RunCompressor::FindRuns(const unsigned char * bytes, std::size_t voxelCount)
{
  m_Runs.clear();
  m_Begins.clear();
  for (std::size_t begin = 0; begin < voxelCount;)
  {
    const auto        value = VoxelAt<TVoxel>(bytes, begin);
    const std::size_t end = EndOfRun(bytes, begin + 1, voxelCount, value);
    m_Runs.push_back(std::uint64_t{ value } << 32 | (end - begin));
    m_Begins.push_back(static_cast<std::uint32_t>(begin));
    begin = end;
    if (m_Runs.size() * ShortestMeanRun > voxelCount)
    {
      return false;
    }
  }
  // No run has no voxels.
  m_Runs.push_back(0);
  m_Begins.push_back(static_cast<std::uint32_t>(voxelCount));
  return true;
}

void
RunCompressor::RememberRunsBefore(std::size_t run)
{
  for (; m_Remembered < run; ++m_Remembered)
  {
    if (m_Remembered > 0)
    {
      std::uint32_t & last = m_LastOfPair[HashOf(ValueOf(m_Remembered - 1), ValueOf(m_Remembered))];
      m_Earlier[m_Remembered] = last;
      last = static_cast<std::uint32_t>(m_Remembered);
    }
  }
}

/** Extends a copy over the runs from its own on, as far as they are equal to those at its source. It ends inside the
 *  first long run, of which it takes what the bytes of its last token have room for. */
void
RunCompressor::ExtendCopy(Copy & copy) const
{
  for (std::size_t run = copy.run, source = copy.source;; ++run, ++source)
  {
    const std::uint32_t common = std::min(LengthOf(run), LengthOf(source));
    ++copy.runs;
    if (IsLong(LengthOf(run)))
    {
      const std::uint32_t taken = copy.voxels * m_VoxelBytes % DeflateToken::LongestCopy;
      const std::uint32_t room = taken == 0 ? 0 : (DeflateToken::LongestCopy - taken) / m_VoxelBytes;
      copy.voxels += std::max(1u, std::min(common, room));
      break;
    }
    copy.voxels += common;
    if (LengthOf(run) != LengthOf(source) || run + 2 == m_Runs.size() || ValueOf(run + 1) != ValueOf(source + 1))
    {
      break;
    }
  }
  const std::uint32_t distance = DistanceTo(copy) * m_VoxelBytes;
  const std::int64_t  tokens =
    (copy.voxels * std::int64_t{ m_VoxelBytes } + DeflateToken::LongestCopy - 1) / DeflateToken::LongestCopy;
  copy.gain = copy.runs * BitsOfRun - tokens * (BitsOfCopy + BitsAfterDistanceCode(distance)) -
              (copy.repeated > 0 ? BitsOfRepeat : 0);
}

/** Looks for a copy across the beginning of a run: the current one, or the one after it. */
void
RunCompressor::LookForCopy(std::size_t run, Copy & best) const
{
  const std::uint32_t left = m_Begins[run] - m_Position;
  std::uint32_t       source = m_LastOfPair[HashOf(ValueOf(run - 1), ValueOf(run))];
  for (int i = 0; i < PlacesTried && source != NoRun && best.runs < EnoughRuns; ++i, source = m_Earlier[source])
  {
    // Only a copy of more runs is better, as others lie further back; without voxels to repeat, of as many.
    const std::uint32_t wanted = best.run != run ? 0 : best.repeated > 0 ? best.runs - 1 : best.runs;
    if ((wanted > 0 && m_Runs[source + wanted - 1] != m_Runs[run + wanted - 1]) || ValueOf(source) != ValueOf(run) ||
        ValueOf(source - 1) != ValueOf(run - 1))
    {
      continue;
    }
    Copy copy;
    copy.run = run;
    copy.source = source;
    copy.repeated = left - std::min(left, LengthOf(source - 1));
    copy.voxels = left - copy.repeated;
    if (DistanceTo(copy) * m_VoxelBytes > DeflateToken::LargestDistance)
    {
      return;
    }
    // The first voxel of a run has none before it to repeat.
    if (copy.repeated == 0 || !IsAtBegin())
    {
      ExtendCopy(copy);
      if (copy.gain > best.gain && copy.voxels * m_VoxelBytes >= DeflateToken::ShortestCopy)
      {
        best = copy;
      }
    }
  }
}

/** No token but a byte may be shorter than three bytes. */
void
RunCompressor::AppendCopy(std::uint64_t voxels, std::uint32_t distance)
{
  for (std::uint64_t left = voxels * m_VoxelBytes; left > 0;)
  {
    std::uint64_t length = std::min<std::uint64_t>(left, DeflateToken::LongestCopy);
    if (left > length && left - length < DeflateToken::ShortestCopy)
    {
      length -= DeflateToken::ShortestCopy;
    }
    m_Tokens.push_back({ static_cast<std::uint16_t>(length), static_cast<std::uint16_t>(distance * m_VoxelBytes) });
    left -= length;
  }
}

/** Appends the bytes of a voxel of the current run. */
void
RunCompressor::AppendVoxel()
{
  const unsigned char * const voxel = m_Bytes + std::size_t{ m_Begins[m_Run] } * m_VoxelBytes;
  for (std::uint32_t i = 0; i < m_VoxelBytes; ++i)
  {
    m_Tokens.push_back({ voxel[i], 0 });
  }
}

/** Repeats the voxel before, which has the current run's value. */
void
RunCompressor::AppendRepeats(std::uint64_t voxels)
{
  if (voxels * m_VoxelBytes >= DeflateToken::ShortestCopy)
  {
    AppendCopy(voxels, 1);
    return;
  }
  for (std::uint64_t i = 0; i < voxels; ++i)
  {
    AppendVoxel();
  }
}

/** Appends tokens for the next voxels: to the end of the current run, or across its end and further ones. */
void
RunCompressor::AppendNext()
{
  const std::uint32_t end = m_Begins[m_Run + 1];
  if (!IsAtBegin() && IsLong(end - m_Position))
  {
    AppendRepeats(end - VoxelsLeft - m_Position);
    m_Position = end - VoxelsLeft;
  }
  RememberRunsBefore(m_Run);
  Copy best;
  if (IsAtBegin() && m_Run > 0)
  {
    LookForCopy(m_Run, best);
  }
  if (m_Run + 2 < m_Runs.size() && !(IsAtBegin() && IsLong(end - m_Position)))
  {
    RememberRunsBefore(m_Run + 1);
    LookForCopy(m_Run + 1, best);
  }
  if (best.voxels > 0)
  {
    AppendRepeats(best.repeated);
    AppendCopy(best.voxels, DistanceTo(best));
    m_Position += best.repeated + best.voxels;
  }
  else
  {
    if (IsAtBegin())
    {
      AppendVoxel();
      ++m_Position;
    }
    AppendRepeats(end - m_Position);
    m_Position = end;
  }
  while (m_Position < m_VoxelCount && m_Position >= m_Begins[m_Run + 1])
  {
    ++m_Run;
  }
}

bool
RunCompressor::Compress(const unsigned char *        bytes,
                        std::size_t                  size,
                        std::size_t                  voxelBytes,
                        bool                         isLast,
                        std::vector<unsigned char> & output)
{
  // Voxels are counted in 32 bits.
  const std::size_t voxelCount = size / voxelBytes;
  if (voxelCount == 0 || size > std::numeric_limits<std::uint32_t>::max() / 2 || size % voxelBytes != 0)
  {
    return false;
  }
  m_Bytes = bytes;
  m_VoxelBytes = static_cast<std::uint32_t>(voxelBytes);
  m_VoxelCount = static_cast<std::uint32_t>(voxelCount);
  const bool areRunsLong = voxelBytes == 1 ? FindRuns<std::uint8_t>(bytes, voxelCount)
                         : voxelBytes == 2 ? FindRuns<std::uint16_t>(bytes, voxelCount)
                                           : FindRuns<std::uint32_t>(bytes, voxelCount);
  if (!areRunsLong)
  {
    return false;
  }
  m_LastOfPair.assign(std::size_t{ 1 } << HashBits, NoRun);
  m_Earlier.assign(m_Runs.size(), NoRun);
  m_Remembered = 0;
  m_Position = 0;
  m_Run = 0;
  m_Tokens.clear();
  while (m_Position < m_VoxelCount)
  {
    AppendNext();
  }
  AppendDeflateBlocks(m_Tokens, isLast, output);
  return true;
}

} // namespace brickccl::files
