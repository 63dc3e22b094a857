// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Report/Report.h"

#include "BrickCCL/Batch/JsonText.h"
#include "BrickCCL/Batch/RecipeFile.h"
#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Job/Parameters.h"
#include "BrickCCL/Report/Page.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace brickccl::report
{

namespace fs = std::filesystem;
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

class Page
{
public:
  Page(const std::string & folder, const std::vector<std::string> & fields)
    : m_Folder(folder)
  {
    for (const char * const file : { "items.csv", "defects.csv", "manifest.json", "recipe.toml" })
    {
      if (!fs::is_regular_file(PathOf(file)))
      {
        throw Error(fs::exists(folder) ? Quoted(folder) + " is not the folder of a finished batch: it has no " + file +
                                           "; `brickccl batch ... --resume` completes one"
                                       : "the folder " + Quoted(folder) + " does not exist");
      }
    }
    m_Manifest = ReadManifest(folder);
    m_Recipe = batch::ParseRecipe(ReadText(PathOf("recipe.toml")), PathOf("recipe.toml"));
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
    for (const std::string & line : SplitAt('\n', m_Recipe.text))
    {
      data["text"].push_back({ { "line", line } });
    }
    for (const std::string & line : batch::ExplainRecipe(m_Recipe, m_Language))
    {
      const bool isRule = line.rfind("  - ", 0) == 0;
      data["recipe"].push_back({ { "kind", isRule ? "rule" : "" }, { "line", line.substr(isRule ? 4 : 0) } });
    }
    return FillPage(report_html, data, m_Language);
  }

private:
  std::string
  PathOf(const std::string & file) const
  {
    return (fs::path(m_Folder) / file).string();
  }

  /** The fields of the head that have values, and the size of the voxels. */
  void
  AddHead(ordered_json & data) const
  {
    for (const auto & [name, value] : HeadFields(m_Recipe))
    {
      data["head"].push_back({ { "name", m_Language(name) }, { "value", value } });
    }
    std::set<ordered_json> spacings;
    for (const Item & item : m_Items)
    {
      if (!item.summary.is_null())
      {
        spacings.insert(item.summary.at("input").at("spacing_mm"));
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

} // namespace

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
    if (sign == std::string::npos || !isKnown)
    {
      throw InvalidArgument(isKnown ? "--report-field " + name + " has no value; write " + name + "=VALUE"
                                    : "a report has no field " + Quoted(name) + DidYouMean(name, names) +
                                        "; there are " + Joined(names, ", "));
    }
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
