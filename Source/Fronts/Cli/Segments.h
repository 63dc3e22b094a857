// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "BrickCCL/Cli/FileOptions.h"
#include "BrickCCL/Criteria/VoxelValue.h"
#include "BrickCCL/Tables/Condition.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace brickccl::cli
{

/** Each row's label in the input: the voxels' value if equal values were joined or objects split, else its own. */
std::vector<std::uint64_t> InputLabels(const ComponentTable & table);

/** Adds the column `name`, if segments have names. \param inputLabels  the label in the input of each row */
void
AddNames(const Segmentation & segmentation, const std::vector<std::uint64_t> & inputLabels, ComponentTable & table);

/** The segments of a label map that was made of an image. Components of a segment inherit its name and color.
 *  \param written      measures of the label map
 *  \param inputLabels  the label in the image of each row of `written`
 *  \param keepsEmpty   whether segments without voxels stay, with a note */
Segmentation SegmentsOf(const LoadedImage &                image,
                        const ComponentTable &             written,
                        const std::vector<std::uint64_t> & inputLabels,
                        bool                               keepsEmpty,
                        ImageReader &                      notes);

/** An image of 1 where another of one channel has this label, else 0. */
LoadedImage MaskOf(const LoadedImage & image, const Number & label);

struct MaskFiles
{
  std::vector<std::string> files;
  /** Whether rows say which file they are of. */
  bool areSeveral = false;
  /** Whether folders or patterns were searched for them. */
  bool areFound = false;
};

/** The label maps that inputs name. A folder or pattern of slices or DICOM files is one label map.
 *  \param areMasks  whether each file of a folder is one, slices as well */
MaskFiles FindMasks(const std::vector<std::string> & inputs, bool areMasks);

/** Reads label maps of one grid, one after another, and has each layer of each measured. The columns `image` and `name`
 *  of the table of several say what rows are of.
 *  \param last  gets the last layer, and the segments of all by their numbers in the table of several */
ComponentTable MeasureMasks(const MaskFiles &                                                       masks,
                            const std::function<ComponentTable(LoadedImage & mask, bool isFirst)> & measure,
                            LoadedImage &                                                           last,
                            ImageReader &                                                           reader);

/** The items of a list; a comma between quotes belongs to its item. */
std::vector<std::string> ItemsOf(const std::string & list);

/** A list of values with labels in place of names: "1,3,7" for "1,3,liver".
 *  \throws InvalidArgument for a name that no segment has, if segments have names */
std::string LabelsForNames(const std::string & list, const std::string & option, const Segmentation & segmentation);

/** The one label with a name or number. \throws InvalidArgument for a name of several labels, too */
Number LabelForName(const std::string & name, const std::string & option, const Segmentation & segmentation);

/** Which components of a label map the condition holds for. \param table  gets the names of segments
 *  \throws InvalidArgument for a name in the condition that no segment has */
std::vector<bool> Evaluate(const Condition & condition, const Segmentation & segmentation, ComponentTable & table);

} // namespace brickccl::cli
