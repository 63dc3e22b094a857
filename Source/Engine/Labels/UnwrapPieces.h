// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Runs/Unwrapping.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace brickccl
{

/** A link through ends of periodic axes. */
struct EndLink
{
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  /** By axis: 1 if the link leads from `from` through the upper end to the next image's `to`; -1: the lower end. */
  std::array<signed char, MaximumDimension> through = {};

  bool operator<(const EndLink & other) const;
  bool operator==(const EndLink & other) const;
};

/** Links of which most come many times. */
class EndLinks
{
public:
  void
  Add(const EndLink & link)
  {
    if (m_Links.empty() || !(m_Links.back() == link))
    {
      m_Links.push_back(link);
      if (m_Links.size() >= m_Limit)
      {
        Unite();
      }
    }
  }
  void Add(const EndLinks & others);
  /** Each link once. */
  std::vector<EndLink> Take();
  std::size_t
  MemoryBytes() const
  {
    return m_Links.capacity() * sizeof(EndLink);
  }

private:
  void Unite();

  std::vector<EndLink> m_Links;
  /** So many links are too many to keep them with their repeats. */
  std::size_t m_Limit = std::size_t{ 1 } << 16;
};

struct JoinedPieces
{
  /** By piece, 0 .. pieces, the component's number: 0 for 0, and consecutive in the order of their first pieces. */
  std::vector<std::uint64_t> components;
  /** By piece the place in the unwrapping; 0 for pieces without links. */
  std::vector<std::uint32_t> places;
  /** Without pieceOfRun. */
  Unwrapping    unwrapping;
  std::uint64_t count = 0;
};

/** Joins the pieces 1 .. pieces along links. \throws Unsupported for 2^32 - 1 pieces with links or more. */
JoinedPieces JoinPieces(std::uint64_t pieces, const std::vector<EndLink> & links);

} // namespace brickccl
