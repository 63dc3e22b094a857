// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_TABLES_COMPONENTTABLE_H
#define BRICKCCL_TABLES_COMPONENTTABLE_H

#include "BrickCCL/Core/Connectivity.h"
#include "BrickCCL/Core/Extent.h"
#include "BrickCCL/Core/VolumeView.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

namespace brickccl
{

/** Measures of the intensities under one component. NaN voxels make the sum, mean and deviation NaN; the extremes
 *  ignore them. */
struct IntensityMeasures
{
  double minimum = 0;
  double maximum = 0;
  double sum = 0;
  double mean = 0;
  /** The sample's deviation (divided by n - 1), as in itk::LabelStatisticsImageFilter; 0 for a single voxel. */
  double standardDeviation = 0;
};

/** Measures of one component. Indices are relative to the labeled image and include its region's start. */
struct ComponentMeasures
{
  std::uint64_t label = 0;
  std::uint64_t voxelCount = 0;
  /** First and last index of the bounding box, both included. */
  std::int64_t boxMinimum[MaximumDimension] = {};
  std::int64_t boxMaximum[MaximumDimension] = {};
  /** Mean index of the voxels; NaN along a periodic axis along which the component cannot be unwrapped. */
  double centroid[MaximumDimension] = {};
  /** Sums of the voxels' indices, counted from the first voxel of the buffer. */
  std::uint64_t indexSum[MaximumDimension] = {};
  /** The first voxel in raster order (x fastest), as an index in the buffer. */
  std::uint64_t firstVoxel = 0;

  IntensityMeasures intensity;
  /** The place of this component in ComponentTable::measures. */
  std::size_t place = 0;
};

struct RowSums;

/** The rows of a component table, in the order of their labels. The table keeps the sums of each component, 64 bytes
 *  for images of up to 3 dimensions. It computes a row from them whenever the row is read, so a row is a value, not a
 *  reference into the table. Copies share the sums. */
class ComponentRows
{
public:
  class Iterator
  {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = ComponentMeasures;
    using difference_type = std::ptrdiff_t;
    using pointer = const ComponentMeasures *;
    using reference = ComponentMeasures;

    Iterator(const ComponentRows & rows, std::size_t place)
      : m_Rows(&rows)
      , m_Place(place)
    {}

    ComponentMeasures
    operator*() const
    {
      return (*m_Rows)[m_Place];
    }
    Iterator &
    operator++()
    {
      ++m_Place;
      return *this;
    }
    bool
    operator==(const Iterator & other) const
    {
      return m_Place == other.m_Place;
    }
    bool
    operator!=(const Iterator & other) const
    {
      return m_Place != other.m_Place;
    }

  private:
    const ComponentRows * m_Rows;
    std::size_t           m_Place;
  };

  /** No rows. */
  ComponentRows() = default;
  /** Rows from sums; MakeRows (Tables/RowSums.h) is easier to call. */
  ComponentRows(const Extent & extent, const Geometry & geometry, std::shared_ptr<RowSums> sums);

  std::size_t size() const;
  bool
  empty() const
  {
    return size() == 0;
  }
  ComponentMeasures operator[](std::size_t place) const;
  ComponentMeasures
  front() const
  {
    return (*this)[0];
  }
  Iterator
  begin() const
  {
    return { *this, 0 };
  }
  Iterator
  end() const
  {
    return { *this, size() };
  }

  std::uint64_t VoxelCount(std::size_t place) const;
  /** The sum of the voxels' indices along an axis, counted from the first voxel of the buffer. */
  std::uint64_t IndexSum(std::size_t place, int axis) const;
  std::uint64_t
  Label(std::size_t place) const
  {
    return m_Labels.empty() ? place + 1 : m_Labels[place];
  }
  /** Only with an intensity image. */
  const IntensityMeasures &
  Intensity(std::size_t place) const
  {
    return m_Intensities[place];
  }

  /** One label for each row, ascending. */
  void SetLabels(std::vector<std::uint64_t> labels);

  /** One for each row. */
  void SetIntensities(std::vector<IntensityMeasures> intensities);

  /** Releases the sums, and with them the rows; TakeSums (Tables/RowSums.h) returns them. */
  std::shared_ptr<RowSums> ReleaseSums();

private:
  Extent   m_Extent;
  Geometry m_Geometry;
  /** Null if there are no rows. */
  std::shared_ptr<RowSums> m_Sums;
  /** Empty if the labels are 1, 2 ... */
  std::vector<std::uint64_t> m_Labels;
  /** Empty if there was no intensity image. */
  std::vector<IntensityMeasures> m_Intensities;
};

/** The measures of one kind, one for each component, in the order of a table's rows; or a list that such measures
 *  refer to (HullCorners). Valid until their set is changed or destroyed. */
template <typename T>
class MeasureList
{
public:
  MeasureList(const T * data, std::size_t size)
    : m_Data(data)
    , m_Size(size)
  {}

