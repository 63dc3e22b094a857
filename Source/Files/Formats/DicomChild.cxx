#include "BrickCCL/Files/Formats/DicomChild.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Isolation/PipedChild.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <numeric>
#include <thread>

// GDCM runs in child processes.
#if defined(BRICKCCL_USE_GDCM) && defined(BRICKCCL_HAS_CHILDREN)
#  define BRICKCCL_DECODES_IN_CHILDREN
#endif
#ifdef BRICKCCL_DECODES_IN_CHILDREN
#  include <sys/mman.h>
#  include <sys/wait.h>
#  include <unistd.h>
#  include <gdcmBitmap.h>
#  include <gdcmSequenceOfFragments.h>
#endif

namespace brickccl::files::dicom
{

#ifdef BRICKCCL_DECODES_IN_CHILDREN

namespace
{

/** A child's report to its parent, in shared memory. */
struct Report
{
  std::atomic<std::int64_t> done;
  std::atomic<bool>         finished;
  char                      message[192];
};

void
DecodeFrame(const FrameToDecode & frame, unsigned char * values, std::size_t bytes)
{
  const PixelFormat & format = *frame.format;
  gdcm::Bitmap        image;
  image.SetNumberOfDimensions(2);
  image.SetDimension(0, static_cast<unsigned>(format.columns));
  image.SetDimension(1, static_cast<unsigned>(format.rows));
  image.SetPixelFormat(gdcm::PixelFormat(static_cast<unsigned short>(format.samples),
                                         static_cast<unsigned short>(format.bitsAllocated),
                                         static_cast<unsigned short>(format.bitsStored),
                                         static_cast<unsigned short>(format.highBit),
                                         format.isSigned ? 1 : 0));
  image.SetPhotometricInterpretation(
    gdcm::PhotometricInterpretation(gdcm::PhotometricInterpretation::GetPIType(format.photometric.c_str())));
  image.SetTransferSyntax(gdcm::TransferSyntax(gdcm::TransferSyntax::GetTSType(frame.transferSyntax->c_str())));
  gdcm::SmartPointer<gdcm::SequenceOfFragments> fragments = new gdcm::SequenceOfFragments;
  for (const Fragment & coded : *frame.coded)
  {
    gdcm::Fragment fragment;
    fragment.SetByteValue(reinterpret_cast<const char *>(coded.data), gdcm::VL(static_cast<std::uint32_t>(coded.size)));
    fragments->AddFragment(fragment);
  }
  gdcm::DataElement element(gdcm::Tag(0x7FE0, 0x0010));
  element.SetValue(*fragments);
  image.SetDataElement(element);
  if (image.GetBufferLength() != bytes)
  {
    throw Error("GDCM takes them for " + std::to_string(image.GetBufferLength()) + " bytes instead of " +
                std::to_string(bytes));
  }
  if (!image.GetBuffer(reinterpret_cast<char *>(values)))
  {
    throw Error("GDCM cannot decode them");
  }
}

/** This process's output to standard error, where libjpeg reports damage without stopping. */
class Complaints
{
public:
  Complaints()
  {
#  ifdef __linux__
    m_File = ::memfd_create("complaints", 0);
    ::dup2(m_File, STDERR_FILENO);
#  endif
  }

  /** \throws Error for damage that has been reported. */
  void
  Check() const
  {
    char text[4096] = {};
    if (m_File >= 0 && ::pread(m_File, text, sizeof(text) - 1, 0) > 0)
    {
      for (const char * const told : { "Corrupt JPEG", "Premature end", "Bogus" })
      {
        if (std::strstr(text, told) != nullptr)
        {
          throw Error(std::string(text).substr(0, std::string(text).find('\n')));
        }
      }
    }
  }

private:
  int m_File = -1;
};

/** A child process that decodes the frames [begin, end). */
class Child
{
public:
  void
  Start(const std::vector<FrameToDecode> & frames,
        std::int64_t                       begin,
        std::int64_t                       end,
        unsigned char *                    memory,
        std::size_t                        frameBytes,
        std::size_t                        addressSpace,
        Report &                           report)
  {
    m_Begin = begin;
    m_Report = &report;
    m_Process = ::fork();
    if (m_Process < 0)
    {
      throw Error(std::string("a process that decodes its pixel data cannot be started: ") + std::strerror(errno));
    }
    if (m_Process > 0)
    {
      return;
    }
    TameProcess(addressSpace);
    const Complaints complaints;
    try
    {
      for (std::int64_t i = begin; i < end; ++i)
      {
        const auto index = static_cast<std::size_t>(i);
        DecodeFrame(frames[index], memory + index * frameBytes, frameBytes);
        complaints.Check();
        report.done.store(i - begin + 1);
      }
      report.finished.store(true);
    }
    catch (const std::exception & error)
    {
      std::strncpy(report.message, error.what(), sizeof(report.message) - 1);
    }
    catch (...)
    {}
    ::_exit(0);
  }

  bool
  IsRunning()
  {
    if (m_Process > 0)
    {
      int         status = 0;
      const pid_t ended = ::waitpid(m_Process, &status, WNOHANG);
      if (ended == m_Process || (ended < 0 && errno != EINTR))
      {
        m_Signal = ended == m_Process && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        m_Process = 0;
      }
    }
    return m_Process > 0;
  }

