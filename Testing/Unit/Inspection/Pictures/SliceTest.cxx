// SPDX-License-Identifier: Apache-2.0
// The parts of pictures of slices: voxels and labels under pixels, the values of black and white, colors.

#include "BrickCCL/BrickCCL.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Phantoms/Random.h"
#include "BrickCCL/Pictures/GrayWindow.h"
#include "BrickCCL/Pictures/LabelColors.h"
#include "BrickCCL/Pictures/PictureLayout.h"
#include "BrickCCL/Pictures/Slice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace brickccl
{
namespace
{

template <typename T>
LoadedImage
ImageOf(const std::vector<T> & values, const Extent & extent, int channels = 1)
{
  LoadedImage image;
  image.type = ScalarTypeOf<T>();
  image.extent = extent;
  image.channels = channels;
  std::copy_n(reinterpret_cast<const std::byte *>(values.data()),
              values.size() * sizeof(T),
              image.voxels.Resize(values.size() * sizeof(T)));
  return image;
}

std::vector<std::int16_t>
Noise(const Extent & extent, std::uint64_t seed, int highest = 3)
{
  std::vector<std::int16_t> values(static_cast<std::size_t>(extent.VoxelCount()));
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    values[i] = static_cast<std::int16_t>(HashOf(seed, i) % static_cast<std::uint64_t>(highest));
  }
  return values;
}

/** The slice through `place` with this many pixels for each voxel, or voxels for each pixel. */
SliceView
ViewOf(const Extent & extent, int across, int down, std::int64_t larger, std::int64_t smaller)
{
  SliceView view;
  view.across = across;
  view.down = down;
  for (int axis = 0; axis < 3; ++axis)
  {
    view.place[axis] = extent.size[axis] / 3;
  }
  view.width = static_cast<int>(extent.size[across] * larger / smaller);
  view.height = static_cast<int>(extent.size[down] * larger / smaller);
  view.isUpsideDown = down == 2;
  return view;
}

TEST(Slice, OfOnePixelForEachVoxelShowsTheVoxels)
{
  const Extent extent{ 150, 70, 40 };
  const auto   values = Noise(extent, 1);
  for (const bool equal : { false, true })
  {
    LabelOptions options;
    options.criterion.joining = equal ? Criterion::Joining::EqualValue : options.criterion.joining;
    const Labeling             labeling = Label(ImageView(values.data(), extent), options);
    std::vector<std::uint32_t> labels(values.size());
    labeling.Write(labels.data());
    const LoadedImage image = ImageOf(values, extent);
    for (const auto & axes : { std::pair(0, 1), std::pair(0, 2), std::pair(1, 2) })
    {
      const SliceView   view = ViewOf(extent, axes.first, axes.second, 1, 1);
      const SlicePixels pixels = SampleSlice(image, RunsOf(labeling), view, {});
      ASSERT_EQ(pixels.width, extent.size[axes.first]);
      ASSERT_EQ(pixels.height, extent.size[axes.second]);
      for (int v = 0; v < pixels.height; ++v)
      {
        for (int u = 0; u < pixels.width; ++u)
        {
          std::int64_t place[3] = { view.place[0], view.place[1], view.place[2] };
          place[axes.first] = u;
          place[axes.second] = axes.second == 2 ? pixels.height - 1 - v : v;
          const auto voxel =
            static_cast<std::size_t>((place[2] * extent.size[1] + place[1]) * extent.size[0] + place[0]);
          const auto pixel = static_cast<std::size_t>(v * pixels.width + u);
          ASSERT_EQ(pixels.gray[pixel], values[voxel]);
          ASSERT_EQ(pixels.labels[pixel], labels[voxel]);
          ASSERT_EQ(pixels.coverage[pixel], labels[voxel] == 0 ? 0 : 1);
        }
      }
    }
  }
}

TEST(Slice, OfOneValueHasThatValueAtEveryScale)
{
  const Extent             extent{ 21, 17, 5 };
  const std::vector<float> values(static_cast<std::size_t>(extent.VoxelCount()), 200.1F);
  const Labeling           labeling = Label(ImageView(values.data(), extent));
  const LoadedImage        image = ImageOf(values, extent);
  for (const auto & scale : { std::pair(15, 2), std::pair(7, 1), std::pair(1, 3), std::pair(2, 5) })
  {
    const SlicePixels pixels =
      SampleSlice(image, RunsOf(labeling), ViewOf(extent, 0, 1, scale.first, scale.second), {});
    for (const double gray : pixels.gray)
    {
      ASSERT_EQ(gray, 200.1F);
    }
  }
}

/** Positions are those of tables: in LPS, along the axis of the patient that the slice is orthogonal to. */
TEST(Slice, SaysWhereItIsInLps)
{
  LoadedImage image;
  image.extent = Extent{ 40, 30, 20 };
  image.geometry.spacing[0] = 0.5;
  image.geometry.spacing[2] = 2;
  const double origin[3] = { 10, -20, 30 };
  std::copy_n(origin, 3, image.geometry.origin);
  const RunVolume      runs;
  const ComponentTable table;
  const auto           captions = [&](PictureStyle style) {
    const PictureOptions     options{ style };
    std::vector<std::string> lines;
    for (const PicturePanel & panel : LayOutPicture({ image, runs, table, true, true }, options, { 4, 5, 6 }).panels)
    {
      lines.push_back(panel.caption.front());
    }
    return lines;
  };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(captions(PictureStyle::Slices),
            (Lines{ "z = 6 of 0..19, at z = 42 mm LPS",
                    "y = 5 of 0..29, at y = -15 mm LPS",
                    "x = 4 of 0..39, at x = 12 mm LPS" }));
  EXPECT_EQ(captions(PictureStyle::Montage).at(1), "z = 3, 36 mm LPS");
  // x runs upwards, y to the right, z to the back.
  const double directions[3][3] = { { 0, -1, 0 }, { 0, 0, 1 }, { 1, 0, 0 } };
  for (int row = 0; row < 3; ++row)
  {
    std::copy_n(directions[row], 3, image.geometry.direction[row]);
  }
  EXPECT_EQ(captions(PictureStyle::Slices),
            (Lines{ "z = 6 of 0..19, at y = -8 mm LPS",
                    "y = 5 of 0..29, at x = 5 mm LPS",
                    "x = 4 of 0..39, at z = 32 mm LPS" }));
  // An oblique slice has no one coordinate.
  image.geometry.direction[0][1] = -0.8;
  image.geometry.direction[1][1] = 0.6;
  EXPECT_EQ(captions(PictureStyle::Slices)[1], "y = 5 of 0..29");
}

TEST(Slice, OfLargePixelsShowsMeansAndTheMostFrequentLabel)
{
  const Extent               extent{ 60, 48, 8 };
  const auto                 values = Noise(extent, 2);
  const Labeling             labeling = Label(ImageView(values.data(), extent));
  std::vector<std::uint32_t> labels(values.size());
  labeling.Write(labels.data());
  const SliceView   view = ViewOf(extent, 0, 1, 1, 4);
  const SlicePixels pixels = SampleSlice(ImageOf(values, extent), RunsOf(labeling), view, {});
  ASSERT_EQ(pixels.width, 15);
  ASSERT_EQ(pixels.height, 12);
  for (int v = 0; v < pixels.height; ++v)
  {
    for (int u = 0; u < pixels.width; ++u)
    {
      double                       sum = 0;
      int                          labeled = 0;
      std::map<std::uint64_t, int> counts;
      for (int i = 0; i < 16; ++i)
      {
        const auto voxel =
          static_cast<std::size_t>((view.place[2] * extent.size[1] + 4 * v + i / 4) * extent.size[0] + 4 * u + i % 4);
        sum += values[voxel];
        labeled += labels[voxel] != 0 ? 1 : 0;
        counts[labels[voxel]] += labels[voxel] != 0 ? 1 : 0;
      }
      const auto pixel = static_cast<std::size_t>(v * pixels.width + u);
      EXPECT_NEAR(pixels.gray[pixel], sum / 16, 1e-12);
      EXPECT_EQ(pixels.coverage[pixel], static_cast<float>(labeled) / 16);
      for (const auto & [label, count] : counts)
      {
        EXPECT_GE(counts[pixels.labels[pixel]], count) << label;
      }
    }
  }
}

TEST(Slice, OfSmallPixelsKeepsLabelsAndInterpolatesGray)
{
  const Extent             extent{ 3, 1 };
  const std::vector<float> values = { 0, 10, 20 };
  const Labeling           labeling = Label(ImageView(values.data(), extent));
  const SlicePixels pixels = SampleSlice(ImageOf(values, extent), RunsOf(labeling), ViewOf(extent, 0, 1, 4, 1), {});
  const double      gray[] = { 0, 0, 1.25, 3.75, 6.25, 8.75, 11.25, 13.75, 16.25, 18.75, 20, 20 };
  ASSERT_EQ(pixels.gray.size(), 48u);
  for (std::size_t i = 0; i < 48; ++i)
  {
    EXPECT_DOUBLE_EQ(pixels.gray[i], gray[i % 12]) << i;
    EXPECT_EQ(pixels.labels[i], i % 12 < 4 ? 0u : 1u) << i;
  }
}

TEST(Slice, EveryVoxelOfALineLiesUnderAPixel)
{
  // 5 voxels that are not 0 among 97, each a component: none may be lost where pixels hold 2 or 3 voxels.
  std::vector<std::uint8_t> values(97);
  for (const std::size_t at : { 0, 13, 50, 71, 96 })
  {
    values[at] = 1;
  }
  const Extent   extent{ 97, 1 };
  const Labeling labeling = Label(ImageView(values.data(), extent));
  SliceView      view;
  for (const int width : { 97, 96, 60, 40, 33 })
  {
    view.width = width;
    const SlicePixels             pixels = SampleSlice(ImageOf(values, extent), RunsOf(labeling), view, {});
    const std::set<std::uint64_t> seen(pixels.labels.begin(), pixels.labels.end());
    EXPECT_EQ(seen, (std::set<std::uint64_t>{ 0, 1, 2, 3, 4, 5 })) << width;
  }
}

TEST(Slice, ChannelsAreMeansAndNotANumberIsLeftOut)
{
  const Extent                    extent{ 2, 1 };
  const std::vector<std::uint8_t> colors = { 30, 60, 90, 0, 0, 3 };
  const Labeling                  labeling = Label(ImageView(colors.data(), extent, 3));
  SliceView                       view;
  view.width = 2;
  EXPECT_EQ(SampleSlice(ImageOf(colors, extent, 3), RunsOf(labeling), view, {}).gray, (std::vector<double>{ 60, 1 }));

  const float              nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> values = { nan, 4 };
  view.width = 1;
  EXPECT_EQ(SampleSlice(ImageOf(values, extent), RunsOf(labeling), view, {}).gray, (std::vector<double>{ 4 }));
}

/** `count` values around a mean. */
void
Add(std::vector<double> & values, std::size_t count, double mean, double spread)
{
  for (std::size_t i = 0; i < count; ++i)
  {
    values.push_back(mean + spread * (2 * UniformOf(values.size(), i) - 1));
  }
}

TEST(GrayWindow, ShowsThePartAndNotTheAir)
{
  std::vector<double> values;
  Add(values, 6000, -1000, 20);
  Add(values, 3500, 100, 50);
  Add(values, 500, 400, 50);
  const GrayWindow window = WindowOfPart(values);
  EXPECT_GT(window.black, -100);
  EXPECT_LT(window.black, 60);
  EXPECT_GE(window.white, 440) << "the part's bright places are not all white";
  EXPECT_LE(window.white, 500);
  EXPECT_EQ(window.ShareOf(-1000), 0);
  EXPECT_GT(window.ShareOf(100), 0.05);
  EXPECT_LT(window.ShareOf(400), 1);
}

TEST(GrayWindow, IsStatedAsRadiologistsDo)
{
  EXPECT_EQ((GrayWindow{ -160, 240 }.Text()), "window 400, level 40");
  EXPECT_EQ((GrayWindow{ 0.25, 0.5 }.Text()), "window 0.25, level 0.375");
}

TEST(GrayWindow, FewValuesFarOutsideDoNotCount)
{
  std::vector<double> values;
  Add(values, 10000, 50, 10);
  Add(values, 10, 1e9, 1);
  const GrayWindow window = WindowOfPart(values);
  EXPECT_GE(window.black, 38);
  EXPECT_LE(window.white, 62);
}

TEST(GrayWindow, DoesNotTakeABroadLowerGroupForAir)
{
  std::vector<double> values;
  Add(values, 5000, 60, 60);
  Add(values, 5000, 200, 20);
  EXPECT_LT(WindowOfPart(values).black, 5);
  values.clear();
  Add(values, 9500, 100, 10);
  Add(values, 500, 1000, 10);
  EXPECT_LT(WindowOfPart(values).black, 100) << "a few bright places are not the part";
}

TEST(GrayWindow, IsSoundForWhateverComes)
{
  const double infinite = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::vector<double> & values : std::vector<std::vector<double>>{ {},
                                                                              { nan },
                                                                              { infinite, -infinite },
                                                                              { 7 },
                                                                              { 7, 7, 7 },
                                                                              { 0, 1 },
                                                                              { 0, 0, 0, 1 },
                                                                              { -1e300, 1e300 },
                                                                              { -1.7e308, 0, 1.7e308 },
                                                                              { 1e20 } })
  {
    const GrayWindow window = WindowOfPart(values);
    EXPECT_LT(window.black, window.white);
    EXPECT_EQ(window.ShareOf(nan), 0);
    EXPECT_EQ(window.ShareOf(-infinite), 0);
    EXPECT_EQ(window.ShareOf(infinite), 1);
  }
  EXPECT_EQ(WindowOfPart({ 0, 0, 0, 1, 1 }).black, 0) << "a mask is black and white";
  EXPECT_EQ(WindowOfPart({ 0, 0, 0, 1, 1 }).white, 1);
  EXPECT_EQ(WindowOfPart({ 200, 200 }).ShareOf(200), 1) << "a single value is white, unless it is 0 or below";
  EXPECT_EQ(WindowOfPart({ 0, 0 }).ShareOf(0), 0);
  EXPECT_EQ(WindowOfPart({ -7, -7 }).ShareOf(-7), 0);
}

