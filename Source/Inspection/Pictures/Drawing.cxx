// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Pictures/Drawing.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Files/Formats.h"

#include <cmath>
#include <cstdio>
#include <ostream>

namespace brickccl
{

namespace
{

/** A length with at most two digits behind the decimal point. */
std::string
Length(double value)
{
  char text[64];
  std::snprintf(text, sizeof(text), "%.2f", value);
  std::string number = text;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.')
  {
    number.pop_back();
  }
  return number == "-0" ? "0" : number;
}

std::string
Name(const Color & color)
{
  char text[16];
  std::snprintf(text, sizeof(text), "#%02x%02x%02x", color.red, color.green, color.blue);
  return text;
}

class VectorDrawing : public Drawing
{
public:
  VectorDrawing(int width, int height)
  {
    const std::string size = "width=\"" + std::to_string(width) + "\" height=\"" + std::to_string(height) + "\"";
    m_Text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" " + size +
             " viewBox=\"0 0 " + std::to_string(width) + " " + std::to_string(height) +
             "\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"14\">\n<rect " + size +
             " fill=\"#ffffff\"/>\n";
  }

  void
  FillRectangle(double x, double y, double width, double height, const Color & color) override
  {
    m_Text += "<rect x=\"" + Length(x) + "\" y=\"" + Length(y) + "\" width=\"" + Length(width) + "\" height=\"" +
              Length(height) + "\" fill=\"" + Name(color) + "\"/>\n";
  }
  void
  DrawLine(double x0, double y0, double x1, double y1, double width, const Color & color) override
  {
    m_Text += "<line x1=\"" + Length(x0) + "\" y1=\"" + Length(y0) + "\" x2=\"" + Length(x1) + "\" y2=\"" + Length(y1) +
              "\" stroke=\"" + Name(color) + "\" stroke-width=\"" + Length(width) + "\" stroke-linecap=\"round\"/>\n";
  }
  void
  DrawText(double x, double y, const std::string & text, const Color & color, Anchor anchor, bool turned) override
  {
    const std::string place = Length(x) + "\" y=\"" + Length(y) + "\"";
    m_Text += "<text x=\"" + place + " fill=\"" + Name(color) + "\"";
    m_Text += anchor == Anchor::Begin  ? ""
            : anchor == Anchor::Middle ? " text-anchor=\"middle\""
                                       : " text-anchor=\"end\"";
    m_Text += turned ? " transform=\"rotate(-90 " + Length(x) + " " + Length(y) + ")\">" : ">";
    m_Text += EscapeXml(text) + "</text>\n";
  }
  void
  Write(const std::string & path) const override
  {
    ReplaceTextFile(path, [this](std::ostream & stream) { stream << m_Text << "</svg>\n"; });
  }

private:
  std::string m_Text;
};

class PixelDrawing : public Drawing
{
public:
  PixelDrawing(int width, int height)
    : m_Canvas(width, height, { 255, 255, 255 })
  {}

  void
  FillRectangle(double x, double y, double width, double height, const Color & color) override
  {
    // Rectangles cover whole pixels, and at least one.
    const auto left = static_cast<int>(std::lround(x));
    const auto top = static_cast<int>(std::lround(y));
    m_Canvas.FillRectangle(left,
                           top,
                           std::max(1, static_cast<int>(std::lround(x + width)) - left),
                           std::max(1, static_cast<int>(std::lround(y + height)) - top),
                           color);
  }
  void
  DrawLine(double x0, double y0, double x1, double y1, double width, const Color & color) override
  {
    m_Canvas.DrawLine(x0, y0, x1, y1, width, color);
  }
  void
  DrawText(double x, double y, const std::string & text, const Color & color, Anchor anchor, bool turned) override
  {
    m_Canvas.DrawText(static_cast<int>(std::lround(x)), static_cast<int>(std::lround(y)), text, color, anchor, turned);
  }
  void
  Write(const std::string & path) const override
  {
    m_Canvas.Write(path);
  }

private:
  Canvas m_Canvas;
};

} // namespace

void
CheckChartName(const std::string & path)
{
  ThrowIf<InvalidArgument>(!path.empty() && !files::HasExtension(path, ".svg .png"),
                           "a plot's name must end in .svg or .png, unlike " + Quoted(path));
}

std::unique_ptr<Drawing>
MakeDrawing(const std::string & path, int width, int height)
{
  CheckChartName(path);
  if (files::HasExtension(path, ".svg"))
  {
    return std::make_unique<VectorDrawing>(width, height);
  }
  return std::make_unique<PixelDrawing>(width, height);
}

std::string
EscapeXml(const std::string & text)
{
  const bool  isUtf8 = IsUtf8(text);
  std::string escaped;
  for (const char character : text)
  {
    const auto byte = static_cast<unsigned char>(character);
    escaped += byte < 0x20 || byte == 0x7f ? " "
             : byte >= 0x80 && !isUtf8     ? "?"
             : byte == '&'                 ? "&amp;"
             : byte == '<'                 ? "&lt;"
             : byte == '>'                 ? "&gt;"
             : byte == '"'                 ? "&quot;"
                                           : std::string(1, character);
  }
  return escaped;
}

} // namespace brickccl
