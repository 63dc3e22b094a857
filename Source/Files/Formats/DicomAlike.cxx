#include "BrickCCL/Files/Formats/DicomPlanes.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/HeaderText.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

namespace brickccl::files::dicom
{

namespace
{

std::string
DescribeOrientation(const Plane & plane)
{
  std::string text;
  for (const double value : plane.orientation)
  {
    text += (text.empty() ? "" : "\\") + Shortest(std::round(value * 1e6) / 1e6);
  }
  return text;
}

std::string
DescribeSize(const PixelFormat & format)
{
  return std::to_string(format.columns) + " x " + std::to_string(format.rows);
}

std::string
DescribeType(const PixelFormat & format)
{
  return std::string(NameOf(format.type)) + (format.bitsAllocated == 1 ? " of 1 bit" : "") + " with " +
         std::to_string(format.samples) + " sample" + (format.samples > 1 ? "s" : "");
}

std::string
DescribeSpacing(const Plane & plane)
{
  return plane.spacing.empty() ? "none" : Shortest(plane.spacing[0]) + " x " + Shortest(plane.spacing[1]) + " mm";
}

/** \throws Error that names the first plane that differs in kind from plane 0. */
void
CheckKind(const std::vector<Plane> & planes)
{
  const Plane & first = planes[0];
  const auto    complain =
    [&](const Plane & plane, const char * what, const std::string & theirs, const std::string & its) {
      throw Error(plane.name + " has the " + what + " " + theirs + ", but " + first.name + " has " + its +
                  ": not slices of one volume; put each volume into its own folder");
    };
  for (const Plane & plane : planes)
  {
    const PixelFormat & format = plane.source->format;
    const PixelFormat & expected = first.source->format;
    if (format.rows != expected.rows || format.columns != expected.columns)
    {
      complain(plane, "size", DescribeSize(format), DescribeSize(expected));
    }
    if (format.type != expected.type || format.samples != expected.samples ||
        format.bitsAllocated != expected.bitsAllocated)
    {
      complain(plane, "type", DescribeType(format), DescribeType(expected));
    }
    // Values of MONOCHROME1 count from white, and values of a palette are not brightness.
    if (format.samples == 1 && format.photometric != expected.photometric)
    {
      complain(plane, "photometric interpretation", format.photometric, expected.photometric);
    }
    if (plane.hasSlope != first.hasSlope || plane.hasIntercept != first.hasIntercept)
    {
      const bool isSlope = plane.hasSlope != first.hasSlope;
      const bool has = isSlope ? plane.hasSlope : plane.hasIntercept;
      throw Error((has ? first : plane).name + " has no Rescale" + (isSlope ? "Slope" : "Intercept") + ", but " +
                  (has ? plane : first).name +
                  " has one: their values may mean different things; put each volume into its own folder");
    }
    if (plane.isPlaced != first.isPlaced)
    {
      throw Error((plane.isPlaced ? first : plane).name + " has no position, but " +
                  (plane.isPlaced ? plane : first).name + " has one; put each volume into its own folder");
    }
    bool same = plane.spacing.size() == first.spacing.size();
    for (std::size_t axis = 0; same && axis < plane.spacing.size(); ++axis)
    {
      same = std::fabs(plane.spacing[axis] - first.spacing[axis]) <= 1e-4 * first.spacing[axis];
    }
    if (!same)
    {
      complain(plane, "pixel spacing", DescribeSpacing(plane), DescribeSpacing(first));
    }
    for (int i = 0; i < 6; ++i)
    {
      if (std::fabs(plane.orientation[i] - first.orientation[i]) > 1e-4)
      {
        complain(plane, "orientation", DescribeOrientation(plane), DescribeOrientation(first));
      }
    }
  }
}

/** The first two planes of which a text differs; null if it is the same in all. Some may not have it. */
template <typename TText>
std::array<const Plane *, 2>
Unequal(const std::vector<Plane> & planes, TText text)
{
  const Plane * first = nullptr;
  for (const Plane & plane : planes)
  {
    if (text(plane).empty())
    {
      continue;
    }
    if (first == nullptr)
    {
      first = &plane;
    }
    if (text(plane) != text(*first))
    {
      return { &plane, first };
    }
  }
  return {};
}

/** \throws Error that names the first plane whose values have another unit. Adds a note if some do not say theirs. */
void
CheckMeaning(const std::vector<Plane> & planes, std::vector<std::string> & notes)
{
  constexpr std::pair<const char *, std::string Plane::*> attributes[] = { { "Modality", &Plane::modality },
                                                                           { "Units", &Plane::units },
                                                                           { "RescaleType", &Plane::rescaleType } };
  for (const auto & [name, member] : attributes)
  {
    const auto text = [member = member](const Plane & plane) -> const std::string & { return plane.*member; };
    // "US" is the standard's word for a rescaled value of no specified unit.
    const bool mayBeUnspecified = member == &Plane::rescaleType;
    const auto meaning = [&](const Plane & plane) {
      const bool isUnspecified = mayBeUnspecified && text(plane) == "US";
      return isUnspecified ? std::string() : LowerCase(text(plane));
    };
    if (const auto [plane, first] = Unequal(planes, meaning); plane != nullptr)
    {
      throw Error(plane->name + " has the " + name + " " + Quoted(text(*plane)) + ", but " + first->name + " has " +
                  Quoted(text(*first)) + ": their values mean different things; put each volume into its own folder");
    }
    const auto isWithout = [&](const Plane & plane) { return meaning(plane).empty(); };
    const auto without = std::find_if(planes.begin(), planes.end(), isWithout);
    const auto with = std::find_if_not(planes.begin(), planes.end(), isWithout);
    if (without != planes.end() && with != planes.end())
    {
      AddNote(notes,
              without->name + " says no " + name + ", but " + with->name + " has " + Quoted(text(*with)) +
                ": their values are taken as the same");
    }
  }
}

/** \throws Error if files of a series are of two patients. Adds a note if they are of several studies. */
void
CheckOwners(const std::vector<Plane> & planes, std::vector<std::string> & notes)
{
  // The values are not printed: errors get into logs, which must not contain names of patients.
  const auto patient = [](const Plane & each) { return each.source->patient; };
  // The standard is case-sensitive, but not all programs are, and two patients whose numbers differ only in case do not
  // share a series.
  const auto inSmallLetters = [](const Plane & each) { return LowerCase(each.source->patient); };
  if (const auto [plane, first] = Unequal(planes, inSmallLetters); plane != nullptr)
  {
    throw Error(plane->name + " has another PatientID than " + first->name +
                ", in one series: not slices of one volume; put each volume into its own folder");
  }
  if (const auto [plane, first] = Unequal(planes, patient); plane != nullptr)
  {
    AddNote(notes,
            plane->name + " writes the PatientID of " + first->name +
              " with capital letters in other places: they are taken as slices of one volume");
  }
  // GDCM makes a new one for each file that it writes, unless one is set.
  if (const auto [plane, first] = Unequal(planes, [](const Plane & each) { return each.source->study; });
      plane != nullptr)
  {
    AddNote(notes,
            plane->name + " has another StudyInstanceUID than " + first->name +
              ", but the same series: they are taken as slices of one volume");
  }
}

/** A padding value. Many files store it for signed pixels as unsigned (US), 63536 for -2000, or the reverse. Values
 * outside the range of pixels of up to 16 bits are converted. */
std::optional<double>
PaddingOf(const Plane & plane, std::uint32_t tag, const char * keyword)
{
  const PixelFormat & format = plane.source->format;
  const auto          value = plane.source->file.data.Number({ tag, format.isSigned ? "SS" : "US", keyword });
  if (!value || format.bitsAllocated > 16)
  {
    return value;
  }
  const bool isTooLarge = format.isSigned && *value > 32767 && *value < 65536;
  const bool isTooSmall = !format.isSigned && *value < 0 && *value >= -32768;
  return *value + (isTooLarge ? -65536 : isTooSmall ? 65536 : 0);
}

/** Notes padding values. They are read like others. */
void
NotePadding(const std::vector<Plane> & planes, std::vector<std::string> & notes)
{
  std::set<std::pair<double, double>> ranges;
  std::size_t                         count = 0;
  for (const Plane & plane : planes)
  {
    if (const auto value = PaddingOf(plane, 0x00280120, "PixelPaddingValue"))
    {
      const double limit = PaddingOf(plane, 0x00280121, "PixelPaddingRangeLimit").value_or(*value);
      ranges.emplace(std::min(*value, limit), std::max(*value, limit));
      ++count;
    }
  }
  if (ranges.empty())
  {
    return;
  }
  double last = ranges.begin()->second;
  for (const auto & range : ranges)
  {
    last = std::max(last, range.second);
  }
  const double      first = ranges.begin()->first;
  const bool        isMixed = ranges.size() > 1;
  const std::string owner = isMixed ? "their" : "its";
  AddNote(notes,
          (isMixed || count < planes.size() ? Counted(count, "slice") + ": " : std::string()) +
            (first == last ? owner + " stored value " + Shortest(first) + " is"
                           : owner + " stored values from " + Shortest(first) + " to " + Shortest(last) + " are") +
            " padding (PixelPaddingValue" + (isMixed ? ", different in other slices" : "") +
            ") and read like other values");
}

} // namespace

void
CheckAlike(const std::vector<Plane> & planes, std::vector<std::string> & notes)
{
  CheckKind(planes);
  CheckMeaning(planes, notes);
  CheckOwners(planes, notes);
  NotePadding(planes, notes);
}

} // namespace brickccl::files::dicom
