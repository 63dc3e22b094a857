// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Job/Job.h"
#include "BrickCCL/Job/Value.h"

#include <CLI/CLI.hpp>

#include <string>

namespace brickccl::cli
{

/** Behind what an input is: more on the files that are read. */
inline constexpr const char * FilesRead = ", folder or 'pattern*' of slices\nA folder has a DICOM series or slice "
                                          "images; a pattern is in quotes: s_*.tif, "
                                          "s_%03d.tif. `brickccl info --formats` lists the file formats.";

// Names of parameters that several commands have, with blanks between.
inline constexpr const char * ReadingOptions = "spacing raw series accept-irregular-slices accept-sheared ";
inline constexpr const char * NeighborOptions = "connectivity neighborhood by-slice periodic ";
inline constexpr const char * TableOptions =
  "columns intensity nan part sort top print units ras csv-separator decimal contacts schema ";
inline constexpr const char * RegionOptions = "mask box cylinder sphere ";
inline constexpr const char * RunningOptions = "threads json quiet ";

/** Adds the options of parameters (Job/Parameters.h), which set the members of the job. It must live as long as the
 *  command. \param names  of parameters, with blanks between; empty: all that have an option */
void AddOptions(CLI::App & command, job::Job & job, const std::string & names);

/** Accepts only values of a form. Amounts of memory become numbers of bytes, and lengths numbers of mm. */
CLI::Validator Takes(const job::Form & form);

/** Accepts only whole numbers from `minimum` to `maximum`, in digits. */
inline CLI::Validator
Count(double minimum, double maximum = job::Finite)
{
  return Takes({ job::Kind::Whole, minimum, maximum });
}

/** Accepts any number, including inf, -inf and nan. */
CLI::Validator AnyNumber();

/** These accept finite numbers that are at least 0, and above 0. */
inline CLI::Validator
NumberFromZero()
{
  return Takes({ job::Kind::Number, 0 });
}

/** Reads a number, which may be "inf" or "-inf". \throws InvalidArgument that names the option. */
Number ParseNumber(const std::string & text, const std::string & option);

} // namespace brickccl::cli
