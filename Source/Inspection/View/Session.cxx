// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/View/Session.h"

#include "BrickCCL/Batch/JsonText.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Dispatch/LabelingImplementation.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Files/ImageFile.h"
#include "BrickCCL/Host/System.h"
#include "BrickCCL/Job/Findings.h"
#include "BrickCCL/Job/Parameters.h"
#include "BrickCCL/Pictures/Picture.h"
#include "BrickCCL/Segmenting/ThresholdAsJson.h"
#include "BrickCCL/Tables/TableLayout.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <stdexcept>

namespace brickccl::view
{

namespace fs = std::filesystem;

namespace
{

#include "ViewPage.inc"

constexpr std::size_t MaximumRows = 10000;

/** A whole number below `limit` from a request. \throws Refusal */
std::int64_t
NumberFrom(const Request & request, const std::string & name, std::int64_t limit)
{
  const auto number = job::NumberOf(request.parameters.at(name));
  if (!number || !number->IsWhole() || *number < 0 || *number >= limit)
  {
    throw Refusal(400, name + " must be a whole number from 0 to " + std::to_string(limit - 1));
  }
  return static_cast<std::int64_t>(*number);
}

nlohmann::ordered_json
HistogramAsJson(const ValueHistogram & histogram)
{
  auto json = nlohmann::ordered_json::object();
  if (histogram.valueCount == 0)
  {
    return json;
  }
  constexpr std::size_t bars = 512;
  for (const HistogramBar & bar : BarsOf(histogram, bars))
  {
    json["bars"].push_back({ bar.low, bar.high, bar.count });
  }
  json["isExact"] = histogram.isExact;
  json["black"] = histogram.Percentile(0.5);
  json["white"] = histogram.Percentile(99.5);
  for (const ProposedThreshold & proposal : ProposeThresholds(histogram))
  {
    const bool isThere = proposal.failure.empty();
    json["proposals"].push_back(
      { { "method", proposal.method },
        { "value", isThere ? ThresholdAsJson(proposal.threshold.value) : nlohmann::ordered_json(nullptr) },
        { "reason", proposal.failure },
        { "repeated", proposal.isRepeated } });
  }
  return json;
}

/** \throws InvalidArgument unless an output is a new name, or the name of a file that may be replaced, in the folder in
 *  which the program was started, with an extension for its kind. */
void
CheckOutput(const Scene & scene, const std::string & kind, const std::string & name)
{
  static const std::map<std::string, std::vector<std::string>> extensions = {
    { "labels", { ".nrrd", ".nii.gz", ".mha", ".tif" } },
    { "table", { ".csv", ".json" } },
    { "picture", { ".png" } },
    { "recipe", { ".toml" } }
  };
  const auto &          ends = extensions.at(kind);
  const bool            hasEnd = std::any_of(ends.begin(), ends.end(), [&](const std::string & end) {
    return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
  });
  constexpr std::size_t longest = 200;
  ThrowIf<InvalidArgument>(!hasEnd || name.find_first_of("/\\") != std::string::npos || Printable(name) != name ||
                             name.front() == '.' || name.size() > longest,
                           Quoted(name) + " must be a file name without a folder that ends in " + Joined(ends, ", "));
  std::vector<std::string> inputs = scene.scan.files;
  inputs.push_back(scene.input);
  if (scene.labels)
  {
    inputs.insert(inputs.end(), scene.labels->files.begin(), scene.labels->files.end());
  }
  std::error_code failure;
  const auto      type = fs::symlink_status(name, failure).type();
  const bool      isNew = type == fs::file_type::not_found;
  const auto      isName = [&](const std::string & input) { return AreSameExistingFile(name, input); };
  ThrowIf<InvalidArgument>(std::any_of(inputs.begin(), inputs.end(), isName) ||
                             (!isNew && type != fs::file_type::regular) || (isNew && WouldBeRead(scene.input, name)),
                           Quoted(name) + " is an input or not a file that can be replaced; choose another name");
}

} // namespace

void
CheckScene(const Scene & scene)
{
  ThrowIf<InvalidArgument>(scene.scan.channels != 1 || scene.scan.extent.dimension > 3,
                           "`brickccl view` shows images of 1 channel and up to 3 dimensions; " + Quoted(scene.input) +
                             " has " + std::to_string(scene.scan.channels) + " and " +
                             std::to_string(scene.scan.extent.dimension));
  if (scene.labels)
  {
    CheckSameGrid(scene.scan, *scene.labels, scene.labelsName);
  }
}

Session::Session(const Scene & scene, const std::string & token, std::function<void()> onNews)
  : m_Scene(scene)
  , m_Token(token)
  , m_Live(scene.scan, scene.labels ? &*scene.labels : nullptr, scene.onDevice.get(), scene.threads, std::move(onNews))
{}

Session::Json
Session::Describe(const Labeled & first) const
{
  const LoadedImage & scan = m_Scene.scan;
  const int           dimension = scan.extent.dimension;
  Json                json;
  json["name"] = fs::path(m_Scene.input).filename().string();
  json["folder"] = fs::current_path().string();
  json["extent"] = std::vector<std::int64_t>(scan.extent.size, scan.extent.size + 3);
  json["dimension"] = dimension;
  json["spacing"] = std::vector<double>(scan.geometry.spacing, scan.geometry.spacing + 3);
  json["hasSpacing"] = scan.spacingSource != "none";
  json["type"] = NameOf(scan.type);
  json["settings"] = m_Scene.settings;
  json["notes"] = m_Scene.notes;
  json["error"] = first.error;
  json["labels"] = m_Scene.labelsName;
  return json;
}

Session::Json
Session::NumbersOf(const Labeled & labeled) const
{
  const Totals      totals = TotalsOf(labeled.table);
  const std::string unit = totals.sizeName.substr(totals.sizeName.find('_') + 1);
  std::uint64_t     largest = 0;
  for (std::size_t place = 0; place < labeled.table.components.size(); ++place)
  {
    largest = std::max(largest, labeled.table.components.VoxelCount(place));
  }
  const auto sizeOf = [&](std::uint64_t voxels) {
    const double size = static_cast<double>(voxels) * m_Scene.scan.geometry.VoxelVolume(m_Scene.scan.extent.dimension);
    return m_Scene.scan.spacingSource == "none" ? std::to_string(voxels) + " voxels" : job::Readable(size, unit);
  };
  Json json = { { "generation", labeled.generation },
                { "components", totals.components },
                { "voxels", totals.voxels },
                { "size", sizeOf(totals.voxels) },
                { "percent", labeled.part ? labeled.part->PorosityPercent(totals.voxels) : 100 * totals.fraction },
                { "largest", sizeOf(largest) },
                { "largestVoxels", largest },
                { "milliseconds", 1000 * labeled.seconds },
                { "smooth", labeled.values->smooth },
                { "box", labeled.values->box },
                { "parents", labeled.split.count } };
  json["threshold"] = labeled.threshold ? ThresholdAsJson(labeled.threshold->value) : Json(nullptr);
  json["command"] = CommandOf(m_Scene.input, m_Scene.reading, labeled.settings);
  return json;
}

/** The largest components, as rows of their columns. */
Session::Json
Session::TableOf(const Labeled & labeled) const
{
  const std::vector<ComponentColumn> all = ColumnsOf(labeled.table);
  TableLayout                        layout{ {}, "voxel_count", false, MaximumRows };
  for (const std::string & name : job::WordsOf("label voxel_count " + TotalsOf(labeled.table).sizeName +
                                               " equivalent_spherical_diameter_mm centroid_x centroid_y centroid_z"))
  {
    if (std::any_of(all.begin(), all.end(), [&](const auto & column) { return column.name == name; }))
    {
      layout.columns.push_back(name);
    }
  }
  const TableText text = LayOut(labeled.table, layout);
  Json            json = { { "generation", labeled.generation },
                           { "all", labeled.table.components.size() },
                           { "columns", layout.columns },
                           { "rows", Json::array() } };
  for (const std::size_t place : text.rows)
  {
    const ComponentMeasures component = labeled.table.components[place];
    Json                    row = Json::array();
    for (const ComponentColumn & column : text.columns)
    {
      std::visit([&](auto value) { row.push_back(value); }, column.value(labeled.table, component));
    }
    // A voxel of the component, where the page goes if its centroid is outside of it.
    row.push_back(component.firstVoxel);
    json["rows"].push_back(std::move(row));
  }
  return json;
}

Response
Session::AnswerSlice(const Request & request, const Labeled & labeled, bool isGray) const
{
  const Extent & extent = m_Scene.scan.extent;
  Slice          slice;
  slice.axis = static_cast<int>(NumberFrom(request, "axis", 3));
  slice.index = NumberFrom(request, "index", extent.size[slice.axis]);
  return { 200,
           "application/octet-stream",
           isGray ? GrayOf(*labeled.values->image, slice) : LabelsOf(labeled, slice),
           { { "X-Generation", std::to_string(labeled.generation) },
             { "X-Type", NameOf(labeled.values->image->type) } } };
}

std::optional<Session::Json>
Session::AnswerLabel(const Json & asked, const Labeled & labeled)
{
  const std::uint64_t generation = asked.at("generation").get_ref<const Json::number_unsigned_t &>();
  if (!m_Live.Ask(generation, ReadSettings(asked.at("settings"))))
  {
    return Json{ { "dropped", true } };
  }
  if (labeled.generation != generation)
  {
    return {};
  }
  return labeled.error.empty() ? NumbersOf(labeled) : Json{ { "generation", generation }, { "error", labeled.error } };
}

void
Session::Save(const std::string & kind, const std::string & name, const Labeled & labeled) const
{
  const HostContext context{ m_Scene.threads };
  const Labeling &  labeling = labeled.labeling;
  if (kind == "labels")
  {
    const LabelType type = labeling.SmallestType();
    WriteImageFile(
      name,
      { ScalarTypeOfLabel(type),
        labeling.GetExtent(),
        m_Scene.scan.geometry,
        [&](std::int64_t begin, std::int64_t end, void * rows) { labeling.WriteRows(begin, end, rows, type); },
        labeling.ComponentCount() },
      { true, context });
  }
  else if (kind == "picture")
  {
    WritePicture(name,
                 { m_Scene.scan, RunsOf(labeling), labeled.table, m_Scene.scan.spacingSource != "none" },
                 context);
  }
  else
  {
    std::optional<ComponentTable> table;
    if (kind == "table")
    {
      // The command's table has distances to the part's surface, too.
      MeasureOptions            options;
      std::vector<std::uint8_t> mask;
      if (labeled.part)
      {
        mask.resize(labeled.part->part.empty() ? static_cast<std::size_t>(m_Scene.scan.extent.VoxelCount()) : 0);
        mask.empty() ? void() : labeled.partOfDevice.Write(mask.data());
        options.part = mask.empty() ? labeled.part->PartView() : ImageView(mask.data(), m_Scene.scan.extent);
      }
      if (!labeled.job.split.empty())
      {
        options.parents = ImageView(labeled.split.labels.Data(), m_Scene.scan.extent);
      }
      table = labeling.Measure(options);
      table->regionVoxels = labeled.table.regionVoxels;
      table->partTotals.voxels = labeled.table.partTotals.voxels;
    }
    ReplaceTextFile(name, [&](std::ostream & stream) {
      const bool isJson = fs::path(name).extension() == ".json";
      !table   ? void(stream << RecipeOf(m_Scene.reading, labeled.settings))
      : isJson ? WriteJson(stream, *table)
               : WriteDelimited(stream, *table, ',');
    });
  }
}

Session::Json
Session::AnswerSave(const Json & asked, const Labeled & labeled) const
{
  const auto kind = asked.at("kind").get<std::string>();
  const auto name = asked.at("name").get<std::string>();
  try
  {
    CheckOutput(m_Scene, kind, name);
    ThrowIf<InvalidArgument>(labeled.generation == 0 || !labeled.error.empty() ||
                               asked.at("generation") != labeled.generation,
                             "wait until the labels are exact, then save");
    if (fs::exists(name) && !asked.at("overwrite").get<bool>())
    {
      return { { "exists", name } };
    }
    Save(kind, name, labeled);
    return { { "saved", name } };
  }
  catch (const Error & error)
  {
    return { { "error", error.what() } };
  }
}

std::optional<Response>
Session::AnswerJson(const std::string & path, const Request & request)
{
  const auto newest = m_Live.Newest();
  if (!newest)
  {
    return {};
  }
  if (!newest->values && path != "scan")
  {
    throw Refusal(503, newest->error);
  }
  if (path == "gray" || path == "labels")
  {
    return AnswerSlice(request, *newest, path == "gray");
  }
  if (path == "blocks")
  {
    std::int64_t block[3];
    std::string  bytes = BlocksOf(*newest, block);
    return Response{ 200, "application/octet-stream", std::move(bytes), { { "X-Block", Json(block).dump() } } };
  }
  std::optional<Json> json;
  if (request.method == "POST" && (path == "label" || path == "save"))
  {
    const Json asked = Json::parse(request.body);
    json = path == "label" ? AnswerLabel(asked, *newest) : AnswerSave(asked, *newest);
  }
  else if (path == "notes")
  {
    const auto notes = m_Live.NotesOf(newest->generation);
    json = notes ? std::optional<Json>(*notes) : std::nullopt;
  }
  else
  {
    json = path == "scan"      ? Describe(*newest)
         : path == "numbers"   ? NumbersOf(*newest)
         : path == "histogram" ? HistogramAsJson(newest->values->histogram)
         : path == "table"     ? TableOf(*newest)
                               : throw Refusal(404, "there is no such page");
  }
  return json ? std::optional<Response>({ 200, "application/json", batch::JsonText(*json) }) : std::nullopt;
}

double
Session::SecondsWithoutPage() const
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  const auto                        now = std::chrono::steady_clock::now();
  return std::chrono::duration<double>(now - m_LastSign.value_or(now)).count();
}