  const T &
  operator[](std::size_t place) const
  {
    return m_Data[place];
  }
  std::size_t
  size() const
  {
    return m_Size;
  }
  bool
  empty() const
  {
    return m_Size == 0;
  }
  const T *
  begin() const
  {
    return m_Data;
  }
  const T *
  end() const
  {
    return m_Data + m_Size;
  }

private:
  const T *   m_Data;
  std::size_t m_Size;
};

/** The results of the groups of columns: lists of structs that the groups define, identified by their types. A copy
 *  is independent; copies share the memory of lists that neither changes. */
class MeasureSet
{
public:
  /** Whether there are measures of this type; an empty list counts. */
  template <typename T>
  bool
  Has() const
  {
    return Find(typeid(T)) != nullptr;
  }

  /** The measures of a type. \throws InvalidArgument if they were not measured. */
  template <typename T>
  MeasureList<T>
  Of() const
  {
    const Entry & entry = Get(typeid(T));
    return { static_cast<const T *>(entry.data), entry.size };
  }

  /** Sets the measures of a type, replacing earlier ones. */
  template <typename T, typename TAllocator>
  void
  Set(std::vector<T, TAllocator> measures)
  {
    auto              owner = std::make_shared<std::vector<T, TAllocator>>(std::move(measures));
    const T * const   data = owner->data();
    const std::size_t size = owner->size();
    Insert({ typeid(T), std::move(owner), data, size, std::is_trivially_copyable_v<T> ? sizeof(T) : 0 });
  }

  /** A list as bytes, to copy a table to another process of the same build. */
  struct RawList
  {
    /** The name of the type of its elements. */
    std::string  type;
    const void * data;
    std::size_t  size;
    /** The bytes of an element; 0 if they cannot be copied. */
    std::size_t elementSize;
  };
  std::vector<RawList> RawLists() const;

  /** Replaces the list of the same type by a copy. \throws InvalidArgument if there is none. */
  void SetRaw(const RawList & list);

private:
  struct Entry
  {
    std::type_index       type;
    std::shared_ptr<void> owner;
    const void *          data;
    std::size_t           size;
    std::size_t           elementSize;
  };

  const Entry * Find(const std::type_index & type) const;
  const Entry & Get(const std::type_index & type) const;
  void          Insert(Entry entry);

  std::vector<Entry> m_Entries;
};

struct ColumnGroup;

/** Two components that share voxel faces, the first with the lower label. */
struct Contact
{
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  std::uint64_t faces = 0;
  /** Area of these faces (in 2-D length of the edges), in mm^2. */
  double area = 0;
};

/** Totals of the inspected part, from its mask. */
struct PartTotals
{
  /** The numbers of voxels of the part and of component voxels inside it. */
  std::uint64_t voxels = 0;
  std::uint64_t componentVoxels = 0;
};

struct ComponentColumn;

/** The components of a labeled image with their measures, in the order of their labels. */
struct ComponentTable
{
  Extent   extent;
  Geometry geometry;
  /** The axis across which slices were labeled separately. */
  std::optional<int> sliceAxis;
  /** Periodic axes. Places and shapes describe the unwrapped components, which may extend beyond the upper ends.
   *  Along an axis where a component meets its own copy, its box is the whole image, and its centroid is NaN. */
  PeriodicAxes periodic;
  bool         hasIntensity = false;
  bool         hasPart = false;
  /** The voxels of the region that was labeled, where a mask gave one. */
  std::optional<std::uint64_t> regionVoxels;

  /** The groups of columns that were measured, in the order of their columns. */
  std::vector<const ColumnGroup *> groups;

  ComponentRows components;

  /** The measures of the groups, see Measuring/Measuring.h: for example measures.Of<SurfaceMeasures>()[row.place]. */
  MeasureSet measures;

  PartTotals partTotals;
  /** With the group `neighbors`: all pairs of components that share voxel faces, in the order of their labels. */
  std::vector<Contact> contacts;

  /** Columns of text (ComponentColumn::texts). They are written behind the label. */
  std::vector<ComponentColumn> texts;
  /** The tables whose rows this table has one after another (JoinTables); empty for the table of one image. */
  std::vector<ComponentTable> parts;

  /** Whether the columns of this group were measured. */
  bool HasGroup(const std::string & name) const;

  /** Bit 2 a: the component touches the image's lower side along axis a; bit 2 a + 1: the upper one. Axes of one voxel,
   *  the axis across slices and periodic axes have no sides. */
  unsigned SidesTouched(const ComponentMeasures & component) const;

