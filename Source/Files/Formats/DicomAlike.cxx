// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats/DicomPlanes.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/HeaderText.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace brickccl::files::dicom
{

/** The traits that all slices must share, as texts. */
static std::vector<std::string>
TraitsOf(const Plane & plane)
{
  const PixelFormat & format = plane.source->format;
  const auto          has = [](bool is, const char * what) { return (is ? "a " : "no ") + std::string(what); };
  // Values of MONOCHROME1 count from white, and values of a palette are not brightness.
  const std::string photometric = format.samples == 1 ? format.photometric : "";
  return { "the size " + std::to_string(format.columns) + " x " + std::to_string(format.rows),
           "the type " + std::string(NameOf(format.type)) + (format.bitsAllocated == 1 ? " of 1 bit" : "") + " with " +
             Counted(format.samples, "sample"),
           "the photometric interpretation " + photometric,
           has(plane.hasSlope, "RescaleSlope"),
           has(plane.hasIntercept, "RescaleIntercept"),
           has(plane.isPlaced, "position") };
}

static std::string
TextOf(const double * begin, const double * end)
{
  std::string text;
  for (const double * value = begin; value != end; ++value)
  {
    text += (text.empty() ? "" : "\\") + Shortest(std::round(*value * 1e6) / 1e6);
  }
  return text.empty() ? "none" : text;
}

/** \throws Error that names the first plane that differs in kind from plane 0. */
static void
CheckKind(const std::vector<Plane> & planes)
{
  const Plane & first = planes[0];
  const auto    traits = TraitsOf(first);
  const auto    complain = [&](const Plane & plane, const std::string & theirs, const std::string & its) {
    throw Error(plane.name + " has " + theirs + ", but " + first.name + " has " + its +
                ": not slices of one volume; put each volume into its own folder");
  };
  for (const Plane & plane : planes)
  {
    const auto own = TraitsOf(plane);
    for (std::size_t i = 0; i < traits.size(); ++i)
    {
      if (own[i] != traits[i])
      {
        complain(plane, own[i], traits[i]);
      }
    }
    const auto & spacing = plane.spacing;
    if (!std::equal(spacing.begin(), spacing.end(), first.spacing.begin(), first.spacing.end(), [](double a, double b) {
          return std::fabs(a - b) <= 1e-4 * b;
        }))
    {
      complain(plane,
               "the pixel spacing " + TextOf(spacing.data(), spacing.data() + spacing.size()),
               TextOf(first.spacing.data(), first.spacing.data() + first.spacing.size()));
    }
    if (!std::equal(plane.orientation, plane.orientation + 6, first.orientation, [](double a, double b) {
          return std::fabs(a - b) <= 1e-4;
        }))
    {
      complain(plane,
               "the orientation " + TextOf(plane.orientation, plane.orientation + 6),
               TextOf(first.orientation, first.orientation + 6));
    }
  }
}

/** The first two planes of which a text differs; null if it is the same in all. Some may not have it. */
template <typename TText>
static std::array<const Plane *, 2>
Unequal(const std::vector<Plane> & planes, TText text)
{
  const Plane * first = nullptr;
  for (const Plane & plane : planes)
  {
    if (text(plane).empty())
    {
      continue;
    }
    first = first == nullptr ? &plane : first;
    if (text(plane) != text(*first))
    {
      return { &plane, first };
    }
  }
  return {};
}

/** \throws Error that names the first plane whose values have another unit. Adds a note if some do not say theirs. */
static void
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

/** \throws Error if files of a series are of two patients. */
static void
CheckOwners(const std::vector<Plane> & planes)
{
  // The values are not printed: errors get into logs, which must not contain names of patients.
  if (const auto [plane, first] = Unequal(planes, [](const Plane & each) { return each.source->patient; });
      plane != nullptr)
  {
    throw Error(plane->name + " has another PatientID than " + first->name +
                ", in one series: not slices of one volume; put each volume into its own folder");
  }
}

void
CheckAlike(const std::vector<Plane> & planes, std::vector<std::string> & notes)
{
  CheckKind(planes);
  CheckMeaning(planes, notes);
  CheckOwners(planes);
  constexpr Tag padding{ 0x00280120, "US", "PixelPaddingValue" };
  if (std::any_of(planes.begin(), planes.end(), [&](const Plane & each) {
        return each.source->file.data.Has(padding);
      }))
  {
    AddNote(notes, "pixels with PixelPaddingValue are read like others");
  }
}

} // namespace brickccl::files::dicom
