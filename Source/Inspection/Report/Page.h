// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_REPORT_PAGE_H
#define BRICKCCL_REPORT_PAGE_H

#include "BrickCCL/Batch/Recipe.h"
#include "BrickCCL/Job/Language.h"
#include "BrickCCL/Report/ReportData.h"

#include <string>

/** Pieces of the page of a report, as HTML. */
namespace brickccl::report
{

/** What the pieces of a page have in common. */
struct PageSource
{
  std::string       folder;
  batch::Recipe     recipe;
  job::Language     language;
  std::vector<Item> items;
};

/** A text in the page's language, escaped. The units mm2 and mm3 are raised. */
std::string Escaped(const std::string & text);

/** "✓ pass" in the page's language. */
std::string VerdictWord(const std::string & verdict, const job::Language & language);

/** The class of a verdict in the style. */
std::string VerdictClass(const std::string & verdict);

/** A number with four digits. */
std::string NumberText(const nlohmann::ordered_json & number, const job::Language & language);

/** "0.2 × 0.2 × 0.4" */
std::string SizesText(const nlohmann::ordered_json & numbers, const job::Language & language);

/** The sections of the items, each with its rules and pictures. */
std::string ArticlesOfItems(const PageSource & source);

} // namespace brickccl::report

#endif
