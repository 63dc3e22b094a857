// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Report/Report.h"

#include "BrickCCL/Batch/Acceptance.h"
#include "BrickCCL/Batch/FileHash.h"
#include "BrickCCL/Batch/JsonText.h"
#include "BrickCCL/Batch/RecipeFile.h"
#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Core/Version.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Files/Disk/TemporaryFolder.h"
#include "BrickCCL/Job/Parameters.h"
#include "BrickCCL/Pictures/PictureLayout.h"
#include "BrickCCL/Pictures/Sheets.h"
#include "BrickCCL/Report/Page.h"
#include "BrickCCL/Segmenting/SmoothImage.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <iomanip>
#include <map>
#include <set>

namespace brickccl::report
{

namespace fs = std::filesystem;
using batch::PathIn;
using batch::ReadText;
using nlohmann::ordered_json;

namespace
{

#include "ReportAssets.inc"

/** The name of a parameter of [report]: "customer"; empty for another one. */
std::string
FieldName(const job::Parameter & parameter)
{
  const std::string key = parameter.key;
  return key.rfind("report.", 0) == 0 ? key.substr(7) : "";
}

/** JSON that may stand in a script element: no text in it can end the element. */
std::string
JsonForScript(const ordered_json & value)
{
  std::string text;
  for (const char character : value.dump(-1, ' ', false, ordered_json::error_handler_t::replace))
  {
    text += character == '<' ? "\\u003c" : character == '>' ? "\\u003e" : std::string(1, character);
  }
  return text;
}

/** The logo in a batch's folder; empty if there is none. */
std::string
FindLogo(const std::string & folder)
{
  for (const char * const extension : { ".png", ".jpg", ".svg" })
  {
    std::string     path = (fs::path(folder) / (std::string("logo") + extension)).string();
    std::error_code failure;
    if (fs::is_regular_file(path, failure))
    {
      return path;
    }
  }
  return {};
}

std::string
AddressOfLogo(const std::string & path)
{
  const std::string extension = fs::path(CopiedLogo("", path)).extension().string();
  return DataAddress(extension == ".svg" ? "svg+xml" : extension == ".jpg" ? "jpeg" : "png", ReadText(path));
}

void
AddRecipe(ordered_json & data, const batch::Recipe & recipe, const job::Language & language)
{
  for (const std::string & line : SplitAt('\n', recipe.text))
  {
    data["text"].push_back({ { "line", line } });
  }
  for (const std::string & line : batch::ExplainRecipe(recipe, language))
  {
    const bool isRule = line.rfind("  - ", 0) == 0;
    data["recipe"].push_back({ { "kind", isRule ? "rule" : "" }, { "line", line.substr(isRule ? 4 : 0) } });
  }
}

class Page
{
public:
  Page(const std::string & folder, const std::vector<std::string> & fields)
    : m_Folder(folder)
  {
    for (const char * const file : { "items.csv", "defects.csv", "manifest.json", "recipe.toml" })
    {
      ThrowIf(!fs::is_regular_file(PathIn(folder, file)),
              fs::exists(folder) ? Quoted(folder) + " is not the folder of a finished batch: it has no " + file +
                                     "; `brickccl batch ... --resume` completes one"
                                 : "the folder " + Quoted(folder) + " does not exist");
    }
    m_Manifest = ReadManifest(folder);
    m_Recipe = batch::ParseRecipe(ReadText(PathIn(folder, "recipe.toml")), PathIn(folder, "recipe.toml"));
    // The batch has copied the file that the recipe names.
    m_Recipe.logo.clear();
    SetFields(m_Recipe, fields);
    m_Language = job::Language(m_Recipe.language);
    m_Items = ReadItems(folder);
  }

