// SPDX-License-Identifier: Apache-2.0
// Pictures of slices as files, and what draws them.

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Files/ImageFile.h"
#include "BrickCCL/Pictures/Canvas.h"
#include "BrickCCL/Pictures/Font.h"
#include "BrickCCL/Pictures/Picture.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace brickccl
{
namespace
{

namespace fs = std::filesystem;

/** A folder of the test's own. */
class Picture : public ::testing::Test
{
protected:
  Picture()
    : m_Folder(fs::path(::testing::TempDir()) /
               (std::string("brickccl-picture-") + ::testing::UnitTest::GetInstance()->current_test_info()->name()))
  {
    fs::remove_all(m_Folder);
    fs::create_directories(m_Folder);
  }
  ~Picture() override
  {
    fs::remove_all(m_Folder);
  }

  std::string
  Path(const std::string & name) const
  {
    return (m_Folder / name).string();
  }

  /** The picture of an image whose values above 0 are labeled. */
  LoadedImage
  Draw(const std::vector<std::uint8_t> & values,
       const Extent &                    extent,
       const Geometry &                  geometry = {},
       bool                              hasSpacing = true,
       bool                              hasPatientAxes = false)
  {
    LoadedImage image;
    image.extent = extent;
    image.geometry = geometry;
    image.hasPatientAxes = hasPatientAxes;
    std::copy_n(reinterpret_cast<const std::byte *>(values.data()), values.size(), image.voxels.Resize(values.size()));
    LabelOptions options;
    options.geometry = geometry;
    const Labeling       labeling = Label(image.View(), options);
    const ComponentTable table = labeling.Measure();
    WritePicture(Path("p.png"), { image, RunsOf(labeling), table, hasSpacing }, {});
    return ReadImageFile(Path("p.png"));
  }

private:
  fs::path m_Folder;
};

std::tuple<int, int, int>
PixelOf(const LoadedImage & picture, std::int64_t x, std::int64_t y)
{
  const std::byte * const pixel = picture.voxels.Data() + 3 * (y * picture.extent.size[0] + x);
  return { std::to_integer<int>(pixel[0]), std::to_integer<int>(pixel[1]), std::to_integer<int>(pixel[2]) };
}

/** How many pixels of the picture are neither gray nor nearly so: those of labels. */
std::int64_t
CountColored(const LoadedImage & picture, std::int64_t width, std::int64_t height)
{
  std::int64_t count = 0;
  for (std::int64_t y = 0; y < height; ++y)
  {
    for (std::int64_t x = 0; x < width; ++x)
    {
      const auto [red, green, blue] = PixelOf(picture, x, y);
      count += std::max({ red, green, blue }) - std::min({ red, green, blue }) > 40 ? 1 : 0;
    }
  }
  return count;
}

TEST_F(Picture, OfOneSliceShowsLabelsOverGray)
{
  std::vector<std::uint8_t> values(std::size_t{ 100 } * 50);
  for (std::size_t y = 10; y < 40; ++y)
  {
    std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(100 * y + 20), 60, std::uint8_t{ 200 });
  }
  const LoadedImage picture = Draw(values, Extent{ 100, 50 });
  EXPECT_EQ(picture.channels, 3);
  EXPECT_GT(picture.extent.size[0], 960);
  EXPECT_GT(picture.extent.size[1], 480);
  // 60 x 30 of 100 x 50 voxels, which are 9.6 pixels wide.
  EXPECT_NEAR(static_cast<double>(CountColored(picture, 16 + 960, 16 + 480)), 60 * 30 * 9.6 * 9.6, 60 * 9.6 * 4);
  EXPECT_EQ(PixelOf(picture, 16 + 30, 16 + 30), std::make_tuple(0, 0, 0));
}

TEST_F(Picture, ThinComponentsOfLargeImagesAreSeen)
{
  // A line one voxel wide where a pixel holds 4 x 4 voxels.
  std::vector<std::uint8_t> values(std::size_t{ 4000 } * 200);
  std::fill_n(values.begin() + 4000 * 101, 4000, std::uint8_t{ 1 });
  const LoadedImage picture = Draw(values, Extent{ 4000, 200 });
  EXPECT_GE(CountColored(picture, 16 + 960, 16 + 48), 960);
}

TEST_F(Picture, OfAVolumeHasThreeSlicesInProportion)
{
  Geometry geometry;
  geometry.spacing[2] = 3;
  const LoadedImage flat = Draw(std::vector<std::uint8_t>(std::size_t{ 40 } * 30 * 10, 1), Extent{ 40, 30, 10 });
  const LoadedImage tall =
    Draw(std::vector<std::uint8_t>(std::size_t{ 40 } * 30 * 10, 1), Extent{ 40, 30, 10 }, geometry);
  // 40 mm are 480 pixels; z is 10 mm or 30 mm high, y 30 mm wide.
  EXPECT_EQ(tall.extent.size[1] - flat.extent.size[1], 480 * 20 / 40);
  EXPECT_GT(flat.extent.size[0], 480 + 360);
  EXPECT_LT(flat.extent.size[0], 480 + 360 + 120);
}

/** The image of a patient whose liver is the only component, stored with axes along and against those of the patient:
 * the pictures are the same, pixel by pixel, up to the names of axes in their captions. */
TEST_F(Picture, OfAPatientStandsUpright)
{
  const std::int64_t sizes[3] = { 40, 30, 20 };
  const auto         isLiver = [](std::int64_t left, std::int64_t posterior, std::int64_t superior) {
    return left >= 4 && left < 14 && posterior >= 6 && posterior < 18 && superior >= 11 && superior < 18;
  };
  LoadedImage first;
  for (const auto & [along, sign] : { std::pair{ std::array{ 0, 1, 2 }, std::array{ 1, 1, 1 } },
                                      std::pair{ std::array{ 0, 1, 2 }, std::array{ -1, -1, 1 } },
                                      std::pair{ std::array{ 1, 0, 2 }, std::array{ 1, -1, -1 } },
                                      std::pair{ std::array{ 1, 0, 2 }, std::array{ -1, 1, 1 } } })
  {
    // Image axis i runs along the patient's axis along[i].
    Geometry     geometry;
    std::int64_t stored[3];
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      const auto patient = static_cast<std::size_t>(along[axis]);
      stored[axis] = sizes[patient];
      for (std::size_t row = 0; row < 3; ++row)
      {
        geometry.direction[row][axis] = row == patient ? sign[axis] : 0;
      }
    }
    std::vector<std::uint8_t> values;
    std::int64_t              index[3];
    for (index[2] = 0; index[2] < stored[2]; ++index[2])
    {
      for (index[1] = 0; index[1] < stored[1]; ++index[1])
      {
        for (index[0] = 0; index[0] < stored[0]; ++index[0])
        {
          std::int64_t place[3];
          for (std::size_t axis = 0; axis < 3; ++axis)
          {
            place[along[axis]] = sign[axis] > 0 ? index[axis] : stored[axis] - 1 - index[axis];
          }
          values.push_back(isLiver(place[0], place[1], place[2]) ? 1 : 0);
        }
      }
    }
    LoadedImage picture = Draw(values, Extent(3, stored), geometry, true, true);
    if (first.extent.VoxelCount() <= 1)
    {
      first = std::move(picture);
      // The liver is on the right side of the patient, which is on the left, and in front, which is on top.
      std::int64_t x = 0;
      std::int64_t y = 0;
      std::int64_t count = 0;
      for (std::int64_t row = 0; row < 360; ++row)
      {
        for (std::int64_t column = 0; column < 480; ++column)
        {
          const auto [red, green, blue] = PixelOf(first, 16 + column, 16 + row);
          // Not the letters.
          if (red > 150 && green < 100)
          {
            x += column;
            y += row;
            ++count;
          }
        }
      }
      ASSERT_GT(count, 1000);
      EXPECT_NEAR(static_cast<double>(x) / static_cast<double>(count), 9 * 12, 6);
      EXPECT_NEAR(static_cast<double>(y) / static_cast<double>(count), 12 * 12, 6);
      continue;
    }
    for (std::int64_t row = 0; row < 360; ++row)
    {
      for (std::int64_t column = 0; column < 480; ++column)
      {
        ASSERT_EQ(PixelOf(picture, 16 + column, 16 + row), PixelOf(first, 16 + column, 16 + row))
          << column << ' ' << row;
      }
    }
  }
}

