// SPDX-License-Identifier: Apache-2.0
// Charts as files, ticks and numbers.

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/RoundNumber.h"
#include "BrickCCL/Files/ImageFile.h"
#include "BrickCCL/Pictures/Chart.h"
#include "BrickCCL/Pictures/Ticks.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

namespace brickccl
{
namespace
{

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

/** A file of the test's own. */
std::string
PathOf(const std::string & extension)
{
  const auto * const test = ::testing::UnitTest::GetInstance()->current_test_info();
  return (fs::path(::testing::TempDir()) / (std::string("brickccl-chart-") + test->name() + extension)).string();
}

/** The output of `write`. */
template <typename TWrite>
std::string
Written(const std::string & extension, TWrite write)
{
  const std::string path = PathOf(extension);
  write(path);
  std::ifstream     file(path, std::ios::binary);
  const std::string content{ std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>() };
  fs::remove(path);
  return content;
}

std::size_t
Count(const std::string & text, const std::string & part)
{
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
  {
    ++count;
  }
  return count;
}

/** How many bars a histogram's drawing has. */
std::size_t
BarsOf(const Histogram & histogram)
{
  return Count(Written(".svg", [&](const std::string & path) { WriteHistogramChart(path, histogram); }), "#3c6ea0");
}

TEST(Ticks, StandAtRoundNumbers)
{
  EXPECT_EQ(LinearTicks(0, 10, 6).texts, (Texts{ "0", "2", "4", "6", "8", "10" }));
  EXPECT_EQ(LinearTicks(0.3, 0.7, 5).texts, (Texts{ "0.3", "0.4", "0.5", "0.6", "0.7" }));
  EXPECT_EQ(LinearTicks(-1000, 1600, 8).texts, (Texts{ "-1000", "-500", "0", "500", "1000", "1500" }));
  EXPECT_EQ(LinearTicks(0, 1, 8, true).texts, (Texts{ "0", "1" })) << "whole numbers alone";
  EXPECT_EQ(LinearTicks(0, 3.2, 8, true).texts, (Texts{ "0", "1", "2", "3" }));
  EXPECT_EQ(LogarithmicTicks(0.5, 2000).texts, (Texts{ "1", "10", "100", "1000" }));
  EXPECT_EQ(LogarithmicTicks(2e5, 3e9).texts, (Texts{ "1000000", "1e+07", "1e+08", "1e+09" }));
  EXPECT_EQ(LogarithmicTicks(3, 40).texts, (Texts{ "5", "10", "20" }));
}

TEST(Ticks, AreFewAndWithinForAllRanges)
{
  for (const double low : { -3e7, -1.0, 0.0, 1e-9, 0.37, 999999.0, 1e15 })
  {
    for (const double length : { 1e-12, 1e-3, 1.0, 7.3, 4e8, 1e30 })
    {
      for (const int maximum : { 2, 5, 10 })
      {
        const double high = low + length;
        const Ticks  ticks = LinearTicks(low, high, maximum);
        EXPECT_LE(static_cast<int>(ticks.places.size()), maximum) << low << ", " << length;
        for (std::size_t i = 0; i < ticks.places.size(); ++i)
        {
          EXPECT_GE(ticks.places[i], low - 1e-6 * length);
          EXPECT_LE(ticks.places[i], high + 1e-6 * length);
          EXPECT_TRUE(i == 0 || ticks.texts[i] != ticks.texts[i - 1]) << ticks.texts[i];
        }
      }
    }
  }
  EXPECT_EQ(LinearTicks(5, 5, 10).texts, (Texts{ "5" }));
}

TEST(Ticks, RoundNumbersBelow)
{
  EXPECT_DOUBLE_EQ(LargestRoundNumber(1), 1);
  EXPECT_DOUBLE_EQ(LargestRoundNumber(4.9), 2);
  EXPECT_DOUBLE_EQ(LargestRoundNumber(99.9), 50);
  EXPECT_DOUBLE_EQ(LargestRoundNumber(1000), 1000);
  EXPECT_DOUBLE_EQ(LargestRoundNumber(0.0035), 0.002);
}

TEST(Ticks, LengthsHaveTheUnitThatSuitsThem)
{
  EXPECT_EQ(LengthText(20), "20 mm");
  EXPECT_EQ(LengthText(0), "0 mm");
  EXPECT_EQ(LengthText(0.5), "500 µm");
  EXPECT_EQ(LengthText(0.001), "1 µm");
  EXPECT_EQ(LengthText(5e-5), "50 nm");
  EXPECT_EQ(LengthText(999), "999 mm");
  EXPECT_EQ(LengthText(1500), "1.5 m");
  EXPECT_EQ(ShortNumber(123456), "123456");
  EXPECT_EQ(ShortNumber(0.00012345678), "0.0001235");
  EXPECT_EQ(ShortNumber(-0.0), "0");
  EXPECT_EQ(ShortNumber(2.5e12), "2.5e+12");
}

TEST(HistogramChart, HasABarForEachStepThatIsNotEmpty)
{
  const Histogram histogram{ "volume_mm3", "mm^3", { 1, 2, 3, 4, 5 }, { 7, 0, 2, 1 }, 3 };
  const auto      drawing = Written(".svg", [&](const std::string & path) { WriteHistogramChart(path, histogram); });
  EXPECT_EQ(Count(drawing, "#3c6ea0"), 3u);
  EXPECT_NE(drawing.find(">volume [mm³]<"), std::string::npos);
  EXPECT_NE(drawing.find(">components<"), std::string::npos);
  EXPECT_NE(drawing.find("3 values are not finite"), std::string::npos);
  EXPECT_EQ(drawing.substr(0, 5), "<?xml");
  EXPECT_EQ(drawing.substr(drawing.size() - 7), "</svg>\n");
}

TEST(HistogramChart, OfVeryManyStepsStaysSmall)
{
  Histogram histogram{ "x", "", {}, std::vector<std::uint64_t>(1000000, 1), 0 };
  for (int i = 0; i <= 1000000; ++i)
  {
    histogram.edges.push_back(i);
  }
  EXPECT_GT(BarsOf(histogram), 300u);
  EXPECT_LE(BarsOf(histogram), 400u);
}

TEST(HistogramChart, OfNothingAndOfOneValue)
{
  EXPECT_EQ(BarsOf({ "x", "", { 0, 1 }, { 0 }, 0 }), 0u);
  EXPECT_EQ(BarsOf({ "x", "", { 4.5, 5.5 }, { 9 }, 0 }), 1u);
  EXPECT_EQ(BarsOf({ "x", "", { 1e17, 1e17 }, { 9 }, 0 }), 1u) << "a step that doubles do not hold";
  EXPECT_EQ(BarsOf({ "x", "", { -1e308, 0, 1e308 }, { 9, 1 }, 0 }), 2u);
}

TEST(HistogramChart, AsPixelsIsAPicture)
{
  const std::string path = PathOf(".png");
  WriteHistogramChart(path, { "volume_mm3", "mm^3", { 0, 1, 2 }, { 1, 2 }, 0 });
  const LoadedImage picture = ReadImageFile(path);
  fs::remove(path);
  EXPECT_EQ(picture.extent.size[0], ChartFrame::Width);
  EXPECT_EQ(picture.extent.size[1], ChartFrame::Height);
  std::size_t blue = 0;
  for (std::int64_t i = 0; i < picture.extent.VoxelCount(); ++i)
  {
    blue += picture.voxels.Data()[3 * i] == std::byte{ 0x3c } && picture.voxels.Data()[3 * i + 2] == std::byte{ 0xa0 }
            ? 1
            : 0;
  }
  // One and a half halves of the frame, which is not quite the picture.
  EXPECT_GT(blue, std::size_t{ 1000 * 600 / 2 });
  EXPECT_LT(blue, std::size_t{ 1000 * 600 * 3 / 4 });
}

TEST(LineChart, DrawsEveryPointAndName)
{
  const LineChart chart{ "A & B",
                         "x <mm>",
                         "\"y\"",
                         false,
                         { { "one", { { 0, 0 }, { 1, 2 }, { 2, 1 } } }, { "two", { { 1, 1 } } } } };
  const auto      drawing = Written(".svg", [&](const std::string & path) { WriteLineChart(path, chart); });
  // Two segments and three discs, and the legend's segment and two discs.
  EXPECT_EQ(Count(drawing, "#0072b2"), 2u + 3 + 3);
  EXPECT_EQ(Count(drawing, "#d55e00"), 1u + 3);
  EXPECT_NE(drawing.find(">A &amp; B<"), std::string::npos);
  EXPECT_NE(drawing.find(">x &lt;mm&gt;<"), std::string::npos);
  EXPECT_NE(drawing.find(">&quot;y&quot;<"), std::string::npos);
  EXPECT_NE(drawing.find(">two<"), std::string::npos);
}

TEST(LineChart, SeriesOfTheRightAxisHaveAScaleOfTheirOwn)
{
  LineChart chart{ "",
                   "",
                   "left",
                   false,
                   { { "many", { { 0, 0 }, { 1, 9000 } } }, { "few", { { 0, 0 }, { 1, 9 } }, true } } };
  chart.rightTitle = "right in %";
  const auto drawing = Written(".svg", [&](const std::string & path) { WriteLineChart(path, chart); });
  EXPECT_NE(drawing.find(">right in %<"), std::string::npos);
  EXPECT_NE(drawing.find(">8000<"), std::string::npos);
  EXPECT_NE(drawing.find(">8<"), std::string::npos);
  // The greatest value of either series is drawn at the same height.
  Texts heights;
  for (std::size_t at = drawing.find("<line "); at != std::string::npos; at = drawing.find("<line ", at + 1))
  {
    const std::string line = drawing.substr(at, drawing.find("/>", at) - at);
    if (line.find("stroke-width=\"2\"") != std::string::npos && line.find("y2=\"") != std::string::npos)
    {
      heights.push_back(line.substr(line.find("y2=\"") + 4, 5));
    }
  }
  ASSERT_EQ(heights.size(), 4u); // each series' segment and its sample in the legend
  EXPECT_EQ(heights[0], heights[2]);
}

TEST(LineChart, LogarithmicAxesPutFactorsAtEqualDistances)
{
  const LineChart chart{ "", "", "", true, { { "one", { { 1, 1 }, { 10, 1 }, { 100, 1 } } } } };
  const auto      drawing = Written(".svg", [&](const std::string & path) { WriteLineChart(path, chart); });
  Texts           ends;
  for (std::size_t at = drawing.find("<line "); at != std::string::npos; at = drawing.find("<line ", at + 1))
  {
    const std::string line = drawing.substr(at, drawing.find("/>", at) - at);
    if (line.find("#0072b2") != std::string::npos && line.find("stroke-width=\"6\"") != std::string::npos)
    {
      ends.push_back(line.substr(line.find("x1=\"") + 4));
    }
  }
  ASSERT_EQ(ends.size(), 5u);
  EXPECT_NEAR(std::stod(ends[1]) - std::stod(ends[0]), std::stod(ends[2]) - std::stod(ends[1]), 0.02);
}

TEST(LineChart, RefusesWhatItCannotShow)
{
  const double infinite = std::numeric_limits<double>::infinity();
  const auto   fails = [](const LineChart & chart, const std::string & extension) {
    EXPECT_THROW(WriteLineChart(PathOf(extension), chart), InvalidArgument);
    EXPECT_FALSE(fs::exists(PathOf(extension)));
  };
  fails({ "", "", "", false, {} }, ".svg");
  fails({ "", "", "", false, { { "a", {} } } }, ".svg");
  fails({ "", "", "", false, { { "a", { { 0, infinite } } } } }, ".svg");
  fails({ "", "", "", true, { { "a", { { 0, 1 } } } } }, ".svg");
  fails({ "", "", "", false, { { "a", { { 0, 1 } } } } }, ".jpg");
  fails({ "", "", "", false, { { "a", { { 0, 1 } } } } }, "");
  EXPECT_THROW(WriteLineChart("/none/c.svg", { "", "", "", false, { { "a", { { 0, 1 } } } } }), Error);
}

TEST(Drawing, NamesOfCharts)
{
  EXPECT_NO_THROW(CheckChartName("a.svg"));
  EXPECT_NO_THROW(CheckChartName("folder/A.PNG"));
  EXPECT_NO_THROW(CheckChartName(""));
  for (const char * name : { ".svg", "svg", "a.pdf", "a.svg.gz", "a.svg/" })
  {
    EXPECT_THROW(CheckChartName(name), InvalidArgument) << name;
  }
}

TEST(Drawing, TextIsEscapedForXml)
{
  EXPECT_EQ(EscapeXml("a < b & c > \"d\""), "a &lt; b &amp; c &gt; &quot;d&quot;");
  EXPECT_EQ(EscapeXml("mm³ µm"), "mm³ µm");
  EXPECT_EQ(EscapeXml("a\x01\n\tb"), "a   b") << "characters that XML does not allow";
  EXPECT_EQ(EscapeXml("\xff\xc2"), "??") << "no UTF-8";
  EXPECT_EQ(EscapeXml("</text><script>"), "&lt;/text&gt;&lt;script&gt;");
}

} // namespace
} // namespace brickccl
