// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_BRICKS_BRICKRECORD_H
#define BRICKCCL_BRICKS_BRICKRECORD_H

#include "BrickCCL/Bricks/BrickProblem.h"
#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/Bricks/ByteStream.h"
#include "BrickCCL/Bricks/FaceRuns.h"
#include "BrickCCL/Bricks/TableBytes.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Tables/ComponentTable.h"
#include "BrickCCL/Tables/MergeTables.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace brickccl
{

/** The contents of a brick's record. */
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

/** Which of its parts are read. */
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
  BrickBox box;
  /** The number of the volume's components. */
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

} // namespace brickccl

#endif
