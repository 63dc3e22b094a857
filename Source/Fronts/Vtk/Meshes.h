// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Pictures/ColumnColors.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

class vtkObject;
class vtkPolyData;

namespace brickccl
{

struct MeshOptions
{
  /** Passes of a windowed sinc filter (Taubin, Zhang and Golub, Optimal surface smoothing as filter design, 1996); 0:
   *  the surface half-way between voxel centers as it is. */
  int smoothingPasses = 0;
  /** Points in RAS (right, anterior, superior) in place of LPS, which ITK and DICOM use. */
  bool ras = false;
  /** Names of columns and groups of the table, with commas between, that .vtp files hold besides the sizes. */
  std::string columns;
  /** The colors of labels in .ply and .glb files; null: the segments' colors. */
  const ColumnColors * colors = nullptr;
  /** Red, green and blue of segments, 0 to 1; other labels have SegmentColor. */
  std::map<std::uint64_t, std::array<double, 3>> segmentColors;
  /** About this many triangles in all; 0: as many as the surfaces have. */
  std::int64_t triangles = 0;
  /** The scan: surfaces are where its values, linear between voxels, are `iso`. Without it: half-way between voxels. */
  std::optional<ImageView> scan = {};
  double                   iso = 0;
};

struct MeshReport
{
  std::uint64_t label = 0;
  std::int64_t  triangles = 0;
  /** False where smoothing was asked for, but would have let the component vanish or blow up. */
  bool isSmooth = false;
  /** Volumes of the component and of its mesh, mm^3. */
  double volume = 0;
  double meshVolume = 0;
};

/** Writes the surfaces of the components at `places` of the table of a label image, of 3 dimensions, in physical space
 *  (mm): closed, with normals outwards, each moved along its normals until it holds the component's volume, unless it
 * is the scan's. The image's border closes components. The format follows the path's ending: .stl (binary), .ply
 * (binary), .glb (binary glTF), .obj or .vtp. All but .stl keep points that triangles share; .ply and .glb have a label
 *  and a color for each point, .vtp the label and measures of each triangle.
 *
 *  \param oneFileEach  a file for each component, "name_LABEL.ext", in place of one with all of them
 *  \return one report for each component
 *  \throws InvalidArgument for other endings or dimensions; Unsupported for labels that .ply or .glb cannot hold, and
 * where .stl, .ply or .glb would lose places far from the origin; Error if a file cannot be written; Canceled. No file
 * is changed then, but with `oneFileEach` those that were written before stay. */
std::vector<MeshReport> WriteMeshes(const ImageView &                labels,
                                    const ComponentTable &           table,
                                    const std::vector<std::size_t> & places,
                                    const MeshOptions &              options,
                                    const std::string &              path,
                                    bool                             oneFileEach,
                                    const HostContext &              context);

/** Writes a mesh in mm, whose cells have the array "Label", as WriteMeshes does. */
void WriteMesh(vtkPolyData *, const Geometry &, const MeshOptions &, const std::string & path);

/** Keeps VTK's errors off the error stream; exceptions report them. */
void Quieten(vtkObject * object);

std::string MeshPathOf(const std::string & path, std::uint64_t label);

/** \throws InvalidArgument, which lists the endings, unless meshes can be written to a file of this name. */
void CheckMeshName(const std::string & path);

/** The lower-case ending of a file's name: ".stl" of "a.STL". */
std::string MeshEnding(const std::string & path);

} // namespace brickccl
