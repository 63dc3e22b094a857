#include "BrickCCL/Batch/RecipeText.h"

#include "BrickCCL/Core/LostNumber.h"
#include "BrickCCL/Files/Settle.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace brickccl::batch
{

namespace
{

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

/** A number, exact; as it was written if the parser made 0 or infinity of it. Nothing for other values. */
std::optional<std::string>
NumberText(const toml::node & node, const std::string & recipe)
{
  if (const auto whole = node.value_exact<std::int64_t>())
  {
    return std::to_string(*whole);
  }
  const auto number = node.value_exact<double>();
  if (!number)
  {
    return std::nullopt;
  }
  const std::string written = NumberAt(recipe, node.source().begin);
  return IsLostNumber(written) ? written
       : std::isnan(*number)   ? "nan"
       : std::isinf(*number)   ? std::string(*number > 0 ? "inf" : "-inf")
                               : files::Shortest(*number);
}

/** The texts of a list, each by `textOf`. */
template <typename TTextOf>
std::optional<std::vector<std::string>>
ListFor(const toml::node & node, TTextOf textOf)
{
  if (!node.is_array())
  {
    return std::nullopt;
  }
  std::vector<std::string> texts;
  for (const toml::node & element : *node.as_array())
  {
    const std::optional<std::string> text = textOf(element);
    if (!text)
    {
      return std::nullopt;
    }
    texts.push_back(*text);
  }
  return texts;
}

} // namespace

std::string
OneLine(const toml::node & node)
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

std::optional<std::vector<std::string>>
TextsFor(const job::Form & form, const toml::node & node, const std::string & recipe)
{
  using job::Kind;
  const auto single = [](const std::optional<std::string> & text) {
    return text ? std::optional(std::vector<std::string>{ *text }) : std::nullopt;
  };
  const auto numberOf = [&](const toml::node & one) { return NumberText(one, recipe); };
  const auto textOf = [](const toml::node & one) { return one.value_exact<std::string>(); };
  switch (form.kind)
  {
  case Kind::Flag:
    return node.is_boolean() ? single(node.value_or(false) ? "true" : "false") : std::nullopt;
  case Kind::Whole:
  case Kind::Memory:
    return node.is_integer() ? single(numberOf(node)) : std::nullopt;
  case Kind::Number:
  case Kind::Above:
    return single(node.is_string() && !form.unit.empty() ? textOf(node) : numberOf(node));
  case Kind::Range:
  case Kind::Spacing:
    return ListFor(node, numberOf);
  case Kind::Neighbours:
  case Kind::Threshold:
  {
    const auto number = numberOf(node);
    const bool isFinite = number && *number != "nan" && *number != "inf" && *number != "-inf";
    return single(isFinite ? number : textOf(node));
  }
  case Kind::Columns:
  {
    const auto  names = ListFor(node, textOf);
    std::string list;
    for (const std::string & name : names.value_or(std::vector<std::string>()))
    {
      list += (list.empty() ? "" : ",") + name;
    }
    return names ? single(list) : std::nullopt;
  }
  case Kind::Text:
  case Kind::Choice:
  case Kind::Smoothing:
  case Kind::Column:
  case Kind::Condition:
    break;
  }
  return single(textOf(node));
}

} // namespace brickccl::batch
