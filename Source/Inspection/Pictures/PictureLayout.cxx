// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Pictures/PictureLayout.h"

#include "BrickCCL/Pictures/Font.h"
#include "BrickCCL/Pictures/Ticks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace brickccl
{

namespace
{

/** The length in pixels of the image's longest axis, for a picture of one slice and for one of three. */
constexpr double LongestSideOfOne = 960;
constexpr double LongestSideOfThree = 480;
constexpr int    ThinnestSide = 16;
/** The size of a montage without one that is asked for, and the least side of its slices. */
constexpr int MontageWidth = 1200;
constexpr int MontageHeight = 900;
constexpr int LeastTile = 150;
/** About as wide as a key is, and as high as one with few components or with a color bar. */
constexpr int KeyWidth = 200;
constexpr int KeyHeight = 270;
constexpr int KeyHeightWithBar = 440;

/** The image's axis along which each of L, P and S runs, and whether towards its end or against it. */
struct Anatomy
{
  int  along[3] = { 0, 1, 2 };
  bool isReversed[3] = { false, false, false };
};

/** The axes nearest to the patient's axes; of two that claim the same one, the nearer gets it. */
Anatomy
AnatomyOf(const LoadedImage & image)
{
  Anatomy anatomy;
  if (image.extent.dimension != 3)
  {
    return anatomy;
  }
  bool isImageAxisDone[3] = {};
  bool isPatientAxisDone[3] = {};
  for (int step = 0; step < 3; ++step)
  {
    int    best[2] = { -1, -1 };
    double nearest = -1;
    for (int axis = 0; axis < 3; ++axis)
    {
      for (int patient = 0; patient < 3; ++patient)
      {
        const double share = std::abs(image.geometry.direction[patient][axis]);
        if (!isImageAxisDone[axis] && !isPatientAxisDone[patient] && share > nearest)
        {
          nearest = share;
          best[0] = axis;
          best[1] = patient;
        }
      }
    }
    anatomy.along[best[0]] = best[1];
    anatomy.isReversed[best[0]] = image.geometry.direction[best[1]][best[0]] < 0;
    isImageAxisDone[best[0]] = true;
    isPatientAxisDone[best[1]] = true;
  }
  return anatomy;
}

/** Pixels for each axis, and whether these are more than its proportion asks for. */
struct AxisScale
{
  double pixelSize = 1;
  int    pixels[3] = {};
  bool   isWidened[3] = {};
};

AxisScale
ScaleAxes(const LoadedImage & image, double longestSide)
{
  const Extent & extent = image.extent;
  double         longest = 0;
  double         smallestVoxel = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < extent.dimension; ++axis)
  {
    const double spacing = image.geometry.spacing[axis];
    longest = std::max(longest, spacing * static_cast<double>(extent.size[axis]));
    smallestVoxel = std::min(smallestVoxel, spacing);
  }
  AxisScale scale;
  scale.pixelSize = std::max(longest / longestSide, smallestVoxel / LargestVoxel);
  for (int axis = 0; axis < 3; ++axis)
  {
    const double spacing = axis < extent.dimension ? image.geometry.spacing[axis] : scale.pixelSize;
    const auto   wanted = std::lround(spacing * static_cast<double>(extent.size[axis]) / scale.pixelSize);
    scale.pixels[axis] = std::max(ThinnestSide, static_cast<int>(wanted));
    scale.isWidened[axis] = wanted < ThinnestSide;
  }
  return scale;
}

PicturePanel
PanelAcross(int fixed, const LoadedImage & image, const AxisScale & scale, const std::array<std::int64_t, 3> & place)
{
  const Anatomy anatomy = AnatomyOf(image);
  int           axes[2] = { fixed == 0 ? 1 : 0, fixed == 2 ? 1 : 2 };
  if (anatomy.along[axes[0]] > anatomy.along[axes[1]])
  {
    std::swap(axes[0], axes[1]);
  }
  PicturePanel panel;
  panel.fixed = fixed;
  panel.view.across = axes[0];
  panel.view.down = axes[1];
  std::copy(place.begin(), place.end(), panel.view.place);
  panel.view.width = scale.pixels[axes[0]];
  panel.view.height = scale.pixels[axes[1]];
  panel.view.isMirrored = anatomy.isReversed[axes[0]];
  // The head is on top, and so is the front.
  panel.view.isUpsideDown = (anatomy.along[axes[1]] == 2) != anatomy.isReversed[axes[1]];
  if (image.hasPatientAxes && image.extent.dimension == 3)
  {
    constexpr const char * names[3][2] = { { "R", "L" }, { "A", "P" }, { "I", "S" } };
    const int              across = anatomy.along[axes[0]];
    const int              down = anatomy.along[axes[1]];
    panel.ends[0] = names[across][0];
    panel.ends[1] = names[across][1];
    panel.ends[2] = names[down][down == 2 ? 1 : 0];
    panel.ends[3] = names[down][down == 2 ? 0 : 1];
  }
  return panel;
}

/** "z = 3 of 0..9, at z = -6 mm LPS"; an oblique slice has no one coordinate. */
std::string
PositionOf(const PicturePanel & panel, const PictureContents & contents, bool isShort)
{
  const int        fixed = panel.fixed;
  const Geometry & geometry = contents.background.geometry;
  const int        along = AnatomyOf(contents.background).along[fixed];
  std::string      position = std::string(1, AxisNames[fixed]) + " = " + std::to_string(panel.view.place[fixed]);
  position += !isShort ? " of 0.." + std::to_string(contents.background.extent.size[fixed] - 1) : "";
  if (contents.hasSpacing && std::abs(geometry.direction[along][fixed]) > 1 - 1e-9)
  {
    const double steps = static_cast<double>(panel.view.place[fixed]) * geometry.spacing[fixed];
    position += (isShort ? ", " : std::string(", at ") + AxisNames[along] + " = ") +
                LengthText(geometry.origin[along] + steps * geometry.direction[along][fixed]) + " LPS";
  }
  return position;
}

std::vector<std::string>
DirectionsOf(const PicturePanel & panel, const AxisScale & scale)
{
  std::vector<std::string> lines{ std::string(1, AxisNames[panel.view.across]) +
                                  (panel.view.isMirrored ? " left, " : " right, ") + AxisNames[panel.view.down] +
                                  (panel.view.isUpsideDown ? " up" : " down") };
  for (const int axis : { panel.view.across, panel.view.down })
  {
    if (scale.isWidened[axis])
    {
      lines.push_back(std::string(1, AxisNames[axis]) + " is drawn too wide");
    }
  }
  return lines;
}

/** Slices along z in equal distances, in rows. */
PictureLayout
LayOutMontage(const PictureContents & contents, const PictureOptions & options)
{
  const LoadedImage & image = contents.background;
  const std::int64_t  slices = image.extent.size[2];
  const int           room = (options.width == 0 ? MontageWidth : options.width) - KeyWidth - 3 * PictureMargin;
  const int           high = (options.height == 0 ? MontageHeight : options.height) - PictureMargin;
  PictureLayout       layout;
  layout.style = PictureStyle::Montage;
  // The number of columns that shows the most slices in tiles that are not too small, or else the largest tile.
  double longestSide = 1;
  int    maximum = 0;
  for (int columns = 1; columns == 1 || columns * (LeastTile + PictureMargin) <= room; ++columns)
  {
    const int       side = std::max(ThinnestSide, room / columns - PictureMargin);
    const AxisScale full = ScaleAxes(image, 1e6);
    const double    ratio = static_cast<double>(full.pixels[1]) / full.pixels[0];
    const double    across = std::min<double>(side, (high - FontLineHeight - PictureMargin) / ratio);
    const auto      tileHeight = static_cast<int>(std::ceil(across * ratio)) + FontLineHeight + PictureMargin;
    const int       rows = std::max(1, (high + 1) / tileHeight);
    const auto      needed = static_cast<int>(std::min<std::int64_t>(slices, std::int64_t{ columns } * rows));
    const double    side2d = across * std::max(1.0, ratio);
    if (needed > maximum || (needed == maximum && side2d > longestSide))
    {
      maximum = needed;
      layout.columns = columns;
      longestSide = side2d;
    }
  }
  // The longest axis may be z, which has no side in the tiles.
  const Extent & extent = image.extent;
  double         sides[3] = { 0, 0, 0 };
  for (int axis = 0; axis < 3; ++axis)
  {
    sides[axis] = static_cast<double>(extent.size[axis]) * (axis < extent.dimension ? image.geometry.spacing[axis] : 0);
  }
  const double    shown = std::max(sides[0], sides[1]);
  const AxisScale scale = ScaleAxes(image, std::max(1.0, std::floor(longestSide * std::max(1.0, sides[2] / shown))));
  layout.pixelSize = scale.pixelSize;
  for (int i = 0; i < maximum; ++i)
  {
    const std::int64_t place = (2 * std::int64_t{ i } + 1) * slices / (2 * std::int64_t{ maximum });
    layout.panels.push_back(PanelAcross(2, image, scale, { 0, 0, place }));
    layout.panels.back().caption = { PositionOf(layout.panels.back(), contents, true) };
  }
  layout.heightForKey = high;
  return layout;
}

} // namespace

