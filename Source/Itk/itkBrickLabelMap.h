#ifndef itkBrickLabelMap_h
#define itkBrickLabelMap_h

#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Measuring/ColumnGroups.h"
#include "BrickCCL/Measuring/GroupMeasures.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include "itkGeometryUtilities.h"
#include "itkImageBase.h"
#include "itkLabelMap.h"
#include "itkShapeLabelObject.h"
#include "itkStatisticsLabelObject.h"

#include <map>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace itk
{

/** Whether a label object has the attributes of ShapeLabelObject (or of StatisticsLabelObject). */
template <typename TLabelObject, template <typename, unsigned int> class TAttributes>
constexpr bool HasBrickAttributes =
  std::is_base_of_v<TAttributes<typename TLabelObject::LabelType, TLabelObject::ImageDimension>, TLabelObject>;

/** The groups of columns that a label object's attributes come from. Feret diameter and oriented box are set only if
 *  the group `feret` is added; ShapeLabelMapFilter, too, leaves them out by default. */
template <typename TLabelObject>
brickccl::ColumnGroups
BrickGroupsOfAttributes()
{
  brickccl::ColumnGroups groups;
  if (HasBrickAttributes<TLabelObject, ShapeLabelObject>)
  {
    groups.Add("shape");
    if (TLabelObject::ImageDimension <= 3)
    {
      groups.Add("surface");
    }
  }
  if (HasBrickAttributes<TLabelObject, StatisticsLabelObject>)
  {
    groups.Add("intensity");
  }
  return groups;
}

/** Fills the attributes of label objects from the rows of a component table. The names of the columns are written
 *  here. */
template <typename TLabelObject>
class BrickAttributeWriter
{
public:
  static constexpr unsigned int ImageDimension = TLabelObject::ImageDimension;

  explicit BrickAttributeWriter(const brickccl::ComponentTable & table)
    : m_Table(table)
    , m_Columns(brickccl::ColumnsOf(table))
  {
    for (const brickccl::ComponentColumn & column : m_Columns)
    {
      m_ColumnOf[column.name] = &column;
    }
  }

  void
  WriteShape(const brickccl::ComponentMeasures & component, TLabelObject * object) const
  {
    using GeometryType = GeometryUtilities;
    typename TLabelObject::RegionType   box;
    typename TLabelObject::CentroidType centroid;
    typename TLabelObject::VectorType   moments;
    typename TLabelObject::VectorType   ellipsoid;
    typename TLabelObject::MatrixType   axes;
    double                              physicalSize = static_cast<double>(component.voxelCount);
    for (unsigned int axis = 0; axis < ImageDimension; ++axis)
    {
      const std::string name(1, "xyzt"[axis]);
      const std::string number = std::to_string(axis + 1);
      box.SetIndex(axis, component.boxMinimum[axis]);
      box.SetSize(axis, static_cast<SizeValueType>(component.boxMaximum[axis] - component.boxMinimum[axis] + 1));
      centroid[axis] = Value(component, "centroid_" + name + "_mm");
      moments[axis] = Value(component, "principal_moment_" + number + "_mm2");
      ellipsoid[axis] = Value(component, "ellipsoid_diameter_" + number + "_mm");
      physicalSize *= m_Table.geometry.spacing[axis];
      for (unsigned int i = 0; i < ImageDimension; ++i)
      {
        axes[axis][i] = Value(component, "principal_axis_" + number + "_" + "xyzt"[i]);
      }
    }
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
    object->SetElongation(ImageDimension > 1 ? Value(component, "elongation") : 1);
    object->SetFlatness(ImageDimension > 1 ? Value(component, "flatness") : 1);
    if (m_Table.HasGroup("surface"))
    {
      const double perimeter = m_Table.measures.Of<brickccl::SurfaceMeasures>()[component.place].crofton;
      object->SetPerimeter(perimeter);
      object->SetRoundness(Value(component, "roundness"));
      object->SetPerimeterOnBorderRatio(object->GetPerimeterOnBorder() / perimeter);
    }
    if (m_Table.HasGroup("feret"))
    {
      const auto & extent = m_Table.measures.Of<brickccl::ExtentMeasures>()[component.place];
      typename TLabelObject::OrientedBoundingBoxPointType corner;
      typename TLabelObject::OrientedBoundingBoxSizeType  size;
      for (unsigned int axis = 0; axis < ImageDimension; ++axis)
      {
        size[axis] = extent.orientedSize[axis];
        corner[axis] = extent.orientedCentre[axis];
        for (unsigned int i = 0; i < ImageDimension; ++i)
        {
          corner[axis] -= axes[i][axis] * extent.orientedSize[i] / 2;
        }
      }
      object->SetFeretDiameter(extent.feretDiameter);
      object->SetOrientedBoundingBoxSize(size);
      object->SetOrientedBoundingBoxOrigin(corner);
    }
  }

  void
  WriteStatistics(const brickccl::ComponentMeasures & component, TLabelObject * object) const
  {
    typename TLabelObject::PointType centre;
    for (unsigned int axis = 0; axis < ImageDimension; ++axis)
    {
      centre[axis] = Value(component, std::string("weighted_centroid_") + "xyzt"[axis] + "_mm");
    }
    const double deviation = component.intensity.standardDeviation;
    object->SetMinimum(component.intensity.minimum);
    object->SetMaximum(component.intensity.maximum);
    object->SetMean(component.intensity.mean);
    object->SetSum(component.intensity.sum);
    object->SetStandardDeviation(deviation);
    object->SetVariance(deviation * deviation);
    object->SetMedian(Value(component, "intensity_median"));
    object->SetSkewness(Value(component, "intensity_skewness"));
    object->SetKurtosis(Value(component, "intensity_kurtosis"));
    object->SetCenterOfGravity(centre);
  }

private:
  double
  Value(const brickccl::ComponentMeasures & component, const std::string & column) const
  {
    return std::visit([](auto value) { return static_cast<double>(value); },
                      m_ColumnOf.at(column)->value(m_Table, component));
  }

  const brickccl::ComponentTable &                         m_Table;
  std::vector<brickccl::ComponentColumn>                   m_Columns;
  std::map<std::string, const brickccl::ComponentColumn *> m_ColumnOf;
};

/** Counts the pixels and faces that a line has on the image's border, as ShapeLabelMapFilter does. */
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

/** A label map of a labeling's components. It is made from runs without a pass over the image's pixels. ITK's LabelMap
 *  filters go on from here: openings and selections by attributes, keeping the N largest, colours.
 *
 *  Attributes that ITK defines in the same way have its values. Tables/COLUMNS.md lists those that differ: Perimeter
 *  and Roundness of anisotropic images, the signs of PrincipalAxes, and Median, which is exact. Not set are
 *  MinimumIndex, MaximumIndex, Histogram and the weighted principal moments, axes, elongation and flatness.
 *  \tparam TLabelMap  itk::LabelMap of LabelObject, ShapeLabelObject or StatisticsLabelObject.
 *  \param labeling  the components.
 *  \param table  is measured with the groups of BrickGroupsOfAttributes at least.
 *  \param grid  the image that was labeled. */
template <typename TLabelMap>
typename TLabelMap::Pointer
MakeBrickLabelMap(const brickccl::Labeling &                   labeling,
                  const brickccl::ComponentTable &             table,
                  const ImageBase<TLabelMap::ImageDimension> * grid)
{
  using LabelObjectType = typename TLabelMap::LabelObjectType;
  using LabelType = typename LabelObjectType::LabelType;
  if (labeling.ComponentCount() > static_cast<std::uint64_t>(NumericTraits<LabelType>::max()))
  {
    itkGenericExceptionMacro(<< labeling.ComponentCount() << " components do not fit the label type of the label map");
  }
  auto map = TLabelMap::New();
  map->CopyInformation(grid);
  map->SetRegions(grid->GetLargestPossibleRegion());
  map->SetBackgroundValue(LabelType{ 0 });

  std::vector<typename LabelObjectType::Pointer> objects(static_cast<std::size_t>(labeling.ComponentCount()));
  for (auto & object : objects)
  {
    object = LabelObjectType::New();
  }
  constexpr bool             hasShape = HasBrickAttributes<LabelObjectType, ShapeLabelObject>;
  std::vector<SizeValueType> pixelsOnBorder(hasShape ? objects.size() : 0);
  std::vector<double>        perimeterOnBorder(hasShape ? objects.size() : 0);
  const auto                 start = grid->GetLargestPossibleRegion().GetIndex();
  const brickccl::Extent &   extent = labeling.GetExtent();
  for (std::int64_t row = 0; row < extent.RowCount(); ++row)
  {
    const brickccl::RowPosition         position(extent, row);
    typename LabelObjectType::IndexType index;
    for (unsigned int axis = 1; axis < TLabelMap::ImageDimension; ++axis)
    {
      index[axis] = start[axis] + position.at[axis - 1];
    }
    for (const brickccl::LabelRun & run : labeling.ListRuns(row, row + 1))
    {
      if (run.label != 0)
      {
        const auto component = static_cast<std::size_t>(run.label - 1);
        const auto length = static_cast<SizeValueType>(run.length);
        index[0] = start[0] + run.place % extent.RowLength();
        objects[component]->AddLine(index, length);
        if constexpr (hasShape)
        {
          AddBrickLineOnBorder<LabelObjectType>(index,
                                                length,
                                                grid,
                                                pixelsOnBorder[component],
                                                perimeterOnBorder[component]);
        }
      }
    }
  }

  [[maybe_unused]] const BrickAttributeWriter<LabelObjectType> writer(table);
  for (std::size_t component = 0; component < objects.size(); ++component)
  {
    LabelObjectType * const object = objects[component];
    object->SetLabel(static_cast<LabelType>(component + 1));
    if constexpr (hasShape)
    {
      object->SetNumberOfPixelsOnBorder(pixelsOnBorder[component]);
      object->SetPerimeterOnBorder(perimeterOnBorder[component]);
      writer.WriteShape(table.components[component], object);
    }
    if constexpr (HasBrickAttributes<LabelObjectType, StatisticsLabelObject>)
    {
      writer.WriteStatistics(table.components[component], object);
    }
    map->AddLabelObject(object);
  }
  return map;
}

} // namespace itk

#endif
