#include "BrickCCL/Vtk/Meshes.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/AtomicFile.h"

#include <vtkAppendPolyData.h>
#include <vtkCallbackCommand.h>
#include <vtkCellArray.h>
#include <vtkCellArrayIterator.h>
#include <vtkCellData.h>
#include <vtkDiscreteFlyingEdges3D.h>
#include <vtkFieldData.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkOBJWriter.h>
#include <vtkPLYWriter.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkSTLWriter.h>
#include <vtkSmartPointer.h>
#include <vtkStringArray.h>
#include <vtkTypeUInt64Array.h>
#include <vtkWindowedSincPolyDataFilter.h>
#include <vtkXMLPolyDataWriter.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

namespace brickccl
{

namespace
{

using Point = std::array<double, 3>;

Point
operator-(const Point & a, const Point & b)
{
  return { a[0] - b[0], a[1] - b[1], a[2] - b[2] };
}

Point
Cross(const Point & a, const Point & b)
{
  return { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0] };
}

double
Dot(const Point & a, const Point & b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Point
PointOf(vtkPolyData * mesh, vtkIdType point)
{
  Point place;
  mesh->GetPoint(point, place.data());
  return place;
}

template <typename TVisit>
void
ForTriangles(vtkPolyData * mesh, TVisit visit)
{
  vtkCellArray *    triangles = mesh->GetPolys();
  vtkIdType         count = 0;
  const vtkIdType * points = nullptr;
  const auto        cells = vtk::TakeSmartPointer(triangles->NewIterator());
  for (cells->GoToFirstCell(); !cells->IsDoneWithTraversal(); cells->GoToNextCell())
  {
    cells->GetCurrentCell(count, points);
    visit(points[0], points[1], points[2]);
  }
}

/** Of what a closed mesh encloses; negative where normals point inwards. Coordinates count from `origin`, near the
 * mesh, so that nothing is lost far from 0. */
double
VolumeOf(vtkPolyData * mesh, const Point & origin)
{
  double sum = 0;
  ForTriangles(mesh, [&](vtkIdType a, vtkIdType b, vtkIdType c) {
    sum += Dot(PointOf(mesh, a) - origin, Cross(PointOf(mesh, b) - origin, PointOf(mesh, c) - origin));
  });
  return sum / 6;
}

/** Moves every point along the mean normal of its triangles, weighted by area, until the mesh holds `volume`: points
 *  half-way between voxels cut the corners of thin components off. No point moves further than `farthest` at a time.
 *  \return whether the mesh holds it, to a hundredth */
bool
HoldVolume(vtkPolyData * mesh, double volume, double farthest)
{
  constexpr int    maximumSteps = 50;
  constexpr double tolerance = 1e-4;
  constexpr double mostLeft = 1e-2;
  const Point      origin = PointOf(mesh, 0);
  double           missing = volume - VolumeOf(mesh, origin);
  for (int step = 0; step < maximumSteps && std::abs(missing) > tolerance * volume; ++step)
  {
    std::vector<Point> normals(static_cast<std::size_t>(mesh->GetNumberOfPoints()), Point{});
    ForTriangles(mesh, [&](vtkIdType a, vtkIdType b, vtkIdType c) {
      const Point normal = Cross(PointOf(mesh, b) - PointOf(mesh, a), PointOf(mesh, c) - PointOf(mesh, a));
      for (const vtkIdType corner : { a, b, c })
      {
        for (std::size_t axis = 0; axis < 3; ++axis)
        {
          normals[static_cast<std::size_t>(corner)][axis] += normal[axis] / 6;
        }
      }
    });
    // A step d along unit normals n adds d times the sum of n's share of the area: what |n A| sums up to.
    double area = 0;
    for (const Point & normal : normals)
    {
      area += std::sqrt(Dot(normal, normal));
    }
    if (!(area > 0))
    {
      return false;
    }
    const double distance = std::max(-farthest, std::min(farthest, missing / area));
    for (vtkIdType point = 0; point < mesh->GetNumberOfPoints(); ++point)
    {
      const Point & normal = normals[static_cast<std::size_t>(point)];
      const double  length = std::sqrt(Dot(normal, normal));
      Point         place = PointOf(mesh, point);
      for (std::size_t axis = 0; length > 0 && axis < 3; ++axis)
      {
        place[axis] += distance * normal[axis] / length;
      }
      mesh->GetPoints()->SetPoint(point, place.data());
    }
    missing = volume - VolumeOf(mesh, origin);
  }
  return std::abs(missing) <= mostLeft * volume;
}

/** Whether a mesh in indices of a component's box stays within the box and its margin. */
bool
StaysInBox(vtkPolyData * mesh, vtkImageData * box)
{
  double bounds[6];
  mesh->GetBounds(bounds);
  const int * const extent = box->GetExtent();
  for (int axis = 0; axis < 3; ++axis)
  {
    // Also false for what is not a number.
    if (!(bounds[2 * axis] >= 0 && bounds[2 * axis + 1] <= extent[2 * axis + 1]))
    {
      return false;
    }
  }
  return true;
}

/** Keeps VTK from telling on the error stream what is told by exceptions here. */
void
Quieten(vtkObject * object)
{
  vtkNew<vtkCallbackCommand> nothing;
  nothing->SetCallback([](vtkObject *, unsigned long, void *, void *) {});
  object->AddObserver(vtkCommand::ErrorEvent, nothing);
  object->AddObserver(vtkCommand::WarningEvent, nothing);
}

/** The voxels of one component in a box with a margin of one voxel around it: 1 inside, 0 outside. */
vtkSmartPointer<vtkImageData>
CropMask(const ImageView & labels, const Geometry & geometry, const ComponentMeasures & component)
{
  const auto   mask = vtkSmartPointer<vtkImageData>::New();
  std::int64_t low[3];
  std::int64_t high[3];
  for (int axis = 0; axis < 3; ++axis)
  {
    low[axis] = component.boxMinimum[axis] - geometry.startIndex[axis];
    high[axis] = component.boxMaximum[axis] - geometry.startIndex[axis];
  }
  mask->SetExtent(0,
                  static_cast<int>(high[0] - low[0]) + 2,
                  0,
                  static_cast<int>(high[1] - low[1]) + 2,
                  0,
                  static_cast<int>(high[2] - low[2]) + 2);
  mask->AllocateScalars(VTK_UNSIGNED_CHAR, 1);
  auto * const out = static_cast<unsigned char *>(mask->GetScalarPointer());
  std::fill_n(out, mask->GetNumberOfPoints(), static_cast<unsigned char>(0));
  const std::int64_t width = high[0] - low[0] + 3;
  const std::int64_t height = high[1] - low[1] + 3;
  VisitScalarType(labels.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const auto label = static_cast<T>(component.label);
    for (std::int64_t z = low[2]; z <= high[2]; ++z)
    {
      for (std::int64_t y = low[1]; y <= high[1]; ++y)
      {
        const T * const row =
          static_cast<const T *>(labels.data) + (z * labels.extent.size[1] + y) * labels.extent.size[0];
        unsigned char * to = out + ((z - low[2] + 1) * height + y - low[1] + 1) * width + 1;
        for (std::int64_t x = low[0]; x <= high[0]; ++x)
        {
          *to++ = row[x] == label ? 1 : 0;
        }
      }
    }
  });
  return mask;
}

/** From indices in a component's box to physical points. */
void
ToPhysicalSpace(vtkPolyData * mesh, const Geometry & geometry, const ComponentMeasures & component, bool ras)
{
  for (vtkIdType point = 0; point < mesh->GetNumberOfPoints(); ++point)
  {
    const Point index = PointOf(mesh, point);
    Point       place;
    for (int axis = 0; axis < 3; ++axis)
    {
      double value = geometry.origin[axis];
      for (int step = 0; step < 3; ++step)
      {
        value += geometry.direction[axis][step] * geometry.spacing[step] *
                 (index[static_cast<std::size_t>(step)] - 1 + static_cast<double>(component.boxMinimum[step]));
      }
      place[static_cast<std::size_t>(axis)] = ras && axis < 2 ? -value : value;
    }
    mesh->GetPoints()->SetPoint(point, place.data());
  }
  mesh->Modified();
}

/** Turns all triangles around. */
void
TurnAround(vtkPolyData * mesh)
{
  vtkNew<vtkCellArray> turned;
  ForTriangles(mesh, [&](vtkIdType a, vtkIdType b, vtkIdType c) {
    const vtkIdType points[3] = { a, c, b };
    turned->InsertNextCell(3, points);
  });
  mesh->SetPolys(turned);
}

/** A surface in indices of a component's box, smoothed or not, as a mesh in space that holds the component's volume.
 *  \return null if that cannot be */
vtkSmartPointer<vtkPolyData>
Finish(vtkPolyData * surface, const ComponentTable & table, const ComponentMeasures & component, bool ras)
{
  // Points of float lose what double keeps far from the origin.
  const auto points = vtkSmartPointer<vtkPoints>::New();
  points->SetDataTypeToDouble();
  points->DeepCopy(surface->GetPoints());
  const auto mesh = vtkSmartPointer<vtkPolyData>::New();
  mesh->SetPoints(points);
  mesh->SetPolys(surface->GetPolys());
  ToPhysicalSpace(mesh, table.geometry, component, ras);
  if (mesh->GetNumberOfPoints() == 0)
  {
    return nullptr;
  }
  if (VolumeOf(mesh, PointOf(mesh, 0)) < 0)
  {
    TurnAround(mesh);
  }
  const double * const spacing = table.geometry.spacing;
  const double         farthest = 0.25 * std::min({ spacing[0], spacing[1], spacing[2] });
  const double         volume = static_cast<double>(component.voxelCount) * table.geometry.VoxelVolume(3);
  return HoldVolume(mesh, volume, farthest) ? mesh : nullptr;
}

/** \param isSmooth  set to whether it was smoothed: what smoothing would make vanish, or blow up, is left as it is */
vtkSmartPointer<vtkPolyData>
MeshOf(const ImageView &         labels,
       const ComponentTable &    table,
       const ComponentMeasures & component,
       const MeshOptions &       options,
       bool &                    isSmooth)
{
  const auto                       box = CropMask(labels, table.geometry, component);
  vtkNew<vtkDiscreteFlyingEdges3D> surface;
  surface->SetInputData(box);
  surface->SetValue(0, 1);
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
    if (StaysInBox(smooth->GetOutput(), box))
    {
      mesh = Finish(smooth->GetOutput(), table, component, options.ras);
    }
  }
  isSmooth = mesh != nullptr;
  if (!isSmooth)
  {
    mesh = Finish(surface->GetOutput(), table, component, options.ras);
  }
  if (mesh == nullptr)
  {
    throw Error("no surface of the volume of component " + std::to_string(component.label) + " was found");
  }
  vtkNew<vtkTypeUInt64Array> ofCells;
  ofCells->SetName("Label");
  ofCells->SetNumberOfValues(mesh->GetNumberOfPolys());
  ofCells->FillValue(component.label);
  mesh->GetCellData()->AddArray(ofCells);
  return mesh;
}