  std::string
  Text() const
  {
    const ordered_json & described = m_Manifest.at("recipe");
    const std::string    name = described.at("name");
    const std::string    title = m_Recipe.reportTitle.empty() ? name : m_Recipe.reportTitle;
    const std::string    logo = m_Recipe.logo.empty() ? FindLogo(m_Folder) : m_Recipe.logo;
    ordered_json         data = { { "language", m_Recipe.language },
                                  { "title", title },
                                  { "subtitle", title == name ? "" : name },
                                  { "style", report_css },
                                  { "paper", m_Recipe.paper },
                                  { "logo", logo.empty() ? "" : AddressOfLogo(logo) },
                                  { "incomplete", !m_Manifest.at("complete").get<bool>() },
                                  { "items", DataOfItems(m_Folder, m_Items, m_Recipe, m_Language) },
                                  { "version", m_Manifest.at("brickccl").get<std::string>() },
                                  { "recipe_sha256", described.at("sha256").get<std::string>() },
                                  { "script_data", JsonForScript(DataOfScript(m_Folder, m_Items, m_Language)) },
                                  { "script", report_js } };
    AddHead(data);
    AddCounts(data);
    AddInputs(data);
    AddRecipe(data, m_Recipe, m_Language);
    return FillPage(report_html, data, m_Language);
  }

private:
  /** The fields of the head that have values, and the size of the voxels. */
  void
  AddHead(ordered_json & data) const
  {
    for (const auto & [name, value] : HeadFields(m_Recipe))
    {
      data["head"].push_back({ { "name", m_Language(name) }, { "value", value } });
    }
    std::set<ordered_json>                       spacings;
    std::map<std::string, std::set<std::string>> ofFiles;
    for (const Item & item : m_Items)
    {
      if (!item.summary.is_null())
      {
        const ordered_json & input = item.summary.at("input");
        spacings.insert(input.at("spacing_mm"));
        ofFiles["scanner"].insert(m_Recipe.scanner.empty() ? input.value("scanner", "") : "");
        ofFiles["scan date"].insert(input.value("scan_date", ""));
      }
    }
    for (const auto & [name, values] : ofFiles)
    {
      if (values.size() == 1 && !values.begin()->empty())
      {
        data["head"].push_back({ { "name", m_Language(name) }, { "value", *values.begin() } });
      }
    }
    data["spacing"] = spacings.size() == 1 ? ordered_json({ { "mm", *spacings.begin() } }) : ordered_json();
    data["spacings"] = spacings.size() > 1;
  }

  void
  AddCounts(ordered_json & data) const
  {
    std::map<std::string, int> counts;
    for (const Item & item : m_Items)
    {
      ++counts[item.cells.at("verdict")];
    }
    for (const std::string verdict : { "fail", "pass", "none", "error", "not done" })
    {
      if (counts[verdict] > 0 || (counts["none"] == 0 && (verdict == "pass" || verdict == "fail")))
      {
        data["counts"].push_back({ { "class", verdict.substr(0, verdict.find(' ')) },
                                   { "count", counts[verdict] },
                                   { "word", VerdictWord(verdict, m_Language) } });
      }
    }
  }

  void
  AddInputs(ordered_json & data) const
  {
    for (const ordered_json & item : m_Manifest.at("items"))
    {
      const ordered_json files = item.contains("input") ? item.at("input").at("files") : ordered_json::array();
      // The manifest has all files of a series or stack.
      const std::size_t maximum = std::min<std::size_t>(files.size(), 5);
      for (std::size_t i = 0; i < maximum; ++i)
      {
        data["inputs"].push_back(files[i]);
        data["inputs"].back()["item"] = item.at("item");
      }
      if (files.size() > maximum)
      {
        data["inputs"].push_back(
          { { "path", m_Language("and {1} more (manifest.json)", { std::to_string(files.size() - maximum) }) } });
      }
    }
  }

  std::string       m_Folder;
  batch::Recipe     m_Recipe;
  job::Language     m_Language;
  ordered_json      m_Manifest;
  std::vector<Item> m_Items;
};

/** Adds the tracks, those first whose size changed most, and counts the changes. \return their places in this order. */
std::vector<std::size_t>
AddTracks(ordered_json & data, ordered_json & script, const batch::ScanComparison & compared)
{
  const ordered_json &     rows = compared.tracks.at("rows");
  const std::size_t        sizes = 3 * compared.scans.size() - 2;
  std::vector<double>      changes;
  std::vector<std::size_t> order;
  for (const ordered_json & row : rows)
  {
    const auto & largest = compared.largest[order.size()];
    const double ends = std::min(row[row.size() - sizes].is_null() ? 0 : row[row.size() - sizes].get<double>(),
                                 row.back().is_null() ? 0 : row.back().get<double>());
    changes.push_back(largest ? row[row.size() - sizes + 3 * largest->first].get<double>() - ends : 0);
    order.push_back(order.size());
    ordered_json & count = data[row[1].get<std::string>()];
    count = 1 + (count.is_null() ? 0 : count.get<int>());
  }
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return changes[a] > changes[b]; });
  script = { { "columns", compared.tracks.at("columns") }, { "rows", ordered_json::array() }, { "all", rows.size() } };
  for (std::size_t at = 0; at < std::min(order.size(), MaximumDefects / compared.scans.size()); ++at)
  {
    script["rows"].push_back(rows[order[at]]);
  }
  return order;
}