/** A slice of this many pixels with labels. */
SlicePixels
SliceOf(int width, const std::vector<std::uint64_t> & labels)
{
  SlicePixels pixels;
  pixels.width = width;
  pixels.height = static_cast<int>(labels.size()) / width;
  pixels.labels = labels;
  return pixels;
}

TEST(LabelColors, DifferBetweenNeighbors)
{
  // Cells of 6 x 6 pixels whose labels would all have the same color if it followed only from the label.
  const int                  cells = 20;
  std::vector<std::uint64_t> labels;
  for (int y = 0; y < 6 * cells; ++y)
  {
    for (int x = 0; x < 6 * cells; ++x)
    {
      labels.push_back(1 + LabelColors::Count() * static_cast<std::uint64_t>(y / 6 * cells + x / 6));
    }
  }
  const LabelColors colors({ SliceOf(6 * cells, labels) }, {});
  for (std::size_t y = 0; y < 6 * cells; ++y)
  {
    for (std::size_t x = 1; x < 6 * cells; ++x)
    {
      const std::uint64_t along = labels[y * 6 * cells + x];
      const std::uint64_t before = labels[y * 6 * cells + x - 1];
      EXPECT_TRUE(along == before || colors[along] != colors[before]) << x << ", " << y;
      const std::uint64_t down = labels[x * 6 * cells + y];
      const std::uint64_t above = labels[(x - 1) * 6 * cells + y];
      EXPECT_TRUE(down == above || colors[down] != colors[above]) << y << ", " << x;
    }
  }
}

TEST(LabelColors, OfListedLabelsAllDiffer)
{
  std::vector<std::uint64_t> listed;
  std::vector<std::uint64_t> labels;
  for (std::size_t i = 0; i < LabelColors::Count(); ++i)
  {
    listed.push_back(5 + LabelColors::Count() * i);
    labels.insert(labels.end(), { listed.back(), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 });
  }
  const LabelColors colors({ SliceOf(static_cast<int>(labels.size()), labels) }, listed);
  for (std::size_t i = 0; i < listed.size(); ++i)
  {
    for (std::size_t j = 0; j < i; ++j)
    {
      EXPECT_TRUE(colors[listed[i]] != colors[listed[j]]) << i << ", " << j;
    }
  }
}

TEST(LabelColors, AreTheSameInEverySlice)
{
  const LabelColors colors({ SliceOf(4, { 1, 1, 17, 17 }), SliceOf(4, { 17, 0, 0, 33 }), SliceOf(4, { 33, 33, 1, 1 }) },
                           {});
  EXPECT_TRUE(colors[1] != colors[17]);
  EXPECT_TRUE(colors[17] != colors[33]);
  EXPECT_TRUE(colors[33] != colors[1]);
}

} // namespace
} // namespace brickccl