/** \throws Unsupported if 32-bit numbers, which these formats have, would move points by more than a hundredth of a
 *  voxel. */
void
CheckPrecision(vtkPolyData * mesh, const Geometry & geometry, const std::string & path)
{
  double bounds[6];
  mesh->GetBounds(bounds);
  double farthest = 0;
  for (const double bound : bounds)
  {
    farthest = std::max(farthest, std::abs(bound));
  }
  const double error = farthest * std::numeric_limits<float>::epsilon() / 2;
  const double voxel = std::min({ geometry.spacing[0], geometry.spacing[1], geometry.spacing[2] });
  if (error > 0.01 * voxel)
  {
    throw Unsupported("'" + path + "' would hold points as 32-bit numbers, which are off by up to " +
                      std::to_string(error) + " mm so far from the origin (" + std::to_string(farthest) +
                      " mm); use .vtp or .obj, or move the origin");
  }
}

/** What the file says of its coordinates. */
std::string
SpaceText(bool ras)
{
  return std::string("BrickCCL surface, coordinates in mm, ") + (ras ? "RAS" : "LPS");
}

template <typename TWriter>
void
RunWriter(TWriter * writer, vtkPolyData * mesh, const std::string & temporary, const std::string & path)
{
  Quieten(writer);
  writer->SetInputData(mesh);
  writer->SetFileName(temporary.c_str());
  if (writer->Write() == 0 || writer->GetErrorCode() != 0)
  {
    throw Error("the mesh '" + path + "' could not be written; is there room on the disk?");
  }
}

