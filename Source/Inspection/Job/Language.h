// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace brickccl::job
{

/** The texts of reports in one language. The code has them in English, which is what a file of `Languages/` translates
 *  them from: "en" has only the names of columns. Texts that a file lacks stay English. A language is a file. */
class Language
{
public:
  /** \param code  one of LanguageCodes() */
  explicit Language(const std::string & code = "en");

  /** A text in which {1} is the first of the values. */
  std::string operator()(const std::string & english, const std::vector<std::string> & values = {}) const;

  /** A text of two forms, "{1} defect|{1} defects": the first one is for a count of 1. The first value is the count. */
  std::string Plural(double count, const std::string & forms, std::vector<std::string> values = {}) const;

  std::string Decimal(std::string number) const;

  /** A column's name for people: "volume" for "volume_mm3". */
  std::string Name(const std::string & column) const;

  /** The same with its unit: "volume (mm3)". */
  std::string ColumnName(const std::string & column) const;

  /** All texts, by the English ones. */
  const nlohmann::ordered_json &
  Texts() const
  {
    return m_Texts;
  }

private:
  nlohmann::ordered_json m_Texts;
};

/** The languages that there are, English first: "en", "de". */
const std::vector<std::string> & LanguageCodes();

/** A column's name split into its words and its unit: "volume" and "mm3" of "volume_mm3". */
std::pair<std::string, std::string> WordsAndUnit(const std::string & column);

} // namespace brickccl::job
