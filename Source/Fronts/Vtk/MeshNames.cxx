// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/NearestName.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Vtk/Meshes.h"

#include <filesystem>
#include <set>

namespace brickccl
{

std::string
MeshEnding(const std::string & path)
{
  return InSmallLetters(std::filesystem::path(path).extension().string());
}

void
CheckMeshName(const std::string & path)
{
  const std::set<std::string> endings = { ".stl", ".ply", ".glb", ".obj", ".vtp" };
  ThrowIf<InvalidArgument>(endings.count(MeshEnding(path)) == 0,
                           "a mesh cannot be written to " + Quoted(path) +
                             "; use the extension .stl, .ply, .glb, .obj or .vtp");
}

std::string
MeshPathOf(const std::string & path, std::uint64_t label)
{
  const std::filesystem::path name(path);
  return (name.parent_path() / (name.stem().string() + "_" + std::to_string(label) + name.extension().string()))
    .string();
}

} // namespace brickccl
