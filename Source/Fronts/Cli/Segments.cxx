// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Segments.h"

#include "BrickCCL/Cli/JobOptions.h"
#include "BrickCCL/Cli/RunApp.h"
#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Files/FilePattern.h"
#include "BrickCCL/Files/FindImages.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Segments.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Segmenting/SmoothImage.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

namespace brickccl::cli
{

constexpr const char * NameOfSegment = "name of the segment that the component belongs to";

static ComponentColumn
TextColumn(const std::string & name, const std::string & description, std::vector<std::string> texts)
{
  ComponentColumn column;
  column.name = name;
  column.description = description;
  column.texts = std::make_shared<const std::vector<std::string>>(std::move(texts));
  return column;
}

static std::string
ListOfSome(std::vector<std::string> names)
{
  if (names.size() > MostFilesNamed + 1)
  {
    names[MostFilesNamed] = std::to_string(names.size() - MostFilesNamed) + " more";
    names.resize(MostFilesNamed + 1);
  }
  return ListOf(names);
}

static LoadedImage
LayerOf(const LoadedImage & image, int layer)
{
  LoadedImage one;
  one.type = image.type;
  one.extent = image.extent;
  one.geometry = image.geometry;
  one.spacingSource = image.spacingSource;
  one.files = image.files;
  one.segmentation.fields = image.segmentation.fields;
  for (const Segment & segment : image.segmentation.segments)
  {
    if (segment.layer == static_cast<std::uint64_t>(layer))
    {
      one.segmentation.segments.push_back(segment);
      one.segmentation.segments.back().layer = 0;
    }
  }
  VisitScalarType(image.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const T * from = static_cast<const T *>(image.View().data) + layer;
    T * const to = reinterpret_cast<T *>(one.voxels.Resize(one.ByteCount()));
    for (std::int64_t voxel = 0; voxel < image.extent.VoxelCount(); ++voxel, from += image.channels)
    {
      to[voxel] = *from;
    }
  });
  return one;
}

static std::vector<std::string>
NamesOf(const Segmentation & segmentation, const std::vector<std::uint64_t> & labels)
{
  std::map<std::uint64_t, std::string> nameOf;
  for (const Segment & segment : segmentation.segments)
  {
    nameOf.emplace(segment.label, NameOf(segment));
  }
  return Mapped(labels, [&](std::uint64_t label) { return nameOf[label]; });
}

static std::vector<std::string>
NamesIn(const Segmentation & segmentation)
{
  return Mapped(segmentation.segments, [](const Segment & segment) { return NameOf(segment); });
}

/** \throws InvalidArgument with the nearest name if a text is not one of the names */
static void
CheckName(const std::string & text, const std::vector<std::string> & names, const std::string & fault)
{
  ThrowIf<InvalidArgument>(std::find(names.begin(), names.end(), text) == names.end(),
                           Quoted(text) + fault + (names.empty() ? "; none has a name" : DidYouMean(text, names)));
}

/** Adds a mask's columns and segments. A nameless component gets the file's name, with its label if several. */
static void
AddFile(const std::string & file, const Segmentation & own, ComponentTable & table, std::vector<Segment> & all)
{
  const std::vector<std::uint64_t> labels = InputLabels(table);
  std::vector<std::string>         names = NamesOf(own, labels);
  const std::string                stem = WithoutExtension(std::filesystem::path(file).filename().string());
  for (std::size_t row = 0; row < labels.size(); ++row)
  {
    const auto isIt = [&](const Segment & segment) { return segment.label == labels[row]; };
    const auto found = std::find_if(own.segments.begin(), own.segments.end(), isIt);
    names[row] = !names[row].empty() ? names[row]
                                     : PlainText(stem) + (labels.size() == 1 ? "" : " " + std::to_string(labels[row]));
    all.push_back(MakeSegment(all.size() + 1, names[row], {}));
    for (const auto & [key, value] : found == own.segments.end() ? Segment::Fields() : found->fields)
    {
      for (auto & [ownKey, ownValue] : all.back().fields)
      {
        ownValue = ownKey == key && key != "ID" ? value : ownValue;
      }
    }
  }
  table.texts = { TextColumn("image", "file that the component is from", { labels.size(), PlainText(file) }),
                  TextColumn("name", NameOfSegment, std::move(names)) };
}

/** \throws InvalidArgument if a file has several segments, and each of them is a mask of its own, too. */
static void
CheckNotMerged(const std::map<std::string, std::set<std::string>> & all)
{
  std::set<std::string> single;
  for (const auto & [file, names] : all)
  {
    names.size() == 1 ? single.insert(names.begin(), names.end()) : void();
  }
  for (const auto & [file, names] : all)
  {
    ThrowIf<InvalidArgument>(names.size() > 1 &&
                               std::includes(single.begin(), single.end(), names.begin(), names.end()),
                             Quoted(file) + " has the segments of other masks in its folder, as if merged from them; "
                                            "move it elsewhere, or name the files to use");
  }
}

