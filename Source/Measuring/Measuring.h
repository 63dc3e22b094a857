#ifndef BRICKCCL_MEASURING_MEASURING_H
#define BRICKCCL_MEASURING_MEASURING_H

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Progress.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace brickccl
{

struct ColumnGroup;

/** A set of groups of columns that are measured only where they are asked for, by their names:
 *
 *  - `place`: first voxel, fill of the bounding box, sides of the image that the component touches
 *  - `shape`: moments, axes and what follows from them
 *  - `feret`: Feret diameter, enclosing ball, oriented box
 *  - `surface`: surface and what follows from it
 *  - `topology`: Euler numbers
 *  - `inscribed`: largest inscribed ball
 *  - `thickness`: mean local thickness; slow for thick components
 *  - `neighbours`: distance to the nearest component, contacts
 *  - `intensity`: distribution of intensities; needs an intensity image
 *
 *  At first it is empty. */
class ColumnGroups
{
public:
  /** The names of all groups, with ", " between. */
  static std::string Names();

  /** The groups with these names. The names of columns stand for their groups. \param names  with commas between.
   *  \throws InvalidArgument for another name; the message lists the groups. */
  static ColumnGroups FromNames(const std::string & names);

  /** The groups that were asked for when a table was measured. */
  static ColumnGroups Of(const ComponentTable & table);

  /** Adds a group. \throws InvalidArgument for a name that no group has. */
  void Add(const std::string & name);

  /** Adds a group of the caller's own, which lives longer than all tables that have it. Its columns come last. */
  void Add(const ColumnGroup & group);

  /** Whether a group is in the set. */
  bool Has(const std::string & name) const;

  /** The groups of the set, in the order of their columns. */
  const std::vector<const ColumnGroup *> &
  List() const
  {
    return m_Groups;
  }

  /** \throws Unsupported for a group that images of this dimension do not have. */
  void CheckDimension(int dimension) const;

  bool
  operator==(const ColumnGroups & other) const
  {
    return m_Groups == other.m_Groups;
  }
  bool
  operator!=(const ColumnGroups & other) const
  {
    return !(*this == other);
  }

private:
  void AddGroupOfColumn(const std::string & column);

  std::vector<const ColumnGroup *> m_Groups;
};

/** Every column that tables of images of a dimension can have.
 *  \param dimension  from 1 to 4
 *  \param sliceAxis  the axis across which slices were labeled each on its own, if they were */
std::vector<ComponentColumn> AllColumns(int dimension, const std::optional<int> & sliceAxis = std::nullopt);

/** The names of the columns of all dimensions, of slices as well, with the name of the group of each. The most usual
 *  dimension comes first. */
std::vector<std::pair<std::string, std::string>> AllColumnNames();

/** What is measured, and in which images beside the labels. All images have the labels' extent and one channel. */
struct MeasureOptions
{
  /** Its values under the components give the intensity columns. */
  std::optional<ImageView> intensity;
  /** A mask of the part that is inspected, not 0 inside: gives the distance to the part's surface. */
  std::optional<ImageView> part;
  /** Gives each component the value of its first voxel, for images whose neighbours of equal value were joined. */
  std::optional<ImageView> classes;
  /** Columns beside the default ones. */
  ColumnGroups groups;

  MeasureOptions() = default;
  MeasureOptions(const ImageView & intensityImage)
    : intensity(intensityImage)
  {}
  MeasureOptions(const std::optional<ImageView> & intensityImage, const ColumnGroups & columnGroups)
    : intensity(intensityImage)
    , groups(columnGroups)
  {}
};

/** Measures an existing label image: every value but 0 is the label of one component, connected or not. The rows of the
 *  table have these labels, ascending.
 *  \param labels    of any scalar type, one channel
 *  \param geometry  spacing, origin and direction, for the physical columns; by default voxels of 1 mm
 *  \param options   what is measured beside the default columns
 *  \param threads   the number of CPU threads; 0: all. The table does not depend on it
 *  \param hooks     hear of progress and may cancel
 *  \throws InvalidArgument if a label is negative or not a whole number, or if another image does not fit; Unsupported
 *  for groups that images of this dimension do not have; Cancelled. */
ComponentTable MeasureLabelImage(const ImageView &      labels,
                                 const Geometry &       geometry = {},
                                 const MeasureOptions & options = {},
                                 int                    threads = 0,
                                 const ProgressHooks &  hooks = {});

} // namespace brickccl

#endif