TEST_F(Picture, OfTinyAndThinImages)
{
  for (const Extent & extent : { Extent{ 1 },
                                 Extent{ 1, 1 },
                                 Extent{ 1, 1, 1 },
                                 Extent{ 1, 500 },
                                 Extent{ 500, 1 },
                                 Extent{ 20000, 1 },
                                 Extent{ 700 },
                                 Extent{ 1, 300, 200 },
                                 Extent{ 300, 1, 200 },
                                 Extent{ 2, 2, 900 } })
  {
    for (const std::uint8_t value : { std::uint8_t{ 0 }, std::uint8_t{ 1 } })
    {
      const LoadedImage picture =
        Draw(std::vector<std::uint8_t>(static_cast<std::size_t>(extent.VoxelCount()), value), extent, {}, false);
      EXPECT_GE(picture.extent.size[0], 200) << extent.ToString();
      EXPECT_LE(picture.extent.size[0], 1400) << extent.ToString();
      EXPECT_GE(picture.extent.size[1], 200) << extent.ToString();
      EXPECT_LE(picture.extent.size[1], 1400) << extent.ToString();
      EXPECT_EQ(CountColored(picture, picture.extent.size[0], picture.extent.size[1]) > 0, value > 0)
        << extent.ToString();
    }
  }
}

