// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/BatchFolder.h"
#include "BrickCCL/Batch/CompareBatches.h"
#include "BrickCCL/Batch/RecipeFile.h"
#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/Doubts.h"
#include "BrickCCL/Cli/RunLabel.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Job/Parameters.h"
#include "BrickCCL/Report/Report.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>

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
  std::string              tracks;
  std::string              report;
  std::vector<std::string> fields;
  bool                     acceptsOtherRecipe = false;
  batch::CompareOptions    options;
};

std::string
Line(const nlohmann::ordered_json & values)
{
  std::string line;
  for (const auto & value : values)
  {
    line += line.empty() ? "" : ",";
    line += value.is_null() ? "" : value.is_string() ? value.get<std::string>() : value.dump();
  }
  return line + '\n';
}

nlohmann::ordered_json
AsJson(const batch::ComparedDefect & defect)
{
  const auto labelOf = [](const std::optional<std::uint64_t> & label) {
    return label ? nlohmann::ordered_json(*label) : nlohmann::ordered_json();
  };
  return { { "change", batch::NameOf(defect.change) }, { "label_1", labelOf(defect.before) },
           { "label_2", labelOf(defect.after) },       { "voxel_count_1", defect.voxelsBefore },
           { "voxel_count_2", defect.voxelsAfter },    { "common_voxels", defect.commonVoxels } };
}

void
WriteComparison(std::ostream & stream, const std::vector<batch::ComparedItem> & items)
{
  stream << "item,change,label_1,label_2,voxel_count_1,voxel_count_2,common_voxels\n";
  for (const batch::ComparedItem & item : items)
  {
    for (const batch::ComparedDefect & defect : item.defects)
    {
      stream << batch::CsvCell(item.name) << ',' << Line(AsJson(defect));
    }
  }
}

nlohmann::ordered_json
CountChanges(const batch::ComparedItem & item)
{
  nlohmann::ordered_json counts;
  for (const char * const change : { "same", "grown", "shrunk", "new", "vanished", "split", "merged" })
  {
    counts[change] = std::count_if(item.defects.begin(), item.defects.end(), [&](const auto & defect) {
      return batch::NameOf(defect.change) == change;
    });
  }
  return counts;
}

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
  described.update(CountChanges(item));
  if (item.motion)
  {
    described["alignment"] = { { "rotation", item.motion->rotation }, { "offset_mm", item.motion->offset } };
  }
  described["defects"] = Mapped(item.defects, [](const auto & defect) { return AsJson(defect); });
  return described;
}

