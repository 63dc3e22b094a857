// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Cli/FileOptions.h"
#include "BrickCCL/Dispatch/Label.h"
#include "BrickCCL/Job/Job.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Runs/RunVolume.h"
#include "BrickCCL/Tables/ComponentTable.h"
#include "BrickCCL/Tables/Condition.h"

#include <optional>
#include <string>

namespace brickccl::cli
{

/** Checks early. \return the requested groups. \throws InvalidArgument for options that need another, wrong names. */
ColumnGroups CheckTableArguments(const job::Table & arguments, const std::string & tableOption);

/** \throws InvalidArgument "--ras has no effect without --output or --print" for an option that nothing uses.
 *  \param users  what would use it */
void CheckIsUsed(const std::string & option, bool isUsed, const std::string & users);

/** The same for a unit, and for intensities, if neither a table nor anything else uses them. */
void CheckUnits(const job::Table & arguments, bool isUsed, const std::string & users);
void CheckIntensity(const job::Table & arguments, bool isUsed, const std::string & users);

/** A table of no component with the columns that an image's table will have.
 *  \param measured  what is measured; its images say only of which kind they are
 *  \param labeled   neighbors, periodic axes and geometry of the image with this extent */
ComponentTable TableOfNothing(MeasureOptions measured, const Extent & extent, const LabelOptions & labeled);

/** Finds early that the table will lack a requested column. Parameters: see TableOfNothing. \throws Error that names
 *  it. */
void CheckTableColumns(const job::Table &     arguments,
                       const MeasureOptions & measured,
                       const Extent &         extent,
                       const LabelOptions &   labeled,
                       bool                   bySlabs = false);

/** \throws InvalidArgument if an option's column does not exist, or needs an image that is not given. */
void CheckColumnIsThere(const std::string & column, const job::Table & arguments, const std::string & option);

/** \param who  "--sort". \throws InvalidArgument if the column needs an image that is missing, or another command. */
void CheckNeedOfColumn(const std::string & column, const job::Table & arguments, const std::string & who);

/** The name in mm of a column that is named in mm, um or cm; the name as it is if there is no such column. */
std::string NameInMillimeters(const std::string & column);

/** Names of columns with commas between, and the names in mm of the columns of a condition behind them. */
std::string WithColumnsOf(const Condition & condition, std::string names = "");

/** The files that a table is written to; `tableOption` is the option of the table itself. */
NamedFiles TableFiles(const job::Table & arguments, const std::string & tableOption);

/** The images, in addition to the labels, that the table measures. */
struct TableImages
{
  std::optional<LoadedImage> intensity;
  std::optional<LoadedImage> part;
  std::optional<LoadedImage> zones;
  bool                       ignoresNaN = false;

  MeasureOptions Options(const ColumnGroups & groups) const;
};

/** Reads these images. \throws InvalidArgument unless they cover the same voxels in space as `image`. */
TableImages ReadTableImages(const job::Table & arguments, const LoadedImage & image, int threads, ImageReader & reader);

/** If a table is wanted, writes it, and the contacts and the schema if they are asked for; prints the table if that is
 * asked for. */
void WriteTables(const job::Table & arguments, const ComponentTable & table, int threads, Reporter & reporter);

/** Draws the components of a label map over the intensities, if there are any, or over the image.
 *  \param isScan  whether the image has gray values; the numbers of a label map are none */
void DrawLabels(const job::Job &       arguments,
                const LoadedImage &    image,
                bool                   isScan,
                const TableImages &    images,
                const RunVolume &      runs,
                const ComponentTable & table,
                Reporter &             reporter);

/** Prints the columns of 3-D images, one a line, or as a table in Markdown. */
void PrintColumns(bool asMarkdown);

} // namespace brickccl::cli
