#include "BrickCCL/Batch/CompareBatches.h"
#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/NumberOptions.h"
#include "BrickCCL/Cli/Report.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/AtomicFile.h"

#include <filesystem>
#include <iostream>
#include <map>
#include <memory>

namespace brickccl::cli
{

namespace
{

struct CompareArguments
{
  std::string before;
  std::string after;
  std::string output;
  double      tolerance = 0.1;
  int         threads = 0;
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

/** \throws InvalidArgument for a file in the folder of a batch, which holds what the batch wrote alone. */
void
CheckOutside(const std::string & output, const std::string & folder)
{
  namespace fs = std::filesystem;
  const auto     placeOf = [](const std::string & path) { return fs::weakly_canonical(fs::absolute(path)); };
  const fs::path way = placeOf(output).lexically_relative(placeOf(folder));
  if (!way.empty() && *way.begin() != "..")
  {
    throw InvalidArgument("cannot write a comparison to '" + output + "': '" + folder +
                          "' is the folder of a batch; name a file outside of it");
  }
}

void
RunCompare(const CompareArguments & arguments)
{
  if (!arguments.output.empty())
  {
    if (ExtensionOf(arguments.output) != ".csv")
    {
      throw InvalidArgument("cannot write a comparison to '" + arguments.output + "': its extension must be .csv");
    }
    CheckOutside(arguments.output, arguments.before);
    CheckOutside(arguments.output, arguments.after);
    CheckWritable(arguments.output);
  }
  const auto items = batch::CompareBatches(arguments.before, arguments.after, arguments.tolerance, arguments.threads);
  if (!arguments.output.empty())
  {
    ReplaceTextFile(arguments.output, [&](std::ostream & stream) { WriteComparison(stream, items); });
  }
  std::size_t compared = 0;
  for (const batch::ComparedItem & item : items)
  {
    std::map<std::string, int> counts;
    for (const batch::ComparedDefect & defect : item.defects)
    {
      ++counts[batch::NameOf(defect.change)];
    }
    std::cout << item.name << ": ";
    if (!item.reason.empty())
    {
      std::cout << "not compared: " << item.reason << '\n';
      continue;
    }
    ++compared;
    std::string text;
    for (const char * const change : { "same", "grown", "shrunk", "new", "vanished", "split", "merged" })
    {
      if (counts[change] > 0)
      {
        text += (text.empty() ? "" : ", ") + std::to_string(counts[change]) + " " + change;
      }
    }
    std::cout << (text.empty() ? "no defects" : text) << '\n';
  }
  std::cout.flush();
  if (compared == 0)
  {
    throw Error("no item of '" + arguments.before + "' could be compared with one of '" + arguments.after + "'");
  }
}

} // namespace

void
AddCompareCommand(CLI::App & app)
{
  auto       arguments = std::make_shared<CompareArguments>();
  CLI::App * command =
    app.add_subcommand("compare", "Compare the defects of two batches: what is new, vanished, grown");
  command->add_option("OUTDIR1", arguments->before, "folder of the earlier batch")->required();
  command->add_option("OUTDIR2", arguments->after, "folder of the later batch, with items of the same names")
    ->required();
  command->add_option("-o,--output", arguments->output, "write a row for each defect: .csv")->type_name("FILE");
  command
    ->add_option("--tolerance",
                 arguments->tolerance,
                 "a defect has grown or shrunk if its voxels changed by more than this share")
    ->check(NumberFromZero())
    ->capture_default_str()
    ->type_name("SHARE");
  command->add_option("--threads", arguments->threads, "number of CPU threads; 0: all")
    ->transform(Count(0, MostThreads))
    ->capture_default_str();
  command->callback([arguments] { RunCompare(*arguments); });
}

} // namespace brickccl::cli