TEST_F(Picture, OfThousandsOfComponentsListsTheLargest)
{
  std::vector<std::uint8_t> values(std::size_t{ 200 } * 200);
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    values[i] = i % 2 == 0 && i / 200 % 2 == 0 ? 1 : 0;
  }
  const LoadedImage picture = Draw(values, Extent{ 200, 200 });
  EXPECT_LT(picture.extent.size[1], 1100);
  std::set<std::tuple<int, int, int>> swatches;
  for (std::int64_t y = 0; y < picture.extent.size[1]; ++y)
  {
    const auto [red, green, blue] = PixelOf(picture, 16 + 960 + 32 + 5, y);
    if (std::max({ red, green, blue }) - std::min({ red, green, blue }) > 40)
    {
      swatches.insert({ red, green, blue });
    }
  }
  EXPECT_EQ(swatches.size(), 16u) << "no two listed components have the same color";
}

/** The longest row of pixels of the color of bars, from the column `left` on. */
int
LongestBar(const LoadedImage & picture, std::int64_t left)
{
  int longest = 0;
  for (std::int64_t y = 0; y < picture.extent.size[1]; ++y)
  {
    int length = 0;
    for (std::int64_t x = left; x < picture.extent.size[0]; ++x)
    {
      length = PixelOf(picture, x, y) == std::make_tuple(232, 234, 238) ? length + 1 : 0;
      longest = std::max(longest, length);
    }
  }
  return longest;
}

TEST_F(Picture, TheScaleBarHasARoundLength)
{
  const std::vector<std::uint8_t> values(std::size_t{ 200 } * 50);
  Geometry                        geometry;
  // 60 mm are 960 pixels: 10 mm are 160. Of pixels, 20 are 96.
  geometry.spacing[0] = geometry.spacing[1] = 0.3;
  EXPECT_EQ(LongestBar(Draw(values, Extent{ 200, 50 }, geometry), 16 + 960 + 2), 160);
  EXPECT_EQ(LongestBar(Draw(values, Extent{ 200, 50 }, {}, false), 16 + 960 + 2), 96);
  // 0.06 mm are 960 pixels: 10 um are 160.
  geometry.spacing[0] = geometry.spacing[1] = 0.0003;
  EXPECT_EQ(LongestBar(Draw(values, Extent{ 200, 50 }, geometry), 16 + 960 + 2), 160);
}

