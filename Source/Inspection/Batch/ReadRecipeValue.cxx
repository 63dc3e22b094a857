#include "BrickCCL/Batch/ReadRecipeValue.h"

#include "BrickCCL/Core/LostNumber.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Segmenting/Threshold.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <sstream>

namespace brickccl::batch
{

namespace
{

/** A value as text, on one line. */
std::string
TextOf(const toml::node & node)
{
  std::ostringstream text;
  node.visit([&](const auto & value) { text << value; });
  std::string line;
  for (const char character : text.str())
  {
    const bool isSpace = character == ' ' || character == '\n';
    if (!isSpace || (!line.empty() && line.back() != ' '))
    {
      line += isSpace ? ' ' : character;
    }
  }
  return line;
}

/** The number that begins at a place of a recipe, as it is written but without underscores between digits. */
std::string
NumberAt(const std::string & recipe, const toml::source_position & place)
{
  std::size_t at = 0;
  for (toml::source_index line = 1; line < place.line && at < recipe.size(); ++line)
  {
    at = std::min(recipe.size(), recipe.find('\n', at)) + 1;
  }
  // Columns count characters, which may have several bytes.
  for (toml::source_index column = 1; column < place.column && at < recipe.size(); ++column)
  {
    for (++at; at < recipe.size() && (static_cast<unsigned char>(recipe[at]) & 0xC0u) == 0x80u; ++at)
    {}
  }
  std::string number;
  for (; at < recipe.size() && std::string("+-.0123456789eE_").find(recipe[at]) != std::string::npos; ++at)
  {
    number += recipe[at] == '_' ? "" : std::string(1, recipe[at]);
  }
  return number;
}

/** How many mm, or mm3, a unit is; nothing for one that does not measure the same. */
std::optional<double>
SizeOfUnit(const std::string & name, const std::string & unit)
{
  std::string base = name;
  const bool  isVolume = unit == "mm3";
  if (isVolume)
  {
    const bool hasSign = base.size() > 2 && base.compare(base.size() - 2, 2, "^3") == 0;
    const bool hasDigit = !hasSign && base.size() > 1 && base.back() == '3';
    if (!hasSign && !hasDigit)
    {
      return std::nullopt;
    }
    base.resize(base.size() - (hasSign ? 2 : 1));
  }
  const double length = files::Millimetres(base);
  return length == 0 ? std::nullopt : std::optional<double>(isVolume ? length * length * length : length);
}

class ValueReader
{
public:
  ValueReader(const std::string &          recipe,
              const RecipeKey &            key,
              const toml::node &           node,
              std::vector<RecipeProblem> & problems)
    : m_Recipe(recipe)
    , m_Key(key)
    , m_Node(node)
    , m_Problems(problems)
  {}

  std::optional<RecipeValue>
  Read()
  {
    RecipeValue       value;
    const std::size_t problems = m_Problems.size();
    CheckNumbers();
    if (m_Problems.size() != problems)
    {
      return std::nullopt;
    }
    switch (m_Key.kind)
    {
    case KeyKind::Boolean:
      value.value = ReadBoolean();
      break;
    case KeyKind::Whole:
      value.value = ReadWhole();
      break;
    case KeyKind::Number:
      value.value = ReadNumber();
      break;
    case KeyKind::Range:
    case KeyKind::Spacing:
      value.value = ReadNumbers();
      break;
    case KeyKind::Columns:
      value.value = ReadTexts();
      break;
    case KeyKind::Threshold:
      value.value = ReadThreshold();
      break;
    case KeyKind::Text:
    case KeyKind::Choice:
    case KeyKind::Column:
    case KeyKind::Condition:
      value.value = ReadText();
      break;
    }
    return m_Problems.size() == problems ? std::optional<RecipeValue>(value) : std::nullopt;
  }

private:
  void
  Complain(const std::string & right)
  {
    m_Problems.push_back({ static_cast<int>(m_Node.source().begin.line),
                           m_Key.table + "." + m_Key.name + " is " + TextOf(m_Node) + "; it must be " + right });
  }

  /** Finds numbers that no double stands for, of which the parser makes 0. */
  void
  CheckNumbers()
  {
    const auto check = [this](const toml::node & node) {
      const std::string text = node.is_string() && !m_Key.unit.empty() ? node.value_or(std::string()) : std::string();
      const std::string number = node.is_floating_point() ? NumberAt(m_Recipe, node.source().begin)
                                                          : text.substr(0, text.find_first_not_of("+-.0123456789eE"));
      if (IsLostNumber(number))
      {
        m_Problems.push_back(
          { static_cast<int>(node.source().begin.line),
            m_Key.table + "." + m_Key.name + ": '" + number + "' is no number" + HintOnLostNumber(number) });
      }
    };
    check(m_Node);
    if (m_Node.is_array())
    {
      std::for_each(m_Node.as_array()->begin(), m_Node.as_array()->end(), check);
    }
  }

  std::string
  Bounds() const
  {
    const bool hasMinimum = std::isfinite(m_Key.minimum);
    const bool hasMaximum = std::isfinite(m_Key.maximum);
    return hasMinimum && hasMaximum
           ? " from " + files::Shortest(m_Key.minimum) + " to " + files::Shortest(m_Key.maximum)
         : hasMinimum ? " of at least " + files::Shortest(m_Key.minimum)
                      : std::string();
  }

  bool
  ReadBoolean()
  {
    if (!m_Node.is_boolean())
    {
      Complain("true or false, without quotes");
    }
    return m_Node.value_or(false);
  }

