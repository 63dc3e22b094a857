// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Job/Language.h"

#include <algorithm>
#include <utility>

namespace brickccl::job
{

namespace
{

const std::vector<std::pair<std::string, const char *>> LanguageFiles = {
#include "Languages.inc"
};

} // namespace

const std::vector<std::string> &
LanguageCodes()
{
  static const std::vector<std::string> codes = [] {
    std::vector<std::string> all;
    for (const auto & file : LanguageFiles)
    {
      all.insert(file.first == "en" ? all.begin() : all.end(), file.first);
    }
    return all;
  }();
  return codes;
}

Language::Language(const std::string & code)
{
  const auto isIt = [&](const auto & file) { return file.first == code; };
  m_Texts = nlohmann::ordered_json::parse(std::find_if(LanguageFiles.begin(), LanguageFiles.end(), isIt)->second);
}

std::string
Language::operator()(const std::string & english, const std::vector<std::string> & values) const
{
  const std::string text = m_Texts.value(english, english);
  std::string       filled;
  for (std::size_t at = 0; at < text.size(); ++at)
  {
    const std::size_t place = at + 2 < text.size() && text[at] == '{' && text[at + 2] == '}'
                              ? static_cast<std::size_t>(text[at + 1] - '1')
                              : values.size();
    filled += place < values.size() ? values[place] : std::string(1, text[at]);
    at += place < values.size() ? 2 : 0;
  }
  return filled;
}

std::string
Language::Plural(double count, const std::string & forms, std::vector<std::string> values) const
{
  const std::string both = (*this)(forms);
  const std::size_t bar = both.find('|');
  values.insert(values.begin(), std::to_string(static_cast<std::uint64_t>(count)));
  // The form that is chosen is a text of no language, so that only its values are put in.
  return (*this)(count == 1 ? both.substr(0, bar) : both.substr(bar + 1), values);
}

std::string
Language::Decimal(std::string number) const
{
  std::replace(number.begin(), number.end(), '.', m_Texts.value("decimal sign", std::string(".")).front());
  return number;
}

std::pair<std::string, std::string>
WordsAndUnit(const std::string & column)
{
  const std::size_t at = std::min(column.rfind('_'), column.size());
  std::string       unit = column.substr(std::min(at + 1, column.size()));
  const bool        isUnit = unit == "mm3" || unit == "mm2" || unit == "mm" || unit == "deg" || unit == "percent";
  std::string       words = isUnit ? column.substr(0, at) : column;
  std::replace(words.begin(), words.end(), '_', ' ');
  return { words, !isUnit ? "" : unit == "percent" ? "%" : unit };
}

std::string
Language::Name(const std::string & column) const
{
  return m_Texts.value(column, WordsAndUnit(column).first);
}

std::string
Language::ColumnName(const std::string & column) const
{
  const std::string unit = WordsAndUnit(column).second;
  return Name(column) + (unit.empty() ? "" : " (" + unit + ")");
}

} // namespace brickccl::job
