// NRRD, https://teem.sourceforge.net/nrrd/format.html: versions 1 to 5, attached and detached data.

#include "BrickCCL/Files/Formats.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/NrrdHeader.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Voxels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <cctype>
#include <map>
#include <optional>

namespace brickccl::files
{

namespace
{

ScalarType
TypeOf(const std::string & field)
{
  static const std::map<std::string, ScalarType> types = {
    { "signed char", ScalarType::Int8 },
    { "int8", ScalarType::Int8 },
    { "int8_t", ScalarType::Int8 },
    { "uchar", ScalarType::UInt8 },
    { "unsigned char", ScalarType::UInt8 },
    { "uint8", ScalarType::UInt8 },
    { "uint8_t", ScalarType::UInt8 },
    { "short", ScalarType::Int16 },
    { "short int", ScalarType::Int16 },
    { "signed short", ScalarType::Int16 },
    { "signed short int", ScalarType::Int16 },
    { "int16", ScalarType::Int16 },
    { "int16_t", ScalarType::Int16 },
    { "ushort", ScalarType::UInt16 },
    { "unsigned short", ScalarType::UInt16 },
    { "unsigned short int", ScalarType::UInt16 },
    { "uint16", ScalarType::UInt16 },
    { "uint16_t", ScalarType::UInt16 },
    { "int", ScalarType::Int32 },
    { "signed int", ScalarType::Int32 },
    { "int32", ScalarType::Int32 },
    { "int32_t", ScalarType::Int32 },
    { "uint", ScalarType::UInt32 },
    { "unsigned int", ScalarType::UInt32 },
    { "uint32", ScalarType::UInt32 },
    { "uint32_t", ScalarType::UInt32 },
    { "longlong", ScalarType::Int64 },
    { "long long", ScalarType::Int64 },
    { "long long int", ScalarType::Int64 },
    { "signed long long", ScalarType::Int64 },
    { "signed long long int", ScalarType::Int64 },
    { "int64", ScalarType::Int64 },
    { "int64_t", ScalarType::Int64 },
    { "ulonglong", ScalarType::UInt64 },
    { "unsigned long long", ScalarType::UInt64 },
    { "unsigned long long int", ScalarType::UInt64 },
    { "uint64", ScalarType::UInt64 },
    { "uint64_t", ScalarType::UInt64 },
    { "float", ScalarType::Float32 },
    { "double", ScalarType::Float64 },
  };
  const auto found = types.find(LowerCase(field));
  if (found == types.end())
  {
    throw Unsupported("its voxels are of type '" + field + "'; integers of 8 to 64 bits, float and double are read");
  }
  return found->second;
}

/** The vectors of "(1,0,0) none (0,1,0)"; an empty one for "none". */
std::vector<std::vector<double>>
Vectors(const std::string & text, const std::string & field)
{
  std::vector<std::vector<double>> vectors;
  for (std::size_t place = text.find_first_not_of(" \t"); place != std::string::npos;
       place = text.find_first_not_of(" \t", place))
  {
    if (text[place] != '(')
    {
      const std::size_t end = text.find_first_of(" \t(", place);
      const std::string word = text.substr(place, end - place);
      if (LowerCase(word) != "none")
      {
        throw Error("its field '" + field + "' has '" + word.substr(0, 40) + "' where a vector or none belongs");
      }
      vectors.emplace_back();
      place = end == std::string::npos ? text.size() : end;
      continue;
    }
    const std::size_t close = text.find(')', place);
    if (close == std::string::npos)
    {
      throw Error("its field '" + field + "' has a vector without a closing parenthesis");
    }
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

/** The words of "\"mm\" \"mm\" \"mm\"". */
std::vector<std::string>
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

/** Millimetres of each unit; a note for those that are no lengths. */
std::vector<double>
UnitsOf(const NrrdHeader & header, const std::string & field, std::size_t count, LoadedImage & image)
{
  std::vector<double>       factors(count, 1);
  const std::string * const value = header.Find(field);
  const auto                units = value == nullptr ? std::vector<std::string>() : QuotedWords(*value);
  for (std::size_t i = 0; i < std::min(count, units.size()); ++i)
  {
    const double millimetres = Millimetres(units[i]);
    factors[i] = millimetres > 0 ? millimetres : 1;
    const std::string name = LowerCase(units[i]);
    if (millimetres == 0 && !name.empty() && name != "none" && name != "???" && name != "s" && name != "ms" &&
        name != "sec" && name != "second" && name != "seconds")
    {
      image.notes.push_back("its unit '" + units[i] + "' is no unit of length that is known; it is taken for mm");
    }
  }
  return factors;
}

/** 1 or -1 for each direction of the space: what turns it into left-posterior-superior. */
std::vector<double>
SignsOfSpace(const std::string & space)
{
  std::string name = LowerCase(space);
  bool        hasTime = false;
  if (name.size() > 5 && name.compare(name.size() - 5, 5, "-time") == 0)
  {
    hasTime = true;
    name.resize(name.size() - 5);
  }
  else if (name.size() == 4 && name.back() == 't')
  {
    hasTime = true;
    name.pop_back();
  }
  std::vector<double> signs;
  if (name == "right-anterior-superior" || name == "ras")
  {
    signs = { -1, -1, 1 };
  }
  else if (name == "left-anterior-superior" || name == "las")
  {
    signs = { 1, -1, 1 };
  }
  else if (name == "left-posterior-superior" || name == "lps" || name == "scanner-xyz" || name == "3d-right-handed" ||
           name == "3d-left-handed")
  {
    signs = { 1, 1, 1 };
  }
  else
  {
    throw Error("its space is '" + space + "', which the format does not know; left-posterior-superior, " +
                "right-anterior-superior, left-anterior-superior, scanner-xyz and the like are right");
  }
  if (hasTime)
  {
    signs.push_back(1);
  }
  return signs;
}

/** What an axis counts. */
enum class Role
{
  Space,
  Channels,
  /** Neither: a list, the time, a stub. */
  Other
};

struct Axes
{
  std::vector<std::int64_t> sizes;
  std::vector<Role>         roles;
  std::vector<std::string>  kinds;
};

Axes
AxesOf(const NrrdHeader & header)
{
  Axes       axes;
  const auto dimension = WholeNumber(header.Get("dimension"), "dimension");
  if (dimension < 1 || dimension > 16)
  {
    throw Error("its dimension is " + std::to_string(dimension) + "; 1 to 16 are possible");
  }
  for (const std::string & word : Words(header.Get("sizes")))
  {
    axes.sizes.push_back(WholeNumber(word, "sizes"));
  }
  const auto count = static_cast<std::size_t>(dimension);
  if (axes.sizes.size() != count)
  {
    throw Error("its dimension is " + std::to_string(dimension) + " but it has " + std::to_string(axes.sizes.size()) +
                " sizes");
  }
  axes.kinds.assign(count, "domain");
  if (const std::string * const kinds = header.Find("kinds"))
  {
    const auto words = Words(*kinds);
    for (std::size_t axis = 0; axis < std::min(count, words.size()); ++axis)
    {
      axes.kinds[axis] = LowerCase(words[axis]);
    }
  }
  for (std::size_t axis = 0; axis < count; ++axis)
  {
    const std::string & kind = axes.kinds[axis];
    if (kind == "complex")
    {
      throw Unsupported("complex voxels are not supported; give their magnitude instead");
    }
    axes.roles.push_back(kind == "domain" || kind == "space" || kind == "none" || kind == "???"  ? Role::Space
                         : kind == "list" || kind == "time" || kind == "stub" || kind == "point" ? Role::Other
                                                                                                 : Role::Channels);
  }
  return axes;
}

/** Sets origin, spacing and direction of the spatial axes, whose numbers in the file `places` has. */
void
SetGeometry(const NrrdHeader &               header,
            const std::vector<std::size_t> & places,
            std::size_t                      fileDimension,
            const ReadOptions &              options,
            LoadedImage &                    image)
{
  const std::size_t   count = places.size();
  const std::string * directions = header.Find("space directions");
  const std::string * space = header.Find("space");
  double              vectors[MaximumDimension][MaximumDimension] = {};
  for (int axis = 0; axis < MaximumDimension; ++axis)
  {
    vectors[axis][axis] = 1;
  }
  if (directions != nullptr)
  {
    std::vector<double> signs;
    if (space != nullptr)
    {
      signs = SignsOfSpace(*space);
    }
    else
    {
      const auto size = WholeNumber(header.Get("space dimension"), "space dimension");
      if (size < 1 || size > 16)
      {
        throw Error("its space dimension is " + std::to_string(size) + "; 1 to 16 are possible");
      }
      signs.assign(static_cast<std::size_t>(size), 1);
    }
    const auto          all = Vectors(*directions, "space directions");
    const auto          units = UnitsOf(header, "space units", signs.size(), image);
    std::vector<double> origin(signs.size(), 0);
    if (const std::string * const text = header.Find("space origin"))
    {
      const auto given = Vectors(*text, "space origin");
      if (given.size() != 1 || given[0].size() != signs.size())
      {
        throw Error("its space origin '" + text->substr(0, 60) + "' is no vector of " + std::to_string(signs.size()) +
                    " numbers");
      }
      origin = given[0];
    }
    bool leavesSpace = count > signs.size();
    for (std::size_t i = 0; i < count && !leavesSpace; ++i)
    {
      const auto & vector = all[places[i]];
      if (vector.size() != signs.size())
      {
        throw Error("the space direction of axis " + std::to_string(places[i]) + " has " +
                    std::to_string(vector.size()) + " numbers; its space has " + std::to_string(signs.size()) +
                    " dimensions");
      }
      // A slice that lies at an angle in a space of more dimensions keeps its spacing alone.
      for (std::size_t row = count; row < signs.size(); ++row)
      {
        leavesSpace = leavesSpace || vector[row] != 0;
      }
    }
    if (leavesSpace)
    {
      image.notes.push_back("its slices lie at an angle in a space of more dimensions; their place there is left out");
    }
    for (std::size_t i = 0; i < count; ++i)
    {
      const auto & vector = all[places[i]];
      double       squares = 0;
      for (std::size_t row = 0; row < std::min(vector.size(), signs.size()); ++row)
      {
        const double length = vector[row] * signs[row] * units[row];
        squares += length * length;
        if (!leavesSpace && row < count)
        {
          vectors[i][row] = length;
        }
      }
      if (leavesSpace)
      {
        vectors[i][i] = vector.empty() ? 1 : std::sqrt(squares);
      }
      else
      {
        image.geometry.origin[i] = origin[i] * signs[i] * units[i];
      }
    }
    SettleAxes(vectors, "space directions", options, image);
    return;
  }
  const auto numbers = [&](const char * field) {
    const std::string * const text = header.Find(field);
    auto                      values = text == nullptr ? std::vector<double>() : RealNumbers(*text, field);
    if (text != nullptr && values.size() != fileDimension)
    {
      throw Error(std::string("its field '") + field + "' has " + std::to_string(values.size()) + " numbers for " +
                  std::to_string(fileDimension) + " axes");
    }
    values.resize(fileDimension, std::nan(""));
    return values;
  };
  const auto spacings = numbers("spacings");
  const auto mins = numbers("axis mins");
  const auto maxs = numbers("axis maxs");
  const auto units = UnitsOf(header, "units", fileDimension, image);
  const auto centers = header.Find("centers") == nullptr ? std::vector<std::string>() : Words(*header.Find("centers"));
  bool       isKnown = false;
  for (std::size_t i = 0; i < count; ++i)
  {
    const std::size_t place = places[i];
    const bool        isCell = place < centers.size() && LowerCase(centers[place]) == "cell";
    const auto        size = static_cast<double>(image.extent.size[i]);
    double            spacing = spacings[place];
    if (std::isnan(spacing) && std::isfinite(mins[place]) && std::isfinite(maxs[place]) && (isCell || size > 1))
    {
      spacing = (maxs[place] - mins[place]) / (isCell ? size : size - 1);
    }
    isKnown = isKnown || !std::isnan(spacing);
    spacing = std::isnan(spacing) ? 1 : spacing;
    image.geometry.spacing[i] = spacing * units[place];
    image.geometry.origin[i] = std::isnan(mins[place]) ? 0 : (mins[place] + (isCell ? spacing / 2 : 0)) * units[place];
  }
  if (!isKnown)
  {
    image.spacingSource = "none";
  }
  if (space != nullptr)
  {
    image.notes.push_back("it names the space '" + *space + "' but no space directions; its axes are taken as x, y, z");
  }
  SettleSpacing(image);
}

/** The files of detached data, each with its path; the file itself for attached ones. */
std::vector<FileBytes>
DataFilesOf(const FileBytes & file, const NrrdHeader & header)
{
  const std::string * const field = header.Find("data file");
  if (field == nullptr)
  {
    return { file };
  }
  std::vector<std::string> names;
  const auto               words = Words(*field);
  if (!words.empty() && words[0] == "LIST")
  {
    names = header.dataFiles;
  }
  else if (words.size() >= 4 && field->find('%') != std::string::npos &&
           !std::filesystem::exists(PathBeside(file.Path(), *field)))
  {
    const auto number = [&](std::size_t i) { return WholeNumber(words[i], "data file"); };
    names = NamesOfPattern(words[0], number(1), number(2), number(3));
  }
  else
  {
    names = { *field };
  }
  if (names.empty() || names[0].empty())
  {
    throw Error("its field 'data file' names no file");
  }
  return MapDataFiles(file.Path(), names);
}

/** Where the data begin after `lines` lines. */
std::uint64_t
AfterLines(const FileBytes & file, std::uint64_t begin, std::int64_t lines)
{
  const auto * place = file.Data() + begin;
  const auto * end = file.Data() + file.Size();
  for (std::int64_t line = 0; line < lines; ++line)
  {
    place = std::find(place, end, '\n');
    if (place == end)
    {
      throw Error("the file is truncated: there are fewer lines than the 'line skip' of " + std::to_string(lines));
    }
    ++place;
  }
  return static_cast<std::uint64_t>(place - file.Data());
}

int
DigitOf(unsigned char letter)
{
  return letter >= '0' && letter <= '9' ? letter - '0'
       : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10
       : letter >= 'A' && letter <= 'F' ? letter - 'A' + 10
                                        : -1;
}

void
ReadHexadecimal(const FileBytes & file, std::uint64_t begin, std::size_t bytes, std::byte * output)
{
  std::size_t digits = 0;
  int         high = 0;
  for (std::uint64_t place = begin; place < file.Size() && digits < 2 * bytes; ++place)
  {
    const unsigned char letter = file.Data()[place];
    if (std::isspace(letter) != 0)
    {
      continue;
    }
    const int digit = DigitOf(letter);
    if (digit < 0)
    {
      throw Error("among its hexadecimal digits is a byte of value " + std::to_string(letter));
    }
    if (digits % 2 != 0)
    {
      output[digits / 2] = static_cast<std::byte>(high * 16 + digit);
    }
    high = digit;
    ++digits;
  }
  if (digits < 2 * bytes)
  {
    throw Error("the file is truncated: it has " + std::to_string(digits) + " hexadecimal digits of " +
                std::to_string(2 * bytes));
  }
}

void
ReadData(const FileBytes & file, const NrrdHeader & header, const HostContext & context, LoadedImage & image)
{
  const std::string encoding = LowerCase(header.Get("encoding"));
  const bool        isRaw = encoding == "raw";
  const bool        isText = encoding == "txt" || encoding == "text" || encoding == "ascii";
  const bool        isGzip = encoding == "gzip" || encoding == "gz";
  if (!isRaw && !isText && !isGzip && encoding != "hex")
  {
    throw Unsupported("its encoding is '" + encoding + "'; raw, gzip, hex and text are read: save it as gzip");
  }
  const auto number = [&](const char * field) {
    return header.Find(field) == nullptr ? std::int64_t{ 0 } : WholeNumber(*header.Find(field), field);
  };
  const std::int64_t lineSkip = number("line skip");
  const std::int64_t byteSkip = number("byte skip");
  if (lineSkip < 0 || byteSkip < -1 || (byteSkip == -1 && !isRaw))
  {
    throw Error("its 'line skip' is " + std::to_string(lineSkip) + " and its 'byte skip' " + std::to_string(byteSkip) +
                "; they must be at least 0 (with the encoding raw, a 'byte skip' of -1 is possible)");
  }
  const std::size_t size = SizeOf(image.type);
  bool              swapped = false;
  if (size > 1 && !isText)
  {
    const std::string endian = LowerCase(header.Get("endian"));
    if (endian != "little" && endian != "big")
    {
      throw Error("its endian is '" + endian + "'; little and big are right");
    }
    swapped = (endian == "big") != HostIsBigEndian;
  }
  const bool isAttached = header.Find("data file") == nullptr;
  if (isAttached && !header.endsWithBlankLine)
  {
    throw Error("the file is truncated: its header does not end");
  }
  const std::size_t bytes = VoxelBytes(image.extent, image.channels, image.type);
  const auto        files = DataFilesOf(file, header);
  for (const FileBytes & data : files)
  {
    image.files.push_back(data.Path());
  }
  CheckFileCount(files.size(), image.extent);
  const std::size_t bytesOfFile = bytes / files.size();
  std::uint64_t     present = 0;
  for (const FileBytes & data : files)
  {
    present += data.Size();
  }
  std::byte * output = nullptr;
  if (!isRaw || files.size() > 1)
  {
    output = MakeRoom(present, isGzip ? MostInflated(1) : size, image);
  }
  for (std::size_t i = 0; i < files.size(); ++i)
  {
    const FileBytes & data = files[i];
    std::byte * const part = output == nullptr ? nullptr : output + i * bytesOfFile;
    std::uint64_t     begin = AfterLines(data, isAttached ? header.end : 0, lineSkip);
    if (isGzip)
    {
      Inflater          inflater(data.Data() + begin,
                        data.Size() - begin,
                        Wrapper::Gzip,
                        "'" + std::filesystem::path(data.Path()).filename().string() + "'");
      std::vector<char> skipped(std::size_t{ 1 } << 16);
      for (std::int64_t left = byteSkip; left > 0; left -= static_cast<std::int64_t>(skipped.size()))
      {
        inflater.Read(skipped.data(), std::min(skipped.size(), static_cast<std::size_t>(left)));
      }
      inflater.Read(part, bytesOfFile);
      inflater.Finish();
      continue;
    }
    if (byteSkip == -1)
    {
      data.Require(begin, bytesOfFile);
      begin = data.Size() - bytesOfFile;
    }
    else
    {
      data.Require(begin, static_cast<std::uint64_t>(byteSkip));
      begin += static_cast<std::uint64_t>(byteSkip);
    }
    if (isText)
    {
      const char * const text = reinterpret_cast<const char *>(data.Data());
      ReadText(text + begin, text + data.Size(), image.type, bytesOfFile / size, part);
    }
    else if (!isRaw)
    {
      ReadHexadecimal(data, begin, bytesOfFile, part);
    }
    else if (part == nullptr)
    {
      TakeStored(data, begin, swapped, context, image);
      swapped = false;
    }
    else
    {
      CopyStored(data, begin, bytesOfFile, part, context);
    }
    if (isRaw)
    {
      CheckBytesBeyond(data.Size() - begin - bytesOfFile, files.size(), image);
    }
  }
  if (swapped)
  {
    SwapBytes(output, size, bytes / size, context);
  }
}

} // namespace

bool
IsNrrd(const FileBytes & file)
{
  return file.BeginsWith("NRRD", 4);
}

LoadedImage
ReadNrrd(const FileBytes & file, const ReadOptions & options)
{
  const NrrdHeader  header = ParseNrrdHeader(file);
  const HostContext context{ options.threads };
  LoadedImage       image;
  image.type = TypeOf(header.Get("type"));
  Axes axes = AxesOf(header);
  if (const std::string * const text = header.Find("space directions"))
  {
    const auto vectors = Vectors(*text, "space directions");
    if (vectors.size() != axes.sizes.size())
    {
      throw Error("it has " + std::to_string(vectors.size()) + " space directions for " +
                  std::to_string(axes.sizes.size()) + " axes");
    }
    for (std::size_t axis = 0; axis < vectors.size(); ++axis)
    {
      axes.roles[axis] = !vectors[axis].empty()          ? Role::Space
                       : axes.roles[axis] == Role::Space ? Role::Other
                                                         : axes.roles[axis];
    }
  }
  // The fastest axis holds channels if it is no place; one that comes last follows the others as planes do.
  std::vector<std::int64_t> sizes;
  std::vector<std::size_t>  places;
  bool                      channelsAreLast = false;
  bool                      hasChannels = false;
  std::string               channelKind;
  std::size_t               beyond = 0;
  for (std::size_t axis = 0; axis < axes.sizes.size(); ++axis)
  {
    const bool isLast = axis + 1 == axes.sizes.size();
    const auto size = axes.sizes[axis];
    if (axes.roles[axis] == Role::Space)
    {
      if (beyond > 0)
      {
        throw Unsupported("its axis " + std::to_string(axis) + " lies behind one that is no place in space (kind " +
                          axes.kinds[axis - 1] + "); such axes are read where they come first or last");
      }
      sizes.push_back(size);
      places.push_back(axis);
    }
    else if ((axis == 0 || (isLast && axes.roles[axis] == Role::Channels)) && !hasChannels)
    {
      if (size < 1 || size > 1000000)
      {
        throw Error("it has " + std::to_string(size) + " channels; there must be at least 1");
      }
      image.channels = static_cast<int>(size);
      hasChannels = true;
      channelsAreLast = axis != 0;
      channelKind = axes.kinds[axis];
    }
    else
    {
      sizes.push_back(size);
      ++beyond;
      if (size > 1)
      {
        image.notes.push_back("its axis " + std::to_string(axis + 1) + " (kind " + axes.kinds[axis] +
                              ") is no place in space but is labeled as one; --by-slice keeps its entries apart");
      }
    }
  }
  image.extent = SettleExtent(sizes);
  places.resize(std::min(places.size(), static_cast<std::size_t>(image.extent.dimension)));
  SetGeometry(header, places, axes.sizes.size(), options, image);
  ReadData(file, header, context, image);
  if (channelsAreLast)
  {
    InterleaveChannels(image, context);
  }
  if (channelKind == "rgba-color" && image.channels == 4)
  {
    DropAlpha(image, context);
  }
  return image;
}

} // namespace brickccl::files
