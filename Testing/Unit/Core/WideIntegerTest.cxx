#include "BrickCCL/Core/PortableWideInteger.h"
#include "BrickCCL/Core/WideInteger.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#if defined(__SIZEOF_INT128__) && !defined(BRICKCCL_PORTABLE_WIDE_INTEGER)

namespace brickccl
{
namespace
{

/** Numbers of all lengths, positive and negative, and those at the edges of words. */
std::vector<UInt128>
Numbers()
{
  std::vector<UInt128> numbers;
  for (int bit = 0; bit < 128; ++bit)
  {
    for (const int offset : { -1, 0, 1 })
    {
      numbers.push_back((UInt128{ 1 } << bit) + static_cast<UInt128>(offset));
    }
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i)
  {
    const UInt128 number = static_cast<UInt128>(random()) << 64 | random();
    numbers.push_back(number >> random() % 128);
    numbers.push_back(-(number >> random() % 128));
  }
  return numbers;
}

template <bool TSigned>
PortableWideInteger<TSigned>
Portable(UInt128 number)
{
  using Wide = PortableWideInteger<TSigned>;
  return Wide(static_cast<std::uint64_t>(number >> 64)) << 64 | Wide(static_cast<std::uint64_t>(number));
}

template <bool TSigned, typename TNumber>
void
CheckAgainstTheCompiler()
{
  const auto isSame = [](PortableWideInteger<TSigned> a, TNumber b) {
    const auto bits = static_cast<UInt128>(b);
    return a.Low() == static_cast<std::uint64_t>(bits) && a.High() == static_cast<std::uint64_t>(bits >> 64);
  };
  const std::vector<UInt128> numbers = Numbers();
  for (const UInt128 first : numbers)
  {
    const auto own = Portable<TSigned>(first);
    const auto built = static_cast<TNumber>(first);
    ASSERT_TRUE(isSame(own, built));
    ASSERT_EQ(static_cast<double>(own), static_cast<double>(built));
    ASSERT_EQ(static_cast<float>(own), static_cast<float>(built));
    ASSERT_EQ(static_cast<std::int64_t>(own), static_cast<std::int64_t>(built));
    ASSERT_EQ(static_cast<bool>(own), static_cast<bool>(built));
    for (int bits = 0; bits < 128; ++bits)
    {
      ASSERT_TRUE(isSame(own << bits, static_cast<TNumber>(first << bits))) << bits;
      ASSERT_TRUE(isSame(own >> bits, built >> bits)) << bits;
    }
    for (const UInt128 second : numbers)
    {
      const auto other = Portable<TSigned>(second);
      const auto builtOther = static_cast<TNumber>(second);
      ASSERT_TRUE(isSame(own + other, static_cast<TNumber>(first + second)));
      ASSERT_TRUE(isSame(own - other, static_cast<TNumber>(first - second)));
      ASSERT_TRUE(isSame(own * other, static_cast<TNumber>(first * second)));
      ASSERT_TRUE(isSame(own & other, built & builtOther) && isSame(own | other, built | builtOther) &&
                  isSame(own ^ other, built ^ builtOther));
      ASSERT_EQ(own < other, built < builtOther);
      ASSERT_EQ(own <= other, built <= builtOther);
      ASSERT_EQ(own == other, built == builtOther);
    }
  }
  // Fewer, since division goes bit by bit; the smallest number divided by -1 has no result.
  for (std::size_t i = 0; i < numbers.size(); i += 3)
  {
    for (std::size_t j = 0; j < numbers.size(); j += 5)
    {
      const auto built = static_cast<TNumber>(numbers[i]);
      const auto builtOther = static_cast<TNumber>(numbers[j]);
      if (builtOther != 0 && !(TSigned && numbers[j] + 1 == 0))
      {
        ASSERT_TRUE(isSame(Portable<TSigned>(numbers[i]) / Portable<TSigned>(numbers[j]), built / builtOther));
        ASSERT_TRUE(isSame(Portable<TSigned>(numbers[i]) % Portable<TSigned>(numbers[j]), built % builtOther));
      }
    }
  }
}

TEST(PortableWideInteger, IsTheCompilersOwn)
{
  CheckAgainstTheCompiler<true, Int128>();
  CheckAgainstTheCompiler<false, UInt128>();
}

TEST(PortableWideInteger, ConvertsBuiltInNumbers)
{
  using Signed = PortableWideInteger<true>;
  EXPECT_EQ(static_cast<std::int64_t>(Signed(-5)), -5);
  EXPECT_EQ(Signed(-5).High(), ~std::uint64_t{ 0 });
  EXPECT_EQ(Signed(~std::uint64_t{ 0 }).High(), 0u);
  for (const double number : { 0.0, 1.75, -1.75, 3e18, -3e18, 1e30, -1e30, 1.6e38 })
  {
    const auto built = static_cast<Int128>(number);
    EXPECT_EQ(Signed(number).Low(), static_cast<std::uint64_t>(built)) << number;
    EXPECT_EQ(Signed(number).High(), static_cast<std::uint64_t>(built >> 64)) << number;
  }
  static_assert(Signed(7) / 2 == 3 && Signed(-7) / 2 == -3 && -Signed(7) % 4 == -3);
}

} // namespace
} // namespace brickccl

#endif