PicturePanel
PanelAcross(const LoadedImage & image, int fixed, const std::array<std::int64_t, 3> & place, double longestSide)
{
  return PanelAcross(fixed, image, ScaleAxes(image, longestSide), place);
}

int
PicturePanel::CaptionHeight() const
{
  return PictureMarkLength + static_cast<int>(caption.size()) * FontLineHeight;
}

int
PicturePanel::Width() const
{
  int width = view.width;
  for (const std::string & line : caption)
  {
    width = std::max(width, TextWidth(line));
  }
  return width;
}

void
PictureLayout::Arrange(int keyWidth, int keyHeight)
{
  constexpr int margin = PictureMargin;
  if (style == PictureStyle::Montage)
  {
    const int across = panels[0].Width() + margin;
    const int down = panels[0].view.height + FontLineHeight + margin;
    const int rows = (static_cast<int>(panels.size()) + columns - 1) / columns;
    for (std::size_t i = 0; i < panels.size(); ++i)
    {
      panels[i].x = margin + static_cast<int>(i) % columns * across;
      panels[i].y = margin + static_cast<int>(i) / columns * down;
    }
    keyX = margin + std::min(columns, static_cast<int>(panels.size())) * across + margin;
    width = keyX + keyWidth + margin;
    height = std::max(margin + rows * down, keyHeight + 2 * margin);
    return;
  }
  // The first slice is on top, and the key is to its right. The other slices are below it.
  const bool isOnlyOne = panels.size() == 1;
  const int  second = isOnlyOne ? 0 : panels[1].Width();
  const int  third = isOnlyOne ? 0 : panels[2].Width();
  keyX = margin + std::max(panels[0].Width(), second) + 2 * margin;
  const int below = margin + std::max(heightForKey, keyHeight) + 2 * margin;
  panels[0].x = panels[0].y = margin;
  height = below - margin;
  if (!isOnlyOne)
  {
    panels[1].x = margin;
    panels[2].x = keyX;
    panels[1].y = panels[2].y = below;
    height = below + panels[1].view.height + std::max(panels[1].CaptionHeight(), panels[2].CaptionHeight()) + margin;
    height = std::max(height, below + panels[2].view.height + panels[2].CaptionHeight() + margin);
  }
  width = keyX + std::max(keyWidth, third) + margin;
}

