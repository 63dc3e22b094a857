#ifndef BRICKCCL_TABLES_COMPONENTTABLE_H
#define BRICKCCL_TABLES_COMPONENTTABLE_H

#include "BrickCCL/Core/Extent.h"
#include "BrickCCL/Core/PeriodicAxes.h"
#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Tables/Columns.h"
#include "BrickCCL/Tables/ComponentRows.h"
#include "BrickCCL/Tables/MeasureSet.h"

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace brickccl
{

struct ColumnGroup;

/** Two components that share voxel faces, the first with the lower label. */
struct Contact
{
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  std::uint64_t faces = 0;
  /** Area of these (in 2-D length of these edges), in mm^2. */
  double area = 0;
};

/** What a mask of the inspected part says about the part as a whole. */
struct PartTotals
{
  /** Voxels of the part, and how many of them belong to components. */
  std::uint64_t voxels = 0;
  std::uint64_t componentVoxels = 0;
};

/** The components of a labeled image with what was measured of them, in the order of their labels. */
struct ComponentTable
{
  Extent   extent;
  Geometry geometry;
  /** The axis across which slices were labeled each on its own. */
  std::optional<int> sliceAxis;
  /** Axes through whose ends components go on. Their places and shapes are those of the unwrapped components, which may
   *  reach beyond the upper ends. Along an axis along which a component meets its own copy, its box is the whole image,
   *  and it has no centroid (NaN). */
  PeriodicAxes periodic;
  bool         hasIntensity = false;
  bool         hasPart = false;

  /** The groups of columns that were measured, in the order of their columns. */
  std::vector<const ColumnGroup *> groups;

  ComponentRows components;

  /** What the groups measured, see Measuring/GroupMeasures.h: for example measures.Of<SurfaceMeasures>()[row.place]. */
  MeasureSet measures;

  PartTotals partTotals;
  /** With the group `neighbours`: all pairs of components that share voxel faces, in the order of their labels. */
  std::vector<Contact> contacts;

  /** Whether the columns of this group were measured. */
  bool HasGroup(const std::string & name) const;

  /** Bit 2 a: the component touches the image's lower side along axis a; bit 2 a + 1: the upper one. Axes of one voxel,
   *  the axis across slices and periodic axes have no sides. */
  unsigned SidesTouched(const ComponentMeasures & component) const;
};

/** Puts labels[i] in the place of the label i + 1, everywhere in a table.
 *  \param table   its labels are 1..N
 *  \param labels  ascending, one for each row */
void SetLabels(ComponentTable & table, const std::vector<std::uint64_t> & labels);

/** Which labels of a merged table the components of its parts have, in the order of the parts' components. */
struct MergedLabels
{
  std::vector<std::uint64_t> ofFirst;
  std::vector<std::uint64_t> ofSecond;
};

/** The table of two parts of one image, boxes of it that do not overlap (bricks, slabs), from the tables of the parts.
 *
 *  Components are numbered in the raster order of their first voxels within the smallest box around both parts. All
 *  columns are what measuring that box at once gives: bit for bit, except intensities that are not integers of at most
 *  32 bits, the enclosing ball and the oriented box, which are the same to 1e-12. Columns whose MergeRule is SecondLook
 *  are left out, with their groups.
 *  \param a       the table of the one part
 *  \param b       the table of the other part
 *  \param pairs   which component of `a` (its label) continues as which component of `b`; more than two can become one
 *  \param labels  if given, receives the new labels.
 *  \throws InvalidArgument if the tables have different geometries or columns, or neither has a label of `pairs`. */
ComponentTable MergeComponentTables(const ComponentTable &                                       a,
                                    const ComponentTable &                                       b,
                                    const std::vector<std::pair<std::uint64_t, std::uint64_t>> & pairs,
                                    MergedLabels *                                               labels = nullptr);

/** Writes a header line and one line per component; numbers as the shortest text that reads back the same. */
void WriteDelimited(std::ostream & stream, const ComponentTable & table, char delimiter);

/** Writes a header line and one line per pair of components that share voxel faces: both labels, the number of faces
 *  and their area. */
void WriteContacts(std::ostream & stream, const ComponentTable & table, char delimiter);

/** Writes {"columns": {name: description ...}, "totals": {name: value ...}, "components": [{name: value ...} ...]}; NaN
 *  is null. */
void WriteJson(std::ostream & stream, const ComponentTable & table);

} // namespace brickccl

#endif
