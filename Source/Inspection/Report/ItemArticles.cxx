// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/ItemTexts.h"
#include "BrickCCL/Batch/ProcessItem.h"
#include "BrickCCL/Batch/RecipeFile.h"
#include "BrickCCL/Report/Page.h"
#include "BrickCCL/Report/PagePictures.h"

#include <filesystem>
#include <sstream>

namespace brickccl::report
{

using nlohmann::ordered_json;

namespace
{

class Articles
{
public:
  explicit Articles(const PageSource & source)
    : m_Source(source)
    , m_Language(source.language)
    , m_Pictures(source.folder, source.items.size())
  {}

  std::string
  Text()
  {
    for (std::size_t i = 0; i < m_Source.items.size(); ++i)
    {
      const Item &      item = m_Source.items[i];
      const std::string verdict = item.cells.at("verdict");
      m_Name = item.cells.at("item");
      m_Folder = item.cells.at("folder");
      m_Text << "<article id=\"item-" << i << "\" class=\"of-" << VerdictClass(verdict) << "\">\n<h3>"
             << Escaped(m_Name) << " <span class=\"verdict " << VerdictClass(verdict) << "\">"
             << Escaped(VerdictWord(verdict, m_Language)) << "</span></h3>\n";
      if (item.summary.is_null())
      {
        m_Text << "<p>" << Escaped(item.cells.at("error")) << "</p>\n</article>\n";
        continue;
      }
      m_Pictures.BeginItem();
      WriteFacts(item.summary);
      WriteRules(item.summary);
      for (const ordered_json & note : item.summary.at("notes"))
      {
        m_Text << "<p class=\"soft\">" << Say("Note") << ": " << Say(note) << "</p>\n";
      }
      WriteViews(item.summary, i);
      m_Text << "</article>\n";
    }
    return m_Text.str();
  }

private:
  std::string
  Say(const std::string & english, const std::vector<std::string> & values = {}) const
  {
    return Escaped(m_Language(english, values));
  }

  std::string
  Number(const ordered_json & number) const
  {
    return NumberText(number, m_Language);
  }

  void
  WriteFacts(const ordered_json & summary)
  {
    const ordered_json & input = summary.at("input");
    m_Text << "<p>"
           << Escaped(m_Language.Plural(summary.at("defects").get<double>(),
                                        "{1} defect fills {2} % {3}.|{1} defects fill {2} % {3}.",
                                        { Number(summary.at("porosity_percent")),
                                          m_Language("of the " + summary.at("region").get<std::string>()) }))
           << ' '
           << Say("{1} voxels of {2} mm.",
                  { SizesText(input.at("extent"), m_Language), SizesText(input.at("spacing_mm"), m_Language) });
    for (const auto & [key, text] : { std::pair("part_threshold", "The material of the part begins at {1}."),
                                      std::pair("threshold", "The threshold of defects is {1}.") })
    {
      if (summary.contains(key))
      {
        m_Text << ' ' << Say(text, { Number(summary.at(key)) });
      }
    }
    m_Text << "</p>\n";
  }

  void
  WriteRules(const ordered_json & summary)
  {
    const ordered_json & results = summary.at("rules");
    if (results.empty())
    {
      return;
    }
    m_Text << "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" << Say("rules")
           << "\"><table class=\"rules\"><thead><tr><th scope=\"col\">" << Say("rule") << "</th><th scope=\"col\">"
           << Say("verdict") << "</th>";
    for (const char * const name : { "measured", "limit", "defect", "slice" })
    {
      m_Text << "<th scope=\"col\" class=\"number\">" << Say(name) << "</th>";
    }
    m_Text << "</tr></thead><tbody>\n";
    for (std::size_t i = 0; i < results.size(); ++i)
    {
      const ordered_json &          result = results[i];
      const batch::AcceptanceRule & rule = m_Source.recipe.acceptance.at(i);
      const std::string             verdict = result.at("passes").get<bool>() ? "pass" : "fail";
      m_Text << "<tr><td>" << Escaped(rule.name) << "<br><span class=\"soft\">"
             << Escaped(batch::ExplainRule(rule, m_Source.recipe, m_Language)) << "</span></td><td class=\"verdict "
             << verdict << "\">" << Escaped(VerdictWord(verdict, m_Language)) << "</td><td class=\"number\">"
             << (result.at("value").is_null() ? std::string()
                                              : Escaped(batch::ValueText(result, m_Source.recipe, m_Language)))
             << "</td><td class=\"number\">" << Escaped(batch::LimitText(result, m_Source.recipe, m_Language))
             << "</td>";
      for (const char * const key : { "label", "slice" })
      {
        m_Text << "<td class=\"number\">" << (result.at(key).is_null() ? "" : result.at(key).dump()) << "</td>";
      }
      m_Text << "</tr>\n";
    }
    m_Text << "</tbody></table></div>\n";
  }

