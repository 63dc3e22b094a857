// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Vtk/Meshes.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/SegmentColors.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"

#include <vtkCallbackCommand.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkFieldData.h>
#include <vtkNew.h>
#include <vtkOBJWriter.h>
#include <vtkPolyData.h>
#include <vtkSTLWriter.h>
#include <vtkStringArray.h>
#include <vtkXMLPolyDataWriter.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <string_view>

namespace brickccl
{

static std::string
SpaceText(bool ras)
{
  return std::string("BrickCCL surface, coordinates in mm, ") + (ras ? "RAS" : "LPS");
}

template <typename T>
static void
Append(std::string & bytes, T number)
{
  char * const first = reinterpret_cast<char *>(&number);
  if (files::HostIsBigEndian)
  {
    std::reverse(first, first + sizeof(number));
  }
  bytes.append(first, sizeof(number));
}

/** The mesh's points, each of which belongs to one component, with its color and label, and the triangles.
 *  \param isGlb  as glTF has them: the color is linear, with alpha, and the label is a float */
static std::pair<std::string, std::string>
ColoredBytes(vtkPolyData * mesh, const MeshOptions & options, bool isGlb)
{
  std::string                vertices;
  std::string                faces;
  std::vector<std::uint32_t> labelOf(static_cast<std::size_t>(mesh->GetNumberOfPoints()));
  vtkDataArray * const       labels = mesh->GetCellData()->GetArray("Label");
  for (vtkIdType cell = 0; cell < mesh->GetNumberOfPolys(); ++cell)
  {
    const auto        label = static_cast<std::uint32_t>(labels->GetComponent(cell, 0));
    vtkIdType         count = 0;
    const vtkIdType * points = nullptr;
    mesh->GetPolys()->GetCellAtId(cell, count, points);
    faces.append(isGlb ? "" : "\3");
    for (vtkIdType i = 0; i < count; ++i)
    {
      Append(faces, static_cast<std::int32_t>(points[i]));
      labelOf[static_cast<std::size_t>(points[i])] = label;
    }
  }
  for (std::size_t point = 0; point < labelOf.size(); ++point)
  {
    for (int axis = 0; axis < 3; ++axis)
    {
      Append(vertices, static_cast<float>(mesh->GetPoint(static_cast<vtkIdType>(point))[axis]));
    }
    const auto            ofSegment = options.segmentColors.find(labelOf[point]);
    std::array<double, 3> color =
      ofSegment == options.segmentColors.end() ? SegmentColor(labelOf[point]) : ofSegment->second;
    if (options.colors != nullptr)
    {
      const Color own = (*options.colors)[labelOf[point]];
      color = { own.red / 255.0, own.green / 255.0, own.blue / 255.0 };
    }
    for (const double channel : color)
    {
      const double shown = !isGlb             ? channel
                         : channel <= 0.04045 ? channel / 12.92
                                              : std::pow((channel + 0.055) / 1.055, 2.4);
      Append(vertices, static_cast<unsigned char>(std::lround(255 * shown)));
    }
    if (isGlb)
    {
      vertices += '\xFF';
      Append(vertices, static_cast<float>(labelOf[point]));
    }
    else
    {
      Append(vertices, labelOf[point]);
    }
  }
  return { vertices, faces };
}

static void
WriteParts(const std::string & temporary, const std::string & path, std::initializer_list<std::string_view> parts)
{
  std::ofstream out(temporary, std::ios::binary);
  for (const std::string_view part : parts)
  {
    out << part;
  }
  ThrowIf(!out.flush(), "the mesh " + Quoted(path) + " could not be written; check the free disk space");
}

static void
WritePly(vtkPolyData * mesh, const MeshOptions & options, const std::string & temporary, const std::string & path)
{
  const auto [vertices, faces] = ColoredBytes(mesh, options, false);
  const std::string header =
    "ply\nformat binary_little_endian 1.0\ncomment " + SpaceText(options.ras) + "\nelement vertex " +
    std::to_string(mesh->GetNumberOfPoints()) +
    "\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\nproperty uchar green\nproperty "
    "uchar blue\nproperty uint label\nelement face " +
    std::to_string(mesh->GetNumberOfPolys()) + "\nproperty list uchar int vertex_indices\nend_header\n";
  WriteParts(temporary, path, { header, vertices, faces });
}

/** Writes binary glTF 2.0. Points are in mm; the node turns them into meters with y upwards, as glTF wants. */
static void
WriteGlb(vtkPolyData * mesh, const MeshOptions & options, const std::string & temporary, const std::string & path)
{
  const auto [vertices, faces] = ColoredBytes(mesh, options, true);
  const std::size_t all = vertices.size() + faces.size();
  ThrowIf<Unsupported>(all > 4000000000U,
                       Quoted(path) + " would have more than 4 GB, which .glb cannot hold; use .vtp or --triangles");
  double bounds[6];
  mesh->GetBounds(bounds);
  const auto corner = [&](int first) {
    const auto text = [&](int i) { return Shortest(static_cast<double>(static_cast<float>(bounds[first + i]))); };
    return "[" + text(0) + "," + text(2) + "," + text(4) + "]";
  };
  const std::string size = std::to_string(vertices.size());
  const std::string points = R"({"bufferView":0,"count":)" + std::to_string(mesh->GetNumberOfPoints());
  std::string       json =
    R"({"asset":{"version":"2.0","generator":")" + SpaceText(options.ras) +
    R"("},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0,"rotation":[-0.70710678,0,0,0.70710678],)"
    R"("scale":[0.001,0.001,0.001]}],"materials":[{"pbrMetallicRoughness":{"metallicFactor":0,"roughnessFactor":0.8}}],)"
    R"("meshes":[{"primitives":[{"attributes":{"POSITION":0,"COLOR_0":1,"_LABEL":2},"indices":3,"material":0}]}],)"
    R"("buffers":[{"byteLength":)" +
    std::to_string(all) + R"(}],"bufferViews":[{"buffer":0,"byteStride":20,"target":34962,"byteLength":)" + size +
    R"(},{"buffer":0,"target":34963,"byteOffset":)" + size + R"(,"byteLength":)" + std::to_string(faces.size()) +
    R"(}],"accessors":[)" + points + R"(,"componentType":5126,"type":"VEC3","min":)" + corner(0) + R"(,"max":)" +
    corner(1) + "}," + points + R"(,"componentType":5121,"type":"VEC4","normalized":true,"byteOffset":12},)" + points +
    R"(,"componentType":5126,"type":"SCALAR","byteOffset":16},{"bufferView":1,"componentType":5125,"type":"SCALAR","count":)" +
    std::to_string(3 * mesh->GetNumberOfPolys()) + "}]}";
  json.append((4 - json.size() % 4) % 4, ' ');
  std::string header = "glTF";
  for (const std::size_t number : { std::size_t{ 2 }, 28 + json.size() + all, json.size() })
  {
    Append(header, static_cast<std::uint32_t>(number));
  }
  std::string binary;
  Append(binary, static_cast<std::uint32_t>(all));
  WriteParts(temporary, path, { header, "JSON", json, binary, { "BIN\0", 4 }, vertices, faces });
}

