// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Geometry/DoubleDouble.h"
#include "BrickCCL/Tables/ColumnFormulas.h"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>

namespace brickccl
{
namespace
{

TEST(DoubleDoubleTest, ProductsAreExact)
{
  std::mt19937_64 random(20261129);
  for (int i = 0; i < 100000; ++i)
  {
    const std::uint64_t a = random() >> 11, b = random() >> 11;
    const auto          product = DoubleDouble::ProductOf(static_cast<double>(a), -static_cast<double>(b));
    // Modulo 2^62, where whole numbers of two parts are exact.
    const auto bits = [](double number) { return static_cast<std::uint64_t>(std::llround(std::fmod(number, 0x1p62))); };
    EXPECT_EQ((bits(product.high) + bits(product.low)) << 2, (std::uint64_t{ 0 } - a * b) << 2) << a << " " << b;
  }
}

TEST(DoubleDoubleTest, CubeRootsAreTheNearestNumbers)
{
  for (std::uint64_t side = 0; side < 200000; side += 7)
  {
    EXPECT_EQ(columns::CubeRoot(static_cast<double>(side * side * side)), static_cast<double>(side));
  }
  // By whole numbers of any length.
  EXPECT_EQ(columns::CubeRoot(0x1.3ceb3ff2f6ea1p-40), 0x1.b4582877960cdp-14);
  EXPECT_EQ(columns::CubeRoot(0x1.8b529b442c6c6p-3), 0x1.27e6364b1688bp-1);
  EXPECT_EQ(columns::CubeRoot(0x1.5eb561bd4f6b8p+0), 0x1.1c5224ffe7823p+0);
  EXPECT_EQ(columns::CubeRoot(0x1.9a9a80ef2b725p+5), 0x1.dbafc15fe7a9fp+1);
  EXPECT_EQ(columns::CubeRoot(0x1.a02f34b296572p+17), 0x1.ddd4fe8cfd7d6p+5);
  EXPECT_EQ(columns::CubeRoot(0x1.10c67fd361124p+60), 0x1.0579528c37c12p+20);
  EXPECT_TRUE(std::isinf(columns::CubeRoot(HUGE_VAL)));
  EXPECT_TRUE(std::isnan(columns::CubeRoot(std::nan(""))));
}

} // namespace
} // namespace brickccl
