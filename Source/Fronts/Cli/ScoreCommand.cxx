// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Batch/SafeText.h"
#include "BrickCCL/Batch/Score.h"
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/Doubts.h"
#include "BrickCCL/Cli/Segments.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Files/ErrorContext.h"
#include "BrickCCL/Files/FindImages.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Segments.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

namespace brickccl::cli
{

namespace
{

struct ScoreArguments : job::Job
{
  std::string         truth;
  std::string         onlyClass;
  batch::ScoreOptions options;
};

struct ScoreCase
{
  std::string labels;
  std::string truth;
};

/** The cases in a list of files, which are relative to its folder. */
std::map<std::string, ScoreCase>
CasesInList(const std::string & list)
{
  std::map<std::string, ScoreCase> cases;
  const auto                       folder = std::filesystem::path(list).parent_path();
  std::istringstream               lines(batch::ReadText(list));
  std::string                      line;
  std::getline(lines, line);
  line = Joined(CsvCells(files::Trimmed(line.substr(line.rfind("\xef\xbb\xbf", 0) == 0 ? 3 : 0))), ",");
  bool isList = line == "prediction,truth" || line == "prediction,truth,name";
  while (isList && std::getline(lines >> std::ws, line))
  {
    auto cells = CsvCells(files::Trimmed(line));
    cells.resize(cells.size() == 2 ? 3 : cells.size());
    const auto stem = WithoutExtension(std::filesystem::path(cells[0]).filename().string());
    isList = cells.size() == 3 && !cells[0].empty() && !cells[1].empty() &&
             cases
               .emplace(PlainText(cells[2].empty() ? stem : cells[2]),
                        ScoreCase{ (folder / cells[0]).string(), (folder / cells[1]).string() })
               .second;
  }
  ThrowIf<InvalidArgument>(!isList || cases.empty(),
                           "TRUTH is missing, and " + Quoted(list) + " is not a list of cases (at " +
                             Quoted(PlainText(line.substr(0, 60))) +
                             "): a line prediction,truth,name, and for each case two files and a name of its own");
  return cases;
}

/** \throws InvalidArgument unless there are two images, two folders of images with equal names, or a list. */
std::map<std::string, ScoreCase>
CasesOf(const ScoreArguments & arguments)
{
  namespace fs = std::filesystem;
  if (arguments.truth.empty())
  {
    return CasesInList(arguments.input);
  }
  std::map<std::string, ScoreCase> cases;
  const MaskFiles                  labels = FindMasks({ arguments.input }, false);
  const MaskFiles                  truth = FindMasks({ arguments.truth }, false);
  if (!labels.areSeveral && !truth.areSeveral)
  {
    cases[PlainText(WithoutExtension(fs::path(labels.files[0]).filename().string()))] = { arguments.input,
                                                                                          arguments.truth };
    return cases;
  }
  ThrowIf<InvalidArgument>(labels.areSeveral != truth.areSeveral,
                           Quoted(arguments.input) + " and " + Quoted(arguments.truth) +
                             " must be two images or two folders of images");
  const auto add = [&](const std::string & input, const MaskFiles & masks, std::string ScoreCase::*member) {
    for (const std::string & file : masks.files)
    {
      const fs::path place = fs::is_directory(input) ? fs::relative(file, input) : fs::path(file).filename();
      std::string &  own = cases[PlainText(WithoutExtension(place.generic_string()))].*member;
      ThrowIf<InvalidArgument>(!own.empty(),
                               Quoted(own) + " and " + Quoted(file) + " have the same name without extensions");
      own = file;
    }
  };
  add(arguments.input, labels, &ScoreCase::labels);
  add(arguments.truth, truth, &ScoreCase::truth);
  for (const auto & [name, files] : cases)
  {
    ThrowIf<InvalidArgument>(files.labels.empty() || files.truth.empty(),
                             Quoted(files.labels.empty() ? arguments.input : arguments.truth) + " has no image named " +
                               Quoted(name) + " to compare with " +
                               Quoted(files.labels.empty() ? files.truth : files.labels));
  }
  return cases;
}

nlohmann::ordered_json
AsJson(const batch::ScoreMatch & match)
{
  const auto ifMatched = [&](auto value) { return match.label ? nlohmann::ordered_json(value) : nullptr; };
  const auto truth = static_cast<double>(match.truthVoxels);
  const auto label = static_cast<double>(match.labelVoxels);
  return { { "truth", match.truth },
           { "truth_voxels", match.truthVoxels },
           { "truth_diameter_mm", match.truthDiameter },
           { "label", ifMatched(match.label.value_or(0)) },
           { "label_voxels", match.labelVoxels },
           { "common_voxels", match.commonVoxels },
           { "dice", 2 * static_cast<double>(match.commonVoxels) / (truth + label) },
           { "size_error", ifMatched(label / truth - 1) } };
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

nlohmann::ordered_json
RowOf(nlohmann::ordered_json row, const batch::Score & score, const LoadedImage & image)
{
  const std::string size = SizeName(image.extent.dimension);
  const double      voxel = image.geometry.VoxelVolume(image.extent.dimension);
  row.update({ { "true_defects", score.trueDefects },
               { "found_defects", score.foundDefects },
               { "recall", score.Recall() },
               { "labels", score.labels },
               { "right_labels", score.rightLabels },
               { "precision", score.Precision() },
               { "f1", score.F1() },
               { "mean_iou", score.MeanIou() },
               { "panoptic_quality", score.F1() * score.MeanIou() },
               { "dice", score.Dice() },
               { "volume_error", score.VolumeError() },
               { "true_voxels", score.trueVoxels },
               { "label_voxels", score.labelVoxels },
               { "common_voxels", score.commonVoxels },
               { "true_" + size, voxel * static_cast<double>(score.trueVoxels) },
               { "label_" + size, voxel * static_cast<double>(score.labelVoxels) } });
  return row;
}

/** Adds sentences on a row.
 *  \param before  begins the first one \param mean  goes before ratios \param step  from one sentence's line to the
 * next */
void
AddSentences(job::Findings &                findings,
             const nlohmann::ordered_json & row,
             const std::string &            before,
             const std::string &            mean,
             int                            line,
             int                            step)
{
  const auto count = [&](const char * key) { return row.at(key).get<std::uint64_t>(); };
  const auto ratio = [&](const char * key, double unit) {
    const double number = unit * row.at(key).get<double>();
    return std::isnan(number) ? nlohmann::ordered_json() : nlohmann::ordered_json(number);
  };
  const auto found = before + std::to_string(count("found_defects"));
  findings.insert(findings.end(),
                  { { "", found, line, "# of " + Counted(count("true_defects"), "true defect") + " found" },
                    { "", ratio("recall", 100), line, "(" + mean + "recall #)", "%" },
                    { "", count("right_labels"), line + step, "# of " + Counted(count("labels"), "label") + " right" },
                    { "", ratio("precision", 100), line + step, "(" + mean + "precision #)", "%" },
                    { "", ratio("dice", 1), line + 2 * step, mean + "Dice # of all voxels" },
                    { "", ratio("f1", 1), line + 2 * step, "F1 # of all defects" },
                    { "", ratio("volume_error", 100), line + 2 * step, "volume error #", "%" } });
}

/** The sums of counts, and the means of other columns over the rows that have a value. */
nlohmann::ordered_json
SummaryOf(const nlohmann::ordered_json & rows)
{
  std::set<std::string> cases;
  for (const nlohmann::ordered_json & row : rows)
  {
    cases.insert(row.at("case").get<std::string>());
  }
  nlohmann::ordered_json summary = { { "cases", cases.size() } };
  nlohmann::ordered_json with;
  for (const auto & [key, first] : rows.front().items())
  {
    double      sum = 0;
    std::size_t values = 0;
    for (std::size_t i = 0; i < rows.size() && !first.is_string(); ++i)
    {
      const auto value = rows[i].at(key).get<double>();
      sum += std::isnan(value) ? 0 : value;
      values += std::isnan(value) ? 0 : 1;
    }
    if (first.is_number_integer())
    {
      summary[key] = static_cast<std::uint64_t>(sum);
    }
    else if (first.is_number_float())
    {
      summary[key] = sum / static_cast<double>(values);
      with[key] = values;
    }
  }
  summary["cases_with"] = with;
  return summary;
}

job::Findings
FindingsOf(const nlohmann::ordered_json & rows)
{
  constexpr std::size_t limit = 30;
  const auto            summary = SummaryOf(rows);
  job::Findings         findings = { { "cases", rows }, { "", summary.at("cases"), 1, "#", "case" } };
  findings.push_back({ "summary", summary });
  AddSentences(findings, summary, "", "mean ", 2, 1);
  for (std::size_t i = 0; i < std::min(limit, rows.size()); ++i)
  {
    const std::string ofClass = rows[i].value("class", "");
    const std::string name = rows[i].at("case").get<std::string>() + (ofClass.empty() ? "" : ", ") + ofClass + ": ";
    AddSentences(findings, rows[i], Printable(name), "", 5 + static_cast<int>(i), 0);
  }
  if (rows.size() > limit)
  {
    findings.push_back({ "", rows.size() - limit, job::LastLine, "and # more rows (--output has all)" });
  }
  return findings;
}

job::Findings
FindingsOf(const nlohmann::ordered_json & row, const batch::Score & score, const std::string & unit)
{
  job::Findings findings;
  AddSentences(findings, row, "", "", 1, 1);
  for (const auto & [key, value] : row.items())
  {
    findings.push_back({ key, value });
  }
  findings.push_back({ "matches", Mapped(score.matches, [](const auto & match) { return AsJson(match); }) });
  AddRecallBySize(findings, score.matches, unit);
  return findings;
}

/** The classes that are asked for; "" for all together. */
std::vector<std::string>
ClassesOf(const ScoreArguments & arguments)
{
  std::vector<std::string> classes =
    arguments.onlyClass.empty() ? std::vector<std::string>(1) : ItemsOf(arguments.onlyClass);
  ThrowIf<InvalidArgument>(std::set<std::string>(classes.begin(), classes.end()).size() < classes.size(),
                           "--class " + arguments.onlyClass + " names a class twice");
  return classes;
}

LoadedImage
ClassIn(const LoadedImage & image, const std::string & name)
{
  const Number label = LabelForName(name, "--class", image.segmentation);
  ThrowIf<InvalidArgument>(label == Number(0), "--class 0 is the background; give the label of a class");
  return MaskOf(image, label);
}

/** Reads and compares the images of a case. \param rows  gets a row for each class \param one  gets what is printed of
 * the only row */
void
ScoreOne(const ScoreArguments &     arguments,
         const std::string &        name,
         const ScoreCase &          pair,
         Reporter &                 reporter,
         nlohmann::ordered_json &   rows,
         std::vector<std::string> & notes,
         job::Findings *            one)
{
  ImageReader       reader(arguments, arguments.threads, reporter);
  const LoadedImage labels = reader.ReadLabels(pair.labels);
  const LoadedImage truth = reader.ReadLabels(pair.truth);
  CheckSameGrid(labels, truth, pair.truth, Quoted(pair.labels));
  const bool areAll = arguments.onlyClass.empty() || labels.channels != 1 || truth.channels != 1;
  areAll ? NoteGrayClasses(truth, reader, "TRUTH must be an image of the true defects") : void();
  reporter.Step("comparing");
  const ProgressHooks hooks = reporter.Hooks();
  const auto          compare = [&](const LoadedImage & ours, const LoadedImage & theirs) {
    return files::WithContext(Quoted(pair.labels) + ": ", [&] {
      return batch::ScoreLabels(ours, theirs, arguments.options, { arguments.threads, Progress(hooks) });
    });
  };
  const std::vector<std::string> classes = ClassesOf(arguments);
  for (const std::string & own : classes)
  {
    const batch::Score score = areAll ? compare(labels, truth) : compare(ClassIn(labels, own), ClassIn(truth, own));
    reader.NoteIf(score.labels == 1 && score.trueDefects > 1 && !arguments.options.areComponents,
                  Quoted(pair.labels) + " has one label, which is one defect; --components counts its components");
    reader.NoteIf(!arguments.onlyClass.empty() && score.trueVoxels + score.labelVoxels == 0,
                  "neither image has voxels of the class " + Quoted(own));
    nlohmann::ordered_json row = { { "case", name } };
    classes.size() > 1 ? void(row["class"] = PlainText(own)) : void();
    rows.push_back(RowOf(std::move(row), score, labels));
    if (one != nullptr)
    {
      *one = FindingsOf(rows.back(), score, labels.spacingSource == "none" ? "voxels" : "mm");
      AddSpacing(*one, labels, 4);
    }
  }
  for (const std::string & note : reader.Notes())
  {
    notes.push_back((one != nullptr ? "" : name + ": ") + note);
  }
}

void
CheckClasses(const ScoreArguments & arguments, const nlohmann::ordered_json & rows)
{
  const std::vector<std::string> classes = ClassesOf(arguments);
  for (std::size_t i = 0; i < classes.size() && !arguments.onlyClass.empty(); ++i)
  {
    std::uint64_t voxels = 0;
    for (std::size_t row = i; row < rows.size(); row += classes.size())
    {
      voxels += rows[row].at("true_voxels").get<std::uint64_t>() + rows[row].at("label_voxels").get<std::uint64_t>();
    }
    ThrowIf<InvalidArgument>(voxels == 0, "no image has voxels of the class " + Quoted(classes[i]) + " (--class)");
  }
}

void
RunScore(const ScoreArguments & arguments)
{
  const auto cases = CasesOf(arguments);
  const bool isOne = cases.begin()->second.labels == arguments.input && ClassesOf(arguments).size() == 1;
  NamedFiles inputs = { { "LABELS", arguments.input }, { "--names", arguments.names } };
  for (const auto & [name, pair] : cases)
  {
    inputs.insert(inputs.end(), { { "LABELS", pair.labels }, { "TRUTH", pair.truth } });
  }
  CheckFiles(arguments, inputs, { { "--output", arguments.output } });
  CheckTableName(arguments.output);
  Reporter                 reporter(arguments.json);
  std::vector<std::string> notes;
  job::Findings            findings;
  nlohmann::ordered_json   rows;
  for (const auto & [name, pair] : cases)
  {
    ScoreOne(arguments, name, pair, reporter, rows, notes, isOne ? &findings : nullptr);
    ThrowIf<InvalidArgument>(rows.back().rbegin().key() != rows.front().rbegin().key(),
                             Quoted(pair.truth) + " has other dimensions than the first case; score these separately");
  }
  CheckClasses(arguments, rows);
  findings = isOne ? std::move(findings) : FindingsOf(rows);
  if (!arguments.output.empty())
  {
    WriteRows(arguments.output, rows);
  }
  findings.push_back({ "notes", notes });
  PrintFindings(findings, arguments, reporter);
}

} // namespace

void
AddScoreCommand(CLI::App & app)
{
  auto       arguments = std::make_shared<ScoreArguments>();
  CLI::App * command = app.add_subcommand("score", "Compare label maps with the truth, defect by defect");
  command
    ->add_option(
      "LABELS",
      arguments->input,
      "label map; every nonzero value is one defect, whatever its class\nFor a table with a row per case, "
      "LABELS and TRUTH are folders of images with equal names, or there is a list: score PAIRS.csv, with the "
      "columns prediction,truth or prediction,truth,name, and files relative to its folder.")
    ->required();
  command->add_option("TRUTH",
                      arguments->truth,
                      "image of the true defects: components of equal value, connected by faces, edges and corners");
  command
    ->add_option("--class",
                 arguments->onlyClass,
                 "score only the voxels of this label or segment, in both images; a row for each of several, as "
                 "\"1,2\" or 'liver,\"mass, left\"'")
    ->type_name("LABEL,...");
  command->add_flag("--components",
                    arguments->options.areComponents,
                    "the labels' components are the defects, as in TRUTH; for masks");
  command->add_option("--minimum-size", arguments->options.minimumSize, "smaller true defects may be found or missed")
    ->transform(Count(0))
    ->type_name("VOXELS");
  CLI::Option * const overlap =
    command
      ->add_option("--overlap",
                   arguments->options.leastOverlap,
                   "least overlap of a match, as a share of the smaller defect, from 0 (one voxel) to 1")
      ->check(Takes({ job::Kind::Number, 0, 1 }))
      ->capture_default_str()
      ->type_name("SHARE");
  command
    ->add_option("--iou",
                 arguments->options.leastIou,
                 "match defects one to one, from the largest intersection over union down to this one")
    ->check(Takes({ job::Kind::Number, 0, 1 }))
    ->excludes(overlap)
    ->type_name("SHARE");
  command->add_option("-o,--output", arguments->output, "table with a row per case: .csv, .tsv or .json")
    ->type_name("FILE");
  AddOptions(*command, *arguments, std::string(ReadingOptions) + "names threads");
  command->add_flag("--json",
                    arguments->json,
                    "print the score as one JSON object, of one case with the match of each true defect");
  command->callback([arguments] { RunScore(*arguments); });
}

} // namespace brickccl::cli
