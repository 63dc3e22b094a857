// SPDX-License-Identifier: Apache-2.0
// Where the values of an HDF5 dataset are. The library returns fill values if a chunk is missing or a source of a
// virtual dataset cannot be opened, zeros for short raw files, and accepts any chunk in a damaged index.

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Formats/Hdf5Datasets.h"
#include "BrickCCL/Files/Formats/Hdf5Library.h"
#include "BrickCCL/Files/Isolation/PipedChild.h"

#include <algorithm>

namespace brickccl::files
{

#if defined(BRICKCCL_USE_HDF5) && defined(BRICKCCL_HAS_CHILDREN)

namespace
{

/** \throws Unsupported if a filter that the dataset is compressed by is missing. */
void
CheckFilters(const Hdf5Library & h5, hid_t list, const std::string & what)
{
  for (int i = 0; i < h5.H5Pget_nfilters(list); ++i)
  {
    unsigned    flags = 0;
    unsigned    configuration = 0;
    std::size_t parameters = 0;
    char        name[64] = {};
    const auto  number = static_cast<unsigned>(i);
    const auto  filter =
      h5.H5Pget_filter(list, number, &flags, &parameters, nullptr, sizeof(name) - 1, name, &configuration);
    if (h5.H5Zfilter_avail(filter) <= 0)
    {
      throw Unsupported(what + " is compressed by the filter " + std::to_string(filter) +
                        (name[0] == '\0' ? "" : " (" + Printable(name) + ")") +
                        ", which the HDF5 library here lacks; install it as a plugin (in HDF5_PLUGIN_PATH), or store "
                        "the dataset with gzip: h5repack -f GZIP=1 IN OUT");
    }
  }
}

/** Each chunk of the index must be one that is found at a place of the dataset's grid. A chunk outside the grid,
 *  between its places, or at an occupied place is not.
 *  \param continues  called now and then */
void
CheckChunks(const Hdf5Library &           h5,
            hid_t                         object,
            hid_t                         list,
            const std::string &           what,
            const std::function<void()> & continues)
{
  const Hdf5Handle     space(h5.H5Dget_space(object), h5.H5Sclose);
  const int            axes = std::max(0, h5.H5Sget_simple_extent_ndims(space));
  std::vector<hsize_t> shape(static_cast<std::size_t>(axes));
  std::vector<hsize_t> chunk(shape.size());
  hsize_t              count = 0;
  h5.H5Sget_simple_extent_dims(space, shape.data(), nullptr);
  if (h5.H5Dget_num_chunks == nullptr || std::find(shape.begin(), shape.end(), hsize_t{ 0 }) != shape.end())
  {
    return;
  }
  if (h5.H5Pget_chunk(list, axes, chunk.data()) != axes || h5.H5Dget_num_chunks(object, space, &count) < 0)
  {
    FailHdf5(h5, what + " has a list of chunks that cannot be read");
  }
  std::vector<hsize_t> place(shape.size(), 0);
  hsize_t              found = 0;
  constexpr hsize_t    often = 10000;
  for (hsize_t looked = 1; found < count; ++looked)
  {
    hsize_t size = 0;
    found += h5.H5Dget_chunk_storage_size(object, place.data(), &size) >= 0 && size > 0 ? 1 : 0;
    std::size_t axis = shape.size();
    while (axis > 0 && (place[axis - 1] += chunk[axis - 1]) >= shape[axis - 1])
    {
      place[--axis] = 0;
    }
    if (axis == 0)
    {
      break;
    }
    if (looked % often == 0)
    {
      continues();
    }
  }
  if (found != count)
  {
    throw Error(what + " has a damaged list of chunks: of " + std::to_string(count) + " chunks, " +
                std::to_string(count - found) + " have no unique place in the dataset");
  }
}

/** Checks how a dataset's values are stored, and sends the name of the file that holds them. */
void
CheckStorage(const Hdf5Library & h5, const std::string & path, const std::string & name, const PipedChild::Send & send)
{
  const std::string what = "its dataset " + Printable(name);
  const Hdf5Handle  object(h5.H5Dopen(OpenHdf5(h5, path), name.c_str(), H5P_DEFAULT), h5.H5Dclose);
  if (!object.IsThere())
  {
    FailHdf5(h5, what + " cannot be opened");
  }
  // An external link leads to another file.
  const std::string file = NameOfHdf5File(h5, object);
  send(file.data(), file.size());
  const Hdf5Handle   list(h5.H5Dget_create_plist(object), h5.H5Pclose);
  const H5D_layout_t layout = h5.H5Pget_layout(list);
  CheckFilters(h5, list, what);
  if (layout == H5D_CHUNKED)
  {
    CheckChunks(h5, object, list, what, [&] { send(file.data(), file.size()); });
  }
  else if (layout == H5D_VIRTUAL || h5.H5Pget_external_count(list) != 0)
  {
    throw Unsupported(what + " takes its values from " +
                      (layout == H5D_VIRTUAL ? "other datasets (it is virtual)" : "raw files (external storage)") +
                      ", which is not supported; copy them into a dataset (in h5py: out['data'] = file['data'][...])");
  }
  send(nullptr, 0);
}

} // namespace

void
CheckHdf5Sources(const std::string & path, Hdf5Dataset & dataset, const Progress & progress)
{
  dataset.files = { FileStamp::Of(path) };
  PipedChild child(
    "the HDF5 library",
    [&](const PipedChild::Send & send) { CheckStorage(Hdf5Library::Get(), path, dataset.name, send); },
    Hdf5Library::Memory,
    Hdf5Library::Seconds,
    [&] { progress.Update(0); });
  for (PipedChild::Bytes bytes = child.Receive(); !bytes.empty(); bytes = child.Receive())
  {
    const std::string file(bytes.begin(), bytes.end());
    if (file != dataset.files.back().path)
    {
      dataset.files.push_back(FileStamp::Of(file));
    }
  }
}

#else

void
CheckHdf5Sources(const std::string &, Hdf5Dataset &, const Progress &)
{
  throw Unsupported("this program was built without the HDF5 library");
}

#endif

} // namespace brickccl::files
