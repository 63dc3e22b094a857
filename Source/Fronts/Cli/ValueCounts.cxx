// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/ValueCounts.h"

#include "BrickCCL/Cli/Spelling.h"
#include "BrickCCL/Files/Settle.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace brickccl::cli
{

namespace
{

/** Lists of more values have no end but the next option. */
constexpr int MostValues = 1000;

/** Whether a text is meant as a number, right or wrong ("1,5"): what begins with digits and has other letters is not.
 */
bool
ReadsAsNumber(const std::string & text)
{
  const std::string plain = text.substr(text.find_first_of("+-") == 0 ? 1 : 0);
  const std::size_t digit = plain.find_first_not_of(".,");
  const bool        begins = digit < 2 && plain[digit] >= '0' && plain[digit] <= '9';
  const std::size_t unit = plain.find_first_not_of("0123456789+-.,eE");
  return plain == "inf" || plain == "nan" ||
         (begins && (unit == std::string::npos || files::Millimeters(plain.substr(unit)) > 0));
}

/** Whether a command takes two or more values for an option, and how many is open. */
bool
IsOpen(const CLI::Option & option)
{
  const int least = option.get_items_expected_min();
  const int most = option.get_items_expected_max();
  return !option.get_positional() && least > 0 && most > std::max(1, least) && most < MostValues;
}

/** Whether a command takes one value for an option, or none. */
bool
IsOptional(const CLI::Option & option)
{
  return !option.get_positional() && option.get_items_expected_min() == 0 && option.get_items_expected_max() == 1;
}

/** Whether a text is the name of a file and no number, right or wrong: it has a folder or an ending. */
bool
ReadsAsFile(const std::string & text)
{
  const std::size_t dot = text.rfind('.');
  const bool        hasEnding =
    dot != std::string::npos && dot + 1 < text.size() && std::isalpha(static_cast<unsigned char>(text[dot + 1])) != 0;
  return text[0] != '-' && !ReadsAsNumber(text) && (text.find('/') != std::string::npos || hasEnding);
}

} // namespace

void
FitValueCounts(CLI::App & app, const std::vector<std::string> & arguments)
{
  CLI::App *                    command = &app;
  std::set<const CLI::Option *> fitted;
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i)
  {
    if (FindCommand(*command, arguments[i]) != nullptr)
    {
      command = command->get_subcommand(arguments[i]);
      continue;
    }
    const std::string   name = arguments[i].substr(0, arguments[i].find('='));
    const bool          hasValue = name.size() != arguments[i].size();
    const auto          known = OptionNames(*command);
    const bool          isKnown = std::find(known.begin(), known.end(), name) != known.end();
    CLI::Option * const option = isKnown ? command->get_option_no_throw(name) : nullptr;
    if (option == nullptr)
    {
      continue;
    }
    const std::size_t first = i + (hasValue ? 0 : 1);
    const std::size_t least = first + static_cast<std::size_t>(std::max(0, option->get_items_expected_min()));
    if (fitted.count(option) == 1)
    {
      throw CLI::ArgumentMismatch::AtMost(option->get_name(), option->get_items_expected_max(), least - first);
    }
    if (IsOptional(*option) && !hasValue && first < arguments.size() && ReadsAsFile(arguments[first]))
    {
      // The value of an option without one would be "true".
      option->expected(0)->transform([value = option->get_default_str()](const std::string &) { return value; });
    }
    if (!IsOpen(*option))
    {
      i = std::max(i + 1, least) - 1;
      continue;
    }
    if (least > arguments.size())
    {
      throw CLI::ArgumentMismatch::TypedAtLeast(option->get_name(),
                                                option->get_items_expected_min(),
                                                option->get_type_name());
    }
    const std::size_t most = first + static_cast<std::size_t>(option->get_items_expected_max());
    std::size_t       end = least;
    while (end < std::min(most, arguments.size()) && ReadsAsNumber(arguments[end]))
    {
      ++end;
    }
    fitted.insert(option);
    option->type_size(static_cast<int>(end - first))->expected(1)->allow_extra_args(false);
    i = end - 1;
  }
}

} // namespace brickccl::cli
