// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Files/LoadedImage.h"
#include "BrickCCL/Host/Parallel.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Tables/ComponentTable.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace brickccl::batch
{

struct ReportSources
{
  const LoadedImage &    image;
  const RunVolume &      runs;
  const ComponentTable & table;
  /** The mask of the part; null if there is none. */
  const std::uint8_t * part = nullptr;
  /** The file of the label map; empty if none was written. */
  std::string labelsFile;
  /** The program that draws surfaces; empty if there is none. */
  std::string surfacesProgram;
};

/** The largest number of slices in an item's report, including slices of its largest defects. */
inline constexpr std::size_t MaximumReportSlices = 32;
inline constexpr std::size_t MaximumReportDefects = 12;
/** The longest side of a slice in pixels. */
inline constexpr int SliceSide = 256;

struct ReportPictures
{
  /** The files that were written, without the folder. */
  std::vector<std::string> files;
  /** Their contents: `slices`, `defects` and `surface`, each if available. */
  nlohmann::ordered_json description;
  /** Why a picture is not there, each a sentence without a full stop. */
  std::vector<std::string> notes;
};

/** Draws what the report of a batch shows of an item: slices to look through, the largest defects, and the surfaces of
 *  the part and the defects. \throws Error if a file cannot be written; Canceled. */
ReportPictures DrawForReport(const ReportSources & sources, const std::string & folder, const HostContext & context);

} // namespace brickccl::batch
