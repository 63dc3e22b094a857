// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace brickccl
{

/** A number as the sum of two doubles, the second at most half a last digit of the first (0 if that is not finite):
 *  about 106 bits (T. J. Dekker, A floating-point technique for extending the available precision, 1971). */
struct DoubleDouble
{
  double high = 0;
  double low = 0;

  DoubleDouble() = default;
  DoubleDouble(double number)
    : high(number)
  {}
  /** Whole numbers of 64 bits must be made here: the constructor would round them to doubles. */
  static DoubleDouble
  Exactly(std::int64_t number)
  {
    const auto half = static_cast<double>(number >> 32);
    return SumOf(half * 4294967296.0, static_cast<double>(number & 0xFFFFFFFF));
  }
  static DoubleDouble
  Exactly(std::uint64_t number)
  {
    const auto half = static_cast<double>(number >> 32);
    return SumOf(half * 4294967296.0, static_cast<double>(number & 0xFFFFFFFF));
  }
  static DoubleDouble
  Exactly(double number)
  {
    return number;
  }

  /** Exact. */
  static DoubleDouble
  SumOf(double a, double b)
  {
    const double sum = a + b;
    if (!std::isfinite(sum))
    {
      return sum;
    }
    const double ofB = sum - a;
    DoubleDouble result = sum;
    result.low = (a - (sum - ofB)) + (b - ofB);
    return result;
  }
  /** Exact. */
  static DoubleDouble
  ProductOf(double a, double b)
  {
    const double product = a * b;
    DoubleDouble result = product;
    result.low = std::isfinite(product) ? RestOf(a, b, product) : 0;
    return result;
  }

  DoubleDouble &
  operator+=(const DoubleDouble & other)
  {
    const DoubleDouble highs = SumOf(high, other.high);
    const DoubleDouble lows = SumOf(low, other.low);
    const DoubleDouble rough = SumOf(highs.high, highs.low + lows.high);
    *this = SumOf(rough.high, rough.low + lows.low);
    return *this;
  }
  DoubleDouble
  operator-() const
  {
    DoubleDouble negative = -high;
    negative.low = -low;
    return negative;
  }

  double
  Rounded() const
  {
    return high + low;
  }
  /** The quotient, rounded once. */
  double
  Over(double divisor) const
  {
    const double       quotient = high / divisor;
    const DoubleDouble product = ProductOf(-quotient, divisor);
    return std::isfinite(quotient) ? quotient + (((high + product.high) + product.low) + low) / divisor : quotient;
  }

private:
  /** a * b - product, exact. */
  static double
  RestOf(double a, double b, double product)
  {
#if defined(_WIN32) && defined(__x86_64__)
    // The runtime library of mingw-w64 rounds a * b in std::fma to 64 bits. Halves of a and b have exact products.
    const auto highHalf = [](double number) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &number, sizeof(bits));
      bits &= ~std::uint64_t{ 0 } << 27;
      std::memcpy(&number, &bits, sizeof(bits));
      return static_cast<long double>(number);
    };
    const long double highA = highHalf(a), lowA = a - highA;
    const long double highB = highHalf(b), lowB = b - highB;
    return static_cast<double>((((highA * highB - product) + highA * lowB) + lowA * highB) + lowA * lowB);
#else
    return std::fma(a, b, -product);
#endif
  }
};

} // namespace brickccl
