// SPDX-License-Identifier: Apache-2.0
// Compressed bytes, read again by zlib.

#include "BrickCCL/Files/Codecs/Deflate.h"

#include "BrickCCL/Files/Codecs/Inflate.h"

#include <gtest/gtest.h>

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace brickccl::files
{
namespace
{

using Bytes = std::vector<unsigned char>;

Bytes
Packed(const Bytes & plain, std::uint64_t pieceBytes, int threads)
{
  HostContext context;
  context.threads = threads;
  Bytes packed;
  Deflate(
    Wrapper::Zlib,
    plain.size(),
    pieceBytes,
    [&](std::uint64_t begin, std::uint64_t end, unsigned char * to) {
      std::copy(plain.data() + begin, plain.data() + end, to);
    },
    [&](const unsigned char * bytes, std::size_t size) { packed.insert(packed.end(), bytes, bytes + size); },
    context);
  return packed;
}

Bytes
Unpacked(const Bytes & packed, std::size_t size)
{
  Bytes  plain(size + 1);
  uLongf length = static_cast<uLongf>(plain.size());
  EXPECT_EQ(uncompress(plain.data(), &length, packed.data(), static_cast<uLong>(packed.size())), Z_OK);
  plain.resize(length);
  return plain;
}

/** Rows of a pattern of three bytes: matches begin at once. */
Bytes
MakePattern(std::size_t size)
{
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i)
  {
    bytes[i] = static_cast<unsigned char>(i / 3000 % 2 == 0 ? 24 + i % 3 * 2 : i % 251);
  }
  return bytes;
}

TEST(Deflate, ZlibReadsPiecesOfEverySize)
{
  for (const std::size_t size : { 0u, 1u, 15u, 16u, 17u, 18u, 300u, 20000u })
  {
    const Bytes plain = MakePattern(size);
    for (const std::uint64_t piece : { 1u, 16u, 17u, 33u, 5000u, 20000u })
    {
      if (size / piece < 3000)
      {
        EXPECT_EQ(Unpacked(Packed(plain, piece, 2), size), plain) << size << " bytes in pieces of " << piece;
      }
    }
    EXPECT_EQ(Unpacked(DeflateAlone(plain.data(), plain.size()), size), plain) << size;
  }
}

#if defined(__GNUC__) && defined(__x86_64__)
/** Whether the upper halves of vector registers are in use; nothing if that is unknown. */
std::optional<bool>
AreUpperHalvesInUse()
{
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  __asm__ volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(0xdu), "c"(1u));
  constexpr unsigned tellsUse = 1 << 2;
  if (!__builtin_cpu_supports("avx") || (a & tellsUse) == 0)
  {
    return std::nullopt;
  }
  __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(1u));
  constexpr unsigned halvesOfAvx = 1 << 2;
  constexpr unsigned halvesOfAvx512 = 1 << 6;
  return (a & (halvesOfAvx | halvesOfAvx512)) != 0;
}

TEST(Deflate, LeavesNoUpperHalvesOfVectorRegistersInUse)
{
  if (!AreUpperHalvesInUse())
  {
    GTEST_SKIP() << "this processor does not tell which registers are in use";
  }
  const Bytes plain = MakePattern(1 << 20);
  Checksum(Wrapper::Gzip, plain.data(), plain.size());
  EXPECT_FALSE(*AreUpperHalvesInUse());
  const Bytes packed = DeflateAlone(plain.data(), plain.size());
  EXPECT_FALSE(*AreUpperHalvesInUse());
  Bytes    again(plain.size());
  Inflater inflater(packed.data(), packed.size(), Wrapper::Zlib, "bytes");
  inflater.Read(again.data(), again.size());
  EXPECT_FALSE(*AreUpperHalvesInUse());
  EXPECT_EQ(again, plain);
}
#endif

TEST(Deflate, BytesDoNotDependOnWhereTheCompressorLies)
{
  // Memory between the compressors' places is never touched; it moves each one on by 64 KiB.
  constexpr std::size_t                         apart = 1 << 16;
  constexpr int                                 places = 20000;
  std::vector<std::unique_ptr<unsigned char[]>> between;
  const Bytes                                   plain = MakePattern(600);
  const Bytes                                   first = Packed(plain, plain.size(), 1);
  int                                           others = 0;
  for (int i = 0; i < places; ++i)
  {
    between.emplace_back(new unsigned char[apart]);
    others += Packed(plain, plain.size(), 1) == first ? 0 : 1;
  }
  EXPECT_EQ(others, 0);
}

} // namespace
} // namespace brickccl::files
