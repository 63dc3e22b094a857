#include "BrickCCL/Vtk/Meshes.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Host/AtomicFile.h"

#include <vtkAppendPolyData.h>
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

/** The volume that a closed mesh encloses. It is negative if normals point inwards. Coordinates count from `origin`,
 *  which lies near the mesh, so that no digits are lost far from 0. */
double
VolumeOf(vtkPolyData * mesh, const Point & origin)
{
  double sum = 0;
  ForTriangles(mesh, [&](vtkIdType a, vtkIdType b, vtkIdType c) {
    sum += Dot(PointOf(mesh, a) - origin, Cross(PointOf(mesh, b) - origin, PointOf(mesh, c) - origin));
  });
  return sum / 6;
}

/** Moves every point along the mean normal of its triangles, weighted by area, until the mesh holds `volume`. This is
 *  needed because points half-way between voxels cut the corners off thin components. */
void
HoldVolume(vtkPolyData * mesh, double volume)
{
  constexpr int    maximumSteps = 20;
  constexpr double tolerance = 1e-4;
  const Point      origin = PointOf(mesh, 0);
  for (int step = 0; step < maximumSteps; ++step)
  {
    const double missing = volume - VolumeOf(mesh, origin);
    if (std::abs(missing) <= tolerance * volume)
    {
      return;
    }
    std::vector<Point> normals(static_cast<std::size_t>(mesh->GetNumberOfPoints()), Point{});
    ForTriangles(mesh, [&](vtkIdType a, vtkIdType b, vtkIdType c) {
      const Point normal = Cross(PointOf(mesh, b) - PointOf(mesh, a), PointOf(mesh, c) - PointOf(mesh, a));
      for (const vtkIdType corner : { a, b, c })
      {
        for (int axis = 0; axis < 3; ++axis)
        {
          normals[static_cast<std::size_t>(corner)][static_cast<std::size_t>(axis)] +=
            normal[static_cast<std::size_t>(axis)] / 6;
        }
      }
    });
    // A step d along unit normals n adds d times the sum of n's share of the area, which is the sum of |n A|.
    double area = 0;
    for (const Point & normal : normals)
    {
      area += std::sqrt(Dot(normal, normal));
    }
    for (vtkIdType point = 0; point < mesh->GetNumberOfPoints(); ++point)
    {
      const Point & normal = normals[static_cast<std::size_t>(point)];
      const double  length = std::sqrt(Dot(normal, normal));
      Point         place = PointOf(mesh, point);
      for (std::size_t axis = 0; length > 0 && axis < 3; ++axis)
      {
        place[axis] += missing / area * normal[axis] / length;
      }
      mesh->GetPoints()->SetPoint(point, place.data());
    }
  }
}

/** The voxels in a component's box with a margin of one voxel around it: 1 in the component, 0 elsewhere. */
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

/** Moves a mesh from indices in a component's box to physical points. */
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

/** Reverses the orientation of all triangles. */
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

vtkSmartPointer<vtkPolyData>
MeshOf(const ImageView &         labels,
       const ComponentTable &    table,
       const ComponentMeasures & component,
       const MeshOptions &       options)
{
  vtkNew<vtkDiscreteFlyingEdges3D> surface;
  surface->SetInputData(CropMask(labels, table.geometry, component));
  surface->SetValue(0, 1);
  surface->ComputeNormalsOff();
  surface->ComputeGradientsOff();
  surface->ComputeScalarsOff();
  surface->Update();
  vtkSmartPointer<vtkPolyData> mesh = surface->GetOutput();
  if (options.smoothingPasses > 0)
  {
    vtkNew<vtkWindowedSincPolyDataFilter> smooth;
    smooth->SetInputData(mesh);
    smooth->SetNumberOfIterations(options.smoothingPasses);
    smooth->SetPassBand(0.1);
    smooth->BoundarySmoothingOff();
    smooth->FeatureEdgeSmoothingOff();
    smooth->NonManifoldSmoothingOn();
    smooth->NormalizeCoordinatesOn();
    smooth->Update();
    mesh = smooth->GetOutput();
  }
  // As floats, points far from the origin would lose digits that doubles keep.
  const auto points = vtkSmartPointer<vtkPoints>::New();
  points->SetDataTypeToDouble();
  points->DeepCopy(mesh->GetPoints());
  const auto own = vtkSmartPointer<vtkPolyData>::New();
  own->SetPoints(points);
  own->SetPolys(mesh->GetPolys());
  ToPhysicalSpace(own, table.geometry, component, options.ras);
  if (own->GetNumberOfPoints() > 0)
  {
    if (VolumeOf(own, PointOf(own, 0)) < 0)
    {
      TurnAround(own);
    }
    HoldVolume(own, static_cast<double>(component.voxelCount) * table.geometry.VoxelVolume(3));
  }
  vtkNew<vtkTypeUInt64Array> ofCells;
  ofCells->SetName("Label");
  ofCells->SetNumberOfValues(own->GetNumberOfPolys());
  ofCells->FillValue(component.label);
  own->GetCellData()->AddArray(ofCells);
  return own;
}

std::string
EndingOf(const std::string & path)
{
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return ending;
}

/** What the file says about its coordinates. */
std::string
SpaceText(bool ras)
{
  return std::string("BrickCCL surface, coordinates in mm, ") + (ras ? "RAS" : "LPS");
}

template <typename TWriter>
void
RunWriter(TWriter * writer, vtkPolyData * mesh, const std::string & temporary, const std::string & path)
{
  writer->SetInputData(mesh);
  writer->SetFileName(temporary.c_str());
  if (writer->Write() == 0 || writer->GetErrorCode() != 0)
  {
    throw Error("the mesh '" + path + "' could not be written; is there room on the disk?");
  }
}

void
WriteMesh(vtkPolyData * mesh, const std::string & path, bool ras)
{
  const std::string ending = EndingOf(path);
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
      // The writer cannot write a comment.
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

void
CheckMeshName(const std::string & path)
{
  const std::string ending = EndingOf(path);
  if (ending != ".stl" && ending != ".ply" && ending != ".obj" && ending != ".vtp")
  {
    throw InvalidArgument("a mesh cannot be written to '" + path + "'; use the extension .stl, .ply, .obj or .vtp");
  }
}

std::string
MeshPathOf(const std::string & path, std::uint64_t label)
{
  const std::filesystem::path name(path);
  return (name.parent_path() / (name.stem().string() + "_" + std::to_string(label) + name.extension().string()))
    .string();
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
    meshes[at] = MeshOf(labels, table, component, options);
    MeshReport & report = reports[at];
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
      WriteMesh(meshes[i], MeshPathOf(path, reports[i].label), options.ras);
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
  WriteMesh(all->GetOutput(), path, options.ras);
  context.progress.Update(1);
  return reports;
}

} // namespace brickccl
