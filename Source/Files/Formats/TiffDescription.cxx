// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats/TiffPages.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Settle.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace brickccl::files
{

/** The spacing of a resolution that is a float: the shortest number from which the resolution may come. */
static double
SpacingOfResolution(double resolution, double millimeters)
{
  const double spacing = millimeters / resolution;
  char         text[32];
  std::snprintf(text, sizeof(text), "%.6g", spacing);
  const double rounded = std::strtod(text, nullptr);
  return std::fabs(rounded - spacing) <= 1.2e-7 * spacing ? rounded : spacing;
}

/** The value after "name=" at the beginning of a line; empty if there is none. ImageJ takes the last one of several.
 *  \throws Error for values that differ. */
static std::string
ImageJValue(const std::string & description, const std::string & name)
{
  const std::string key = "\n" + name + "=";
  std::string       found;
  bool              isFound = false;
  for (std::size_t place = description.find(key); place != std::string::npos; place = description.find(key, place + 1))
  {
    const std::size_t begin = place + key.size();
    std::string       value = description.substr(begin, description.find('\n', begin) - begin);
    value.erase(std::find(value.begin(), value.end(), '\r'), value.end());
    ThrowIf(isFound && value != found,
            "its ImageJ description says " + name + "=" + Printable(found.substr(0, 40), "\\") + " and " + name + "=" +
              Printable(value.substr(0, 40), "\\") + "; there must be one of them");
    found = value;
    isFound = true;
  }
  return found;
}

static void
DescribeByTags(const TiffPages & found, TiffStack & stack)
{
  const TiffResolution & resolution = found.resolution;
  const double           millimeters = resolution.Millimeters();
  if (resolution.x > 0 && millimeters > 0)
  {
    stack.spacing[0] = SpacingOfResolution(resolution.x, millimeters);
    stack.spacing[1] = SpacingOfResolution(resolution.y, millimeters);
  }
  if (resolution.x > 0 && resolution.unit == RESUNIT_INCH)
  {
    stack.notes.push_back(NoteOnResolution(resolution.x, resolution.y, "inch"));
  }
  else if (resolution.x > 0 && resolution.unit != RESUNIT_NONE && resolution.unit != RESUNIT_CENTIMETER)
  {
    stack.notes.push_back("its ResolutionUnit is " + std::to_string(resolution.unit) + ", which is not in TIFF; " +
                          (millimeters > 0 ? Shortest(millimeters) + " mm is assumed, as in tifffile"
                                           : "no spacing is read from its resolution"));
  }
}

/** The millimeters of an ImageJ unit of length; 0 for other units, with a note unless it is a pixel. */
static double
ImageJUnit(const std::string & unit, TiffStack & stack)
{
  const double millimeters = Millimeters(unit);
  NoteIf(millimeters == 0 && !unit.empty() && unit != "pixel" && unit != "pixels",
         "the ImageJ unit of length is unknown; 1 mm is assumed",
         stack.notes);
  return millimeters;
}

/** The millimeters of ImageJ's unit, or else of the resolution's. ImageJ ignores 72 per inch, a common default. */
static double
ImageJUnitOfX(const TiffResolution & resolution, const std::string & unit, TiffStack & stack)
{
  if (!unit.empty() || !resolution.hasUnit || (resolution.unit == RESUNIT_INCH && resolution.x == 0))
  {
    return ImageJUnit(unit, stack);
  }
  if (resolution.unit == RESUNIT_INCH && resolution.x == 72)
  {
    stack.notes.push_back("its resolution of 72 pixels per inch means no spacing in ImageJ; set one with --spacing");
    return 0;
  }
  NoteIf(resolution.unit == RESUNIT_INCH, NoteOnResolution(resolution.x, resolution.y, "inch"), stack.notes);
  return resolution.Millimeters();
}

/** Sets the spacing as ImageJ does: the unit of its description precedes the unit of the resolution. */
static void
SetImageJSpacing(const TiffPages & found, TiffStack & stack)
{
  const std::string & text = found.description;
  const std::string   unit = ImageJValue(text, "unit");
  const double        x = ImageJUnitOfX(found.resolution, unit, stack);
  // Axes with another unit than x have their own field.
  const auto unitOf = [&](const char * name) {
    const std::string own = ImageJValue(text, name);
    return own.empty() || own == unit ? x : ImageJUnit(own, stack);
  };
  if (found.resolution.x > 0)
  {
    const double y = unitOf("yunit");
    stack.spacing[0] = x > 0 ? SpacingOfResolution(found.resolution.x, x) : 0;
    stack.spacing[1] = y > 0 ? SpacingOfResolution(found.resolution.y, y) : 0;
  }
  const std::string told = ImageJValue(text, "spacing");
  const double      spacing = told.empty() ? 0 : RealNumber(Trimmed(told), "spacing");
  const double      z = spacing == 0 ? 0 : unitOf("zunit");
  NoteIf(spacing < 0 && z > 0, NoteOnNegativeSpacing("the spacing of its ImageJ description"), stack.notes);
  NoteIf(!told.empty() && (spacing == 0 || !std::isfinite(spacing)),
         "the spacing of its ImageJ description is " + Printable(told.substr(0, 40), "\\") +
           ", which is not a slice spacing",
         stack.notes);
  stack.spacing[2] = std::isfinite(spacing) ? std::fabs(spacing) * z : 0;
}

static void
DescribeByImageJ(const TiffPages & found, TiffStack & stack)
{
  const std::string & text = found.description;
  const auto          pages = static_cast<std::int64_t>(found.pages.size());
  const auto          images = NumberOfDescription(ImageJValue(text, "images"), 1, "images");
  const auto          channels = NumberOfDescription(ImageJValue(text, "channels"), 1, "channels");
  const auto          slices = NumberOfDescription(ImageJValue(text, "slices"), 1, "slices");
  const auto          frames = NumberOfDescription(ImageJValue(text, "frames"), 1, "frames");
  const auto          samples = static_cast<std::int64_t>(found.pages.front().samples);
  ThrowIf<Unsupported>(
    channels > 1 && !(channels == samples && images <= 1 && pages == 1),
    "it is an ImageJ hyperstack of " + std::to_string(channels) +
      " channels; if they are slices: Image > Hyperstacks > Re-order Hyperstack, else Image > Color > Split Channels");
  ThrowIf(images > 1 && images != pages && pages != 1,
          "its ImageJ description says " + Counted(images, "image") + " but there are " + Counted(pages, "page") +
            ": the file is truncated or was changed");
  NoteIf(images == 1 && pages > 1 && !ImageJValue(text, "images").empty(),
         "its ImageJ description has 1 image; all of its " + std::to_string(pages) + " pages are read as slices of one",
         stack.notes);
  NoteIf(!ImageJValue(text, "c0").empty() || !ImageJValue(text, "c1").empty(),
         "its stored values are read; ImageJ displays them with a calibration (c0=" +
           ImageJValue(text, "c0").substr(0, 40) + ", c1=" + ImageJValue(text, "c1").substr(0, 40) + ")",
         stack.notes);
  stack.isWithoutDirectories = images > pages;
  const auto planes = std::max(images, pages);
  if (slices * frames == planes)
  {
    stack.slices = slices;
    stack.frames = frames;
  }
  else if (slices > 1 && frames > 1)
  {
    throw Error("its ImageJ description says " + Counted(slices, "slice") + " and " + Counted(frames, "frame") +
                " but there are " + Counted(planes, "page") + "; the product must be their number");
  }
  else
  {
    stack.slices = planes;
    stack.frames = 1;
    // ImageJ leaves out numbers that are 1.
    const bool isOneTold = images > 1 && !ImageJValue(text, "slices").empty();
    NoteIf(slices * frames != 1 || isOneTold,
           "its ImageJ description says " + Counted(slices * frames, frames == 1 ? "slice" : "frame") +
             " but there are " + std::to_string(planes) + " pages; all are read as slices of one volume",
           stack.notes);
  }
  SetImageJSpacing(found, stack);
}

/** Reads the description that tifffile writes: {"shape": [2, 5, 12, 10], "axes": "TZYX"}. */
static void
DescribeByShape(const TiffPages & found, TiffStack & stack)
{
  const std::string & text = found.description;
  const auto          pages = static_cast<std::int64_t>(found.pages.size());
  ThrowIf<Unsupported>(text.find("\"truncated\": true") != std::string::npos,
                       "its pages have no directories of their own (tifffile's \"truncated\"); save it without that");
  std::vector<std::int64_t> sizes;
  std::string               axes;
  try
  {
    const auto description = nlohmann::json::parse(text);
    description.at("shape").get_to(sizes);
    axes = description.value("axes", "");
  }
  catch (const nlohmann::json::exception &)
  {
    throw Error("its description begins like tifffile's, and is not one: " + Quoted(text.substr(0, 40)));
  }
  // The last axes belong to a page. The axes before them count pages.
  const std::size_t         pageAxes = found.pages.front().samples > 1 ? 3 : 2;
  std::int64_t              product = 1;
  std::vector<std::int64_t> leading;
  for (std::size_t axis = 0; axis < sizes.size() && product < pages; ++axis)
  {
    if (sizes[axis] < 1 || axis + pageAxes >= sizes.size())
    {
      break;
    }
    product *= std::min<std::int64_t>(sizes[axis], 1000000000);
    if (sizes[axis] > 1)
    {
      leading.push_back(sizes[axis]);
      if (axis < axes.size() && axes.size() == sizes.size() && axes[axis] == 'C')
      {
        throw Unsupported("its description says that " + std::to_string(sizes[axis]) +
                          " channels have separate pages, which are not slices; save only one channel");
      }
    }
  }
  ThrowIf(product > pages,
          "its description gives the image " + Counted(product, "page") + " but there are " + std::to_string(pages) +
            ": the file is truncated or was changed");
  NoteIf(product > 1 && product < pages,
         "its description gives the first image " + Counted(product, "page") + "; all of its " + std::to_string(pages) +
           " pages are read as slices of one",
         stack.notes);
  if (product == pages && leading.size() == 2)
  {
    stack.slices = leading[1];
    stack.frames = leading[0];
  }
  else if (product == pages && leading.size() > 2)
  {
    throw Unsupported("its description gives its pages " + std::to_string(leading.size()) +
                      " axes; one or two (slices, time points) are supported");
  }
}

std::int64_t
NumberOfDescription(const std::string & text, std::int64_t otherwise, const std::string & name)
{
  if (text.empty())
  {
    return otherwise;
  }
  char *       end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  ThrowIf(end == text.c_str() || !(value >= 0 && value < 1e9) || value != std::floor(value),
          "its description says " + name + "=" + text.substr(0, 40) + "; it must be a whole number from 0");
  return static_cast<std::int64_t>(value);
}

TiffStack
DescribeTiffStack(const TiffPages & found)
{
  TiffStack           stack;
  const std::string & text = found.description;
  if (text.rfind("ImageJ=", 0) == 0)
  {
    DescribeByImageJ(found, stack);
  }
  else if (text.find("<OME") != std::string::npos)
  {
    DescribeByOme(found, stack);
  }
  else
  {
    if (text.rfind("{\"shape\": [", 0) == 0)
    {
      DescribeByShape(found, stack);
    }
    DescribeByTags(found, stack);
  }
  return stack;
}

} // namespace brickccl::files
