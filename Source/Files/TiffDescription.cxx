#include "BrickCCL/Files/TiffDescription.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Settle.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace brickccl::files
{

namespace
{

/** The spacing of a resolution that is stored as a float. It is the shortest of the numbers from which the resolution
 *  may come. */
double
SpacingOfResolution(double resolution, double millimetres)
{
  const double spacing = millimetres / resolution;
  char         text[32];
  std::snprintf(text, sizeof(text), "%.6g", spacing);
  const double rounded = std::strtod(text, nullptr);
  return std::fabs(rounded - spacing) <= 1.2e-7 * spacing ? rounded : spacing;
}

/** Whether two texts are the same, or numbers that are. */
bool
IsSameValue(const std::string & a, const std::string & b)
{
  char *       endOfA = nullptr;
  char *       endOfB = nullptr;
  const double first = std::strtod(a.c_str(), &endOfA);
  const double second = std::strtod(b.c_str(), &endOfB);
  return a == b || (!a.empty() && !b.empty() && *endOfA == 0 && *endOfB == 0 && first == second);
}

/** The value after "name=" at the beginning of a line; empty if there is none. ImageJ takes the last one of several.
 *  \throws Error for values that differ. */
std::string
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
    if (isFound && !IsSameValue(value, found))
    {
      throw Error("its ImageJ description says " + name + "=" + Printable(found.substr(0, 40), "\\") + " and " + name +
                  "=" + Printable(value.substr(0, 40), "\\") + "; there must be one of them");
    }
    found = value;
    isFound = true;
  }
  return found;
}

std::int64_t
Number(const std::string & text, std::int64_t otherwise, const std::string & name)
{
  if (text.empty())
  {
    return otherwise;
  }
  char *       end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || !(value >= 0 && value < 1e9) || value != std::floor(value))
  {
    throw Error("its description says " + name + "=" + text.substr(0, 40) + "; it must be a whole number from 0");
  }
  return static_cast<std::int64_t>(value);
}

void
SetPlaneSpacing(const TiffPages & found, double millimetres, TiffStack & stack)
{
  if (found.resolution.x > 0 && millimetres > 0)
  {
    stack.spacing[0] = SpacingOfResolution(found.resolution.x, millimetres);
    stack.spacing[1] = SpacingOfResolution(found.resolution.y, millimetres);
  }
}

/** "the inch"; the number of a unit that TIFF does not have. */
std::string
NameOfUnit(std::uint64_t unit)
{
  const char * const names[] = { nullptr, nullptr, "the inch", "the centimetre", "the millimetre", "the micrometre" };
  const bool         isKnown = unit < std::size(names) && names[unit] != nullptr;
  return isKnown ? names[unit] : std::to_string(unit);
}

/** Notes units of which the spacing may not be what is meant. */
void
NoteUnit(const TiffResolution & resolution, TiffStack & stack)
{
  const bool isOfTiff = resolution.unit >= RESUNIT_NONE && resolution.unit <= RESUNIT_CENTIMETER;
  if (resolution.unit == RESUNIT_INCH)
  {
    stack.notes.push_back(NoteOnResolution(resolution.x, resolution.y, "inch"));
  }
  else if (!isOfTiff)
  {
    stack.notes.push_back("its ResolutionUnit is " + std::to_string(resolution.unit) + ", which TIFF does not have; " +
                          (resolution.Millimetres() > 0 ? NameOfUnit(resolution.unit) + " is taken, as tifffile does"
                                                        : "no spacing is read from its resolution"));
  }
}

void
DescribeByTags(const TiffPages & found, TiffStack & stack)
{
  const auto & zeiss = found.spacingOfZeiss;
  if (*std::max_element(zeiss.begin(), zeiss.end()) > 0)
  {
    std::copy(zeiss.begin(), zeiss.end(), stack.spacing);
  }
  else if (found.resolution.x > 0)
  {
    SetPlaneSpacing(found, found.resolution.Millimetres(), stack);
    NoteUnit(found.resolution, stack);
  }
}

/** The millimetres of an ImageJ unit of length; 0 if it is none, which is noted if it is more than a pixel. */
double
ImageJUnit(const std::string & unit, TiffStack & stack)
{
  const double millimetres = Millimetres(unit);
  if (millimetres == 0 && !unit.empty() && unit != "pixel" && unit != "pixels")
  {
    stack.notes.push_back("the ImageJ unit of length is unknown; the spacing is taken as 1 mm");
  }
  return millimetres;
}

