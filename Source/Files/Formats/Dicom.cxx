// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/Formats/DicomPlanes.h"
#include "BrickCCL/Files/Formats.h"

namespace brickccl::files
{

using namespace dicom;

bool
IsDicom(const FileBytes & file)
{
  return HasPreamble(file) || BeginsLikeDataSet(file);
}

LoadedImage
ReadDicom(const FileBytes & file, const ReadOptions & options)
{
  const std::shared_ptr<const Source> source = OpenSource(File(file), "");
  if (IsSegmentation(source->file))
  {
    LoadedImage image = ReadSegmentation(source, options);
    image.hasPatientAxes = true;
    return image;
  }
  std::vector<std::string> notes;
  std::vector<Plane>       planes = PlanesOf(source, notes);
  return StackPlanes(std::move(planes), false, std::move(notes), options);
}

} // namespace brickccl::files
