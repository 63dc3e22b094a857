#ifndef BRICKCCL_FILES_DISK_FILESTAMP_H
#define BRICKCCL_FILES_DISK_FILESTAMP_H

#include <cstdint>
#include <string>

namespace brickccl::files
{

/** What tells whether a file that is opened again is the one that was looked at before. */
struct FileStamp
{
  std::string   path;
  bool          isThere = false;
  std::uint64_t size = 0;
  /** Of the last change, in units of the system. */
  std::int64_t time = 0;
  /** See StatusChangeOf: it tells of a file that another one with its size and time took the place of. */
  std::int64_t statusChange = 0;

  static FileStamp Of(const std::string & path);

  /** \throws Error if the file is no longer there or was changed or replaced. */
  void RequireSame() const;
};

} // namespace brickccl::files

#endif
