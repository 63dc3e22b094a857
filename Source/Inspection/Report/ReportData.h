#ifndef BRICKCCL_REPORT_REPORTDATA_H
#define BRICKCCL_REPORT_REPORTDATA_H

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

namespace brickccl::report
{

/** One row of items.csv. */
struct Item
{
  std::map<std::string, std::string> cells;
  /** Null unless it is finished. */
  nlohmann::ordered_json summary;
};

/** What manifest.json says. \throws Error if it is damaged, or a file that a report shows is not what it says. */
nlohmann::ordered_json ReadManifest(const std::string & folder);

/** The items of a batch; what needs attention comes first. \throws Error. */
std::vector<Item> ReadItems(const std::string & folder);

/** What the page's script shows: the names of the items, the limits of the rules, and the defects. */
nlohmann::ordered_json DataOfScript(const std::string & folder, const std::vector<Item> & items);

/** A number with five digits; the text itself if it is none. */
std::string Rounded(const std::string & text);

} // namespace brickccl::report

#endif
