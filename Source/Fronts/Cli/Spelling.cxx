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
    const auto isLetter = [&](std::size_t place) {
      return place < argument.size() && std::isalpha(static_cast<unsigned char>(argument[place])) != 0;
    };
    if (argument == "--")
    {
      break;
    }
    if ((argument.rfind("--", 0) == 0 && isLetter(2)) || (argument.size() == 2 && argument[0] == '-' && isLetter(1)))
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
      std::vector<std::string> names;
      std::string              list;
      for (const CLI::App * const one : command->get_subcommands([](const CLI::App *) { return true; }))
      {
        names.push_back(one->get_name());
        list += (list.empty() ? "" : ", ") + one->get_name();
      }
      const CLI::App * const next = FindCommand(*command, argument);
      if (next == nullptr && !names.empty())
      {
        return Quoted(argument) + " is not a command" + DidYouMean(argument, names) + "; there are " + list +
               "; see `" + fullName + " --help`";
      }
      command = next == nullptr ? command : next;
      fullName += next == nullptr ? "" : " " + argument;
    }
  }
  return {};
}

} // namespace brickccl::cli
