// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Bricks/BrickProblem.h"
#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/Bricks/ByteStream.h"
#include "BrickCCL/Bricks/FaceRuns.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Measuring/LocalCounts.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Tables/ComponentTable.h"
#include "BrickCCL/Tables/MergeTables.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace brickccl
{

/** Columns that take a second look at the merged components, with the layer of voxels before each brick. */
struct SecondLook
{
  bool surface = false;
  bool topology = false;

  bool
  IsAny() const
  {
    return surface || topology;
  }
};

/** The second look that the columns need; and the groups that the first one measures. */
SecondLook   SecondLookOf(const ColumnGroups & groups);
ColumnGroups FirstLookOf(const ColumnGroups & groups);

/** Adds the groups of the second look to a merged table's groups, in their order. */
void AddGroups(const SecondLook & look, ComponentTable & table);

/** Writes what merging needs of a brick's table. */
void WriteTable(const ComponentTable & table, ByteWriter & writer);

/** Reads it. \param box  the brick that was measured. */
ComponentTable ReadTable(ByteReader & reader, const BrickBox & box);

struct BrickRecord
{
  BrickBox      box;
  BrickProblem  problem;
  std::uint64_t foregroundVoxels = 0;
  /** Values of the image that are not a number. */
  std::uint64_t notNumbers = 0;
  /** Components that reach no other brick and that the limits on sizes dropped. */
  std::uint64_t tooSmall = 0;
  std::uint64_t tooLarge = 0;
  /** For each remaining component: its first voxel's raster index in the volume, and its voxels. */
  std::vector<std::uint64_t> firstVoxels;
  std::vector<std::uint64_t> voxelCounts;
  FaceRuns                   faces;
  /** For the remaining components, if bricks are measured. */
  std::optional<ComponentTable> table;
  /** Further data of the table once all bricks are merged. */
  SecondLook secondLook;
};

enum class RecordParts
{
  Merging,
  Table
};

Bytes       WriteRecord(const BrickRecord & record);
BrickRecord ReadRecord(BytesView bytes, RecordParts parts);

/** The labels of the volume for the labels of a brick. */
struct BrickMap
{
  BrickBox      box;
  std::uint64_t components = 0;
  /** The checksum of the brick's record. */
  std::uint64_t record = 0;
  /** For 0 .. the brick's number of labels; 0 is background. */
  std::vector<std::uint64_t> labels;
  /** The volume's periodic axes. If there are any, each label has its place in its unwrapped component. */
  PeriodicAxes              periodic;
  std::vector<UnwrappedRow> unwrapped;
};

Bytes    WriteMap(const BrickMap & map);
BrickMap ReadMap(BytesView bytes);

/** The runs of a brick with the labels of the volume. \throws Error if they do not belong to the map. */
void ReadBrickRuns(BytesView runs, const BrickMap & map, const HostContext & context, RunVolume & volume);

void     WriteBox(const BrickBox & box, ByteWriter & writer);
BrickBox ReadBox(ByteReader & reader);

/** Sums over the neighboring voxels of components. For a single brick they may be below 0 (modulo 2^64). */
struct BrickCounts
{
  /** The checksum of the record of the brick. */
  std::uint64_t record = 0;
  /** Labels of the volume, ascending, and the sums of each. */
  std::vector<std::uint64_t>      labels;
  UninitializedVector<MarkCounts> pairs;
  std::vector<TopologyMeasures>   euler;

  /** Adds the sums of components, or takes them away. */
  void
  Add(const UninitializedVector<MarkCounts> & otherPairs, const std::vector<TopologyMeasures> & otherEuler, bool adds);
};

Bytes       WriteCounts(const BrickCounts & counts);
BrickCounts ReadCounts(BytesView bytes);

/** Writes the runs of a labeled brick, whose labels are 1.. in raster order or 0. Runs of the label 0 are left out. A
 *  run that is near to one of the row before, with the same label and bounds that differ by -4 to 3, takes 1 byte.
 *  Other runs have the gap before them, their length, and their label unless it is the expected one: the label of the
 *  first run of the row before that it overlaps, or else the next label that no row before has. Blocks of rows are
 *  written and read on their own, by threads. */
void WriteRuns(const RunVolume & volume, const HostContext & context, ByteWriter & writer);

/** Reads them with labels[i] instead of label i, up to the brick's number of them. \throws Error for damaged bytes. */
void ReadRuns(ByteReader &                       reader,
              const Extent &                     extent,
              const std::vector<std::uint64_t> & labels,
              const HostContext &                context,
              RunVolume &                        volume);

} // namespace brickccl
