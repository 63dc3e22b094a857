#ifndef BRICKCCL_FILES_DICOMPLANES_H
#define BRICKCCL_FILES_DICOMPLANES_H

#include "BrickCCL/Files/DicomDecoder.h"
#include "BrickCCL/Files/ImageFile.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace brickccl::files::dicom
{

/** A file with pixels. */
struct Source
{
  File        file;
  PixelFormat format;
  /** "slice 'a.dcm'"; empty where there is one file. */
  std::string             name;
  std::vector<CodedFrame> coded;
};

/** \throws Error for a file whose pixels are missing, cut or of a kind that is not read; names it where it has a name.
 */
std::shared_ptr<const Source> OpenSource(File file, std::string name);

/** What gives the distance of slices that have no positions of their own. */
enum class StepSource
{
  Spacing,
  Thickness,
  None
};

/** A slice: a frame of a file, where it lies and what its values mean. */
struct Plane
{
  std::shared_ptr<const Source> source;
  std::int64_t                  frame = 0;
  /** "slice 'a.dcm'" or "frame 3". */
  std::string name;
  /** Whether position and orientation are known. */
  bool   isPlaced = false;
  double position[3] = { 0, 0, 0 };
  double orientation[6] = { 1, 0, 0, 0, 1, 0 };
  /** Along x and y; empty if unknown. */
  std::vector<double> spacing;
  double              step = 1;
  StepSource          stepSource = StepSource::None;
  /** Whether the position was worked out by the step. */
  bool                        isPlacedByStep = false;
  Scaling                     scaling;
  std::optional<std::int64_t> number;
};

/** The direction in which slices follow each other: orthogonal to rows and columns. */
void NormalOf(const double (&orientation)[6], double (&normal)[3]);

/** The frames of a file. \throws Error where they are no slices of a volume. Adds what is unusual to `notes`. */
std::vector<Plane> PlanesOf(const std::shared_ptr<const Source> & source, std::vector<std::string> & notes);

/** Adds a note unless it is there. */
void AddNote(std::vector<std::string> & notes, const std::string & note);

/** The volume of slices in any order. \param areFiles  whether they come from several files, in natural order. */
LoadedImage
StackPlanes(std::vector<Plane> planes, bool areFiles, std::vector<std::string> notes, const ReadOptions & options);

/** The first byte of each plane's stored values (of its file's for values of 1 bit), decoded where they are compressed.
 */
class StoredPlanes
{
public:
  StoredPlanes(const std::vector<Plane> & planes, int threads);

  const unsigned char *
  operator[](std::size_t i) const
  {
    return m_Planes[i];
  }

private:
  std::vector<const unsigned char *> m_Planes;
  DecodedFrames                      m_Decoded;
};

/** Whether a file is a segmentation, whose frames are segments. */
bool IsSegmentation(const File & file);
/** The label map of a segmentation. \throws Error where segments overlap. */
LoadedImage ReadSegmentation(const std::shared_ptr<const Source> & source, const ReadOptions & options);

} // namespace brickccl::files::dicom

#endif
