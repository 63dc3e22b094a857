// SPDX-License-Identifier: Apache-2.0
#ifndef itkBrickLabelMap_h
#define itkBrickLabelMap_h

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Tables/ComponentTable.h"
#include "itkBrickImageView.h"
#include "itkBrickProcess.h"

#include "itkGeometryUtilities.h"
#include "itkImageBase.h"
#include "itkLabelMap.h"
#include "itkMath.h"
#include "itkShapeLabelObject.h"
#include "vnl/algo/vnl_determinant.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace itk
{

/** Whether a label object has the attributes of ShapeLabelObject. */
template <typename TLabelObject>
constexpr bool HasBrickShape =
  std::is_base_of_v<ShapeLabelObject<typename TLabelObject::LabelType, TLabelObject::ImageDimension>, TLabelObject>;

/** Makes the rows of a matrix of unit vectors a rotation, as in ITK: if their determinant is -1, the last one is
 *  reflected. */
template <typename TMatrix>
void
ReflectBrickAxes(TMatrix & axes)
{
  constexpr unsigned int last = TMatrix::RowDimensions - 1;
  if (vnl_determinant(axes.GetVnlMatrix().as_matrix()) < 0)
  {
    for (unsigned int i = 0; i <= last; ++i)
    {
      axes[last][i] = -axes[last][i];
    }
  }
}

/** The groups of columns for a label object's attributes. Feret diameter and oriented box are set only if the group
 * `feret` is added; ShapeLabelMapFilter also omits them by default. */
template <typename TLabelObject>
brickccl::ColumnGroups
BrickGroupsOfAttributes()
{
  brickccl::ColumnGroups groups;
  if (HasBrickShape<TLabelObject>)
  {
    groups.Add("shape");
    if (TLabelObject::ImageDimension <= 3)
    {
      groups.Add("surface");
    }
  }
  return groups;
}

/** The attributes of label objects to write, if the table has their groups. */
struct BrickAttributeChoice
{
  bool perimeter = true;
  bool feretDiameter = true;
  bool orientedBoundingBox = true;

  /** The groups that a table needs for them. \throws brickccl::Unsupported if they are not available in this dimension.
   */
  brickccl::ColumnGroups
  Groups(unsigned int dimension) const
  {
    const bool hasExtent = feretDiameter || orientedBoundingBox;
    brickccl::ThrowIf<brickccl::Unsupported>(
      dimension > 3 && (perimeter || hasExtent),
      "perimeters, Feret diameters and oriented boxes are computed for images of up to 3 "
      "dimensions, not of " +
        std::to_string(dimension) + "; switch them off");
    brickccl::ColumnGroups groups;
    groups.Add("shape");
    if (perimeter)
    {
      groups.Add("surface");
    }
    if (hasExtent)
    {
      groups.Add("feret");
    }
    return groups;
  }
};

/** Fills the attributes of label objects from the rows of a component table. The names of the columns are defined here.
 */
template <typename TLabelObject>
class BrickAttributeWriter
{
public:
  static constexpr unsigned int ImageDimension = TLabelObject::ImageDimension;

  /** The choice selects the attributes of the table's groups. */
  explicit BrickAttributeWriter(const brickccl::ComponentTable & table, const BrickAttributeChoice & choice = {})
    : m_Table(table)
    , m_Choice(choice)
    , m_Columns(brickccl::ColumnsOf(table))
  {
    for (unsigned int axis = 0; axis < ImageDimension; ++axis)
    {
      const std::string name(1, brickccl::AxisNames[axis]);
      const std::string number = std::to_string(axis + 1);
      m_Centroid[axis] = Find("centroid_" + name + "_mm");
      m_PrincipalMoment[axis] = Find("principal_moment_" + number + "_mm2");
      m_EllipsoidDiameter[axis] = Find("ellipsoid_diameter_" + number + "_mm");
    }
    m_Elongation = Find("elongation");
    m_Flatness = Find("flatness");
    m_Roundness = Find("roundness");
  }

  void
  WriteShape(const brickccl::ComponentMeasures & component, TLabelObject * object) const
  {
    using GeometryType = GeometryUtilities;
    const auto &                        shape = m_Table.measures.Of<brickccl::ShapeMeasures>()[component.place];
    typename TLabelObject::RegionType   box;
    typename TLabelObject::CentroidType centroid;
    typename TLabelObject::VectorType   moments;
    typename TLabelObject::VectorType   ellipsoid;
    typename TLabelObject::MatrixType   axes;
    double                              physicalSize = static_cast<double>(component.voxelCount);
    for (unsigned int axis = 0; axis < ImageDimension; ++axis)
    {
      box.SetIndex(axis, component.boxMinimum[axis]);
      box.SetSize(axis, static_cast<SizeValueType>(component.boxMaximum[axis] - component.boxMinimum[axis] + 1));
      centroid[axis] = Value(component, m_Centroid[axis]);
      moments[axis] = Value(component, m_PrincipalMoment[axis]);
      ellipsoid[axis] = Value(component, m_EllipsoidDiameter[axis]);
      physicalSize *= m_Table.geometry.spacing[axis];
      for (unsigned int i = 0; i < ImageDimension; ++i)
      {
        axes[axis][i] = shape.principalAxes[axis][i];
      }
    }
    ReflectBrickAxes(axes);
    const double radius = GeometryType::HyperSphereRadiusFromVolume(ImageDimension, physicalSize);
    object->SetNumberOfPixels(component.voxelCount);
    object->SetPhysicalSize(physicalSize);
    object->SetBoundingBox(box);
    object->SetCentroid(centroid);
    object->SetPrincipalMoments(moments);
    object->SetPrincipalAxes(axes);
    object->SetEquivalentEllipsoidDiameter(ellipsoid);
    object->SetEquivalentSphericalRadius(radius);
    object->SetEquivalentSphericalPerimeter(GeometryType::HyperSpherePerimeter(ImageDimension, radius));
    object->SetElongation(ImageDimension > 1 ? Value(component, m_Elongation) : 1);
    object->SetFlatness(ImageDimension > 1 ? Value(component, m_Flatness) : 1);
    if (m_Choice.perimeter && m_Table.HasGroup("surface"))
    {
      const double perimeter = m_Table.measures.Of<brickccl::SurfaceMeasures>()[component.place].crofton;
      object->SetPerimeter(perimeter);
      object->SetRoundness(Value(component, m_Roundness));
      object->SetPerimeterOnBorderRatio(object->GetPerimeterOnBorder() / perimeter);
    }
    if (m_Table.HasGroup("feret"))
    {
      WriteExtent(m_Table.measures.Of<brickccl::ExtentMeasures>()[component.place], axes, object);
    }
  }

private:
  using Column = const brickccl::ComponentColumn *;

  template <typename TMatrix>
  void
  WriteExtent(const brickccl::ExtentMeasures & extent, const TMatrix & axes, TLabelObject * object) const
  {
    if (m_Choice.feretDiameter)
    {
      object->SetFeretDiameter(extent.feretDiameter);
    }
    if (m_Choice.orientedBoundingBox)
    {
      typename TLabelObject::OrientedBoundingBoxPointType corner;
      typename TLabelObject::OrientedBoundingBoxSizeType  size;
      for (unsigned int axis = 0; axis < ImageDimension; ++axis)
      {
        size[axis] = extent.orientedSize[axis];
        corner[axis] = extent.orientedCenter[axis];
        for (unsigned int i = 0; i < ImageDimension; ++i)
        {
          corner[axis] -= axes[i][axis] * extent.orientedSize[i] / 2;
        }
      }
      object->SetOrientedBoundingBoxSize(size);
      object->SetOrientedBoundingBoxOrigin(corner);
    }
  }

  /** \return null if the table has no such column */
  Column
  Find(const std::string & name) const
  {
    const auto found =
      std::find_if(m_Columns.begin(), m_Columns.end(), [&](const auto & column) { return column.name == name; });
    return found == m_Columns.end() ? nullptr : &*found;
  }

  double
  Value(const brickccl::ComponentMeasures & component, Column column) const
  {
    return std::visit([](auto value) { return static_cast<double>(value); }, column->value(m_Table, component));
  }

  const brickccl::ComponentTable &       m_Table;
  BrickAttributeChoice                   m_Choice;
  std::vector<brickccl::ComponentColumn> m_Columns;
  Column                                 m_Centroid[ImageDimension];
  Column                                 m_PrincipalMoment[ImageDimension];
  Column                                 m_EllipsoidDiameter[ImageDimension];
  Column                                 m_Elongation;
  Column                                 m_Flatness;
  Column                                 m_Roundness;
};

/** Counts a line's pixels and faces on the image's border, as in ShapeLabelMapFilter. */
template <typename TLabelObject, typename TGrid>
void
AddBrickLineOnBorder(const typename TLabelObject::IndexType & index,
                     SizeValueType                            length,
                     const TGrid *                            grid,
                     SizeValueType &                          pixels,
                     double &                                 perimeter)
{
  const auto region = grid->GetLargestPossibleRegion();
  double     voxel = 1;
  for (unsigned int axis = 0; axis < TLabelObject::ImageDimension; ++axis)
  {
    voxel *= grid->GetSpacing()[axis];
  }
  const auto last = region.GetIndex(0) + static_cast<IndexValueType>(region.GetSize(0)) - 1;
  const bool begins = index[0] == region.GetIndex(0);
  const bool ends = index[0] + static_cast<IndexValueType>(length) - 1 == last;
  bool       isOnBorder = false;
  perimeter += ((begins ? 1 : 0) + (ends ? 1 : 0)) * voxel / grid->GetSpacing()[0];
  for (unsigned int axis = 1; axis < TLabelObject::ImageDimension; ++axis)
  {
    const auto high = region.GetIndex(axis) + static_cast<IndexValueType>(region.GetSize(axis)) - 1;
    const int  sides = (index[axis] == region.GetIndex(axis) ? 1 : 0) + (index[axis] == high ? 1 : 0);
    isOnBorder = isOnBorder || sides > 0;
    perimeter += sides * static_cast<double>(length) * voxel / grid->GetSpacing()[axis];
  }
  pixels += isOnBorder ? length : length == 1 ? (begins || ends ? 1u : 0u) : (begins ? 1u : 0u) + (ends ? 1u : 0u);
}

/** Makes label objects from lines in raster order, with the attributes of their type. */
template <typename TLabelMap>
class BrickLabelMapBuilder
{
public:
  using LabelObjectType = typename TLabelMap::LabelObjectType;
  using LabelType = typename LabelObjectType::LabelType;
  using IndexType = typename LabelObjectType::IndexType;
  static constexpr bool HasShape = HasBrickShape<LabelObjectType>;

  /** The grid is the labeled image. */
  BrickLabelMapBuilder(const ImageBase<TLabelMap::ImageDimension> * grid, std::size_t components)
    : m_Grid(grid)
    , m_Objects(components)
    , m_PixelsOnBorder(HasShape ? components : 0)
    , m_PerimeterOnBorder(HasShape ? components : 0)
  {
    for (auto & object : m_Objects)
    {
      object = LabelObjectType::New();
    }
  }

  /** Components count from 0. */
  void
  AddLine(std::size_t component, const IndexType & index, SizeValueType length)
  {
    m_Objects[component]->AddLine(index, length);
    if constexpr (HasShape)
    {
      AddBrickLineOnBorder<LabelObjectType>(index,
                                            length,
                                            m_Grid,
                                            m_PixelsOnBorder[component],
                                            m_PerimeterOnBorder[component]);
    }
  }

  /** Moves the objects, with the labels of the components, to an empty map of the grid's region. The table is read if
   * objects get shape attributes, and intensity attributes stay unset. */
  template <typename TLabels>
  void
  Finish(TLabelMap *                      map,
         const TLabels &                  labels,
         const brickccl::ComponentTable & table,
         const BrickAttributeChoice &     choice = {})
  {
    if constexpr (HasShape)
    {
      const BrickAttributeWriter<LabelObjectType> writer(table, choice);
      for (std::size_t component = 0; component < m_Objects.size(); ++component)
      {
        LabelObjectType * const object = m_Objects[component];
        object->SetNumberOfPixelsOnBorder(m_PixelsOnBorder[component]);
        object->SetPerimeterOnBorder(m_PerimeterOnBorder[component]);
        writer.WriteShape(table.components[component], object);
      }
    }
    for (std::size_t component = 0; component < m_Objects.size(); ++component)
    {
      m_Objects[component]->SetLabel(labels(component));
      map->AddLabelObject(m_Objects[component]);
    }
  }

private:
  const ImageBase<TLabelMap::ImageDimension> *   m_Grid;
  std::vector<typename LabelObjectType::Pointer> m_Objects;
  std::vector<SizeValueType>                     m_PixelsOnBorder;
  std::vector<double>                            m_PerimeterOnBorder;
};

/** A label map of a labeling's components. It is made from runs without a pass over the image's pixels.
 * Attributes of intensities stay unset: ITK's StatisticsLabelMapFilter adds them. ITK's LabelMap filters continue from
 * here: openings and selections by attributes, keeping the N largest, colors.
 *
 *  Attributes with ITK's definition have ITK's values. Tables/COLUMNS.md lists those that differ: Perimeter
 *  and Roundness of anisotropic images, the signs of PrincipalAxes.
 *  \tparam TLabelMap  itk::LabelMap of LabelObject, ShapeLabelObject or StatisticsLabelObject.
 *  \param labeling   the components.
 *  \param table      has at least the groups of BrickGroupsOfAttributes; may be empty if there are none
 *  \param grid       the labeled image; the map gets its geometry and metadata */
template <typename TLabelMap>
typename TLabelMap::Pointer
MakeBrickLabelMap(const brickccl::Labeling &                   labeling,
                  const brickccl::ComponentTable &             table,
                  const ImageBase<TLabelMap::ImageDimension> * grid)
{
  using Builder = BrickLabelMapBuilder<TLabelMap>;
  using LabelType = typename Builder::LabelType;
  brickccl::ThrowIf<brickccl::LabelOverflow>(
    labeling.ComponentCount() > static_cast<std::uint64_t>(NumericTraits<LabelType>::max()),
    std::to_string(labeling.ComponentCount()) + " components do not fit the label type of the label map");
  Builder                  builder(grid, static_cast<std::size_t>(labeling.ComponentCount()));
  const auto               start = grid->GetLargestPossibleRegion().GetIndex();
  const brickccl::Extent & extent = labeling.GetExtent();
  for (std::int64_t row = 0; row < extent.RowCount(); ++row)
  {
    const brickccl::RowPosition position(extent, row);
    typename Builder::IndexType index;
    for (unsigned int axis = 1; axis < TLabelMap::ImageDimension; ++axis)
    {
      index[axis] = start[axis] + position.at[axis - 1];
    }
    for (const brickccl::LabelRun & run : labeling.ListRuns(row, row + 1))
    {
      if (run.label != 0)
      {
        index[0] = start[0] + run.place % extent.RowLength();
        builder.AddLine(static_cast<std::size_t>(run.label - 1), index, static_cast<SizeValueType>(run.length));
      }
    }
  }
  auto map = TLabelMap::New();
  map->CopyInformation(grid);
  map->SetMetaDataDictionary(grid->GetMetaDataDictionary());
  map->SetRegions(grid->GetLargestPossibleRegion());
  map->SetBackgroundValue(0);
  builder.Finish(
    map.GetPointer(),
    [](std::size_t component) { return static_cast<LabelType>(component + 1); },
    table);
  return map;
}

} // namespace itk

#endif
