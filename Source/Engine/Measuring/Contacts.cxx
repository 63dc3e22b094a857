// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Measuring/TouchingRuns.h"

#include "BrickCCL/Core/Neighborhood.h"
#include "BrickCCL/Labels/LabeledRuns.h"
#include "BrickCCL/Runs/AccumulateRuns.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <mutex>
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

/** A row before another one, at most two steps away along each axis. The runs of the two are compared. */
struct NearRow
{
  RowStep step;
  /** The squares of the gaps between the rows along y, z and t. */
  double squares[MaximumDimension - 1] = {};
  /** The axis across which its voxels share faces with the row's; 0 for none. */
  int axis = 0;

  static std::vector<NearRow>
  Before(const Extent & extent, const double * spacing)
  {
    std::vector<NearRow> rows;
    for (int code = 0; code < 5 * 5 * 5 / 2; ++code)
    {
      const RowOffset offset{ { code % 5 - 2, code / 5 % 5 - 2, code / 25 - 2 }, false };
      NearRow         row{ RowStep(offset, extent) };
      int             steps = 0;
      bool            exists = true;
      for (int axis = 1; axis < MaximumDimension; ++axis)
      {
        const int along = std::abs(offset.step[axis - 1]);
        row.squares[axis - 1] = along < 2 ? 0 : spacing[axis] * spacing[axis];
        row.axis = along == 1 ? axis : row.axis;
        steps += along;
        exists = exists && along < extent.size[axis];
      }
      row.axis = steps == 1 ? row.axis : 0;
      if (exists)
      {
        rows.push_back(row);
      }
    }
    return rows;
  }
};

/** Finds the nearest components and the faces among rows near each other. */
template <typename TNearest>
class RowComparer
{
public:
  RowComparer(const RunVolume & volume, const double * spacing, StopPoint & stop, TNearest & nearest)
    : m_Extent(volume.GetExtent())
    , m_Spacing(spacing[0])
    , m_NearRows(NearRow::Before(m_Extent, spacing))
    , m_Rows(volume)
    , m_Stop(stop)
    , m_Faces(stop)
    , m_Nearest(nearest)
  {}

  std::vector<SharedFaces>
  Compare(std::int64_t begin, std::int64_t end)
  {
    RowPosition position(m_Extent, begin);
    for (std::int64_t row = begin; row < end; ++row, position.Advance(m_Extent))
    {
      m_Stop.AskAt(static_cast<std::uint64_t>(row - begin) * 1024);
      // A copy, since in four dimensions an earlier row may take its place.
      m_Own = m_Rows.At(row);
      for (std::size_t i = 1; i < m_Own.size(); ++i)
      {
        m_Stop.AskAt(i);
        Compare(m_Own[i - 1], m_Own[i], {});
        if (m_Own[i - 1].end == m_Own[i].begin)
        {
          m_Faces.Add(m_Own[i - 1].label, m_Own[i].label, 0, 1);
        }
      }
      for (const NearRow & near : m_NearRows)
      {
        if (!m_Own.empty() && near.step.ExistsFrom(position, m_Extent))
        {
          Compare(m_Rows.At(row - near.step.distance), near);
        }
      }
    }
    return m_Faces.Take();
  }

private:
  void
  Compare(const LabeledRun & a, const LabeledRun & b, const NearRow & row)
  {
    if (a.label == b.label)
    {
      return;
    }
    const std::int64_t shared = std::min(a.end, b.end) - std::max(a.begin, b.begin);
    const double       gap = static_cast<double>(std::max<std::int64_t>(0, -shared)) * m_Spacing;
    // In the order of BoundingBoxTree::GapBetween, so that equal distances are equal numbers.
    const double square = gap * gap + row.squares[0] + row.squares[1] + row.squares[2];
    m_Nearest[static_cast<std::size_t>(a.label - 1)].Offer(square, b.label);
    m_Nearest[static_cast<std::size_t>(b.label - 1)].Offer(square, a.label);
    if (row.axis != 0 && shared > 0)
    {
      m_Faces.Add(a.label, b.label, row.axis, static_cast<std::uint64_t>(shared));
    }
  }

  /** Compares each run with all those beside it and the next one on either side: behind these, others are nearer. */
  void
  Compare(const std::vector<LabeledRun> & earlier, const NearRow & row)
  {
    std::size_t first = 0;
    for (const LabeledRun & run : m_Own)
    {
      while (first < earlier.size() && earlier[first].end < run.begin)
      {
        ++first;
      }
      bool isBeside = true;
      for (std::size_t i = first == 0 ? 0 : first - 1; i < earlier.size() && isBeside; ++i)
      {
        Compare(run, earlier[i], row);
        isBeside = earlier[i].begin <= run.end;
      }
    }
  }

  const Extent &          m_Extent;
  double                  m_Spacing;
  std::vector<NearRow>    m_NearRows;
  LabeledRows             m_Rows;
  std::vector<LabeledRun> m_Own;
  StopPoint &             m_Stop;
  FaceList                m_Faces;
  TNearest &              m_Nearest;
};

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

NearComponents
FindNearComponents(const RunVolume &   volume,
                   std::uint64_t       components,
                   const HostContext & context,
                   const Geometry &    geometry)
{
  const Extent &                        extent = volume.GetExtent();
  NearComponents                        found;
  std::vector<std::vector<SharedFaces>> lists;
  std::mutex                            listing;
  found.nearest = AccumulateSlabs<Nearest>(volume,
                                           components,
                                           context.Part(0, 0.9),
                                           [&](auto & nearest, std::int64_t begin, std::int64_t end, StopPoint & stop) {
                                             auto list =
                                               RowComparer(volume, geometry.spacing, stop, nearest).Compare(begin, end);
                                             const std::lock_guard<std::mutex> lock(listing);
                                             lists.push_back(std::move(list));
                                           });
  for (int axis = 1; axis < extent.dimension; ++axis)
  {
    const double gap = 2 * geometry.spacing[axis];
    found.reach = extent.size[axis] > 3 ? std::min(found.reach, gap * gap) : found.reach;
  }

  double       faceAreas[MaximumDimension] = {};
  const double voxel = geometry.VoxelVolume(extent.dimension);
  for (int axis = 0; axis < extent.dimension; ++axis)
  {
    faceAreas[axis] = voxel / geometry.spacing[axis];
  }
  StopPoint                         stop(context);
  const Chunks                      labels(static_cast<std::int64_t>(components), 1, 256);
  std::vector<std::vector<Contact>> parts(static_cast<std::size_t>(labels.count));
  ParallelFor(labels.count, context.Part(0.9, 1), [&](std::int64_t part) {
    parts[static_cast<std::size_t>(part)] = ContactsOf(lists,
                                                       static_cast<std::uint64_t>(labels.Begin(part)) + 1,
                                                       static_cast<std::uint64_t>(labels.End(part)) + 1,
                                                       faceAreas,
                                                       stop);
  });
  for (const std::vector<Contact> & part : parts)
  {
    stop.Ask();
    found.contacts.insert(found.contacts.end(), part.begin(), part.end());
  }
  return found;
}

} // namespace brickccl
