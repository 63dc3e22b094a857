#include "BrickCCL/Files/Bzip2.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"

#include <algorithm>
#include <new>

#include <bzlib.h>

namespace brickccl::files
{

namespace
{

/** The library counts in 32 bits. */
constexpr std::size_t LargestPart = std::size_t{ 1 } << 30;

class Bunzipper
{
public:
  Bunzipper(const unsigned char * data, std::size_t size, const std::string & name)
    : m_Next(data)
    , m_Left(size)
    , m_Name(name)
  {
    Begin();
  }
  Bunzipper(const Bunzipper &) = delete;
  Bunzipper & operator=(const Bunzipper &) = delete;
  ~Bunzipper()
  {
    BZ2_bzDecompressEnd(&m_Stream);
  }

  /** Writes up to `size` bytes. \return their number, which is less than `size` only at the end */
  std::size_t
  ReadSome(unsigned char * output, std::size_t size)
  {
    std::size_t done = 0;
    while (done < size)
    {
      if (m_IsFinished)
      {
        // Another stream may follow.
        if (m_Left < 3 || !std::equal(m_Next, m_Next + 3, "BZh"))
        {
          break;
        }
        BZ2_bzDecompressEnd(&m_Stream);
        Begin();
      }
      done += Step(output + done, std::min(size - done, LargestPart));
    }
    return done;
  }

  /** \throws Error unless everything has been read. Zeros may follow, as after gzip. */
  void
  Finish()
  {
    unsigned char beyond = 0;
    if (ReadSome(&beyond, 1) != 0)
    {
      throw Error(m_Name + " has more bytes when decompressed than the header says");
    }
    if (std::any_of(m_Next, m_Next + m_Left, [](unsigned char byte) { return byte != 0; }))
    {
      throw Error("the compressed data of " + m_Name + " are followed by " + Counted(m_Left, "byte") +
                  " of something else");
    }
  }

private:
  void
  Begin()
  {
    m_Stream = {};
    m_IsFinished = false;
    if (BZ2_bzDecompressInit(&m_Stream, 0, 0) != BZ_OK)
    {
      throw std::bad_alloc();
    }
  }

  std::size_t
  Step(unsigned char * output, std::size_t size)
  {
    const std::size_t given = std::min(m_Left, LargestPart);
    m_Stream.next_in = reinterpret_cast<char *>(const_cast<unsigned char *>(m_Next));
    m_Stream.avail_in = static_cast<unsigned>(given);
    m_Stream.next_out = reinterpret_cast<char *>(output);
    m_Stream.avail_out = static_cast<unsigned>(size);
    const int         status = BZ2_bzDecompress(&m_Stream);
    const std::size_t taken = given - m_Stream.avail_in;
    const std::size_t made = size - m_Stream.avail_out;
    if (status == BZ_MEM_ERROR)
    {
      throw std::bad_alloc();
    }
    m_IsFinished = status == BZ_STREAM_END;
    m_Next += taken;
    m_Left -= taken;
    if (!m_IsFinished && (status != BZ_OK || made == 0))
    {
      const bool isCut = status == BZ_OK && m_Left == 0;
      if (!isCut && (status != BZ_OK || taken == 0))
      {
        throw Error("the compressed data of " + m_Name + " are damaged");
      }
      if (isCut)
      {
        throw Error("the compressed data of " + m_Name + " are truncated");
      }
    }
    return made;
  }

  const unsigned char * m_Next;
  std::size_t           m_Left;
  const std::string &   m_Name;
  bool                  m_IsFinished = false;
  bz_stream             m_Stream = {};
};

} // namespace

void
AddBunzipped(const unsigned char *        data,
             std::size_t                  size,
             const std::string &          name,
             std::uint64_t                skipped,
             std::size_t                  count,
             const Progress &             progress,
             std::vector<unsigned char> & output)
{
  Bunzipper  bunzipper(data, size, name);
  const auto failAt = [&](std::uint64_t missing) {
    throw Error("the file is truncated: " + name + " has " + std::to_string(missing) +
                " bytes too few when decompressed");
  };
  std::vector<unsigned char> passed(static_cast<std::size_t>(std::min<std::uint64_t>(skipped, 1 << 16)));
  for (std::uint64_t left = skipped; left > 0;)
  {
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(left, passed.size()));
    if (bunzipper.ReadSome(passed.data(), part) < part)
    {
      failAt(left + count);
    }
    left -= part;
  }
  for (std::size_t done = 0; done < count;)
  {
    progress.Update(static_cast<double>(done) / static_cast<double>(count));
    const std::size_t part = std::min<std::size_t>(count - done, std::size_t{ 1 } << 22);
    const std::size_t begin = output.size();
    output.resize(begin + part);
    const std::size_t got = bunzipper.ReadSome(output.data() + begin, part);
    done += got;
    if (got < part)
    {
      failAt(count - done);
    }
  }
  bunzipper.Finish();
}

} // namespace brickccl::files
