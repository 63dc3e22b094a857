// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>

namespace brickccl
{

/** Replaces `path` by what `write` writes, all or nothing.
 *
 *  `write` gets the path of a file of the same name in a new folder next to `path`. It may make further files there
 *  (the data file of a detached header). When it returns, all of them are moved into place, `path` itself last. If
 *  anything fails, or the process is killed at any time, `path` is what it was before; leftovers of a kill are
 *  removed with the next file that is replaced there (TemporaryFolder). If `path` is a symbolic link, the file that
 *  it points at is replaced. A file that replaces another one keeps its mode; a new one has the mode that the umask
 *  of the process leaves.
 *  \throws Error that names the path and the system's reason; whatever `write` throws. */
void ReplaceFile(const std::string & path, const std::function<void(const std::string & temporary)> & write);

/** While it lives, files that this thread replaces (ReplaceFile) wait until Move() is called: the outputs of a job
 *  are all new, or all unchanged. Files that never moved are removed at its end.
 *
 *  A kill (kill -9) within Move() is the exception: between the first and the last rename, a few microseconds, it
 *  leaves some new and some old outputs. Each is complete. */
class ReplacedTogether
{
public:
  struct Implementation;

  ReplacedTogether();
  ~ReplacedTogether();
  ReplacedTogether(const ReplacedTogether &) = delete;
  ReplacedTogether & operator=(const ReplacedTogether &) = delete;

  /** Moves all files that wait. If one cannot be moved, those before it give way to what they had replaced.
   *  \throws Error; Canceled if there was an interrupt before (WasInterrupted). A later one does not stop it. */
  void Move();

private:
  std::unique_ptr<Implementation> m_Implementation;
};

/** While it lives, this thread has ReplaceFile write files where they belong, and does not wait for the disk. It is for
 *  a new folder that goes to its place as a whole: FlushFolders comes before that, and a folder that is not finished is
 *  dropped. */
class WrittenInPlace
{
public:
  WrittenInPlace();
  ~WrittenInPlace();
  WrittenInPlace(const WrittenInPlace &) = delete;
  WrittenInPlace & operator=(const WrittenInPlace &) = delete;

private:
  bool m_Before;
};

/** Does the same for text that is written to a stream. \throws Error, also for a full disk. */
void ReplaceTextFile(const std::string & path, const std::function<void(std::ostream &)> & write);

/** `path`, or the end of its symbolic links, which need not exist. \throws Error if links form a circle. */
std::string ReplacedFile(const std::string & path);

/** \throws Error unless files can be made in the folder of `path`. It is for checking before long work starts. */
void CheckWritable(const std::string & path);

} // namespace brickccl
