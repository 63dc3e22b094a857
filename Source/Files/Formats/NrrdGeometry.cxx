// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Formats/NrrdHeader.h"
#include "BrickCCL/Files/Settle.h"

#include <algorithm>
#include <cmath>

namespace brickccl::files
{

/** The words between quotation marks, as in "\"mm\" \"mm\" \"mm\"". */
static std::vector<std::string>
QuotedWords(const std::string & text)
{
  std::vector<std::string> words;
  for (std::size_t begin = text.find('"'); begin != std::string::npos;)
  {
    const std::size_t end = text.find('"', begin + 1);
    words.push_back(text.substr(begin + 1, end == std::string::npos ? end : end - begin - 1));
    begin = end == std::string::npos ? end : text.find('"', end + 1);
  }
  return words.empty() ? Words(text) : words;
}

/** The millimeters of each unit. Other units than lengths give a note. */
static std::vector<double>
UnitsOf(const NrrdHeader & header, const std::string & field, std::size_t count, LoadedImage & image)
{
  std::vector<double>       factors(count, 1);
  const std::string * const value = header.Find(field);
  const auto                units = value == nullptr ? std::vector<std::string>() : QuotedWords(*value);
  ThrowIf(!units.empty() && units.size() != count,
          "its field '" + field + "' has " + Counted(units.size(), "unit") + " for " + std::to_string(count) + " axes");
  for (std::size_t i = 0; i < units.size(); ++i)
  {
    const double millimeters = Millimeters(units[i]);
    factors[i] = millimeters > 0 ? millimeters : 1;
    const std::string name = LowerCase(units[i]);
    NoteIf(millimeters == 0 && !name.empty() && name != "none" && name != "???" && name != "s" && name != "ms" &&
             name != "sec" && name != "second" && name != "seconds",
           "its unit " + Quoted(units[i]) + " is not a known unit of length; mm is assumed",
           image.notes);
  }
  return factors;
}

/** The sign, 1 or -1, for each direction of the space that converts it to left-posterior-superior. */
static std::vector<double>
SignsOfSpace(const std::string & space)
{
  const std::string name = LowerCase(space);
  const auto isOne = [&name](const std::string & names) { return names.find("|" + name + "|") != std::string::npos; };
  const bool isRight = isOne("|right-anterior-superior|ras|");
  const bool isAnterior = isRight || isOne("|left-anterior-superior|las|");
  ThrowIf(!isAnterior && !isOne("|left-posterior-superior|lps|scanner-xyz|3d-right-handed|3d-left-handed|"),
          "its space is " + Quoted(space) +
            "; left-posterior-superior, right-anterior-superior, "
            "left-anterior-superior, scanner-xyz, 3D-right-handed and 3D-left-handed are read, without time");
  return { isRight ? -1.0 : 1.0, isAnterior ? -1.0 : 1.0, 1.0 };
}

std::vector<std::vector<double>>
NrrdVectors(const std::string & text, const std::string & field)
{
  std::vector<std::vector<double>> vectors;
  for (std::size_t place = text.find_first_not_of(" \t"); place != std::string::npos;
       place = text.find_first_not_of(" \t", place))
  {
    if (text[place] != '(')
    {
      const std::size_t end = text.find_first_of(" \t(", place);
      const std::string word = text.substr(place, end - place);
      ThrowIf(LowerCase(word) != "none",
              "its field '" + field + "' has " + Quoted(word.substr(0, 40)) + " instead of a vector or none");
      vectors.emplace_back();
      place = end == std::string::npos ? text.size() : end;
      continue;
    }
    const std::size_t close = text.find(')', place);
    ThrowIf(close == std::string::npos, "its field '" + field + "' has a vector without a closing parenthesis");
    std::vector<double> vector;
    for (std::size_t begin = place + 1; begin <= close;)
    {
      const std::size_t end = std::min(close, text.find(',', begin));
      vector.push_back(RealNumber(Trimmed(text.substr(begin, end - begin)), field));
      begin = end + 1;
    }
    vectors.push_back(vector);
    place = close + 1;
  }
  return vectors;
}

namespace
{

/** The space that directions are vectors of: for each of its dimensions the sign that converts it to
 *  left-posterior-superior, the millimeters of its unit, and the origin. */
struct Space
{
  std::vector<double> signs;
  std::vector<double> units;
  std::vector<double> origin;
};

Space
SpaceOf(const NrrdHeader & header, LoadedImage & image)
{
  Space space;
  if (const std::string * const name = header.Find("space"))
  {
    space.signs = SignsOfSpace(*name);
  }
  else
  {
    const auto size = WholeNumber(header.Get("space dimension"), "space dimension");
    ThrowIf(size < 1 || size > 16, "its space dimension is " + std::to_string(size) + "; 1 to 16 are possible");
    space.signs.assign(static_cast<std::size_t>(size), 1);
  }
  space.units = UnitsOf(header, "space units", space.signs.size(), image);
  space.origin.assign(space.signs.size(), 0);
  if (const std::string * const text = header.Find("space origin"))
  {
    const auto given = NrrdVectors(*text, "space origin");
    ThrowIf(given.size() != 1 || given[0].size() != space.signs.size(),
            "its space origin " + Quoted(text->substr(0, 60)) + " is not a vector of " +
              Counted(space.signs.size(), "number"));
    space.origin = given[0];
  }
  return space;
}

/** \throws Error for a direction that is not a vector of the space; Unsupported for an image that is oblique in a space
 * of more dimensions. */
void
CheckDirections(const std::vector<std::vector<double>> & directions,
                const std::vector<std::size_t> &         places,
                std::size_t                              spaceDimension)
{
  bool leavesSpace = places.size() > spaceDimension;
  for (const std::size_t place : places)
  {
    const auto & vector = directions[place];
    ThrowIf(vector.size() != spaceDimension,
            "the space direction of axis " + std::to_string(place) + " has " + Counted(vector.size(), "number") +
              "; its space has " + Counted(spaceDimension, "dimension"));
    for (std::size_t row = places.size(); row < spaceDimension; ++row)
    {
      leavesSpace = leavesSpace || vector[row] != 0;
    }
  }
  ThrowIf<Unsupported>(leavesSpace,
                       "its slices are oblique in a space of more dimensions; save it with as many space directions as "
                       "dimensions, or resample it");
}

/** The numbers of a field, one for each axis of the file; NaN where there is none. */
std::vector<double>
NumbersOf(const NrrdHeader & header, const char * field, std::size_t fileDimension)
{
  const std::string * const text = header.Find(field);
  auto                      values = text == nullptr ? std::vector<double>() : RealNumbers(*text, field);
  ThrowIf(text != nullptr && values.size() != fileDimension,
          std::string("its field '") + field + "' has " + Counted(values.size(), "number") + " for " +
            std::to_string(fileDimension) + " axes");
  values.resize(fileDimension, std::nan(""));
  return values;
}

/** Axes and origin from the field "space directions". */
void
SetDirections(const NrrdHeader &               header,
              const std::string &              text,
              const std::vector<std::size_t> & places,
              const ReadOptions &              options,
              LoadedImage &                    image)
{
  const std::size_t count = places.size();
  const Space       space = SpaceOf(header, image);
  const auto        directions = NrrdVectors(text, "space directions");
  CheckDirections(directions, places, space.signs.size());
  double vectors[MaximumDimension][MaximumDimension] = {};
  for (int axis = 0; axis < MaximumDimension; ++axis)
  {
    vectors[axis][axis] = 1;
  }
  for (std::size_t i = 0; i < count; ++i)
  {
    for (std::size_t row = 0; row < count; ++row)
    {
      vectors[i][row] = directions[places[i]][row] * space.signs[row] * space.units[row];
    }
    image.geometry.origin[i] = space.origin[i] * space.signs[i] * space.units[i];
  }
  SettleAxes(vectors, "space directions", options, image);
}

} // namespace

void
SetNrrdGeometry(const NrrdHeader &               header,
                const std::vector<std::size_t> & places,
                std::size_t                      fileDimension,
                const ReadOptions &              options,
                LoadedImage &                    image)
{
  if (const std::string * const directions = header.Find("space directions"))
  {
    NoteIf(header.Find("units") != nullptr && places.size() == fileDimension,
           "its units are ignored, because it has space directions; these have a field 'space units'",
           image.notes);
    SetDirections(header, *directions, places, options, image);
    return;
  }
  ThrowIf<Unsupported>(
    header.Find("axis maxs") != nullptr && header.Find("spacings") == nullptr,
    "its voxel size follows from 'axis mins' and 'axis maxs', which is not supported; write it into the "
    "field 'spacings'");
  const auto spacings = NumbersOf(header, "spacings", fileDimension);
  const auto mins = NumbersOf(header, "axis mins", fileDimension);
  const auto units = UnitsOf(header, "units", fileDimension, image);
  auto       centers = Words(header.Find("centers") == nullptr ? "" : *header.Find("centers"));
  centers.resize(std::max(centers.size(), fileDimension));
  std::string untold;
  std::size_t count = 0;
  for (std::size_t i = 0; i < places.size(); ++i)
  {
    const std::size_t place = places[i];
    const double      spacing = std::isnan(spacings[place]) ? 1 : spacings[place] * units[place];
    const double      first = mins[place] * units[place] + (LowerCase(centers[place]) == "cell" ? spacing / 2 : 0);
    image.geometry.spacing[i] = spacing;
    image.geometry.origin[i] = std::isnan(first) ? 0 : first;
    untold += std::isnan(spacings[place]) ? (untold.empty() ? "" : ", ") + std::string(1, AxisNames[i]) : "";
    count += std::isnan(spacings[place]) ? 0 : 1;
  }
  if (count == 0)
  {
    image.spacingSource = "none";
  }
  else if (!untold.empty())
  {
    image.notes.push_back("its header has no spacing along " + untold + ": 1 mm is assumed");
  }
  if (const std::string * const space = header.Find("space"))
  {
    image.notes.push_back("it names the space " + Quoted(*space) +
                          " but no space directions; axes x, y, z are assumed");
  }
  NoteIf(header.Find("space units") != nullptr,
         "its space units are ignored, because it has no space directions; spacings have a field 'units'",
         image.notes);
  SettleSpacing(image);
}

} // namespace brickccl::files
