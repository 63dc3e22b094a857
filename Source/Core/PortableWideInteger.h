#ifndef BRICKCCL_CORE_PORTABLEWIDEINTEGER_H
#define BRICKCCL_CORE_PORTABLEWIDEINTEGER_H

#include <cstdint>
#include <type_traits>

namespace brickccl
{

/** An integer of 128 bits in two's complement, for compilers without one: the operators, wrapping around and
 * conversions of the built-in integers. Division by 0, shifts by 128 or more and numbers out of range are undefined, as
 * there. */
template <bool TSigned>
class PortableWideInteger
{
public:
  constexpr PortableWideInteger() = default;

  template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  constexpr PortableWideInteger(T value)
    : m_Low(static_cast<std::uint64_t>(value))
    , m_High(std::is_signed_v<T> && value < T{} ? ~std::uint64_t{ 0 } : 0)
  {}
  /** Rounds toward 0. */
  template <typename T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0>
  constexpr explicit PortableWideInteger(T value)
  {
    const bool isNegative = value < 0;
    const T    size = isNegative ? -value : value;
    m_High = static_cast<std::uint64_t>(size / T(TwoTo64));
    m_Low = static_cast<std::uint64_t>(size - static_cast<T>(m_High) * T(TwoTo64));
    *this = isNegative ? -*this : *this;
  }
  constexpr explicit PortableWideInteger(PortableWideInteger<!TSigned> value)
    : m_Low(value.Low())
    , m_High(value.High())
  {}

  constexpr std::uint64_t
  Low() const
  {
    return m_Low;
  }
  constexpr std::uint64_t
  High() const
  {
    return m_High;
  }

  template <typename T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
  constexpr explicit operator T() const
  {
    return static_cast<T>(m_Low);
  }
  constexpr explicit operator bool() const
  {
    return (m_Low | m_High) != 0;
  }
  /** Rounds once, to the nearest. */
  template <typename T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0>
  constexpr explicit operator T() const
  {
    const bool          isNegative = IsNegative();
    PortableWideInteger size = isNegative ? -*this : *this;
    T                   scale = 1;
    while (size.m_High != 0)
    {
      // The lowest bit stands for all that are shifted out.
      const std::uint64_t lost = size.m_Low & 1;
      size.m_Low = size.m_Low >> 1 | size.m_High << 63 | lost;
      size.m_High >>= 1;
      scale *= 2;
    }
    const T value = static_cast<T>(size.m_Low) * scale;
    return isNegative ? -value : value;
  }

  constexpr PortableWideInteger
  operator~() const
  {
    return { ~m_High, ~m_Low };
  }
  constexpr PortableWideInteger
  operator-() const
  {
    return ~*this + PortableWideInteger(1);
  }
  constexpr PortableWideInteger
  operator+() const
  {
    return *this;
  }

  friend constexpr PortableWideInteger
  operator+(PortableWideInteger a, PortableWideInteger b)
  {
    const std::uint64_t low = a.m_Low + b.m_Low;
    return { a.m_High + b.m_High + (low < a.m_Low ? 1 : 0), low };
  }
  friend constexpr PortableWideInteger
  operator-(PortableWideInteger a, PortableWideInteger b)
  {
    return { a.m_High - b.m_High - (a.m_Low < b.m_Low ? 1 : 0), a.m_Low - b.m_Low };
  }
  friend constexpr PortableWideInteger
  operator*(PortableWideInteger a, PortableWideInteger b)
  {
    // Of halves of 32 bits.
    const std::uint64_t aLow = a.m_Low & 0xffffffff;
    const std::uint64_t aHigh = a.m_Low >> 32;
    const std::uint64_t bLow = b.m_Low & 0xffffffff;
    const std::uint64_t bHigh = b.m_Low >> 32;
    const std::uint64_t first = aHigh * bLow + (aLow * bLow >> 32);
    const std::uint64_t second = aLow * bHigh + (first & 0xffffffff);
    const std::uint64_t high = aHigh * bHigh + (first >> 32) + (second >> 32);
    return { high + a.m_High * b.m_Low + a.m_Low * b.m_High, a.m_Low * b.m_Low };
  }
  friend constexpr PortableWideInteger
  operator/(PortableWideInteger a, PortableWideInteger b)
  {
    const PortableWideInteger size = Divide(Size(a), Size(b)).quotient;
    return a.IsNegative() != b.IsNegative() ? -size : size;
  }
  friend constexpr PortableWideInteger
  operator%(PortableWideInteger a, PortableWideInteger b)
  {
    const PortableWideInteger size = Divide(Size(a), Size(b)).rest;
    return a.IsNegative() ? -size : size;
  }
  friend constexpr PortableWideInteger
  operator&(PortableWideInteger a, PortableWideInteger b)
  {
    return { a.m_High & b.m_High, a.m_Low & b.m_Low };
  }
  friend constexpr PortableWideInteger
  operator|(PortableWideInteger a, PortableWideInteger b)
  {
    return { a.m_High | b.m_High, a.m_Low | b.m_Low };
  }
  friend constexpr PortableWideInteger
  operator^(PortableWideInteger a, PortableWideInteger b)
  {
    return { a.m_High ^ b.m_High, a.m_Low ^ b.m_Low };
  }
  friend constexpr PortableWideInteger
  operator<<(PortableWideInteger a, int bits)
  {
    if (bits == 0)
    {
      return a;
    }
    return bits < 64 ? PortableWideInteger(a.m_High << bits | a.m_Low >> (64 - bits), a.m_Low << bits)
                     : PortableWideInteger(a.m_Low << (bits - 64), std::uint64_t{ 0 });
  }
  friend constexpr PortableWideInteger
  operator>>(PortableWideInteger a, int bits)
  {
    if (bits == 0)
    {
      return a;
    }
    const std::uint64_t sign = a.IsNegative() ? ~std::uint64_t{ 0 } : 0;
    const int           rest = bits % 64;
    const std::uint64_t words[] = { a.m_Low, a.m_High, sign, sign };
    const auto word = [&](int i) { return rest == 0 ? words[i] : words[i] >> rest | words[i + 1] << (64 - rest); };
    return { word(bits / 64 + 1), word(bits / 64) };
  }

