// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Batch/CompareBatches.h"
#include "BrickCCL/Job/Job.h"
#include "BrickCCL/Job/Language.h"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace brickccl::report
{

/** Writes the report of a batch (Batch/BatchFolder.h), `report.html` in its folder: head, verdicts, defects,
 * histograms, pictures, recipe, versions and hashes in one file that asks for nothing else.
 *
 *  It has at most MaximumDefects rows of defects, the largest ones of all items; as the page notes. Pictures are as
 *  small as many items need them to be (PagePictures.h).
 *  \param fields  "name=value", which override [report] of the recipe
 *  \return the path. \throws Error if the folder is not a batch's folder, or the file cannot be written. */
std::string WriteReport(const std::string & folder, const std::vector<std::string> & fields = {});

/** The page of a comparison: its verdict, the sizes of the defects in all scans, and pictures of those that changed
 * most. It has up to 5 MB, and asks for nothing else. \param recipe  what the scans were inspected with, and the head;
 * it has no text for label maps \param folder  for temporary files */
std::string ComparisonPage(const batch::ScanComparison &    compared,
                           const std::vector<std::string> & paths,
                           batch::Recipe                    recipe,
                           const std::vector<std::string> & notes,
                           const std::string &              folder);

/** Sets keys of [report]. \param fields  "name=value" \throws InvalidArgument for an unknown name or wrong value. */
void SetFields(job::Job & recipe, const std::vector<std::string> & fields);

/** The fields of [report] that have values, with their names: "serial number". */
std::vector<std::pair<std::string, std::string>> HeadFields(const job::Job & recipe);

/** The path in a batch's folder of a logo that is copied from `from`. \throws Error if that is not a picture. */
std::string CopiedLogo(const std::string & folder, const std::string & from);

/** The path of a program that prints pages. \throws Error if there is none. */
std::string FindBrowser();

/** Prints report.html to report.pdf by Chromium or Chrome. \return the path. \throws Error if that fails. */
std::string WritePdf(const std::string & folder);

inline constexpr std::size_t MaximumDefects = 20000;

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
