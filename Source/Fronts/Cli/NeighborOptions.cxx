// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/NeighborOptions.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/ImageConnectivity.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Files/ImageFile.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace brickccl::cli
{

namespace
{

/** Appends the numbers of a nested list of 3 lists of 3 ... numbers, the last axis x. */
void
AppendNumbers(const nlohmann::json & list, int dimension, const std::string & path, std::vector<bool> & element)
{
  if (!list.is_array() || list.size() != 3)
  {
    throw InvalidArgument("the neighborhood " + Quoted(path) + " must be nested lists of 3 in " +
                          std::to_string(dimension) + " levels, one for each axis, z before y before x");
  }
  for (const nlohmann::json & part : list)
  {
    if (part.is_array())
    {
      AppendNumbers(part, dimension, path, element);
    }
    else if (part == 0 || part == 1)
    {
      element.push_back(part == 1);
    }
    else
    {
      throw InvalidArgument("the neighborhood " + Quoted(path) + " holds " + part.dump() +
                            "; its values must be 0 and 1");
    }
  }
}

/** The zeros and ones of a text: x fastest, then y, z, t; # begins a comment. */
std::vector<bool>
ElementOfText(const std::string & path)
{
  std::ifstream     file(path);
  std::vector<bool> element;
  for (std::string line; std::getline(file, line);)
  {
    for (const char letter : line.substr(0, line.find('#')))
    {
      if (letter == '0' || letter == '1')
      {
        element.push_back(letter == '1');
      }
      else if (letter != ' ' && letter != '\t' && letter != '\r')
      {
        throw InvalidArgument("the neighborhood " + Quoted(path) + " holds " + Quoted(std::string(1, letter)) +
                              "; it must consist of 0 and 1, spaces, line ends and comments after #");
      }
    }
  }
  return element;
}

/** The value of a key in the header of a file of numpy: "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 3), }".
 */
std::string
ValueInNumpyHeader(const std::string & header, const std::string & key)
{
  const std::size_t place = header.find("'" + key + "':");
  const std::size_t begin = place == std::string::npos ? place : header.find_first_not_of(' ', place + key.size() + 3);
  if (begin == std::string::npos)
  {
    return {};
  }
  const std::size_t end = header[begin] == '(' ? header.find(')', begin) + 1 : header.find_first_of(",}", begin);
  std::string       value = header.substr(begin, end - begin);
  value.erase(std::remove(value.begin(), value.end(), ' '), value.end());
  return value;
}

/** The zeros and ones of an array of numpy, whose last axis is x. */
std::vector<bool>
ElementOfNumpy(const std::string & path, int dimension)
{
  std::string right = "(3";
  std::size_t count = 3;
  for (int axis = 1; axis < dimension; ++axis)
  {
    right += ",3";
    count *= 3;
  }
  right += dimension == 1 ? ",)" : ")";
  std::ifstream     file(path, std::ios::binary);
  const std::string bytes{ std::istreambuf_iterator<char>(file), {} };
  const auto        byteAt = [&](std::size_t place) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[place]));
  };
  const auto check = [&](bool isRight, const std::string & fault) {
    if (!isRight)
    {
      throw InvalidArgument("the neighborhood " + Quoted(path) + fault +
                            "; numpy.save writes one, of 0 and 1 as truth values or whole numbers (little-endian), "
                            "here of the shape " +
                            right);
    }
  };
  check(bytes.size() >= 12 && bytes.compare(0, 6, "\x93NUMPY") == 0, " is not a .npy file");
  // https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html: version 1 has two bytes for the length.
  const std::size_t begin = byteAt(6) == 1 ? 10 : 12;
  const std::size_t length = byteAt(8) + 256 * byteAt(9) + (byteAt(6) == 1 ? 0 : 65536 * byteAt(10));
  const std::string header = bytes.substr(begin, length);
  const std::string type = ValueInNumpyHeader(header, "descr");
  const std::string shape = ValueInNumpyHeader(header, "shape");
  // As in '|b1' and '<i8'.
  const bool isKnown = type.size() == 5 && std::string("|<").find(type[1]) != std::string::npos &&
                       std::string("biu").find(type[2]) != std::string::npos &&
                       std::string("1248").find(type[3]) != std::string::npos;
  const std::size_t size = isKnown ? static_cast<std::size_t>(type[3] - '0') : 0;
  check(!type.empty() && !shape.empty(), " is truncated");
  check(isKnown && shape == right, " is an array of the type " + type + " and the shape " + shape);
  check(bytes.size() == begin + length + count * size,
        " is truncated or too long: it has " + std::to_string(bytes.size()) + " bytes, and should have " +
          std::to_string(begin + length + count * size));
  const bool        isReversed = ValueInNumpyHeader(header, "fortran_order") == "True";
  std::vector<bool> element(count);
  for (std::size_t place = 0; place < count; ++place)
  {
    const std::string value = bytes.substr(begin + length + place * size, size);
    const bool        isZero = value.find_first_not_of('\0') == std::string::npos;
    check(isZero || (value[0] == 1 && value.find_first_not_of('\0', 1) == std::string::npos),
          " holds another value than 0 and 1 (element " + std::to_string(place) + " of the file)");
    std::size_t other = 0;
    for (std::size_t axis = 0, rest = place; axis < static_cast<std::size_t>(dimension); ++axis, rest /= 3)
    {
      other = 3 * other + rest % 3;
    }
    element[isReversed ? other : place] = !isZero;
  }
  return element;
}

