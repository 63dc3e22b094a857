// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/RunApp.h"

#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Files/Settle.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace brickccl::cli
{

std::vector<std::string>
OptionNames(const CLI::App & command)
{
  std::vector<std::string> names;
  for (const CLI::Option * const option : command.get_options())
  {
    for (const std::string & name : option->get_lnames())
    {
      names.push_back("--" + name);
    }
    for (const std::string & name : option->get_snames())
    {
      names.push_back("-" + name);
    }
  }
  return names;
}

std::vector<std::string>
CommandNames(const CLI::App & app)
{
  return Mapped(app.get_subcommands([](const CLI::App *) { return true; }),
                [](const CLI::App * one) { return one->get_name(); });
}

std::string
ListOf(const std::vector<std::string> & parts, const std::string & last)
{
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
  {
    text += (i == 0 ? "" : i + 1 == parts.size() ? last : ", ") + parts[i];
  }
  return text;
}

CLI::Validator
OneOf(const std::vector<std::string> & names)
{
  return CLI::Validator(
    [names](std::string & text) {
      return std::find(names.begin(), names.end(), text) != names.end()
             ? std::string()
             : Quoted(text) + " is not " + ListOf(names, " or ") + DidYouMean(text, names);
    },
    "");
}

const CLI::App *
FindCommand(const CLI::App & app, const std::string & name)
{
  const auto found = app.get_subcommands([&](const CLI::App * one) { return one->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

CommandOfArguments
CommandOf(const CLI::App & app, const std::vector<std::string> & arguments)
{
  CommandOfArguments command{ &app, app.get_name() };
  for (const std::string & argument : arguments)
  {
    // It is not followed by a command.
    if (argument == "--")
    {
      break;
    }
    if (const CLI::App * const next = FindCommand(*command.app, argument))
    {
      command.app = next;
      command.name += " " + next->get_name();
    }
  }
  return command;
}

static std::string
HintOnOption(const std::string & name, const CLI::App & command)
{
  // For a single letter all others are equally near.
  if (name.size() > 2)
  {
    if (std::string near = DidYouMean(name, OptionNames(command)); !near.empty() && name != "--output")
    {
      return near;
    }
  }
  for (const CLI::Option * const option : command.get_options())
  {
    const std::string place = option->get_positional() ? option->get_name(true, false) : "";
    if ((name == "-o" || name == "--output" || name == "--out") && (place == "OUTPUT" || place == "OUT"))
    {
      return "; " + place + " needs no option before it";
    }
  }
  return name.size() > 2 ? DidYouMean(name, OptionNames(command)) : std::string();
}

std::string
FindMisspelled(const CLI::App & app, const std::vector<std::string> & arguments)
{
  const CLI::App * command = &app;
  std::string      fullName = app.get_name();
  for (const std::string & argument : arguments)
  {
    const auto isLetter = [&](std::size_t place) {
      return place < argument.size() && std::isalpha(static_cast<unsigned char>(argument[place])) != 0;
    };
    if (argument == "--")
    {
      break;
    }
    if ((argument.rfind("--", 0) == 0 && isLetter(2)) || (argument.size() == 2 && argument[0] == '-' && isLetter(1)))
    {
      const std::string name = argument.substr(0, argument.find('='));
      if (command->get_option_no_throw(name) == nullptr)
      {
        return Quoted(name) + " is not an option of `" + fullName + "`" + HintOnOption(name, *command) + "; see `" +
               fullName + " --help`";
      }
    }
    else if (!argument.empty() && argument[0] != '-')
    {
      const auto             names = CommandNames(*command);
      const CLI::App * const next = FindCommand(*command, argument);
      if (next == nullptr && !names.empty())
      {
        return Quoted(argument) + " is not a command" + DidYouMean(argument, names) + "; the commands are " +
               ListOf(names, ", ") + "; see `" + fullName +
               (command->get_name() == "recipe" && argument != "list" ? " explain " + argument + "`" : " --help`");
      }
      command = next == nullptr ? command : next;
      fullName += next == nullptr ? "" : " " + argument;
    }
  }
  return {};
}

/** Lists of more values have no end but the next option. */
constexpr int MostValues = 1000;

/** Whether a text is meant as a number, right or wrong ("1,5"): not if other letters follow its digits. */
static bool
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
static bool
IsOpen(const CLI::Option & option)
{
  const int least = option.get_items_expected_min();
  const int most = option.get_items_expected_max();
  return !option.get_positional() && least > 0 && most > std::max(1, least) && most < MostValues;
}

/** Whether a text is the name of a file and no number, right or wrong: it has a folder or an ending. */
static bool
ReadsAsFile(const std::string & text)
{
  const std::size_t dot = text.rfind('.');
  const bool        hasEnding =
    dot != std::string::npos && dot + 1 < text.size() && std::isalpha(static_cast<unsigned char>(text[dot + 1])) != 0;
  return text[0] != '-' && !ReadsAsNumber(text) && (text.find('/') != std::string::npos || hasEnding);
}

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
    CLI::Option * const option = name[0] == '-' ? command->get_option_no_throw(name) : nullptr;
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
    const bool takesNoneOrOne =
      !option->get_positional() && option->get_items_expected_min() == 0 && option->get_items_expected_max() == 1;
    if (takesNoneOrOne && !hasValue && first < arguments.size() && ReadsAsFile(arguments[first]))
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
