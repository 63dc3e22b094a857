// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/RunApp.h"

#include "BrickCCL/Core/Version.h"
#include "BrickCCL/Job/Parameters.h"

#include <algorithm>
#include <iostream>
#include <iterator>
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

/** The groups of options in the order of work, with the options that are not parameters of a job or have another group
 * in a command. */
constexpr std::pair<const char *, const char *> Groups[] = {
  { "The phantom", "seed density grain noise blur rings hardening phantom:size phantom:spacing" },
  { "The truth", "truth" },
  { job::group::Reading, "" },
  { "The part that is cut out", "component each crop:labels only margin crop:box crop:cylinder crop:sphere crop:mask" },
  { job::group::Labeled, "range-from range-to steps pores-are-air" },
  { job::group::Joined, "" },
  { job::group::Kept, "where labels keep remove values" },
  { "The split", "split-height split-by split-seeds curve" },
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
    "list-columns-markdown masks nan resample merge:output overlap" },
  { "The report", "report report-field pdf xlsx" },
  { job::group::Running, "jobs resume dry-run record" },
  { "Help", "formats help help-all version" },
};

/** The help of a command: the options that most jobs need, if `--help` shows these only, and what ends it. */
struct CommandHelp
{
  const char * name;
  const char * mainOptions;
  const char * examples;
};

constexpr CommandHelp Commands[] = {
  { "brickccl",
    "",
    "  brickccl info part.nrrd\n"
    "  brickccl label part.nrrd pores.nrrd --pores --statistics pores.csv\n\n"
    "Help on a command: brickccl label --help\n"
    "File formats:      brickccl info --formats\n"
    "Manual:            brickccl manual | man -l -\n" },
  { "label",
    "pores threshold range mask box connectivity minimum-volume largest fill-holes statistics print picture spacing "
    "memory",
    "  brickccl label part.nrrd pores.nrrd --pores --statistics pores.csv\n"
    "  brickccl label scan.nii.gz bone.nii.gz --threshold 200 --largest 1\n" },
  { "stats",
    "output print intensity part columns sort top units histogram plot picture spacing",
    "  brickccl stats labels.nrrd --intensity scan.nrrd --print --top 10\n"
    "  brickccl stats labels.nrrd -o t.csv --histogram volume_mm3 --plot sizes.svg\n"
    "  brickccl stats segmentations/ --intensity ct.nii.gz -o organs.csv\n" },
  { "select",
    "where keep remove keep-labels statistics columns intensity part print picture",
    "  brickccl select pores.nrrd ragged.nrrd \\\n"
    "    --where \"volume_mm3 > 2 and sphericity < 0.6\" --keep\n" },
  { "clean",
    "values minimum-volume minimum-size largest fill-holes connectivity background spacing",
    "  brickccl clean segmentation.nrrd cleaned.nrrd --largest 1 --fill-holes\n" },
  { "split",
    "split-height split-by split-seeds curve connectivity by-slice statistics print spacing",
    "  brickccl label scan.nrrd powder.nrrd --threshold otsu\n"
    "  brickccl split powder.nrrd grains.nrrd --statistics grains.csv\n" },
  { "merge", "output overlap names spacing", "  brickccl merge segmentations/ -o organs.seg.nrrd\n" },
  { "distance", "", "  brickccl distance mask.nrrd depth.nrrd\n" },
  { "thickness",
    "threshold limit histogram picture spacing",
    "  brickccl thickness part.nrrd walls.nrrd --threshold iso50 --limit 2 \\\n"
    "    --picture walls.png\n" },
  { "morph",
    "open close dilate erode by-slice spacing",
    "  brickccl morph mask.nrrd smooth.nrrd --open 0.3\n"
    "  brickccl morph cells.nrrd grown.nrrd --dilate 2um\n" },
  { "crop",
    "box component each labels only margin downsample",
    "  brickccl crop scan.nrrd corner.nrrd --box 0,0,0,99,99,49\n"
    "  brickccl crop scan.nrrd pore.nrrd --labels pores.nrrd --each --margin 5\n" },
  { "sweep",
    "range-from range-to steps below output plot connectivity spacing",
    "  brickccl sweep scan.nrrd --range-from 200 --range-to 600 --steps 41 \\\n"
    "    -o curve.csv --plot curve.png\n" },
  { "mesh",
    "iso intensity columns smooth where labels one-file-each spacing",
    "  brickccl mesh pores.nrrd pores.stl --smooth 20 --where \"volume_mm3 > 1\"\n"
    "  brickccl mesh pores.nrrd pores.ply --iso iso50 --intensity scan.nrrd\n" },
  { "render",
    "style color-by size patient intensity part where labels",
    "  brickccl render pores.nrrd pores.png --intensity scan.nrrd\n"
    "  brickccl render pores.nrrd pores.png --style surface --color-by volume_mm3\n" },
  { "info", "mask box downsample spacing raw formats json", "  brickccl info scan.nrrd\n  brickccl info --formats\n" },
  { "view",
    "recipe downsample spacing raw no-browser port",
    "  brickccl view scan.nrrd\n  brickccl view scan.nrrd pores.nrrd\n\n"
    "Nothing leaves the computer. For a scan on another one, run this on yours:\n"
    "  ssh -L 8000:127.0.0.1:8000 HOST \\\n"
    "    brickccl view scan.nrrd --no-browser --port 8000\n" },
  { "phantom",
    "size spacing seed truth",
    "  brickccl phantom casting part.nrrd --truth truth.nrrd --spacing 0.1 0.1 0.1\n"
    "  brickccl phantom balls balls.nrrd --size 200 200 200 --density 0.3\n" },
  { "batch",
    "",
    "  brickccl batch casting-porosity scans/ -o results --report\n\n"
    "The exit code is 0 if every image was processed, whatever its verdict, and 3 if\n"
    "some have an error.\n" },
  { "recipe", "", "  brickccl recipe new casting-porosity -o casting.toml\n  brickccl recipe explain casting.toml\n" },
  { "report", "", "  brickccl report results\n" },
  { "score",
    "components class iou overlap minimum-size output spacing json",
    "  brickccl score pores.nrrd truth.nrrd --minimum-size 19 --json\n"
    "  brickccl score predictions/ truth/ --components --iou 0.5 -o scores.csv\n" },
  { "compare",
    "recipe align output tracks report",
    "  brickccl compare results-2025 results-2026 -o changes.csv\n"
    "  brickccl compare may.nrrd june.nrrd --recipe casting-porosity --align\n"
    "  brickccl compare may.nrrd june.nrrd july.nrrd --report changes.html\n\n"
    "The exit code is 0 if every item of both batches was compared, whatever changed,\n"
    "and 3 if some could not be: they have an error, no label map, or were changed\n"
    "after the batch.\n" },
  { "rerun",
    "",
    "  brickccl label part.nrrd pores.nrrd --pores --record run.json\n"
    "  brickccl rerun run.json\n\nThe exit code is 0 if all outputs are the same, and 1 if some differ.\n" },
  { "completion", "", "  source <(brickccl completion bash)\n" },
  { "manual", "", "  brickccl manual | man -l -\n" },
};