void
WriteMesh(vtkPolyData * mesh, const Geometry & geometry, const std::string & path, bool ras)
{
  const std::string ending = MeshEnding(path);
  if (ending == ".stl" || ending == ".ply")
  {
    CheckPrecision(mesh, geometry, path);
  }
  ReplaceFile(path, [&](const std::string & temporary) {
    if (ending == ".stl")
    {
      vtkNew<vtkSTLWriter> writer;
      writer->SetFileTypeToBinary();
      writer->SetHeader(SpaceText(ras).c_str());
      RunWriter(writer.Get(), mesh, temporary, path);
    }
    else if (ending == ".ply")
    {
      vtkNew<vtkPLYWriter> writer;
      writer->SetFileTypeToBinary();
      writer->AddComment(SpaceText(ras));
      RunWriter(writer.Get(), mesh, temporary, path);
    }
    else if (ending == ".obj")
    {
      // The writer takes no comment.
      const std::string    body = temporary + ".body";
      vtkNew<vtkOBJWriter> writer;
      RunWriter(writer.Get(), mesh, body, path);
      {
        std::ofstream out(temporary, std::ios::binary);
        std::ifstream in(body, std::ios::binary);
        out << "# " << SpaceText(ras) << '\n' << in.rdbuf();
        if (!out.flush())
        {
          throw Error("the mesh '" + path + "' could not be written; is there room on the disk?");
        }
      }
      std::filesystem::remove(body);
    }
    else
    {
      vtkNew<vtkStringArray> space;
      space->SetName("SPACE");
      space->InsertNextValue(ras ? "RAS" : "LPS");
      mesh->GetFieldData()->AddArray(space);
      vtkNew<vtkXMLPolyDataWriter> writer;
      writer->SetDataModeToAppended();
      writer->EncodeAppendedDataOff();
      RunWriter(writer.Get(), mesh, temporary, path);
    }
  });
}

} // namespace

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
  if (labels.extent.dimension != 3)
  {
    throw InvalidArgument("surfaces are made of images of 3 dimensions, not of " +
                          std::to_string(labels.extent.dimension));
  }
  std::vector<vtkSmartPointer<vtkPolyData>> meshes(places.size());
  std::vector<MeshReport>                   reports(places.size());
  ParallelFor(static_cast<std::int64_t>(places.size()), context.Part(0, 0.8), [&](std::int64_t i) {
    const auto              at = static_cast<std::size_t>(i);
    const ComponentMeasures component = table.components[places[at]];
    MeshReport &            report = reports[at];
    meshes[at] = MeshOf(labels, table, component, options, report.isSmooth);
    report.label = component.label;
    report.triangles = meshes[at]->GetNumberOfPolys();
    report.volume = static_cast<double>(component.voxelCount) * table.geometry.VoxelVolume(3);
    report.meshVolume = VolumeOf(meshes[at], PointOf(meshes[at], 0));
  });
  context.progress.Update(0.8);
  if (oneFileEach)
  {
    for (std::size_t i = 0; i < places.size(); ++i)
    {
      WriteMesh(meshes[i], table.geometry, MeshPathOf(path, reports[i].label), options.ras);
      context.progress.Update(0.8 + 0.2 * static_cast<double>(i + 1) / static_cast<double>(places.size()));
    }
    return reports;
  }
  vtkNew<vtkAppendPolyData> all;
  all->SetOutputPointsPrecision(vtkAlgorithm::DOUBLE_PRECISION);
  for (const auto & mesh : meshes)
  {
    all->AddInputData(mesh);
  }
  if (!meshes.empty())
  {
    all->Update();
  }
  WriteMesh(all->GetOutput(), table.geometry, path, options.ras);
  context.progress.Update(1);
  return reports;
}

} // namespace brickccl
