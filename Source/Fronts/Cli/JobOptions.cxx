// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/JobOptions.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Job/Parameters.h"

#include <algorithm>
#include <vector>

namespace brickccl::cli
{

using job::Kind;

/** Reads a value. \throws CLI::ValidationError that says what would be right. */
static bool
ReadValue(const std::string & name, const job::Form & form, const CLI::results_t & texts, job::Slot slot)
{
  job::ValueFault fault;
  try
  {
    fault = job::SetValue(form, texts, slot);
  }
  catch (const InvalidArgument & error)
  {
    throw CLI::ValidationError(name, error.what());
  }
  if (fault)
  {
    throw CLI::ValidationError(name, Quoted(fault.value) + " is not " + fault.right);
  }
  return true;
}

static std::string
DefaultOf(const job::Parameter & parameter)
{
  job::Job   none;
  const auto slot = job::SlotOf(none, parameter.member);
  const auto text = std::get_if<std::string *>(&slot);
  return text != nullptr ? **text : parameter.option == std::string("threads") ? std::to_string(none.threads) : "";
}

static void
AddOption(CLI::App & command, job::Job & job, const job::Parameter & parameter)
{
  const std::string name = std::string("--") + parameter.option;
  const auto        slot = job::SlotOf(job, parameter.member);
  const std::string description = parameter.help + (parameter.more.empty() ? "" : "\n" + parameter.more);
  const bool        mayBeEmpty = parameter.value[0] == '[';
  if (parameter.form.kind == Kind::Flag)
  {
    command.add_flag(name, *std::get<bool *>(slot), description);
    return;
  }
  CLI::Option * const option = command.add_option(
    name,
    [name, slot, form = &parameter.form](const CLI::results_t & texts) { return ReadValue(name, *form, texts, slot); },
    description);
  option->type_name(parameter.value)
    ->default_str(mayBeEmpty ? (name == "--split" ? "auto" : "inf") : DefaultOf(parameter));
  if (mayBeEmpty)
  {
    option->expected(0, 1);
  }
  if (parameter.form.isList)
  {
    option->join(';');
  }
  if (parameter.form.kind == Kind::Range)
  {
    // One option of two texts; the second one may also begin with a minus sign ("-inf").
    option->type_size(2)->expected(1)->allow_extra_args(false);
  }
  if (parameter.form.kind == Kind::Spacing)
  {
    option->expected(2, 4);
  }
}

static void
TieOption(CLI::App & command, const job::Parameter & parameter)
{
  CLI::Option * const option = command.get_option(std::string("--") + parameter.option);
  const auto          forEach = [&](const char * names, auto function) {
    for (const std::string & name : job::WordsOf(names))
    {
      CLI::Option * const other = command.get_option_no_throw(name == "OUTPUT" ? name : "--" + name);
      if (other != nullptr && !other->get_required())
      {
        function(other);
      }
    }
  };
  forEach(parameter.ties.needs, [&](CLI::Option * other) { option->needs(other); });
  forEach(parameter.ties.excludes, [&](CLI::Option * other) { option->excludes(other); });
  forEach(parameter.ties.needsWhole ? "memory" : "", [&](CLI::Option * other) { option->excludes(other); });
}

void
AddOptions(CLI::App & command, job::Job & job, const std::string & names)
{
  const auto                          words = job::WordsOf(names);
  std::vector<const job::Parameter *> added;
  for (const job::Parameter & parameter : job::Parameters())
  {
    const std::string option = parameter.option;
    if (!option.empty() && (names.empty() || std::count(words.begin(), words.end(), option) > 0))
    {
      AddOption(command, job, parameter);
      added.push_back(&parameter);
    }
  }
  for (const job::Parameter * const parameter : added)
  {
    TieOption(command, *parameter);
  }
}

CLI::Validator
Takes(const job::Form & form)
{
  return CLI::Validator(
    [form](std::string & text) {
      std::string           read = text;
      double                size = 0;
      const job::ValueFault fault =
        form.unit.empty() ? job::SetValue(form, { text }, &read) : job::SetValue(form, { text }, &size);
      text = form.unit.empty() || fault ? read : Shortest(size);
      return fault ? Quoted(fault.value) + " is not " + fault.right : std::string();
    },
    "");
}

CLI::Validator
AnyNumber()
{
  return CLI::Validator(
    [](std::string & text) {
      return job::NumberOf(text)
             ? std::string()
             : Quoted(text) + " is not a number, such as -0.5, inf or -inf" + job::HintOnNumber(text);
    },
    "");
}

Number
ParseNumber(const std::string & text, const std::string & option)
{
  const std::optional<Number> value = job::NumberOf(text);
  ThrowIf<InvalidArgument>(!value,
                           Quoted(text) + " for " + option + " is not a number, such as -0.5, inf or -inf" +
                             job::HintOnNumber(text));
  return *value;
}

} // namespace brickccl::cli
