// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Formats/Hdf5Datasets.h"
#include "BrickCCL/Files/Formats/Hdf5Library.h"
#include "BrickCCL/Files/Isolation/ChildProcess.h"
#include "BrickCCL/Files/Isolation/PipedChild.h"
#include "BrickCCL/Host/Parallel.h"

#include <algorithm>
#include <memory>

namespace brickccl::files
{

#ifdef BRICKCCL_USE_HDF5

namespace
{

using Shape = std::vector<std::uint64_t>;

/** The shape of the boxes that are read at once: whole chunks, as many as make a megabyte, x first. */
Shape
BoxShape(const Hdf5Dataset & dataset)
{
  constexpr std::uint64_t enough = 1 << 20;
  Shape                   box = dataset.chunk.empty() ? Shape(dataset.shape.size(), 1) : dataset.chunk;
  std::uint64_t           bytes = SizeOf(dataset.type);
  for (const std::uint64_t size : box)
  {
    bytes *= size;
  }
  for (std::size_t axis = box.size(); axis-- > 0;)
  {
    const std::uint64_t count = (dataset.shape[axis] + box[axis] - 1) / box[axis];
    const std::uint64_t factor = std::clamp<std::uint64_t>(enough / std::max<std::uint64_t>(bytes, 1), 1, count);
    box[axis] *= factor;
    bytes *= factor;
  }
  return box;
}

/** Opens a dataset, which must be closed. */
hid_t
OpenDataset(const Hdf5Library & h5, const Hdf5Dataset & dataset)
{
  // It stays open as long as the dataset.
  const Hdf5Handle file(OpenHdf5(h5, dataset.file.path), h5.H5Fclose);
  const hid_t      object = h5.H5Dopen(file, dataset.name.c_str(), H5P_DEFAULT);
  if (object < 0)
  {
    FailHdf5(h5, "its dataset " + Printable(dataset.name) + " cannot be opened");
  }
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
    if (h5.H5Zfilter_avail(filter) <= 0)
    {
      throw Unsupported(what + " is compressed by the filter " + std::to_string(filter) +
                        (name[0] == '\0' ? "" : " (" + Printable(name) + ")") +
                        ", which the HDF5 library here lacks; install it as a plugin (in HDF5_PLUGIN_PATH), or store "
                        "the dataset with gzip: h5repack -f GZIP=1 IN OUT");
    }
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
  if (h5.H5Dget_num_chunks(object, space, &count) < 0)
  {
    FailHdf5(h5, what + " has a list of chunks that cannot be read");
  }
  std::vector<hsize_t> place(dataset.shape.size(), 0);
  hsize_t              found = 0;
  constexpr hsize_t    often = 10000;
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
    if (looked % often == 0)
    {
      // It has not stopped.
      send("", 1);
    }
  }
  if (found != count)
  {
    throw Error(what + " has a damaged list of chunks: of " + std::to_string(count) + " chunks, " +
                std::to_string(count - found) + " have no unique place in the dataset");
  }
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
  const hid_t         type = h5.TypeOf(dataset.type);
  PipedChild::Bytes   values;
  for (std::size_t i = first; i < boxes.size(); i += step)
  {
    const ArrayBox &           box = boxes[i];
    const std::vector<hsize_t> begin(box.begin.begin(), box.begin.end());
    const std::vector<hsize_t> size(box.size.begin(), box.size.end());
    const Hdf5Handle room(h5.H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), h5.H5Sclose);
    const Hdf5Handle space(h5.H5Dget_space(object), h5.H5Sclose);
    values.resize(static_cast<std::size_t>(box.Count()) * SizeOf(dataset.type));
    if (h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, begin.data(), nullptr, size.data(), nullptr) < 0 ||
        h5.H5Dread(object, type, room, space, H5P_DEFAULT, values.data()) < 0)
    {
      FailHdf5(h5, "the values of dataset " + Printable(dataset.name) + " cannot be read");
    }
    send(values.data(), values.size());
  }
}

void
ReadByChildren(const Hdf5Dataset & dataset, const ArraySlices & slices, const HostContext & context, std::byte * output)
{
  const std::vector<ArrayBox> boxes = CutIntoBoxes(dataset.shape, BoxShape(dataset), slices);
  std::uint64_t               largest = 0;
  for (const ArrayBox & box : boxes)
  {
    largest = std::max(largest, box.Count() * SizeOf(dataset.type));
  }
  // A chunk that is cut by the end of a part is read as a whole.
  std::uint64_t chunkBytes = SizeOf(dataset.type);
  for (const std::uint64_t size : dataset.chunk)
  {
    chunkBytes *= size;
  }
  const auto count =
    std::min<std::size_t>(boxes.size(), static_cast<std::size_t>(EffectiveThreadCount(context.threads)));
  const auto  seconds = Hdf5Library::Seconds + static_cast<unsigned>(std::max(largest, chunkBytes) / 1000000);
  std::size_t done = 0;
  const auto  tell = [&] { context.progress.Update(static_cast<double>(done) / static_cast<double>(boxes.size())); };
  const auto  start = [&](std::size_t first, std::size_t step) {
    return std::make_unique<PipedChild>(
      "the HDF5 library",
      [&, first, step](const PipedChild::Send & send) { SendBoxes(dataset, boxes, first, step, send); },
      Hdf5Library::Memory + static_cast<std::size_t>(4 * std::max(largest, chunkBytes)),
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
