// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Host/Buffer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace brickccl
{

/** One number per run: first its parent in the forest, at last the label of its component. The numbers have 32 or 64
 *  bits. */
class RunLabels
{
public:
  /** Vector code may read this many extra 32-bit labels on both sides. */
  static constexpr std::size_t Padding = 16;

  /** Makes room; the numbers are unspecified. */
  void
  Resize(std::uint64_t runs, bool wide)
  {
    m_IsWide = wide;
    m_Narrow.Resize(wide ? 0 : runs + 2 * Padding);
    m_Wide.Resize(wide ? runs : 0);
    if (!wide)
    {
      std::fill_n(m_Narrow.Data(), Padding, 0u);
      std::fill_n(m_Narrow.Data() + Padding + runs, Padding, 0u);
    }
  }

  /** Whether labels have 64 bits. */
  bool
  IsWide() const
  {
    return m_IsWide;
  }
  /** Calls `function(labels)` with a pointer to the labels of all runs, which are 32- or 64-bit integers. */
  template <typename TFunction>
  decltype(auto)
  Visit(TFunction && function)
  {
    return m_IsWide ? function(m_Wide.Data()) : function(m_Narrow.Data() + Padding);
  }
  template <typename TFunction>
  decltype(auto)
  Visit(TFunction && function) const
  {
    return m_IsWide ? function(m_Wide.Data()) : function(m_Narrow.Data() + Padding);
  }
  std::uint64_t
  operator[](std::uint64_t run) const
  {
    return m_IsWide ? m_Wide[run] : m_Narrow[Padding + run];
  }

  /** As Buffer::Overwrite. */
  void
  Overwrite(unsigned char byte)
  {
    m_Narrow.Overwrite(byte);
    m_Wide.Overwrite(byte);
  }
  std::size_t
  CapacityBytes() const
  {
    return m_Narrow.CapacityBytes() + m_Wide.CapacityBytes();
  }

private:
  bool                  m_IsWide = false;
  Buffer<std::uint32_t> m_Narrow;
  Buffer<std::uint64_t> m_Wide;
};

} // namespace brickccl
