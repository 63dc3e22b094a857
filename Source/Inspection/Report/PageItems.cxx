// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/ItemTexts.h"
#include "BrickCCL/Batch/ProcessItem.h"
#include "BrickCCL/Batch/RecipeFile.h"
#include "BrickCCL/Report/Page.h"

#include <algorithm>
#include <filesystem>

namespace brickccl::report
{

using nlohmann::ordered_json;

/** The rules of an item or part in words, and those that it fails. */
static void
AddRules(ordered_json & data, const batch::Recipe & recipe, const job::Language & say)
{
  // New members may move the others.
  ordered_json rules = data.at("rules");
  auto         failed = ordered_json::array();
  for (std::size_t i = 0; i < rules.size(); ++i)
  {
    ordered_json &                result = rules[i];
    const batch::AcceptanceRule & rule = recipe.acceptance.at(i);
    const bool                    passes = result.at("passes").get<bool>();
    if (!passes)
    {
      failed.push_back({ { "text", batch::DescribeFailure(result, rule, recipe, say) } });
    }
    result.update({ { "explained", batch::ExplainRule(rule, recipe, say) },
                    { "verdict", passes ? "pass" : "fail" },
                    { "word", VerdictWord(passes ? "pass" : "fail", say) },
                    { "measured", result.at("value").is_null() ? "" : batch::ValueText(result, recipe, say) },
                    { "limited", batch::LimitText(result, recipe, say) } });
  }
  data["failed"] = failed;
  if (!rules.empty())
  {
    data["judged"]["rules"] = rules;
  }
}

std::string
VerdictWord(const std::string & verdict, const job::Language & language)
{
  return verdict == "pass"  ? "\xE2\x9C\x93 " + language("pass")
       : verdict == "fail"  ? "\xE2\x9C\x97 " + language("fail")
       : verdict == "error" ? "! " + language("error")
                            : language(verdict == "none" ? "measured only" : verdict);
}

ordered_json
DataOfItems(const std::string &       folder,
            const std::vector<Item> & items,
            const batch::Recipe &     recipe,
            const job::Language &     language)
{
  PagePictures pictures(folder, items.size());
  auto         all = ordered_json::array();
  for (const Item & item : items)
  {
    const bool        isDone = !item.summary.is_null();
    const std::string verdict = item.cells.at("verdict");
    ordered_json      data = isDone ? item.summary : ordered_json::object();
    data.update({ { "cells", item.cells },
                  { "place", all.size() },
                  { "item", item.cells.at("item") },
                  { "verdict", verdict },
                  { "class", verdict.substr(0, verdict.find(' ')) },
                  { "word", VerdictWord(verdict, language) },
                  { "undrawn", isDone && !item.summary.contains(batch::ReportKey) } });
    if (isDone)
    {
      AddRules(data, recipe, language);
      for (const std::string name : { "part", "zone" })
      {
        for (ordered_json part : data.contains(name + "s") ? data[name + "s"] : ordered_json::array())
        {
          batch::Recipe own = recipe;
          auto &        rules = own.acceptance;
          const auto    isOther = [&](const auto & rule) { return name == "zone" && rule.zone != part.at("zone"); };
          rules.erase(std::remove_if(rules.begin(), rules.end(), isOther), rules.end());
          AddRules(part, own, language);
          part["word"] = VerdictWord(part.at("verdict"), language);
          part["number"] = part.at(name);
          data["judged_parts"]["head"] = language(name);
          data["judged_parts"]["parts"].push_back(part);
        }
      }
      data["of_region"] = language("of the " + data.at("region").get<std::string>());
      for (ordered_json & note : data["notes"])
      {
        note = { { "text", language(note) } };
      }
      // The next pictures have the bytes that a picture leaves.
      ordered_json & views = data[batch::ReportKey];
      views["picture"]["file"] = batch::PictureFile;
      pictures.BeginItem();
      for (const auto & [view, share] : { std::pair("picture", 0.45),
                                          std::pair("surface", 0.3),
                                          std::pair("defects", 0.33),
                                          std::pair("slices", 1.0) })
      {
        const std::string file =
          views.contains(view) ? item.cells.at("folder") + "/" + views[view].at("file").get<std::string>() : "";
        std::error_code failure;
        if (std::filesystem::is_regular_file(std::filesystem::path(folder) / file, failure))
        {
          views[view].update(pictures.Take(file, share));
          data[std::string("view_") + view] = views[view];
        }
      }
    }
    all.push_back(std::move(data));
  }
  return all;
}

} // namespace brickccl::report