constexpr const char * ExitCodes =
  "Exit codes: 0 success; 1 error; 3 some images of a batch have errors or could\nnot be compared; 130 interrupted "
  "(Ctrl-C); 100 to 129 invalid arguments.\nWhatever the code, each output is complete or unchanged.";

const CommandHelp &
HelpOf(const CLI::App & command)
{
  static constexpr CommandHelp none = { "", "", "" };
  const auto * const found = std::find_if(std::begin(Commands), std::end(Commands), [&](const CommandHelp & one) {
    return command.get_name() == one.name;
  });
  return found == std::end(Commands) ? none : *found;
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

/** A title and the rows below it; nothing if there are none. */
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
  const bool          isShort = !isAll && help.mainOptions[0] != '\0';
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
            << "--help --version\" -- \"$word\"))\n"
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
    if (const char * const examples = HelpOf(command).examples; examples[0] != '\0')
    {
      std::cout << ".PP\n.nf\n" << ForManual(std::string("Examples:\n") + examples) << ".fi\n";
    }
  });
  std::cout << ".SH EXIT STATUS\n" << ForManual(ExitCodes) << '\n' << std::flush;
}

} // namespace

void
ArrangeHelp(CLI::App & app)
{
  const auto arrange = [](CLI::App & command, const std::string &) {
    const bool isShort = HelpOf(command).mainOptions[0] != '\0';
    command.formatter_fn(MakeHelp);
    command.set_help_flag("-h,--help", isShort ? "print the main options" : "print this help");
    command.set_help_all_flag("--help-all", "print all options with all details")
      ->group(isShort || command.get_parent() == nullptr ? "Options" : "");
    const auto assign = [&](const std::string & name, const char * group) {
      CLI::Option * const option = command.get_option_no_throw("--" + name);
      if (option != nullptr && option->get_group() == "Options")
      {
        option->group(group);
      }
    };
    for (const auto & [group, names] : Groups)
    {
      for (const std::string & name : job::WordsOf(names))
      {
        const std::size_t colon = name.find(':');
        if (colon == std::string::npos || name.substr(0, colon) == command.get_name())
        {
          assign(name.substr(colon + 1), group);
        }
      }
    }
    for (const job::Parameter & parameter : job::Parameters())
    {
      assign(parameter.option, parameter.group);
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
