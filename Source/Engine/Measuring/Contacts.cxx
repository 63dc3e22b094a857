// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/TouchingRuns.h"

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/Neighborhood.h"
#include "BrickCCL/Labels/LabeledRuns.h"
#include "BrickCCL/Runs/FindRuns.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace brickccl
{

namespace
{

/** A number of faces across one axis between two components. */
struct SharedFaces
{
  std::uint64_t first;
  std::uint64_t second;
  std::uint64_t count;
  int           axis;

  bool
  HasPairOf(const SharedFaces & other) const
  {
    return first == other.first && second == other.second;
  }
};

/** Sorts by pairs, then by axes. */
void
Sort(std::vector<SharedFaces> & faces, StopPoint & stop)
{
  std::uint64_t compared = 0;
  std::sort(faces.begin(), faces.end(), [&](const SharedFaces & a, const SharedFaces & b) {
    stop.AskAt(++compared);
    return a.first != b.first ? a.first < b.first : a.second != b.second ? a.second < b.second : a.axis < b.axis;
  });
}

/** The faces that some rows share with earlier ones. Entries of a pair and axis are merged: the list stays short. */
class FaceList
{
public:
  explicit FaceList(StopPoint & stop)
    : m_Stop(stop)
  {}

  void
  Add(std::uint64_t a, std::uint64_t b, int axis, std::uint64_t count)
  {
    const SharedFaces faces{ std::min(a, b), std::max(a, b), count, axis };
    if (!m_Faces.empty() && m_Faces.back().HasPairOf(faces) && m_Faces.back().axis == axis)
    {
      m_Faces.back().count += count;
      return;
    }
    if (m_Faces.size() >= m_Limit)
    {
      Reduce();
      m_Limit = std::max(m_Limit, 2 * m_Faces.size());
    }
    m_Faces.push_back(faces);
  }

  /** The entries in order, one for each pair and axis. */
  std::vector<SharedFaces>
  Take()
  {
    Reduce();
    return std::move(m_Faces);
  }

private:
  void
  Reduce()
  {
    Sort(m_Faces, m_Stop);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < m_Faces.size(); ++i)
    {
      if (kept > 0 && m_Faces[kept - 1].HasPairOf(m_Faces[i]) && m_Faces[kept - 1].axis == m_Faces[i].axis)
      {
        m_Faces[kept - 1].count += m_Faces[i].count;
      }
      else
      {
        m_Faces[kept++] = m_Faces[i];
      }
    }
    m_Faces.resize(kept);
  }

  StopPoint &              m_Stop;
  std::vector<SharedFaces> m_Faces;
  std::size_t              m_Limit = std::size_t{ 1 } << 20;
};

/** The smallest label that each component touches. Several threads may add contacts. */
class SmallestLabels
{
public:
  explicit SmallestLabels(std::uint64_t components)
    : m_Labels(static_cast<std::size_t>(components), none)
  {}

  void
  Touch(std::uint64_t a, std::uint64_t b)
  {
    Offer(m_Labels[static_cast<std::size_t>(a - 1)], b);
    Offer(m_Labels[static_cast<std::size_t>(b - 1)], a);
  }

  std::vector<std::uint64_t>
  Take()
  {
    std::replace(m_Labels.begin(), m_Labels.end(), none, std::uint64_t{ 0 });
    return std::move(m_Labels);
  }

private:
  static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

  static void
  Offer(std::uint64_t & smallest, std::uint64_t label)
  {
    std::uint64_t known = __atomic_load_n(&smallest, __ATOMIC_RELAXED);
    while (label < known &&
           !__atomic_compare_exchange_n(&smallest, &known, label, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    {}
  }

  std::vector<std::uint64_t> m_Labels;
};

/** The axis across which the voxels of a row and of an earlier one share faces; 0 for none. */
int
AxisAcross(const RowOffset & offset)
{
  int across = 0;
  int steps = 0;
  for (int axis = 1; axis < MaximumDimension; ++axis)
  {
    across = offset.step[axis - 1] != 0 ? axis : across;
    steps += offset.step[axis - 1] != 0 ? 1 : 0;
  }
  return steps == 1 ? across : 0;
}

/** The contacts between the runs of a row and of an earlier one that touches it. */
void
Compare(const std::vector<LabeledRun> & own,
        const std::vector<LabeledRun> & earlier,
        int                             axis,
        FaceList &                      faces,
        SmallestLabels &                smallest)
{
  const auto touch = [&](std::size_t i, std::size_t j) {
    const LabeledRun & a = own[i];
    const LabeledRun & b = earlier[j];
    if (a.label == b.label || a.begin > b.end || b.begin > a.end)
    {
      return;
    }
    smallest.Touch(a.label, b.label);
    const std::int64_t shared = std::min(a.end, b.end) - std::max(a.begin, b.begin);
    if (axis != 0 && shared > 0)
    {
      faces.Add(a.label, b.label, axis, static_cast<std::uint64_t>(shared));
    }
  };
  for (std::size_t i = 0, j = 0; i < own.size() && j < earlier.size();)
  {
    touch(i, j);
    if (own[i].end < earlier[j].end)
    {
      ++i;
      continue;
    }
    // Runs that end together may both touch the next one of the other row with a corner.
    if (own[i].end == earlier[j].end && i + 1 < own.size())
    {
      touch(i + 1, j);
    }
    ++j;
  }
}

void
CompareRows(const RunVolume & volume,
            std::int64_t      begin,
            std::int64_t      end,
            FaceList &        faces,
            SmallestLabels &  smallest,
            StopPoint &       stop)
{
  const Extent &          extent = volume.GetExtent();
  const RowSteps          earlierRows(Connectivity::Full(extent.dimension).BackwardRows(), extent);
  LabeledRows             rows(volume);
  std::vector<LabeledRun> own;
  std::uint64_t           runs = 0;
  RowPosition             position(extent, begin);
  for (std::int64_t row = begin; row < end; ++row, position.Advance(extent))
  {
    stop.AskAt(static_cast<std::uint64_t>(row - begin) * 64);
    // A copy, since in four dimensions an earlier row may take its place.
    own = rows.At(row);
    for (std::size_t i = 1; i < own.size(); ++i)
    {
      stop.AskAt(runs++);
      if (own[i - 1].end == own[i].begin)
      {
        smallest.Touch(own[i - 1].label, own[i].label);
        faces.Add(own[i - 1].label, own[i].label, 0, 1);
      }
    }
    for (const RowStep & earlier : earlierRows)
    {
      if (!own.empty() && earlier.ExistsFrom(position, extent))
      {
        Compare(own, rows.At(row - earlier.distance), AxisAcross(earlier.offset), faces, smallest);
      }
    }
  }
}

/** The contacts whose lower labels are begin <= label < end. `lists` are sorted. */
std::vector<Contact>
ContactsOf(const std::vector<std::vector<SharedFaces>> & lists,
           std::uint64_t                                 begin,
           std::uint64_t                                 end,
           const double *                                faceAreas,
           StopPoint &                                   stop)
{
  const auto               isBelow = [](const SharedFaces & faces, std::uint64_t label) { return faces.first < label; };
  std::vector<SharedFaces> all;
  for (const std::vector<SharedFaces> & list : lists)
  {
    const auto from = std::lower_bound(list.begin(), list.end(), begin, isBelow);
    all.insert(all.end(), from, std::lower_bound(from, list.end(), end, isBelow));
  }
  Sort(all, stop);
  std::vector<Contact> contacts;
  for (std::size_t i = 0; i < all.size();)
  {
    const SharedFaces & pair = all[i];
    Contact             contact{ pair.first, pair.second, 0, 0 };
    while (i < all.size() && all[i].HasPairOf(pair))
    {
      // An area is the product of a whole number of faces, so that it does not depend on the chunks.
      const int     axis = all[i].axis;
      std::uint64_t count = 0;
      for (; i < all.size() && all[i].HasPairOf(pair) && all[i].axis == axis; ++i)
      {
        count += all[i].count;
      }
      contact.faces += count;
      contact.area += static_cast<double>(count) * faceAreas[axis];
    }
    contacts.push_back(contact);
  }
  return contacts;
}

} // namespace

ComponentContacts
FindContacts(const RunVolume & volume, std::uint64_t components, const HostContext & context, const Geometry & geometry)
{
  const Extent &                        extent = volume.GetExtent();
  ComponentContacts                     found;
  const Chunks                          chunks = RowChunks(extent, context);
  std::vector<std::vector<SharedFaces>> lists(static_cast<std::size_t>(chunks.count));
  SmallestLabels                        smallest(components);
  StopPoint                             stop(context);
  ParallelFor(chunks.count, context.Part(0, 0.7), [&](std::int64_t chunk) {
    FaceList faces(stop);
    CompareRows(volume, chunks.Begin(chunk), chunks.End(chunk), faces, smallest, stop);
    lists[static_cast<std::size_t>(chunk)] = faces.Take();
  });
  found.smallestTouching = smallest.Take();

  double       faceAreas[MaximumDimension] = {};
  const double voxel = geometry.VoxelVolume(extent.dimension);
  for (int axis = 0; axis < extent.dimension; ++axis)
  {
    faceAreas[axis] = voxel / geometry.spacing[axis];
  }
  const Chunks                      labels(static_cast<std::int64_t>(components), 1, 256);
  std::vector<std::vector<Contact>> parts(static_cast<std::size_t>(labels.count));
  ParallelFor(labels.count, context.Part(0.7, 1), [&](std::int64_t part) {
    parts[static_cast<std::size_t>(part)] = ContactsOf(lists,
                                                       static_cast<std::uint64_t>(labels.Begin(part)) + 1,
                                                       static_cast<std::uint64_t>(labels.End(part)) + 1,
                                                       faceAreas,
                                                       stop);
  });
  for (const std::vector<Contact> & part : parts)
  {
    stop.Ask();
    found.faces.insert(found.faces.end(), part.begin(), part.end());
  }
  return found;
}

} // namespace brickccl