void
PrintComparison(const CompareArguments &                 arguments,
                const std::vector<batch::ComparedItem> & items,
                nlohmann::ordered_json                   all = {})
{
  if (arguments.json)
  {
    all["items"] = Mapped(items, [](const auto & item) { return AsJson(item); });
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
    for (const auto & [change, count] : counts.items())
    {
      text += count == 0 ? "" : (text.empty() ? "" : ", ") + count.dump() + " " + change;
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
  ThrowIf<InvalidArgument>(!way.empty() && *way.begin() != "..",
                           "cannot write a comparison to " + Quoted(output) + ": " + Quoted(folder) +
                             " is the folder of a batch; choose a file outside it");
}

void
RunBatches(const CompareArguments & arguments)
{
  ThrowIf<InvalidArgument>(arguments.inputs.size() != 2 || arguments.aligns || !arguments.recipe.empty() ||
                             !arguments.spacing.empty() ||
                             !(arguments.raw + arguments.series + arguments.tracks + arguments.report).empty(),
                           "two batches are compared without --recipe, --align, --tracks, --report and options of "
                           "reading, which are for scans "
                           "and label maps; --different-recipes is for two batches");
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
  ThrowIf(std::none_of(items.begin(), items.end(), [](const auto & item) { return item.reason.empty(); }),
          "no item of " + Quoted(before) + " could be compared with one of " + Quoted(after));
  const auto isFault = [](const auto & item) { return !item.reason.empty() && !item.isOfOneBatch; };
  if (std::any_of(items.begin(), items.end(), isFault))
  {
    throw CLI::RuntimeError(SomeNotCompared);
  }
}

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

/** The recipe that finds defects, and the fields of the report's head. */
batch::Recipe
RecipeOf(const CompareArguments & arguments)
{
  auto recipe = arguments.recipe.empty() ? batch::Recipe() : batch::ReadRecipe(arguments.recipe);
  report::SetFields(recipe, arguments.fields);
  return recipe;
}

void
RunScans(const CompareArguments & arguments)
{
  const auto inputs =
    Mapped(arguments.inputs, [](const auto & input) { return std::pair(std::string("SCAN"), input); });
  const NamedFiles outputs = { { "--output", arguments.output },
                               { "--transform", arguments.transform },
                               { "--tracks", arguments.tracks },
                               { "--report", arguments.report } };
  ThrowIf<InvalidArgument>(!arguments.transform.empty() &&
                             (arguments.inputs.size() != 2 || ExtensionOf(arguments.transform) != ".tfm"),
                           "--transform needs two scans and a file .tfm, not " +
                             Counted(arguments.inputs.size(), "scan") + " and " + Quoted(arguments.transform));
  CheckFiles(arguments, inputs, outputs);
  const auto  recipe = RecipeOf(arguments);
  Reporter    reporter(arguments.json);
  ImageReader reader(arguments, arguments.threads, reporter);
  const auto  readLabels = [&](const std::string & path) {
    LoadedImage labels = reader.Read(path, true);
    NoteGrayClasses(labels, reader, "scans are compared with --recipe RECIPE");
    return labels;
  };
  const auto        compared = batch::CompareScans(arguments.inputs,
                                            { arguments.options,
                                              arguments.recipe.empty() ? nullptr : &recipe,
                                                     readLabels,
                                                     arguments.aligns,
                                                     HooksOf(reporter, reader) });
  const auto &      items = compared.items;
  const std::string page = arguments.report.empty()
                           ? ""
                           : report::ComparisonPage(compared,
                                                    arguments.inputs,
                                                    recipe,
                                                    reader.Notes(),
                                                    std::filesystem::absolute(arguments.report).parent_path().string());
  ReplacedTogether  together;
  const auto        write = [](const std::string & path, const std::function<void(std::ostream &)> & writeTo) {
    path.empty() ? void() : ReplaceTextFile(path, writeTo);
  };
  write(arguments.output, [&](std::ostream & stream) { WriteComparison(stream, items); });
  write(arguments.transform, [&](std::ostream & stream) { WriteTransform(stream, *items[0].motion); });
  write(arguments.report, [&](std::ostream & stream) { stream << page; });
  write(arguments.tracks, [&](std::ostream & stream) {
    stream << Line(compared.tracks["columns"]);
    std::for_each(compared.tracks["rows"].begin(), compared.tracks["rows"].end(), [&](const auto & row) {
      stream << Line(row);
    });
  });
  together.Move();
  reporter.EndSteps();
  PrintComparison(arguments, items, { { "notes", reader.Notes() }, { "tracks", compared.tracks } });
}

void
RunCompare(const CompareArguments & arguments)
{
  const auto check = [](const std::string & what, const std::string & path, const std::string & extension) {
    ThrowIf<InvalidArgument>(!path.empty() && ExtensionOf(path) != extension,
                             "cannot write " + what + " to " + Quoted(path) + ": its extension must be " + extension);
  };
  check("a comparison", arguments.output, ".csv");
  check("tracks", arguments.tracks, ".csv");
  check("a report", arguments.report, ".html");
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
  command
    ->add_option("--tracks",
                 arguments->tracks,
                 "write a table that follows each defect through all scans: .csv\nA row has the sizes of a defect in "
                 "all scans, and the defects that it parted from and joined.")
    ->type_name("FILE");
  CLI::Option * const report =
    command->add_option("--report", arguments->report, "write a page with what changed, and pictures of it: .html");
  report->type_name("FILE");
  AddReportFields(*command, arguments->fields);
  command->get_option("--report-field")->needs(report);
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