/** Sets the spacing as ImageJ does: the unit of its description goes before that of the resolution. */
void
SetImageJSpacing(const TiffPages & found, TiffStack & stack)
{
  const std::string & text = found.description;
  const std::string   unit = ImageJValue(text, "unit");
  const double        ofTag = found.resolution.Millimetres();
  const bool          isMetric = ofTag > 0 && found.resolution.unit != RESUNIT_INCH;
  const double        x = unit.empty() && isMetric ? ofTag : ImageJUnit(unit, stack);
  if (x > 0 && found.resolution.hasUnit && found.resolution.x > 0 && ofTag > 0 && x != ofTag)
  {
    stack.notes.push_back("its ImageJ unit is " + Printable(unit.substr(0, 40), "\\") + " but its ResolutionUnit " +
                          NameOfUnit(found.resolution.unit) + "; that of ImageJ is taken");
  }
  // Axes of other units than that of x have them told apart.
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
  if (spacing < 0 && z > 0)
  {
    stack.notes.push_back(NoteOnNegativeSpacing("the spacing of its ImageJ description"));
  }
  if (!told.empty() && (spacing == 0 || !std::isfinite(spacing)))
  {
    stack.notes.push_back("the spacing of its ImageJ description is " + Printable(told.substr(0, 40), "\\") +
                          ", which is no distance of slices");
  }
  stack.spacing[2] = std::isfinite(spacing) ? std::fabs(spacing) * z : 0;
}

void
DescribeByImageJ(const TiffPages & found, TiffStack & stack)
{
  const std::string & text = found.description;
  const auto          pages = static_cast<std::int64_t>(found.pages.size());
  const auto          images = Number(ImageJValue(text, "images"), 1, "images");
  const auto          channels = Number(ImageJValue(text, "channels"), 1, "channels");
  const auto          slices = Number(ImageJValue(text, "slices"), 1, "slices");
  const auto          frames = Number(ImageJValue(text, "frames"), 1, "frames");
  const auto          samples = static_cast<std::int64_t>(found.pages.front().samples);
  if (channels > 1 && !(channels == samples && images <= 1 && pages == 1))
  {
    throw Unsupported("it is an ImageJ hyperstack of " + std::to_string(channels) +
                      " channels, which are no slices; split the channels (Image > Color > Split Channels)");
  }
  if (images > 1 && images != pages && pages != 1)
  {
    throw Error("its ImageJ description says " + std::to_string(images) + " images but there are " +
                std::to_string(pages) + " pages: the file is truncated or was changed");
  }
  if (images == 1 && pages > 1 && !ImageJValue(text, "images").empty())
  {
    stack.notes.push_back("its ImageJ description says that there is 1 image; all of its " + std::to_string(pages) +
                          " pages are read as slices of one");
  }
  if (!ImageJValue(text, "c0").empty() || !ImageJValue(text, "c1").empty())
  {
    stack.notes.push_back("its values are the stored ones; ImageJ shows them changed by a calibration (c0=" +
                          ImageJValue(text, "c0").substr(0, 40) + ", c1=" + ImageJValue(text, "c1").substr(0, 40) +
                          ")");
  }
  stack.isWithoutDirectories = images > pages;
  const auto planes = std::max(images, pages);
  if (slices * frames == planes)
  {
    stack.slices = slices;
    stack.frames = frames;
  }
  else if (slices > 1 && frames > 1)
  {
    throw Error("its ImageJ description says " + std::to_string(slices) + " slices and " + std::to_string(frames) +
                " frames but there are " + std::to_string(planes) + " pages; the product must be their number");
  }
  else
  {
    stack.slices = planes;
    stack.frames = 1;
    if (slices * frames != 1)
    {
      stack.notes.push_back("its ImageJ description says " + Counted(slices * frames, slices != 1 ? "slice" : "frame") +
                            " but there are " + std::to_string(planes) +
                            " pages; all are read as slices of one volume");
    }
  }
  SetImageJSpacing(found, stack);
}

