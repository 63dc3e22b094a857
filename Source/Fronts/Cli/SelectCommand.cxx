// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/Segments.h"
#include "BrickCCL/Cli/TableOptions.h"
#include "BrickCCL/Measuring/Measure.h"
#include "BrickCCL/Tables/Condition.h"
#include "BrickCCL/Tables/LengthUnits.h"
#include "BrickCCL/Labels/ExpandLabels.h"
#include "BrickCCL/Labels/Relabel.h"
#include "BrickCCL/Pictures/Picture.h"

#include <algorithm>
#include <cmath>
#include <variant>

namespace brickccl::cli
{

namespace
{

struct SelectArguments : job::Job
{
  std::string where;
  bool        keepThem = false;
  bool        remove = false;
  bool        keepLabels = false;
};

ColumnGroups
GroupsOfCondition(const Condition & condition, const job::Table & table)
{
  ColumnGroups groups = ParseColumns(WithColumnsOf(condition, table.columns), !table.intensity.empty());
  for (const std::string & column : condition.ColumnNames())
  {
    if (column != "name")
    {
      CheckNeedOfColumn(column, table, "the condition");
    }
  }
  return groups;
}

class SelectWork
{
public:
  explicit SelectWork(const SelectArguments & arguments)
    : m_Arguments(arguments)
    , m_Reporter(arguments.quiet || arguments.json)
    , m_Reader(arguments, arguments.threads, m_Reporter)
    , m_Condition(arguments.where)
  {}

  void
  Run()
  {
    CheckArguments();
    ReadImages();
    Select();
    WriteOutputs();
    PrintSummary();
  }

private:
  void
  CheckArguments()
  {
    job::Table table = m_Arguments;
    table.part = table.IsWanted() ? table.part : ""; // The condition may need the part without a table.
    m_TableGroups = CheckTableArguments(table, "--statistics");
    const auto & named = m_Condition.ColumnNames();
    const bool   isUnitNamed = std::any_of(named.begin(), named.end(), [this](const std::string & column) {
      return OtherUnitOf(column) == m_Arguments.units;
    });
    CheckUnits(m_Arguments, isUnitNamed, "--statistics, --print, or a column in this unit in --where");
    m_ConditionGroups = GroupsOfCondition(m_Condition, m_Arguments);
    const auto names = [&](const std::string & begin) {
      return std::any_of(named.begin(), named.end(), [&](const std::string & name) {
        return name.rfind(begin, 0) == 0;
      });
    };
    // A DICOM segmentation refers to the images of intensities.
    CheckIntensity(m_Arguments,
                   names("intensity_") || names("weighted_") || !m_Arguments.picture.empty() ||
                     ExtensionOf(m_Arguments.output) == ".dcm",
                   "--statistics, --print, --picture, or a column of intensities in --where");
    CheckIsUsed("--part",
                m_Arguments.part.empty() || m_Arguments.IsWanted() || names("surface_distance_"),
                "--statistics, --print, or surface_distance_mm in --where");
    m_RequestedType = LabelTypeFromName(m_Arguments.labelType);
    NamedFiles outputs = TableFiles(m_Arguments, "--statistics");
    outputs.insert(outputs.end(), { { "OUTPUT", m_Arguments.output }, { "--picture", m_Arguments.picture } });
    const NamedFiles inputs = { { "LABELS", m_Arguments.input },
                                { "--names", m_Arguments.names },
                                { "--intensity", m_Arguments.intensity },
                                { "--part", m_Arguments.part } };
    CheckFiles(m_Arguments, inputs, outputs);
    CheckImageName(m_Arguments.output, m_Arguments.dicomSeg);
    m_Reader.Protect(outputs);
  }

