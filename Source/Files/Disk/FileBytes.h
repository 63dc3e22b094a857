// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace brickccl::files
{

/** The bytes of a file that is mapped into memory, and the file's path. Copies share the mapping. */
class FileBytes
{
public:
  FileBytes() = default;

  /** \throws Error with the system's reason, also for folders, pipes and devices. */
  static FileBytes Map(const std::string & path);

  /** Copies bytes in memory: a file made by a test. */
  static FileBytes FromMemory(std::string path, const void * data, std::size_t size);

  const std::string &
  Path() const
  {
    return m_Path;
  }
  /** The name of the file without its folder, between quotation marks; for messages. */
  std::string QuotedName() const;
  const unsigned char *
  Data() const
  {
    return m_Data;
  }
  std::size_t
  Size() const
  {
    return m_Size;
  }
  /** The object that keeps the bytes alive. */
  const std::shared_ptr<const void> &
  Owner() const
  {
    return m_Owner;
  }

  /** Whether the bytes are in a mapped file, whose memory can be given back at any time. */
  bool
  IsMapped() const
  {
    return m_IsMapped;
  }

  /** \throws Error, which says that the file is truncated, unless it has the bytes [begin, begin + count). */
  void Require(std::uint64_t begin, std::uint64_t count) const;

  /** The whole number of `size` bytes at a place. \throws Error beyond the end. */
  std::uint64_t Number(std::uint64_t place, std::size_t size, bool isBigEndian = false) const;
  /** The floating-point number of 4 or 8 bytes at a place. */
  double Real(std::uint64_t place, std::size_t size, bool isBigEndian = false) const;

  bool BeginsWith(const char * text, std::size_t length) const;

private:
  std::string                 m_Path;
  std::shared_ptr<const void> m_Owner;
  const unsigned char *       m_Data = nullptr;
  std::size_t                 m_Size = 0;
  bool                        m_IsMapped = false;
};

/** Whether a path leads to something, and whether that is a file of a disk. Where a name is too long or a folder may
 *  not be entered it does not; mapping the file says why. */
bool IsThere(const std::string & path);
bool IsRegularFile(const std::string & path);

/** The path of a file that a header names. The file is next to the header unless its path is absolute. */
std::string PathBeside(const std::string & header, const std::string & name);

/** Maps the data files that a header names. \throws Error that names the one that cannot be read. */
std::vector<FileBytes> MapDataFiles(const std::string & header, const std::vector<std::string> & names);

} // namespace brickccl::files
