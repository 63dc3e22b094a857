// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_VIEW_SETTINGS_H
#define BRICKCCL_VIEW_SETTINGS_H

#include "BrickCCL/Job/Job.h"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

namespace brickccl::view
{

/** Values of options of `brickccl label`, by the options' names; of flags none. */
using Settings = std::map<std::string, std::vector<std::string>>;

/** The settings that a page sends: {"pores": [], "threshold": ["450"]}. \throws InvalidArgument for options that a page
 *  may not set: those that name files are among them. */
Settings ReadSettings(const nlohmann::json & json);

/** \throws InvalidArgument for values that do not fit, and options that exclude each other. */
job::Job JobOf(const Settings & settings);

/** The options of reading that a job has. */
Settings ReadingOf(const job::Reading & job);

/** A recipe as settings. \param notes  receives one on what the page leaves out of it, if that changes results */
Settings SettingsOf(job::Job recipe, std::vector<std::string> & notes);

/** The command line that does the same. \param reading  options of reading the scan */
std::string CommandOf(const std::string & scan, const Settings & reading, const Settings & settings);

/** A recipe for `brickccl batch` that does the same. \throws InvalidArgument for options that recipes lack. */
std::string RecipeOf(const Settings & reading, const Settings & settings);

} // namespace brickccl::view

#endif