  void
  ReadImages()
  {
    m_Image = m_Reader.ReadLabels(m_Arguments.input);
    CheckImageFileWritable(m_Arguments.output,
                           m_RequestedType == LabelType::Auto ? ScalarType::UInt8 : ScalarTypeOfLabel(m_RequestedType),
                           m_Image.extent);
    if (!m_Arguments.picture.empty())
    {
      CheckPicture(m_Image.extent);
    }
    m_Images = ReadTableImages(m_Arguments, m_Image, m_Arguments.threads, m_Reader);
    m_Seconds["read"] = m_Watch.Lap();
  }

  /** Notes components without a value for the condition, as a single one's distance to the nearest neighbor. */
  void
  NoteNoValues(const ComponentTable & table, const std::vector<bool> & holds)
  {
    for (const std::string & name : m_Condition.ColumnNames())
    {
      const auto  column = ColumnInAnyUnit(ColumnsOf(table), name);
      std::size_t count = 0;
      for (std::size_t place = 0; column && place < holds.size(); ++place)
      {
        const auto value = column->value(table, table.components[place]);
        count += !holds[place] && std::visit([](auto number) { return std::isnan(static_cast<double>(number)); }, value)
                 ? 1
                 : 0;
      }
      m_Reader.NoteIf(count > 0,
                      Counted(count, "component") + (count == 1 ? " has no value for '" : " have no value for '") +
                        name + (count == 1 ? "' and is not selected" : "' and are not selected"));
    }
  }

  /** Measures the components, keeps those that the condition selects, and measures these for the table. */
  void
  Select()
  {
    m_Reporter.Step("measuring");
    m_Hooks = m_Reporter.Hooks();
    const HostContext context{ m_Arguments.threads, Progress(m_Hooks) };
    const bool        listsSegments =
      !m_Image.segmentation.segments.empty() && HoldsSegments(m_Arguments.output, m_Image.extent);
    const bool     measuresTwice = m_Arguments.IsWanted() || !m_Arguments.picture.empty() || listsSegments;
    const double   shareOfFirst = measuresTwice ? 0.5 : 1;
    ComponentTable before = MeasureLabelImage(m_Image.View(),
                                              m_Image.geometry,
                                              m_Images.Options(m_ConditionGroups),
                                              context.Part(0, shareOfFirst),
                                              m_Volume);
    if (m_Arguments.picture.empty() || m_Images.intensity)
    {
      m_Image.voxels.Release();
    }
    std::vector<bool> holds = Evaluate(m_Condition, m_Image.segmentation, before);
    NoteNoValues(before, holds);
    if (m_Arguments.remove)
    {
      holds.flip();
    }
    m_Before = holds.size();
    std::vector<std::uint64_t> oldLabels{ 0 };
    for (const std::size_t place : KeepComponents(m_Volume, holds, context.Silent()))
    {
      oldLabels.push_back(before.components.Label(place));
    }
    m_Kept = oldLabels.size() - 1;
    m_Reader.NoteIf(m_Kept == 0 && m_Before > 0,
                    "no component is kept: the condition holds for " +
                      std::string(m_Arguments.remove ? "each" : "none") + " of the " + std::to_string(m_Before));
    if (measuresTwice)
    {
      // Distances and contacts are measured among the components that are left.
      m_Table = MeasureComponents(m_Volume,
                                  m_Kept,
                                  m_Image.geometry,
                                  m_Images.Options(m_TableGroups),
                                  std::nullopt,
                                  context.Part(shareOfFirst, 1));
    }
    const std::vector<std::uint64_t> inputLabels(oldLabels.begin() + 1, oldLabels.end());
    if (m_Arguments.keepLabels)
    {
      Renumber(m_Volume, oldLabels, context.Silent());
      SetLabels(m_Table, inputLabels);
    }
    AddNames(m_Image.segmentation, inputLabels, m_Table);
    if (listsSegments)
    {
      m_Image.segmentation = SegmentsOf(m_Image, m_Table, inputLabels, false, m_Reader);
    }
    m_Largest = m_Arguments.keepLabels ? oldLabels.back() : m_Kept;
    m_Seconds["measure"] = m_Watch.Lap();
  }