std::vector<bool>
ElementOfImage(const std::string & path, int dimension, ImageReader & reader)
{
  const LoadedImage image = reader.Read(path, true);
  const bool        isOfThree =
    std::all_of(image.extent.size, image.extent.size + dimension, [](std::int64_t size) { return size == 3; });
  if (image.extent.dimension != dimension || !isOfThree || image.channels != 1)
  {
    throw InvalidArgument("the neighborhood " + Quoted(path) + " has the extent " + image.extent.ToString() +
                          "; it must have one channel and 3 voxels along each of " + std::to_string(dimension) +
                          " axes, as the image has");
  }
  const auto        links = MakeRowLinks(image.View(), Criterion::Foreground());
  std::vector<bool> element;
  for (std::int64_t row = 0; row < image.extent.RowCount(); ++row)
  {
    Word bits = 0;
    links->PackForeground(row, &bits);
    element.insert(element.end(), { (bits & 1u) != 0, (bits & 2u) != 0, (bits & 4u) != 0 });
  }
  return element;
}

Connectivity
NeighborhoodOfFile(const std::string & path, int dimension, ImageReader & reader)
{
  const std::string extension = ExtensionOf(path);
  std::vector<bool> element;
  if (extension == ".json")
  {
    std::ifstream  file(path);
    nlohmann::json list = nlohmann::json::parse(file, nullptr, false);
    if (list.is_discarded())
    {
      throw InvalidArgument(
        "the neighborhood " + Quoted(path) +
        " is not JSON; it must be nested lists of 0 and 1, as [[0, 1, 0], [1, 1, 1], [0, 1, 0]] in 2-D");
    }
    AppendNumbers(list, dimension, path, element);
  }
  else
  {
    element = extension == ".txt" ? ElementOfText(path)
            : extension == ".npy" ? ElementOfNumpy(path, dimension)
                                  : ElementOfImage(path, dimension, reader);
  }
  try
  {
    return Connectivity::FromStructuringElement(dimension, element);
  }
  catch (const InvalidArgument & error)
  {
    throw InvalidArgument(Quoted(path) + ": " + error.what());
  }
}

} // namespace

std::string
NeighborhoodFile(const job::Neighbors & arguments)
{
  return IsNeighborhoodText(arguments.neighborhood) ? std::string() : arguments.neighborhood;
}

Connectivity
ConnectivityFor(const job::Neighbors & arguments, const Extent & extent, ImageReader & reader)
{
  if (arguments.neighborhood.empty())
  {
    return ConnectivityFor(arguments.connectivity, extent, arguments.bySlice);
  }
  if (IsNeighborhoodText(arguments.neighborhood))
  {
    return NeighborhoodFromText(arguments.neighborhood, extent.dimension);
  }
  Connectivity connectivity = NeighborhoodOfFile(arguments.neighborhood, extent.dimension, reader);
  if (connectivity.NeighborCount() == 0)
  {
    reader.Note("the neighborhood '" + arguments.neighborhood +
                "' names no neighbor, so that every voxel is a component of its own");
  }
  return connectivity;
}

PeriodicAxes
PeriodicFor(const job::Neighbors & arguments, const Connectivity & connectivity)
{
  std::string axes = arguments.periodic;
  axes.erase(std::remove_if(axes.begin(), axes.end(), [](char letter) { return letter == ',' || letter == ' '; }),
             axes.end());
  const PeriodicAxes periodic = PeriodicAxes::FromNames(axes);
  CheckPeriodic(periodic, connectivity);
  return periodic;
}

void
AddNeighbors(job::Findings &        findings,
             const job::Neighbors & arguments,
             const Connectivity &   connectivity,
             const PeriodicAxes &   periodic,
             int                    line)
{
  const auto textOrNull = [](const std::string & text) {
    return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
  };
  std::string       text = connectivity.ToString();
  const std::string number = std::to_string(connectivity.NeighborCount());
  text.replace(0, number.size(), Counted(connectivity.NeighborCount(), "neighbor"));
  if (const std::size_t open = text.find(" ("); open != std::string::npos)
  {
    text.replace(open, 2, ": ").erase(text.find(')'), 1);
  }
  findings.push_back({ "connectivity", connectivity.NeighborCount() });
  findings.push_back({ "neighborhood", textOrNull(arguments.neighborhood) });
  findings.push_back({ "periodic", textOrNull(periodic.ToString()) });
  findings.push_back({ "by_slice", textOrNull(arguments.bySlice) });
  findings.push_back({ "", text + (periodic.HasAny() ? ", periodic along " + periodic.ToString() : ""), line, "(#)" });
}

} // namespace brickccl::cli
