// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Labels/ListVoxels.h"
#include "BrickCCL/Labels/Relabel.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Tables/Condition.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace brickccl
{

namespace
{

/** Work that hears of hooks. */
using Work = std::function<void(const HostContext &)>;

/** How often work on one thread asks whether to stop. Its answer is always no. */
int
Questions(const Work & work)
{
  int           asked = 0;
  ProgressHooks hooks;
  hooks.canceled = [&asked] {
    ++asked;
    return false;
  };
  work({ 1, Progress(hooks) });
  return asked;
}

/** Says at some of the questions, the first and the last ones among them, that the work should stop. It must do so
 *  without another question. */
void
ExpectStops(const Work & work)
{
  const int     questions = Questions(work);
  std::set<int> at{ 1, 2, questions - 1, questions };
  for (int i = 1; i < 5; ++i)
  {
    at.insert(questions * i / 5);
  }
  for (const int last : at)
  {
    int           asked = 0;
    ProgressHooks hooks;
    hooks.canceled = [&] { return ++asked >= last; };
    if (last > 0)
    {
      EXPECT_THROW(work({ 1, Progress(hooks) }), Canceled) << "question " << last << " of " << questions;
      EXPECT_EQ(asked, last);
    }
  }
}

/** Every other voxel along each axis is a component of its own. */
constexpr std::int64_t Side = 96;
constexpr std::int64_t Components = std::int64_t{ 48 } * 48 * 48;
/** So often a loop over all components asks at least. */
constexpr int OneLoop = static_cast<int>(Components / StopPoint::Steps);

class Canceling : public ::testing::Test
{
protected:
  Canceling()
  {
    std::vector<std::uint8_t> voxels(Side * Side * Side, 0);
    for (std::int64_t z = 0; z < Side; z += 2)
    {
      for (std::int64_t y = 0; y < Side; y += 2)
      {
        for (std::int64_t x = 0; x < Side; x += 2)
        {
          voxels[static_cast<std::size_t>((z * Side + y) * Side + x)] = 1;
        }
      }
    }
    LabelOptions options;
    options.device = { Device::Kind::Cpu, 0 };
    Labeling labeling = Label(ImageView(voxels.data(), { Side, Side, Side }), options);
    EXPECT_EQ(labeling.ComponentCount(), std::uint64_t{ Components });
    m_Volume = TakeRuns(labeling);
  }

  ComponentTable
  Measure(const std::string & groups, const HostContext & context) const
  {
    MeasureOptions options;
    options.groups = ColumnGroups::FromNames(groups);
    return MeasureComponents(m_Volume, Components, {}, options, std::nullopt, context);
  }

  RunVolume m_Volume;
};

} // namespace

TEST_F(Canceling, EveryGroupOfColumnsAsksInItsLoops)
{
  const int plain = Questions([&](const HostContext & context) { Measure("", context); });
  EXPECT_GE(plain, 2 * OneLoop);
  for (const char * const groups : { "shape", "surface", "feret", "geodesic", "skeleton", "topology", "neighbors" })
  {
    const Work work = [&](const HostContext & context) { Measure(groups, context); };
    EXPECT_GE(Questions(work), plain + 2 * OneLoop) << groups;
    ExpectStops(work);
  }
}

TEST_F(Canceling, NewNumbersAreGivenAltogetherOrNotAtAll)
{
  std::vector<std::uint64_t> numbers(Components + 1, 7);
  const Work                 work = [&](const HostContext & context) { RenumberedLabels(m_Volume, numbers, context); };
  EXPECT_GE(Questions(work), OneLoop);
  ExpectStops(work);
  for (std::uint64_t run = 0; run < m_Volume.RunCount(); ++run)
  {
    ASSERT_EQ(m_Volume.Label(run), run + 1);
  }
  m_Volume.SetLabels(RenumberedLabels(m_Volume, numbers, {}));
  EXPECT_EQ(m_Volume.Label(0), 7u);
  EXPECT_EQ(m_Volume.Label(m_Volume.RunCount() - 1), 7u);
  m_Volume.SetLabels(RenumberedLabels(m_Volume, std::vector<std::uint64_t>(8, std::uint64_t{ 1 } << 32), {}));
  EXPECT_TRUE(m_Volume.IsWide());
  EXPECT_EQ(m_Volume.Label(0), std::uint64_t{ 1 } << 32);
}

TEST_F(Canceling, ListsOfVoxelsAndConditionsAsk)
{
  const Work list = [&](const HostContext & context) { ListVoxels(m_Volume, Components, context); };
  EXPECT_GE(Questions(list), 3 * OneLoop);
  ExpectStops(list);
  const ComponentTable table = Measure("", {});
  const Condition      condition("voxel_count > 1");
  const Work           evaluate = [&](const HostContext & context) { condition.Evaluate(table, context); };
  EXPECT_GE(Questions(evaluate), OneLoop);
  ExpectStops(evaluate);
}

TEST_F(Canceling, AnotherThreadHearsOfTheAnswer)
{
  bool          stops = false;
  ProgressHooks hooks;
  hooks.canceled = [&stops] { return stops; };
  StopPoint stop({ 1, Progress(hooks) });
  std::thread([&] { EXPECT_NO_THROW(stop.Ask()); }).join();
  stops = true;
  std::thread([&] { EXPECT_NO_THROW(stop.Ask()) << "only the calling thread asks"; }).join();
  EXPECT_THROW(stop.Ask(), Canceled);
  std::thread([&] { EXPECT_THROW(stop.Ask(), Canceled); }).join();
}

} // namespace brickccl