TEST_F(Picture, OfFourDimensionsIsRefusedAndLeavesNoFile)
{
  const std::vector<std::uint8_t> values(16, 1);
  EXPECT_THROW(Draw(values, Extent{ 2, 2, 2, 2 }), Unsupported);
  EXPECT_FALSE(fs::exists(Path("p.png")));
  EXPECT_THROW(CheckPicture(Extent{ 2, 2, 2, 2 }), Unsupported);
  EXPECT_NO_THROW(CheckPicture(Extent{ 2, 2, 2 }));
}

TEST_F(Picture, InAFolderThatIsNotThereIsAnError)
{
  const Canvas canvas(4, 4, {});
  EXPECT_THROW(canvas.Write(Path("none/p.png")), Error);
}

TEST(Canvas, LeavesOutWhatLiesOutside)
{
  const Color white{ 255, 255, 255 };
  Canvas      canvas(8, 6, {});
  canvas.FillRectangle(-5, -5, 7, 7, white);
  canvas.FillRectangle(7, 5, 100, 100, white);
  canvas.Blend(8, 0, white);
  canvas.Blend(-1, 3, white);
  canvas.DrawText(-100, 3, "outside", white);
  canvas.DrawLine(-50, -50, -20, 90, 5, white);
  int filled = 0;
  for (int i = 0; i < 48; ++i)
  {
    filled += canvas.At(i % 8, i / 8) == white ? 1 : 0;
  }
  EXPECT_EQ(filled, 5);
}

TEST(Canvas, MixesColors)
{
  EXPECT_EQ(Mix({ 0, 100, 200 }, { 200, 0, 200 }, 0), (Color{ 0, 100, 200 }));
  EXPECT_EQ(Mix({ 0, 100, 200 }, { 200, 0, 200 }, 1), (Color{ 200, 0, 200 }));
  EXPECT_EQ(Mix({ 0, 100, 200 }, { 200, 0, 200 }, 0.25), (Color{ 50, 75, 200 }));
}

/** The columns of a canvas that have anything. */
std::pair<int, int>
ColumnsOf(const Canvas & canvas, const Color & ground)
{
  std::pair<int, int> columns(canvas.Width(), -1);
  for (int x = 0; x < canvas.Width(); ++x)
  {
    for (int y = 0; y < canvas.Height(); ++y)
    {
      if (canvas.At(x, y) != ground)
      {
        columns = { std::min(columns.first, x), std::max(columns.second, x) };
      }
    }
  }
  return columns;
}

TEST(Font, TextIsAsWideAsItIsDrawn)
{
  const std::string text = "voxels 0123 (mm)";
  const int         width = TextWidth(text);
  for (const auto & [anchor, left] : { std::pair(Anchor::Begin, 200),
                                       std::pair(Anchor::Middle, 200 - width / 2),
                                       std::pair(Anchor::End, 200 - width) })
  {
    Canvas canvas(400, 40, {});
    canvas.DrawText(200, 20, text, { 255, 255, 255 }, anchor);
    const auto [first, last] = ColumnsOf(canvas, {});
    EXPECT_NEAR(first, left, 2);
    EXPECT_NEAR(last, left + width, 2);
  }
  EXPECT_EQ(TextWidth(""), 0);
}

TEST(Font, GlyphsAreInOrderAndWhole)
{
  for (std::size_t i = 0; i < FontGlyphs().size(); ++i)
  {
    const Glyph & glyph = FontGlyphs()[i];
    EXPECT_TRUE(i == 0 || FontGlyphs()[i - 1].codePoint < glyph.codePoint);
    EXPECT_EQ(std::string(glyph.coverage).size(), static_cast<std::size_t>(glyph.width * glyph.height));
    EXPECT_EQ(std::string(glyph.coverage).find_first_not_of("0123456789abcdef"), std::string::npos);
  }
}

TEST(Font, WhatItLacksIsAQuestionMark)
{
  EXPECT_EQ(TextWidth("\xc2\xb5"), TextWidth("u")) << "the micro sign is there";
  for (const char * text : { "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\x80", "\xff", "\xc2", "\x01" })
  {
    EXPECT_EQ(TextWidth(text), TextWidth("?"));
  }
  EXPECT_EQ(TextWidth("\xe2\x82x"), TextWidth("?x")) << "a character that breaks off takes nothing with it";
}

} // namespace
} // namespace brickccl
