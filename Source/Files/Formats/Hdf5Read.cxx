// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Formats/Hdf5Datasets.h"
#include "BrickCCL/Files/Formats/Hdf5Library.h"
#include "BrickCCL/Files/Isolation/PipedChild.h"
#include "BrickCCL/Host/Parallel.h"

#include <algorithm>
#include <memory>
#include <utility>

#ifdef BRICKCCL_USE_HDF5
#  include <sys/resource.h>
#endif

namespace brickccl::files
{

#ifdef BRICKCCL_USE_HDF5

namespace
{

using Shape = std::vector<std::uint64_t>;

/** About as many files of a virtual dataset are open at once: each takes half a megabyte. */
constexpr std::size_t FilesAtOnce = 64;

/** The shape of the boxes that are read at once: whole chunks, as many as make a megabyte, x first. */
Shape
BoxShape(const Hdf5Dataset & dataset)
{
  std::uint64_t all = SizeOf(dataset.type);
  std::for_each(dataset.shape.begin(), dataset.shape.end(), [&](std::uint64_t size) { all *= size; });
  // Not so much that it comes from more files than may be open at once.
  const std::uint64_t enough = std::min<std::uint64_t>(1 << 20, all / (dataset.files.size() / FilesAtOnce + 1) + 1);
  Shape               box = dataset.chunk.empty() ? Shape(dataset.shape.size(), 1) : dataset.chunk;
  std::uint64_t       bytes = SizeOf(dataset.type);
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

/** The library gives fill values where it cannot open one more file. */
void
RequireDescriptors(const Hdf5Dataset & dataset)
{
  constexpr rlim_t others = 32;
  rlimit           limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || dataset.files.size() + others > limit.rlim_cur)
  {
    throw Error("its dataset " + Printable(dataset.name) + " takes its values from " +
                std::to_string(dataset.files.size()) + " files, and this process can open only " +
                std::to_string(limit.rlim_cur) + " at once; raise the limit: ulimit -n " +
                std::to_string(dataset.files.size() + 100));
  }
}

/** Sends every `step`-th of the boxes, from the first on. */
void
SendBoxes(const std::string &           path,
          const Hdf5Dataset &           dataset,
          const std::vector<ArrayBox> & boxes,
          std::size_t                   first,
          std::size_t                   step,
          const PipedChild::Send &      send)
{
  const Hdf5Library & h5 = Hdf5Library::Get();
  RequireDescriptors(dataset);
  const hid_t file = OpenHdf5(h5, path);
  const hid_t type = h5.TypeNamed(Hdf5TypeOf(dataset.type));
  // The files of a virtual dataset are closed with it.
  const std::size_t           boxesAtOnce = 1 + FilesAtOnce * (boxes.size() / step) / (dataset.files.size() + 1);
  std::unique_ptr<Hdf5Handle> object;
  PipedChild::Bytes           values;
  for (std::size_t i = first; i < boxes.size(); i += step)
  {
    const ArrayBox & box = boxes[i];
    if (i / step % boxesAtOnce == 0)
    {
      object.reset();
      object = std::make_unique<Hdf5Handle>(h5.H5Dopen(file, dataset.name.c_str(), H5P_DEFAULT), h5.H5Dclose);
      if (!object->IsThere())
      {
        FailHdf5(h5, "dataset " + Printable(dataset.name) + " cannot be opened");
      }
    }
    const std::vector<hsize_t> begin(box.begin.begin(), box.begin.end());
    const std::vector<hsize_t> size(box.size.begin(), box.size.end());
    const Hdf5Handle room(h5.H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr), h5.H5Sclose);
    const Hdf5Handle space(h5.H5Dget_space(*object), h5.H5Sclose);
    values.resize(static_cast<std::size_t>(box.Count()) * SizeOf(dataset.type));
    if (h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, begin.data(), nullptr, size.data(), nullptr) < 0 ||
        h5.H5Dread(*object, type, room, space, H5P_DEFAULT, values.data()) < 0)
    {
      FailHdf5(h5, "the values of dataset " + Printable(dataset.name) + " cannot be read");
    }
    send(values.data(), values.size());
  }
}

void
RequireSameFiles(const Hdf5Dataset & dataset)
{
  for (const FileStamp & file : dataset.files)
  {
    file.RequireSame();
  }
}

void
ReadByChildren(const std::string & path,
               const Hdf5Dataset & dataset,
               const ArraySlices & slices,
               const HostContext & context,
               std::byte *         output)
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
  std::vector<std::unique_ptr<PipedChild>> children;
  for (std::size_t first = 0; first < count; ++first)
  {
    children.push_back(std::make_unique<PipedChild>(
      "the HDF5 library",
      [&](const PipedChild::Send & send) { SendBoxes(path, dataset, boxes, first, count, send); },
      Hdf5Library::Memory + (dataset.files.size() << 20) + static_cast<std::size_t>(4 * std::max(largest, chunkBytes)),
      seconds,
      tell));
  }
  PipedChild::Bytes values;
  for (; done < boxes.size(); ++done)
  {
    const std::size_t i = done;
    tell();
    values.resize(static_cast<std::size_t>(boxes[i].Count()) * SizeOf(dataset.type));
    children[i % count]->Receive(values.data(), values.size());
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
ReadHdf5(const std::string & path,
         const Hdf5Dataset & dataset,
         const ArraySlices & slices,
         const HostContext & context,
         std::byte *         output)
{
  try
  {
    ReadByChildren(path, dataset, slices, context, output);
  }
  catch (const Error &)
  {
    RequireSameFiles(dataset);
    throw;
  }
  // A missing or replaced file is not an error for the library.
  RequireSameFiles(dataset);
}

#endif

} // namespace brickccl::files
