// SPDX-License-Identifier: Apache-2.0
// Merges the synthetic records of a volume of CT bricks that are never made: how long BrickMerge takes, and in how much
// memory, for more bricks than any machine has voxels for.
//   brickccl-merge-simulation [SIDE [BRICKS [LAYERS]]]     BRICKS x BRICKS x LAYERS bricks of SIDE^3 voxels
// The planes between bricks hold discs as pores of a rock cut by a plane: one in four fifths of the squares of 18 x 18
// voxels. Half of the pores at a brick's faces are one connected pore space; the others are components of their own.

#include "BrickCCL/Bricks/BrickRecord.h"
#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Host/System.h"
#include "BrickCCL/Phantoms/Random.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <vector>

namespace
{

using namespace brickccl;

/** A plane between bricks: which pore each of its voxels belongs to; 0 is rock. */
struct Plane
{
  std::vector<std::uint32_t> pores;
  std::uint64_t              count = 0;
};

Plane
MakePlane(std::int64_t side, std::uint64_t seed)
{
  constexpr std::int64_t    square = 18;
  std::vector<std::uint8_t> voxels(static_cast<std::size_t>(side * side));
  for (std::int64_t y = 0; y < side; y += square)
  {
    for (std::int64_t x = 0; x < side; x += square)
    {
      const std::uint64_t hash = HashOf(seed, static_cast<std::uint64_t>(y * side + x));
      const auto          radius = static_cast<std::int64_t>(4 + hash % 6);
      const auto          centerX = x + static_cast<std::int64_t>(hash / 8 % square);
      const auto          centerY = y + static_cast<std::int64_t>(hash / 256 % square);
      for (std::int64_t v = std::max<std::int64_t>(0, centerY - radius); v < std::min(side, centerY + radius); ++v)
      {
        for (std::int64_t u = std::max<std::int64_t>(0, centerX - radius); u < std::min(side, centerX + radius); ++u)
        {
          const std::int64_t distance = (u - centerX) * (u - centerX) + (v - centerY) * (v - centerY);
          const bool         isPore = distance < radius * radius && hash / 65536 % 5 != 0;
          voxels[static_cast<std::size_t>(v * side + u)] |= isPore ? 1 : 0;
        }
      }
    }
  }
  Plane    plane;
  Labeling labeling;
  Label(ImageView(voxels.data(), Extent{ side, side }), LabelOptions(), labeling);
  plane.count = labeling.ComponentCount();
  plane.pores.resize(voxels.size());
  labeling.Write(plane.pores.data(), LabelType::UInt32);
  return plane;
}

/** The planes at the faces of a brick: the lower and the upper one across x, y and z. A plane belongs to both of its
 *  bricks. */
class Faces
{
public:
  Faces(const BrickBox & box, const std::vector<Plane> & planes)
    : m_Side(box.extent.size[0])
  {
    for (int axis = 0; axis < 3; ++axis)
    {
      for (int upper = 0; upper < 2; ++upper)
      {
        std::uint64_t place = static_cast<std::uint64_t>(axis);
        for (int other = 0; other < 3; ++other)
        {
          const std::int64_t at = other == axis && upper == 1 ? box.End(other) : box.begin[other];
          place = HashOf(place, static_cast<std::uint64_t>(at));
        }
        const Plane & plane = planes[static_cast<std::size_t>(place % planes.size())];
        m_Planes[2 * axis + upper] = &plane;
        m_FirstPore[2 * axis + upper] = m_Count;
        m_Count += plane.count;
      }
    }
  }

