// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Cli/FrontEnd.h"
#include "BrickCCL/Files/ImageFile.h"
#include "BrickCCL/Job/Job.h"
#include "BrickCCL/Job/Region.h"
#include "BrickCCL/Segmenting/PoresOfPart.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace brickccl::cli
{

/** An output, and the files that are written next to it. */
std::vector<std::string> WrittenFiles(const std::string & output);

/** \throws InvalidArgument if an output is an input or another output: the same file (also through links), or the data
 *  file of a header; also if that data file may belong to another header. The files of a folder are known, and
 *  compared, once the folder is read (ImageReader). */
void CheckOutputs(const NamedFiles & inputs, const NamedFiles & outputs);

/** \throws Error, before an image is read, for an unknown extension, for a folder that is not writable, and for
 *  --dicom-seg with another file than .dcm; not for "". */
void CheckImageName(const std::string & path, const std::string & dicomSeg = "");

/** \throws InvalidArgument if a series is chosen, or raw voxels are described, and no input can hold such. */
void CheckReading(const job::Reading & arguments, const NamedFiles & inputs);

/** CheckReading and CheckOutputs, and that files can be made in the outputs' folders: what is to be known of a
 * command's files before one is read. */
void CheckFiles(const job::Reading & arguments, const NamedFiles & inputs, const NamedFiles & outputs);

/** Notes name this many files with the same remark. */
constexpr std::size_t MostFilesNamed = 8;

/** Reads the images of a command, prints their notes and keeps them for the summary. */
class ImageReader
{
public:
  /** \param inParts  whether voxels stay where they are, to be read in parts */
  ImageReader(const job::Reading & arguments, int threads, Reporter & reporter, bool inParts = false);

  /** Reads an image, averages it if it is not a label map and the job asks for it, and checks that no output is one of
   * the files that it came from. \param asLabels  reads palette images as numbers \param mayBeNaN  whether values that
   * are NaN count as background, which is noted of label maps */
  LoadedImage Read(const std::string & path, bool asLabels, bool mayBeNaN = true);

  /** Reads a label map, whose segments get the names of --names. */
  LoadedImage ReadLabels(const std::string & path, bool mayBeNaN = true);

  /** From now on Read refuses images if an output is one of their files. */
  void
  Protect(NamedFiles outputs)
  {
    m_Outputs = std::move(outputs);
  }

  /** For outputs named late. \throws InvalidArgument if one of them is a file that was read. */
  void CheckNotRead(const NamedFiles & outputs) const;

  std::vector<std::string> Files() const;

  /** Adds to an image what DICOM files need. \throws InvalidArgument if they cannot hold it. */
  void Complete(const std::string & path, bool areLabels, ImageToWrite & image, WriteOptions & options) const;

  /** All notes; after those on single files, how many more files have the same remarks. */
  const std::vector<std::string> & Notes();
  void                             Note(const std::string & text);
  void
  NoteIf(bool condition, const std::string & text)
  {
    if (condition)
    {
      Note(text);
    }
  }

private:
  ReadOptions                                     m_Options;
  int                                             m_Downsampling;
  std::string                                     m_Names;
  std::string                                     m_DicomSeg;
  std::vector<std::shared_ptr<const DicomOrigin>> m_Origins;
  Reporter &                                      m_Reporter;
  NamedFiles                                      m_Outputs;
  /** The images that were read, and the files of each. */
  std::vector<std::pair<std::string, std::vector<std::string>>> m_Read;
  std::vector<std::string>                                      m_Notes;
  /** The remarks on files, and how many files have each. */
  std::map<std::string, std::size_t> m_Remarks;
};

/** The mask of a region with its shapes, if given. \throws InvalidArgument for another grid, shapes that do not fit. */
std::optional<LoadedImage>
ReadRegion(const job::Region & region, const LoadedImage & image, int threads, ImageReader & reader);

/** Adds the region and its share of the image, if one is given. */
void AddRegion(job::Findings &                      findings,
               const job::Region &                  region,
               const std::optional<std::uint64_t> & voxels,
               const LoadedImage &                  image,
               int                                  line);

using RowWriter = std::function<void(std::int64_t begin, std::int64_t end, LabelType type, void * rows)>;

/** Writes the label map of an image to the job's output, if it has one. \param largest  label; 0 if it is unknown */
void WriteLabels(const job::Job &     arguments,
                 const LoadedImage &  image,
                 LabelType            type,
                 std::uint64_t        largest,
                 const RowWriter &    writeRows,
                 const Segmentation & segmentation,
                 ImageReader &        reader,
                 Reporter &           reporter);

/** Writes an image, and notes what its format does not hold. \param areLabels  whether it is a label map */
void WriteImage(const std::string & path,
                ImageToWrite        image,
                WriteOptions        options,
                ImageReader &       notes,
                bool                areLabels = true);

/** "0.5 x 0.5 x 2 mm", or "1 x 1 x 1 mm (assumed: the file has none)" */
std::string DescribeSpacing(const LoadedImage & image);

/** Adds the spacing, or the extent and the spacing; the text of `line` has both. */
void AddSpacing(job::Findings & findings, const LoadedImage & image, int line);
void AddExtent(job::Findings & findings, const LoadedImage & image, int line);

/** Adds voxels and their size, "kept_voxels" and "kept_volume_mm3" for the start "kept_". The text has the size, or the
 *  number of voxels if the spacing is unknown. \param sliceAxis  of components within slices: the text has the area */
void AddSizes(job::Findings &            findings,
              const std::string &        start,
              std::uint64_t              voxels,
              const LoadedImage &        image,
              int                        line,
              const std::string &        label,
              const std::optional<int> & sliceAxis = {});

/** Adds the components' voxels, size and share of the image or part. */
void AddTotals(job::Findings & findings, const Totals & totals, const LoadedImage & image, int line);

/** Adds what was found in each part (`name` is "part") or zone ("zone"), a line of text each.
 *  \param region  the voxels of the part, or of the region, with each number \param table  has these numbers */
void AddNumbers(job::Findings &         findings,
                const std::string &     name,
                const VoxelsOfNumbers & region,
                const ComponentTable &  table,
                const LoadedImage &     image,
                bool                    isPores,
                int                     line);

} // namespace brickccl::cli
