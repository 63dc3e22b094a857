// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Host/HugePages.h"

#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>

namespace brickccl
{

#ifdef BRICKCCL_POISON_MEMORY
/** Fresh memory is filled with it. Code that reads unwritten memory finds other values when this changes. */
inline unsigned char PoisonPattern = 0x5A;
#endif

/** Memory that is not initialized, and is kept while it is large enough. So a workspace can be reused, and the threads
 *  that fill it are the first to touch it. It uses large pages if the operating system has them. */
template <typename T>
class Buffer
{
  static_assert(std::is_trivial_v<T>, "a buffer's elements are not constructed");

public:
  /** Makes room for `size` elements; their values are unspecified. \throws std::bad_alloc. */
  void
  Resize(std::size_t size)
  {
    if (size > Capacity())
    {
      m_Data.reset();
      m_Data = { static_cast<T *>(AllocateAligned(size, sizeof(T))), Free{ size } };
      AdviseHugePages(m_Data.get(), size * sizeof(T));
    }
    m_Size = size;
#ifdef BRICKCCL_POISON_MEMORY
    Overwrite(PoisonPattern);
#endif
  }

  /** Sets every byte of the memory, also those behind the last element. So tests find what reads unwritten
   *  memory. */
  void
  Overwrite(unsigned char byte)
  {
    if (Capacity() > 0)
    {
      std::memset(static_cast<void *>(m_Data.get()), byte, CapacityBytes());
    }
  }

  void
  Release()
  {
    m_Data.reset();
    m_Size = 0;
  }

  T *
  Data()
  {
    return m_Data.get();
  }
  const T *
  Data() const
  {
    return m_Data.get();
  }
  std::size_t
  Size() const
  {
    return m_Size;
  }
  std::size_t
  CapacityBytes() const
  {
    return Capacity() * sizeof(T);
  }
  T &
  operator[](std::size_t i)
  {
    return m_Data[i];
  }
  const T &
  operator[](std::size_t i) const
  {
    return m_Data[i];
  }

private:
  struct Free
  {
    std::size_t size = 0;

    void
    operator()(T * memory) const
    {
      FreeAligned(memory, size, sizeof(T));
    }
  };

  /** 0 also after a move. */
  std::size_t
  Capacity() const
  {
    return m_Data ? m_Data.get_deleter().size : 0;
  }

  std::unique_ptr<T[], Free> m_Data;
  std::size_t                m_Size = 0;
};

/** Memory that algorithms keep between calls, so that its pages are touched once. It is a few buffers. Users number
 *  them with their own enumeration. */
class Workspace
{
public:
  static constexpr std::size_t BufferCount = 4;

  /** Room for `count` elements, whose values are unspecified. It is valid until the same buffer is asked for again.
   *  \param buffer  below BufferCount */
  template <typename T>
  T *
  Get(std::size_t buffer, std::size_t count)
  {
    static_assert(std::is_trivial_v<T> && alignof(T) <= alignof(std::max_align_t));
    Buffer<std::max_align_t> & memory = m_Buffers[buffer];
    memory.Resize((count * sizeof(T) + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
    return reinterpret_cast<T *>(memory.Data());
  }

  /** As Buffer::Overwrite. */
  void
  Overwrite(unsigned char byte)
  {
    for (auto & buffer : m_Buffers)
    {
      buffer.Overwrite(byte);
    }
  }

  std::size_t
  CapacityBytes() const
  {
    std::size_t bytes = 0;
    for (const auto & buffer : m_Buffers)
    {
      bytes += buffer.CapacityBytes();
    }
    return bytes;
  }

private:
  Buffer<std::max_align_t> m_Buffers[BufferCount];
};

} // namespace brickccl
