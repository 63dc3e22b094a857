#include "LabelVolumes.h"

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Measuring/TouchingRuns.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Random.h"
#include "TableValue.h"

#include <gtest/gtest.h>

#include <set>

namespace brickccl
{
namespace
{

TEST(Columns, EveryOneIsDescribedOnce)
{
  for (int dimension = 1; dimension <= 4; ++dimension)
  {
    std::set<std::string> names;
    for (const ComponentColumn & column : AllColumns(dimension))
    {
      EXPECT_TRUE(names.insert(column.name).second) << column.name << " twice";
      EXPECT_FALSE(column.description.empty()) << column.name;
    }
    EXPECT_GT(names.size(), 20u);
  }
  const std::vector<std::uint16_t> labels(16, 1);
  EXPECT_THROW(MeasureLabels({ 2, 2, 2, 2 }, labels, "surface"), Unsupported);
}

} // namespace
} // namespace brickccl
