// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Batch/Recipe.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Files/FindImages.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace brickccl::batch
{

/** Something could not be written, which other items would meet as well. */
class WriteError : public Error
{
public:
  using Error::Error;
};

struct ProcessOptions
{
  int         threads = 1;
  std::string device = "cpu";
  /** Whether the pictures of a report are drawn, too, if the recipe wants pictures. */
  bool drawsForReport = false;
  /** The program that draws surfaces; empty if there is none. */
  std::string surfacesProgram;
};

inline constexpr const char * SummaryFile = "summary.json";
inline constexpr const char * DefectsFile = "defects.csv";
inline constexpr const char * PictureFile = "picture.png";
inline constexpr const char * LabelsFile = "labels";
/** Data to check later whether results and inputs are unchanged (BatchFolder): the version,
 *  seconds of the steps, stamps of the input from before it was read, by names as in the summary, and all outputs. */
inline constexpr const char * StateFile = "state.json";
/** The key of a summary that says which pictures of a report there are. */
inline constexpr const char * ReportKey = "report";

/** Applies the recipe to one image, and writes the label map, the table, the picture and the summary into an existing
 *  folder. The results depend only on the image, the recipe and `drawsForReport`. It does not wait until the disk has
 * the files (WrittenInPlace). \throws WriteError; Error for everything else; Canceled after an interrupt. */
void ProcessItem(const std::string &    name,
                 const FoundImage &     found,
                 const Recipe &         recipe,
                 const ProcessOptions & options,
                 const std::string &    folder);

/** Applies the recipe to one image without judging or writing. \param scan  gets the image \param notes  on it
 *  \return the label map. \throws Error, also if the path has several images; Canceled. */
LoadedImage FindDefects(const std::string &        path,
                        const Recipe &             recipe,
                        const ProcessOptions &     options,
                        LoadedImage &              scan,
                        std::vector<std::string> & notes);

} // namespace brickccl::batch
