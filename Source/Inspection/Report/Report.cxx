// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Report/Report.h"

#include "BrickCCL/Batch/ItemTexts.h"
#include "BrickCCL/Batch/JsonText.h"
#include "BrickCCL/Batch/RecipeFile.h"
#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Job/Findings.h"
#include "BrickCCL/Job/Parameters.h"
#include "BrickCCL/Pictures/Drawing.h"
#include "BrickCCL/Report/Page.h"
#include "BrickCCL/Report/PagePictures.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

namespace brickccl::report
{

namespace fs = std::filesystem;
using batch::ReadText;
using nlohmann::ordered_json;

namespace
{

#include "ReportAssets.inc"

/** The beginning of the keys of fields. */
constexpr const char * FieldKeys = "report.";

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

/** Several lines, each escaped. */
std::string
EscapeLines(const std::string & text)
{
  std::istringstream lines(text);
  std::string        escaped;
  for (std::string line; std::getline(lines, line);)
  {
    escaped += EscapeXml(line) + '\n';
  }
  return escaped;
}

/** A page with its texts, which are in [[ ]], and the contents of its places, which are in {{ }}. */
std::string
Filled(const std::string & page, const job::Language & language, const std::map<std::string, std::string> & contents)
{
  std::string filled;
  for (std::size_t at = 0; at < page.size();)
  {
    const std::size_t begin = std::min({ page.find("[[", at), page.find("{{", at), page.size() });
    const bool        isText = page.compare(begin, 1, "[") == 0;
    const std::size_t end = std::min(page.find(isText ? "]]" : "}}", begin), page.size());
    filled.append(page, at, begin - at);
    if (begin < page.size())
    {
      const std::string name = page.substr(begin + 2, end - begin - 2);
      filled += isText ? Escaped(language(name)) : contents.at(name);
    }
    at = end + 2;
  }
  return filled;
}

/** The logo in a batch's folder; empty if there is none. */
std::string
FindLogo(const std::string & folder)
{
  for (const char * const extension : { ".png", ".jpg", ".svg" })
  {
    const std::string path = (fs::path(folder) / (std::string("logo") + extension)).string();
    std::error_code   failure;
    if (fs::is_regular_file(path, failure))
    {
      return path;
    }
  }
  return {};
}

class Page
{
public:
  Page(const std::string & folder, const std::vector<std::string> & fields)
  {
    m_Source.folder = folder;
    for (const char * const file : { "items.csv", "defects.csv", "manifest.json", "recipe.toml" })
    {
      if (!fs::is_regular_file(PathOf(file)))
      {
        throw Error(fs::exists(folder) ? Quoted(folder) + " is not the folder of a finished batch: it has no " + file +
                                           "; `brickccl batch ... --resume` completes one"
                                       : "there is no folder " + Quoted(folder));
      }
    }
    m_Manifest = ReadManifest(folder);
    m_Source.recipe = batch::ParseRecipe(ReadText(PathOf("recipe.toml")), PathOf("recipe.toml"));
    // The path in the recipe is that of the file that a batch has copied.
    m_Source.recipe.logo.clear();
    SetFields(m_Source.recipe, fields);
    m_Source.language = job::Language(m_Source.recipe.language);
    m_Source.items = ReadItems(folder);
  }

  std::string
  Text() const
  {
    const batch::Recipe & recipe = m_Source.recipe;
    const ordered_json &  described = m_Manifest.at("recipe");
    const std::string     name = described.at("name");
    const std::string     title = recipe.reportTitle.empty() ? name : recipe.reportTitle;
    const std::string     logo = recipe.logo.empty() ? FindLogo(m_Source.folder) : recipe.logo;
    return Filled(
      report_html,
      m_Source.language,
      { { "language", recipe.language },
        { "title", Escaped(title) },
        { "subtitle", title == name ? "" : Escaped(name) },
        { "style", report_css },
        { "paper", recipe.paper },
        { "logo", logo.empty() ? "" : LogoText(logo) },
        { "head", HeadText() },
        { "counts", CountsText() },
        { "incomplete",
          m_Manifest.at("complete").get<bool>()
            ? ""
            : "<p class=\"error\">" + Escaped(m_Source.language("This batch is not complete; this continues it:")) +
                " <code>brickccl batch ... --resume</code></p>\n" },
        { "items", ItemsText() },
        { "articles", ArticlesOfItems(m_Source) },
        { "recipe", RecipeText() },
        { "version", EscapeXml(m_Manifest.at("brickccl")) },
        { "sha256", EscapeXml(described.at("sha256")) },
        { "text", EscapeLines(recipe.text) },
        { "inputs", InputsText() },
        { "data", JsonForScript(DataOfScript(m_Source.folder, m_Source.items, m_Source.language)) },
        { "script", report_js } });
  }

private:
  std::string
  PathOf(const std::string & file) const
  {
    return (fs::path(m_Source.folder) / file).string();
  }