  /** The slices through the largest defect, and the pictures of `batch --report`: surfaces, the largest defects, slices
   * to page through. */
  void
  WriteViews(const ordered_json & summary, std::size_t place)
  {
    const bool         hasReport = summary.contains(batch::ReportKey);
    const ordered_json views = hasReport ? summary.at(batch::ReportKey) : ordered_json::object();
    m_Text << "<div class=\"views\">\n";
    // What a picture leaves of its share, the next ones have.
    constexpr double ofPicture = 0.45;
    constexpr double ofSurface = 0.3;
    constexpr double ofDefects = 0.33;
    WritePicture(batch::PictureFile, "slices through the largest defect of {1}", "slices-of-largest", ofPicture);
    if (views.contains("surface"))
    {
      WritePicture(views.at("surface").at("file"), "surfaces of the defects of {1}", "surface", ofSurface);
    }
    std::ostringstream thumbnails;
    if (views.contains("defects"))
    {
      WriteThumbnails(thumbnails, views.at("defects"), place, ofDefects);
    }
    if (views.contains("slices"))
    {
      WriteSlices(views.at("slices"), place);
    }
    m_Text << "</div>\n" << thumbnails.str();
    if (!hasReport)
    {
      m_Text << "<p class=\"soft\">" << Say("Slices to look through, surfaces and the largest defects are drawn by")
             << " <code>brickccl batch ... --report</code>.</p>\n";
    }
  }

  void
  WritePicture(const std::string & name, const std::string & what, const char * kind, double share)
  {
    const std::string file = m_Folder + "/" + name;
    std::error_code   failure;
    if (!std::filesystem::exists(std::filesystem::path(m_Source.folder) / file, failure))
    {
      return;
    }
    const PagePicture picture = m_Pictures.Take(file, share);
    const std::string alternative = Say(what, { m_Name });
    if (picture.data.empty())
    {
      m_Text << "<p><a href=\"" << Escaped(file) << "\">" << alternative << "</a></p>\n";
      return;
    }
    m_Text << "<figure class=\"" << kind << "\"><img width=\"" << picture.width << "\" height=\"" << picture.height
           << "\" loading=\"lazy\" alt=\"" << alternative << "\" src=\"" << picture.data << "\"></figure>\n";
  }

  void
  WriteSlices(const ordered_json & slices, std::size_t place)
  {
    const PagePicture picture = m_Pictures.Take(m_Folder + "/" + slices.at("file").get<std::string>(), 1);
    const auto        count = slices.at("places").size();
    if (picture.data.empty() || count == 0)
    {
      return;
    }
    const std::string id = "slice-" + std::to_string(place);
    m_Text << "<section class=\"slices\" aria-label=\"" << Say("slices of {1}", { m_Name })
           << "\">\n<div class=\"tile\" style=\"aspect-ratio:" << slices.at("tile").at(0) << "/"
           << slices.at("tile").at(1) << "\"><img alt=\"" << Say("slice of {1} with its defects", { m_Name })
           << "\" style=\"width:" << 100 * slices.at("columns").get<int>() << "%\" src=\"" << picture.data
           << "\"></div>\n<div class=\"controls\"><button type=\"button\" data-step=\"-1\" aria-label=\""
           << Say("previous slice") << "\">\xE2\x80\xB9</button><input id=\"" << id
           << "\" type=\"range\" min=\"0\" max=\"" << count - 1 << "\" value=\"0\" aria-label=\"" << Say("slice")
           << "\"><button type=\"button\" data-step=\"1\" aria-label=\"" << Say("next slice")
           << "\">\xE2\x80\xBA</button><output for=\"" << id << "\"></output></div>\n</section>\n";
  }

  void
  WriteThumbnails(std::ostream & stream, const ordered_json & defects, std::size_t place, double share)
  {
    const PagePicture picture = m_Pictures.Take(m_Folder + "/" + defects.at("file").get<std::string>(), share);
    if (picture.data.empty())
    {
      return;
    }
    const auto columns = defects.at("columns").get<int>();
    const auto side = defects.at("side").get<int>();
    stream << "<h4>" << Say("The largest defects") << "</h4>\n<ul class=\"thumbnails\" style=\"--sheet:url("
           << picture.data << ")\">\n";
    int at = 0;
    for (const ordered_json & defect : defects.at("shown"))
    {
      stream << "<li><button type=\"button\" data-item=\"" << place << "\" data-slice=\"" << defect.at("slice")
             << "\"><span class=\"thumbnail\" style=\"width:" << side << "px;height:" << side
             << "px;background-size:" << columns * side << "px auto;background-position:-" << at % columns * side
             << "px -" << at / columns * side << "px\"></span><span>" << Say("defect") << ' ' << defect.at("label");
      for (const auto & [key, text] : { std::pair("diameter_mm", "\xC3\x98 {1} mm"),
                                        std::pair("volume_mm3", "{1} mm3"),
                                        std::pair("area_mm2", "{1} mm2") })
      {
        stream << (defect.contains(key) ? "<br>" + Say(text, { Number(defect.value(key, ordered_json())) }) : "");
      }
      stream << "<br>" << Say("slice") << ' ' << defect.at("slice") << "</span></button></li>\n";
      ++at;
    }
    stream << "</ul>\n";
  }

  const PageSource &    m_Source;
  const job::Language & m_Language;
  PagePictures          m_Pictures;
  std::ostringstream    m_Text;
  std::string           m_Name;
  std::string           m_Folder;
};

} // namespace

std::string
ArticlesOfItems(const PageSource & source)
{
  return Articles(source).Text();
}

} // namespace brickccl::report
