// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Vtk/Meshes.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Vtk/ClosedMesh.h"
#include "BrickCCL/Vtk/SurfaceScene.h"

#include <vtkAppendPolyData.h>
#include <vtkCellData.h>
#include <vtkDoubleArray.h>
#include <vtkFlyingEdges3D.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkQuadricDecimation.h>
#include <vtkSmartPointer.h>
#include <vtkTypeUInt64Array.h>
#include <vtkWindowedSincPolyDataFilter.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace brickccl
{

/** Whether a mesh in indices of a component's box reaches as far as the voxels do, to a voxel at every side: neither
 *  beyond the box and its margin, nor less far. */
static bool
FitsBox(vtkPolyData * mesh, vtkImageData * box)
{
  double bounds[6];
  mesh->GetBounds(bounds);
  const int * const extent = box->GetExtent();
  for (std::ptrdiff_t axis = 0; axis < 3; ++axis)
  {
    const double low = std::abs(bounds[2 * axis] - 0.5);
    const double high = std::abs(bounds[2 * axis + 1] - (extent[2 * axis + 1] - 0.5));
    // Also false for what is not a number.
    if (!(low <= 1 && high <= 1))
    {
      return false;
    }
  }
  return true;
}

/** The voxels of one component in a box with a margin of one voxel around it: 1 inside, 0 outside. */
static vtkSmartPointer<vtkImageData>
CropMask(const ImageView & labels, const Geometry & geometry, const ComponentMeasures & component)
{
  const BlockCounts box = CountInBlocks(SourceOf(labels, geometry, component), 1);
  auto              mask = vtkSmartPointer<vtkImageData>::New();
  mask->SetDimensions(static_cast<int>(box.size[0]), static_cast<int>(box.size[1]), static_cast<int>(box.size[2]));
  mask->AllocateScalars(VTK_UNSIGNED_SHORT, 1);
  std::copy(box.counts.begin(), box.counts.end(), static_cast<std::uint16_t *>(mask->GetScalarPointer()));
  return mask;
}

/** How far the values of a scan are inside of the surface, in a box as CropMask makes it. The component says which side
 *  of `iso` is inside. Its voxels with only its own around them are inside, and voxels of others are outside. */
static vtkSmartPointer<vtkImageData>
CropScan(vtkImageData *            mask,
         const ImageView &         scan,
         double                    iso,
         const Geometry &          geometry,
         const ComponentMeasures & component)
{
  const auto * const own = static_cast<const std::uint16_t *>(mask->GetScalarPointer());
  const int * const  size = mask->GetDimensions();
  auto               field = vtkSmartPointer<vtkImageData>::New();
  field->SetDimensions(size);
  field->AllocateScalars(VTK_FLOAT, 1);
  auto * const value = static_cast<float *>(field->GetScalarPointer());
  double       sum = 0;
  VisitScalarType(scan.type, [&](auto tag) {
    const auto * const voxels = static_cast<const typename decltype(tag)::Type *>(scan.data);
    for (std::int64_t at = 0, count = mask->GetNumberOfPoints(); at < count; ++at)
    {
      const std::int64_t index[3] = { at % size[0], at / size[0] % size[1], at / size[0] / size[1] };
      std::int64_t       voxel = 0;
      bool               isThere = true;
      for (int axis = 2; axis >= 0; --axis)
      {
        const std::int64_t place = index[axis] - 1 + component.boxMinimum[axis] - geometry.startIndex[axis];
        isThere = isThere && place >= 0 && place < scan.extent.size[axis];
        voxel = voxel * scan.extent.size[axis] + place;
      }
      value[at] = isThere ? static_cast<float>(static_cast<double>(voxels[voxel]) - iso) : NAN;
      sum += own[at] > 0 && std::isfinite(value[at]) ? value[at] : 0;
    }
  });
  const auto typical = static_cast<float>(std::abs(sum) / static_cast<double>(component.voxelCount));
  for (std::int64_t at = 0, count = mask->GetNumberOfPoints(); at < count; ++at)
  {
    const std::int64_t steps[3] = { 1, size[0], std::int64_t{ size[0] } * size[1] };
    const bool         isDeep = own[at] > 0 && std::all_of(steps, steps + 3, [&](std::int64_t step) {
                          return own[at - step] > 0 && own[at + step] > 0;
                        });
    float inside = !std::isfinite(value[at]) ? (own[at] > 0 ? typical : -typical) : sum < 0 ? -value[at] : value[at];
    if (isDeep ? inside < 0 : own[at] == 0 && inside > 0)
    {
      inside = std::max(-typical, std::min(typical, -inside));
    }
    // A point of the surface in the center of a voxel would make triangles without area.
    value[at] = std::abs(inside) < 1e-3F * typical ? std::copysign(1e-3F * typical, own[at] - 0.5F) : inside;
  }
  return field;
}

static void
ToPhysicalSpace(vtkPolyData * mesh, const Geometry & geometry, const ComponentMeasures & component, bool ras)
{
  for (vtkIdType point = 0; point < mesh->GetNumberOfPoints(); ++point)
  {
    double index[3];
    double place[3];
    mesh->GetPoint(point, index);
    for (int axis = 0; axis < 3; ++axis)
    {
      index[axis] += static_cast<double>(component.boxMinimum[axis] - geometry.startIndex[axis] - 1);
    }
    geometry.IndexToPhysical(3, index, place);
    place[0] = ras ? -place[0] : place[0];
    place[1] = ras ? -place[1] : place[1];
    mesh->GetPoints()->SetPoint(point, place);
  }
  PointsMoved(mesh);
}

/** A surface in indices of a component's box, smoothed or not, as a mesh in space that holds the component's volume, or
 *  without a box its own. \return null if that cannot be */
static vtkSmartPointer<vtkPolyData>
Finish(vtkPolyData *             surface,
       vtkImageData *            box,
       const Geometry &          geometry,
       const ComponentMeasures & component,
       bool                      ras)
{
  // Points of float lose what double keeps far from the origin.
  const auto points = vtkSmartPointer<vtkPoints>::New();
  points->SetDataTypeToDouble();
  points->DeepCopy(surface->GetPoints());
  auto mesh = vtkSmartPointer<vtkPolyData>::New();
  mesh->SetPoints(points);
  mesh->SetPolys(surface->GetPolys());
  if (mesh->GetNumberOfPoints() == 0)
  {
    return nullptr;
  }
  TurnOutwards(mesh);
  // In voxels,  so that the spacing does not matter; steps from voxel to voxel in space change all volumes alike.
  constexpr double farthest = 0.25;
  if (box != nullptr && (!HoldVolume(mesh, static_cast<double>(component.voxelCount), farthest) || !FitsBox(mesh, box)))
  {
    return nullptr;
  }
  ToPhysicalSpace(mesh, geometry, component, ras);
  TurnOutwards(mesh);
  return mesh;
}

static void
AddCellArray(vtkPolyData * mesh, const std::string & name, const ComponentColumn::Value & value)
{
  const auto fill = [&](auto array, auto number) {
    array->SetName(name.c_str());
    array->SetNumberOfValues(mesh->GetNumberOfPolys());
    array->FillValue(number);
    mesh->GetCellData()->AddArray(array);
  };
  if (const auto * const whole = std::get_if<std::uint64_t>(&value))
  {
    fill(vtkSmartPointer<vtkTypeUInt64Array>::New(), *whole);
    return;
  }
  fill(vtkSmartPointer<vtkDoubleArray>::New(), std::visit([](auto any) { return static_cast<double>(any); }, value));
}

/** The columns of the table that .vtp files hold for each triangle: sizes, and those that are asked for. */
static std::vector<ComponentColumn>
ColumnsOfCells(const ComponentTable & table, const std::string & asked)
{
  const std::string            names = ",voxel_count,volume_mm3,equivalent_spherical_diameter_mm," + asked + ",";
  std::vector<ComponentColumn> columns = ColumnsOf(table);
  columns.erase(std::remove_if(columns.begin(),
                               columns.end(),
                               [&](const ComponentColumn & column) {
                                 return names.find("," + column.name + ",") == std::string::npos &&
                                        names.find("," + column.group + ",") == std::string::npos;
                               }),
                columns.end());
  return columns;
}

/** \param isSmooth  set to whether it was smoothed: what smoothing would make vanish, or blow up, is left as it is */
static vtkSmartPointer<vtkPolyData>
MeshOf(const ImageView &         labels,
       const ComponentTable &    table,
       const ComponentMeasures & component,
       const MeshOptions &       options,
       bool &                    isSmooth)
{
  const auto               mask = CropMask(labels, table.geometry, component);
  vtkImageData * const     box = options.scan ? nullptr : mask.Get();
  vtkNew<vtkFlyingEdges3D> surface;
  surface->SetInputData(options.scan ? CropScan(mask, *options.scan, options.iso, table.geometry, component) : mask);
  surface->SetValue(0, options.scan ? 0 : 0.5);
  surface->ComputeNormalsOff();
  surface->ComputeGradientsOff();
  surface->ComputeScalarsOff();
  surface->Update();
  vtkSmartPointer<vtkPolyData> mesh;
  if (options.smoothingPasses > 0)
  {
    vtkNew<vtkWindowedSincPolyDataFilter> smooth;
    Quieten(smooth);
    smooth->SetInputData(surface->GetOutput());
    smooth->SetNumberOfIterations(options.smoothingPasses);
    smooth->SetPassBand(0.1);
    smooth->BoundarySmoothingOff();
    smooth->FeatureEdgeSmoothingOff();
    smooth->NonManifoldSmoothingOn();
    smooth->NormalizeCoordinatesOn();
    smooth->Update();
    mesh = Finish(smooth->GetOutput(), box, table.geometry, component, options.ras);
  }
  isSmooth = mesh != nullptr;
  if (!isSmooth)
  {
    mesh = Finish(surface->GetOutput(), box, table.geometry, component, options.ras);
  }
  ThrowIf(mesh == nullptr,
          "component " + std::to_string(component.label) + " has no surface" +
            (options.scan ? " at " + Shortest(options.iso) + "; give --iso a value between those inside and outside"
                          : std::string("; check spacing and origin")));
  return mesh;
}

/** A closed mesh of the same volume with this share of the triangles, or with more if it would touch itself. */
static vtkSmartPointer<vtkPolyData>
WithFewerTriangles(const vtkSmartPointer<vtkPolyData> & mesh, double share, const Geometry & geometry)
{
  constexpr double  again = 1.5;
  const double      voxel = *std::min_element(geometry.spacing, geometry.spacing + 3);
  const std::size_t faults = FaultsOf(mesh);
  double            now = share;
  while (now < 1)
  {
    vtkNew<vtkQuadricDecimation> fewer;
    Quieten(fewer);
    fewer->SetInputData(mesh);
    fewer->SetTargetReduction(1 - now);
    fewer->Update();
    vtkSmartPointer<vtkPolyData> left = fewer->GetOutput();
    if (left->GetNumberOfPolys() > 3 && FaultsOf(left) <= faults &&
        HoldVolume(left, EnclosedVolume(mesh), 0.25 * voxel))
    {
      return left;
    }
    now *= again;
  }
  return mesh;
}

std::vector<MeshReport>
WriteMeshes(const ImageView &                labels,
            const ComponentTable &           table,
            const std::vector<std::size_t> & places,
            const MeshOptions &              options,
            const std::string &              path,
            bool                             oneFileEach,
            const HostContext &              context)
{
  CheckMeshName(path);
  ThrowIf<InvalidArgument>(labels.extent.dimension != 3,
                           "surfaces need an image of 3 dimensions, not " + std::to_string(labels.extent.dimension));
  const std::string   ending = MeshEnding(path);
  const std::uint64_t largest = places.empty() ? 0 : table.components.Label(places.back());
  const std::uint64_t most = ending == ".glb" ? 1U << 24U : std::numeric_limits<std::uint32_t>::max();
  ThrowIf<Unsupported>((ending == ".glb" || ending == ".ply") && largest > most,
                       Quoted(path) + " cannot hold the label " + std::to_string(largest) + ", which is above " +
                         std::to_string(most) + "; use .vtp");
  std::vector<vtkSmartPointer<vtkPolyData>> meshes(places.size());
  std::vector<MeshReport>                   reports(places.size());
  const auto                                count = static_cast<std::int64_t>(places.size());
  std::vector<ComponentColumn>              columns;
  if (ending == ".vtp")
  {
    columns = ColumnsOfCells(table, options.columns);
  }
  ParallelFor(count, context.Part(0, 0.6), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    meshes[at] = MeshOf(labels, table, table.components[places[at]], options, reports[at].isSmooth);
  });
  const double all = std::accumulate(meshes.begin(), meshes.end(), 0.0, [](double sum, const auto & mesh) {
    return sum + static_cast<double>(mesh->GetNumberOfPolys());
  });
  const double share = options.triangles == 0 ? 1 : static_cast<double>(options.triangles) / all;
  ParallelFor(count, context.Part(0.6, 0.8), [&](std::int64_t i) {
    const auto              at = static_cast<std::size_t>(i);
    const ComponentMeasures component = table.components[places[at]];
    MeshReport &            report = reports[at];
    if (share < 1)
    {
      meshes[at] = WithFewerTriangles(meshes[at], share, table.geometry);
    }
    AddCellArray(meshes[at], "Label", component.label);
    for (const ComponentColumn & column : columns)
    {
      AddCellArray(meshes[at], column.name, column.value(table, component));
    }
    report.label = component.label;
    report.triangles = meshes[at]->GetNumberOfPolys();
    report.volume = static_cast<double>(component.voxelCount) * table.geometry.VoxelVolume(3);
    report.meshVolume = EnclosedVolume(meshes[at]);
    if (options.scan)
    {
      AddCellArray(meshes[at], "mesh_volume_mm3", report.meshVolume);
    }
  });
  context.progress.Update(0.8);
  if (oneFileEach)
  {
    for (std::size_t i = 0; i < places.size(); ++i)
    {
      WriteMesh(meshes[i], table.geometry, options, MeshPathOf(path, reports[i].label));
      context.progress.Update(0.8 + 0.2 * static_cast<double>(i + 1) / static_cast<double>(places.size()));
    }
    return reports;
  }
  vtkNew<vtkAppendPolyData> joined;
  joined->SetOutputPointsPrecision(vtkAlgorithm::DOUBLE_PRECISION);
  for (const auto & mesh : meshes)
  {
    joined->AddInputData(mesh);
  }
  if (!meshes.empty())
  {
    joined->Update();
  }
  WriteMesh(joined->GetOutput(), table.geometry, options, path);
  context.progress.Update(1);
  return reports;
}

} // namespace brickccl
