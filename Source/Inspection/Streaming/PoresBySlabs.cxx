// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Streaming/SlabLabeler.h"

#include "BrickCCL/Bricks/BrickRecord.h"
#include "BrickCCL/Core/AxisOfParts.h"
#include "BrickCCL/Criteria/RowLinks.h"
#include "BrickCCL/Job/JobCriterion.h"
#include "BrickCCL/Measuring/ComponentTrees.h"
#include "BrickCCL/Runs/FindRuns.h"
#include "BrickCCL/Segmenting/FillPart.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace brickccl
{

namespace
{

class PoreSlabs
{
public:
  PoreSlabs(const SlabImages & images, const SlabOptions & options, const WorkFolder & folder)
    : m_Options(options)
    , m_Images(images)
    , m_Folder(folder)
    , m_Material({ images.image }, m_OfMaterial, folder, { m_Slabs.size() })
    , m_Pores(images,
              m_OfPores,
              folder,
              { 0,
                [this](std::size_t slab, const auto & mask) { return PoresOf(slab, mask); },
                [this](std::size_t slab) { return PartOf(slab); } })
  {
    m_OfPores.label.criterion = m_Wanted ? Criterion::EqualValue(0) : Criterion::Foreground();
    m_Found.extent = m_Extent;
    m_Found.geometry = options.label.geometry;
  }

  SlabResult
  Run()
  {
    m_Options.hooks.step("finding the part");
    LabelSlabs(m_Material);
    CheckMaterial(m_Material.Result().foregroundVoxels, m_Extent, m_Options.label.criterion);
    m_Wanted ? TakeParts() : TakePiece(1);
    m_Pieces.emplace(m_Material.Result().components);
    LabelSlabs(m_Pores);
    CompleteCounts(m_Material.Result().foregroundVoxels, *m_Pieces, m_Found);
    MeasurePores();
    SlabResult & result = m_Pores.Result();
    result.notNumbers = m_Material.Result().notNumbers;
    result.pores = m_Found;
    return std::move(result);
  }

private:
  /** One of the parts: its piece of material, the slabs that have voxels of it, and the outside. */
  struct OnePart
  {
    std::size_t   label;
    SlabLabeler   air;
    std::size_t   first = 0;
    std::size_t   last = 0;
    OutsideOfPart outside = {};
  };

  void
  TakeParts()
  {
    PieceCounter pieces(m_Material.Result().components);
    for (std::size_t slab = 0; slab < m_Slabs.size(); ++slab)
    {
      pieces.Add(m_MaterialRuns, PieceOf(slab, 0));
    }
    const auto isInPart = [&](std::size_t label) { return pieces.isInPart[label] != 0; };
    TakePieces(*m_Wanted, std::vector(pieces.sizes), isInPart, [&](std::size_t label) {
      TakePiece(label);
      for (std::size_t slab = m_Parts.back().first; slab <= m_Parts.back().last; ++slab)
      {
        pieces.Add(m_MaterialRuns, FilledPieceOf(slab, m_Parts.back()));
      }
    });
  }

  void
  TakePiece(std::size_t label)
  {
    const std::size_t file = (2 + m_Parts.size()) * m_Slabs.size();
    const auto        make = [this, label](std::size_t slab, const auto &) {
      return ImageView(PieceOf(slab, label), m_Slabs[slab].extent);
    };
    OnePart & part = m_Parts.emplace_back(
      OnePart{ label, SlabLabeler({ m_Images.image }, m_OfAir, m_Folder, { file, make }), m_Slabs.size() });
    PartFaces faces(m_Extent);
    for (std::size_t slab = 0; slab < m_Slabs.size(); ++slab)
    {
      const std::uint8_t * const piece = PieceOf(slab, label);
      faces.Take(piece, m_Material.FirstRowOf(slab), m_Slabs[slab].extent.RowCount());
      if (std::find(m_Piece.begin(), m_Piece.end(), std::uint8_t{ 1 }) != m_Piece.end())
      {
        part.first = std::min(part.first, slab);
        part.last = slab;
      }
    }
    faces.Fill(m_Context);
    LabelSlabs(part.air);
    const auto airBySlabs = [&](const auto & work) {
      for (std::size_t slab = 0; slab < m_Slabs.size(); ++slab)
      {
        part.air.ReadRuns(slab, m_AirRuns);
        work(m_AirRuns, m_Material.FirstRowOf(slab));
      }
    };
    part.outside = FindOutside(faces, m_Extent, part.air.Result().components, airBySlabs, m_Context);
    m_Found.bores += part.outside.bores;
    m_Found.boreVoxels += part.outside.boreVoxels;
  }

  /** Labels slabs, and gives back the memory of a slab before they are merged. */
  void
  LabelSlabs(SlabLabeler & labeler)
  {
    labeler.LabelSlabs();
    m_MaterialRuns = RunVolume();
    m_AirRuns = RunVolume();
    m_Piece = std::vector<std::uint8_t>();
    m_Mask = std::vector<std::uint8_t>();
    m_PoreMask = std::vector<std::uint8_t>();
    labeler.Merge();
  }

  /** The options for temporary labels: of pieces of material, or of all but the largest one. */
  SlabOptions
  OptionsOf(bool material) const
  {
    SlabOptions          own = m_Options;
    const LabelOptions & label = m_Options.label;
    own.label = OptionsForPieces({}, material ? label.criterion : Criterion::InRange(0, 0), m_Extent.dimension);
    own.label.connectivity = material ? own.label.connectivity : std::nullopt;
    own.label.device = label.device;
    own.label.threads = label.threads;
    own.label.progress = label.progress;
    own.measures = false;
    own.groups = {};
    own.seeSlab = [](const ImageView &, std::int64_t, const Labeling &) {};
    return own;
  }

  /** The mask of a piece in a slab, whose material is read. */
  std::uint8_t *
  PieceOf(std::size_t slab, std::size_t label)
  {
    m_Material.ReadRuns(slab, m_MaterialRuns);
    m_Piece.resize(static_cast<std::size_t>(m_Slabs[slab].extent.VoxelCount()));
    WritePiece(m_MaterialRuns, m_Piece.data(), m_Context, label);
    return m_Piece.data();
  }

  std::uint8_t *
  FilledPieceOf(std::size_t slab, const OnePart & part)
  {
    std::uint8_t * const piece = PieceOf(slab, part.label);
    part.air.ReadRuns(slab, m_AirRuns);
    FillEnclosed(m_AirRuns, part.outside.isOutside, 1, piece, m_Context);
    return piece;
  }

  /** The numbers of parts in a slab. A voxel that several of them enclose belongs to the first one. */
  ImageView
  PartOf(std::size_t slab)
  {
    if (!m_Wanted)
    {
      return ImageView(FilledPieceOf(slab, m_Parts.front()), m_Slabs[slab].extent);
    }
    m_Material.ReadRuns(slab, m_MaterialRuns);
    m_Mask.assign(static_cast<std::size_t>(m_Slabs[slab].extent.VoxelCount()), 0);
    for (std::size_t i = m_Parts.size(); i-- > 0;)
    {
      if (slab >= m_Parts[i].first && slab <= m_Parts[i].last)
      {
        const std::uint8_t * const piece = FilledPieceOf(slab, m_Parts[i]);
        std::transform(m_Mask.begin(),
                       m_Mask.end(),
                       piece,
                       m_Mask.begin(),
                       [i](std::uint8_t number, std::uint8_t isInPart) {
                         return isInPart == 0 ? number : static_cast<std::uint8_t>(i + 1);
                       });
      }
    }
    return ImageView(m_Mask.data(), m_Slabs[slab].extent);
  }

  ImageView
  PoresOf(std::size_t slab, const std::optional<ImageView> & region)
  {
    const ImageView part = PartOf(slab);
    m_Pieces->Add(m_MaterialRuns, static_cast<const std::uint8_t *>(part.data));
    m_PoreMask.resize(static_cast<std::size_t>(part.extent.VoxelCount()));
    TakePores(part, region, m_MaterialRuns, m_PoreMask.data(), m_Context, m_Found);
    return ImageView(m_PoreMask.data(), part.extent);
  }

  void
  MeasurePores()
  {
    std::vector<double> squares;
    if (m_Options.job.IsWanted())
    {
      m_Options.hooks.step("measuring distances to the surface");
      squares.resize(static_cast<std::size_t>(m_Pores.Result().components), std::numeric_limits<double>::infinity());
      for (std::size_t slab = 0; slab < m_Slabs.size(); ++slab)
      {
        MeasureSlab(slab, squares);
      }
    }
    m_Trees.clear();
    m_Pores.MergeTables();
    m_Found.voxelsOfParts = m_Pores.Result().parts;
    ComponentTable & table = m_Pores.Result().table;
    if (m_Options.job.IsWanted())
    {
      SetPartDistances(squares, m_Found.partVoxels, table);
    }
    m_Pores.Result().regionVoxels = std::exchange(table.regionVoxels, m_Found.partVoxels);
  }

  /** Lowers the squared distances of the pores that have voxels in a slab. */
  void
  MeasureSlab(std::size_t slab, std::vector<double> & squares)
  {
    const BrickMap      map = ReadMap(m_Pores.ReadState(slab, WorkFolder::Kind::Map));
    BrickMap            local = map;
    std::vector<double> own;
    std::iota(local.labels.begin(), local.labels.end(), std::uint64_t{ 0 });
    for (std::size_t label = 1; label < map.labels.size(); ++label)
    {
      own.push_back(map.labels[label] == 0 ? 0 : squares[static_cast<std::size_t>(map.labels[label] - 1)]);
    }
    RunVolume runs;
    ReadBrickRuns(m_Pores.ReadState(slab, WorkFolder::Kind::Runs), local, m_Context, runs);
    const BoundingBoxTrees trees = MakeComponentTrees(runs, own.size(), RowsOf(slab), m_Context);
    for (std::size_t away = 0; away < m_Slabs.size(); ++away)
    {
      bool mayBeNearer = false;
      for (const std::size_t other : { slab + away, slab - away })
      {
        const bool isNew = other < m_Slabs.size() && !(mayBeNearer && away == 0);
        if (isNew && !own.empty() && SquaredGap(slab, other) < *std::max_element(own.begin(), own.end()))
        {
          mayBeNearer = true;
          LowerDistances(trees, TreeBeside(other, slab)[0], m_Context, own);
        }
      }
      if (!mayBeNearer)
      {
        break;
      }
    }
    for (std::size_t label = 1; label < map.labels.size(); ++label)
    {
      if (map.labels[label] > 0)
      {
        double & square = squares[static_cast<std::size_t>(map.labels[label] - 1)];
        square = std::min(square, own[label - 1]);
      }
    }
  }

  RowsOfImage
  RowsOf(std::size_t slab) const
  {
    return { m_Extent, m_Pores.FirstRowOf(slab), m_Options.label.geometry.spacing };
  }

  /** The voxels outside of the part in a slab. Slabs near another one are kept, where there is memory. */
  const BoundingBoxTrees &
  TreeBeside(std::size_t slab, std::size_t near)
  {
    auto found = m_Trees.find(slab);
    if (found == m_Trees.end())
    {
      while (!m_Trees.empty() && m_TreeBytes > m_Options.plan.BytesForMerging() / 2)
      {
        const auto first = m_Trees.begin();
        const auto last = std::prev(m_Trees.end());
        const auto farthest =
          near > first->first && near - first->first > last->first - std::min(near, last->first) ? first : last;
        m_TreeBytes -= farthest->second.MemoryBytes();
        m_Trees.erase(farthest);
      }
      const ImageView part = PartOf(slab);
      RunVolume       outside;
      FindRuns(*MakeRowLinks(part, Criterion::InRange(0, 0)), part.extent, {}, m_Context, outside);
      found = m_Trees.emplace(slab, MakeTreeBesidePart(outside, RowsOf(slab), m_Context)).first;
      m_TreeBytes += found->second.MemoryBytes();
    }
    return found->second;
  }

  /** The least squared distance between voxels of two slabs. */
  double
  SquaredGap(std::size_t slab, std::size_t other) const
  {
    const int          axis = AxisOfParts(m_Extent);
    const BrickBox &   low = m_Slabs[std::min(slab, other)];
    const std::int64_t between = std::max<std::int64_t>(0, m_Slabs[std::max(slab, other)].begin[axis] - low.End(axis));
    const double       gap = static_cast<double>(between) * m_Options.label.geometry.spacing[axis];
    return gap * gap;
  }

  const SlabOptions &           m_Options;
  const SlabImages              m_Images;
  const std::vector<BrickBox> & m_Slabs = m_Options.plan.slabs;
  const Extent &                m_Extent = m_Images.image->extent;
  HostContext m_Context = HostContext{ m_Options.label.threads, Progress(m_Options.label.progress) }.Quiet();
  SlabOptions m_OfMaterial = OptionsOf(true);
  SlabOptions m_OfAir = OptionsOf(false);
  SlabOptions m_OfPores = m_Options;

  const std::optional<std::uint64_t> m_Wanted = job::PartsOf(m_Options.job);
  const WorkFolder &                 m_Folder;

  SlabLabeler                 m_Material;
  std::deque<OnePart>         m_Parts;
  SlabLabeler                 m_Pores;
  std::optional<PieceCounter> m_Pieces;
  PoresOfPart                 m_Found;
  RunVolume                   m_MaterialRuns;
  RunVolume                   m_AirRuns;
  std::vector<std::uint8_t>   m_Piece;
  std::vector<std::uint8_t>   m_Mask;
  std::vector<std::uint8_t>   m_PoreMask;
  std::uint64_t               m_TreeBytes = 0;

  std::map<std::size_t, BoundingBoxTrees> m_Trees;
};

} // namespace

SlabResult
LabelPoresBySlabs(const SlabImages & images, const SlabOptions & options, const WorkFolder & folder)
{
  CheckMayHavePart(images.image->extent, images.image->channels);
  return PoreSlabs(images, options, folder).Run();
}

} // namespace brickccl
