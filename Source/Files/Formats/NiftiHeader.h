// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace brickccl::files::nifti
{

constexpr std::size_t SizeOfFirst = 348;
constexpr std::size_t SizeOfSecond = 540;

class HeaderBytes
{
public:
  /** Whether it is a whole header, of the second version, and in the other byte order. */
  bool isKnown = false;
  bool isSecond = false;
  bool isSwapped = false;

  explicit HeaderBytes(const unsigned char * bytes, std::size_t size)
  {
    std::memcpy(m_Bytes, bytes, std::min(size, sizeof(m_Bytes)));
    for (const bool swapped : { false, true })
    {
      isSwapped = swapped;
      const auto length = At<std::int32_t>(0);
      isSecond = length == static_cast<std::int32_t>(SizeOfSecond);
      if (isSecond || length == static_cast<std::int32_t>(SizeOfFirst))
      {
        isKnown = size >= (isSecond ? SizeOfSecond : SizeOfFirst);
        return;
      }
    }
  }

  /** Bytes 4 to 7 of the second version's magic. */
  const unsigned char *
  LineEnds() const
  {
    return m_Bytes + 8;
  }
  /** "n+1", "ni1", "n+2" or "ni2". Empty for Analyze. */
  std::string
  Magic() const
  {
    const char * const text = reinterpret_cast<const char *>(m_Bytes) + (isSecond ? 4 : 344);
    const std::string  magic(text, 3);
    const bool isMagic = text[3] == '\0' && (magic == "n+1" || magic == "ni1" || magic == "n+2" || magic == "ni2");
    return isMagic && (magic[2] == '2') == isSecond ? magic : std::string();
  }

  template <typename T>
  T
  At(std::size_t place) const
  {
    unsigned char bytes[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i)
    {
      bytes[i] = m_Bytes[place + (isSwapped ? sizeof(T) - 1 - i : i)];
    }
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
  }
  /** A number that is a float in the first version and a double in the second. */
  double
  Real(std::size_t first, std::size_t second) const
  {
    return isSecond ? At<double>(second) : double{ At<float>(first) };
  }
  std::int64_t
  Code(std::size_t first, std::size_t second) const
  {
    return isSecond ? At<std::int32_t>(second) : At<std::int16_t>(first);
  }
  std::int64_t
  Size(int axis) const
  {
    const auto i = static_cast<std::size_t>(axis);
    return isSecond ? At<std::int64_t>(16 + 8 * i) : At<std::int16_t>(40 + 2 * i);
  }
  double
  PixelSize(int axis) const
  {
    const auto i = static_cast<std::size_t>(axis);
    return Real(76 + 4 * i, 104 + 8 * i);
  }
  int
  Units() const
  {
    return isSecond ? At<std::int32_t>(500) : m_Bytes[123];
  }

private:
  unsigned char m_Bytes[SizeOfSecond] = {};
};

struct Stored
{
  ScalarType type;
  int        channels;
};

/** \throws Unsupported for codes of other types. */
Stored StoredOf(std::int64_t code);

std::int64_t CodeOf(ScalarType type);

/** \throws Error if the header's bits of a voxel (bitpix) contradict its type. Some programs leave them at 0. */
void CheckBits(const HeaderBytes & header, int bitsOfType);

/** \param size  of the part of the header that exists
 *  \throws Error if it is not a header, and for a magic whose line ends were changed by a transfer as text */
void CheckSignature(const HeaderBytes & header, std::size_t size);

} // namespace brickccl::files::nifti
