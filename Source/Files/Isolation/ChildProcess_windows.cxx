// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Isolation/ChildProcess.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <sys/stat.h>

namespace brickccl
{

std::string
ChildEnd::ToString() const
{
  return "exit code " + std::to_string(exitCode);
}

ChildProcesses::ChildProcesses(Work work)
  : m_Work(std::move(work))
{}

ChildProcesses::~ChildProcesses() = default;

void
ChildProcesses::Start(std::size_t key)
{
  int result = 1;
  try
  {
    result = m_Work.run(key);
  }
  catch (...)
  {
    // The exit code says so.
  }
  m_Ended.push_back({ key, { result, 0 } });
}

std::vector<ChildProcesses::Ended>
ChildProcesses::WaitForSome()
{
  return std::exchange(m_Ended, {});
}

void
ChildProcesses::Interrupt()
{}

std::size_t
ChildProcesses::Count() const
{
  return m_Ended.size();
}

FolderLock::FolderLock(const std::string & file)
  : m_File(file)
{
  // Windows refuses to open a file that another process has opened like this.
  if (::_sopen_s(&m_Descriptor, file.c_str(), _O_CREAT | _O_RDWR | _O_NOINHERIT, _SH_DENYRW, _S_IREAD | _S_IWRITE) != 0)
  {
    throw Error("cannot lock " + Quoted(file) + ": " +
                (errno == EACCES ? "another process holds it" : std::strerror(errno)));
  }
}

FolderLock::~FolderLock()
{
  ::_close(m_Descriptor);
}

} // namespace brickccl
