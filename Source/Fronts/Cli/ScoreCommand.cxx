// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/Detection.h"
#include "BrickCCL/Batch/Score.h"
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/Doubts.h"
#include "BrickCCL/Pictures/Drawing.h"

#include <cmath>

namespace brickccl::cli
{

namespace
{

struct ScoreArguments : job::Job
{
  std::string         truth;
  batch::ScoreOptions options;
  std::string         plot;
};

nlohmann::ordered_json
NumberOrNull(double number)
{
  return std::isnan(number) ? nlohmann::ordered_json() : nlohmann::ordered_json(number);
}

/** The true defects that count as hits and misses. */
std::vector<batch::Detection>
DetectionsOf(const batch::Score & score)
{
  std::vector<batch::Detection> detections;
  for (const batch::ScoreMatch & match : score.matches)
  {
    detections.push_back({ match.truthDiameter, match.label.has_value() });
  }
  return detections;
}

/** The handbook's least number of defects. */
constexpr std::size_t LeastDefects = 60;

nlohmann::ordered_json
AsJson(const batch::DetectionCurve & curve)
{
  nlohmann::ordered_json described;
  described["method"] = "hit/miss, log-odds linear in ln(size), maximum likelihood; bound from the likelihood ratio, "
                        "one degree of freedom, one-sided 95 % (MIL-HDBK-1823A)";
  described["size"] = "equivalent_spherical_diameter_mm";
  described["defects"] = curve.Count();
  described["hits"] = curve.HitCount();
  described["problem"] = curve.Problem().empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(curve.Problem());
  const bool is = curve.Problem().empty();
  described["intercept"] = is ? nlohmann::ordered_json(curve.Intercept()) : nlohmann::ordered_json();
  described["slope"] = is ? nlohmann::ordered_json(curve.Slope()) : nlohmann::ordered_json();
  described["a50"] = is ? nlohmann::ordered_json(curve.SizeAt(0.5)) : nlohmann::ordered_json();
  described["a90"] = is ? nlohmann::ordered_json(curve.SizeAt(0.9)) : nlohmann::ordered_json();
  const auto bounded = is ? curve.SizeWithConfidence(0.9) : std::nullopt;
  described["a90_95"] = bounded ? nlohmann::ordered_json(*bounded) : nlohmann::ordered_json();
  described["fewer_than_60_defects"] = curve.Count() < LeastDefects;
  return described;
}

void
AddCurve(job::Findings & findings, const batch::DetectionCurve & curve, const std::string & unit)
{
  findings.push_back({ "probability_of_detection", AsJson(curve) });
  if (!curve.Problem().empty())
  {
    findings.push_back({ "", curve.Problem(), 5, "no POD curve: #" });
    return;
  }
  const auto bounded = curve.SizeWithConfidence(0.9);
  findings.push_back({ "", curve.SizeAt(0.9), 5, "a90 #: 9 of 10 defects of this diameter are found", unit });
  findings.push_back({ "",
                       bounded ? job::Readable(*bounded, unit) + ", with a confidence of 95 %"
                               : std::string("-: the data do not limit the size"),
                       6,
                       "a90/95 # (hit/miss, likelihood ratio, MIL-HDBK-1823A)" });
  if (curve.Count() < LeastDefects)
  {
    findings.push_back({ "", curve.Count(), 7, "only #: MIL-HDBK-1823A asks for at least 60", "true defect" });
  }
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

job::Findings
FindingsOf(const batch::Score & score)
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
  return findings;
}

void
RunScore(const ScoreArguments & arguments)
{
  if (!arguments.plot.empty())
  {
    CheckChartName(arguments.plot);
    CheckWritable(arguments.plot);
  }
  CheckFiles(arguments,
             { { "LABELS", arguments.input }, { "TRUTH", arguments.truth } },
             { { "--plot", arguments.plot } });
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
  const auto                  detections = DetectionsOf(score);
  const batch::DetectionCurve curve(detections);
  if (!arguments.plot.empty())
  {
    batch::WriteDetectionChart(arguments.plot, curve, detections, "mm");
  }
  job::Findings findings = FindingsOf(score);
  AddCurve(findings, curve, labels.spacingSource == "none" ? "voxels" : "mm");
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
  command->add_option("--plot", arguments->plot, "draw the probability of detection (POD) against size: .svg or .png")
    ->type_name("FILE");
  AddOptions(*command, *arguments, std::string(ReadingOptions) + "threads");
  command->add_flag("--json", arguments->json, "print the score and the match of each true defect as one JSON object");
  command->callback([arguments] { RunScore(*arguments); });
}

} // namespace brickccl::cli
