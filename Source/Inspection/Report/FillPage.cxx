// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Job/Findings.h"
#include "BrickCCL/Pictures/Drawing.h"
#include "BrickCCL/Report/Page.h"

#include <algorithm>

namespace brickccl::report
{

using nlohmann::ordered_json;

namespace
{

class Filler
{
public:
  explicit Filler(const job::Language & language)
    : m_Say(language)
  {}

  std::string
  Fill(const std::string & page, const ordered_json & data)
  {
    m_Data.push_back(&data);
    std::string filled;
    for (std::size_t at = 0; at < page.size();)
    {
      const std::size_t begin = std::min({ page.find("[[", at), page.find("{{", at), page.size() });
      const bool        isText = page.compare(begin, 1, "[") == 0;
      const std::size_t end = std::min(page.find(isText ? "]]" : "}}", begin), page.size());
      filled.append(page, at, begin - at);
      at = end + 2;
      if (begin == page.size())
      {
        break;
      }
      const std::string word = page.substr(begin + 2, end - begin - 2);
      if (isText)
      {
        filled += Escaped(Said(word));
      }
      else if (word[0] == '#')
      {
        const std::string close = "{{/" + word.substr(1) + "}}";
        const std::size_t stop = page.find(close, at);
        filled += Repeated(page.substr(at, stop - at), Find(word.substr(1)));
        at = stop + close.size();
      }
      else
      {
        filled += word[0] == '&' ? Text(Find(word.substr(1))) : Escaped(Text(Find(word)));
      }
    }
    m_Data.pop_back();
    return filled;
  }

private:
  std::string
  Repeated(const std::string & page, const ordered_json & value)
  {
    const bool  isNot = value.is_null() || value == false || value == "";
    std::string filled;
    for (std::size_t i = 0; i < (value.is_array() ? value.size() : isNot ? 0 : 1); ++i)
    {
      const ordered_json & each = value.is_array() ? value[i] : value;
      m_Index = i;
      filled += Fill(page, each.is_object() ? each : *m_Data.back());
    }
    return filled;
  }

  /** A member of the data, or else of what it belongs to; "index" is the place in a list. */
  ordered_json
  Find(const std::string & name) const
  {
    for (auto data = m_Data.rbegin(); data != m_Data.rend(); ++data)
    {
      if ((*data)->contains(name))
      {
        return (*data)->at(name);
      }
    }
    return name == "index" ? ordered_json(m_Index) : ordered_json();
  }

  std::string
  Text(const ordered_json & value) const
  {
    std::string text;
    for (const ordered_json & each : value.is_array() ? value : ordered_json::array())
    {
      text += (text.empty() ? "" : " \xC3\x97 ") + Text(each);
    }
    return value.is_array()        ? text
         : value.is_string()       ? value.get<std::string>()
         : value.is_number_float() ? m_Say.Decimal(job::Readable(Number(value.get<double>())))
         : value.is_null()         ? ""
                                   : value.dump();
  }

  /** "slices of {1};;item" with that member; a text of two forms begins with a count. */
  std::string
  Said(const std::string & words) const
  {
    std::vector<std::string> values;
    const std::size_t        end = words.find(";;");
    for (std::size_t at = end; at < words.size(); at = words.find(";;", at + 2))
    {
      values.push_back(Text(Find(words.substr(at + 2, words.find(";;", at + 2) - at - 2))));
    }
    const std::string text = words.substr(0, end);
    return text.find('|') == std::string::npos
           ? m_Say(text, values)
           : m_Say.Plural(std::stod(values.at(0)), text, { values.begin() + 1, values.end() });
  }

  /** A text for a page. The units mm2 and mm3 are raised. */
  static std::string
  Escaped(const std::string & text)
  {
    std::string escaped = EscapeXml(text);
    for (std::size_t at = 1; (at = escaped.find("mm", at)) < escaped.size() - 2; at += 2)
    {
      if ((escaped[at - 1] == ' ' || escaped[at - 1] == '(') && (escaped[at + 2] == '2' || escaped[at + 2] == '3'))
      {
        escaped.replace(at + 2, 1, escaped[at + 2] == '2' ? "\xC2\xB2" : "\xC2\xB3");
      }
    }
    return escaped;
  }

  const job::Language &             m_Say;
  std::vector<const ordered_json *> m_Data;
  std::size_t                       m_Index = 0;
};

} // namespace

std::string
FillPage(const std::string & page, const ordered_json & data, const job::Language & language)
{
  return Filler(language).Fill(page, data);
}

} // namespace brickccl::report
