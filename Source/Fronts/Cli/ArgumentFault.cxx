// SPDX-License-Identifier: Apache-2.0

#include "BrickCCL/Cli/RunApp.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/Printable.h"

#include <algorithm>
#include <cctype>

namespace brickccl::cli
{

/** An option as it is typed: "-o OUTDIR", "--range LO HI"; an argument without a dash: "INPUT". */
static std::string
TypedName(const CLI::Option & option)
{
  if (option.get_positional())
  {
    return option.get_name(true, false);
  }
  const std::string name =
    option.get_snames().empty() ? "--" + option.get_lnames().front() : "-" + option.get_snames().front();
  return option.get_items_expected_max() > 0 ? name + " " + option.get_type_name() : name;
}

/** "needs 2 values, LO HI", "takes 2 to 4 values, X Y [Z]", "needs a value, FILE". */
static std::string
ValuesOf(const CLI::Option & option)
{
  const int         least = std::max(1, option.get_items_expected_min());
  const int         most = option.get_items_expected_max();
  const std::string number = most <= 1     ? "a value"
                           : least == most ? std::to_string(least) + " values"
                           : most > 1000   ? (least > 1 ? std::to_string(least) + " or more values" : "values")
                                           : std::to_string(least) + " to " + std::to_string(most) + " values";
  return number + (option.get_positional() ? "" : ", " + option.get_type_name());
}

static std::string
DescribeMissing(const CommandOfArguments & command)
{
  std::vector<std::string> missing;
  for (const CLI::Option * const option : command.app->get_options())
  {
    if (option->get_required() && option->count() == 0)
    {
      missing.push_back(TypedName(*option));
    }
  }
  return ListOf(missing) + (missing.size() == 1 ? " is" : " are") + " required: `" +
         UsageOf(*command.app, command.name) + "`";
}

/** A suggestion for a name of an option behind a single dash. */
static std::string
HintOnExtra(const std::string & text, const CommandOfArguments & command)
{
  return text.size() > 2 && text[0] == '-' && std::isalpha(static_cast<unsigned char>(text[1])) != 0
         ? "; options begin with two dashes" +
             DidYouMean('-' + text.substr(0, text.find('=')), OptionNames(*command.app))
         : "";
}

static std::string
DescribeExtras(std::vector<std::string>         extras,
               const CommandOfArguments &       command,
               const std::vector<std::string> & arguments)
{
  const auto placeOf = [&](const std::string & text) {
    return std::find(arguments.begin(), arguments.end(), text) - arguments.begin();
  };
  std::stable_sort(extras.begin(), extras.end(), [&](const auto & a, const auto & b) {
    return placeOf(a) < placeOf(b);
  });
  std::vector<std::string> quoted;
  std::string              hint;
  for (const std::string & text : extras)
  {
    quoted.push_back(Quoted(text));
    hint = hint.empty() ? HintOnExtra(text, command) : hint;
  }
  return ListOf(quoted) + (extras.size() == 1 ? " is" : " are") + " not expected: `" +
         UsageOf(*command.app, command.name) + "`" + hint;
}

std::string
UsageOf(const CLI::App & command, const std::string & name)
{
  std::string arguments;
  std::string options;
  for (const CLI::Option * const option : command.get_options())
  {
    if (option->get_positional())
    {
      const std::string place = option->get_name(true, false) + (option->get_items_expected_max() > 1 ? "..." : "");
      arguments += option->get_required() ? " " + place : " [" + place + "]";
    }
    else if (option->get_required())
    {
      options += " " + TypedName(*option);
    }
  }
  return name + arguments + options + (CommandNames(command).empty() ? "" : " COMMAND ...");
}

std::string
FindMissingValue(const CLI::App & app, const std::vector<std::string> & arguments)
{
  const CLI::App * command = &app;
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i)
  {
    if (const CLI::App * const next = FindCommand(*command, arguments[i]))
    {
      command = next;
      continue;
    }
    const auto find = [&](const std::string & text) {
      return text[0] == '-' ? command->get_option_no_throw(text) : nullptr;
    };
    const CLI::Option * const option = find(arguments[i]);
    const int                 needed = option == nullptr ? 0 : option->get_items_expected_min();
    for (int k = 0; k < needed && i + 1 < arguments.size(); ++k)
    {
      ++i;
      if (find(arguments[i]) != nullptr)
      {
        return arguments[i - 1 - static_cast<std::size_t>(k)] + " needs " + ValuesOf(*option) + ", and the option " +
               arguments[i] + " stands there";
      }
    }
  }
  return {};
}

std::string
DescribeArgumentFault(const CLI::App & app, const CLI::ParseError & error, const std::vector<std::string> & arguments)
{
  const CommandOfArguments  command = CommandOf(app, arguments);
  const std::string         message = error.what();
  const CLI::Option * const option = command.app->get_option_no_throw(message.substr(0, message.find_first_of(": ")));
  const std::string         missing = FindMissingValue(app, arguments);
  std::string               text = message;
  if (!missing.empty())
  {
    // Other faults come from it.
    text = missing;
  }
  else if (dynamic_cast<const CLI::RequiredError *>(&error) != nullptr)
  {
    const std::string commands = ListOf(CommandNames(*command.app));
    const bool        isEnded = std::find(arguments.begin(), arguments.end(), "--") != arguments.end();
    text = commands.empty() ? DescribeMissing(command)
                            : "a command is required after `" + command.name + "`" + (isEnded ? ", before `--`" : "") +
                                "; there are " + commands;
  }
  else if (dynamic_cast<const CLI::ArgumentMismatch *>(&error) != nullptr && option != nullptr)
  {
    const bool isTooMuch = message.find("At Most") != std::string::npos;
    text = option->get_name() + (isTooMuch ? " is given more than once; give it once" : " needs " + ValuesOf(*option));
  }
  else if (dynamic_cast<const CLI::ExtrasError *>(&error) != nullptr)
  {
    text = DescribeExtras(app.remaining(true), command, arguments);
  }
  else if (dynamic_cast<const CLI::ExcludesError *>(&error) != nullptr)
  {
    text = message + "; use only one of them";
  }
  else if (dynamic_cast<const CLI::ConversionError *>(&error) != nullptr && message.find(" = ") != std::string::npos)
  {
    const std::size_t begin = message.find(": ") + 2;
    const std::size_t sign = message.find(" = ");
    text = message.substr(begin, sign - begin) + ": " + Quoted(message.substr(sign + 3)) + " is not a valid value";
  }
  else if (dynamic_cast<const CLI::RequiresError *>(&error) != nullptr)
  {
    const std::string needs = " requires ";
    text.replace(text.find(needs), needs.size(), " has no effect without ");
  }
  return text + "; see `" + command.name + " --help`";
}

} // namespace brickccl::cli
