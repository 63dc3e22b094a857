// SPDX-License-Identifier: Apache-2.0
#include "SplitCases.h"
#include "BrickCCL/Splitting/Split.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace brickccl
{
namespace
{

using namespace testing::splits;

TEST(Split, TheCurveHasTheObjectsOfEveryHeight)
{
  for (std::uint64_t seed = 0; seed < 12; ++seed)
  {
    Case one{ Extents[seed % Extents.size()], {} };
    one.labels = Blocks(one.extent, 1 + seed % 2, 1 + seed % 3, 0.15, seed);
    std::vector<std::uint8_t> values;
    for (std::size_t i = 0; i < one.labels.size(); ++i)
    {
      values.push_back(static_cast<std::uint8_t>((i * 7919 + seed) % 251));
    }
    for (const bool byValues : { false, true })
    {
      TypedLabels                typed;
      std::vector<std::uint32_t> objects(one.labels.size());
      const auto                 labels = typed.Of(one, seed);
      SplitOptions               options;
      options.findsCurve = true;
      options.geometry.spacing[0] = 0.7;
      options.values = byValues ? std::optional(ImageView(values.data(), one.extent)) : std::nullopt;
      const auto curve = Split(labels, objects.data(), options).curve;
      ASSERT_FALSE(curve.empty());
      EXPECT_EQ(curve[0].first, 0);
      for (std::size_t i = 0; i < curve.size(); ++i)
      {
        const double end = i + 1 < curve.size() ? curve[i + 1].first : curve[i].first + 9;
        for (const double share : { 0.001, 0.5, 0.999 })
        {
          options.height = curve[i].first + share * (end - curve[i].first);
          ASSERT_EQ(Split(labels, objects.data(), options).objects.size(), curve[i].second) << seed << ' ' << i;
        }
      }
    }
  }
}

} // namespace
} // namespace brickccl
