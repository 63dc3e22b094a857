// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_REPORT_REPORTDATA_H
#define BRICKCCL_REPORT_REPORTDATA_H

#include "BrickCCL/Job/Language.h"

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

/** The contents of manifest.json. \throws Error if it is damaged, or does not match a file in the report. */
nlohmann::ordered_json ReadManifest(const std::string & folder);

/** The items of a batch; what needs attention comes first. \throws Error. */
std::vector<Item> ReadItems(const std::string & folder);

/** The data for the page's script: the names of the items, the limits of the rules, the texts of the language, and the
 *  defects. \param isWhole  all defects and digits, for a workbook; a page has MaximumDefects with six digits */
nlohmann::ordered_json DataOfScript(const std::string &       folder,
                                    const std::vector<Item> & items,
                                    const job::Language &     language,
                                    bool                      isWhole = false);

} // namespace brickccl::report

#endif
