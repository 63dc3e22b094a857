// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Criteria/Criterion.h"

#include "BrickCCL/Criteria/RuleConversion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace brickccl
{
namespace
{

using Long = long double;
constexpr bool HasLong = std::numeric_limits<Long>::digits >= 64;

/** A number and the same value, in a type that holds all of them where the compiler has one. */
struct Pair
{
  Number number;
  Long   exact;
};

/** Integers and fractions about the places where doubles become coarser and types end. */
std::vector<Pair>
Values()
{
  std::vector<Pair> values;
  for (int power = 0; power <= 64; ++power)
  {
    for (int step = -3; step <= 3; ++step)
    {
      const auto wide =
        (power == 64 ? std::uint64_t{ 0 } : std::uint64_t{ 1 } << power) + static_cast<std::uint64_t>(step);
      values.push_back({ wide, static_cast<Long>(wide) });
      values.push_back({ static_cast<std::int64_t>(wide), static_cast<Long>(static_cast<std::int64_t>(wide)) });
      const double fraction = std::ldexp(1.0, power) + 0.25 * step;
      values.push_back({ fraction, fraction });
      values.push_back({ -fraction, -fraction });
    }
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 200; ++i)
  {
    const std::uint64_t wide = random() >> (i % 60);
    values.push_back({ wide, static_cast<Long>(wide) });
    // Fractions of all the digits that there are.
    const Long fraction = static_cast<Long>(random()) / static_cast<Long>(random() | 1);
    values.push_back({ fraction, fraction });
  }
  constexpr double largest = std::numeric_limits<double>::max();
  constexpr double smallest = std::numeric_limits<double>::denorm_min();
  for (const double value : { 0.0, -0.0, 0.1, 1e300, largest, -largest, smallest, -smallest, HUGE_VAL, -HUGE_VAL })
  {
    values.push_back({ value, value });
  }
  if (HasLong)
  {
    for (const Long value :
         { std::nextafter(Long{ largest }, Long{ HUGE_VAL }), Long{ largest } * 4, 0.1L, Long{ smallest } / 2 })
    {
      values.push_back({ value, value });
      values.push_back({ -value, -value });
    }
  }
  return values;
}

TEST(Number, NumbersCompareAsTheirValuesDo)
{
  if (!HasLong)
  {
    GTEST_SKIP() << "no floating-point type holds what is compared";
  }
  for (const Pair & a : Values())
  {
    for (const Pair & b : Values())
    {
      ASSERT_EQ(a.number < b.number, a.exact < b.exact)
        << static_cast<double>(a.exact) << ", " << static_cast<double>(b.exact);
      ASSERT_EQ(a.number == b.number, a.exact == b.exact)
        << static_cast<double>(a.exact) << ", " << static_cast<double>(b.exact);
    }
  }
}

template <typename T>
class NumberOfType : public testing::Test
{};
using Types = testing::Types<std::uint8_t, std::int16_t, std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(NumberOfType, Types);

TYPED_TEST(NumberOfType, EveryValueReturns)
{
  using Limits = std::numeric_limits<TypeParam>;
  std::vector<TypeParam> values = { Limits::lowest(), 0, 1, Limits::max() };
  std::mt19937_64        random(5);
  for (int i = 0; i < 1000; ++i)
  {
    values.push_back(static_cast<TypeParam>(random() >> (i % 64)));
  }
  for (const TypeParam value : values)
  {
    ASSERT_EQ(static_cast<TypeParam>(Number(value)), value);
    ASSERT_EQ(static_cast<TypeParam>(-(-Number(value))), value);
    TypeParam floor{};
    TypeParam ceiling{};
    ASSERT_TRUE(FloorOf(value, floor) && CeilingOf(value, ceiling));
    ASSERT_EQ(floor, value);
    ASSERT_EQ(ceiling, value);
  }
}

/** By its definition: no value of the type is between the bound and the result. */
TYPED_TEST(NumberOfType, BoundsAreRoundedToTheNextValueOnTheirSide)
{
  using Limits = std::numeric_limits<TypeParam>;
  for (const Pair & bound : Values())
  {
    const auto exact = [](TypeParam value) { return static_cast<Long>(value); };
    const auto next = [](TypeParam value, bool up) {
      if constexpr (std::is_integral_v<TypeParam>)
      {
        return static_cast<TypeParam>(up ? value + 1 : value - 1);
      }
      else
      {
        return std::nextafter(value, up ? Limits::infinity() : -Limits::infinity());
      }
    };
    const TypeParam highest = Limits::has_infinity ? Limits::infinity() : Limits::max();
    const TypeParam lowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    TypeParam       value{};
    if (HasLong)
    {
      ASSERT_EQ(FloorOf(bound.number, value), bound.exact >= exact(lowest));
      if (bound.exact >= exact(lowest))
      {
        ASSERT_LE(exact(value), bound.exact);
        ASSERT_TRUE(value == highest || exact(next(value, true)) > bound.exact);
      }
      ASSERT_EQ(CeilingOf(bound.number, value), bound.exact <= exact(highest));
      if (bound.exact <= exact(highest))
      {
        ASSERT_GE(exact(value), bound.exact);
        ASSERT_TRUE(value == lowest || exact(next(value, false)) < bound.exact);
      }
    }
  }
}

TYPED_TEST(NumberOfType, NoValueLiesBetweenANumberAndWhatIsJustBelow)
{
  for (const Pair & bound : Values())
  {
    TypeParam below{};
    if (!std::isfinite(bound.number.Nearest()) || !FloorOf(bound.number.JustBelow(), below))
    {
      continue;
    }
    ASSERT_LT(bound.number.JustBelow(), bound.number);
    ASSERT_LT(Number(below), bound.number);
    TypeParam next{};
    if (CeilingOf(bound.number, next) && Number(next) == bound.number && below != next)
    {
      if constexpr (std::is_integral_v<TypeParam>)
      {
        ASSERT_EQ(static_cast<TypeParam>(below + 1), next);
      }
      else
      {
        ASSERT_EQ(std::nextafter(below, std::numeric_limits<TypeParam>::infinity()), next);
      }
    }
  }
}

TEST(Criterion, IsReadFromWhatItIsWrittenAs)
{
  for (const Criterion & criterion : { Criterion::Foreground(),
                                       Criterion::Foreground(-3),
                                       Criterion::InRange(100, HUGE_VAL),
                                       Criterion::InRange(std::int64_t{ -9007199254740993 }, -2.5),
                                       Criterion::EqualValue(),
                                       Criterion::EqualValue(std::nullopt),
                                       Criterion::EqualValue().Within(1, 7),
                                       Criterion::Tolerance(0.25),
                                       Criterion::Tolerance(10, std::nullopt),
                                       Criterion::Tolerance(10).Within(-HUGE_VAL, 5) })
  {
    EXPECT_EQ(Criterion::FromText(criterion.ToString()), criterion) << criterion.ToString();
  }
  EXPECT_EQ(Criterion::FromText("foreground"), Criterion());
  EXPECT_EQ(Criterion::FromText("tolerance 5"), Criterion::Tolerance(5));
  for (const char * const text : { "",
                                   "equal",
                                   "tolerance",
                                   "tolerance x",
                                   "tolerance -1",
                                   "foreground within [5, 2]",
                                   "foreground within [5 2]",
                                   "foreground within [5, 2",
                                   "foreground, background nan",
                                   "equal value, background 1, background 2",
                                   "foreground " })
  {
    EXPECT_THROW(Criterion::FromText(text), InvalidArgument) << text;
  }
}

TEST(Number, WholeNumbersOf64BitsAreReadAndWrittenExactly)
{
  for (const char * const text : { "0",
                                   "7",
                                   "-1",
                                   "9007199254740993",
                                   "-9007199254740993",
                                   "9223372036854775807",
                                   "-9223372036854775808",
                                   "18446744073709551615" })
  {
    const std::optional<Number> number = Number::FromText(text);
    ASSERT_TRUE(number) << text;
    EXPECT_EQ(number->ToString(), text);
  }
  EXPECT_EQ(*Number::FromText("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(*Number::FromText("-9223372036854775808"), std::numeric_limits<std::int64_t>::lowest());
  EXPECT_EQ(*Number::FromText("+9007199254740993"), std::int64_t{ 9007199254740993 });
}

TEST(Number, OtherTextsAreNumbersOrNothing)
{
  EXPECT_EQ(*Number::FromText("0.5"), 0.5);
  EXPECT_EQ(*Number::FromText("0x1p-3"), 0.125);
  EXPECT_EQ(*Number::FromText("-inf"), -HUGE_VAL);
  EXPECT_EQ(Number(0.1).ToString(), "0.1");
  EXPECT_EQ(Number(-2.5).ToString(), "-2.5");
  EXPECT_EQ(Number(HUGE_VAL).ToString(), "inf");
  EXPECT_EQ(Number(1e20).ToString(), "1e+20");
  for (const char * const text : { "", "-", "1,5", "5 ", "1e", "one", "--3" })
  {
    EXPECT_FALSE(Number::FromText(text)) << text;
  }
}

TEST(Number, FractionsBeyondItsDigitsAreOnTheirSideOfWholeNumbers)
{
  for (const char * const whole : { "0", "7", "9007199254740993", "9223372036854775807", "18446744073709551614" })
  {
    const Number low = *Number::FromText(whole);
    for (const char * const fraction :
         { ".5", ".1", ".9", ".00000000000000000000000001", ".99999999999999999999999999" })
    {
      const Number number = *Number::FromText(whole + std::string(fraction));
      EXPECT_EQ(number.Floor(), low) << whole << fraction;
      EXPECT_EQ(number.Ceiling(), low + Number(1)) << whole << fraction;
      const Number negative = *Number::FromText("-" + std::string(whole) + fraction);
      EXPECT_EQ(negative.Ceiling(), -low) << whole << fraction;
      EXPECT_EQ(negative.Floor(), -(low + Number(1))) << whole << fraction;
    }
    EXPECT_EQ(*Number::FromText(whole + std::string(".000e0")), low);
  }
  EXPECT_GT(*Number::FromText("10.000000000000000000000000001e1"), 100);
  EXPECT_LT(*Number::FromText("9999999999999999999999999999e-26"), 100);
  EXPECT_EQ(*Number::FromText("1000000000000000000000e-19"), 100);
}

TEST(Number, LimitsOfSumsAreExact)
{
  // Differences of 64-bit pixels are summed over channels, so that a limit may have more than 64 bits.
  const auto limit = [](Number tolerance) {
    return ToDifferenceSumLimit<std::uint64_t>(Criterion::Tolerance(tolerance));
  };
  EXPECT_TRUE(limit(std::numeric_limits<std::uint64_t>::max()) == UInt128{ std::numeric_limits<std::uint64_t>::max() });
  EXPECT_TRUE(limit(9007199254740993u) == UInt128{ 9007199254740993u });
  EXPECT_TRUE(limit(2.75) == UInt128{ 2 });
  EXPECT_TRUE(limit(std::ldexp(3.0, 66)) == UInt128{ 3 } << 66);
  EXPECT_TRUE(limit(HUGE_VAL) > UInt128{ 1 } << 90);
}

} // namespace
} // namespace brickccl