std::vector<std::uint64_t>
InputLabels(const ComponentTable & table)
{
  std::vector<std::uint64_t> labels;
  for (std::size_t row = 0; row < table.components.size(); ++row)
  {
    labels.push_back(table.components.Label(row));
    if (table.measures.Has<ClassValue>())
    {
      std::visit([&](auto value) { labels.back() = value > 0 ? static_cast<std::uint64_t>(value) : 0; },
                 table.measures.Of<ClassValue>()[row].value);
    }
  }
  return labels;
}

void
AddNames(const Segmentation & segmentation, const std::vector<std::uint64_t> & inputLabels, ComponentTable & table)
{
  if (!segmentation.segments.empty())
  {
    table.texts = { TextColumn("name", NameOfSegment, NamesOf(segmentation, inputLabels)) };
  }
}

Segmentation
SegmentsOf(const LoadedImage &                image,
           const ComponentTable &             written,
           const std::vector<std::uint64_t> & inputLabels,
           bool                               keepsEmpty,
           ImageReader &                      notes)
{
  Segmentation                              result{ image.segmentation.fields, {} };
  std::vector<std::string>                  empty;
  std::multimap<std::uint64_t, std::size_t> rowsOf;
  for (std::size_t row = 0; row < inputLabels.size(); ++row)
  {
    rowsOf.emplace(inputLabels[row], row);
  }
  for (const Segment & segment : image.segmentation.segments)
  {
    const auto [begin, end] = rowsOf.equal_range(segment.label);
    if (begin == end && keepsEmpty)
    {
      empty.push_back(Quoted(NameOf(segment)));
      result.segments.push_back(segment);
    }
    for (auto row = begin; row != end; ++row)
    {
      const ComponentMeasures component = written.components[row->second];
      Segment                 own = segment;
      own.label = component.label;
      for (std::size_t axis = 0; axis < 3; ++axis)
      {
        own.box[2 * axis] = component.boxMinimum[axis] - image.geometry.startIndex[axis];
        own.box[2 * axis + 1] = component.boxMaximum[axis] - image.geometry.startIndex[axis];
      }
      for (auto & [key, value] : own.fields)
      {
        value += key == "ID" && std::next(begin) != end ? "_" + std::to_string(own.label) : "";
      }
      result.segments.push_back(std::move(own));
    }
  }
  notes.NoteIf(!empty.empty(), "segments without voxels stay in the list: " + ListOfSome(empty));
  return result;
}

LoadedImage
MaskOf(const LoadedImage & image, const Number & label)
{
  LoadedImage mask = EmptyCopy(image, ScalarType::UInt8);
  std::byte * voxels = mask.voxels.Resize(mask.ByteCount());
  VisitScalarType(image.type, [&](auto tag) {
    const auto * const values = static_cast<const typename decltype(tag)::Type *>(image.View().data);
    std::transform(values, values + mask.ByteCount(), voxels, [&](auto value) {
      return std::byte{ Number(value) == label };
    });
  });
  return mask;
}

MaskFiles
FindMasks(const std::vector<std::string> & inputs, bool areMasks)
{
  MaskFiles masks{ {}, areMasks || inputs.size() > 1 };
  for (const std::string & input : inputs)
  {
    std::vector<std::string> files;
    FindImagesOptions        options;
    options.slicesAreVolumes = !areMasks;
    std::error_code ignored;
    // A file may have the name of a pattern.
    const bool isFolder = std::filesystem::is_directory(input, ignored) && files::ZarrHeader(input).empty();
    const bool isFile = std::filesystem::exists(input, ignored) && !isFolder;
    ThrowIf<InvalidArgument>(isFolder && std::filesystem::is_empty(input, ignored),
                             "the folder " + Quoted(input) +
                               " is empty; it should hold masks (`brickccl info --formats`)");
    if (!isFile && (isFolder || files::IsFilePattern(input)))
    {
      try
      {
        for (const FoundImage & image : FindImages({ input }, options).images)
        {
          ThrowIf(image.kind != FoundImage::Kind::File && !areMasks, "it is one image");
          files.insert(files.end(), image.files.begin(), image.files.end());
        }
      }
      catch (const Error &)
      {
        // It is one image, or reading it says why not.
        files.clear();
      }
    }
    masks.areSeveral = masks.areSeveral || !files.empty();
    masks.areFound = masks.areFound || !files.empty();
    files = files.empty() ? std::vector<std::string>{ input } : files;
    masks.files.insert(masks.files.end(), files.begin(), files.end());
  }
  for (std::string & file : masks.files)
  {
    // A Zarr array is called by its folder, not by the file of its metadata.
    const std::string folder = std::filesystem::path(file).parent_path().generic_string();
    file = file == folder + "/" || file == files::ZarrHeader(folder) ? folder : file;
  }
  return masks;
}