/** The text of the tag that begins at `place`, up to the tag's end. */
std::string
TagAt(const std::string & text, std::size_t place)
{
  return text.substr(place, text.find('>', place) - place);
}

/** The value of a tag's attribute; empty if the tag has no attribute of this name. */
std::string
Attribute(const std::string & tag, const std::string & name)
{
  for (const char before : { ' ', '\n', '\t', '\r' })
  {
    for (const char quote : { '"', '\'' })
    {
      const std::string key = before + name + "=" + quote;
      if (const std::size_t place = tag.find(key); place != std::string::npos)
      {
        const std::size_t begin = place + key.size();
        return tag.substr(begin, tag.find(quote, begin) - begin);
      }
    }
  }
  return "";
}

double
OmeSpacing(const std::string & pixels, const std::string & axis, std::vector<std::string> & notes)
{
  const double value = std::strtod(Attribute(pixels, "PhysicalSize" + axis).c_str(), nullptr);
  std::string  unit = Attribute(pixels, "PhysicalSize" + axis + "Unit");
  for (const char * const micro : { "&#181;", "&#xB5;", "&#xb5;", "&#956;", "&#x3BC;", "&#x3bc;" })
  {
    if (unit.rfind(micro, 0) == 0)
    {
      unit = "u" + unit.substr(std::string(micro).size());
    }
  }
  // The schema's unit applies if none is given.
  const double millimetres = unit.empty() ? 1e-3 : Millimetres(unit);
  if (value != 0 && millimetres == 0)
  {
    notes.push_back("the OME unit of PhysicalSize" + axis + " is unknown; the spacing is taken as 1 mm");
  }
  if (value < 0)
  {
    notes.push_back(NoteOnNegativeSpacing("the OME PhysicalSize" + axis));
  }
  return std::isfinite(value) ? std::fabs(value) * millimetres : 0;
}

/** The page of each plane of an OME file, slices first, then frames. */
std::vector<std::size_t>
OmeOrder(const std::string & text, bool isTimeFirst, std::int64_t slices, std::int64_t frames)
{
  const auto               planes = static_cast<std::size_t>(slices * frames);
  const auto               unset = planes;
  std::vector<std::size_t> order(planes, unset);
  const auto               set = [&](std::int64_t number, std::int64_t page) {
    const auto slice = isTimeFirst ? number / frames : number % slices;
    const auto frame = isTimeFirst ? number % frames : number / slices;
    if (number >= static_cast<std::int64_t>(planes) || page >= static_cast<std::int64_t>(planes))
    {
      throw Error("its OME description puts planes where there are none: it is damaged, or planes lie in other files");
    }
    order[static_cast<std::size_t>(slice + slices * frame)] = static_cast<std::size_t>(page);
  };
  bool hasData = false;
  for (std::size_t place = 0; (place = text.find("<TiffData", place)) != std::string::npos; ++place)
  {
    const std::string tag = TagAt(text, place);
    const std::string first = Attribute(tag, "IFD");
    const auto        page = Number(first, 0, "IFD");
    const auto        z = Number(Attribute(tag, "FirstZ"), 0, "FirstZ");
    const auto        t = Number(Attribute(tag, "FirstT"), 0, "FirstT");
    const auto        count = Number(Attribute(tag, "PlaneCount"), first.empty() ? slices * frames : 1, "PlaneCount");
    if (z >= slices || t >= frames)
    {
      throw Error("its OME description names slice " + std::to_string(z) + " of frame " + std::to_string(t) +
                  " but there are " + std::to_string(slices) + " slices and " + std::to_string(frames) + " frames");
    }
    const auto start = isTimeFirst ? t + frames * z : z + slices * t;
    for (std::int64_t i = 0; i < count; ++i)
    {
      set(start + i, page + i);
    }
    hasData = true;
  }
  for (std::size_t i = 0; i < planes && !hasData; ++i)
  {
    set(static_cast<std::int64_t>(i), static_cast<std::int64_t>(i));
  }
  auto sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < planes; ++i)
  {
    if (sorted[i] != i)
    {
      throw Error("its OME description leaves planes out or names them twice; they may lie in other files");
    }
  }
  return order;
}

