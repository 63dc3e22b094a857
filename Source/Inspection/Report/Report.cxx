// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Report/Report.h"

#include "BrickCCL/Batch/JsonText.h"
#include "BrickCCL/Batch/ProcessItem.h"
#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Pictures/Drawing.h"
#include "BrickCCL/Report/ReportData.h"

#include <nlohmann/json.hpp>

#include <openssl/evp.h>

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

std::string
Base64(const std::string & bytes)
{
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int   length = EVP_EncodeBlock(reinterpret_cast<unsigned char *>(text.data()),
                                     reinterpret_cast<const unsigned char *>(bytes.data()),
                                     static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
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

std::string
TextOf(const ordered_json & value)
{
  return value.is_null() ? std::string() : value.is_string() ? value.get<std::string>() : Rounded(value.dump());
}

class Page
{
public:
  explicit Page(const std::string & folder)
    : m_Folder(folder)
  {
    for (const char * const file : { "items.csv", "defects.csv", "manifest.json", "recipe.toml" })
    {
      if (!fs::is_regular_file(PathOf(file)))
      {
        throw Error(Quoted(folder) + " is not the folder of a finished batch: it has no " + file +
                    "; `brickccl batch ... --resume` completes one");
      }
    }
    m_Manifest = ReadManifest(folder);
    m_Items = ReadItems(folder);
  }

  void
  Write(std::ostream & stream)
  {
    const std::string title = m_Manifest.at("recipe").at("name");
    stream << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
              "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src "
              "'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n<title>"
           << EscapeXml(title) << "</title>\n<style>" << report_css << "</style>\n</head>\n<body>\n<header>\n<h1>"
           << EscapeXml(title) << "</h1>\n<p class=\"soft\">BrickCCL " << EscapeXml(m_Manifest.at("brickccl"))
           << ", recipe SHA-256 <code>" << EscapeXml(m_Manifest.at("recipe").at("sha256")) << "</code></p>\n";
    WriteCounts(stream);
    stream << "</header>\n<main>\n";
    WriteItemTable(stream);
    WriteDefectSections(stream);
    WriteItemSections(stream);
    stream << "<h2 id=\"recipe\">Recipe</h2>\n<pre tabindex=\"0\">" << EscapeLines(ReadText(PathOf("recipe.toml")))
           << "</pre>\n";
    WriteHashes(stream);
    stream << "</main>\n<script type=\"application/json\" id=\"data\">"
           << JsonForScript(DataOfScript(m_Folder, m_Items)) << "</script>\n<script>" << report_js
           << "</script>\n</body>\n</html>\n";
  }

private:
  std::string
  PathOf(const std::string & file) const
  {
    return (fs::path(m_Folder) / file).string();
  }

  static std::string
  ClassOf(const std::string & verdict)
  {
    return verdict == "not done" ? "not" : verdict;
  }

  static std::string
  WordOf(const std::string & verdict)
  {
    static const std::map<std::string, std::string> words = { { "pass", "\xE2\x9C\x93 pass" },
                                                              { "fail", "\xE2\x9C\x97 fail" },
                                                              { "error", "! error" },
                                                              { "none", "measured" } };
    const auto                                      found = words.find(verdict);
    return found == words.end() ? verdict : found->second;
  }

  void
  WriteCounts(std::ostream & stream)
  {
    std::map<std::string, int> counts;
    for (Item & item : m_Items)
    {
      ++counts[item.cells["verdict"]];
    }
    stream << "<ul class=\"counts\">\n";
    for (const char * const verdict : { "fail", "pass", "none", "error", "not done" })
    {
      const bool isShown = counts[verdict] > 0 || verdict == std::string("pass") || verdict == std::string("fail");
      if (isShown && !(counts["none"] > 0 && counts[verdict] == 0))
      {
        stream << "<li class=\"" << ClassOf(verdict) << "\"><strong>" << counts[verdict] << "</strong>"
               << WordOf(verdict) << "</li>\n";
      }
    }
    stream << "</ul>\n";
    if (!m_Manifest.at("complete").get<bool>())
    {
      stream << "<p class=\"error\">This batch is not complete: <code>brickccl batch ... --resume</code> continues "
                "it.</p>\n";
    }
  }

  void
  WriteItemTable(std::ostream & stream)
  {
    stream
      << "<h2 id=\"verdicts\">Verdicts</h2>\n<div class=\"controls\"><div><label for=\"item-filter\">contains</label>"
         "<input id=\"item-filter\" type=\"search\"></div><div><label for=\"item-verdict\">verdict</label><select "
         "id=\"item-verdict\"><option value=\"\">all</option><option>fail</option><option>pass</option><option "
         "value=\"none\">measured</option><option>error</option><option>not done</option>"
         "</select></div><span id=\"item-count\" class=\"soft\" role=\"status\"></span></div>\n<div class=\"scroll\" "
         "tabindex=\"0\" role=\"region\" aria-label=\"items\"><table id=\"item-table\">\n<thead><tr><th "
         "scope=\"col\">verdict</th><th scope=\"col\">item</th><th scope=\"col\">decided by</th><th scope=\"col\" "
         "class=\"number\">value</th><th scope=\"col\" class=\"number\">limit</th><th scope=\"col\" "
         "class=\"number\">defect</th><th scope=\"col\" class=\"number\">slice</th><th scope=\"col\" "
         "class=\"number\">defects</th><th scope=\"col\" class=\"number\">porosity "
         "%</th></tr></thead>\n<tbody>\n";
    for (std::size_t i = 0; i < m_Items.size(); ++i)
    {
      auto &            cells = m_Items[i].cells;
      const std::string verdict = cells["verdict"];
      stream << "<tr data-verdict=\"" << EscapeXml(verdict) << "\"><td class=\"verdict " << ClassOf(verdict) << "\">"
             << EscapeXml(WordOf(verdict)) << "</td><td class=\"name\"><a href=\"#item-" << i << "\">"
             << EscapeXml(cells["item"]) << "</a></td><td class=\"name\">"
             << EscapeXml(cells["error"].empty() ? cells["decided_by"] : cells["error"]) << "</td>";
      for (const char * const column : { "value", "limit", "defect_label", "slice", "defects", "porosity_percent" })
      {
        stream << "<td class=\"number\" data-value=\"" << EscapeXml(cells[column]) << "\">"
               << EscapeXml(Rounded(cells[column])) << "</td>";
      }
      stream << "</tr>\n";
    }
    stream << "</tbody></table></div>\n";
  }

  static void
  WriteDefectSections(std::ostream & stream)
  {
    stream
      << "<h2 id=\"sizes\">Histogram</h2>\n<div class=\"controls\"><div><label for=\"histogram-column\">column</label>"
         "<select id=\"histogram-column\"></select></div><div><label for=\"histogram-item\">item</label><select "
         "id=\"histogram-item\"><option>all items</option></select></div></div>\n<svg id=\"histogram\" role=\"img\" "
         "viewBox=\"0 0 900 300\" aria-label=\"no defects\"></svg>\n<h2 id=\"defects\">Defects</h2>\n<div "
         "class=\"controls\"><div><label for=\"defect-item\">item</label><select id=\"defect-item\"><option>all "
         "items</option></select></div><div><label for=\"defect-column\">column</label><select "
         "id=\"defect-column\"></select></div><div><label for=\"defect-least\">at least</label><input "
         "id=\"defect-least\" type=\"number\" step=\"any\" size=\"8\"></div><div><label for=\"defect-most\">at "
         "most</label><input id=\"defect-most\" type=\"number\" step=\"any\" size=\"8\"></div><div><input "
         "id=\"defect-all\" type=\"checkbox\"> <label for=\"defect-all\" style=\"display:inline\">all "
         "columns</label></div></div>\n<div class=\"controls pages\"><button id=\"defect-before\" type=\"button\" "
         "disabled>previous</button><button id=\"defect-after\" type=\"button\" disabled>next</button><span "
         "id=\"defect-count\" class=\"soft\" role=\"status\">no defects</span></div>\n<div class=\"scroll\" "
         "tabindex=\"0\" role=\"region\" aria-label=\"defects\"><table "
         "id=\"defect-table\"><thead><tr></tr></thead><tbody></tbody></table></div>\n";
  }

  void
  WriteItemSections(std::ostream & stream)
  {
    stream << "<h2 id=\"items\">Items</h2>\n";
    for (std::size_t i = 0; i < m_Items.size(); ++i)
    {
      Item &            item = m_Items[i];
      const std::string verdict = item.cells["verdict"];
      stream << "<article id=\"item-" << i << "\">\n<h3>" << EscapeXml(item.cells["item"]) << " <span class=\"verdict "
             << ClassOf(verdict) << "\">" << EscapeXml(WordOf(verdict)) << "</span></h3>\n";
      if (item.summary.is_null())
      {
        stream << "<p>" << EscapeXml(item.cells["error"]) << "</p>\n</article>\n";
        continue;
      }
      WriteSummary(stream, item);
      WritePictureOf(stream, item, batch::PictureFile, "slices through the largest defect of ");
      WriteViews(stream, item, i);
      stream << "</article>\n";
    }
  }

  static void
  WriteSummary(std::ostream & stream, const Item & item)
  {
    const ordered_json & summary = item.summary;
    const ordered_json & input = summary.at("input");
    std::string          size;
    for (const ordered_json & side : input.at("extent"))
    {
      size += (size.empty() ? "" : " \xC3\x97 ") + side.dump();
    }
    std::string spacing;
    for (const ordered_json & step : input.at("spacing_mm"))
    {
      spacing += (spacing.empty() ? "" : " \xC3\x97 ") + Rounded(step.dump());
    }
    stream << "<p>" << TextOf(summary.at("defects")) << (summary.at("defects") == 1 ? " defect, " : " defects, ")
           << TextOf(summary.at("porosity_percent")) << " % of the " << EscapeXml(summary.at("region")) << ". " << size
           << " voxels of " << spacing << " mm.";
    for (const char * const key : { "threshold", "part_threshold" })
    {
      if (summary.contains(key))
      {
        stream << (key == std::string("threshold") ? " Threshold " : " Threshold of the part ")
               << TextOf(summary.at(key)) << ".";
      }
    }
    stream << "</p>\n";
    if (!summary.at("rules").empty())
    {
      stream << "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"rules\"><table><thead><tr><th "
                "scope=\"col\">rule</th><th scope=\"col\">verdict</th><th scope=\"col\" class=\"number\">value</th><th "
                "scope=\"col\" class=\"number\">limit</th><th scope=\"col\" class=\"number\">defect</th><th "
                "scope=\"col\" class=\"number\">slice</th></tr></thead><tbody>\n";
      for (const ordered_json & rule : summary.at("rules"))
      {
        const std::string verdict = rule.at("passes").get<bool>() ? "pass" : "fail";
        stream << "<tr><td>" << EscapeXml(rule.at("name")) << "</td><td class=\"verdict " << verdict << "\">"
               << WordOf(verdict) << "</td>";
        for (const char * const key : { "value", "limit", "label", "slice" })
        {
          stream << "<td class=\"number\">" << EscapeXml(TextOf(rule.at(key))) << "</td>";
        }
        stream << "</tr>\n";
      }
      stream << "</tbody></table></div>\n";
    }
    for (const ordered_json & note : summary.at("notes"))
    {
      stream << "<p class=\"soft\">Note: " << EscapeXml(note) << "</p>\n";
    }
  }

  /** A file for the page, "data:image/png;base64,...", or empty if there is no room for it. \param file  relative to
   * the batch's folder */
  std::string
  Inlined(const std::string & file)
  {
    std::error_code failure;
    const auto      size = fs::file_size(PathOf(file), failure);
    if (failure || m_PictureBytes + size > MaximumPictureBytes)
    {
      return {};
    }
    m_PictureBytes += size;
    const bool isJpeg = fs::path(file).extension() == ".jpg";
    return std::string("data:image/") + (isJpeg ? "jpeg" : "png") + ";base64," + Base64(ReadText(PathOf(file)));
  }

  /** The width and height of a PNG as attributes, which keep its place until it is decoded. */
  std::string
  SizeOfPng(const std::string & file) const
  {
    const std::string bytes = ReadText(PathOf(file));
    const auto        number = [&](std::size_t place) {
      std::uint32_t value = 0;
      for (std::size_t i = 0; i < 4; ++i)
      {
        value = value << 8 | static_cast<unsigned char>(bytes.at(place + i));
      }
      return std::to_string(value);
    };
    constexpr std::size_t header = 16;
    return bytes.size() < header + 8 ? "" : "width=\"" + number(header) + "\" height=\"" + number(header + 4) + "\" ";
  }

  void
  WritePictureOf(std::ostream & stream, Item & item, const std::string & name, const std::string & alternative)
  {
    const std::string file = item.cells["folder"] + "/" + name;
    std::error_code   failure;
    if (!fs::exists(PathOf(file), failure))
    {
      return;
    }
    const std::string data = Inlined(file);
    if (data.empty())
    {
      stream << "<p><a href=\"" << EscapeXml(file) << "\">" << EscapeXml(alternative + item.cells["item"])
             << "</a></p>\n";
      return;
    }
    stream << "<figure><img " << SizeOfPng(file) << "loading=\"lazy\" alt=\""
           << EscapeXml(alternative + item.cells["item"]) << "\" src=\"" << data << "\"></figure>\n";
  }

  /** The pictures of `batch --report`: slices to page through, surfaces, the largest defects. */
  void
  WriteViews(std::ostream & stream, Item & item, std::size_t place)
  {
    if (!item.summary.contains("report"))
    {
      stream
        << "<p class=\"soft\">Slices to look through, surfaces and the largest defects are drawn by <code>brickccl "
           "batch ... --report</code>.</p>\n";
      return;
    }
    const ordered_json & views = item.summary.at("report");
    stream << "<div class=\"views\">\n";
    if (views.contains("slices"))
    {
      WriteSlices(stream, item, views.at("slices"), place);
    }
    if (views.contains("surface"))
    {
      WritePictureOf(stream, item, views.at("surface").at("file"), "surfaces of the defects of ");
    }
    stream << "</div>\n";
    if (views.contains("defects"))
    {
      WriteThumbnails(stream, item, views.at("defects"), place);
    }
  }

  void
  WriteSlices(std::ostream & stream, Item & item, const ordered_json & slices, std::size_t place)
  {
    const std::string data = Inlined(item.cells["folder"] + "/" + slices.at("file").get<std::string>());
    const auto        count = slices.at("places").size();
    if (data.empty() || count == 0)
    {
      return;
    }
    const auto        columns = slices.at("columns").get<int>();
    const std::string id = "slice-" + std::to_string(place);
    stream << "<section class=\"slices\" aria-label=\"slices of " << EscapeXml(item.cells["item"])
           << "\">\n<div class=\"tile\" style=\"aspect-ratio:" << slices.at("tile").at(0) << "/"
           << slices.at("tile").at(1) << "\"><img alt=\"slice of " << EscapeXml(item.cells["item"])
           << " with its defects\" style=\"width:" << 100 * columns << "%\" src=\"" << data
           << "\"></div>\n<div class=\"controls\"><button type=\"button\" data-step=\"-1\" "
              "aria-label=\"previous slice\">\xE2\x80\xB9</button><input id=\""
           << id << "\" type=\"range\" min=\"0\" max=\"" << count - 1
           << "\" value=\"0\" aria-label=\"slice\"><button type=\"button\" data-step=\"1\" aria-label=\"next "
              "slice\">\xE2\x80\xBA</button><output for=\""
           << id << "\"></output></div>\n</section>\n";
  }

  void
  WriteThumbnails(std::ostream & stream, Item & item, const ordered_json & defects, std::size_t place)
  {
    const std::string data = Inlined(item.cells["folder"] + "/" + defects.at("file").get<std::string>());
    if (data.empty())
    {
      return;
    }
    const auto columns = defects.at("columns").get<int>();
    const auto side = defects.at("side").get<int>();
    stream << "<h4>The largest defects</h4>\n<ul class=\"thumbnails\" style=\"--sheet:url(" << data << ")\">\n";
    int at = 0;
    for (const ordered_json & defect : defects.at("shown"))
    {
      stream << "<li><button type=\"button\" data-item=\"" << place << "\" data-slice=\"" << defect.at("slice")
             << "\"><span class=\"thumbnail\" style=\"width:" << side << "px;height:" << side
             << "px;background-position:-" << at % columns * side << "px -" << at / columns * side
             << "px\"></span><span>label " << defect.at("label") << "<br>" << defect.at("voxel_count")
             << " voxels<br>slice " << defect.at("slice") << "</span></button></li>\n";
      ++at;
    }
    stream << "</ul>\n";
  }

  void
  WriteHashes(std::ostream & stream) const
  {
    stream << "<h2 id=\"files\">Inputs</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
              "aria-label=\"inputs\"><table><thead><tr><th scope=\"col\">item</th><th scope=\"col\">file</th><th "
              "scope=\"col\" class=\"number\">bytes</th><th scope=\"col\">SHA-256</th></tr></thead><tbody>\n";
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
        stream << "<tr><td class=\"name\">" << EscapeXml(item.at("item")) << "</td><td class=\"name\">"
               << EscapeXml(files[i].at("path")) << "</td><td class=\"number\">" << files[i].at("bytes").dump()
               << "</td><td><code>" << EscapeXml(files[i].at("sha256")) << "</code></td></tr>\n";
      }
      if (files.size() > maximum)
      {
        stream << "<tr><td></td><td colspan=\"3\">and " << files.size() - maximum
               << " more (manifest.json)</td></tr>\n";
      }
    }
    stream << "</tbody></table></div>\n<p class=\"soft\">manifest.json has the hashes of all outputs.</p>\n";
  }

  std::string       m_Folder;
  ordered_json      m_Manifest;
  std::vector<Item> m_Items;
  std::size_t       m_PictureBytes = 0;
};

} // namespace

std::string
WriteReport(const std::string & folder)
{
  std::string path = (fs::path(folder) / "report.html").string();
  try
  {
    Page page(folder);
    ReplaceTextFile(path, [&](std::ostream & stream) { page.Write(stream); });
  }
  catch (const ordered_json::exception &)
  {
    // All else that it shows is what the manifest says.
    throw batch::DamagedFile((fs::path(folder) / "manifest.json").string());
  }
  return path;
}

} // namespace brickccl::report
