// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace brickccl::files
{

class OutputFile
{
public:
  /** \throws Error with the system's reason, as all members do. */
  explicit OutputFile(const std::string & path);
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile & operator=(const OutputFile &) = delete;

  void
  Write(const void * bytes, std::size_t size)
  {
    WriteAt(m_Size, bytes, size);
    m_Size += size;
  }
  void
  Write(const std::string & text)
  {
    Write(text.data(), text.size());
  }
  /** Writes at a place that has been written before, or beyond the end. Several threads may call it at once. */
  void WriteAt(std::uint64_t place, const void * bytes, std::size_t size);
  /** \throws Error also for bytes that the system failed to write earlier. */
  void Close();

  /** Records that WriteAt has added this many bytes. */
  void
  Grow(std::uint64_t bytes)
  {
    m_Size += bytes;
  }

  std::uint64_t
  Size() const
  {
    return m_Size;
  }

private:
  int           m_Descriptor = -1;
  std::uint64_t m_Size = 0;
};

} // namespace brickccl::files
