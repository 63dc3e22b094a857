#include "BrickCCL/Cli/ValueCounts.h"

#include "BrickCCL/Cli/Spelling.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Settle.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <system_error>

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
  return plain == "inf" || plain == "nan" ||
         (begins && plain.find_first_not_of("0123456789+-.,eE") == std::string::npos);
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

/** Whether a text is meant as an amount that a number cannot have: "5.mm3", "1/2". */
bool
ReadsAsAmount(const std::string & text)
{
  const std::size_t end = text.find_first_not_of("0123456789+-.,");
  if (end == 0 || end == std::string::npos || !ReadsAsNumber(text.substr(0, end)))
  {
    return false;
  }
  const std::string rest = text.substr(end);
  const bool        isFraction = rest[0] == '/' && ReadsAsNumber(rest.substr(1));
  // "mm3" and "mm^3": nothing follows the power.
  const std::size_t power =
    rest.size() > 2 && (rest.back() == '2' || rest.back() == '3') ? rest.size() - 1 : rest.size();
  const std::size_t unit = power < rest.size() && rest[power - 1] == '^' ? power - 1 : power;
  return isFraction || files::Millimetres(rest.substr(0, unit)) > 0;
}

bool
IsOnDisk(const std::string & text)
{
  std::error_code ignored;
  return std::filesystem::exists(text, ignored);
}

/** Whether a text is the name of a file and no number, right or wrong: it has a folder or an ending. */
bool
ReadsAsFile(const std::string & text)
{
  const std::size_t dot = text.rfind('.');
  const bool        hasEnding =
    dot != std::string::npos && dot + 1 < text.size() && std::isalpha(static_cast<unsigned char>(text[dot + 1])) != 0;
  return text[0] != '-' && !ReadsAsNumber(text) && (text.find('/') != std::string::npos || hasEnding) &&
         (!ReadsAsAmount(text) || IsOnDisk(text));
}

} // namespace

std::string
FitValueCounts(CLI::App & app, const std::vector<std::string> & arguments)
{
  CLI::App *                    command = &app;
  std::set<const CLI::Option *> fitted;
  std::string                   hint;
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
    for (; end < std::min(most, arguments.size()) && ReadsAsNumber(arguments[end]); ++end)
    {
      if (IsOnDisk(arguments[end]))
      {
        hint = "; " + Quoted(arguments[end]) + " is read as a value of " + name + ": write './" +
               Printable(arguments[end]) + "' for the file or folder";
      }
    }
    fitted.insert(option);
    option->type_size(static_cast<int>(end - first))->expected(1)->allow_extra_args(false);
    i = end - 1;
  }
  return hint;
}

} // namespace brickccl::cli
