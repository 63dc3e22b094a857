// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Formats/Hdf5Datasets.h"
#include "BrickCCL/Files/Formats/Hdf5Library.h"
#include "BrickCCL/Files/Isolation/ChildProcess.h"
#include "BrickCCL/Files/Isolation/PipedChild.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Host/Parallel.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>

namespace brickccl::files
{

#ifdef BRICKCCL_USE_HDF5

namespace
{

/** The shape of what is read at once: a chunk, or slices of a dataset without chunks. */
ArrayShape
CellOf(const Hdf5Dataset & dataset)
{
  ArrayShape cell = dataset.chunk.empty() ? dataset.shape : dataset.chunk;
  std::fill(cell.begin(), dataset.chunk.empty() && cell.size() > 2 ? cell.end() - 2 : cell.begin(), 1);
  return cell;
}

/** Opens a dataset, which must be closed. */
hid_t
OpenDataset(const Hdf5Library & h5, const Hdf5Dataset & dataset)
{
  // It stays open as long as the dataset.
  const Hdf5Handle file(OpenHdf5(h5, dataset.file.path), h5.H5Fclose);
  const hid_t      object = h5.H5Dopen(file, dataset.name.c_str(), H5P_DEFAULT);
  FailHdf5If(object < 0, h5, "its dataset " + Printable(dataset.name) + " cannot be opened");
  return object;
}

void
CheckFilters(const Hdf5Library & h5, hid_t object, const std::string & what)
{
  const Hdf5Handle list(h5.H5Dget_create_plist(object), h5.H5Pclose);
  for (int i = 0; i < h5.H5Pget_nfilters(list); ++i)
  {
    char       name[64] = {};
    const auto number = static_cast<unsigned>(i);
    const auto filter = h5.H5Pget_filter(list, number, nullptr, nullptr, nullptr, sizeof(name) - 1, name, nullptr);
    ThrowIf<Unsupported>(
      h5.H5Zfilter_avail(filter) <= 0,
      what + " is compressed by the filter " + std::to_string(filter) +
        (name[0] == '\0' ? "" : " (" + Printable(name) + ")") +
        ", which the HDF5 library here lacks; install it as a plugin (in HDF5_PLUGIN_PATH), or store "
        "the dataset with gzip: h5repack -f GZIP=1 IN OUT");
  }
}

/** The library gives fill values for missing chunks, and accepts any chunk in a damaged index. So each chunk must be
 * one that is found at a place of the dataset's grid. A chunk outside the grid, between its places, or at an occupied
 * place is not. */
void
CheckPlaces(const Hdf5Library &      h5,
            hid_t                    object,
            const Hdf5Dataset &      dataset,
            const std::string &      what,
            const PipedChild::Send & send)
{
  const Hdf5Handle space(h5.H5Dget_space(object), h5.H5Sclose);
  hsize_t          count = 0;
  FailHdf5If(h5.H5Dget_num_chunks(object, space, &count) < 0, h5, what + " has a list of chunks that cannot be read");
  std::vector<hsize_t> place(dataset.shape.size(), 0);
  hsize_t              found = 0;
  for (hsize_t looked = 1; found < count; ++looked)
  {
    hsize_t size = 0;
    found += h5.H5Dget_chunk_storage_size(object, place.data(), &size) >= 0 && size > 0 ? 1 : 0;
    std::size_t axis = place.size();
    while (axis > 0 && (place[axis - 1] += dataset.chunk[axis - 1]) >= dataset.shape[axis - 1])
    {
      place[--axis] = 0;
    }
    if (axis == 0)
    {
      break;
    }
    if (looked % 10000 == 0)
    {
      // It has not stopped.
      send("", 1);
    }
  }
  ThrowIf(found != count,
          what + " has a damaged list of chunks: of " + std::to_string(count) + " chunks, " +
            std::to_string(count - found) + " have no unique place in the dataset");
}

/** A filter that only checks how many bytes reach it. */
std::size_t
CheckSize(unsigned, std::size_t, const unsigned * expected, std::size_t bytes, std::size_t *, void **)
{
  return bytes == *expected ? bytes : 0;
}

/** Creates a dataset of one chunk in memory, with the filters of another dataset except those in the mask `skipped`,
 * and with a last filter that checks the chunk's size: the library fills the rest of a short chunk from unset memory.
 */
hid_t
CreateMirror(const Hdf5Library & h5, hid_t object, hid_t filters, const Hdf5Dataset & dataset, std::uint32_t skipped)
{
  constexpr H5Z_filter_t     number = 511;
  static const H5Z_class2_t  check = { H5Z_CLASS_T_VERS, number, 1, 1, "size", nullptr, nullptr, CheckSize };
  const std::vector<hsize_t> chunk(dataset.chunk.begin(), dataset.chunk.end());
  const Hdf5Handle           typeInFile(h5.H5Dget_type(object), h5.H5Tclose);
  const Hdf5Handle           type(h5.H5Tcopy(typeInFile), h5.H5Tclose);
  const Hdf5Handle           list(h5.H5Dget_create_plist(object), h5.H5Pclose);
  const Hdf5Handle           access(h5.H5Pcreate(h5.FileAccess()), h5.H5Pclose);
  const auto bytes = static_cast<unsigned>(ArrayBox{ {}, dataset.chunk }.Count() * h5.H5Tget_size(type));
  h5.H5Zregister(&check);
  // The index of the other dataset's chunks must not come along.
  h5.H5Pset_chunk(list, static_cast<int>(chunk.size()), chunk.data());
  h5.H5Premove_filter(list, H5Z_FILTER_ALL);
  h5.H5Pset_filter(list, number, H5Z_FLAG_MANDATORY, 1, &bytes);
  for (int i = 0; i < h5.H5Pget_nfilters(filters); ++i)
  {
    unsigned              flags = 0;
    std::vector<unsigned> values(256);
    std::size_t           count = values.size();
    const auto            place = static_cast<unsigned>(i);
    const auto            filter = h5.H5Pget_filter(filters, place, &flags, &count, values.data(), 0, nullptr, nullptr);
    values.resize(std::min(count, values.size()));
    CompleteHdf5Filter(filter, bytes, values);
    (skipped >> place & 1U) == 0 ? h5.H5Pset_filter(list, filter, flags, values.size(), values.data()) : 0;
  }
  h5.H5Pset_fapl_core(access, 1 << 20, 0);
  // H5F_ACC_TRUNC, which is not a constant but calls the library.
  constexpr unsigned truncate = 2;
  const Hdf5Handle   memory(h5.H5Fcreate(std::to_string(skipped).c_str(), truncate, H5P_DEFAULT, access), h5.H5Fclose);
  const Hdf5Handle   space(h5.H5Screate_simple(static_cast<int>(chunk.size()), chunk.data(), nullptr), h5.H5Sclose);
  const hid_t        mirror = h5.H5Dcreate_anon(memory, type, space, list, H5P_DEFAULT);
  FailHdf5If(mirror < 0, h5, "the filters of dataset " + Printable(dataset.name) + " cannot be used");
  return mirror;
}

/** Datasets in memory by the mask of the filters that their chunks skipped. */
using Mirrors = std::map<std::uint32_t, Hdf5Handle>;

/** Copies the chunk with a voxel, if it is stored and filtered (an option leaves out chunks at the ends), to a dataset
 * in memory, of which there is one for each mask of skipped filters, and makes the voxel's place one in the chunk.
 * \return this dataset, or else the given one */
hid_t
MirrorChunk(hid_t object, hid_t filters, const Hdf5Dataset & dataset, Mirrors & mirrors, std::vector<hsize_t> & voxel)
{
  static PipedChild::Bytes   stored;
  const Hdf5Library &        h5 = Hdf5Library::Get();
  const std::vector<hsize_t> first(voxel.size(), 0);
  std::vector<hsize_t>       inside;
  std::uint32_t              skipped = 0;
  hsize_t                    size = 0;
  std::transform(voxel.begin(), voxel.end(), dataset.chunk.begin(), std::back_inserter(inside), std::modulus());
  std::vector<hsize_t> place;
  std::transform(voxel.begin(), voxel.end(), inside.begin(), std::back_inserter(place), std::minus());
  unsigned options = 0;
  h5.H5Pget_chunk_opts(filters, &options);
  bool isFiltered = h5.H5Pget_nfilters(filters) > 0;
  for (std::size_t axis = 0; axis < place.size(); ++axis)
  {
    isFiltered = isFiltered && (options == 0 || place[axis] + dataset.chunk[axis] <= dataset.shape[axis]);
  }
  if (!isFiltered || h5.H5Dget_chunk_storage_size(object, place.data(), &size) < 0 || size == 0)
  {
    return object;
  }
  stored.resize(size);
  const bool isRead = h5.H5Dread_chunk(object, H5P_DEFAULT, place.data(), &skipped, stored.data()) >= 0;
  auto       mirror = mirrors.find(skipped);
  if (mirror == mirrors.end())
  {
    mirror = mirrors.try_emplace(skipped, CreateMirror(h5, object, filters, dataset, skipped), h5.H5Dclose).first;
  }
  voxel = inside;
  return isRead && h5.H5Dwrite_chunk(mirror->second, H5P_DEFAULT, 0, first.data(), size, stored.data()) >= 0
         ? hid_t(mirror->second)
         : -1;
}

/** Sends every `step`-th of the boxes, from the first on. */
void
SendBoxes(const Hdf5Dataset &           dataset,
          const std::vector<ArrayBox> & boxes,
          std::size_t                   first,
          std::size_t                   step,
          const PipedChild::Send &      send)
{
  const Hdf5Library & h5 = Hdf5Library::Get();
  const Hdf5Handle    object(OpenDataset(h5, dataset), h5.H5Dclose);
  const Hdf5Handle    filters(h5.H5Dget_create_plist(object), h5.H5Pclose);
  const hid_t         type = h5.TypeOf(dataset.type);
  const ArrayShape    cell = CellOf(dataset);
  Mirrors             mirrors;
  PipedChild::Bytes   values;
  // After freeing this much, glibc keeps the memory that the library frees with each chunk.
  values.reserve(std::size_t{ 31 } << 20);
  values.shrink_to_fit();
  for (std::size_t i = first; i < boxes.size(); i += step)
  {
    const ArrayBox &           box = boxes[i];
    std::vector<hsize_t>       begin(box.begin.begin(), box.begin.end());
    const std::vector<hsize_t> size(box.size.begin(), box.size.end());
    const hid_t      source = dataset.chunk.empty() ? object : MirrorChunk(object, filters, dataset, mirrors, begin);
    const Hdf5Handle room(h5.H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), h5.H5Sclose);
    const Hdf5Handle space(h5.H5Dget_space(source), h5.H5Sclose);
    values.resize(static_cast<std::size_t>(box.Count()) * SizeOf(dataset.type));
    FailHdf5If(h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, begin.data(), nullptr, size.data(), nullptr) < 0 ||
                 h5.H5Dread(source, type, room, space, H5P_DEFAULT, values.data()) < 0,
               h5,
               "the values of dataset " + Printable(dataset.name) + " cannot be read from " + SizesText(box.begin) +
                 " on as " + SizesText(cell) + " values");
    send(values.data(), values.size());
  }
}

