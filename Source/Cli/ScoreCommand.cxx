#include "BrickCCL/Batch/Score.h"
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/FileOptions.h"
#include "BrickCCL/Cli/NumberOptions.h"
#include "BrickCCL/Cli/Report.h"

#include <cmath>
#include <iostream>
#include <memory>

namespace brickccl::cli
{

namespace
{

struct ScoreArguments
{
  std::string         labels;
  std::string         truth;
  batch::ScoreOptions options;
  FileArguments       files;
  int                 threads = 0;
  bool                json = false;
};

nlohmann::ordered_json
NumberOrNull(double number)
{
  return std::isnan(number) ? nlohmann::ordered_json() : nlohmann::ordered_json(number);
}

nlohmann::ordered_json
AsJson(const batch::Score & score)
{
  nlohmann::ordered_json summary;
  summary["recall"] = NumberOrNull(score.Recall());
  summary["precision"] = NumberOrNull(score.Precision());
  summary["dice"] = NumberOrNull(score.Dice());
  summary["true_defects"] = score.trueDefects;
  summary["found_defects"] = score.foundDefects;
  summary["labels"] = score.labels;
  summary["right_labels"] = score.rightLabels;
  summary["true_voxels"] = score.trueVoxels;
  summary["label_voxels"] = score.labelVoxels;
  summary["common_voxels"] = score.commonVoxels;
  summary["matches"] = nlohmann::ordered_json::array();
  for (const batch::ScoreMatch & match : score.matches)
  {
    nlohmann::ordered_json described;
    described["truth"] = match.truth;
    described["truth_voxels"] = match.truthVoxels;
    described["label"] = match.label ? nlohmann::ordered_json(*match.label) : nlohmann::ordered_json();
    described["label_voxels"] = match.labelVoxels;
    described["common_voxels"] = match.commonVoxels;
    described["dice"] =
      2 * static_cast<double>(match.commonVoxels) / static_cast<double>(match.truthVoxels + match.labelVoxels);
    described["size_error"] =
      match.label
        ? nlohmann::ordered_json(static_cast<double>(match.labelVoxels) / static_cast<double>(match.truthVoxels) - 1)
        : nlohmann::ordered_json();
    summary["matches"].push_back(described);
  }
  return summary;
}

void
RunScore(const ScoreArguments & arguments)
{
  Reporter          reporter(true);
  ImageReader       reader(arguments.files, arguments.threads, reporter);
  const LoadedImage labels = reader.Read(arguments.labels, true);
  const LoadedImage truth = reader.Read(arguments.truth, true);
  CheckSameGrid(labels, truth, arguments.truth);
  const ProgressHooks hooks = reporter.Hooks();
  const batch::Score  score =
    batch::ScoreLabels(labels, truth, arguments.options, { arguments.threads, Progress(hooks) });
  if (arguments.json)
  {
    std::cout << ToText(AsJson(score)) << std::endl;
    return;
  }
  const auto share = [](double number) { return std::isnan(number) ? std::string("-") : std::to_string(number); };
  std::cout << "recall " << share(score.Recall()) << ": " << score.foundDefects << " of " << score.trueDefects
            << " true defects are found\nprecision " << share(score.Precision()) << ": " << score.rightLabels << " of "
            << score.labels << " labels are true\nDice " << share(score.Dice()) << " of all voxels" << std::endl;
}

} // namespace

void
AddScoreCommand(CLI::App & app)
{
  auto       arguments = std::make_shared<ScoreArguments>();
  CLI::App * command = app.add_subcommand("score", "Compare a label map with the truth, defect by defect");
  command->add_option("LABELS", arguments->labels, "label map: every value but 0 is one defect")->required();
  command
    ->add_option("TRUTH",
                 arguments->truth,
                 "the truth: components of equal values, connected by faces, edges and corners, are true defects")
    ->required();
  command
    ->add_option("--minimum-size", arguments->options.minimumSize, "true defects of fewer voxels need not be found")
    ->transform(Count(0))
    ->type_name("VOXELS");
  command
    ->add_option("--overlap",
                 arguments->options.leastOverlap,
                 "defects match if they share at least so much of the smaller one, from 0 (one voxel) to 1")
    ->check(CLI::Range(0.0, 1.0))
    ->capture_default_str()
    ->type_name("SHARE");
  AddFileOptions(*command, arguments->files);
  command->add_option("--threads", arguments->threads, "number of CPU threads; 0: all")
    ->transform(Count(0, MostThreads))
    ->capture_default_str();
  command->add_flag("--json", arguments->json, "print the score, and each true defect's match, as one JSON object");
  command->callback([arguments] { RunScore(*arguments); });
}

} // namespace brickccl::cli
