// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/FileOptions.h"
#include "BrickCCL/Cli/FrontEnd.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Files/SegmentColors.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Host/System.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Segmenting/PoresOfPart.h"
#include "BrickCCL/Tables/ColumnGroup.h"
#include "BrickCCL/Tables/TableLayout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <map>

namespace brickccl::cli
{

LabelType
ResolveLabelType(LabelType requested, std::uint64_t largest, const std::string & what, LabelType widest)
{
  const LabelType smallest = SmallestLabelType(largest);
  ThrowIf<LabelOverflow>(MaximumLabel(smallest) > MaximumLabel(widest),
                         what + " not fit label type " + NameOf(widest) + ", whose largest label is " +
                           std::to_string(MaximumLabel(widest)) + " and no wider type can be used here");
  if (requested == LabelType::Auto)
  {
    return smallest;
  }
  ThrowIf<LabelOverflow>(largest > MaximumLabel(requested),
                         what + " not fit label type " + NameOf(requested) + ", whose largest label is " +
                           std::to_string(MaximumLabel(requested)) + "; use --label-type " + NameOf(smallest) +
                           " or auto");
  return requested;
}

std::string
ExtensionOf(const std::string & path)
{
  const auto dot = path.rfind('.');
  return dot == std::string::npos ? "" : InSmallLetters(path.substr(dot));
}

Reporter::Reporter(bool quiet)
  : m_Quiet(quiet)
  , m_Terminal(ErrorStreamIsTerminal())
{}

Reporter::~Reporter()
{
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    ClearLine();
    m_IsEnding = true;
  }
  m_End.notify_all();
  if (m_Ticker.joinable())
  {
    m_Ticker.join();
  }
}

void
Reporter::ClearLine()
{
  if (m_IsShown)
  {
    std::cerr << "\r\033[K" << std::flush;
  }
  m_IsShown = false;
}

void
Reporter::Step(const std::string & name)
{
  ThrowIfInterrupted();
  const std::lock_guard<std::mutex> lock(m_Mutex);
  ClearLine();
  m_Step = Printable(name);
  m_Begin = Clock::now();
  m_Fraction = 0;
  if (m_Quiet)
  {
    return;
  }
  if (!m_Terminal)
  {
    std::cerr << m_Step << std::endl;
    return;
  }
  Show();
  if (!m_Ticker.joinable())
  {
    m_Ticker = std::thread([this] { Tick(); });
  }
}

void
Reporter::Note(const std::string & text)
{
  if (!m_Quiet)
  {
    const std::lock_guard<std::mutex> lock(m_Mutex);
    ClearLine();
    std::cerr << Printable(text) << std::endl;
  }
}

std::string
TimeLeft(double seconds)
{
  const auto left = static_cast<long long>(std::ceil(seconds));
  return left < 120 ? std::to_string(left) + " s left" : std::to_string((left + 59) / 60) + " min left";
}

std::string
Reporter::TimeLeft() const
{
  const double passed = std::chrono::duration<double>(Clock::now() - m_Begin).count();
  // Less than a second is not enough for an estimate.
  if (passed < 1 || m_Fraction <= 0.02 || m_Fraction >= 1)
  {
    return {};
  }
  return ", " + cli::TimeLeft(passed / m_Fraction - passed);
}

void
Reporter::Show()
{
  constexpr int width = 40;
  m_LastShown = Clock::now();
  m_IsShown = true;
  std::cerr << '\r' << m_Step;
  if (m_Fraction > 0)
  {
    const auto done = static_cast<std::size_t>(width * m_Fraction);
    std::cerr << " [" << std::string(done, '#') << std::string(width - done, '.') << "] "
              << static_cast<int>(100 * m_Fraction) << " %" << TimeLeft();
  }
  else
  {
    const auto passed = std::chrono::duration_cast<std::chrono::seconds>(m_LastShown - m_Begin).count();
    std::cerr << " ..." << (passed > 0 ? " " + std::to_string(passed) + " s" : "");
  }
  std::cerr << "\033[K" << std::flush;
}

void
Reporter::Tick()
{
  constexpr auto               step = std::chrono::seconds(1);
  std::unique_lock<std::mutex> lock(m_Mutex);
  while (!m_End.wait_for(lock, step / 4, [this] { return m_IsEnding; }))
  {
    if (m_IsShown && Clock::now() - m_LastShown >= step)
    {
      Show();
    }
  }
}

ProgressHooks
Reporter::Hooks()
{
  ProgressHooks hooks;
  hooks.canceled = WasInterrupted;
  if (!m_Quiet && m_Terminal)
  {
    hooks.report = [this](double fraction) {
      const std::lock_guard<std::mutex> lock(m_Mutex);
      // The progress of a step with several parts may go back.
      const double highest = std::max(m_Fraction, fraction);
      const bool   hasMoved = static_cast<int>(100 * highest) != static_cast<int>(100 * m_Fraction);
      m_Fraction = highest;
      if (hasMoved)
      {
        Show();
      }
    };
  }
  return hooks;
}

void
ThrowIfInterrupted()
{
  if (WasInterrupted())
  {
    throw Canceled();
  }
}

