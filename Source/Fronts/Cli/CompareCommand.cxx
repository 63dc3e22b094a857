// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/BatchFolder.h"
#include "BrickCCL/Batch/CompareBatches.h"
#include "BrickCCL/Batch/RecipeFile.h"
#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/Doubts.h"
#include "BrickCCL/Cli/RunLabel.h"
#include "BrickCCL/Files/Formats.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>

namespace brickccl::cli
{

namespace
{

/** The exit code if an item that both batches were given could not be compared. */
constexpr int SomeNotCompared = 3;

struct CompareArguments : job::Job
{
  std::vector<std::string> inputs;
  std::string              recipe;
  bool                     aligns = false;
  std::string              transform;
  bool                     acceptsOtherRecipe = false;
  batch::CompareOptions    options;
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
  if (item.motion)
  {
    described["alignment"] = { { "rotation", item.motion->rotation }, { "offset_mm", item.motion->offset } };
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
PrintComparison(const CompareArguments &                 arguments,
                const std::vector<batch::ComparedItem> & items,
                nlohmann::ordered_json                   all = {})
{
  if (arguments.json)
  {
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
RunBatches(const CompareArguments & arguments)
{
  if (arguments.inputs.size() != 2 || arguments.aligns || !arguments.recipe.empty() || !arguments.spacing.empty() ||
      !arguments.raw.empty() || !arguments.series.empty())
  {
    throw InvalidArgument(
      "two batches take no --recipe, --align or options of reading, scans and label maps no --different-recipes");
  }
  const std::string & before = arguments.inputs[0];
  const std::string & after = arguments.inputs[1];
  if (!arguments.output.empty())
  {
    CheckOutside(arguments.output, before);
    CheckOutside(arguments.output, after);
    CheckWritable(arguments.output);
  }
  if (!arguments.acceptsOtherRecipe)
  {
    batch::CheckSameRecipe(before, after);
  }
  const auto items = batch::CompareBatches(before, after, arguments.options);
  if (!arguments.output.empty())
  {
    ReplaceTextFile(arguments.output, [&](std::ostream & stream) { WriteComparison(stream, items); });
  }
  PrintComparison(arguments, items);
  if (std::none_of(items.begin(), items.end(), [](const auto & item) { return item.reason.empty(); }))
  {
    throw Error("no item of " + Quoted(before) + " could be compared with one of " + Quoted(after));
  }
  const auto isFault = [](const auto & item) { return !item.reason.empty() && !item.isOfOneBatch; };
  if (std::any_of(items.begin(), items.end(), isFault))
  {
    throw CLI::RuntimeError(SomeNotCompared);
  }
}

/** Writes a motion as a file that ITK reads. */
void
WriteTransform(std::ostream & stream, const RigidMotion & motion)
{
  stream << "#Insight Transform File V1.0\n#Transform 0\nTransform: AffineTransform_double_3_3\nParameters:";
  for (int i = 0; i < 9; ++i)
  {
    stream << ' ' << Shortest(motion.rotation[i / 3][i % 3]);
  }
  std::for_each(motion.offset, motion.offset + 3, [&](double x) { stream << ' ' << Shortest(x); });
  stream << "\nFixedParameters: 0 0 0\n";
}

void
RunScans(const CompareArguments & arguments)
{
  NamedFiles       inputs;
  const NamedFiles outputs = { { "--output", arguments.output }, { "--transform", arguments.transform } };
  for (const std::string & input : arguments.inputs)
  {
    inputs.emplace_back("SCAN", input);
  }
  if (!arguments.transform.empty() && (arguments.inputs.size() != 2 || ExtensionOf(arguments.transform) != ".tfm"))
  {
    throw InvalidArgument("--transform needs two scans and a file .tfm, not " +
                          Counted(arguments.inputs.size(), "scan") + " and " + Quoted(arguments.transform));
  }
  CheckFiles(arguments, inputs, outputs);
  for (const auto & [name, path] : outputs)
  {
    path.empty() ? void() : CheckWritable(path);
  }
  const auto  recipe = arguments.recipe.empty() ? batch::Recipe() : batch::ReadRecipe(arguments.recipe);
  Reporter    reporter(arguments.json);
  ImageReader reader(arguments, arguments.threads, reporter);
  const auto  readLabels = [&](const std::string & path) {
    LoadedImage labels = reader.Read(path, true);
    NoteGrayClasses(labels, reader, "scans are compared with --recipe RECIPE");
    return labels;
  };
  const auto       items = batch::CompareScans(arguments.inputs,
                                         { arguments.options,
                                           arguments.recipe.empty() ? nullptr : &recipe,
                                                 readLabels,
                                                 arguments.aligns,
                                                 HooksOf(reporter, reader) });
  ReplacedTogether together;
  if (!arguments.output.empty())
  {
    ReplaceTextFile(arguments.output, [&](std::ostream & stream) { WriteComparison(stream, items); });
  }
  if (!arguments.transform.empty())
  {
    ReplaceTextFile(arguments.transform, [&](std::ostream & stream) { WriteTransform(stream, *items[0].motion); });
  }
  together.Move();
  reporter.EndSteps();
  PrintComparison(arguments, items, { { "notes", reader.Notes() } });
}

void
RunCompare(const CompareArguments & arguments)
{
  if (!arguments.output.empty() && ExtensionOf(arguments.output) != ".csv")
  {
    throw InvalidArgument("cannot write a comparison to " + Quoted(arguments.output) + ": its extension must be .csv");
  }
  const std::string & first = arguments.inputs[0];
  const bool          areBatches = std::any_of(arguments.inputs.begin(), arguments.inputs.end(), batch::IsOfBatch);
  const bool          isFolder = std::filesystem::is_directory(first) && files::ZarrHeader(first).empty();
  const bool          isBatch = areBatches || (isFolder && arguments.recipe.empty());
  isBatch || arguments.acceptsOtherRecipe ? RunBatches(arguments) : RunScans(arguments);
}

} // namespace

void
AddCompareCommand(CLI::App & app)
{
  auto       arguments = std::make_shared<CompareArguments>();
  CLI::App * command = app.add_subcommand("compare", "Compare the defects of two scans: new, vanished, grown");
  command
    ->add_option("SCAN",
                 arguments->inputs,
                 "scans (with --recipe) or label maps, the earliest first, or two folders of batches\nDefects are "
                 "matched by overlap, each scan with the one before. Batches are compared item by item, by names.")
    ->required()
    ->expected(2, std::numeric_limits<int>::max());
  CLI::Option * const recipe =
    command->add_option("--recipe", arguments->recipe, "recipe that finds the defects of scans: .toml, or a ready one")
      ->type_name("RECIPE");
  CLI::Option * const align =
    command->add_flag("--align",
                      arguments->aligns,
                      "move each scan to the first one, by mutual information\nThe motion is a rotation and a shift. "
                      "Label maps are moved "
                      "by their labels. Defects outside of the other scan are new or vanished.");
  command->add_option("--transform", arguments->transform, "write the motion from the first scan to the second: .tfm")
    ->needs(align)
    ->type_name("FILE");
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
  AddOptions(*command, *arguments, std::string(ReadingOptions) + "threads");
  for (const std::string & name : job::WordsOf(ReadingOptions))
  {
    recipe->excludes(command->get_option("--" + name));
  }
  command->callback([arguments] {
    arguments->options.threads = arguments->threads;
    RunCompare(*arguments);
  });
}

} // namespace brickccl::cli