  /** The brick's label of the voxel (u, v) of a face, u faster than v; 0 is rock. */
  std::uint64_t
  Label(int face, std::int64_t u, std::int64_t v) const
  {
    const std::uint64_t pore = m_Planes[face]->pores[static_cast<std::size_t>(v * m_Side + u)];
    // Label 1 is the connected pore space.
    return pore == 0 ? 0 : HashOf(7, m_FirstPore[face] + pore) % 2 == 0 ? 1 : 1 + m_FirstPore[face] + pore;
  }
  std::uint64_t
  LabelCount() const
  {
    return m_Count + 1;
  }

private:
  std::int64_t  m_Side;
  const Plane * m_Planes[6];
  std::uint64_t m_FirstPore[6];
  std::uint64_t m_Count = 0;
};

/** The runs at the faces of a brick, as bytes that FaceRuns reads. */
Bytes
FaceBytes(const BrickBox & box, const Faces & faces)
{
  const std::int64_t         side = box.extent.size[0];
  std::vector<std::uint64_t> row(static_cast<std::size_t>(side));
  const auto                 has = [&](int axis, bool upper) {
    return upper ? box.End(axis) < box.volume.size[axis] : box.begin[axis] > 0;
  };
  ByteWriter    writer;
  std::uint64_t before = 0;
  for (std::int64_t z = 0; z < side; ++z)
  {
    for (std::int64_t y = 0; y < side; ++y)
    {
      const int across = z == 0 && has(2, false)       ? 4
                       : z + 1 == side && has(2, true) ? 5
                       : y == 0 && has(1, false)       ? 2
                       : y + 1 == side && has(1, true) ? 3
                                                       : -1;
      std::fill(row.begin(), row.end(), 0);
      for (std::int64_t x = 0; across >= 0 && x < side; ++x)
      {
        row[static_cast<std::size_t>(x)] = faces.Label(across, x, across >= 4 ? y : z);
      }
      if (across < 0 && has(0, false))
      {
        row.front() = faces.Label(0, y, z);
      }
      if (across < 0 && has(0, true))
      {
        row.back() = faces.Label(1, y, z);
      }
      std::uint64_t runs = 0;
      ByteWriter    written;
      std::int64_t  end = 0;
      for (std::int64_t x = 0; x < side;)
      {
        const std::uint64_t label = row[static_cast<std::size_t>(x)];
        std::int64_t        last = x + 1;
        while (across >= 0 && last < side && row[static_cast<std::size_t>(last)] == label)
        {
          ++last;
        }
        if (label != 0)
        {
          written.Number(static_cast<std::uint64_t>(x - end));
          written.Number(static_cast<std::uint64_t>(last - x - 1));
          written.Signed(static_cast<std::int64_t>(label - before));
          before = label;
          end = last;
          ++runs;
        }
        // Between the ends of a row that is not at another face there is nothing.
        x = across >= 0 ? last : x + 1 == side ? side : side - 1;
      }
      writer.Number(runs);
      writer.Raw(written.Written().data(), written.Size());
    }
  }
  // No values.
  writer.Number(0);
  return writer.Take();
}

Bytes
MakeRecord(const BrickBox & box, const BrickProblem & problem, const std::vector<Plane> & planes)
{
  const Faces faces(box, planes);
  BrickRecord record;
  record.box = box;
  record.problem = problem;
  const std::uint64_t pores = faces.LabelCount();
  for (std::uint64_t pore = 0; pore < pores; ++pore)
  {
    // First voxels in raster order, apart from each other.
    const std::uint64_t voxel = pore * static_cast<std::uint64_t>(box.extent.VoxelCount()) / pores;
    record.firstVoxels.push_back(box.PlaceInVolume(voxel));
    record.voxelCounts.push_back(500 + HashOf(3, pore) % 9000);
    record.foregroundVoxels += record.voxelCounts.back();
  }
  record.faces = FaceRuns(box, problem);
  const Bytes bytes = FaceBytes(box, faces);
  ByteReader  reader(bytes, "synthetic faces");
  record.faces.Read(reader, pores);
  return WriteRecord(record);
}

int
Run(std::int64_t side, std::int64_t bricks, std::int64_t layers)
{
  using Clock = std::chrono::steady_clock;
  const Extent       volume{ side * bricks, side * bricks, side * layers };
  const Extent       brick{ side, side, side };
  const BrickProblem problem(Connectivity::Face(3),
                             Criterion(),
                             ScalarType::UInt8,
                             1,
                             PeriodicAxes(),
                             RelabelOptions());
  std::vector<Plane> planes;
  for (std::uint64_t seed = 0; seed < 61; ++seed)
  {
    planes.push_back(MakePlane(side, seed));
  }
  BrickMerge    merge;
  double        seconds = 0;
  std::uint64_t recordBytes = 0;
  std::uint64_t mapBytes = 0;
  std::size_t   maximumMemory = 0;
  const auto    timed = [](double & sum, auto work) {
    const auto begin = Clock::now();
    work();
    sum += std::chrono::duration<double>(Clock::now() - begin).count();
  };
  for (const BrickBox & box : CutIntoBricks(volume, brick))
  {
    const Bytes record = MakeRecord(box, problem, planes);
    recordBytes += record.size();
    timed(seconds, [&] { merge.Add(record); });
    maximumMemory = std::max(maximumMemory, merge.MemoryBytes());
  }
  double secondsToFinish = 0;
  timed(secondsToFinish, [&] { merge.Finish(); });
  double secondsForMaps = 0;
  timed(secondsForMaps, [&] {
    for (std::size_t i = 0; i < merge.BrickCount(); ++i)
    {
      mapBytes += merge.Map(i).size();
    }
  });
  std::cout << merge.BrickCount() << " bricks of " << brick.ToString() << ", " << volume.VoxelCount()
            << " voxels: " << merge.PartCount() << " components of bricks, " << merge.ComponentCount()
            << " of the volume\n"
            << "records " << recordBytes << " bytes, maps " << mapBytes << " bytes\n"
            << "seconds: add " << seconds << ", finish " << secondsToFinish << ", maps " << secondsForMaps << '\n'
            << "the merge takes up to " << maximumMemory << " bytes before it finishes, peak of the program "
            << PeakMemoryBytes() << " bytes" << std::endl;
  return 0;
}

} // namespace

int
main(int count, char ** arguments)
{
  try
  {
    const auto number = [&](int i, std::int64_t otherwise) -> std::int64_t {
      return count > i ? std::atoll(arguments[i]) : otherwise;
    };
    return Run(number(1, 1024), number(2, 21), number(3, number(2, 21)));
  }
  catch (const std::exception & error)
  {
    std::cerr << "error: " << error.what() << std::endl;
    return 1;
  }
}