std::optional<Response>
Session::Answer(const Request & request)
{
  const std::string path = CheckSource(request, m_Token);
  if (path == "presence")
  {
    // A page that is opened later takes over.
    const std::lock_guard<std::mutex> lock(m_Mutex);
    const auto                        id = request.parameters.find("page");
    m_Page = id != request.parameters.end() ? std::max(m_Page, id->second) : m_Page;
    if (id == request.parameters.end() || id->second != m_Page)
    {
      return Response{ 200, "application/json", "{}" };
    }
    m_LastSign = std::chrono::steady_clock::now();
    return {};
  }
  static const std::map<std::string, std::pair<const char *, const char *>> files = {
    { "", { "text/html; charset=utf-8", page_html } },
    { "page.css", { "text/css", page_css } },
    { "page.js", { "text/javascript", page_js } }
  };
  if (const auto file = files.find(path); file != files.end())
  {
    return Response{ 200, file->second.first, file->second.second };
  }
  if (path.rfind("open/", 0) == 0)
  {
    // It was clicked in the list of scans while one was read.
    return Response{ 303, "text/plain", "", { { "Location", "/" + m_Token + "/" } } };
  }
  try
  {
    return AnswerJson(path, request);
  }
  catch (const nlohmann::ordered_json::exception &)
  {
    throw Refusal(400, "the request is not JSON, lacks a value, or has one of a wrong kind");
  }
  catch (const InvalidArgument & error)
  {
    throw Refusal(400, error.what());
  }
  catch (const std::out_of_range &)
  {
    throw Refusal(400, "the request has a value that is not known");
  }
}

} // namespace brickccl::view
