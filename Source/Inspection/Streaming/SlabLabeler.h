// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Bricks/Bricks.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Buffer.h"
#include "BrickCCL/Host/Stopwatch.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Streaming/LabelBySlabs.h"
#include "BrickCCL/Streaming/WorkFolder.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace brickccl
{

struct SlabViews
{
  ImageView                image;
  std::optional<ImageView> mask;
  std::optional<ImageView> intensity;
  std::optional<ImageView> zones;
};

class SlabReader
{
public:
  explicit SlabReader(const SlabImages & images)
    : m_Images(images)
  {}

  /** The voxels are valid until the next call, or until Forget. */
  SlabViews Read(const BrickBox & slab);

  /** Releases the memory of a slab in mapped files. */
  void Forget(const BrickBox & slab) const;

private:
  SlabImages        m_Images;
  Buffer<std::byte> m_Rooms[4];
};

/** One of several labelings of a volume, which have the same slabs and keep their states in one folder. */
struct SlabStage
{
  /** The number of its first file. */
  std::size_t firstFile = 0;
  /** Makes the voxels of a slab. Without it, the image is labeled. */
  std::function<ImageView(std::size_t slab, const std::optional<ImageView> & mask)> make = {};
  /** Makes the part in a slab. Without it, zones count everywhere. */
  std::function<ImageView(std::size_t slab)> part = {};
};

class SlabLabeler
{
public:
  SlabLabeler(const SlabImages & images, const SlabOptions & options, const WorkFolder & folder, SlabStage stage = {});

  /** The steps, in this order. The last one is left out where only labels are needed. */
  void LabelSlabs();
  void Merge();
  void MergeTables();

  /** Reads the runs of a slab with the labels of the volume. */
  void ReadRuns(std::size_t slab, RunVolume & runs) const;
  /** Those that an earlier step wrote. */
  Bytes ReadState(std::size_t slab, WorkFolder::Kind kind) const;
  /** The first row of a slab in the volume. */
  std::int64_t FirstRowOf(std::size_t slab) const;

  SlabResult &
  Result()
  {
    return m_Result;
  }

private:
  /** Whether the values of components are measured: they are the same for all voxels of one. */
  bool
  MeasuresClasses() const
  {
    return m_Options.measures && m_Options.label.criterion.joining == Criterion::Joining::EqualValue &&
           (m_Images.image->channels == 1 || m_Stage.make) && !m_Stage.part;
  }

  std::function<Bytes(std::size_t)> Reader(WorkFolder::Kind kind) const;

  void          LabelSlab(std::size_t slab, SlabReader & reader, Labeling & scratch);
  void          RefuseComponents();
  void          CountSlabs();
  void          MeasureNumbers();
  std::uint64_t TableBytes(std::uint64_t parts, std::uint64_t components) const;

  SlabImages          m_Images;
  const SlabOptions & m_Options;
  const WorkFolder &  m_Folder;
  SlabStage           m_Stage;
  HostContext         m_Context;
  SlabResult          m_Result;
  Stopwatch           m_Clock;
  /** The components of all slabs. */
  std::uint64_t m_SlabComponents = 0;
};

/** Writes the labels of rows, nearly in order, from the state of a stage. */
std::function<void(std::int64_t begin, std::int64_t end, LabelType type, void * rows)>
RowWriterOf(const SlabPlan & plan, const std::shared_ptr<const WorkFolder> & folder, std::size_t firstFile);

/** Labels components and splits them into objects, as job::LabelObjects does. \param parents  gets how many there are
 */
SlabResult LabelObjectsBySlabs(const SlabImages &                        images,
                               const SlabOptions &                       options,
                               const std::shared_ptr<const WorkFolder> & folder,
                               std::uint64_t &                           parents);

/** Labels the pores of a part, as FindPores finds them, slab by slab: first the pieces of the material, then what is
 *  not of the largest one, then the pores. The state of all three is in the folder. */
SlabResult LabelPoresBySlabs(const SlabImages & images, const SlabOptions & options, const WorkFolder & folder);

} // namespace brickccl
