// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/BitRow.h"
#include "BrickCCL/Host/Buffer.h"

#include <cstddef>
#include <cstdint>

namespace brickccl
{

/** One bit for each voxel of a volume, row by row, or nothing. */
class StoredBits
{
public:
  /** So many words before the first one and after the last one can be read. Their values do not matter. */
  static constexpr std::int64_t PaddingWords = 8;

  /** Makes room for this many words; the bits are unspecified. */
  void
  Resize(std::int64_t words)
  {
    m_Words.Resize(static_cast<std::size_t>(words + 2 * PaddingWords));
  }
  /** Keeps nothing but the memory. */
  void
  Drop()
  {
    m_Words.Resize(0);
  }

  bool
  AreKept() const
  {
    return m_Words.Size() != 0;
  }
  /** The words from the given one on. Only where bits are kept. */
  Word *
  From(std::int64_t word)
  {
    return m_Words.Data() + PaddingWords + word;
  }
  const Word *
  From(std::int64_t word) const
  {
    return m_Words.Data() + PaddingWords + word;
  }

  /** As Buffer::Overwrite. */
  void
  Overwrite(unsigned char byte)
  {
    m_Words.Overwrite(byte);
  }
  std::size_t
  CapacityBytes() const
  {
    return m_Words.CapacityBytes();
  }

private:
  Buffer<Word> m_Words;
};

} // namespace brickccl
