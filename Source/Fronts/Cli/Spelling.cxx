// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Spelling.h"

#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/Printable.h"

#include <algorithm>
#include <cctype>

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

CLI::Validator
OneOf(const std::vector<std::string> & names)
{
  std::string list;
  for (const std::string & name : names)
  {
    list += (list.empty() ? "" : name == names.back() ? " or " : ", ") + name;
  }
  return CLI::Validator(
    [names, list](std::string & text) {
      if (std::find(names.begin(), names.end(), text) != names.end())
      {
        return std::string();
      }
      return Quoted(text) + " is not " + list + DidYouMean(text, names);
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

namespace
{

/** A suggestion for an option that a command lacks. */
std::string
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

} // namespace

std::string
FindMisspelled(const CLI::App & app, const std::vector<std::string> & arguments)
{
  const CLI::App * command = &app;
  std::string      fullName = app.get_name();
  for (const std::string & argument : arguments)
  {
    if (argument == "--")
    {
      break;
    }
    const bool isLong = argument.size() > 2 && argument.compare(0, 2, "--") == 0 &&
                        std::isalpha(static_cast<unsigned char>(argument[2])) != 0;
    const bool isShort =
      argument.size() == 2 && argument[0] == '-' && std::isalpha(static_cast<unsigned char>(argument[1])) != 0;
    const bool isOption = isLong || isShort;
    if (isOption)
    {
      const std::vector<std::string> known = OptionNames(*command);
      const std::string              name = argument.substr(0, argument.find('='));
      if (std::find(known.begin(), known.end(), name) == known.end())
      {
        return Quoted(name) + " is not an option of `" + fullName + "`" + HintOnOption(name, *command) + "; see `" +
               fullName + " --help`";
      }
    }
    else if (!argument.empty() && argument[0] != '-')
    {
      const auto commands = command->get_subcommands([](const CLI::App *) { return true; });
      if (commands.empty())
      {
        continue;
      }
      const auto found = std::find_if(commands.begin(), commands.end(), [&](const CLI::App * one) {
        return one->get_name() == argument;
      });
      if (found == commands.end())
      {
        std::vector<std::string> names;
        std::string              list;
        for (const CLI::App * const one : commands)
        {
          names.push_back(one->get_name());
          list += (list.empty() ? "" : ", ") + one->get_name();
        }
        return Quoted(argument) + " is not a command" + DidYouMean(argument, names) + "; there are " + list +
               "; see `" + fullName + " --help`";
      }
      command = *found;
      fullName += " " + argument;
    }
  }
  return {};
}

} // namespace brickccl::cli
