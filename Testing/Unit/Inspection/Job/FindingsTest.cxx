// SPDX-License-Identifier: Apache-2.0
// Findings as text and as JSON: numbers for people are short, numbers for programs are complete.

#include "BrickCCL/Job/Findings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace
{

using namespace brickccl;
using job::AsJson;
using job::AsText;
using job::Findings;
using job::Readable;

TEST(FindingsTest, SizesHaveFourDigitsAndAUnitThatFits)
{
  const struct
  {
    double       value;
    const char * unit;
    const char * text;
  } cases[] = { { 8336800, "mm3", "8337 cm3" },     { 102968, "mm3", "103.0 cm3" },  { 10550, "mm3", "10.55 cm3" },
                { 1000, "mm3", "1.000 cm3" },       { 999.94, "mm3", "999.9 mm3" },  { 12.303, "mm3", "12.30 mm3" },
                { 0.0125, "mm3", "0.01250 mm3" },   { 1e-6, "mm3", "1000 um3" },     { 1e10, "mm3", "10.00 m3" },
                { 284, "mm2", "284.0 mm2" },        { 2054, "mm2", "20.54 cm2" },    { 5e-4, "mm2", "500.0 um2" },
                { 1.5945952177, "mm", "1.595 mm" }, { 0.05, "mm", "50.00 um" },      { 1234.5, "mm", "1234 mm" },
                { 1.2346, "%", "1.235 %" },         { 9.9996, "%", "10.00 %" },      { 100, "%", "100.0 %" },
                { 0.31234, "s", "0.31 s" },         { 123.4, "s", "123 s" },         { 0, "mm3", "0 mm3" },
                { 0.54985, "", "0.5498" },          { 1.0321e-38, "", "1.032e-38" }, { 3, "mm4", "3.000 mm4" } };
  for (const auto & one : cases)
  {
    EXPECT_EQ(Readable(one.value, one.unit), one.text);
  }
  EXPECT_EQ(Readable(std::numeric_limits<double>::infinity(), "mm"), "inf mm");
}

TEST(FindingsTest, SizesOfALineHaveOneUnit)
{
  const auto line = [](double part, double pores) {
    return AsText({ { "p", part, 1, "part #", "mm3" },
                    { "x", 50.0, 1, "share #", "%" },
                    { "q", pores, 1, "pores #", "mm3" },
                    { "r", part, 2, "part #", "mm3" } });
  };
  EXPECT_EQ(line(1955, 12.3), "part 1955 mm3, share 50.00 %, pores 12.30 mm3\npart 1.955 cm3");
  EXPECT_EQ(line(8e6, 2e3), "part 8000 cm3, share 50.00 %, pores 2.000 cm3\npart 8000 cm3");
  EXPECT_EQ(line(8e6, 0), "part 8000 cm3, share 50.00 %, pores 0 cm3\npart 8000 cm3");
  // Never more than seven digits before the point.
  EXPECT_EQ(line(8e9, 1), "part 8000000 cm3, share 50.00 %, pores 0.001000 cm3\npart 8.000 m3");
}

TEST(FindingsTest, ChosenNumbersAreNotPadded)
{
  EXPECT_EQ(Readable(Number(450)), "450");
  EXPECT_EQ(Readable(Number(-1000000)), "-1000000");
  EXPECT_EQ(Readable(Number(729.718467)), "729.7");
  EXPECT_EQ(Readable(Number(0.5)), "0.5");
  EXPECT_EQ(Readable(Number(-0.00001)), "-0.00001");
  EXPECT_EQ(Readable(Number(1e-10)), "1.000e-10");
  EXPECT_EQ(Readable(Number(std::uint64_t{ 18446744073709551615u })), "18446744073709551615");
}

TEST(FindingsTest, LinesFollowTheirNumbersAndWhatIsCountedHasAPlural)
{
  const auto text = [](std::uint64_t pores) {
    return AsText({ { "pores", pores, 2, "#", "pore" },
                    { "hidden", 7 },
                    { "nothing", nullptr, 2, "never #" },
                    { "", "26 neighbors", 2, "(#)" },
                    { "share", 1.23456, 2, "share #", "%" },
                    { "file", "a#b", 1, "in #" },
                    { "", "c", 1, "; then #" } });
  };
  EXPECT_EQ(text(0), "in a#b; then c\n0 pores (26 neighbors), share 1.235 %");
  EXPECT_EQ(text(1), "in a#b; then c\n1 pore (26 neighbors), share 1.235 %");
  EXPECT_EQ(text(1000000000), "in a#b; then c\n1000000000 pores (26 neighbors), share 1.235 %");
  EXPECT_EQ(AsText(Findings()), "");
}

TEST(FindingsTest, MembersKeepTheirOrderAndAllDigits)
{
  const Findings findings = { { "b/x", 1.0 / 3, 1, "x #", "mm" },
                              { "a", nullptr },
                              { "", "text only", 1 },
                              { "b/y", true } };
  EXPECT_EQ(AsJson(findings).dump(), "{\"b\":{\"x\":0.3333333333333333,\"y\":true},\"a\":null}");
  EXPECT_EQ(AsJson(Findings()).dump(), "{}");
}

} // namespace