  /** Whether the component touches a side. If the image has no sides and is not periodic, every voxel is at its
   *  border, as for filters that clear it. */
  bool TouchesBorder(const ComponentMeasures & component) const;
};

/** Replaces the label i + 1 with labels[i] everywhere in a table.
 *  \param table   its labels are 1..N
 *  \param labels  ascending, one for each row */
void SetLabels(ComponentTable & table, const std::vector<std::uint64_t> & labels);

/** One table of the components of several images of one grid, which may overlap. It lists the rows, columns and texts
 *  of the parts. Row labels are 1..N; the column `segment` has them, and the column `label` has each image's own.
 *  \param parts  at least one table. All have the same columns. */
ComponentTable JoinTables(std::vector<ComponentTable> parts);

/** The labels in a merged table of its parts' components, in the order of the parts' components. */
struct MergedLabels
{
  std::vector<std::uint64_t> ofFirst;
  std::vector<std::uint64_t> ofSecond;
};

/** The table of two parts of one image, boxes that do not overlap (bricks, slabs), from the tables of the parts.
 *
 *  Components are numbered in the raster order of their first voxels within the smallest box around both parts. All
 *  columns equal the result of measuring that box at once: bit for bit, except intensities other than integers of at
 *  most 32 bits, the enclosing ball and the oriented box, which have a relative error of up to 1e-12. Columns with
 *  the MergeRule SecondLook are missing, with their groups.
 *  \param a       the table of one part
 *  \param b       the table of the other part
 *  \param pairs   the labels of components of `a` and `b` that touch; more than two can become one
 *  \param labels  if given, receives the new labels.
 *  \throws InvalidArgument if the tables have different geometries or columns, or neither has a label of `pairs`. */
ComponentTable MergeComponentTables(const ComponentTable &                                       a,
                                    const ComponentTable &                                       b,
                                    const std::vector<std::pair<std::uint64_t, std::uint64_t>> & pairs,
                                    MergedLabels *                                               labels = nullptr);

/** Writes a header line and one line per component; numbers as the shortest text that reads back exactly. */
void WriteDelimited(std::ostream & stream, const ComponentTable & table, char delimiter);

/** Writes a header line and one line per pair of components that share voxel faces: both labels, the number of faces
 *  and their area. */
void WriteContacts(std::ostream & stream, const ComponentTable & table, char delimiter);

/** Writes {"columns": {name: description ...}, "totals": {name: value ...}, "components": [{name: value ...} ...]}; NaN
 *  is null. */
void WriteJson(std::ostream & stream, const ComponentTable & table);

/** How MergeComponentTables computes a column. */
enum class MergeRule
{
  /** The label that the merged component gets. */
  Label,
  Sum,
  Minimum,
  Maximum,
  /** From sums, extremes or hulls in the tables, which are merged exactly. */
  Recomputed,
  /** Tables are not enough: it needs the merged components' runs. */
  SecondLook
};

std::string NameOf(MergeRule rule);

/** One column of the table: its name, its meaning and its formula. */
struct ComponentColumn
{
  using Value = std::variant<std::uint64_t, std::int64_t, double>;

  /** Ends with the unit, if any, for example `volume_mm3`. */
  std::string name;
  /** "mm", "mm^2", "mm^3", "index", "voxels", "intensity" or empty. */
  std::string unit;
  /** Meaning and formula. */
  std::string description;
  /** The names of the same measure in ITK's LabelMap filters and in skimage.measure.regionprops; may be empty. */
  std::string itkName;
  std::string scikitImageName;

  std::function<Value(const ComponentTable &, const ComponentMeasures &)> value;

  MergeRule merge = MergeRule::Recomputed;
  /** Its group; empty for columns without a group. */
  std::string group;
  /** A text in UTF-8 for each row instead of a value; null for columns of numbers. */
  std::shared_ptr<const std::vector<std::string>> texts = {};
};

/** The name of the column of sizes: "length_mm", "area_mm2", "volume_mm3" or "hypervolume_mm4".
 *  \throws InvalidArgument for another dimension than 1 to 4 */
const char * SizeName(int dimension);

/** The columns of a table: the default columns of its dimension, a slice column if slices were labeled, and the
 *  columns of the table's groups. */
std::vector<ComponentColumn> ColumnsOf(const ComponentTable & table);

/** Sums over all components of a table. */
struct Totals
{
  /** The name of `size`: "length_mm", "area_mm2", "volume_mm3" or "hypervolume_mm4". */
  std::string   sizeName;
  std::uint64_t components = 0;
  std::uint64_t voxels = 0;
  double        size = 0;
  /** The size of the part in the mask, or else of the labeled region, or else of the image. */
  double regionSize = 0;
  /** The share of components in that region (for pores the porosity); 0 for a region without voxels. */
  double fraction = 0;
};

Totals TotalsOf(const ComponentTable & table);

} // namespace brickccl

#endif