  friend constexpr bool
  operator==(PortableWideInteger a, PortableWideInteger b)
  {
    return a.m_High == b.m_High && a.m_Low == b.m_Low;
  }
  friend constexpr bool
  operator!=(PortableWideInteger a, PortableWideInteger b)
  {
    return !(a == b);
  }
  friend constexpr bool
  operator<(PortableWideInteger a, PortableWideInteger b)
  {
    // With the sign turned, numbers that have one are in the order of those that have none.
    constexpr std::uint64_t sign = TSigned ? std::uint64_t{ 1 } << 63 : 0;
    return a.m_High != b.m_High ? (a.m_High ^ sign) < (b.m_High ^ sign) : a.m_Low < b.m_Low;
  }
  friend constexpr bool
  operator>(PortableWideInteger a, PortableWideInteger b)
  {
    return b < a;
  }
  friend constexpr bool
  operator<=(PortableWideInteger a, PortableWideInteger b)
  {
    return !(b < a);
  }
  friend constexpr bool
  operator>=(PortableWideInteger a, PortableWideInteger b)
  {
    return !(a < b);
  }

  constexpr PortableWideInteger &
  operator+=(PortableWideInteger other)
  {
    return *this = *this + other;
  }
  constexpr PortableWideInteger &
  operator-=(PortableWideInteger other)
  {
    return *this = *this - other;
  }
  constexpr PortableWideInteger &
  operator*=(PortableWideInteger other)
  {
    return *this = *this * other;
  }
  constexpr PortableWideInteger &
  operator/=(PortableWideInteger other)
  {
    return *this = *this / other;
  }
  constexpr PortableWideInteger &
  operator<<=(int bits)
  {
    return *this = *this << bits;
  }
  constexpr PortableWideInteger &
  operator>>=(int bits)
  {
    return *this = *this >> bits;
  }

private:
  static constexpr double TwoTo64 = 18446744073709551616.0;

  constexpr PortableWideInteger(std::uint64_t high, std::uint64_t low)
    : m_Low(low)
    , m_High(high)
  {}

  constexpr bool
  IsNegative() const
  {
    return TSigned && m_High >> 63 != 0;
  }
  static constexpr PortableWideInteger
  Size(PortableWideInteger a)
  {
    return a.IsNegative() ? -a : a;
  }

  struct Division
  {
    PortableWideInteger quotient;
    PortableWideInteger rest;
  };
  /** Bit by bit, without signs. */
  static constexpr Division
  Divide(PortableWideInteger a, PortableWideInteger b)
  {
    Division division{};
    for (int bit = 127; bit >= 0; --bit)
    {
      const std::uint64_t word = bit < 64 ? a.m_Low : a.m_High;
      const bool          isFull = division.rest.m_High >> 63 != 0;
      division.rest = division.rest << 1;
      division.rest.m_Low |= word >> bit % 64 & 1;
      const auto & rest = division.rest;
      division.quotient = division.quotient << 1;
      if (isFull || rest.m_High > b.m_High || (rest.m_High == b.m_High && rest.m_Low >= b.m_Low))
      {
        division.rest = division.rest - b;
        division.quotient.m_Low |= 1;
      }
    }
    return division;
  }

  std::uint64_t m_Low = 0;
  std::uint64_t m_High = 0;
};

} // namespace brickccl

#endif
