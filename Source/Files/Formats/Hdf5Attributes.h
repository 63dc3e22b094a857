// SPDX-License-Identifier: Apache-2.0
#ifndef BRICKCCL_FILES_FORMATS_HDF5ATTRIBUTES_H
#define BRICKCCL_FILES_FORMATS_HDF5ATTRIBUTES_H

#include "BrickCCL/Files/Formats/Hdf5Library.h"

#ifdef BRICKCCL_USE_HDF5

#  include <cstdint>
#  include <string>
#  include <vector>

namespace brickccl::files
{

/** The numbers of an attribute; none unless there are 1 to 16. */
std::vector<double> AttributeNumbers(const Hdf5Library & h5, hid_t object, const char * name);

/** The texts of an attribute; none unless there are 1 to 64. */
std::vector<std::string> AttributeTexts(const Hdf5Library & h5, hid_t object, const char * name);

/** The text of an attribute; empty if there is not just one. */
std::string AttributeText(const Hdf5Library & h5, hid_t object, const char * name);

/** The names of the scales of a dataset's axes, which are datasets; none if it has no scales. */
std::vector<std::string> NamesOfScales(const Hdf5Library & h5, hid_t object);

/** The attributes that mark missing values, and their numbers, except NaN, which is never a value. */
std::string ValidityOf(const Hdf5Library & h5, hid_t object);

/** The numbers of a small dataset; none unless there are 1 to 16. */
std::vector<double> DatasetNumbers(const Hdf5Library & h5, hid_t file, const std::string & name);

} // namespace brickccl::files

#endif

#endif