  static std::string
  LogoText(const std::string & path)
  {
    const std::string extension = fs::path(CopiedLogo("", path)).extension().string();
    const std::string type = extension == ".svg" ? "svg+xml" : extension == ".jpg" ? "jpeg" : "png";
    return "<img class=\"logo\" alt=\"\" src=\"data:image/" + type + ";base64," + Base64(ReadText(path)) + "\">";
  }

  /** The fields of the head that have values, and the size of the voxels. */
  std::string
  HeadText() const
  {
    std::string text;
    const auto  add = [&](const std::string & name, const std::string & value) {
      text += "<div><dt>" + Escaped(m_Source.language(name)) + "</dt><dd>" + Escaped(value) + "</dd></div>\n";
    };
    job::Job recipe = m_Source.recipe;
    for (const job::Parameter & parameter : job::Parameters())
    {
      const std::string key = parameter.key;
      const bool        isField = key.rfind(FieldKeys, 0) == 0 && parameter.form.kind == job::Kind::Text;
      if (isField && key != "report.title" && key != "report.logo" && job::IsGiven(recipe, parameter))
      {
        std::string name = key.substr(std::char_traits<char>::length(FieldKeys));
        std::replace(name.begin(), name.end(), '_', ' ');
        add(name, *std::get<std::string *>(job::SlotOf(recipe, parameter.member)));
      }
    }
    std::string spacing;
    for (const Item & item : m_Source.items)
    {
      if (!item.summary.is_null())
      {
        const std::string own = SizesText(item.summary.at("input").at("spacing_mm"), m_Source.language) + " mm";
        spacing = spacing.empty() || spacing == own ? own : m_Source.language("differs, see the items");
      }
    }
    if (!spacing.empty())
    {
      add("voxel size", spacing);
    }
    return text;
  }

  std::string
  CountsText() const
  {
    std::map<std::string, int> counts;
    for (const Item & item : m_Source.items)
    {
      ++counts[item.cells.at("verdict")];
    }
    std::string text;
    for (const char * const verdict : { "fail", "pass", "none", "error", "not done" })
    {
      const bool isShown = counts[verdict] > 0 || verdict == std::string("pass") || verdict == std::string("fail");
      if (isShown && !(counts["none"] > 0 && counts[verdict] == 0))
      {
        text += "<li class=\"" + VerdictClass(verdict) + "\"><strong>" + std::to_string(counts[verdict]) + "</strong>" +
                Escaped(VerdictWord(verdict, m_Source.language)) + "</li>\n";
      }
    }
    return text;
  }

  /** The rules that an item fails, or its error. */
  std::string
  ReasonsText(const Item & item) const
  {
    std::string text = Escaped(item.cells.at("error"));
    for (std::size_t i = 0; !item.summary.is_null() && i < item.summary.at("rules").size(); ++i)
    {
      const ordered_json & result = item.summary.at("rules")[i];
      if (!result.at("passes").get<bool>())
      {
        text +=
          (text.empty() ? "" : "<br>") +
          Escaped(batch::DescribeFailure(result, m_Source.recipe.acceptance.at(i), m_Source.recipe, m_Source.language));
      }
    }
    return text;
  }

  std::string
  ItemsText() const
  {
    std::string text;
    for (std::size_t i = 0; i < m_Source.items.size(); ++i)
    {
      const auto &      cells = m_Source.items[i].cells;
      const std::string verdict = cells.at("verdict");
      text += "<tr data-verdict=\"" + Escaped(verdict) + "\"><td class=\"verdict " + VerdictClass(verdict) + "\">" +
              Escaped(VerdictWord(verdict, m_Source.language)) + "</td><td class=\"name\"><a href=\"#item-" +
              std::to_string(i) + "\">" + Escaped(cells.at("item")) + "</a></td><td class=\"name\">" +
              ReasonsText(m_Source.items[i]) + "</td>";
      for (const char * const column : { "defects", "porosity_percent" })
      {
        const std::string & cell = cells.at(column);
        text += "<td class=\"number\" data-value=\"" + Escaped(cell) + "\">" +
                NumberText(cell.empty() ? ordered_json() : ordered_json::parse(cell), m_Source.language) + "</td>";
      }
      text += "</tr>\n";
    }
    return text;
  }