void
AddRun(job::Findings &                  findings,
       const std::vector<std::string> & notes,
       const nlohmann::ordered_json &   seconds,
       const std::string &              labelMap,
       bool                             hasTable)
{
  findings.push_back({ "notes", notes });
  findings.push_back({ "seconds", seconds });
  findings.push_back({ "peak_memory_bytes", PeakMemoryBytes() });
  const std::string extension = ExtensionOf(labelMap);
  const auto &      formats = { ".nrrd", ".nhdr", ".mha", ".mhd", ".nii", ".gz" };
  const bool        opens = std::find(formats.begin(), formats.end(), extension) != formats.end();
  findings.push_back({ "", Printable(labelMap), opens ? job::LastLine : 0, "open # in 3D Slicer" });
  findings.push_back({ "",
                       "brickccl stats --list-columns",
                       hasTable ? job::LastLine : 0,
                       opens ? "; what the columns mean: #" : "what the columns mean: #" });
}

void
PrintFindings(const job::Findings & findings,
              const job::Running &  running,
              Reporter &            reporter,
              const FrontEnd &      frontEnd)
{
  if (running.json)
  {
    frontEnd.takeSummary(job::AsJson(findings));
  }
  else if (!running.quiet)
  {
    reporter.EndSteps();
    std::cout << job::AsText(findings) << std::endl;
  }
}

ColumnGroups
ParseColumns(const std::string & names, bool hasIntensity)
{
  // Columns that a table may have whatever is measured.
  std::string measured;
  for (const std::string & name : SplitAt(',', names))
  {
    measured += IsKeyColumn(name) ? "" : "," + name;
  }
  ColumnGroups groups = ColumnGroups::FromNames(measured.substr(std::min<std::size_t>(1, measured.size())));
  for (const ColumnGroup * const group : groups.List())
  {
    ThrowIf<InvalidArgument>(group->needsIntensity && !hasIntensity,
                             std::string("the columns '") + group->name +
                               "' need an intensity image: --intensity FILE");
  }
  return groups;
}

void
CheckTableName(const std::string & path, bool mayBeWorkbook)
{
  const std::string extension = ExtensionOf(path);
  const bool        isText = extension == ".csv" || extension == ".tsv" || extension == ".json";
  ThrowIf<InvalidArgument>(!path.empty() && !isText && !(mayBeWorkbook && extension == ".xlsx"),
                           "cannot write a table to " + Quoted(path) + ": its extension must be .csv, .tsv" +
                             (mayBeWorkbook ? ", .json or .xlsx" : " or .json"));
}

void
WriteRows(const std::string & path, const nlohmann::ordered_json & rows)
{
  const std::string extension = ExtensionOf(path);
  const char        separator = extension == ".csv" ? ',' : '\t';
  ReplaceTextFile(path, [&](std::ostream & stream) {
    if (extension == ".json")
    {
      stream << JsonText(rows) << '\n';
      return;
    }
    std::string before;
    for (const auto & column : rows.front().items())
    {
      stream << before << column.key();
      before = separator;
    }
    stream << '\n';
    for (const auto & row : rows)
    {
      before.clear();
      for (const auto & value : row)
      {
        stream << before
               << (value.is_number_float() ? Shortest(value.get<double>())
                   : value.is_string()     ? TextCell(value.get<std::string>(), separator)
                                           : value.dump());
        before = separator;
      }
      stream << '\n';
    }
  });
}

void
WriteColorTable(const std::string & path, std::uint64_t labels)
{
  ReplaceTextFile(path, [&](std::ostream & stream) {
    stream << "# Color table\n0 background 0 0 0 0\n";
    for (std::uint64_t label = 1; label <= labels; ++label)
    {
      stream << label << ' ' << label;
      for (const double channel : SegmentColor(label))
      {
        stream << ' ' << std::lround(255 * channel);
      }
      stream << " 255\n";
    }
  });
}

void
AddNumbers(job::Findings &         findings,
           const std::string &     name,
           const VoxelsOfNumbers & region,
           const ComponentTable &  table,
           const LoadedImage &     image,
           bool                    isPores,
           int                     line)
{
  // How many components each number has, their voxels, and the voxels of the largest component.
  std::map<std::uint64_t, std::array<std::uint64_t, 3>> sums;
  const auto                                            sum = [&](auto tag) {
    using Number = decltype(tag);
    for (std::size_t place = 0; place < table.components.size(); ++place)
    {
      auto & own = sums[table.measures.Of<Number>()[place].number];
      own = { own[0] + 1, 0, std::max(own[2], table.components.VoxelCount(place)) };
    }
    for (const auto & [number, voxels] : table.measures.Of<NumberVoxels<Number>>())
    {
      sums[number][1] = voxels;
    }
  };
  name == "part" ? sum(PartNumber()) : sum(ZoneNumber());
  const std::string      noun = isPores ? "pore" : "component";
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  job::Findings          all;
  for (const auto & [number, voxels] : region)
  {
    const auto [count, shared, largest] = sums[number];
    const double      percent = PercentOf(shared, voxels);
    job::Findings     own = { { name, number } };
    const std::string begin = (all.empty() ? "" : "\n") + name + ' ' + std::to_string(number) + ": #";
    AddSizes(own, isPores ? "part_" : "region_", voxels, image, 1, begin);
    own.push_back({ noun + 's', count, 1, "#", noun });
    AddSizes(own, noun + '_', shared, image, 0, "#");
    own.push_back({ isPores ? "porosity_percent" : "percent", percent, 1, isPores ? "porosity #" : "# of it", "%" });
    AddSizes(own, "largest_", largest, image, 1, "largest " + noun + " #", table.sliceAxis);
    list.push_back(job::AsJson(own));
    all.insert(all.end(), own.begin(), own.end());
  }
  findings.push_back({ name + 's', list });
  findings.push_back({ "", job::AsText(all), line });
}

} // namespace brickccl::cli
