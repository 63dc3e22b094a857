// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Formats/DicomElements.h"
#include "BrickCCL/Files/Settle.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

/** The bytes of DICOM elements, one after the other. */
namespace brickccl::files::dicom
{

inline constexpr std::uint32_t UndefinedLength = 0xFFFFFFFF;
inline constexpr std::uint32_t ItemTag = 0xFFFEE000;
inline constexpr std::uint32_t ItemEndTag = 0xFFFEE00D;
inline constexpr std::uint32_t SequenceEndTag = 0xFFFEE0DD;
inline constexpr int           MaximumDepth = 32;

inline std::string
NameOfTag(std::uint32_t tag)
{
  char text[16];
  std::snprintf(text, sizeof(text), "(%04X,%04X)", tag >> 16, tag & 0xFFFF);
  return text;
}

template <typename T>
T
Load(const unsigned char * at)
{
  static_assert(!HostIsBigEndian, "DICOM files are read on little-endian machines");
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

inline bool
IsCapital(unsigned char letter)
{
  return letter >= 'A' && letter <= 'Z';
}

/** Whether elements with this value representation have a length of 16 bits. */
inline bool
HasShortLength(const char * representation)
{
  static constexpr char Short[] = "AEASATCSDADSDTFLFDISLOLTPNSHSLSSSTTMUIULUS";
  for (const char * known = Short; *known != '\0'; known += 2)
  {
    if (std::memcmp(known, representation, 2) == 0)
    {
      return true;
    }
  }
  return false;
}

struct ElementHeader
{
  std::uint32_t tag = 0;
  char          representation[2] = {};
  std::uint32_t length = 0;
};

/** Walks over elements without going past their end. */
class Scanner
{
public:
  Scanner(const unsigned char * begin, const unsigned char * end, bool hasRepresentations)
    : m_At(begin)
    , m_End(end)
    , m_HasRepresentations(hasRepresentations)
  {}

  const unsigned char *
  At() const
  {
    return m_At;
  }
  std::size_t
  Left() const
  {
    return static_cast<std::size_t>(m_End - m_At);
  }

  ElementHeader
  Header()
  {
    ElementHeader header;
    Require(8, 0);
    header.tag = static_cast<std::uint32_t>(Load<std::uint16_t>(m_At)) << 16 | Load<std::uint16_t>(m_At + 2);
    if (!m_HasRepresentations || header.tag >> 16 == 0xFFFE)
    {
      header.length = Load<std::uint32_t>(m_At + 4);
      m_At += 8;
      return header;
    }
    if (!IsCapital(m_At[4]) || !IsCapital(m_At[5]))
    {
      throw Error("the header is damaged: element " + NameOfTag(header.tag) + " has no value representation");
    }
    std::memcpy(header.representation, m_At + 4, 2);
    if (HasShortLength(header.representation))
    {
      header.length = Load<std::uint16_t>(m_At + 6);
      m_At += 8;
      return header;
    }
    Require(12, header.tag);
    header.length = Load<std::uint32_t>(m_At + 8);
    m_At += 12;
    return header;
  }

  void
  SkipValue(const ElementHeader & header, int depth)
  {
    if (header.length != UndefinedLength)
    {
      Require(header.length, header.tag);
      m_At += header.length;
      return;
    }
    // Values of unknown representation and undefined length are sequences in implicit little endian.
    const bool outer = m_HasRepresentations;
    m_HasRepresentations = outer && std::memcmp(header.representation, "UN", 2) != 0;
    while (NextItem(depth) != nullptr)
    {}
    m_HasRepresentations = outer;
  }

  /** Skips an item of a sequence. \return where its content, up to ItemEnd(), begins; null at the sequence's end */
  const unsigned char *
  NextItem(int depth)
  {
    if (depth > MaximumDepth)
    {
      throw Error("the header is damaged: its sequences are nested more than " + std::to_string(MaximumDepth) +
                  " deep");
    }
    const ElementHeader item = Header();
    if (item.tag == SequenceEndTag)
    {
      return nullptr;
    }
    if (item.tag != ItemTag)
    {
      throw Error("the header is damaged: element " + NameOfTag(item.tag) + " is where an item should begin");
    }
    const unsigned char * const begin = m_At;
    if (item.length != UndefinedLength)
    {
      Require(item.length, item.tag);
      m_At += item.length;
      m_ItemEnd = m_At;
      return begin;
    }
    for (;;)
    {
      const unsigned char * const at = m_At;
      const ElementHeader         header = Header();
      if (header.tag == ItemEndTag)
      {
        m_ItemEnd = at;
        return begin;
      }
      SkipValue(header, depth + 1);
    }
  }

  const unsigned char *
  ItemEnd() const
  {
    return m_ItemEnd;
  }

private:
  void
  Require(std::size_t bytes, std::uint32_t tag) const
  {
    if (bytes > Left())
    {
      throw Error("the file is truncated or damaged: " + (tag == 0 ? "an element" : "element " + NameOfTag(tag)) +
                  " needs " + std::to_string(bytes) + " bytes, but " + std::to_string(Left()) + " are left");
    }
  }

  const unsigned char * m_At;
  const unsigned char * m_End;
  const unsigned char * m_ItemEnd = nullptr;
  bool                  m_HasRepresentations;
};

} // namespace brickccl::files::dicom