  void
  Kill()
  {
    if (m_Process > 0)
    {
      ::kill(m_Process, SIGKILL);
      while (::waitpid(m_Process, nullptr, 0) < 0 && errno == EINTR)
      {}
      m_Process = 0;
    }
  }

  std::int64_t
  Done() const
  {
    return m_Report->done.load();
  }

  /** \throws Error unless the child has decoded all its frames. */
  void
  Check(const std::vector<FrameToDecode> & frames, bool tookTooLong) const
  {
    if (m_Report->finished.load())
    {
      return;
    }
    const std::string what = "its compressed pixel data are damaged or of an unusual kind: ";
    const std::string why = tookTooLong                  ? "decoding takes too long"
                          : m_Report->message[0] != '\0' ? std::string(m_Report->message)
                          : m_Signal != 0                ? "GDCM failed with signal " + std::to_string(m_Signal)
                                                         : "GDCM failed";
    const auto        frame = static_cast<std::size_t>(m_Begin + Done());
    throw Error(frames[std::min(frame, frames.size() - 1)].name + what + why);
  }

  Child() = default;
  Child(const Child &) = delete;
  Child & operator=(const Child &) = delete;
  ~Child()
  {
    Kill();
  }

private:
  pid_t        m_Process = 0;
  int          m_Signal = 0;
  std::int64_t m_Begin = 0;
  Report *     m_Report = nullptr;
};

/** Reports in memory that children share. */
class Reports
{
public:
  explicit Reports(std::size_t count)
    : m_Size(count * sizeof(Report))
    , m_Memory(::mmap(nullptr, m_Size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
  {
    if (m_Memory == MAP_FAILED)
    {
      throw std::bad_alloc();
    }
    for (std::size_t i = 0; i < count; ++i)
    {
      new (&(*this)[i]) Report{};
    }
  }
  Reports(const Reports &) = delete;
  Reports & operator=(const Reports &) = delete;
  ~Reports()
  {
    ::munmap(m_Memory, m_Size);
  }

  Report &
  operator[](std::size_t i)
  {
    return static_cast<Report *>(m_Memory)[i];
  }

private:
  std::size_t m_Size;
  void *      m_Memory;
};

} // namespace

void
RequireDecoder(const std::string & transferSyntax)
{
  const auto syntax = gdcm::TransferSyntax::GetTSType(transferSyntax.c_str());
  if (syntax == gdcm::TransferSyntax::TS_END || syntax < gdcm::TransferSyntax::JPEGBaselineProcess1 ||
      syntax >= gdcm::TransferSyntax::MPEG2MainProfile)
  {
    // 201 to 203.
    const bool isHighThroughput = transferSyntax.rfind("1.2.840.10008.1.2.4.20", 0) == 0;
    throw Unsupported("its pixel data are compressed by transfer syntax " + transferSyntax +
                      (isHighThroughput ? " (HTJ2K), which is not supported; " + std::string(HowToDecompress)
                                        : ", which is not supported; decompress them with a program that supports it"));
  }
}

void
DecodeInChildren(const std::vector<FrameToDecode> & frames,
                 unsigned char *                    sharedMemory,
                 std::size_t                        frameBytes,
                 const HostContext &                context)
{
  const Chunks       ranges(static_cast<std::int64_t>(frames.size()), 1, EffectiveThreadCount(context.threads));
  const auto         count = static_cast<std::size_t>(ranges.count);
  const std::size_t  space = AddressSpace();
  const std::size_t  limit = space == 0 ? 0 : space + (std::size_t{ 1 } << 30) + 64 * frameBytes;
  Reports            reports(count);
  std::vector<Child> children(count);
  for (std::size_t i = 0; i < count; ++i)
  {
    const auto range = static_cast<std::int64_t>(i);
    children[i].Start(frames, ranges.Begin(range), ranges.End(range), sharedMemory, frameBytes, limit, reports[i]);
  }
  using Clock = std::chrono::steady_clock;
  const auto                     patience = std::chrono::seconds(60 + frameBytes / 1000000);
  std::vector<std::int64_t>      done(count, 0);
  std::vector<Clock::time_point> since(count, Clock::now());
  for (bool running = true; running;)
  {
    running = false;
    for (std::size_t i = 0; i < count; ++i)
    {
      const bool childRuns = children[i].IsRunning();
      if (children[i].Done() != done[i])
      {
        done[i] = children[i].Done();
        since[i] = Clock::now();
      }
      const bool tookTooLong = childRuns && Clock::now() - since[i] > patience;
      if (tookTooLong)
      {
        children[i].Kill();
      }
      if (!childRuns || tookTooLong)
      {
        children[i].Check(frames, tookTooLong);
      }
      running = running || childRuns;
    }
    if (running)
    {
      const auto all = std::accumulate(done.begin(), done.end(), std::int64_t{ 0 });
      context.progress.Update(static_cast<double>(all) / static_cast<double>(frames.size()));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

#else

void
RequireDecoder(const std::string & transferSyntax)
{
  throw Unsupported("its pixel data are compressed by transfer syntax " + transferSyntax +
                    ", which this program cannot decode because it was built without GDCM");
}

void
DecodeInChildren(const std::vector<FrameToDecode> &, unsigned char *, std::size_t, const HostContext &)
{}

#endif

} // namespace brickccl::files::dicom
