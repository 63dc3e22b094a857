// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Help.h"

#include "BrickCCL/Cli/Spelling.h"
#include "BrickCCL/Core/Version.h"
#include "BrickCCL/Job/Parameters.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace brickccl::cli
{

namespace
{

/** The tasks of options that are not parameters of a job, and of options that have another one in a command. */
constexpr std::pair<const char *, const char *> Tasks[] = {
  { "The phantom",
    "seed density grain noise blur rings hardening diameters family level subdivisions parameter phantom:size "
    "phantom:spacing" },
  { "The truth", "truth truth-labels sizes" },
  { job::group::Labeled, "range-from range-to steps" },
  { job::group::Kept, "where labels keep remove values" },
  { job::group::LabelMap, "keep-labels" },
  { "The mesh", "one-file-each mesh:smooth mesh:ras" },
  { "The comparison", "overlap different-recipes" },
  { "The picture", "pictures style color-by render:size patient" },
  { "Output", "mesh:output render:output batch:output" },
  { job::group::Table,
    "stats:output sweep:output compare:output histogram bins log weights plot list-columns list-columns-markdown" },
  { job::group::Running, "jobs report dry-run" },
};

const std::vector<std::pair<const char *, const char *>> &
Examples()
{
  static const std::vector<std::pair<const char *, const char *>> examples = {
    { "label",
      "  brickccl label part.nrrd pores.nrrd --pores --statistics pores.csv\n"
      "  brickccl label scan.nii.gz bone.nii.gz --threshold 200 --largest 1 --connectivity full" },
    { "stats", "  brickccl stats labels.nrrd --intensity scan.nrrd --print --top 10" },
    { "select", "  brickccl select pores.nrrd ragged.nrrd --where \"volume_mm3 > 2 and sphericity < 0.6\" --keep" },
    { "batch",
      "  brickccl batch casting-porosity scans/ -o results --report\n"
      "The exit code is 0 if every image was processed, whatever its verdict, and 3 if some have an error." },
    { "recipe", "  brickccl recipe new casting-porosity -o casting.toml" },
    { "compare",
      "  brickccl compare results-2025 results-2026 -o changes.csv\n"
      "The exit code is 0 if every item of both batches was compared, whatever changed, and 3 if some could not be:\n"
      "they have an error, no label map, or were changed after the batch." },
    { "score", "  brickccl score pores.nrrd truth.nrrd --minimum-size 19 --json" },
    { "mesh", "  brickccl mesh pores.nrrd pores.stl --smooth 20 --where \"volume_mm3 > 1\"" },
    { "render",
      "  brickccl render pores.nrrd --style surface --part part-mask.nrrd --color-by volume_mm3 -o pores.png" },
    { "clean", "  brickccl clean segmentation.nrrd cleaned.nrrd --largest 1 --fill-holes" },
    { "sweep", "  brickccl sweep scan.nrrd --range-from 200 --range-to 600 --steps 41 -o curve.csv --plot curve.png" },
    { "report", "  brickccl report results" },
    { "info", "  brickccl info scan.nrrd" },
    { "phantom", "  brickccl phantom casting part.nrrd --truth truth.nrrd --spacing 0.1 0.1 0.1" },
    { "completion", "  source <(brickccl completion bash)" },
    { "manual", "  brickccl manual | man -l -" },
  };
  return examples;
}

constexpr const char * ExitCodes =
  "Exit codes: 0 success; 1 error; 3 some images of a batch have errors or could not be compared; 130 interrupted\n"
  "(Ctrl-C); 100 to 129 invalid arguments. Whatever the code, each output is complete or unchanged.";

/** Names of values say how many there are. An argument that is an option as well is stated once, as an option. */
class HelpFormatter : public CLI::Formatter
{
public:
  std::string
  make_positionals(const CLI::App * app) const override
  {
    const auto options =
      app->get_options([](const CLI::Option * option) { return option->get_positional() && !option->nonpositional(); });
    return options.empty() ? "" : make_group(get_label("Positionals"), true, options);
  }

  std::string
  make_option_name(const CLI::Option * option, bool isPositional) const override
  {
    const std::string name = CLI::Formatter::make_option_name(option, isPositional);
    return isPositional || !option->get_positional() ? name : option->get_name(true) + " or " + name;
  }

  std::string
  make_option_opts(const CLI::Option * option) const override
  {
    std::string text = CLI::Formatter::make_option_opts(option);
    if (const auto place = text.find(" Excludes:"); place != std::string::npos)
    {
      text.replace(place, std::string(" Excludes:").size(), " (not together with");
      const auto end = std::min(text.find(" Needs:", place), text.size());
      text.insert(end, ")");
    }
    const std::string count = " x " + std::to_string(option->get_expected_min());
    if (const auto place = text.find(count); option->get_expected_min() > 1 && place != std::string::npos)
    {
      text.erase(place, count.size());
    }
    return text;
  }
};

void
PrintCompletion(const CLI::App & app, const std::string & shell)
{
  std::string commands;
  std::string cases;
  for (const CLI::App * const command : app.get_subcommands([](const CLI::App *) { return true; }))
  {
    commands += (commands.empty() ? "" : " ") + command->get_name();
    std::string options;
    for (const std::string & name : OptionNames(*command))
    {
      options += (options.empty() ? "" : " ") + name;
    }
    cases += "    " + command->get_name() + ") options=\"" + options + "\" ;;\n";
  }
  if (shell == "zsh")
  {
    std::cout << "autoload -U +X bashcompinit && bashcompinit\n";
  }
  std::cout << "_brickccl()\n"
               "{\n"
               "  local word=\"${COMP_WORDS[COMP_CWORD]}\" options=\"\"\n"
               "  COMPREPLY=()\n"
               "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
               "    COMPREPLY=($(compgen -W \""
            << commands
            << " --help --version\" -- \"$word\"))\n"
               "    return\n"
               "  fi\n"
               "  case \"${COMP_WORDS[1]}\" in\n"
            << cases
            << "  esac\n"
               "  case \"$word\" in\n"
               "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
               "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
               "  esac\n"
               "}\n"
               "complete -o filenames -F _brickccl brickccl\n"
            << std::flush;
}

/** A text as the man page needs it: dashes as such, and no line that begins with a sign of troff's. */
std::string
ForManual(const std::string & text)
{
  std::string escaped;
  for (const char letter : text)
  {
    escaped += letter == '-' ? "\\-" : letter == '\\' ? "\\e" : std::string(1, letter);
    if (letter == '\n')
    {
      escaped += "\\&";
    }
  }
  return "\\&" + escaped;
}

/** What an option is, and what else there is to say. */
std::string
DescriptionOf(const CLI::Option & option)
{
  const bool   isParameter = !option.get_positional() && !option.get_lnames().empty();
  const auto * parameter = isParameter ? job::FindParameter(option.get_lnames().front()) : nullptr;
  const bool   isSame = parameter != nullptr && parameter->help == option.get_description() && !parameter->more.empty();
  return option.get_description() + (isSame ? ". " + parameter->more : "");
}

void
PrintManual(const CLI::App & app)
{
  std::cout << ".TH BRICKCCL 1 \"\" \"BrickCCL " << Version << "\" \"User Commands\"\n.SH NAME\nbrickccl \\- "
            << ForManual("connected components of CT and medical volumes, labeled and measured")
            << "\n.SH SYNOPSIS\n.B brickccl\nCOMMAND [ARGUMENTS]\n";
  for (const CLI::App * const command : app.get_subcommands([](const CLI::App *) { return true; }))
  {
    std::cout << ".SH BRICKCCL " << ForManual(command->get_name()) << '\n'
              << ForManual(command->get_description()) << '\n';
    for (const CLI::Option * const option : command->get_options())
    {
      const bool hasValue = option->get_type_size() != 0 && !option->get_positional();
      std::cout << ".TP\n.B " << ForManual(option->get_name(option->get_positional(), true))
                << (hasValue ? " " + ForManual(option->get_type_name()) : "") << '\n'
                << ForManual(DescriptionOf(*option)) << '\n';
    }
    if (!command->get_footer().empty())
    {
      std::cout << ".PP\n.nf\n" << ForManual(command->get_footer()) << "\n.fi\n";
    }
  }
  std::cout << ".SH EXIT STATUS\n" << ForManual(ExitCodes) << '\n' << std::flush;
}

} // namespace

void
ArrangeHelp(CLI::App & app)
{
  app.footer(ExitCodes);
  const auto formatter = std::make_shared<HelpFormatter>();
  for (CLI::App * const command : app.get_subcommands([](CLI::App *) { return true; }))
  {
    command->formatter(formatter);
    const auto group = [&](const std::string & name, const char * task) {
      CLI::Option * const option = command->get_option_no_throw("--" + name);
      if (option != nullptr && option->get_group() == "Options")
      {
        option->group(task);
      }
    };
    for (const auto & [task, names] : Tasks)
    {
      for (const std::string & name : job::WordsOf(names))
      {
        const std::size_t colon = name.find(':');
        if (colon == std::string::npos || name.substr(0, colon) == command->get_name())
        {
          group(name.substr(colon == std::string::npos ? 0 : colon + 1), task);
        }
      }
    }
    for (const job::Parameter & parameter : job::Parameters())
    {
      group(parameter.option, parameter.group);
    }
    const auto found = std::find_if(Examples().begin(), Examples().end(), [&](const auto & example) {
      return command->get_name() == example.first;
    });
    if (found != Examples().end())
    {
      command->footer(std::string("Example:\n") + found->second);
    }
  }
}

void
AddHelpCommands(CLI::App & app)
{
  auto       shell = std::make_shared<std::string>();
  CLI::App * command =
    app.add_subcommand("completion", "Print a script that completes commands and options in a shell");
  command->add_option("SHELL", *shell, "bash or zsh")->required()->check(OneOf({ "bash", "zsh" }));
  command->callback([&app, shell] { PrintCompletion(app, *shell); });
  app.add_subcommand("manual", "Print the manual as a man page: `brickccl manual | man -l -`")->callback([&app] {
    PrintManual(app);
  });
}

} // namespace brickccl::cli
