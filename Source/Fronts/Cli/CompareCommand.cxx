// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/CompareBatches.h"
#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Cli/Commands.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace brickccl::cli
{

namespace
{

/** The exit code if an item that both batches were given could not be compared. */
constexpr int SomeNotCompared = 3;

struct CompareArguments : job::Job
{
  std::string           before;
  std::string           after;
  bool                  acceptsOtherRecipe = false;
  batch::CompareOptions options;
};

void
WriteComparison(std::ostream & stream, const std::vector<batch::ComparedItem> & items)
{
  const auto number = [](const std::optional<std::uint64_t> & label) {
    return label ? std::to_string(*label) : std::string();
  };
  stream << "item,change,label_1,label_2,voxel_count_1,voxel_count_2,common_voxels\n";
  for (const batch::ComparedItem & item : items)
  {
    for (const batch::ComparedDefect & defect : item.defects)
    {
      stream << batch::CsvCell(item.name) << ',' << batch::NameOf(defect.change) << ',' << number(defect.before) << ','
             << number(defect.after) << ',' << defect.voxelsBefore << ',' << defect.voxelsAfter << ','
             << defect.commonVoxels << '\n';
    }
  }
}

/** The number of defects of each change. */
std::map<std::string, std::size_t>
CountChanges(const batch::ComparedItem & item)
{
  std::map<std::string, std::size_t> counts;
  for (const batch::ComparedDefect & defect : item.defects)
  {
    ++counts[batch::NameOf(defect.change)];
  }
  return counts;
}

constexpr const char * Changes[] = { "same", "grown", "shrunk", "new", "vanished", "split", "merged" };

nlohmann::ordered_json
AsJson(const batch::ComparedItem & item)
{
  nlohmann::ordered_json described;
  described["item"] = item.name;
  if (!item.reason.empty())
  {
    described["not_compared"] = item.reason;
    return described;
  }
  const auto counts = CountChanges(item);
  for (const char * const change : Changes)
  {
    const auto found = counts.find(change);
    described[change] = found == counts.end() ? 0 : found->second;
  }
  described["defects"] = nlohmann::ordered_json::array();
  const auto labelOf = [](const std::optional<std::uint64_t> & label) {
    return label ? nlohmann::ordered_json(*label) : nlohmann::ordered_json();
  };
  for (const batch::ComparedDefect & defect : item.defects)
  {
    described["defects"].push_back({ { "change", batch::NameOf(defect.change) },
                                     { "label_1", labelOf(defect.before) },
                                     { "label_2", labelOf(defect.after) },
                                     { "voxel_count_1", defect.voxelsBefore },
                                     { "voxel_count_2", defect.voxelsAfter },
                                     { "common_voxels", defect.commonVoxels } });
  }
  return described;
}

void
PrintComparison(const CompareArguments & arguments, const std::vector<batch::ComparedItem> & items)
{
  if (arguments.json)
  {
    nlohmann::ordered_json all;
    all["items"] = nlohmann::ordered_json::array();
    for (const batch::ComparedItem & item : items)
    {
      all["items"].push_back(AsJson(item));
    }
    std::cout << JsonText(all) << std::endl;
    return;
  }
  for (const batch::ComparedItem & item : items)
  {
    std::cout << batch::OneLine(item.name) << ": ";
    if (!item.reason.empty())
    {
      std::cout << "not compared: " << batch::OneLine(item.reason) << '\n';
      continue;
    }
    const auto  counts = CountChanges(item);
    std::string text;
    for (const char * const change : Changes)
    {
      if (const auto found = counts.find(change); found != counts.end())
      {
        text += (text.empty() ? "" : ", ") + std::to_string(found->second) + " " + change;
      }
    }
    std::cout << (text.empty() ? "no defects" : text) << '\n';
  }
  std::cout.flush();
}

/** \throws InvalidArgument for a file in the folder of a batch, which holds only the batch's own files. */
void
CheckOutside(const std::string & output, const std::string & folder)
{
  namespace fs = std::filesystem;
  const auto     placeOf = [](const std::string & path) { return fs::weakly_canonical(fs::absolute(path)); };
  const fs::path way = placeOf(output).lexically_relative(placeOf(folder));
  if (!way.empty() && *way.begin() != "..")
  {
    throw InvalidArgument("cannot write a comparison to " + Quoted(output) + ": " + Quoted(folder) +
                          " is the folder of a batch; choose a file outside it");
  }
}

void
RunCompare(const CompareArguments & arguments)
{
  if (!arguments.output.empty())
  {
    if (ExtensionOf(arguments.output) != ".csv")
    {
      throw InvalidArgument("cannot write a comparison to " + Quoted(arguments.output) +
                            ": its extension must be .csv");
    }
    CheckOutside(arguments.output, arguments.before);
    CheckOutside(arguments.output, arguments.after);
    CheckWritable(arguments.output);
  }
  if (!arguments.acceptsOtherRecipe)
  {
    batch::CheckSameRecipe(arguments.before, arguments.after);
  }
  const auto items = batch::CompareBatches(arguments.before, arguments.after, arguments.options);
  if (!arguments.output.empty())
  {
    ReplaceTextFile(arguments.output, [&](std::ostream & stream) { WriteComparison(stream, items); });
  }
  PrintComparison(arguments, items);
  if (std::none_of(items.begin(), items.end(), [](const auto & item) { return item.reason.empty(); }))
  {
    throw Error("no item of " + Quoted(arguments.before) + " could be compared with one of " + Quoted(arguments.after));
  }
  const auto isFault = [](const auto & item) { return !item.reason.empty() && !item.isOfOneBatch; };
  if (std::any_of(items.begin(), items.end(), isFault))
  {
    throw CLI::RuntimeError(SomeNotCompared);
  }
}

} // namespace

void
AddCompareCommand(CLI::App & app)
{
  auto       arguments = std::make_shared<CompareArguments>();
  CLI::App * command = app.add_subcommand("compare", "Compare the defects of two batches: new, vanished, grown");
  command->add_option("OUTDIR1", arguments->before, "folder of the earlier batch")->required();
  command->add_option("OUTDIR2", arguments->after, "folder of the later batch, with items of the same names")
    ->required();
  command->add_option("-o,--output", arguments->output, "write a table with a row per defect: .csv")->type_name("FILE");
  command->add_flag("--different-recipes",
                    arguments->acceptsOtherRecipe,
                    "compare batches of different recipes; differences may then come from the recipes");
  command->add_flag("--json", arguments->json, "print all defects and their changes as one JSON object");
  command
    ->add_option("--least-change",
                 arguments->options.leastChange,
                 "share of voxels by which a defect must change to count as grown or shrunk")
    ->check(NumberFromZero())
    ->capture_default_str()
    ->type_name("SHARE");
  AddOptions(*command, *arguments, "threads");
  command->callback([arguments] {
    arguments->options.threads = arguments->threads;
    RunCompare(*arguments);
  });
}

} // namespace brickccl::cli