/** \throws Unsupported if the 32-bit numbers of these formats move points by more than 1/100 of a voxel. */
static void
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
  ThrowIf<Unsupported>(!(error <= 0.01 * voxel) || !(farthest < std::numeric_limits<float>::max()),
                       Quoted(path) + " stores points as 32-bit numbers, which are off by up to " + Shortest(error) +
                         " mm so far from the origin (" + Shortest(farthest) +
                         " mm); use .vtp or .obj, or move the origin");
}

template <typename TWriter>
static void
RunWriter(TWriter * writer, vtkPolyData * mesh, const std::string & temporary, const std::string & path)
{
  Quieten(writer);
  writer->SetInputData(mesh);
  writer->SetFileName(temporary.c_str());
  ThrowIf(writer->Write() == 0 || writer->GetErrorCode() != 0,
          "the mesh " + Quoted(path) + " could not be written; check the free disk space");
}

void
Quieten(vtkObject * object)
{
  vtkNew<vtkCallbackCommand> nothing;
  nothing->SetCallback([](vtkObject *, unsigned long, void *, void *) {});
  object->AddObserver(vtkCommand::ErrorEvent, nothing);
  object->AddObserver(vtkCommand::WarningEvent, nothing);
}

void
WriteMesh(vtkPolyData * mesh, const Geometry & geometry, const MeshOptions & options, const std::string & path)
{
  const std::string ending = MeshEnding(path);
  if (ending == ".stl" || ending == ".ply" || ending == ".glb")
  {
    CheckPrecision(mesh, geometry, path);
  }
  ReplaceFile(path, [&](const std::string & temporary) {
    if (ending == ".stl")
    {
      vtkNew<vtkSTLWriter> writer;
      writer->SetFileTypeToBinary();
      writer->SetHeader(SpaceText(options.ras).c_str());
      RunWriter(writer.Get(), mesh, temporary, path);
    }
    else if (ending == ".ply")
    {
      WritePly(mesh, options, temporary, path);
    }
    else if (ending == ".glb")
    {
      WriteGlb(mesh, options, temporary, path);
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
        out << "# " << SpaceText(options.ras) << '\n' << in.rdbuf();
        ThrowIf(!out.flush(), "the mesh " + Quoted(path) + " could not be written; check the free disk space");
      }
      std::filesystem::remove(body);
    }
    else
    {
      vtkNew<vtkStringArray> space;
      space->SetName("SPACE");
      space->InsertNextValue(options.ras ? "RAS" : "LPS");
      mesh->GetFieldData()->AddArray(space);
      vtkNew<vtkXMLPolyDataWriter> writer;
      writer->SetDataModeToAppended();
      writer->EncodeAppendedDataOff();
      RunWriter(writer.Get(), mesh, temporary, path);
    }
  });
}

} // namespace brickccl
