// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Runs/RunVolume.h"

#include <vector>

namespace brickccl
{

/** The words of one row, which can be read and written beyond its ends as in a RunVolume. All are 0 at first. */
class OwnRow
{
public:
  void
  Resize(std::int64_t words)
  {
    m_Words.resize(static_cast<std::size_t>(words + 2 * StoredBits::PaddingWords));
  }
  Word *
  Data()
  {
    return m_Words.data() + StoredBits::PaddingWords;
  }
  const Word *
  Data() const
  {
    return m_Words.data() + StoredBits::PaddingWords;
  }

private:
  std::vector<Word> m_Words;
};

} // namespace brickccl