  void
  WriteOutputs()
  {
    ReplacedTogether outputs;
    m_Type = ResolveLabelType(m_RequestedType, m_Largest, "the label " + std::to_string(m_Largest) + " does");
    const auto rows = [&](auto begin, auto end, auto type, void * to) { ExpandRows(m_Volume, begin, end, type, to); };
    WriteLabels(m_Arguments, m_Image, m_Type, 0, rows, m_Image.segmentation, m_Reader, m_Reporter);
    WriteTables(m_Arguments, m_Table, m_Arguments.threads, m_Reporter);
    if (!m_Arguments.picture.empty())
    {
      DrawLabels(m_Arguments, m_Image, false, m_Images, m_Volume, m_Table, m_Reporter);
    }
    outputs.Move();
    m_Seconds["write"] = m_Watch.Lap();
    m_Seconds["total"] = m_Total.Lap();
  }

  void
  PrintSummary()
  {
    job::Findings findings;
    findings.push_back({ "components_before", m_Before });
    findings.push_back({ "components", m_Kept, 1, "# of " + Counted(m_Before, "component") + " kept" });
    findings.push_back({ "label_type", NameOf(m_Type) });
    findings.push_back({ "", Printable(m_Arguments.output) + ": labels of type " + NameOf(m_Type), 3 });
    AddSpacing(findings, m_Image, 2);
    AddRun(findings, m_Reader.Notes(), m_Seconds, m_Kept > 0 ? m_Arguments.output : "", m_Arguments.IsWanted());
    PrintFindings(findings, m_Arguments, m_Reporter);
  }

  const SelectArguments & m_Arguments;
  Reporter                m_Reporter;
  ImageReader             m_Reader;
  Stopwatch               m_Total;
  Stopwatch               m_Watch;
  nlohmann::json          m_Seconds;

  Condition    m_Condition;
  ColumnGroups m_ConditionGroups;
  ColumnGroups m_TableGroups;
  LabelType    m_RequestedType = LabelType::Auto;

  LoadedImage    m_Image;
  TableImages    m_Images;
  ProgressHooks  m_Hooks;
  RunVolume      m_Volume;
  ComponentTable m_Table;
  std::size_t    m_Before = 0;
  std::uint64_t  m_Kept = 0;
  std::uint64_t  m_Largest = 0;
  LabelType      m_Type = LabelType::Auto;
};

} // namespace

void
AddSelectCommand(CLI::App & app)
{
  auto       arguments = std::make_shared<SelectArguments>();
  CLI::App * command = app.add_subcommand("select", "Keep or remove components of a label map by their measures");
  command->add_option("LABELS", arguments->input, "label map; every nonzero value is one component")->required();
  command->add_option("OUTPUT", arguments->output, "label map with the components that stay")->required();
  command
    ->add_option(
      "--where",
      arguments->where,
      "condition, as \"volume_mm3 > 2 and sphericity < 0.6\"\nIt has numbers, columns "
      "(`brickccl stats --list-columns`; lengths, areas and volumes in mm, um or cm, as volume_um3), + - * /, "
      "< <= > >= == !=, and, or, not, parentheses, abs, sqrt, min, max, and names of segments, as label == 'liver'.")
    ->required()
    ->type_name("CONDITION");
  auto * keep = command->add_flag("--keep", arguments->keepThem, "keep components that fulfill the condition");
  command->add_flag("--remove", arguments->remove, "remove components that fulfill the condition")->excludes(keep);
  command->add_flag("--keep-labels", arguments->keepLabels, "keep the labels instead of renumbering from 1");
  AddOptions(*command,
             *arguments,
             std::string(ReadingOptions) + "names " + TableOptions + RunningOptions +
               "statistics picture label-type dicom-seg no-compression");
  command->callback([arguments] {
    ThrowIf<InvalidArgument>(arguments->keepThem == arguments->remove,
                             "choose --keep or --remove for components that fulfill the condition");
    SelectWork(*arguments).Run();
  });
}

} // namespace brickccl::cli
