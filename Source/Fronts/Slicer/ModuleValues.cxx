// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Slicer/RunModule.h"

#include "BrickCCL/Cli/FileOptions.h"
#include "BrickCCL/Cli/JobOptions.h"
#include "BrickCCL/Core/Error.h"

namespace brickccl::slicer
{

/** Accepts the numbers that a parameter allows. Whole ones are counts. */
static CLI::Validator
NumberOf(const ModuleParameter & parameter)
{
  const bool isCount = parameter.tag == "integer";
  const auto limit = [](const std::string & text, double none) {
    return text.empty() ? none : static_cast<double>(cli::ParseNumber(text, "constraints"));
  };
  return cli::Takes({ isCount ? job::Kind::Whole : job::Kind::Number,
                      limit(parameter.minimum, isCount ? 0 : -job::Unlimited),
                      limit(parameter.maximum, job::Unlimited) });
}

static const char *
TypeNameOf(const ModuleParameter & parameter)
{
  return parameter.IsFile()         ? "FILE"
       : parameter.tag == "integer" ? "INTEGER"
       : parameter.tag == "double"  ? "NUMBER"
       : parameter.choices.empty()  ? "TEXT"
                                    : "CHOICE";
}

static std::string
HelpOf(const ModuleParameter & parameter)
{
  return parameter.label + ". " + parameter.description;
}

void
ModuleValues::AddOption(CLI::App & app, const ModuleParameter & parameter)
{
  std::string & text = m_Texts[parameter.name];
  text = parameter.defaultValue;
  CLI::Option * option =
    app.add_option(parameter.index ? parameter.name : "--" + parameter.longFlag, text, HelpOf(parameter));
  option->type_name(TypeNameOf(parameter));
  if (parameter.index)
  {
    option->required();
    return;
  }
  option->group(parameter.group);
  if (!text.empty())
  {
    option->capture_default_str();
  }
  if (!parameter.choices.empty())
  {
    option->check(CLI::IsMember(parameter.choices));
  }
  else if (parameter.tag == "integer" || parameter.tag == "double")
  {
    option->check(NumberOf(parameter));
  }
}

void
ModuleValues::AddOptions(CLI::App & app, const ModuleDescription & module)
{
  // CLI11 identifies arguments without a flag by the order in which they are added.
  std::map<int, const ModuleParameter *> arguments;
  for (const ModuleParameter & parameter : module.parameters)
  {
    if (parameter.IsReturnValue())
    {
      continue;
    }
    if (parameter.index)
    {
      arguments[*parameter.index] = &parameter;
    }
    else if (parameter.tag == "boolean")
    {
      app.add_flag("--" + parameter.longFlag, m_Flags[parameter.name], HelpOf(parameter))->group(parameter.group);
    }
    else if (parameter.tag == "point" || parameter.tag == "region")
    {
      // One behind each flag, since what follows may be an argument without a flag.
      app.add_option("--" + parameter.longFlag, m_Points[parameter.name], HelpOf(parameter))
        ->group(parameter.group)
        ->type_name(parameter.tag == "point" ? "X,Y,Z" : "X,Y,Z,RX,RY,RZ")
        ->allow_extra_args(false);
    }
    else
    {
      AddOption(app, parameter);
    }
  }
  for (const auto & argument : arguments)
  {
    AddOption(app, *argument.second);
  }
}

double
ModuleValues::Number(const std::string & name) const
{
  return static_cast<double>(cli::ParseNumber(Text(name), name));
}

void
ModuleValues::CheckFiles(const ModuleDescription & module, const std::string & returnFile) const
{
  std::map<std::string, std::string> inputs;
  cli::NamedFiles                    all;
  for (const bool isOutput : { false, true })
  {
    for (const auto & [name, path] : m_Texts)
    {
      const ModuleParameter * const parameter = module.Find(name);
      if (!parameter->IsFile() || (parameter->channel == "output") != isOutput)
      {
        continue;
      }
      ThrowIf<InvalidArgument>(path.empty() && parameter->index,
                               "'" + parameter->label + "' (" + name + ") is empty; choose one");
      if (!isOutput)
      {
        inputs.emplace(path, parameter->label);
      }
      else if (!path.empty() && inputs.count(path) == 1)
      {
        throw InvalidArgument("'" + parameter->label + "' is the same as '" + inputs[path] + "' ('" + path +
                              "'); choose another one, because inputs are never overwritten");
      }
      all.emplace_back("'" + parameter->label + "'", path);
    }
  }
  // The command compares the others, also through links.
  cli::CheckOutputs(all, { { "--returnparameterfile", returnFile } });
}

void
ModuleValues::Echo(std::ostream & stream) const
{
  stream << "Command line arguments\n";
  for (const auto & [name, text] : m_Texts)
  {
    stream << "    " << name << ": " << text << '\n';
  }
  for (const auto & [name, isOn] : m_Flags)
  {
    stream << "    " << name << ": " << (isOn ? "true" : "false") << '\n';
  }
  for (const auto & [name, points] : m_Points)
  {
    stream << "    " << name << ':';
    for (const std::string & point : points)
    {
      stream << ' ' << point;
    }
    stream << '\n';
  }
  stream.flush();
}

} // namespace brickccl::slicer