  /** What the recipe does, in sentences; its rules are a list in the list. */
  std::string
  RecipeText() const
  {
    std::string text;
    bool        isInRules = false;
    for (const std::string & line : batch::ExplainRecipe(m_Source.recipe, m_Source.language))
    {
      const bool isRule = line.rfind("  - ", 0) == 0;
      text += isRule && !isInRules ? "<li><ul>" : !isRule && isInRules ? "</ul></li>\n" : "";
      text += "<li>" + Escaped(isRule ? line.substr(4) : line) + "</li>\n";
      isInRules = isRule;
    }
    return text;
  }

  std::string
  InputsText() const
  {
    std::string text;
    for (const ordered_json & item : m_Manifest.at("items"))
    {
      if (!item.contains("input"))
      {
        continue;
      }
      const ordered_json & files = item.at("input").at("files");
      // The manifest has all files of a series or stack.
      const std::size_t maximum = std::min<std::size_t>(files.size(), 5);
      for (std::size_t i = 0; i < maximum; ++i)
      {
        text += "<tr><td class=\"name\">" + EscapeXml(item.at("item")) + "</td><td class=\"name\">" +
                EscapeXml(files[i].at("path")) + "</td><td class=\"number\">" + files[i].at("bytes").dump() +
                "</td><td><code>" + EscapeXml(files[i].at("sha256")) + "</code></td></tr>\n";
      }
      if (files.size() > maximum)
      {
        text += "<tr><td></td><td colspan=\"3\">" +
                Escaped(m_Source.language("and {1} more (manifest.json)", { std::to_string(files.size() - maximum) })) +
                "</td></tr>\n";
      }
    }
    return text;
  }

  PageSource   m_Source;
  ordered_json m_Manifest;
};

} // namespace

std::string
Escaped(const std::string & text)
{
  std::string escaped = EscapeXml(text);
  for (std::size_t at = 0; (at = escaped.find("mm", at)) != std::string::npos; at += 2)
  {
    const bool        isUnit = at > 0 && (escaped[at - 1] == ' ' || escaped[at - 1] == '(');
    const std::string power = escaped.substr(at + 2, 1);
    if (isUnit && (power == "2" || power == "3"))
    {
      escaped.replace(at + 2, 1, power == "2" ? "\xC2\xB2" : "\xC2\xB3");
    }
  }
  return escaped;
}

std::string
VerdictWord(const std::string & verdict, const job::Language & language)
{
  return verdict == "pass"  ? "\xE2\x9C\x93 " + language("pass")
       : verdict == "fail"  ? "\xE2\x9C\x97 " + language("fail")
       : verdict == "error" ? "! " + language("error")
                            : language(verdict == "none" ? "measured only" : verdict);
}

std::string
VerdictClass(const std::string & verdict)
{
  return verdict == "not done" ? "not" : verdict;
}

std::string
NumberText(const ordered_json & number, const job::Language & language)
{
  return !number.is_number() ? "" : language.Decimal(job::Readable(Number(number.get<double>())));
}

std::string
SizesText(const ordered_json & numbers, const job::Language & language)
{
  std::string text;
  for (const ordered_json & number : numbers)
  {
    text += (text.empty() ? "" : " \xC3\x97 ") + NumberText(number, language);
  }
  return text;
}

void
SetFields(job::Job & recipe, const std::vector<std::string> & fields)
{
  std::vector<std::string> names;
  for (const job::Parameter & parameter : job::Parameters())
  {
    const std::string key = parameter.key;
    if (key.rfind(FieldKeys, 0) == 0)
    {
      names.push_back(key.substr(std::char_traits<char>::length(FieldKeys)));
    }
  }
  for (const std::string & field : fields)
  {
    const std::size_t sign = field.find('=');
    const std::string name = field.substr(0, sign);
    if (sign == std::string::npos || std::find(names.begin(), names.end(), name) == names.end())
    {
      throw InvalidArgument((sign == std::string::npos ? "--report-field " + Quoted(field) + " is not NAME=VALUE"
                                                       : "a report has no field " + Quoted(name)) +
                            DidYouMean(name, names) + "; there are " + job::ListOfNames(names));
    }
    const job::Parameter & parameter = *job::FindParameter(FieldKeys + name);
    if (const auto fault =
          job::SetValue(parameter.form, { field.substr(sign + 1) }, job::SlotOf(recipe, parameter.member)))
    {
      throw InvalidArgument("--report-field " + name + " is " + Quoted(fault.value) + "; it must be " + fault.right);
    }
  }
}

std::string
CopiedLogo(const std::string & folder, const std::string & from)
{
  std::string extension = fs::path(from).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char letter) {
    return std::tolower(letter);
  });
  extension = extension == ".jpeg" ? ".jpg" : extension;
  std::error_code failure;
  if (extension != ".png" && extension != ".jpg" && extension != ".svg")
  {
    throw InvalidArgument("the logo " + Quoted(from) + " must be a .png, .jpg or .svg");
  }
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