/** Adds the new, vanished and grown defects of an order, with a picture from each scan at the same place. */
void
AddPictures(ordered_json &                   data,
            const batch::ScanComparison &    compared,
            const std::vector<std::size_t> & order,
            bool                             areLabels,
            const std::string &              folder)
{
  constexpr std::size_t most = 96;
  constexpr int         side = 160;
  const auto &          scans = compared.scans;
  const LoadedImage &   first = scans.front().image;
  ordered_json &        notable = data["notable"] = ordered_json::array();
  for (std::size_t at = 0; at < order.size() && (notable.size() + 1) * scans.size() <= most; ++at)
  {
    const std::string change = compared.tracks.at("rows")[order[at]][1];
    const bool        isNotable = change == "new" || change == "vanished" || change == "grown";
    if (isNotable && compared.largest[order[at]] && first.extent.dimension > 1 && first.extent.dimension < 4)
    {
      notable.push_back({ { "track", order[at] + 1 }, { "is_" + change, true } });
    }
  }
  const TemporaryFolder temporary(folder);
  const WrittenInPlace  inPlace;
  const std::string     file = (temporary.Path() / "defect.jpg").string();
  for (std::size_t scan = 0; scan < scans.size() && !notable.empty(); ++scan)
  {
    LoadedImage         made = areLabels ? Reduce(scans[scan].image, true, INT64_MAX, {}) : LoadedImage();
    const LoadedImage * image = areLabels ? &made : &scans[scan].image;
    if (scan > 0 && compared.items[scan - 1].motion)
    {
      made = ResampleImage(*image, first, {}, &*compared.items[scan - 1].motion);
      image = &made;
    }
    const SliceView middle = PanelAcross(*image, 2, { 0, 0, image->extent.size[2] / 2 }, side).view;
    // A label map is white where it has labels.
    const GrayWindow window =
      areLabels ? GrayWindow() : WindowOfPart(SampleSlice(*image, scans[scan].defects.runs, middle, {}).gray);
    for (ordered_json & defect : notable)
    {
      const std::size_t track = defect["track"].get<std::size_t>() - 1;
      const auto & [largest, place] = *compared.largest[track];
      const batch::DefectMap & map = scans[largest].defects;
      const ordered_json &     row = compared.tracks.at("rows")[track];
      const ordered_json &     size = row[row.size() + 2 - 3 * (scans.size() - scan)];
      const SlicedComponent    shown{ place, batch::SliceOf(map.table.components[place]) };
      WriteThumbnails(file, { *image, map.runs, map.table }, 2, { shown }, side, window, {}, true);
      defect["tiles"].push_back({ { "scan", scan + 1 },
                                  { "data", DataAddress("jpeg", ReadText(file)) },
                                  { "size", size },
                                  { "is_missing", size.is_null() } });
    }
  }
  data["has_pictures"] = !data["notable"].empty();
}

} // namespace

std::string
ComparisonPage(const batch::ScanComparison &    compared,
               const std::vector<std::string> & paths,
               batch::Recipe                    recipe,
               const std::vector<std::string> & notes,
               const std::string &              folder)
{
  const job::Language language(recipe.language);
  const Geometry &    geometry = compared.scans.front().image.geometry;
  const int           dimension = compared.scans.front().image.extent.dimension;
  const std::time_t   now = std::time(nullptr);
  std::ostringstream  today;
  today << std::put_time(std::localtime(&now), "%Y-%m-%d");
  recipe.reportDate = recipe.reportDate.empty() ? today.str() : recipe.reportDate;
  ordered_json script = { { "texts", language.Texts() }, { "scans", paths.size() } };
  ordered_json data = { { "language", recipe.language },
                        { "title", recipe.reportTitle },
                        { "untitled", recipe.reportTitle.empty() },
                        { "style", report_css },
                        { "paper", recipe.paper },
                        { "logo", recipe.logo.empty() ? "" : AddressOfLogo(recipe.logo) },
                        { "same", 0 },
                        { "scans", paths.size() },
                        { "spacing_mm", std::vector<double>(geometry.spacing, geometry.spacing + dimension) },
                        { "unit", dimension == 3 ? " mm3" : " mm2" },
                        { "version", Version },
                        { "recipe_sha256", recipe.text.empty() ? "" : batch::HashOf(recipe.text) },
                        { "script", report_js } };
  for (const auto & [name, value] : HeadFields(recipe))
  {
    data["head"].push_back({ { "name", language(name) }, { "value", value } });
  }
  for (const std::string & path : paths)
  {
    data["inputs"].push_back(fs::is_regular_file(path) ? batch::DescribeFile(path, path)
                                                       : ordered_json{ { "path", path } });
    data["inputs"].back()["scan"] = data["inputs"].size();
  }
  for (const std::string & note : notes)
  {
    data["notes"].push_back({ { "text", language(note) } });
  }
  AddPictures(data, compared, AddTracks(data, script["defects"], compared), recipe.text.empty(), folder);
  AddRecipe(data, recipe, language);
  data["script_data"] = JsonForScript(script);
  return FillPage(compare_html, data, language);
}

