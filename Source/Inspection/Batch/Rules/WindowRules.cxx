// SPDX-License-Identifier: Apache-2.0
// Rules on a reference area or volume, wherever it is in the image.

#include "BrickCCL/Batch/ReferenceWindow.h"
#include "BrickCCL/Batch/Rules.h"
#include "BrickCCL/Batch/Rules/RuleJudge.h"
#include "BrickCCL/Core/Printable.h"

#include <algorithm>

namespace brickccl::batch
{

static bool
IsVolume(const AcceptanceRule & rule)
{
  return rule.rule == "porosity-per-volume" || rule.rule == "number-per-volume";
}

/** Takes the worst place of the window: by shares, or by the number of defects. */
template <bool isShare>
static void
JudgeWindow(RuleJudge & judge)
{
  const ComponentTable & table = judge.findings.table;
  const AcceptanceRule & rule = judge.rule;
  const ReferenceWindow  window(rule.reference,
                               IsVolume(rule) ? -1 : AxisFromName(rule.across),
                               table.extent,
                               table.geometry);
  const WindowContents   contents{ judge.findings.runs, judge.counts, judge.findings.context };
  const bool             isOfPart = rule.leastPart > 0 && judge.findings.part;
  const auto             worst = !isShare ? HighestNumber(contents, window)
                               : isOfPart ? HighestShare(contents, window, judge.findings.part, rule.leastPart / 100)
                                          : HighestShare(contents, window);
  judge.Take(!worst ? 0 : isShare ? 100 * worst->value : worst->value);
  if (!worst)
  {
    return;
  }
  RuleResult & result = judge.result;
  result.window = RuleResult::Window{ worst->first, window.size };
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    result.window->first[axis] += table.geometry.startIndex[axis];
  }
  std::vector<std::uint64_t> labels = LabelsIn(contents, window, *worst);
  std::transform(labels.begin(), labels.end(), labels.begin(), [&](std::uint64_t place) {
    return table.components.Label(static_cast<std::size_t>(place - 1));
  });
  judge.DecideByLargestOf(labels);
  if (result.slice)
  {
    // The slice shows the defect and the window.
    const std::int64_t first = result.window->first[2];
    result.slice = std::clamp(*result.slice, first, first + window.size[2] - 1);
  }
}

static std::string
WindowText(const AcceptanceRule & rule, const job::Language & language)
{
  return language(IsVolume(rule) ? "every cube of {1} mm a side, wherever it is in the image"
                                 : "every square of {1} mm a side, wherever it is in the slices across {2}",
                  { language.Decimal(Shortest(rule.reference)), rule.across });
}

static std::string
ExplainNumberInWindow(const AcceptanceRule & rule, const std::string &, const job::Language & language)
{
  return language.Plural(rule.limit,
                         "{2}, cuts at most {1} defect|{2}, cuts at most {1} defects",
                         { WindowText(rule, language) });
}

static std::string
ExplainShareOfWindow(const AcceptanceRule & rule, const std::string & region, const job::Language & language)
{
  const std::string limit = language.Decimal(Shortest(rule.limit));
  const std::string window = WindowText(rule, language);
  return rule.leastPart > 0 ? language("defects fill at most {1} % {2} in {3}, of which at least {4} % are {5}",
                                       { limit,
                                         language("of the " + region),
                                         window,
                                         language.Decimal(Shortest(rule.leastPart)),
                                         language("in the " + region) })
                            : language("defects fill at most {1} % of {2}", { limit, window });
}

std::vector<Rule>
WindowRules()
{
  return { { "porosity-per-area",
             "at_most_percent reference_mm [across] [least_part_percent]",
             "",
             JudgeWindow<true>,
             ExplainShareOfWindow },
           { "porosity-per-volume",
             "at_most_percent reference_mm [least_part_percent]",
             "",
             JudgeWindow<true>,
             ExplainShareOfWindow },
           { "number-per-area",
             "at_most_count reference_mm [across]",
             "",
             JudgeWindow<false>,
             ExplainNumberInWindow,
             "{1} defect in a square of {2} mm a side|{1} defects in a square of {2} mm a side" },
           { "number-per-volume",
             "at_most_count reference_mm",
             "",
             JudgeWindow<false>,
             ExplainNumberInWindow,
             "{1} defect in a cube of {2} mm a side|{1} defects in a cube of {2} mm a side" } };
}

} // namespace brickccl::batch