ComponentTable
MeasureMasks(const MaskFiles &                                                       masks,
             const std::function<ComponentTable(LoadedImage & mask, bool isFirst)> & measure,
             LoadedImage &                                                           last,
             ImageReader &                                                           reader)
{
  std::vector<ComponentTable>                  tables;
  std::vector<std::string>                     empty;
  std::vector<Segment>                         all;
  LoadedImage                                  grid;
  std::map<std::string, std::set<std::string>> names;
  for (const std::string & file : masks.files)
  {
    last.voxels.Release();
    LoadedImage image = reader.ReadLabels(file);
    grid.extent = tables.empty() ? image.extent : grid.extent;
    grid.geometry = tables.empty() ? image.geometry : grid.geometry;
    CheckSameGrid(grid, image, file);
    const int layers = image.segmentation.segments.empty() ? 1 : image.channels;
    for (int layer = 0; layer < layers; ++layer)
    {
      last = layers == 1 ? std::exchange(image, {}) : LayerOf(image, layer);
      ComponentTable table;
      try
      {
        table = measure(last, tables.empty());
      }
      catch (const InvalidArgument & error)
      {
        throw InvalidArgument((masks.areSeveral ? Quoted(file) + ": " : "") + error.what());
      }
      if (!masks.areSeveral && layers == 1)
      {
        AddNames(last.segmentation, InputLabels(table), table);
        return table;
      }
      AddFile(file, last.segmentation, table, all);
      empty.insert(empty.end(), table.components.empty() ? 1 : 0, Quoted(file));
      names[file].insert(table.texts.back().texts->begin(), table.texts.back().texts->end());
      tables.push_back(std::move(table));
    }
  }
  reader.NoteIf(!empty.empty(), Counted(empty.size(), "mask") + " without voxels: " + ListOfSome(empty));
  masks.areFound ? CheckNotMerged(names) : void();
  last.segmentation.segments = std::move(all);
  return JoinTables(std::move(tables));
}

std::vector<std::string>
ItemsOf(const std::string & list)
{
  ThrowIf<InvalidArgument>(std::count(list.begin(), list.end(), '"') % 2 != 0,
                           "a quote in " + Quoted(list) + " is not closed; write \"\" for one within a name");
  std::vector<std::string> items = CsvCells(list);
  for (std::string & item : items)
  {
    item = files::Trimmed(item);
  }
  return items;
}

std::string
LabelsForNames(const std::string & list, const std::string & option, const Segmentation & segmentation)
{
  const std::vector<std::string> names = NamesIn(segmentation);
  const std::string              whole = files::Trimmed(list);
  const bool                     isOneName = std::count(names.begin(), names.end(), whole) > 0;
  std::vector<std::string>       labels;
  for (const std::string & item : isOneName ? std::vector<std::string>{ whole } : ItemsOf(list))
  {
    // A number or range is of labels, whatever the names are.
    if (names.empty() || job::NumberOf(item) || item.find_first_not_of("0123456789-") == std::string::npos)
    {
      labels.push_back(item);
      continue;
    }
    CheckName(item, names, " for " + option + " is not a number and not the name of a segment");
    // Several segments may have one name.
    for (std::size_t i = 0; i < names.size(); ++i)
    {
      labels.insert(labels.end(), names[i] == item ? 1 : 0, std::to_string(segmentation.segments[i].label));
    }
  }
  return Joined(labels, ",");
}

Number
LabelForName(const std::string & name, const std::string & option, const Segmentation & segmentation)
{
  const std::string labels = LabelsForNames(name, option, segmentation);
  ThrowIf<InvalidArgument>(labels.find(',') != std::string::npos,
                           option + " is for one label, and " + Quoted(name) + " names the labels " + labels +
                             "; give one of these");
  return ParseNumber(labels, option);
}

std::vector<bool>
Evaluate(const Condition & condition, const Segmentation & segmentation, ComponentTable & table)
{
  for (const std::string & name : condition.Names())
  {
    CheckName(name, NamesIn(segmentation), " in --where is not the name of a segment");
  }
  AddNames(segmentation, InputLabels(table), table);
  return condition.Evaluate(table);
}

} // namespace brickccl::cli
