// SPDX-License-Identifier: Apache-2.0
#pragma once

// The HDF5 library is loaded when the first such file is read, since it needs some thirty other libraries on Linux.
#ifdef BRICKCCL_USE_HDF5

#  include "BrickCCL/Core/VolumeView.h"

#  include <cstddef>
#  include <functional>
#  include <string>
#  include <vector>

// Names and structures do not change in later versions.
#  define H5_USE_18_API
#  include <hdf5.h>

namespace brickccl::files
{

// clang-format off
#  define BRICKCCL_HDF5_FUNCTIONS(DO) \
    DO(H5Aclose) DO(H5Aexists) DO(H5Aget_space) DO(H5Aget_type) DO(H5Aopen) DO(H5Aread) DO(H5Dclose) \
    DO(H5Dcreate_anon) DO(H5Dget_chunk_storage_size) DO(H5Dget_create_plist) DO(H5Dget_num_chunks) DO(H5Dget_offset) \
    DO(H5Dget_space) DO(H5Dget_type) DO(H5Dopen) DO(H5Dread) DO(H5Dread_chunk) DO(H5Dwrite_chunk) DO(H5Eset_auto) \
    DO(H5Ewalk) DO(H5Fclose) DO(H5Fcreate) DO(H5Fget_name) DO(H5Fopen) DO(H5Ovisit) DO(H5Pclose) DO(H5Pcreate) \
    DO(H5Pget_chunk) DO(H5Pget_chunk_opts) DO(H5Pget_external_count) DO(H5Pget_filter) DO(H5Pget_layout) \
    DO(H5Pget_nfilters) DO(H5Premove_filter) DO(H5Pset_cache) DO(H5Pset_chunk) DO(H5Pset_fapl_core) DO(H5Pset_filter) \
    DO(H5Sclose) DO(H5Screate_simple) DO(H5Sget_simple_extent_dims) DO(H5Sget_simple_extent_ndims) \
    DO(H5Sget_simple_extent_npoints) DO(H5Sselect_hyperslab) DO(H5Tclose) DO(H5Tcopy) DO(H5Tequal) DO(H5Tget_class) \
    DO(H5Tget_sign) DO(H5Tget_size) DO(H5Tget_super) DO(H5Tis_variable_str) DO(H5Zfilter_avail) DO(H5Zregister) \
    DO(H5allocate_memory) DO(H5free_memory) DO(H5get_libversion) DO(H5open)
// clang-format on

/** The functions of the library, by the names of its manual, and the types of the machine's numbers. */
struct Hdf5Library
{
#  define BRICKCCL_HDF5_MEMBER(name) decltype(&::name) name = nullptr;
  BRICKCCL_HDF5_FUNCTIONS(BRICKCCL_HDF5_MEMBER)
#  undef BRICKCCL_HDF5_MEMBER

  /** The identifier of a type of numbers in memory; the library must have been opened (H5open). */
  hid_t TypeOf(ScalarType type) const;

  /** The class of lists that say how files are accessed; as above. */
  hid_t FileAccess() const;

  std::vector<std::uint64_t> ShapeOf(hid_t space) const;

  /** The memory that a process with the library may use in addition to the data, and the time it may be silent. */
  static constexpr std::size_t Memory = std::size_t{ 1 } << 30;
  static constexpr unsigned    Seconds = 60;

  /** \throws Unsupported if the library is not there. */
  static const Hdf5Library & Get();
};

/** Something of the library's that must be closed. */
class Hdf5Handle
{
public:
  Hdf5Handle(hid_t identifier, const std::function<herr_t(hid_t)> & close)
    : m_Identifier(identifier)
    , m_Close(close)
  {}
  ~Hdf5Handle()
  {
    if (m_Identifier >= 0)
    {
      m_Close(m_Identifier);
    }
  }
  Hdf5Handle(const Hdf5Handle &) = delete;
  Hdf5Handle & operator=(const Hdf5Handle &) = delete;
               operator hid_t() const
  {
    return m_Identifier;
  }
  bool
  IsThere() const
  {
    return m_Identifier >= 0;
  }

private:
  hid_t                        m_Identifier;
  std::function<herr_t(hid_t)> m_Close;
};

/** \throws Error with what the library says of its last failure. */
void FailHdf5If(bool condition, const Hdf5Library & h5, const std::string & what);

/** Opens a file for reading, in a PipedChild. \throws Error. */
hid_t OpenHdf5(const Hdf5Library & h5, const std::string & path);

/** Makes the library decode lzf, and lz4, zstd, blosc and bitshuffle if this program has their libraries. */
void RegisterHdf5Filters(const Hdf5Library & h5);

/** Adds what these filters need to their parameters. \param bytes  of a chunk */
void CompleteHdf5Filter(H5Z_filter_t filter, unsigned bytes, std::vector<unsigned> & values);

} // namespace brickccl::files

#endif
