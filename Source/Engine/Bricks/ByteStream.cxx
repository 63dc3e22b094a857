// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Bricks/ByteStream.h"

#include "BrickCCL/Core/Error.h"

#include <array>
#include <cstring>

namespace brickccl
{

constexpr char         Mark[] = "BrickCCL";
constexpr std::size_t  MarkSize = 8;
constexpr std::uint8_t Version = 3;
/** The mark, the kind, the version and the size of the payload. */
constexpr std::size_t HeadSize = MarkSize + 2 + 8;
constexpr std::size_t ChecksumSize = 8;

static const char *
NameOf(BytesKind kind)
{
  return kind == BytesKind::Record ? "the record of a brick"
       : kind == BytesKind::Runs   ? "the runs of a brick"
       : kind == BytesKind::Map    ? "the map of a brick's labels"
                                   : "the counts of a brick";
}

/** Tables for 8 bytes at once of CRC-64 with the polynomial of ECMA-182, bits reflected. */
using CrcTables = std::array<std::array<std::uint64_t, 256>, 8>;

static CrcTables
MakeCrcTables()
{
  CrcTables tables = {};
  for (std::uint64_t byte = 0; byte < 256; ++byte)
  {
    std::uint64_t rest = byte;
    for (int bit = 0; bit < 8; ++bit)
    {
      rest = (rest >> 1) ^ ((rest & 1) != 0 ? 0xC96C5795D7870F42u : 0);
    }
    tables[0][byte] = rest;
  }
  for (std::size_t table = 1; table < 8; ++table)
  {
    for (std::size_t byte = 0; byte < 256; ++byte)
    {
      const std::uint64_t before = tables[table - 1][byte];
      tables[table][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

static std::uint64_t
LoadFixed(const std::uint8_t * bytes)
{
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i)
  {
    value |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
  }
  return value;
}

std::uint64_t
Crc64(const std::uint8_t * bytes, std::size_t size)
{
  static const CrcTables tables = MakeCrcTables();
  std::uint64_t          crc = ~std::uint64_t{ 0 };
  for (; size >= 8; size -= 8, bytes += 8)
  {
    crc ^= LoadFixed(bytes);
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < 8; ++i)
    {
      next ^= tables[7 - i][(crc >> (8 * i)) & 0xff];
    }
    crc = next;
  }
  for (; size > 0; --size, ++bytes)
  {
    crc = (crc >> 8) ^ tables[0][(crc ^ *bytes) & 0xff];
  }
  return ~crc;
}

void
ByteWriter::Fixed(std::uint64_t value)
{
  for (int i = 0; i < 8; ++i)
  {
    m_Bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
}

void
ByteWriter::Real(double value)
{
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  Fixed(bits);
}

void
ByteWriter::Raw(const void * bytes, std::size_t size)
{
  const auto * const first = static_cast<const std::uint8_t *>(bytes);
  m_Bytes.insert(m_Bytes.end(), first, first + size);
}

void
ByteWriter::Text(const std::string & text)
{
  Number(text.size());
  Raw(text.data(), text.size());
}

std::uint64_t
ByteReader::Fixed()
{
  return LoadFixed(m_Bytes.data + Advance(8));
}

double
ByteReader::Real()
{
  const std::uint64_t bits = Fixed();
  double              value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

void
ByteReader::Raw(void * output, std::size_t size)
{
  const std::size_t place = Advance(size);
  if (size > 0)
  {
    std::memcpy(output, m_Bytes.data + place, size);
  }
}

std::string
ByteReader::Text()
{
  std::string text(Count(), '\0');
  Raw(text.data(), text.size());
  return text;
}

std::size_t
ByteReader::Count()
{
  const std::uint64_t count = Number();
  FailIf(count > Left(),
         "it promises " + std::to_string(count) + " entries, but has bytes for " + std::to_string(Left()));
  return static_cast<std::size_t>(count);
}

BytesView
ByteReader::View(std::size_t size)
{
  const std::size_t place = Advance(size);
  return { m_Bytes.data + place, size };
}

void
ByteReader::Fail(const std::string & reason) const
{
  throw Error(m_Name + " is damaged: " + reason);
}

Bytes
Seal(BytesKind kind, const Bytes & payload)
{
  ByteWriter writer;
  writer.Reserve(HeadSize + payload.size() + ChecksumSize);
  writer.Raw(Mark, MarkSize);
  writer.Byte(static_cast<std::uint8_t>(kind));
  writer.Byte(Version);
  writer.Fixed(payload.size());
  writer.Raw(payload.data(), payload.size());
  writer.Fixed(Crc64(writer.Written().data(), writer.Size()));
  return writer.Take();
}

BytesView
Unseal(BytesKind kind, BytesView sealed)
{
  const std::string name = NameOf(kind);
  ThrowIf(sealed.size < HeadSize + ChecksumSize,
          name + " is truncated: it has " + std::to_string(sealed.size) + " bytes");
  ThrowIf(std::memcmp(sealed.data, Mark, MarkSize) != 0,
          name + " is expected, but the bytes do not begin with \"" + Mark + "\"");
  ThrowIf(sealed.data[MarkSize] != static_cast<std::uint8_t>(kind),
          name + " is expected, but the bytes are another kind of BrickCCL data ('" +
            std::string(1, static_cast<char>(sealed.data[MarkSize])) + "')");
  ThrowIf(sealed.data[MarkSize + 1] != Version,
          name + " has version " + std::to_string(sealed.data[MarkSize + 1]) + "; this program reads version " +
            std::to_string(Version) + "; label the brick again");
  const std::uint64_t size = LoadFixed(sealed.data + MarkSize + 2);
  ThrowIf(size != sealed.size - HeadSize - ChecksumSize,
          name + " is truncated or too long: it has " + std::to_string(sealed.size) + " bytes instead of " +
            std::to_string(HeadSize + size + ChecksumSize));
  ThrowIf(Crc64(sealed.data, sealed.size - ChecksumSize) != ChecksumOf(sealed),
          name + " is damaged: its checksum is wrong");
  return { sealed.data + HeadSize, static_cast<std::size_t>(size) };
}

std::uint64_t
ChecksumOf(BytesView sealed)
{
  return sealed.size < ChecksumSize ? 0 : LoadFixed(sealed.data + sealed.size - ChecksumSize);
}

} // namespace brickccl
