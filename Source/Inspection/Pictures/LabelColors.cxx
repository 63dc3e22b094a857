// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Pictures/LabelColors.h"

#include "BrickCCL/Pictures/PictureKey.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace brickccl
{

/** Colors that are easy to distinguish, side by side and on gray. */
constexpr Color Palette[] = { { 230, 57, 70 },   { 42, 157, 244 },  { 255, 183, 3 },  { 46, 196, 120 },
                              { 181, 101, 244 }, { 255, 127, 80 },  { 0, 200, 200 },  { 245, 105, 190 },
                              { 160, 210, 60 },  { 110, 130, 255 }, { 205, 133, 63 }, { 150, 230, 190 },
                              { 240, 230, 110 }, { 190, 70, 120 },  { 90, 160, 60 },  { 200, 180, 255 } };

using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

static void
SortOut(Pairs & pairs)
{
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

/** Adds each pair of labels that lie close to each other, in both orders. */
static void
AddNeighbors(const SlicePixels & slice, Pairs & pairs)
{
  constexpr int    directions[4][2] = { { 1, 0 }, { 0, 1 }, { 1, 1 }, { -1, 1 } };
  constexpr int    distances[] = { 1, 2, 3, 4 };
  constexpr size_t maximumUnsorted = std::size_t{ 1 } << 20;
  for (int y = 0; y < slice.height; ++y)
  {
    for (int x = 0; x < slice.width; ++x)
    {
      const auto at = static_cast<std::size_t>(y) * static_cast<std::size_t>(slice.width) + static_cast<std::size_t>(x);
      const std::uint64_t label = slice.labels[at];
      for (int i = 0; label != 0 && i < 16; ++i)
      {
        const int otherX = x + directions[i / 4][0] * distances[i % 4];
        const int otherY = y + directions[i / 4][1] * distances[i % 4];
        if (otherX < 0 || otherX >= slice.width || otherY >= slice.height)
        {
          continue;
        }
        const std::uint64_t other =
          slice.labels[static_cast<std::size_t>(otherY) * static_cast<std::size_t>(slice.width) +
                       static_cast<std::size_t>(otherX)];
        if (other != 0 && other != label)
        {
          pairs.emplace_back(label, other);
          pairs.emplace_back(other, label);
        }
      }
    }
    if (pairs.size() > maximumUnsorted)
    {
      SortOut(pairs);
    }
  }
}

LabelColors::LabelColors(const std::vector<SlicePixels> & slices, const std::vector<std::uint64_t> & listed)
{
  Pairs pairs;
  for (const SlicePixels & slice : slices)
  {
    AddNeighbors(slice, pairs);
  }
  SortOut(pairs);
  // Listed labels choose first.
  std::vector<std::uint64_t> order = LabelsOf(slices);
  order.insert(order.begin(), listed.begin(), listed.end());

  std::size_t listedTaken[std::size(Palette)] = {};
  for (std::size_t i = 0; i < order.size(); ++i)
  {
    const std::uint64_t label = order[i];
    if (m_Colors.count(label) != 0)
    {
      continue;
    }
    // The label gets the first of the colors that the fewest neighbors have, counted from its own place on.
    std::size_t taken[std::size(Palette)] = {};
    const auto  first = std::lower_bound(pairs.begin(), pairs.end(), std::make_pair(label, std::uint64_t{ 0 }));
    for (auto pair = first; pair != pairs.end() && pair->first == label; ++pair)
    {
      const auto found = m_Colors.find(pair->second);
      if (found != m_Colors.end())
      {
        ++taken[found->second];
      }
    }
    const bool  isListed = i < listed.size();
    std::size_t best = static_cast<std::size_t>((label - 1) % std::size(Palette));
    const auto  cost = [&](std::size_t color) { return taken[color] + (isListed ? listedTaken[color] : 0); };
    for (std::size_t step = 1; step < std::size(Palette); ++step)
    {
      const std::size_t color = static_cast<std::size_t>((label - 1 + step) % std::size(Palette));
      best = cost(color) < cost(best) ? color : best;
    }
    listedTaken[best] += isListed ? 1 : 0;
    m_Colors[label] = best;
  }
}

Color
LabelColors::operator[](std::uint64_t label) const
{
  return Palette[m_Colors.at(label)];
}

std::size_t
LabelColors::Count()
{
  return std::size(Palette);
}

} // namespace brickccl
