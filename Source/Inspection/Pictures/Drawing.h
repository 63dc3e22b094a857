// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Pictures/Canvas.h"

#include <memory>
#include <string>

namespace brickccl
{

/** The target of charts: vectors or pixels. Lengths are in pixels, x to the right and y down. */
class Drawing
{
public:
  virtual ~Drawing() = default;

  virtual void FillRectangle(double x, double y, double width, double height, const Color & color) = 0;
  /** Draws a line with round ends. A line of no length is a disc. */
  virtual void DrawLine(double x0, double y0, double x1, double y1, double width, const Color & color) = 0;
  /** As Canvas::DrawText. */
  virtual void
  DrawText(double x, double y, const std::string & text, const Color & color, Anchor anchor, bool turned) = 0;

  /** Writes the file, all or nothing. \throws Error with the reason. */
  virtual void Write(const std::string & path) const = 0;
};

/** \throws InvalidArgument unless a chart can be written to a file of this name: .svg or .png; not for "". */
void CheckChartName(const std::string & path);

/** A white drawing of the kind that the extension names, .svg or .png. \throws InvalidArgument for others. */
std::unique_ptr<Drawing> MakeDrawing(const std::string & path, int width, int height);

/** A text as XML holds it between tags. Special characters become entities; what XML does not allow is replaced. */
std::string EscapeXml(const std::string & text);

} // namespace brickccl
