#ifndef BRICKCCL_VTK_MESHES_H
#define BRICKCCL_VTK_MESHES_H

#include "BrickCCL/Core/VolumeView.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <cstdint>
#include <string>
#include <vector>

namespace brickccl
{

/** How surfaces of components are made. */
struct MeshOptions
{
  /** Passes of a windowed sinc filter (Taubin, Zhang and Golub, Optimal surface smoothing as filter design, 1996). 0
   *  leaves the surface as it is, half-way between voxel centres. */
  int smoothingPasses = 0;
  /** Points are in RAS (right, anterior, superior) instead of LPS, which ITK and DICOM use. */
  bool ras = false;
};

/** What was written for a component. */
struct MeshReport
{
  std::uint64_t label = 0;
  std::int64_t  triangles = 0;
  /** The volumes of the component and of its mesh in mm^3. */
  double volume = 0;
  double meshVolume = 0;
};

/** Writes the surfaces of some components of a 3-D label image in physical space (mm). `places` are their places in the
 *  table. Surfaces are closed and their normals point outwards. Each one is moved along its normals until it holds the
 *  component's volume. At the image's border components are closed. The format follows the path's ending: .stl
 *  (binary), .ply (binary), .obj or .vtp. The latter three keep which points triangles share; .vtp also keeps the
 *  labels of the cells.
 *
 *  \param oneFileEach  writes a file for each component, "name_LABEL.ext", instead of one with all of them
 *  \return one report for each component
 *  \throws InvalidArgument for other endings, other dimensions or a sheared grid; Error if a file cannot be written;
 *  Cancelled, with no file changed. */
std::vector<MeshReport> WriteMeshes(const ImageView &                labels,
                                    const ComponentTable &           table,
                                    const std::vector<std::size_t> & places,
                                    const MeshOptions &              options,
                                    const std::string &              path,
                                    bool                             oneFileEach,
                                    const HostContext &              context);

/** Where WriteMeshes writes a component that gets a file of its own. */
std::string MeshPathOf(const std::string & path, std::uint64_t label);

/** \throws InvalidArgument, which lists the endings, unless meshes can be written to a file of this name. */
void CheckMeshName(const std::string & path);

} // namespace brickccl

#endif
