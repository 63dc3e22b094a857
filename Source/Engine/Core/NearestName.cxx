// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/NearestName.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace brickccl
{

std::string
InSmallLetters(std::string text)
{
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char letter) {
    return static_cast<char>(std::tolower(letter));
  });
  return text;
}

/** How many letters must be left out, added, changed or swapped with the next one (optimal string alignment). */
static std::size_t
StepsBetween(const std::string & a, const std::string & b)
{
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
  {
    last[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i)
  {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j)
    {
      const std::size_t changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({ changed, last[j] + 1, row[j - 1] + 1 });
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
      {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::string
NearestName(const std::string & word, const std::vector<std::string> & names)
{
  const std::string spelled = InSmallLetters(word);
  // The unit of a column may be missing: of volume_mm3, not of value, is volume the beginning.
  const auto whole = std::find_if(names.begin(), names.end(), [&](const std::string & name) {
    return spelled.size() >= 3 && InSmallLetters(name).compare(0, spelled.size() + 1, spelled + "_") == 0;
  });
  if (whole != names.end())
  {
    return *whole;
  }
  std::string nearest;
  // A third of the letters may be wrong.
  std::size_t least = std::max<std::size_t>(1, spelled.size() / 3) + 1;
  for (const std::string & name : names)
  {
    const std::size_t steps = StepsBetween(spelled, InSmallLetters(name));
    if (steps < least && steps < name.size())
    {
      least = steps;
      nearest = name;
    }
  }
  // Another end of a longer name may be missing, or its beginning, as in intensity_mean.
  for (const std::string & name : names)
  {
    if (nearest.empty() && spelled.size() >= 3 &&
        (InSmallLetters(name).compare(0, spelled.size(), spelled) == 0 ||
         InSmallLetters("_" + name + "_").find("_" + spelled + "_") != std::string::npos))
    {
      nearest = name;
    }
  }
  return nearest;
}

std::string
DidYouMean(const std::string & word, const std::vector<std::string> & names)
{
  const std::string nearest = NearestName(word, names);
  return nearest.empty() ? "" : " (did you mean '" + nearest + "'?)";
}

} // namespace brickccl
