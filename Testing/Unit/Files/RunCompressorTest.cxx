// SPDX-License-Identifier: Apache-2.0
// Label maps compressed by their runs, read again by zlib.

#include "BrickCCL/Files/Codecs/RunCompressor.h"

#include "BrickCCL/Files/Codecs/Deflate.h"

#include <gtest/gtest.h>

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace brickccl::files
{
namespace
{

using Bytes = std::vector<unsigned char>;

/** Reads a raw deflate stream, which must end with its bytes. */
Bytes
Inflated(const Bytes & packed, std::size_t size)
{
  Bytes    plain(size + 1);
  z_stream stream = {};
  EXPECT_EQ(inflateInit2(&stream, -15), Z_OK);
  stream.next_in = const_cast<unsigned char *>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = plain.data();
  stream.avail_out = static_cast<uInt>(plain.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END) << (stream.msg != nullptr ? stream.msg : "no message");
  EXPECT_EQ(stream.avail_in, 0u);
  plain.resize(stream.total_out);
  inflateEnd(&stream);
  return plain;
}

/** Bytes by zlib's level 6. */
std::size_t
SizeByZlib(const Bytes & plain)
{
  uLongf size = compressBound(static_cast<uLong>(plain.size()));
  Bytes  packed(size);
  EXPECT_EQ(compress2(packed.data(), &size, plain.data(), static_cast<uLong>(plain.size()), 6), Z_OK);
  return size;
}

template <typename TVoxel>
Bytes
BytesOf(const std::vector<TVoxel> & voxels)
{
  Bytes bytes(voxels.size() * sizeof(TVoxel));
  std::memcpy(bytes.data(), voxels.data(), bytes.size());
  return bytes;
}

/** Rows of runs, most of which repeat the row before with other ends. */
template <typename TVoxel>
std::vector<TVoxel>
MakeRows(std::size_t rowLength, std::size_t rows, double meanRun, TVoxel largest, std::mt19937_64 & random)
{
  const auto          draw = [&](std::uint64_t count) { return random() % count; };
  std::vector<TVoxel> voxels;
  std::vector<TVoxel> row(rowLength);
  for (std::size_t y = 0; y < rows; ++y)
  {
    if (y == 0 || draw(16) == 0)
    {
      for (std::size_t x = 0; x < rowLength;)
      {
        const auto value = draw(2) == 0 ? TVoxel{ 0 } : static_cast<TVoxel>(draw(std::uint64_t{ largest } + 1));
        const auto end = std::min(rowLength, x + 1 + draw(static_cast<std::uint64_t>(2 * meanRun)));
        std::fill(row.begin() + static_cast<std::ptrdiff_t>(x), row.begin() + static_cast<std::ptrdiff_t>(end), value);
        x = end;
      }
    }
    for (std::size_t x = 1; x < rowLength; ++x)
    {
      if (row[x - 1] != row[x] && draw(3) == 0)
      {
        row[x] = row[x - 1];
        ++x;
      }
    }
    voxels.insert(voxels.end(), row.begin(), row.end());
  }
  return voxels;
}

template <typename TVoxel>
void
ExpectRead(const std::vector<TVoxel> & voxels, const std::string & what)
{
  const Bytes   plain = BytesOf(voxels);
  RunCompressor compressor;
  // Its earlier inputs must not matter.
  const Bytes other = BytesOf(std::vector<TVoxel>(1000, TVoxel{ 3 }));
  Bytes       packed;
  ASSERT_TRUE(compressor.Compress(other.data(), other.size(), sizeof(TVoxel), false, packed));
  const std::size_t begin = packed.size();
  ASSERT_TRUE(compressor.Compress(plain.data(), plain.size(), sizeof(TVoxel), true, packed)) << what;
  Bytes both = other;
  both.insert(both.end(), plain.begin(), plain.end());
  EXPECT_EQ(Inflated(packed, both.size()), both) << what;
  EXPECT_EQ(Inflated(Bytes(packed.begin() + static_cast<std::ptrdiff_t>(begin), packed.end()), plain.size()), plain)
    << what;
}

template <typename TVoxel>
void
ExpectRowsRead(std::uint64_t seed)
{
  std::mt19937_64 random(seed);
  for (const std::size_t rowLength : { 1u, 7u, 64u, 65u, 500u, 3000u, 40000u })
  {
    for (const double meanRun : { 4.0, 20.0, 200.0, 5000.0 })
    {
      for (const TVoxel largest : { TVoxel{ 1 }, TVoxel{ 100 }, std::numeric_limits<TVoxel>::max() })
      {
        const auto voxels = MakeRows<TVoxel>(rowLength, 200000 / rowLength, meanRun, largest, random);
        if (rowLength > 7)
        {
          ExpectRead(voxels,
                     "rows of " + std::to_string(rowLength) + ", runs of " + std::to_string(meanRun) + ", up to " +
                       std::to_string(largest) + ", seed " + std::to_string(seed));
        }
      }
    }
  }
}

TEST(RunCompressor, ZlibReadsRowsOfRuns)
{
  ExpectRowsRead<std::uint8_t>(1);
  ExpectRowsRead<std::uint16_t>(2);
  ExpectRowsRead<std::uint32_t>(3);
}

TEST(RunCompressor, ZlibReadsRunsOfEveryLength)
{
  // Tokens have 3 to 258 bytes, and what is left of a run may have one or two.
  for (std::size_t first = 1; first < 600; ++first)
  {
    std::vector<std::uint8_t> voxels(first, 7);
    voxels.insert(voxels.end(), 9, 0);
    voxels.insert(voxels.end(), first + first % 3, 7);
    voxels.insert(voxels.end(), 10, 0);
    voxels.insert(voxels.end(), first, 7);
    ExpectRead(voxels, "a run of " + std::to_string(first));
    ExpectRead(std::vector<std::uint16_t>(voxels.begin(), voxels.end()), "16 bits, " + std::to_string(first));
    ExpectRead(std::vector<std::uint32_t>(voxels.begin(), voxels.end()), "32 bits, " + std::to_string(first));
  }
  ExpectRead(std::vector<std::uint8_t>(3, 1), "three voxels");
  ExpectRead(std::vector<std::uint8_t>(1 << 20, 0), "one run");
}

TEST(RunCompressor, DistancesEndAtTheWindow)
{
  // The same two labels lie side by side exactly as far back as a copy may reach, and a voxel further.
  for (const std::size_t between : { 8190u, 8191u, 8192u, 8193u, 8200u })
  {
    std::vector<std::uint32_t> voxels = { 5, 5, 5, 5, 6, 6, 6, 6 };
    voxels.insert(voxels.end(), between - 8, 0);
    voxels.insert(voxels.end(), { 5, 5, 5, 5, 6, 6, 6, 6, 0, 0, 0, 0 });
    ExpectRead(voxels, std::to_string(between) + " voxels between");
  }
}

TEST(RunCompressor, ShortRunsAreLeftToOthers)
{
  std::mt19937_64            random(4);
  std::vector<std::uint16_t> voxels(10000);
  std::generate(voxels.begin(), voxels.end(), [&] { return static_cast<std::uint16_t>(random()); });
  const Bytes   plain = BytesOf(voxels);
  RunCompressor compressor;
  Bytes         packed = { 1, 2, 3 };
  EXPECT_FALSE(compressor.Compress(plain.data(), plain.size(), 2, true, packed));
  EXPECT_FALSE(compressor.Compress(plain.data(), 0, 2, true, packed));
  EXPECT_FALSE(compressor.Compress(plain.data(), 7, 2, true, packed));
  EXPECT_EQ(packed, (Bytes{ 1, 2, 3 }));
}

TEST(RunCompressor, LabelMapsAreAsSmallAsByZlib)
{
  std::mt19937_64 random(5);
  const auto      voxels = MakeRows<std::uint16_t>(512, 1024, 30.0, 500, random);
  const Bytes     plain = BytesOf(voxels);
  RunCompressor   compressor;
  Bytes           packed;
  ASSERT_TRUE(compressor.Compress(plain.data(), plain.size(), 2, true, packed));
  EXPECT_LT(static_cast<double>(packed.size()), 1.15 * static_cast<double>(SizeByZlib(plain)));
}

TEST(RunCompressor, PiecesOfRunsAndOfNoiseMakeOneStream)
{
  std::mt19937_64            random(6);
  std::vector<std::uint32_t> voxels = MakeRows<std::uint32_t>(64, 100, 10.0, 1000, random);
  for (int i = 0; i < 6400; ++i)
  {
    voxels.push_back(static_cast<std::uint32_t>(random()));
  }
  const auto more = MakeRows<std::uint32_t>(64, 130, 10.0, 1000, random);
  voxels.insert(voxels.end(), more.begin(), more.end());
  const Bytes plain = BytesOf(voxels);
  Bytes       ofOneThread;
  for (const int threads : { 1, 3 })
  {
    HostContext context;
    context.threads = threads;
    Bytes       packed;
    const Bytes header = { 'h', 'e', 'a', 'd' };
    Deflate(
      Wrapper::Zlib,
      plain.size(),
      64 * 4 * 10,
      [&](std::uint64_t begin, std::uint64_t end, unsigned char * to) {
        std::copy(plain.data() + begin, plain.data() + end, to);
      },
      [&](const unsigned char * bytes, std::size_t size) { packed.insert(packed.end(), bytes, bytes + size); },
      context,
      header,
      4);
    Bytes  read(plain.size() + header.size());
    uLongf size = static_cast<uLongf>(read.size());
    ASSERT_EQ(uncompress(read.data(), &size, packed.data(), static_cast<uLong>(packed.size())), Z_OK);
    EXPECT_TRUE(std::equal(plain.begin(), plain.end(), read.begin() + 4, read.end()));
    ofOneThread = threads == 1 ? packed : ofOneThread;
    EXPECT_EQ(packed, ofOneThread);
  }
}

TEST(DeflateTokens, NoCodeIsTooLong)
{
  // Bytes that come as often as Fibonacci's numbers say would have codes of up to 22 bits.
  std::vector<DeflateToken> tokens;
  Bytes                     plain;
  std::size_t               count = 1;
  std::size_t               before = 1;
  for (std::uint16_t symbol = 0; symbol < 23; ++symbol)
  {
    tokens.insert(tokens.end(), count, DeflateToken{ symbol, 0 });
    plain.insert(plain.end(), count, static_cast<unsigned char>(symbol));
    before = std::exchange(count, count + before);
  }
  for (const std::size_t size : { std::size_t{ 0 }, std::size_t{ 1 }, tokens.size() })
  {
    const std::vector<DeflateToken> some(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(size));
    Bytes                           packed;
    AppendDeflateBlocks(some, false, packed);
    AppendDeflateBlocks(some, true, packed);
    Bytes twice(plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(size));
    twice.insert(twice.end(), plain.begin(), plain.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(Inflated(packed, twice.size()), twice);
  }
}

TEST(DeflateTokens, EveryLengthAndDistance)
{
  // One byte, then copies of it: the bytes are known.
  std::vector<DeflateToken> tokens = { { 'a', 0 } };
  std::size_t               size = 1;
  for (std::uint16_t length = DeflateToken::ShortestCopy; length <= DeflateToken::LongestCopy; ++length)
  {
    tokens.push_back({ length, 1 });
    size += length;
  }
  // Blocks of different bytes at all distances.
  Bytes plain(size, 'a');
  for (int i = 0; i < 40000; ++i)
  {
    const auto byte = static_cast<std::uint16_t>((i * 7919) % 251);
    tokens.push_back({ byte, 0 });
    plain.push_back(static_cast<unsigned char>(byte));
  }
  for (std::uint32_t distance = 1; distance <= DeflateToken::LargestDistance; distance += distance < 600 ? 1 : 97)
  {
    tokens.push_back({ 3, static_cast<std::uint16_t>(distance) });
    for (int i = 0; i < 3; ++i)
    {
      plain.push_back(plain[plain.size() - distance]);
    }
  }
  tokens.push_back({ 3, static_cast<std::uint16_t>(DeflateToken::LargestDistance) });
  for (int i = 0; i < 3; ++i)
  {
    plain.push_back(plain[plain.size() - DeflateToken::LargestDistance]);
  }
  Bytes packed;
  AppendDeflateBlocks(tokens, true, packed);
  EXPECT_EQ(Inflated(packed, plain.size()), plain);
}

} // namespace
} // namespace brickccl::files
