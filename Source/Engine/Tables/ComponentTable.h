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
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

namespace brickccl
{

/** Measures of the intensities under one component. NaN voxels make the sum, mean and deviation NaN; the extremes leave
 *  them out. */
struct IntensityMeasures
{
  double minimum = 0;
  double maximum = 0;
  double sum = 0;
  double mean = 0;
  /** Of the sample (divided by n - 1), as in itk::LabelStatisticsImageFilter; 0 for a single voxel. */
  double standardDeviation = 0;
};

/** Measures of one component. Indices count as in the image that was labeled and include its region's start. */
struct ComponentMeasures
{
  std::uint64_t label = 0;
  std::uint64_t voxelCount = 0;
  /** First and last index of the bounding box; both belong to it. */
  std::int64_t boxMinimum[MaximumDimension] = {};
  std::int64_t boxMaximum[MaximumDimension] = {};
  /** Mean index of the voxels; NaN along a periodic axis along which the component cannot be unwrapped. */
  double centroid[MaximumDimension] = {};
  /** Sums of the voxels' indices, counted from the first voxel of the buffer. */
  std::uint64_t indexSum[MaximumDimension] = {};
  /** The first voxel in raster order (x fastest), as its place in the buffer. */
  std::uint64_t firstVoxel = 0;

  IntensityMeasures intensity;
  /** The place of this component in ComponentTable::measures. */
  std::size_t place = 0;
};

struct RowSums;

/** The rows of a component table, in the order of their labels. The table keeps the sums of each component, 64 bytes
 * for images of up to 3 dimensions. It computes a row from them whenever the row is read, so that a row is a value and
 * no reference into the table. Copies share the sums. */
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
  /** Only where there was an intensity image. */
  const IntensityMeasures &
  Intensity(std::size_t place) const
  {
    return m_Intensities[place];
  }

  /** One label for each row, ascending. */
  void SetLabels(std::vector<std::uint64_t> labels);

  /** One for each row. */
  void SetIntensities(std::vector<IntensityMeasures> intensities);

  /** Gives up the sums, and with them the rows; TakeSums (Tables/RowSums.h) hands them out. */
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

/** The measures of one kind, one for each component, in the order of a table's rows; or as many as there are of what
 *  such measures refer to (HullCorners). Valid as long as the set that they are from is neither changed nor gone. */
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

/** What the groups of columns measured: lists of structs that the groups define, told apart by their types. A copy of a
 *  set is a set of its own; copies share the memory of lists that neither changes. */
class MeasureSet
{
public:
  /** Whether measures of this type are there; a list of no components counts. */
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

  /** Takes in a vector of measures, in the place of earlier ones of their type. */
  template <typename T, typename TAllocator>
  void
  Set(std::vector<T, TAllocator> measures)
  {
    auto              owner = std::make_shared<std::vector<T, TAllocator>>(std::move(measures));
    const T * const   data = owner->data();
    const std::size_t size = owner->size();
    Insert({ typeid(T), std::move(owner), data, size });
  }

private:
  struct Entry
  {
    std::type_index       type;
    std::shared_ptr<void> owner;
    const void *          data;
    std::size_t           size;
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
  /** The voxels of the region that was labeled, where a mask gave one. */
  std::optional<std::uint64_t> regionVoxels;

  /** The groups of columns that were measured, in the order of their columns. */
  std::vector<const ColumnGroup *> groups;

  ComponentRows components;

  /** What the groups measured, see Measuring/Measuring.h: for example measures.Of<SurfaceMeasures>()[row.place]. */
  MeasureSet measures;

  PartTotals partTotals;
  /** With the group `neighbours`: all pairs of components that share voxel faces, in the order of their labels. */
  std::vector<Contact> contacts;

  /** Whether the columns of this group were measured. */
  bool HasGroup(const std::string & name) const;

  /** Bit 2 a: the component touches the image's lower side along axis a; bit 2 a + 1: the upper one. Axes of one voxel,
   *  the axis across slices and periodic axes have no sides. */
  unsigned SidesTouched(const ComponentMeasures & component) const;

  /** Whether the component touches a side. Where the image has none and is not periodic, every voxel lies at its
   * border, as for filters that clear it. */
  bool TouchesBorder(const ComponentMeasures & component) const;
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

/** How a table that is merged from those of parts (MergeComponentTables) gets a column. */
enum class MergeRule
{
  /** The label that the merged component gets. */
  Label,
  Sum,
  Minimum,
  Maximum,
  /** From sums, extremes or hulls that the tables keep and that are merged exactly. */
  Recomputed,
  /** Tables are not enough: it needs another look at the merged components' runs. */
  SecondLook
};

std::string NameOf(MergeRule rule);

/** One column of the table as it is written: its name, its meaning and its formula in one place. */
struct ComponentColumn
{
  using Value = std::variant<std::uint64_t, std::int64_t, double>;

  /** Ends with the unit where there is one, for example `volume_mm3`. */
  std::string name;
  /** "mm", "mm^2", "mm^3", "index", "voxels", "intensity" or empty. */
  std::string unit;
  /** What it is, with its formula. */
  std::string description;
  /** The names of the same measure in ITK's LabelMap filters and in skimage.measure.regionprops; may be empty. */
  std::string itkName;
  std::string scikitImageName;

  std::function<Value(const ComponentTable &, const ComponentMeasures &)> value;

  MergeRule merge = MergeRule::Recomputed;
  /** The group that it belongs to; empty for columns without a group. */
  std::string group;
};

/** The name of the column of sizes: "length_mm", "area_mm2", "volume_mm3" or "hypervolume_mm4".
 *  \throws InvalidArgument for another dimension than 1 to 4 */
const char * SizeName(int dimension);

/** The columns that a table has: the default columns of its dimension, a slice column if slices were labeled, and the
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
  /** The size of the part that was given as a mask, or else of the region that was labeled, or else of the image. */
  double regionSize = 0;
  /** The share of that region that components fill (for pores the porosity); 0 for a region without voxels. */
  double fraction = 0;
};

Totals TotalsOf(const ComponentTable & table);

} // namespace brickccl

#endif