  std::int64_t
  ReadWhole()
  {
    const auto number = m_Node.value_exact<std::int64_t>();
    if (!number || static_cast<double>(*number) < m_Key.minimum || static_cast<double>(*number) > m_Key.maximum)
    {
      Complain("a whole number" + Bounds());
    }
    return number.value_or(0);
  }

  double
  ReadNumber()
  {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    double           number = m_Node.is_number() ? m_Node.value_or(none) : none;
    if (m_Node.is_string() && !m_Key.unit.empty())
    {
      number = ReadQuantity(m_Node.value_or(std::string()));
    }
    if (!std::isfinite(number) || number < m_Key.minimum || number > m_Key.maximum)
    {
      const std::string quantity = m_Key.unit == "mm"  ? " in mm, or a length such as \"500 um\""
                                 : m_Key.unit == "mm3" ? " in mm3, or a volume such as \"0.02 mm3\""
                                                       : std::string();
      Complain("a number" + Bounds() + quantity);
    }
    return number;
  }

  /** A number with a unit: "500 um"; NaN if it is none. */
  double
  ReadQuantity(const std::string & text) const
  {
    double       number = 0;
    const char * end = text.data() + text.size();
    const auto   read = std::from_chars(text.data(), end, number);
    std::string  unit(read.ptr, end);
    unit.erase(0, unit.find_first_not_of(' ') == std::string::npos ? unit.size() : unit.find_first_not_of(' '));
    const auto size = SizeOfUnit(unit, m_Key.unit);
    return read.ec == std::errc() && size ? number * *size : std::numeric_limits<double>::quiet_NaN();
  }

  std::vector<double>
  ReadNumbers()
  {
    std::vector<double> numbers;
    bool                fits = m_Node.is_array();
    if (fits)
    {
      for (const toml::node & element : *m_Node.as_array())
      {
        const auto number = element.value<double>();
        if (element.is_integer() && !number)
        {
          Complain("a list of numbers; whole ones lie between -2^53 and 2^53 (9007199254740992) in recipes");
          return numbers;
        }
        fits = fits && number && element.is_number();
        numbers.push_back(number.value_or(0));
      }
    }
    const auto isNan = [](double number) { return std::isnan(number); };
    fits = fits && std::none_of(numbers.begin(), numbers.end(), isNan);
    if (m_Key.kind == KeyKind::Range)
    {
      if (!fits || numbers.size() != 2 || numbers[0] > numbers[1])
      {
        Complain("two numbers, the lower one first: [low, high]; inf and -inf are numbers as well");
      }
    }
    else
    {
      const auto isSize = [](double number) { return number > 0 && std::isfinite(number); };
      if (!fits || numbers.empty() || numbers.size() > 4 || !std::all_of(numbers.begin(), numbers.end(), isSize))
      {
        Complain("a list of mm along x, y, z, each a number above 0: [0.1, 0.1, 0.1]");
      }
    }
    return numbers;
  }

  std::vector<std::string>
  ReadTexts()
  {
    std::vector<std::string> texts;
    bool                     fits = m_Node.is_array();
    if (fits)
    {
      for (const toml::node & element : *m_Node.as_array())
      {
        fits = fits && element.is_string();
        texts.push_back(element.value_or(std::string()));
      }
    }
    if (!fits)
    {
      Complain("a list of names in quotes: [\"shape\", \"surface\"]");
    }
    return texts;
  }

  std::string
  ReadText()
  {
    std::string text = m_Node.value_or(std::string());
    if (!m_Node.is_string())
    {
      Complain(m_Key.kind == KeyKind::Choice ? "one of \"" + ListOfNames(m_Key.choices) + "\"" : "a text in quotes");
    }
    else if (m_Key.kind == KeyKind::Choice &&
             std::find(m_Key.choices.begin(), m_Key.choices.end(), text) == m_Key.choices.end())
    {
      Complain("one of " + ListOfNames(m_Key.choices) + DidYouMean(text, m_Key.choices));
    }
    return text;
  }

  /** The text of a threshold: the number that is given, or how it is found. */
  std::string
  ReadThreshold()
  {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (const auto whole = m_Node.value_exact<std::int64_t>())
    {
      return std::to_string(*whole);
    }
    const double number = m_Node.is_floating_point() ? m_Node.value_or(infinity) : infinity;
    if (std::isfinite(number))
    {
      return files::Shortest(number);
    }
    std::string text = m_Node.value_or(std::string());
    if (!m_Node.is_string())
    {
      Complain("a number, such as 1200, or a method in quotes that finds one, such as \"otsu\"");
      return text;
    }
    try
    {
      if (ThresholdMethod::FromText(text).kind == ThresholdMethod::Kind::Value)
      {
        Complain("a number without quotes: " + text);
      }
    }
    catch (const InvalidArgument & error)
    {
      m_Problems.push_back(
        { static_cast<int>(m_Node.source().begin.line), m_Key.table + "." + m_Key.name + ": " + error.what() });
    }
    return text;
  }

  const std::string &          m_Recipe;
  const RecipeKey &            m_Key;
  const toml::node &           m_Node;
  std::vector<RecipeProblem> & m_Problems;
};

} // namespace

std::string
ListOfNames(const std::vector<std::string> & names)
{
  std::string text;
  for (const std::string & name : names)
  {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

std::optional<RecipeValue>
ReadRecipeValue(const std::string &          recipe,
                const RecipeKey &            key,
                const toml::node &           node,
                std::vector<RecipeProblem> & problems)
{
  return ValueReader(recipe, key, node, problems).Read();
}

} // namespace brickccl::batch
