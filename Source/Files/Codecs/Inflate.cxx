// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Codecs/Inflate.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Codecs/ClearRegisters.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <isa-l/igzip_lib.h>

namespace brickccl::files
{

/** The libraries count in 32 bits, so larger sizes are passed on in parts. */
constexpr std::size_t LargestPart = std::size_t{ 1 } << 30;

struct Inflater::State
{
  const unsigned char * next = nullptr;
  std::size_t           left = 0;
  Wrapper               wrapper = Wrapper::Gzip;
  std::string           name;
  bool                  finished = false;

  inflate_state stream = {};

  [[noreturn]] void
  Fail(const std::string & what) const
  {
    throw Error("the compressed data of " + name + " are " + what);
  }

  void
  Begin()
  {
    finished = false;
    if (GoesOn() && left > 3 && (next[3] & 0xe0u) != 0)
    {
      // RFC 1952 reserves them, so what else is there is unknown.
      Fail("damaged: reserved flags of their header are set");
    }
    isal_inflate_init(&stream);
    stream.crc_flag = wrapper == Wrapper::Gzip ? ISAL_GZIP : wrapper == Wrapper::Zlib ? ISAL_ZLIB : ISAL_DEFLATE;
  }

  /** Decompresses up to `size` bytes of the member. */
  std::size_t
  Step(unsigned char * output, std::size_t size)
  {
    const std::size_t part = std::min(size, LargestPart);
    const std::size_t given = std::min(left, LargestPart);
    stream.next_in = const_cast<unsigned char *>(next);
    stream.avail_in = static_cast<std::uint32_t>(given);
    stream.next_out = output;
    stream.avail_out = static_cast<std::uint32_t>(part);
    const int status = isal_inflate(&stream);
    ClearRegisters();
    if (status < 0 || status == ISAL_NEED_DICT)
    {
      Fail(status == ISAL_INCORRECT_CHECKSUM ? "damaged: their checksum is wrong" : "damaged");
    }
    finished = stream.block_state == ISAL_BLOCK_FINISH;
    if (finished)
    {
      // The library has read up to eight bytes beyond the blocks, and knows those that no checksum took.
      stream.avail_in += static_cast<std::uint32_t>(stream.read_in_length / 8);
      stream.read_in_length = 0;
    }
    const std::size_t taken = given - stream.avail_in;
    const std::size_t made = part - stream.avail_out;
    next += taken;
    left -= taken;
    if (!finished && made == 0 && (taken == 0 || left == 0))
    {
      Fail(left == 0 ? "truncated" : "damaged");
    }
    return made;
  }

  /** Whether another member follows the one that has ended. */
  bool
  GoesOn() const
  {
    return wrapper == Wrapper::Gzip && left >= 2 && next[0] == 0x1f && next[1] == 0x8b;
  }
};

Inflater::Inflater(const unsigned char * data, std::size_t size, Wrapper wrapper, std::string name)
  : m_State(std::make_unique<State>())
{
  m_State->next = data;
  m_State->left = size;
  m_State->wrapper = wrapper;
  m_State->name = std::move(name);
  if (size == 0)
  {
    m_State->Fail("truncated");
  }
  m_State->Begin();
}

Inflater::~Inflater() = default;

std::size_t
Inflater::Left() const
{
  return m_State->left;
}

std::size_t
Inflater::ReadSome(void * output, std::size_t size)
{
  auto * const bytes = static_cast<unsigned char *>(output);
  std::size_t  done = 0;
  while (done < size)
  {
    if (m_State->finished)
    {
      if (!m_State->GoesOn())
      {
        break;
      }
      m_State->Begin();
    }
    done += m_State->Step(bytes + done, size - done);
  }
  return done;
}

void
Inflater::Read(void * output, std::size_t size)
{
  const std::size_t done = ReadSome(output, size);
  ThrowIf(done < size,
          "the file is truncated: " + m_State->name + " has " + std::to_string(size - done) +
            " bytes too few after decompression");
}

void
Inflater::Finish(bool hasMore)
{
  for (std::vector<char> rest(hasMore ? 1 << 16 : 0);
       !rest.empty() && ReadSome(rest.data(), rest.size()) == rest.size();)
  {}
  unsigned char beyond = 0;
  ThrowIf(ReadSome(&beyond, 1) != 0, m_State->name + " has more bytes after decompression than the header promises");
  const unsigned char * const end = m_State->next + m_State->left;
  ThrowIf(std::any_of(m_State->next, end, [](unsigned char byte) { return byte != 0; }),
          "the compressed data of " + m_State->name + " are followed by " + Counted(m_State->left, "byte") +
            " of something else");
}

std::uint64_t
MaximumInflatedSize(std::uint64_t size)
{
  // A match of 258 bytes takes at least two bits (RFC 1951).
  return size > std::numeric_limits<std::uint64_t>::max() / 1040 ? std::numeric_limits<std::uint64_t>::max()
                                                                 : size * 1040;
}

} // namespace brickccl::files
