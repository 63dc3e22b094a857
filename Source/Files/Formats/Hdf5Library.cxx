// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats/Hdf5Library.h"

#ifdef BRICKCCL_USE_HDF5

#  include "BrickCCL/Core/Error.h"
#  include "BrickCCL/Core/Printable.h"
#  include "BrickCCL/Files/Formats/Hdf5Datasets.h"

#  include <algorithm>
#  include <cstdlib>

// Programs for Windows contain the library.
#  ifdef _WIN32
#    define BRICKCCL_HDF5(name) &::name
#  else
#    include <dlfcn.h>
// The names that macros of the header give to functions of several versions.
#    define BRICKCCL_HDF5(name) Symbol(#    name)
#  endif

namespace brickccl::files
{

#  ifndef _WIN32

namespace
{

void *
Symbol(const std::string & name)
{
  static void * const handle = ::dlopen(BRICKCCL_USE_HDF5, RTLD_NOW | RTLD_LOCAL);
  ThrowIf<Unsupported>(
    handle == nullptr,
    "HDF5 files are read by the library " BRICKCCL_USE_HDF5
    ", which cannot be loaded; install it (on Debian and Ubuntu: libhdf5-103-1) or convert the file");
  void * const symbol = ::dlsym(handle, name.c_str());
  ThrowIf<Unsupported>(symbol == nullptr,
                       "the HDF5 library " BRICKCCL_USE_HDF5 " has no " + name + ", so it cannot be used");
  return symbol;
}

} // namespace

#  endif

hid_t
Hdf5Library::TypeOf(ScalarType type) const
{
  const void * const types[] = { BRICKCCL_HDF5(H5T_NATIVE_INT8_g),  BRICKCCL_HDF5(H5T_NATIVE_UINT8_g),
                                 BRICKCCL_HDF5(H5T_NATIVE_INT16_g), BRICKCCL_HDF5(H5T_NATIVE_UINT16_g),
                                 BRICKCCL_HDF5(H5T_NATIVE_INT32_g), BRICKCCL_HDF5(H5T_NATIVE_UINT32_g),
                                 BRICKCCL_HDF5(H5T_NATIVE_INT64_g), BRICKCCL_HDF5(H5T_NATIVE_UINT64_g),
                                 BRICKCCL_HDF5(H5T_NATIVE_FLOAT_g), BRICKCCL_HDF5(H5T_NATIVE_DOUBLE_g) };
  return *static_cast<const hid_t *>(types[static_cast<int>(type)]);
}

hid_t
Hdf5Library::FileAccess() const
{
  return *static_cast<const hid_t *>(static_cast<const void *>(BRICKCCL_HDF5(H5P_CLS_FILE_ACCESS_ID_g)));
}

std::vector<std::uint64_t>
Hdf5Library::ShapeOf(hid_t space) const
{
  std::vector<hsize_t> sizes(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
  return { sizes.begin(), sizes.end() };
}

const Hdf5Library &
Hdf5Library::Get()
{
  static const Hdf5Library library = [] {
    Hdf5Library loaded;
#  define BRICKCCL_HDF5_LOAD(name) loaded.name = reinterpret_cast<decltype(loaded.name)>(BRICKCCL_HDF5(name));
    BRICKCCL_HDF5_FUNCTIONS(BRICKCCL_HDF5_LOAD)
    return loaded;
  }();
  return library;
}

void
FailHdf5If(bool condition, const Hdf5Library & h5, const std::string & what)
{
  if (!condition)
  {
    return;
  }
  std::string reason;
  const auto  take = [](unsigned, const H5E_error2_t * error, void * text) -> herr_t {
    auto & first = *static_cast<std::string *>(text);
    if (first.empty() && error->desc != nullptr)
    {
      first = error->desc;
    }
    return 0;
  };
  h5.H5Ewalk(H5E_DEFAULT, H5E_WALK_UPWARD, take, &reason);
  reason = Printable(reason);
  if (reason.find("version") != std::string::npos)
  {
    unsigned version[3] = {};
    h5.H5get_libversion(&version[0], &version[1], &version[2]);
    throw Error(what + ": " + reason + "; it is damaged, or newer than the HDF5 library here, version " +
                std::to_string(version[0]) + "." + std::to_string(version[1]) + "." + std::to_string(version[2]) +
                "; write it for older versions: h5repack --high=2 IN OUT, or h5py.File(..., "
                "libver=('earliest', 'v110'))");
  }
  ThrowIf(reason.find("lock file") != std::string::npos || reason.find("open for write") != std::string::npos,
          what + ": " + reason +
            "; another program has it open for writing: close it there first (after a crash: h5clear -s)");
  throw Error(what + (reason.empty() ? "" : ": " + reason) + "; it is damaged, truncated or of an unusual kind");
}

hid_t
OpenHdf5(const Hdf5Library & h5, const std::string & path)
{
#  ifndef _WIN32
  // File systems without locks must work as well.
  ::setenv("HDF5_USE_FILE_LOCKING", "BEST_EFFORT", 0);
#  endif
  h5.H5open();
  h5.H5Eset_auto(H5E_DEFAULT, nullptr, nullptr);
  RegisterHdf5Filters(h5);
  // H5F_ACC_RDONLY, which is not a constant but calls the library.
  constexpr unsigned readOnly = 0;
  // Without a cache, chunks without filters have the size of their dataset's, whatever the file says.
  const Hdf5Handle access(h5.H5Pcreate(h5.FileAccess()), h5.H5Pclose);
  h5.H5Pset_cache(access, 0, 521, 0, 0.75);
  const hid_t file = h5.H5Fopen(path.c_str(), readOnly, access);
  FailHdf5If(file < 0, h5, "the HDF5 library cannot open it");
  return file;
}

} // namespace brickccl::files

#endif
