// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Files/Formats/DicomDecoder.h"
#include "BrickCCL/Files/ImageFile.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace brickccl::files::dicom
{

/** How much of the reading it is to look at all files of a series, and to decode what is compressed. */
inline constexpr double ShareOfLooking = 0.2;
inline constexpr double ShareUntilDecoded = 0.9;

struct Source
{
  File        file;
  PixelFormat format;
  /** "slice 'a.dcm'"; empty if there is only one file. */
  std::string name;
  /** PatientID; empty if the file does not say. */
  std::string             patient;
  std::vector<CodedFrame> coded;
};

/** \throws Error for a file whose pixels are missing, cut or of a kind that is not read. The error has the file's name
 *  if there is one. */
std::shared_ptr<const Source> OpenSource(File file, std::string name);

/** A slice: a frame of a file, its place in space and the meaning of its values. */
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
  /** The spacing along x and y; empty if unknown. */
  std::vector<double> spacing;
  /** The distance of slices where they have no positions, and the attribute that gives it; null if there is none. */
  double      step = 1;
  const Tag * stepSource = nullptr;
  std::string frameOfReference;
  Scaling     scaling;
  /** Whether the file gives the scaling. */
  bool hasSlope = false;
  bool hasIntercept = false;
  /** The meaning of the values: Modality, Units and RescaleType; empty if the file does not say. */
  std::string                 modality;
  std::string                 units;
  std::string                 rescaleType;
  std::optional<std::int64_t> number;
};

inline double
Dot(const double * a, const double * b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** The direction in which slices follow each other. It is orthogonal to rows and columns. */
void NormalOf(const double (&orientation)[6], double (&normal)[3]);

/** Sets axes, spacing and origin of a volume from its first slice and the step from one slice to the next. */
void SettleGeometry(const Plane & first, const double (&step)[3], const ReadOptions & options, LoadedImage & image);

/** Notes what the spacing along z is where it does not come from positions. */
void NoteStep(const Plane & plane, LoadedImage & image);

/** The frames of a file. Adds to `notes` what is unusual. \throws Error if they are not the slices of a volume. */
std::vector<Plane> PlanesOf(const std::shared_ptr<const Source> & source, std::vector<std::string> & notes);

/** Adds a note unless `notes` has it already. */
void AddNote(std::vector<std::string> & notes, const std::string & note);
inline void
AddNoteIf(bool condition, std::vector<std::string> & notes, const std::string & note)
{
  if (condition)
  {
    AddNote(notes, note);
  }
}

/** \throws Error that names the first slices that differ in size, type, meaning of values, spacing, orientation or
 *  patient. Adds a note if some do not say what their values are, or if there is padding. */
void CheckAlike(const std::vector<Plane> & planes, std::vector<std::string> & notes);

/** Makes a volume of slices, which may be in any order.
 *  \param areFiles  whether they come from several files, in natural order. */
LoadedImage
StackPlanes(std::vector<Plane> planes, bool areFiles, std::vector<std::string> notes, const ReadOptions & options);

/** The first byte of each plane's stored values; for values of 1 bit, the first byte of its file's. Compressed planes
 *  are decoded. */
class StoredPlanes
{
public:
  StoredPlanes(const std::vector<Plane> & planes, const HostContext & context);

  const unsigned char *
  operator[](std::size_t i) const
  {
    return m_Planes[i];
  }

private:
  std::vector<const unsigned char *> m_Planes;
  DecodedFrames                      m_Decoded;
};

/** The values that segmentations of these slices take over from their files. The source images of a segmentation are
 * its sources' images. */
std::shared_ptr<const DicomOrigin> OriginOf(const std::vector<Plane> & planes);

/** Whether a file is a segmentation, whose frames are segments. */
bool IsSegmentation(const File & file);
/** Reads the label map of a segmentation. \throws Error if segments overlap. */
LoadedImage ReadSegmentation(const std::shared_ptr<const Source> & source, const ReadOptions & options);

} // namespace brickccl::files::dicom