PictureLayout
LayOutPicture(const PictureContents &             contents,
              const PictureOptions &              options,
              const std::array<std::int64_t, 3> & center)
{
  const LoadedImage & image = contents.background;
  const Extent &      extent = image.extent;
  const bool          isOnlyOne = *std::min_element(extent.size, extent.size + 3) == 1;
  if (options.style == PictureStyle::Montage && extent.size[2] > 1)
  {
    return LayOutMontage(contents, options);
  }
  const auto make = [&](double longestSide) {
    PictureLayout layout;
    layout.style = options.style;
    const AxisScale scale = ScaleAxes(image, longestSide);
    layout.pixelSize = scale.pixelSize;
    int only = -1;
    for (int axis = 0; axis < 3; ++axis)
    {
      only = extent.size[axis] == 1 ? axis : only;
    }
    for (const int fixed : { 2, 1, 0 })
    {
      if (only >= 0 && only != fixed)
      {
        continue;
      }
      PicturePanel panel = PanelAcross(fixed, image, scale, center);
      if (!isOnlyOne)
      {
        panel.caption.push_back(options.style == PictureStyle::Projection ? std::string("along ") + AxisNames[fixed]
                                                                          : PositionOf(panel, contents, false));
      }
      const auto directions = DirectionsOf(panel, scale);
      panel.caption.insert(panel.caption.end(), directions.begin(), directions.end());
      layout.panels.push_back(std::move(panel));
    }
    layout.hasMarks = !isOnlyOne && options.style == PictureStyle::Slices;
    layout.heightForKey = layout.panels[0].view.height + layout.panels[0].CaptionHeight();
    return layout;
  };
  if (options.width == 0 || options.height == 0)
  {
    return make(isOnlyOne ? LongestSideOfOne : LongestSideOfThree);
  }
  // The largest picture that fits, and at least a small one.
  double low = 2.0 * ThinnestSide;
  double high = std::max(low, static_cast<double>(std::max(options.width, options.height)));
  while (high - low > 1)
  {
    const double  middle = std::floor((low + high) / 2);
    PictureLayout layout = make(middle);
    layout.Arrange(KeyWidth, options.columnColors == nullptr ? KeyHeight : KeyHeightWithBar);
    (layout.width <= options.width && layout.height <= options.height ? low : high) = middle;
  }
  return make(low);
}

} // namespace brickccl
