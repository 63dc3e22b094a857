#include "BrickCCL/Cli/Report.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/SegmentColours.h"
#include "BrickCCL/Host/AtomicFile.h"
#include "BrickCCL/Tables/ColumnGroup.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iostream>

namespace brickccl::cli
{

LabelType
ResolveLabelType(LabelType requested, std::uint64_t largest, const std::string & what, LabelType widest)
{
  const LabelType smallest = SmallestLabelType(largest);
  if (MaximumLabel(smallest) > MaximumLabel(widest))
  {
    throw LabelOverflow(what + " not fit label type " + NameOf(widest) + ", whose largest label is " +
                        std::to_string(MaximumLabel(widest)) + " and which is the widest that can be used here");
  }
  if (requested == LabelType::Auto)
  {
    return smallest;
  }
  if (largest > MaximumLabel(requested))
  {
    throw LabelOverflow(what + " not fit label type " + NameOf(requested) + ", whose largest label is " +
                        std::to_string(MaximumLabel(requested)) + "; use --label-type " + NameOf(smallest) +
                        " or auto");
  }
  return requested;
}

std::string
ExtensionOf(const std::string & path)
{
  const auto  dot = path.rfind('.');
  std::string extension = dot == std::string::npos ? "" : path.substr(dot);
  std::transform(extension.begin(), extension.end(), extension.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return extension;
}

Reporter::Reporter(bool quiet)
  : m_Quiet(quiet)
  , m_Terminal(ErrorStreamIsTerminal())
{}

Reporter::~Reporter()
{
  ClearLine();
}

void
Reporter::ClearLine()
{
  if (!m_Quiet && m_Terminal && m_Shown >= 0)
  {
    std::cerr << "\r\033[K" << std::flush;
  }
  m_Shown = -1;
}

void
Reporter::Step(const std::string & name)
{
  ThrowIfInterrupted();
  ClearLine();
  m_Step = name;
  m_Begin = std::chrono::steady_clock::now();
  if (!m_Quiet)
  {
    std::cerr << name << (m_Terminal ? " ..." : "\n") << std::flush;
    m_Shown = 0;
  }
}

void
Reporter::Note(const std::string & text)
{
  if (!m_Quiet)
  {
    ClearLine();
    std::cerr << text << std::endl;
  }
}

std::string
Reporter::TimeLeft(double fraction) const
{
  const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - m_Begin).count();
  // What took less than a second says little about the rest.
  if (passed < 1 || fraction <= 0.02 || fraction >= 1)
  {
    return {};
  }
  const auto left = static_cast<long long>(std::ceil(passed / fraction - passed));
  return left < 120 ? ", " + std::to_string(left) + " s left" : ", " + std::to_string((left + 59) / 60) + " min left";
}

ProgressHooks
Reporter::Hooks()
{
  ProgressHooks hooks;
  hooks.cancelled = WasInterrupted;
  if (!m_Quiet && m_Terminal)
  {
    hooks.report = [this](double fraction) {
      constexpr int width = 40;
      const auto    percent = static_cast<int>(100 * fraction);
      if (percent != m_Shown)
      {
        m_Shown = percent;
        const auto done = static_cast<std::size_t>(width * fraction);
        std::cerr << '\r' << m_Step << " [" << std::string(done, '#') << std::string(width - done, '.') << "] "
                  << percent << " %" << TimeLeft(fraction) << "\033[K" << std::flush;
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
    throw Cancelled();
  }
}

nlohmann::ordered_json
ToJson(const Totals & totals)
{
  return { { "voxel_count", totals.voxels },
           { totals.sizeName, totals.size },
           { "region_" + totals.sizeName, totals.regionSize },
           { "fraction", totals.fraction } };
}

ColumnGroups
ParseColumns(const std::string & names, bool hasIntensity)
{
  const ColumnGroups groups = ColumnGroups::FromNames(names);
  for (const ColumnGroup * const group : groups.List())
  {
    if (group->needsIntensity && !hasIntensity)
    {
      throw InvalidArgument(std::string("the columns '") + group->name + "' need an intensity image: --intensity FILE");
    }
  }
  return groups;
}

void
CheckTableName(const std::string & path, bool mayBeWorkbook)
{
  const std::string extension = ExtensionOf(path);
  const bool        isText = extension == ".csv" || extension == ".tsv" || extension == ".json";
  if (!isText && !(mayBeWorkbook && extension == ".xlsx"))
  {
    std::string way;
    if (extension == ".parquet")
    {
      const std::string stem = path.substr(0, path.size() - extension.size());
      way = "; Parquet is made of a .csv by Python: python3 -c \"import pandas; pandas.read_csv('" + stem +
            ".csv').to_parquet('" + stem + ".parquet')\"";
    }
    throw InvalidArgument("cannot write a table to '" + path + "': its extension must be .csv, .tsv" +
                          (mayBeWorkbook ? ", .json or .xlsx" : " or .json") + way);
  }
}

void
WriteColourTable(const std::string & path, std::uint64_t labels)
{
  ReplaceTextFile(path, [&](std::ostream & stream) {
    stream << "# Color table\n0 background 0 0 0 0\n";
    for (std::uint64_t label = 1; label <= labels; ++label)
    {
      stream << label << ' ' << label;
      for (const double channel : SegmentColour(label))
      {
        stream << ' ' << std::lround(255 * channel);
      }
      stream << " 255\n";
    }
  });
}

} // namespace brickccl::cli
