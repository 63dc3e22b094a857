// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Segments.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Files/Disk/FileBytes.h"
#include "BrickCCL/Files/ErrorContext.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/SegmentColors.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

namespace brickccl
{

using namespace files;

namespace
{

/** The cells of a line, between tabs; quotes around a cell are left out. */
std::vector<std::string>
CellsOf(const std::string & line)
{
  std::vector<std::string> cells;
  for (std::size_t begin = 0; begin <= line.size();)
  {
    const std::size_t end = std::min(line.find('\t', begin), line.size());
    std::string       cell = Trimmed(line.substr(begin, end - begin));
    const bool        isQuoted = cell.size() > 1 && cell.front() == '"' && cell.back() == '"';
    cells.push_back(isQuoted ? cell.substr(1, cell.size() - 2) : cell);
    begin = end + 1;
  }
  return cells;
}

template <typename T>
std::optional<T>
NumberOf(const std::string & text, int base = 10)
{
  T          number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

struct NameRow
{
  std::string label;
  std::string name;
  /** Red, green and blue, 0 to 255, in a base. */
  std::vector<std::string> color;
  int                      base = 10;
};

/** The row in a line: by columns of a header, "5 255 0 0 1 1 1 "left kidney"", or "5 left_kidney 255 0 0 255", whose
 * last number may be missing. Empty for other lines. */
NameRow
RowOf(const std::string & line, const std::vector<std::string> & header)
{
  const auto cells = header.empty() ? Words(line) : CellsOf(line);
  const auto cell = [&](const char * column) {
    const auto place = static_cast<std::size_t>(std::find(header.begin(), header.end(), column) - header.begin());
    return place < std::min(cells.size(), header.size()) ? cells[place] : std::string();
  };
  const std::size_t quote = line.find('"');
  if (!header.empty())
  {
    const std::string color = cell("color");
    NameRow row{ cell("index"), cell("name"), std::vector<std::string>(color.empty() || color == "n/a" ? 0 : 3), 16 };
    for (std::size_t i = 0; i < row.color.size() && color.size() == 7 && color[0] == '#'; ++i)
    {
      row.color[i] = color.substr(1 + 2 * i, 2);
    }
    return row;
  }
  if (quote != std::string::npos && cells.size() >= 8 && line.size() > quote + 1 && line.back() == '"')
  {
    return { cells[0], line.substr(quote + 1, line.size() - quote - 2), { cells[1], cells[2], cells[3] } };
  }
  if (quote != std::string::npos || cells.size() < 5)
  {
    return {};
  }
  const std::size_t first = cells.size() == 5 ? 2 : cells.size() - 4;
  std::string       name;
  for (std::size_t i = 1; i < first; ++i)
  {
    name += (i == 1 ? "" : " ") + cells[i];
  }
  return { cells[0], name, { cells[first], cells[first + 1], cells[first + 2] } };
}

/** The segments in the lines of a table. \throws Error for a line that is not one */
std::vector<Segment>
SegmentsIn(const char * place, const char * end)
{
  std::vector<Segment>                 segments;
  std::vector<std::string>             header;
  std::map<std::uint64_t, std::size_t> lineOf;
  bool                                 isSlicer = false;
  for (std::size_t number = 1; place < end; ++number)
  {
    const std::string line = Trimmed(TakeLine(place, end));
    const auto        cells = CellsOf(header.empty() ? LowerCase(line) : line);
    const auto        names = [&](const char * name) { return std::count(cells.begin(), cells.end(), name) > 0; };
    isSlicer = isSlicer || line.rfind("# Color table", 0) == 0;
    if (line.empty() || line[0] == '#')
    {
      continue;
    }
    if (header.empty() && names("index") && names("name"))
    {
      header = cells;
      continue;
    }
    NameRow             row = RowOf(line, header);
    const auto          label = NumberOf<std::uint64_t>(row.label);
    std::vector<double> color;
    for (const std::string & text : row.color)
    {
      const auto channel = NumberOf<std::uint8_t>(text, row.base);
      color.insert(color.end(), channel ? 1 : 0, channel.value_or(0) / 255.0);
    }
    ThrowIf(!label || color.size() != row.color.size() || (header.empty() && row.name.empty()),
            "its line " + std::to_string(number) + ", " + Quoted(PlainText(line.substr(0, 60))) +
              ", is not a row of a label table (colors: 0 to 255, or #rrggbb); ITK-SNAP's label descriptions, color "
              "tables of 3D Slicer (.ctbl) and FreeSurfer, dseg.tsv of BIDS and the JSON of dcmqi are read");
    const auto [first, isNew] = lineOf.emplace(*label, number);
    ThrowIf(!isNew,
            "its lines " + std::to_string(first->second) + " and " + std::to_string(number) + " both name the label " +
              std::to_string(*label));
    // 3D Slicer writes blanks of names as underscores.
    std::replace(row.name.begin(), row.name.end(), isSlicer ? '_' : ' ', ' ');
    if (*label != 0 && !row.name.empty())
    {
      segments.push_back(MakeSegment(*label, row.name, color));
    }
  }
  return segments;
}

/** The segments in JSON as dcmqi's itkimage2segimage takes it. \throws Error if it is something else */
std::vector<Segment>
SegmentsInJson(const char * text, const char * end)
{
  using nlohmann::json;
  std::map<std::uint64_t, Segment> segments;
  std::string                      fault = "it is not JSON with segmentAttributes as dcmqi takes it";
  try
  {
    constexpr int deepest = 100;
    const auto    isFlat = [](int depth, json::parse_event_t, const json &) {
      ThrowIf(depth > deepest, "its JSON is nested too deeply");
      return true;
    };
    const json all = json::parse(text, end, isFlat);
    for (const json & file : all.at("segmentAttributes"))
    {
      for (const json & one : file)
      {
        fault = "each segment needs a labelID, a whole number";
        const json number = one.value("labelID", json());
        ThrowIf(!number.is_number_unsigned(), fault);
        const auto        label = number.get<std::uint64_t>();
        const std::string must = " of label " + std::to_string(label) + " must be ";
        const auto        codeOf = [&](const std::string & name) {
          fault = "the " + name + must + "an object with the texts CodeValue, CodingSchemeDesignator and CodeMeaning";
          const json code = one.value(name, json::object());
          return code.value("CodingSchemeDesignator", "") + "^" + code.value("CodeValue", "") + "^" +
                 code.value("CodeMeaning", "");
        };
        fault = "the recommendedDisplayRGBValue" + must + "3 numbers from 0 to 255";
        std::vector<double> color = one.value("recommendedDisplayRGBValue", std::vector<double>());
        const auto          isChannel = [](double channel) { return channel >= 0 && channel <= 255; };
        ThrowIf((!color.empty() && color.size() != 3) || !std::all_of(color.begin(), color.end(), isChannel), fault);
        std::transform(color.begin(), color.end(), color.begin(), [](double channel) { return channel / 255; });
        const std::string property = "SegmentedProperty";
        const std::string tags =
          "TerminologyEntry:Segmentation category and type - DICOM master list~" +
          codeOf(property + "CategoryCodeSequence") + "~" + codeOf(property + "TypeCodeSequence") + "~" +
          codeOf(property + "TypeModifierCodeSequence") + "~Anatomic codes - DICOM master list~" +
          codeOf("AnatomicRegionSequence") + "~" + codeOf("AnatomicRegionModifierSequence") + "|";
        fault = "the SegmentLabel or SegmentDescription" + must + "a text";
        const auto name = one.value("SegmentLabel", one.value("SegmentDescription", std::to_string(label)));
        ThrowIf(!segments.emplace(label, MakeSegment(label, name, color, tags)).second,
                "it names the label " + std::to_string(label) + " twice");
      }
    }
  }
  catch (const json::exception &)
  {
    throw Error(fault);
  }
  return Mapped(segments, [](const auto & labeled) { return labeled.second; });
}

} // namespace

std::string
Utf8Of(std::uint32_t code)
{
  int                 rest = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  const std::uint32_t mark = rest == 0 ? 0 : 0xff & (0xff00 >> (rest + 1));
  std::string         text(1, static_cast<char>(mark | (code >> (6 * rest))));
  while (rest-- > 0)
  {
    text += static_cast<char>(0x80 | ((code >> (6 * rest)) & 0x3f));
  }
  return text;
}

std::string
PlainText(const std::string & text)
{
  std::string utf8;
  for (const char c : text)
  {
    utf8 += Utf8Of(static_cast<unsigned char>(c));
  }
  return Printable(IsUtf8(text) ? text : utf8);
}

Segment
MakeSegment(std::uint64_t label, const std::string & name, const std::vector<double> & color, const std::string & tags)
{
  Segment segment;
  segment.label = label;
  std::string escaped;
  for (const char c : PlainText(name))
  {
    escaped += std::string(c == '\\' ? 2 : 1, c);
  }
  const auto  own = SegmentColor(label);
  std::string channels;
  for (const double channel : color.empty() ? std::vector<double>(own.begin(), own.end()) : color)
  {
    channels += (channels.empty() ? "" : " ") + Shortest(std::round(1000 * std::clamp(channel, 0.0, 1.0)) / 1000);
  }
  segment.fields = { { "ID", "Segment_" + std::to_string(label) },
                     { "Name", escaped },
                     { "Color", channels },
                     { "ColorAutoGenerated", color.empty() ? "1" : "0" },
                     { "NameAutoGenerated", name == std::to_string(label) ? "1" : "0" },
                     { "Tags", tags.empty() ? "|" : PlainText(tags) } };
  return segment;
}

std::string
NameOf(const Segment & segment)
{
  std::string name;
  for (const auto & [key, value] : segment.fields)
  {
    for (std::size_t at = 0; key == "Name" && at < value.size(); ++at)
    {
      const bool isEscaped =
        value[at] == '\\' && at + 1 < value.size() && (value[at + 1] == '\\' || value[at + 1] == 'n');
      at += isEscaped ? 1 : 0;
      name += isEscaped && value[at] == 'n' ? '\n' : value[at];
    }
  }
  name = PlainText(name);
  constexpr std::size_t most = 1000;
  if (name.size() > most)
  {
    // No character is cut.
    std::size_t end = most - 3;
    for (; (static_cast<unsigned char>(name[end]) & 0xc0u) == 0x80; --end)
    {}
    name = name.substr(0, end) + "...";
  }
  return name;
}

std::vector<Segment>
ReadSegmentNames(const std::string & path)
{
  return WithContext("cannot read the names in " + Quoted(path) + ": ", [&] {
    const FileBytes       file = FileBytes::Map(path);
    const char *          text = reinterpret_cast<const char *>(file.Data());
    const char * const    end = text + file.Size();
    constexpr std::size_t most = std::size_t{ 1 } << 26;
    // A mark of UTF-8 may come first.
    text += file.BeginsWith("\xef\xbb\xbf", 3) ? 3 : 0;
    const bool isJson = text < end && *text == '{';
    auto       segments = file.Size() > most ? std::vector<Segment>()
                        : isJson             ? SegmentsInJson(text, end)
                                             : SegmentsIn(text, end);
    ThrowIf(segments.empty(), file.Size() > most ? "it is larger than 64 MiB" : "it names no label");
    return segments;
  });
}

} // namespace brickccl