void
SetFields(job::Job & recipe, const std::vector<std::string> & fields)
{
  std::vector<std::string> names;
  for (const job::Parameter & parameter : job::Parameters())
  {
    if (const std::string name = FieldName(parameter); !name.empty())
    {
      names.push_back(name);
    }
  }
  for (const std::string & field : fields)
  {
    const std::size_t sign = field.find('=');
    const std::string name = field.substr(0, sign);
    const bool        isKnown = std::count(names.begin(), names.end(), name) > 0;
    ThrowIf<InvalidArgument>(sign == std::string::npos || !isKnown,
                             isKnown ? "--report-field " + name + " has no value; write " + name + "=VALUE"
                                     : "a report has no field " + Quoted(name) + DidYouMean(name, names) +
                                         "; there are " + Joined(names, ", "));
    const job::Parameter & parameter = *job::FindParameter("report." + name);
    if (const auto fault =
          job::SetValue(parameter.form, { field.substr(sign + 1) }, job::SlotOf(recipe, parameter.member)))
    {
      throw InvalidArgument("--report-field " + name + " is " + Quoted(fault.value) + "; it must be " + fault.right);
    }
  }
}

std::vector<std::pair<std::string, std::string>>
HeadFields(const job::Job & recipe)
{
  std::vector<std::pair<std::string, std::string>> fields;
  for (const job::Parameter & parameter : job::Parameters())
  {
    job::Job    own = recipe;
    std::string name = FieldName(parameter);
    if (parameter.form.kind == job::Kind::Text && !name.empty() && name != "title" && name != "logo" &&
        job::IsGiven(own, parameter))
    {
      std::replace(name.begin(), name.end(), '_', ' ');
      fields.emplace_back(name, *std::get<std::string *>(job::SlotOf(own, parameter.member)));
    }
  }
  return fields;
}

std::string
CopiedLogo(const std::string & folder, const std::string & from)
{
  std::string extension = InSmallLetters(fs::path(from).extension().string());
  extension = extension == ".jpeg" ? ".jpg" : extension;
  std::error_code          failure;
  constexpr std::uintmax_t maximum = 500000;
  if (const auto bytes = fs::file_size(from, failure); failure || bytes > maximum)
  {
    throw InvalidArgument(failure ? "cannot read the logo " + Quoted(from) + ": " + failure.message()
                                  : "the logo " + Quoted(from) + " has more than 500 kB; make it smaller");
  }
  const std::string text = ReadText(from);
  const auto        isWhole = [&](std::string_view first, std::string_view last) {
    const std::size_t end = text.rfind(last);
    return end != std::string::npos && text.rfind(first, extension == ".svg" ? end : 0) != std::string::npos;
  };
  ThrowIf<InvalidArgument>(!(extension == ".svg"   ? isWhole("<svg", "</svg>")
                             : extension == ".jpg" ? isWhole("\xFF\xD8\xFF", "\xFF\xD9")
                                                   : isWhole("\x89PNG\r\n\x1A\n", "IEND\xAE\x42\x60\x82")),
                           "the logo " + Quoted(from) + " is not a whole " + extension.substr(1) + " picture");
  return (fs::path(folder) / ("logo" + extension)).string();
}

std::string
WriteReport(const std::string & folder, const std::vector<std::string> & fields)
{
  std::string path = (fs::path(folder) / "report.html").string();
  try
  {
    const std::string text = Page(folder, fields).Text();
    ReplaceTextFile(path, [&](std::ostream & stream) { stream << text; });
  }
  catch (const ordered_json::exception &)
  {
    // All else that it shows is what the manifest says.
    throw batch::DamagedFile((fs::path(folder) / "manifest.json").string());
  }
  return path;
}

} // namespace brickccl::report