void
ReadByChildren(const Hdf5Dataset & dataset, const ArraySlices & slices, const HostContext & context, std::byte * output)
{
  const std::vector<ArrayBox> boxes = CutIntoBoxes(dataset.shape, CellOf(dataset), slices);
  // A chunk that is cut by the end of a part is read as a whole.
  const std::uint64_t largest = ArrayBox{ {}, CellOf(dataset) }.Count() * SizeOf(dataset.type);
  const auto          count =
    std::min<std::size_t>(boxes.size(), static_cast<std::size_t>(EffectiveThreadCount(context.threads)));
  const auto  seconds = Hdf5Library::Seconds + static_cast<unsigned>(largest / 1000000);
  std::size_t done = 0;
  const auto  tell = [&] { context.progress.Update(static_cast<double>(done) / static_cast<double>(boxes.size())); };
  const auto  start = [&](std::size_t first, std::size_t step) {
    return std::make_unique<PipedChild>(
      "the HDF5 library",
      [&, first, step](const PipedChild::Send & send) { SendBoxes(dataset, boxes, first, step, send); },
      Hdf5Library::Memory + static_cast<std::size_t>(4 * largest),
      seconds,
      tell);
  };
  std::vector<std::unique_ptr<PipedChild>> children;
  for (std::size_t first = 0; ChildProcesses::AreProcesses && first < count; ++first)
  {
    children.push_back(start(first, count));
  }
  for (; done < boxes.size(); ++done)
  {
    const std::size_t i = done;
    tell();
    const auto ofBox = ChildProcesses::AreProcesses ? nullptr : start(i, boxes.size());
    const auto values = (ofBox ? *ofBox : *children[i % count]).Receive();
    PutBox(dataset.shape,
           boxes[i],
           slices,
           boxes[i].size,
           SizeOf(dataset.type),
           reinterpret_cast<const std::byte *>(values.data()),
           output);
  }
}

} // namespace

void
CheckHdf5Chunks(const Hdf5Dataset & dataset, const Progress & progress)
{
  if (dataset.chunk.empty())
  {
    return;
  }
  const auto work = [&](const PipedChild::Send & send) {
    const Hdf5Library & h5 = Hdf5Library::Get();
    const Hdf5Handle    object(OpenDataset(h5, dataset), h5.H5Dclose);
    const std::string   what = "its dataset " + Printable(dataset.name);
    CheckFilters(h5, object, what);
    CheckPlaces(h5, object, dataset, what, send);
    send(nullptr, 0);
  };
  PipedChild child("the HDF5 library", work, Hdf5Library::Memory, Hdf5Library::Seconds, [&] { progress.Update(0); });
  while (!child.Receive().empty())
  {}
}

void
ReadHdf5(const Hdf5Dataset & dataset, const ArraySlices & slices, const HostContext & context, std::byte * output)
{
  try
  {
    ReadByChildren(dataset, slices, context, output);
  }
  catch (const Error &)
  {
    dataset.file.RequireSame();
    throw;
  }
  dataset.file.RequireSame();
}

#endif

} // namespace brickccl::files
