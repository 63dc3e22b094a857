// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/Score.h"
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/Doubts.h"

#include <algorithm>
#include <cmath>

namespace brickccl::cli
{

namespace
{

struct ScoreArguments : job::Job
{
  std::string         truth;
  batch::ScoreOptions options;
};

nlohmann::ordered_json
NumberOrNull(double number)
{
  return std::isnan(number) ? nlohmann::ordered_json() : nlohmann::ordered_json(number);
}

nlohmann::ordered_json
AsJson(const batch::ScoreMatch & match)
{
  nlohmann::ordered_json described;
  described["truth"] = match.truth;
  described["truth_voxels"] = match.truthVoxels;
  described["truth_diameter_mm"] = match.truthDiameter;
  described["label"] = match.label ? nlohmann::ordered_json(*match.label) : nlohmann::ordered_json();
  described["label_voxels"] = match.labelVoxels;
  described["common_voxels"] = match.commonVoxels;
  described["dice"] =
    2 * static_cast<double>(match.commonVoxels) / static_cast<double>(match.truthVoxels + match.labelVoxels);
  described["size_error"] =
    match.label
      ? nlohmann::ordered_json(static_cast<double>(match.labelVoxels) / static_cast<double>(match.truthVoxels) - 1)
      : nlohmann::ordered_json();
  return described;
}

/** How many true defects are found in each of four classes of diameters, of equal ratios. */
void
AddRecallBySize(job::Findings & findings, const std::vector<batch::ScoreMatch> & matches, const std::string & unit)
{
  constexpr std::size_t classes = 4;
  const auto            isSmaller = [](const auto & a, const auto & b) { return a.truthDiameter < b.truthDiameter; };
  const auto            range = std::minmax_element(matches.begin(), matches.end(), isSmaller);
  std::uint64_t         defects[classes] = {};
  std::uint64_t         found[classes] = {};
  const double          low = matches.empty() ? 1 : range.first->truthDiameter;
  const double          steps = matches.empty() ? 0 : std::log(range.second->truthDiameter / low);
  for (const batch::ScoreMatch & match : matches)
  {
    const double share = steps > 0 ? std::log(match.truthDiameter / low) / steps : 0;
    const auto   number = std::min(classes - 1, static_cast<std::size_t>(share * classes));
    ++defects[number];
    found[number] += match.label ? 1 : 0;
  }
  auto all = nlohmann::ordered_json::array();
  for (std::size_t number = 0; number < classes; ++number)
  {
    if (defects[number] > 0)
    {
      const double from = low * std::exp(steps * static_cast<double>(number) / classes);
      all.push_back({ { "from_diameter_mm", from }, { "true_defects", defects[number] }, { "found", found[number] } });
      const std::string counts = std::to_string(found[number]) + " of " + std::to_string(defects[number]);
      findings.push_back({ "", from, 5, (all.size() == 1 ? "found by diameter: " : "") + counts + " from #", unit });
    }
  }
  findings.push_back({ "recall_by_diameter", all });
}

/** \param unit  of diameters */
job::Findings
FindingsOf(const batch::Score & score, const std::string & unit)
{
  job::Findings findings;
  findings.insert(findings.end(),
                  { { "", score.foundDefects, 1, "# of " + Counted(score.trueDefects, "true defect") + " found" },
                    { "recall", NumberOrNull(score.Recall()) },
                    { "", NumberOrNull(100 * score.Recall()), 1, "(recall #)", "%" },
                    { "", score.rightLabels, 2, "# of " + Counted(score.labels, "label") + " right" },
                    { "precision", NumberOrNull(score.Precision()) },
                    { "", NumberOrNull(100 * score.Precision()), 2, "(precision #)", "%" },
                    { "dice", NumberOrNull(score.Dice()), 3, "Dice # of all voxels" },
                    { "true_defects", score.trueDefects },
                    { "found_defects", score.foundDefects },
                    { "labels", score.labels },
                    { "right_labels", score.rightLabels },
                    { "true_voxels", score.trueVoxels },
                    { "label_voxels", score.labelVoxels },
                    { "common_voxels", score.commonVoxels } });
  auto matches = nlohmann::ordered_json::array();
  for (const batch::ScoreMatch & match : score.matches)
  {
    matches.push_back(AsJson(match));
  }
  findings.push_back({ "matches", matches });
  AddRecallBySize(findings, score.matches, unit);
  return findings;
}

void
RunScore(const ScoreArguments & arguments)
{
  CheckFiles(arguments, { { "LABELS", arguments.input }, { "TRUTH", arguments.truth } }, {});
  Reporter          reporter(arguments.json);
  ImageReader       reader(arguments, arguments.threads, reporter);
  const LoadedImage labels = reader.Read(arguments.input, true);
  const LoadedImage truth = reader.Read(arguments.truth, true);
  CheckSameGrid(labels, truth, arguments.truth);
  NoteGrayClasses(truth, reader, "TRUTH must be an image of the true defects");
  reporter.Step("comparing");
  const ProgressHooks hooks = reporter.Hooks();
  const batch::Score  score =
    batch::ScoreLabels(labels, truth, arguments.options, { arguments.threads, Progress(hooks) });
  job::Findings findings = FindingsOf(score, labels.spacingSource == "none" ? "voxels" : "mm");
  AddSpacing(findings, labels, 4);
  findings.push_back({ "notes", reader.Notes() });
  PrintFindings(findings, arguments, reporter);
}

} // namespace

void
AddScoreCommand(CLI::App & app)
{
  auto       arguments = std::make_shared<ScoreArguments>();
  CLI::App * command = app.add_subcommand("score", "Compare a label map with the truth, defect by defect");
  command->add_option("LABELS", arguments->input, "label map; every nonzero value is one defect")->required();
  command
    ->add_option("TRUTH",
                 arguments->truth,
                 "image of the true defects: components of equal value, connected by faces, edges and corners")
    ->required();
  command->add_option("--minimum-size", arguments->options.minimumSize, "ignore true defects with fewer voxels")
    ->transform(Count(0))
    ->type_name("VOXELS");
  command
    ->add_option("--overlap",
                 arguments->options.leastOverlap,
                 "least overlap of a match, as a share of the smaller defect, from 0 (one voxel) to 1")
    ->check(Takes({ job::Kind::Number, 0, 1 }))
    ->capture_default_str()
    ->type_name("SHARE");
  AddOptions(*command, *arguments, std::string(ReadingOptions) + "threads");
  command->add_flag("--json", arguments->json, "print the score and the match of each true defect as one JSON object");
  command->callback([arguments] { RunScore(*arguments); });
}

} // namespace brickccl::cli
