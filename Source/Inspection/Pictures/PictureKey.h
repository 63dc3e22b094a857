// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Pictures/Canvas.h"
#include "BrickCCL/Pictures/ColumnColors.h"
#include "BrickCCL/Pictures/GrayWindow.h"
#include "BrickCCL/Pictures/LabelColors.h"
#include "BrickCCL/Pictures/Slice.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <cstdint>
#include <string>
#include <vector>

namespace brickccl
{

inline constexpr Color FrameColor{ 90, 94, 102 };
inline constexpr Color TextColor{ 232, 234, 238 };
inline constexpr Color DimTextColor{ 160, 165, 175 };
inline constexpr int   SwatchSize = 12;
inline constexpr int   LongestScaleBar = 180;
inline constexpr int   KeyGap = 16;

struct KeyContents
{
  const ComponentTable & table;
  /** Whether the spacing is in mm. If not, lengths and sizes are given in pixels or voxels. */
  bool hasSpacing = true;
  /** The labels that can be seen, ascending. */
  std::vector<std::uint64_t> visible;
  /** The text for their number: "in these slices". */
  std::string whereVisible = "in these slices";
  /** Colors by a column, which has a color bar then; null: each label has its own. */
  const ColumnColors * columnColors = nullptr;
  /** The values of black and white; null if there is no gray. */
  const GrayWindow * window = nullptr;
  /** As PictureOptions::title. */
  std::string title = {};
};

/** The labels that slices show, ascending. */
std::vector<std::uint64_t> LabelsOf(const std::vector<SlicePixels> & slices);

/** Draws a bar of a round length. \param unit  of the size of a pixel, " voxels"; empty: mm */
void DrawScaleBar(Canvas & canvas, int x, int y, double pixelSize, const std::string & unit);

/** The key next to a picture: the number of components, the largest visible ones with their colors and sizes or a
 *  color bar, the values of black and white, and a scale bar. */
class PictureKey
{
public:
  /** \param pixelSize  the size of a pixel, in mm or, without spacing, in voxels
   *  \param height  the room that there is; a few components are listed even if it is too small */
  PictureKey(const KeyContents & contents, double pixelSize, int height);

  /** The components that are listed, largest first. There are no more of them than colors. */
  std::vector<std::uint64_t> Labels() const;

  /** Both are in pixels. */
  int Height() const;
  int Width() const;

  /** \param colors  of the labels that are listed */
  void Draw(Canvas & canvas, int x, int y, const LabelColors & colors) const;

private:
  struct Row
  {
    std::uint64_t label;
    double        size;
  };

  /** Where the columns of labels and sizes end. */
  int  LabelEnd() const;
  int  SizeEnd() const;
  int  DrawRows(Canvas & canvas, int x, int y, const LabelColors & colors) const;
  int  DrawColorBar(Canvas & canvas, int x, int y) const;
  void DrawGrayBar(Canvas & canvas, int x, int y) const;

  KeyContents      m_Contents;
  double           m_PixelSize;
  std::vector<Row> m_Rows;
  std::string      m_Title;
  std::string      m_Subtitle;
  std::string      m_Rest;
  std::string      m_Unit;
  std::string      m_IndexUnit;
};

} // namespace brickccl
