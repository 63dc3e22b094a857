// SPDX-License-Identifier: Apache-2.0
#include "LabelMemory.h"

#include "BrickCCL/Host/HugePages.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#ifdef __linux__
#  include <sys/mman.h>
#endif

namespace brickccl::python
{

namespace
{

struct Block
{
  void *      memory = nullptr;
  std::size_t bytes = 0;
};

/** Tells the system that it may take the pages of a block, whose contents nobody needs any more.
 *  \return whether it took notice. */
bool
OfferPages([[maybe_unused]] const Block & block)
{
#if defined(__linux__) && defined(MADV_FREE)
  return madvise(block.memory, block.bytes, MADV_FREE) == 0;
#else
  return false;
#endif
}

/** Blocks of whole large pages. */
class KeptBlocks
{
public:
  Block
  Take(std::size_t bytes)
  {
    const std::size_t wanted = (bytes + LargePage - 1) / LargePage * LargePage;
    {
      const std::lock_guard<std::mutex> lock(m_Mutex);
      // No more than a quarter of a block may lie idle.
      const auto found = std::find_if(m_Free.begin(), m_Free.end(), [wanted](const Block & block) {
        return block.bytes >= wanted && block.bytes - wanted <= block.bytes / 4;
      });
      if (found != m_Free.end())
      {
        const Block block = *found;
        m_Free.erase(found);
        return block;
      }
    }
    const Block block{ AllocateAligned(wanted, 1), wanted };
    AdviseHugePages(block.memory, block.bytes);
    return block;
  }

  void
  Return(const Block & block)
  {
    constexpr std::size_t        maximumBlocks = 2;
    std::vector<Block>           tooMany;
    const bool                   isKept = block.bytes <= LargestKeptMemory && OfferPages(block);
    std::unique_lock<std::mutex> lock(m_Mutex);
    (isKept ? m_Free : tooMany).push_back(block);
    const auto total = [this] {
      std::size_t bytes = 0;
      for (const Block & kept : m_Free)
      {
        bytes += kept.bytes;
      }
      return bytes;
    };
    while (m_Free.size() > maximumBlocks || total() > LargestKeptMemory)
    {
      tooMany.push_back(m_Free.front());
      m_Free.erase(m_Free.begin());
    }
    lock.unlock();
    Release(tooMany);
  }

  std::size_t
  ReleaseAll()
  {
    std::unique_lock<std::mutex> lock(m_Mutex);
    const std::vector<Block>     blocks = std::exchange(m_Free, {});
    lock.unlock();
    return Release(blocks);
  }

private:
  static std::size_t
  Release(const std::vector<Block> & blocks)
  {
    std::size_t bytes = 0;
    for (const Block & block : blocks)
    {
      bytes += block.bytes;
      FreeAligned(block.memory, block.bytes, 1);
    }
    return bytes;
  }

  std::mutex m_Mutex;
  /** From the one kept longest on. */
  std::vector<Block> m_Free;
};

/** Never destroyed, since arrays may be freed after everything else. */
KeptBlocks &
Kept()
{
  static auto & kept = *new KeptBlocks;
  return kept;
}

} // namespace

nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>
NewLabelMemory(std::size_t bytes)
{
  const Block       block = Kept().Take(bytes);
  auto *            owned = new Block(block);
  const nb::capsule owner(owned, [](void * pointer) noexcept {
    auto * const ended = static_cast<Block *>(pointer);
    Kept().Return(*ended);
    delete ended;
  });
  return { block.memory, { bytes }, owner };
}

std::size_t
FreeKeptLabelMemory()
{
  return Kept().ReleaseAll();
}

} // namespace brickccl::python
