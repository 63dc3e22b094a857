// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats/NrrdHeader.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/HeaderText.h"

#include <algorithm>

namespace brickccl::files
{

static std::string
FieldName(const std::string & text)
{
  const std::string name = LowerCase(Trimmed(text));
  return name == "datafile"   ? "data file"
       : name == "lineskip"   ? "line skip"
       : name == "byteskip"   ? "byte skip"
       : name == "axismins"   ? "axis mins"
       : name == "axismaxs"   ? "axis maxs"
       : name == "centerings" ? "centers"
                              : name;
}

const std::string *
NrrdHeader::Find(const std::string & name) const
{
  const auto found = fields.find(name);
  return found == fields.end() ? nullptr : &found->second;
}

const std::string &
NrrdHeader::Get(const std::string & name) const
{
  const std::string * const value = Find(name);
  ThrowIf(value == nullptr, "its header has no field '" + name + "'");
  return *value;
}

NrrdHeader
ParseNrrdHeader(const FileBytes & file)
{
  NrrdHeader   header;
  const char * place = reinterpret_cast<const char *>(file.Data());
  const char * end = place + std::min<std::size_t>(file.Size(), std::size_t{ 1 } << 26);
  bool         isFirst = true;
  bool         isList = false;
  const char * begin = place;
  while (place < end)
  {
    std::string line = TakeLine(place, end);
    if (!line.empty() && line.back() == '\r')
    {
      line.pop_back();
    }
    if (isList)
    {
      if (!Trimmed(line).empty())
      {
        header.dataFiles.push_back(Trimmed(line));
      }
      continue;
    }
    if (line.empty())
    {
      header.endsWithBlankLine = true;
      break;
    }
    const auto colon = line.find(':');
    if (isFirst)
    {
      ThrowIf<Unsupported>(line.size() < 8 || line[4] != '0' || line[5] != '0' || line[6] != '0' || line[7] < '1' ||
                             line[7] > '5',
                           "it begins with " + Quoted(line.substr(0, 16)) + "; NRRD0001 to NRRD0005 are read");
      isFirst = false;
    }
    else if (line[0] == '#' || (colon != std::string::npos && colon + 1 < line.size() && line[colon + 1] == '='))
    {
      // Comments and key/value pairs say nothing about voxels, but pairs of Slicer name them.
      if (line.compare(0, 7, "Segment") == 0)
      {
        header.pairs.emplace_back(line.substr(0, colon), line.substr(colon + 2));
      }
    }
    else if (colon == std::string::npos)
    {
      throw Error("its header has the line " + Quoted(line.substr(0, 60)) + ", which is not a field");
    }
    else
    {
      const std::string name = FieldName(line.substr(0, colon));
      ThrowIf(!header.fields.emplace(name, Trimmed(line.substr(colon + 1))).second,
              "its header has the field '" + name + "' twice");
      const auto words = Words(line.substr(colon + 1));
      isList = name == "data file" && !words.empty() && words[0] == "LIST";
    }
  }
  header.end = static_cast<std::uint64_t>(place - begin);
  return header;
}

} // namespace brickccl::files
