// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/RunApp.h"

#include "BrickCCL/Core/Version.h"
#include "BrickCCL/Job/Parameters.h"

#include <algorithm>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace brickccl::cli
{

namespace
{

#include "HelpTexts.inc"

/** The groups of options in the order of work, with options that are not of jobs or have another group. */
constexpr std::pair<const char *, const char *> Groups[] = {
  { "The phantom", "seed density grain noise blur rings hardening diameters phantom:size phantom:spacing" },
  { "The truth", "truth" },
  { job::group::Reading, "" },
  { "The part that is cut out", "component each crop:labels only margin crop:box crop:cylinder crop:sphere crop:mask" },
  { job::group::Labeled, "range-from range-to steps pores-are-air" },
  { job::group::Joined, "" },
  { job::group::Kept, "where labels keep remove values" },
  { "The split", "split split-height split-by split-seeds curve" },
  { "The operation", "morph:open morph:close morph:dilate morph:erode" },
  { job::group::Holes, "" },
  { job::group::LabelMap, "keep-labels" },
  { "Output", "batch:output new:output schema:options limit thickness:histogram thickness:picture" },
  { "The mesh", "iso one-file-each mesh:smooth mesh:ras triangles mesh:color-by" },
  { "The comparison",
    "overlap components class iou compare:recipe align transform tracks different-recipes least-change" },
  { "The picture", "style color-by render:size patient" },
  { "The page", "recipe no-browser port linger embed-in" },
  { job::group::Table,
    "stats:output sweep:output compare:output score:output histogram bins log weights plot list-columns "
    "list-columns-markdown masks resample merge:output overlap" },
  { "The report", "report report-field pdf xlsx" },
  { job::group::Running, "jobs resume dry-run record" },
  { "Help", "formats help help-all version" },
};

/** The help of a command (Help.txt): the options that most jobs need, if `--help` shows these only, and its end. */
struct CommandHelp
{
  std::string mainOptions;
  std::string examples;
};

constexpr const char * ExitCodes =
  "Exit codes: 0 success; 1 error; 3 some images of a batch have errors or could\nnot be compared; 130 interrupted "
  "(Ctrl-C); 100 to 129 invalid arguments.\nWhatever the code, each output is complete or unchanged.";

std::map<std::string, CommandHelp>
HelpOfCommands()
{
  std::map<std::string, CommandHelp> commands;
  std::istringstream                 lines(Help_txt);
  for (std::string line, name; std::getline(lines, line);)
  {
    const bool isName = line[0] == '[';
    const bool isMain = line.rfind("main ", 0) == 0;
    name = isName ? line.substr(1, line.size() - 2) : name;
    commands[name].mainOptions += isMain ? line.substr(4) : "";
    commands[name].examples += isName || isMain ? "" : line + '\n';
  }
  return commands;
}

const CommandHelp &
HelpOf(const CLI::App & command)
{
  static const auto        all = HelpOfCommands();
  static const CommandHelp none;
  const auto               found = all.find(command.get_name());
  return found == all.end() ? none : found->second;
}

/** Calls the function with each command below an app, and with its full name: "recipe", "recipe new". */
template <typename App, typename Function>
void
ForEachCommand(App & app, const Function & function, const std::string & before = "")
{
  for (auto * const command : app.get_subcommands([](const CLI::App *) { return true; }))
  {
    function(*command, before + command->get_name());
    ForEachCommand(*command, function, before + command->get_name() + " ");
  }
}

/** A text in which tabs lead to a column, in lines of at most 80 characters. */
std::string
InColumns(const std::string & text)
{
  std::vector<std::pair<std::string, std::string>> rows;
  std::size_t                                      column = 0;
  std::istringstream                               lines(text);
  for (std::string line; std::getline(lines, line);)
  {
    const std::size_t tab = line.find('\t');
    column = tab == std::string::npos ? column : std::max(column, std::min<std::size_t>(tab + 2, 28));
    rows.emplace_back(line.substr(0, tab), line.substr(std::min(tab, line.size())));
  }
  std::string all;
  for (auto [line, rest] : rows)
  {
    for (const std::string & word : job::WordsOf(rest))
    {
      const bool isFirst = line.size() <= column;
      if (isFirst ? line.size() + 2 > column && !line.empty() : line.size() + 1 + word.size() > 80)
      {
        all += line + '\n';
        line.clear();
      }
      line.resize(std::max(line.size() + 1, column), ' ');
      line += word;
    }
    all += line + '\n';
  }
  return all;
}

std::string
Section(const std::string & title, const std::string & rows)
{
  return rows.empty() ? "" : '\n' + title + ":\n" + rows;
}

/** "-o, --output FILE", "INPUT...", "OUTPUT or -o FILE". */
std::string
NameOf(const CLI::Option & option)
{
  if (option.get_positional())
  {
    return option.get_name(true, false) + (option.get_items_expected_max() > 1 ? "..." : "") +
           (option.nonpositional() ? " or -" + option.get_snames().front() + " FILE" : "");
  }
  const std::string letter = option.get_snames().empty() ? "" : "-" + option.get_snames().front() + ", ";
  return letter + "--" + option.get_lnames().front() +
         (option.get_items_expected_max() > 0 ? " " + option.get_type_name() : "");
}

/** A description with the default and what the option needs and excludes, and the details behind its line break. */
std::string
DetailsOf(const CLI::Option & option)
{
  const std::string & text = option.get_description();
  const std::string   preset = option.get_expected_min() == 0 ? "" : option.get_default_str();
  std::string         notes = preset.empty() || text.find("default") != std::string::npos ? "" : "; default: " + preset;
  const auto          tie = [&](const std::set<CLI::Option *> & others, const char * before) {
    std::set<std::string> names;
    for (const CLI::Option * const other : others)
    {
      names.insert(other->get_name());
    }
    for (const std::string & name : names)
    {
      notes += before + name;
      before = ", ";
    }
  };
  tie(option.get_needs(), "; needs ");
  tie(option.get_excludes(), "; not together with ");
  const std::size_t end = std::min(text.find('\n'), text.size());
  return text.substr(0, end) + (notes.empty() ? "" : " (" + notes.substr(2) + ")") +
         (end < text.size() ? ". " + text.substr(end + 1) : "");
}

std::string
MakeHelp(const CLI::App * command, const std::string & name, CLI::AppFormatMode mode)
{
  const CommandHelp & help = HelpOf(*command);
  const auto          commands = command->get_subcommands([](const CLI::App *) { return true; });
  const bool          isAll = mode == CLI::AppFormatMode::All;
  const bool          isShort = !isAll && !help.mainOptions.empty();
  const auto          rowOf = [&](const CLI::Option & option) {
    const std::string & text = option.get_description();
    return "  " + NameOf(option) + '\t' + (isShort ? text.substr(0, text.find('\n')) : DetailsOf(option)) + '\n';
  };
  std::string rows;
  for (const CLI::App * const one : commands)
  {
    rows += "  " + one->get_name() + '\t' + one->get_description() + '\n';
  }
  std::string text = command->get_description() +
                     "\n\nUsage: " + UsageOf(*command, name + (commands.empty() ? " [OPTIONS]" : "")) + '\n' +
                     Section("Commands", rows);
  rows.clear();
  for (const CLI::Option * const option : command->get_options())
  {
    rows += option->get_positional() ? rowOf(*option) : "";
  }
  text += Section("Arguments", rows);
  rows.clear();
  const auto mainOptions = job::WordsOf(help.mainOptions);
  for (const std::string & one : mainOptions)
  {
    rows += rowOf(*command->get_option("--" + one));
  }
  const std::string examples = Section("Examples", help.examples);
  text += isShort ? Section("Main options", rows) + examples : "";
  std::string more;
  for (const auto & [group, unused] : Groups)
  {
    std::string others;
    rows.clear();
    for (const CLI::Option * const option : command->get_options())
    {
      if (option->get_group() == group && !option->get_positional())
      {
        const std::string & longName = option->get_lnames().front();
        rows += rowOf(*option);
        others += std::count(mainOptions.begin(), mainOptions.end(), longName) > 0 ? "" : " --" + longName;
      }
    }
    text += isShort ? "" : Section(group, rows);
    more += others.empty() || group == std::string("Help") ? "" : std::string("  ") + group + '\t' + others + '\n';
  }
  text += isShort ? Section("More options, explained by `" + name + " --help-all`", more) +
                      "\nFile formats: brickccl info --formats. Manual: brickccl manual | man -l -.\n"
                  : examples;
  text = InColumns(text + (command->get_footer().empty() ? "" : '\n' + command->get_footer() + '\n'));
  for (const CLI::App * const one : isAll ? commands : std::vector<const CLI::App *>())
  {
    text += '\n' + std::string(80, '_') + "\n\n" + MakeHelp(one, name + " " + one->get_name(), mode);
  }
  return text;
}

void
PrintCompletion(const CLI::App & app, const std::string & shell)
{
  std::map<std::string, std::string> options;
  ForEachCommand(app, [&](const CLI::App & command, const std::string & name) {
    for (const std::string & option : OptionNames(command))
    {
      options[name.substr(0, name.find(' '))] += option + " ";
    }
  });
  std::string commands;
  std::string cases;
  for (const auto & [command, names] : options)
  {
    commands += command + " ";
    cases += "    " + command + ") options=\"" + names + "\" ;;\n";
  }
  std::string script = Completion_txt;
  script.replace(script.find("ALL_COMMANDS"), std::strlen("ALL_COMMANDS"), commands);
  script.replace(script.find("ALL_CASES"), std::strlen("ALL_CASES"), cases);
  std::cout << (shell == "zsh" ? "autoload -U +X bashcompinit && bashcompinit\n" : "") << script << std::flush;
}

/** A text as the man page needs it: dashes as such, and no line that begins with a sign of troff's. */
std::string
ForManual(const std::string & text)
{
  std::string escaped;
  for (const char letter : text)
  {
    escaped += letter == '-' ? "\\-" : letter == '\\' ? "\\e" : std::string(1, letter);
    escaped += letter == '\n' ? "\\&" : "";
  }
  return "\\&" + escaped;
}

void
PrintManual(const CLI::App & app)
{
  std::cout << ".TH BRICKCCL 1 \"\" \"BrickCCL " << Version << "\" \"User Commands\"\n.SH NAME\nbrickccl \\- "
            << ForManual("connected components of CT and medical volumes, labeled and measured")
            << "\n.SH SYNOPSIS\n.B brickccl\nCOMMAND [ARGUMENTS]\n";
  ForEachCommand(app, [](const CLI::App & command, const std::string & name) {
    std::cout << ".SH BRICKCCL " << ForManual(name) << '\n' << ForManual(command.get_description()) << '\n';
    for (const CLI::Option * const option : command.get_options())
    {
      std::cout << ".TP\n.B " << ForManual(NameOf(*option)) << '\n' << ForManual(DetailsOf(*option)) << '\n';
    }
    if (const std::string & examples = HelpOf(command).examples; !examples.empty())
    {
      std::cout << ".PP\n.nf\n" << ForManual("Examples:\n" + examples) << ".fi\n";
    }
  });
  std::cout << ".SH EXIT STATUS\n" << ForManual(ExitCodes) << '\n' << std::flush;
}

} // namespace

void
ArrangeHelp(CLI::App & app)
{
  // By the option, or by its command and the option.
  std::map<std::string, std::string> groups;
  for (const auto & [group, names] : Groups)
  {
    for (const std::string & name : job::WordsOf(names))
    {
      groups.emplace(name, group);
    }
  }
  for (const job::Parameter & parameter : job::Parameters())
  {
    groups.emplace(parameter.option, parameter.group);
  }
  const auto arrange = [&groups](CLI::App & command, const std::string &) {
    const bool isShort = !HelpOf(command).mainOptions.empty();
    command.formatter_fn(MakeHelp);
    command.set_help_flag("-h,--help", isShort ? "print the main options" : "print this help");
    command.set_help_all_flag("--help-all", "print all options with all details")
      ->group(isShort || command.get_parent() == nullptr ? "Options" : "");
    for (CLI::Option * const option : command.get_options())
    {
      for (const std::string & name : option->get_lnames())
      {
        for (const std::string & key : { command.get_name() + ":" + name, name })
        {
          const auto found = groups.find(key);
          option->group(found != groups.end() && option->get_group() == "Options" ? found->second
                                                                                  : option->get_group());
        }
      }
    }
  };
  arrange(app, {});
  ForEachCommand(app, arrange);
  app.footer(ExitCodes);
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
