// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Bricks/Bricks.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace brickccl
{

/** Writes numbers. Those of 64 bits take 1 byte for each 7 bits that they need (LEB128). */
class ByteWriter
{
public:
  void
  Byte(std::uint8_t value)
  {
    m_Bytes.push_back(value);
  }
  void
  Number(std::uint64_t value)
  {
    while (value >= 0x80)
    {
      m_Bytes.push_back(static_cast<std::uint8_t>(value | 0x80));
      value >>= 7;
    }
    m_Bytes.push_back(static_cast<std::uint8_t>(value));
  }
  /** Small magnitudes take few bytes, whatever their sign. */
  void
  Signed(std::int64_t value)
  {
    Number((static_cast<std::uint64_t>(value) << 1) ^ (value < 0 ? ~std::uint64_t{ 0 } : 0));
  }
  /** 8 bytes, the least first. */
  void Fixed(std::uint64_t value);
  void Real(double value);
  void Raw(const void * bytes, std::size_t size);
  /** The number of bytes, then the bytes. */
  void Text(const std::string & text);

  void
  Reserve(std::size_t more)
  {
    m_Bytes.reserve(m_Bytes.size() + more);
  }
  std::size_t
  Size() const
  {
    return m_Bytes.size();
  }
  const Bytes &
  Written() const
  {
    return m_Bytes;
  }
  Bytes
  Take()
  {
    return std::move(m_Bytes);
  }

private:
  Bytes m_Bytes;
};

/** Reads what a ByteWriter wrote. Every function throws Error if the bytes end too early. */
class ByteReader
{
public:
  ByteReader(BytesView bytes, std::string name)
    : m_Bytes(bytes)
    , m_Name(std::move(name))
  {}

  std::uint8_t
  Byte()
  {
    return m_Bytes.data[Advance(1)];
  }
  std::uint64_t
  Number()
  {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7)
    {
      const std::uint8_t byte = Byte();
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80)
      {
        return value;
      }
    }
    Fail("a number has too many bytes");
  }
  std::int64_t
  Signed()
  {
    const std::uint64_t value = Number();
    return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
  }
  std::uint64_t Fixed();
  double        Real();
  void          Raw(void * output, std::size_t size);
  std::string   Text();
  /** A number of things that take at least a byte each, so that damaged bytes cannot ask for endless memory. */
  std::size_t Count();
  /** The next `size` bytes, without a copy. */
  BytesView View(std::size_t size);

  bool
  IsAtEnd() const
  {
    return m_Place == m_Bytes.size;
  }
  std::size_t
  Left() const
  {
    return m_Bytes.size - m_Place;
  }
  /** \throws Error that names what is read and says that it is damaged. */
  [[noreturn]] void Fail(const std::string & reason) const;
  template <typename TText>
  void
  FailIf(bool condition, const TText & reason) const
  {
    if (condition)
    {
      Fail(reason);
    }
  }

private:
  std::size_t
  Advance(std::size_t count)
  {
    if (count > m_Bytes.size - m_Place)
    {
      Fail("it ends too early");
    }
    const std::size_t place = m_Place;
    m_Place += count;
    return place;
  }

  BytesView   m_Bytes;
  std::string m_Name;
  std::size_t m_Place = 0;
};

enum class BytesKind : std::uint8_t
{
  /** The data of a brick for merging: faces, first voxels, partial table. */
  Record = 'R',
  /** The runs of a brick with its own labels. */
  Runs = 'U',
  /** For each label of a brick the label in the volume. */
  Map = 'M',
  /** Sums over neighboring voxels of a brick. */
  Counts = 'C'
};

/** Puts a mark, the kind, the version and the size before the bytes, and a checksum (CRC-64) behind them. */
Bytes Seal(BytesKind kind, const Bytes & payload);

/** The bytes inside. \throws Error for bytes of another kind or version, and for damaged or truncated bytes. */
BytesView Unseal(BytesKind kind, BytesView sealed);

/** CRC-64 with the polynomial of ECMA-182, bits reflected. */
std::uint64_t Crc64(const std::uint8_t * bytes, std::size_t size);

/** The checksum of sealed bytes, which identifies them. */
std::uint64_t ChecksumOf(BytesView sealed);

} // namespace brickccl
