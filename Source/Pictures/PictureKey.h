#ifndef BRICKCCL_PICTURES_PICTUREKEY_H
#define BRICKCCL_PICTURES_PICTUREKEY_H

#include "BrickCCL/Pictures/Canvas.h"
#include "BrickCCL/Pictures/GrayWindow.h"
#include "BrickCCL/Pictures/LabelColours.h"
#include "BrickCCL/Pictures/Picture.h"
#include "BrickCCL/Pictures/Slice.h"

#include <cstdint>
#include <string>
#include <vector>

namespace brickccl
{

/** The colours of what is drawn beside the slices. */
inline constexpr Colour FrameColour{ 90, 94, 102 };
inline constexpr Colour TextColour{ 232, 234, 238 };
inline constexpr Colour DimTextColour{ 160, 165, 175 };

/** What stands beside the slices of a picture: the number of components, the largest visible ones with their colours
 *  and sizes, the values of black and white, and a scale bar. */
class PictureKey
{
public:
  /** \param pixelSize  the size of a pixel, in mm or, without spacing, in voxels
   *  \param height  the room that there is; a few components are listed even if it is too small */
  PictureKey(const PictureContents & contents, const std::vector<SlicePixels> & slices, double pixelSize, int height);

  /** The components that are listed, largest first. There are no more of them than colours. */
  std::vector<std::uint64_t> Labels() const;

  /** Both are in pixels. */
  int Height() const;
  int Width() const;

  void Draw(Canvas & canvas, int x, int y, const GrayWindow & window, const LabelColours & colours) const;

private:
  struct Row
  {
    std::uint64_t label;
    double        size;
  };

  /** Where the columns of labels and sizes end. */
  int  LabelEnd() const;
  int  SizeEnd() const;
  void DrawGrayBar(Canvas & canvas, int x, int y, const GrayWindow & window) const;
  void DrawScaleBar(Canvas & canvas, int x, int y) const;

  double           m_PixelSize;
  bool             m_HasSpacing;
  std::vector<Row> m_Rows;
  std::string      m_Title;
  std::string      m_Subtitle;
  std::string      m_Rest;
  std::string      m_Unit;
  std::string      m_IndexUnit;
};

} // namespace brickccl

#endif
