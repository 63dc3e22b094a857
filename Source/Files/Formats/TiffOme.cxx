// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats/TiffPages.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Settle.h"

#include <cmath>
#include <cstdlib>

namespace brickccl::files
{

/** The text of the tag that begins at `place`, up to the tag's end. */
static std::string
TagAt(const std::string & text, std::size_t place)
{
  return text.substr(place, text.find('>', place) - place);
}

static double
OmeSpacing(const std::string & pixels, const std::string & axis, std::vector<std::string> & notes)
{
  const double value = std::strtod(Attribute(pixels, "PhysicalSize" + axis).c_str(), nullptr);
  std::string  unit = Attribute(pixels, "PhysicalSize" + axis + "Unit");
  for (const char * const micro : { "&#181;", "&#xB5;", "&#xb5;", "&#956;", "&#x3BC;", "&#x3bc;" })
  {
    unit = unit.rfind(micro, 0) == 0 ? "u" + unit.substr(std::string(micro).size()) : unit;
  }
  // The schema's unit applies if none is given.
  const double millimeters = unit.empty() ? 1e-3 : Millimeters(unit);
  NoteIf(value != 0 && millimeters == 0, "the OME unit of PhysicalSize" + axis + " is unknown; 1 mm is assumed", notes);
  NoteIf(value < 0, NoteOnNegativeSpacing("the OME PhysicalSize" + axis), notes);
  return std::isfinite(value) ? std::fabs(value) * millimeters : 0;
}

/** \throws Error unless the planes of an OME file are its pages: slice after slice, then frame after frame. */
static void
CheckOmePlanes(const std::string & text, std::int64_t slices, std::int64_t frames)
{
  bool         hasData = false;
  std::int64_t planes = 0;
  for (std::size_t place = 0; (place = text.find("<TiffData", place)) != std::string::npos; ++place)
  {
    const std::string tag = TagAt(text, place);
    const std::string first = Attribute(tag, "IFD");
    const auto        page = NumberOfDescription(first, 0, "IFD");
    const auto        z = NumberOfDescription(Attribute(tag, "FirstZ"), 0, "FirstZ");
    const auto        t = NumberOfDescription(Attribute(tag, "FirstT"), 0, "FirstT");
    hasData = true;
    planes += NumberOfDescription(Attribute(tag, "PlaneCount"), first.empty() ? slices * frames : 1, "PlaneCount");
    ThrowIf<Unsupported>(page != z + slices * t,
                         "its OME description gives page " + std::to_string(page + 1) + " slice " + std::to_string(z) +
                           " of frame " + std::to_string(t) +
                           "; the slices of a frame must be pages in their order, frame after frame");
  }
  ThrowIf(hasData && planes != slices * frames,
          "its OME description names " + Counted(planes, "plane") + " of " + std::to_string(slices * frames) +
            "; others may be in other files");
}

void
DescribeByOme(const TiffPages & found, TiffStack & stack)
{
  const std::string & text = found.description;
  const std::size_t   place = text.find("<Pixels");
  ThrowIf<Unsupported>(place == std::string::npos,
                       "its OME description has no image; another file may describe the planes");
  ThrowIf<Unsupported>(text.find("<Pixels", place + 1) != std::string::npos,
                       "its OME description has several images; save only the one you need");
  const std::string pixels = TagAt(text, place);
  const auto        pages = static_cast<std::int64_t>(found.pages.size());
  const auto        channels = NumberOfDescription(Attribute(pixels, "SizeC"), 1, "SizeC");
  const auto        slices = NumberOfDescription(Attribute(pixels, "SizeZ"), 1, "SizeZ");
  const auto        frames = NumberOfDescription(Attribute(pixels, "SizeT"), 1, "SizeT");
  const std::string order = Attribute(pixels, "DimensionOrder");
  ThrowIf<Unsupported>(channels > 1 && channels != static_cast<std::int64_t>(found.pages.front().samples),
                       "it is an OME image of " + std::to_string(channels) +
                         " channels in separate pages, which are not slices; save only one channel");
  ThrowIf<Unsupported>(slices > 1 && frames > 1 && order.find('T') < order.find('Z'),
                       "its pages have the frames of each slice together (DimensionOrder " +
                         Printable(order.substr(0, 10)) + "); save the slices of a frame together");
  ThrowIf(slices * frames != pages,
          "its OME description says " + Counted(slices, "slice") + " and " + Counted(frames, "time point") +
            " but there are " + Counted(pages, "page") + ": the file is truncated, or planes are in other files");
  const TiffPage & first = found.pages.front();
  const auto       width = NumberOfDescription(Attribute(pixels, "SizeX"), first.width, "SizeX");
  const auto       height = NumberOfDescription(Attribute(pixels, "SizeY"), first.height, "SizeY");
  NoteIf(width != first.width || height != first.height,
         "its OME description says " + std::to_string(width) + " x " + std::to_string(height) +
           " pixels but its pages have " + std::to_string(first.width) + " x " + std::to_string(first.height) +
           ": its spacing may belong to another image",
         stack.notes);
  stack.slices = slices;
  stack.frames = frames;
  CheckOmePlanes(text, slices, frames);
  stack.spacing[0] = OmeSpacing(pixels, "X", stack.notes);
  stack.spacing[1] = OmeSpacing(pixels, "Y", stack.notes);
  stack.spacing[2] = OmeSpacing(pixels, "Z", stack.notes);
}

} // namespace brickccl::files