void
DescribeByOme(const TiffPages & found, TiffStack & stack)
{
  const std::string & text = found.description;
  const std::size_t   place = text.find("<Pixels");
  if (place == std::string::npos)
  {
    throw Unsupported("its OME description holds no image; the planes may be described in another file");
  }
  if (text.find("<Pixels", place + 1) != std::string::npos)
  {
    throw Unsupported("its OME description holds several images; save the one that is wanted alone");
  }
  const std::string pixels = TagAt(text, place);
  const auto        pages = static_cast<std::int64_t>(found.pages.size());
  const auto        channels = Number(Attribute(pixels, "SizeC"), 1, "SizeC");
  const auto        slices = Number(Attribute(pixels, "SizeZ"), 1, "SizeZ");
  const auto        frames = Number(Attribute(pixels, "SizeT"), 1, "SizeT");
  const std::string order = Attribute(pixels, "DimensionOrder");
  if (channels > 1 && channels != static_cast<std::int64_t>(found.pages.front().samples))
  {
    throw Unsupported("it is an OME image of " + std::to_string(channels) +
                      " channels in pages of their own, which are no slices; save one channel alone");
  }
  if (slices * frames != pages)
  {
    throw Error("its OME description says " + std::to_string(slices) + " slices and " + std::to_string(frames) +
                " time points but there are " + std::to_string(pages) +
                " pages: the file is truncated, or planes lie in other files");
  }
  const TiffPage & first = found.pages.front();
  const auto       width = Number(Attribute(pixels, "SizeX"), first.width, "SizeX");
  const auto       height = Number(Attribute(pixels, "SizeY"), first.height, "SizeY");
  if (width != first.width || height != first.height)
  {
    stack.notes.push_back("its OME description says " + std::to_string(width) + " x " + std::to_string(height) +
                          " pixels but its pages have " + std::to_string(first.width) + " x " +
                          std::to_string(first.height) + ": its spacing may be that of another image");
  }
  stack.slices = slices;
  stack.frames = frames;
  stack.order = OmeOrder(text, order.find('T') < order.find('Z'), slices, frames);
  stack.spacing[0] = OmeSpacing(pixels, "X", stack.notes);
  stack.spacing[1] = OmeSpacing(pixels, "Y", stack.notes);
  stack.spacing[2] = OmeSpacing(pixels, "Z", stack.notes);
}

/** Reads the description that tifffile writes: {"shape": [2, 5, 12, 10], "axes": "TZYX"}. */
void
DescribeByShape(const TiffPages & found, TiffStack & stack)
{
  const std::string & text = found.description;
  const auto          pages = static_cast<std::int64_t>(found.pages.size());
  if (text.find("\"truncated\": true") != std::string::npos)
  {
    throw Unsupported("its pages have no directories of their own (tifffile's \"truncated\"); save it without that");
  }
  std::vector<std::int64_t> sizes;
  for (const char * rest = text.c_str() + text.find('[') + 1; sizes.size() < 16;)
  {
    char *     end = nullptr;
    const auto size = std::strtoll(rest, &end, 10);
    if (end == rest)
    {
      break;
    }
    sizes.push_back(size);
    rest = *end == ',' ? end + 1 : end;
  }
  // The last axes are those of a page. The axes before them count pages.
  const std::size_t         pageAxes = found.pages.front().samples > 1 ? 3 : 2;
  std::int64_t              product = 1;
  std::vector<std::int64_t> leading;
  std::string               axes;
  if (const std::size_t place = text.find("\"axes\": \""); place != std::string::npos)
  {
    axes = text.substr(place + 9, text.find('"', place + 9) - place - 9);
  }
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
                          " channels have pages of their own, which are no slices; save one channel alone");
      }
    }
  }
  if (product > pages)
  {
    throw Error("its description says that its image has " + std::to_string(product) + " pages but there are " +
                std::to_string(pages) + ": the file is truncated or was changed");
  }
  if (product > 1 && product < pages)
  {
    stack.notes.push_back("its description says that its first image has " + Counted(product, "page") +
                          "; all of its " + std::to_string(pages) + " pages are read as slices of one");
  }
  if (product == pages && leading.size() == 2)
  {
    stack.slices = leading[1];
    stack.frames = leading[0];
  }
  else if (product == pages && leading.size() > 2)
  {
    throw Unsupported("its description says that its pages have " + std::to_string(leading.size()) +
                      " axes; one or two (slices, time points) are supported");
  }
}

} // namespace

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
