// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_BRICKS_BLOCKARRAY_H
#define BRICKCCL_BRICKS_BLOCKARRAY_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace brickccl
{

/** An array that grows without moving its elements, so that it never takes the memory of two arrays. */
template <typename T>
class BlockArray
{
public:
  static constexpr std::uint64_t BlockSize = 1 << 16;
  /** It grows by this much memory. */
  static constexpr std::size_t BlockBytes = static_cast<std::size_t>(BlockSize) * sizeof(T);

  void
  Append(const T & element)
  {
    if (m_Size % BlockSize == 0)
    {
      m_Blocks.push_back(std::make_unique<T[]>(BlockSize));
    }
    (*this)[m_Size++] = element;
  }
  T &
  operator[](std::uint64_t i)
  {
    return m_Blocks[static_cast<std::size_t>(i / BlockSize)][static_cast<std::size_t>(i % BlockSize)];
  }
  const T &
  operator[](std::uint64_t i) const
  {
    return m_Blocks[static_cast<std::size_t>(i / BlockSize)][static_cast<std::size_t>(i % BlockSize)];
  }
  std::uint64_t
  Size() const
  {
    return m_Size;
  }
  std::size_t
  MemoryBytes() const
  {
    return m_Blocks.size() * BlockBytes;
  }
  /** The memory per element for this many elements. */
  static std::size_t
  BytesFor(std::uint64_t elements)
  {
    return static_cast<std::size_t>((elements + BlockSize - 1) / BlockSize) * BlockBytes;
  }

private:
  std::vector<std::unique_ptr<T[]>> m_Blocks;
  std::uint64_t                     m_Size = 0;
};

} // namespace brickccl

#endif
