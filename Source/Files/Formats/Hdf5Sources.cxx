// SPDX-License-Identifier: Apache-2.0
// The sources of an HDF5 dataset's values. The library returns fill values if it cannot open a source of a virtual
// dataset or if a chunk is missing, and accepts any chunk in a damaged index. So every source must exist, be large
// enough and be readable.

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Formats/Hdf5Datasets.h"
#include "BrickCCL/Files/Formats/Hdf5Library.h"
#include "BrickCCL/Files/Isolation/PipedChild.h"
#include "BrickCCL/Files/Settle.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

namespace brickccl::files
{

#ifdef BRICKCCL_USE_HDF5

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FileStamp, path, isThere, size, time, statusChange)

namespace
{

/** The text that a function of the library gives. */
template <typename TGet>
std::string
TextOf(TGet get)
{
  const auto  size = get(nullptr, 0);
  std::string text(size > 0 ? static_cast<std::size_t>(size) + 1 : 1, '\0');
  get(text.data(), text.size());
  return text.c_str();
}

/** Checks what a dataset's values come from, and what the values of its sources come from. */
class Sources
{
public:
  Sources(const Hdf5Library & h5, const PipedChild::Send & send)
    : m_H5(h5)
    , m_Send(send)
  {}

  /** \param what  names the dataset in errors */
  void
  Check(hid_t object, const std::string & name, const std::string & what)
  {
    const std::string file = m_H5.FileOf(object);
    Tell(file);
    const std::pair<std::string, std::string> dataset(file, name);
    if (std::find(m_Way.begin(), m_Way.end(), dataset) != m_Way.end())
    {
      throw Error(what + " uses itself as a source; name the dataset that holds the values");
    }
    if (!m_Seen.insert(dataset).second)
    {
      return;
    }
    const Hdf5Handle list(m_H5.H5Dget_create_plist(object), m_H5.H5Pclose);
    CheckFilters(list, what);
    switch (m_H5.H5Pget_layout(list))
    {
    case H5D_VIRTUAL:
      m_Way.push_back(dataset);
      CheckMappings(list, file, what);
      m_Way.pop_back();
      break;
    case H5D_CHUNKED:
      CheckChunks(object, list, what);
      break;
    default:
      // The library takes zeros for what such files lack.
      if (m_H5.H5Pget_external_count(list) != 0)
      {
        throw Unsupported(what + " keeps its values in raw files (external storage), which is not supported; copy them "
                                 "into a dataset (in h5py: out['data'] = file['data'][...])");
      }
    }
  }

  /** Also says that the work continues. */
  void
  Tell(const std::string & file)
  {
    const bool isNew = m_Told.insert(file).second;
    const auto bytes = nlohmann::json::to_cbor(isNew ? FileStamp::Of(file) : FileStamp());
    m_Send(bytes.data(), bytes.size());
  }

private:
  std::vector<std::uint64_t>
  ShapeOf(hid_t object) const
  {
    return m_H5.ShapeOf(Hdf5Handle(m_H5.H5Dget_space(object), m_H5.H5Sclose));
  }

  void
  CheckFilters(hid_t list, const std::string & what) const
  {
    for (int i = 0; i < m_H5.H5Pget_nfilters(list); ++i)
    {
      unsigned           flags = 0;
      unsigned           configuration = 0;
      std::size_t        parameters = 0;
      char               name[64] = {};
      const H5Z_filter_t filter = m_H5.H5Pget_filter(list,
                                                     static_cast<unsigned>(i),
                                                     &flags,
                                                     &parameters,
                                                     nullptr,
                                                     sizeof(name) - 1,
                                                     name,
                                                     &configuration);
      if (m_H5.H5Zfilter_avail(filter) <= 0)
      {
        throw Unsupported(what + " is compressed by the filter " + std::to_string(filter) +
                          (name[0] == '\0' ? "" : " (" + Printable(name) + ")") +
                          ", which the HDF5 library here lacks; install it as a plugin (in HDF5_PLUGIN_PATH), or store "
                          "the dataset with gzip: h5repack -f GZIP=1 IN OUT");
      }
    }
  }

  /** Opens the file of a source, which stays open until another one is. An absolute name that does not exist is looked
   *  for in the folder of the file that names it, as the library does. \return whether the file exists */
  bool
  OpenFile(const std::string & name, const std::string & master)
  {
    namespace fs = std::filesystem;
    const fs::path  folder = fs::absolute(master).parent_path();
    std::error_code failure;
    fs::path        place = name == "." ? fs::path(master) : folder / name;
    if (fs::path(name).is_absolute() && !fs::is_regular_file(place, failure))
    {
      place = folder / place.filename();
    }
    if (!fs::is_regular_file(place, failure))
    {
      return false;
    }
    if (m_File == nullptr || m_Place != place)
    {
      m_File = std::make_unique<Hdf5Handle>(m_H5.H5Fopen(place.c_str(), 0, H5P_DEFAULT), m_H5.H5Fclose);
      m_Place = place;
    }
    if (!m_File->IsThere())
    {
      FailHdf5(m_H5, "its source " + Printable(place.string()) + " cannot be opened");
    }
    return true;
  }

  void
  CheckMappings(hid_t list, const std::string & master, const std::string & name)
  {
    std::size_t count = 0;
    if (m_H5.H5Pget_virtual_count(list, &count) < 0)
    {
      FailHdf5(m_H5, name + " is virtual, and its sources cannot be listed");
    }
    for (std::size_t i = 0; i < count; ++i)
    {
      const std::string file =
        TextOf([&](char * text, std::size_t size) { return m_H5.H5Pget_virtual_filename(list, i, text, size); });
      const std::string dataset =
        TextOf([&](char * text, std::size_t size) { return m_H5.H5Pget_virtual_dsetname(list, i, text, size); });
      const std::string source = Quoted(file == "." ? dataset : file + "::" + dataset);
      const std::string what = name + " is virtual, and its source " + source;
      const Hdf5Handle  whole(m_H5.H5Pget_virtual_vspace(list, i), m_H5.H5Sclose);
      const Hdf5Handle  part(m_H5.H5Pget_virtual_srcspace(list, i), m_H5.H5Sclose);
      const hssize_t    points = m_H5.H5Sget_select_npoints(whole);
      if (points < 0)
      {
        throw Unsupported(
          what +
          " may grow (an unlimited selection), which is not supported; copy the values into an ordinary dataset");
      }
      if (!OpenFile(file, master))
      {
        throw Error(what + " is missing: there is no such file");
      }
      const Hdf5Handle object(m_H5.H5Dopen(*m_File, dataset.c_str(), H5P_DEFAULT), m_H5.H5Dclose);
      if (!object.IsThere())
      {
        FailHdf5(m_H5, what + " cannot be opened");
      }
      const auto        shape = ShapeOf(object);
      const std::string taken = TakenBeyond(part, static_cast<std::uint64_t>(points), shape);
      if (!taken.empty())
      {
        throw Error(what + " has the size " + SizesText(shape) + ", but the dataset uses " + taken + " of it");
      }
      Check(object, (dataset[0] == '/' ? "" : "/") + dataset, what);
    }
  }

  /** The size that is selected of a source of this shape, `points` values; nothing if it has them. */
  std::string
  TakenBeyond(hid_t selection, std::uint64_t points, const std::vector<std::uint64_t> & shape) const
  {
    if (m_H5.H5Sget_select_type(selection) == H5S_SEL_ALL)
    {
      const auto count = std::accumulate(shape.begin(), shape.end(), std::uint64_t{ 1 }, std::multiplies<>());
      return count == points ? "" : std::to_string(points) + " values";
    }
    const auto           axes = static_cast<std::size_t>(std::max(0, m_H5.H5Sget_simple_extent_ndims(selection)));
    std::vector<hsize_t> first(axes);
    std::vector<hsize_t> last(axes);
    const bool           isKnown = points > 0 && m_H5.H5Sget_select_bounds(selection, first.data(), last.data()) >= 0;
    if (points == 0 ||
        (isKnown && axes == shape.size() && std::equal(last.begin(), last.end(), shape.begin(), std::less<>())))
    {
      return "";
    }
    std::transform(last.begin(), last.end(), last.begin(), [](hsize_t end) { return end + 1; });
    return SizesText(last);
  }

  /** Each chunk of the index must be one that is found at a place of the dataset's grid. A chunk outside the grid,
   * between its places, or at an occupied place is not. */
  void
  CheckChunks(hid_t object, hid_t list, const std::string & what)
  {
    const Hdf5Handle     space(m_H5.H5Dget_space(object), m_H5.H5Sclose);
    const auto           shape = ShapeOf(object);
    std::vector<hsize_t> chunk(shape.size());
    const int            axes = static_cast<int>(shape.size());
    hsize_t              count = 0;
    if (m_H5.H5Dget_num_chunks == nullptr || std::find(shape.begin(), shape.end(), std::uint64_t{ 0 }) != shape.end())
    {
      return;
    }
    if (m_H5.H5Pget_chunk(list, axes, chunk.data()) != axes || m_H5.H5Dget_num_chunks(object, space, &count) < 0)
    {
      FailHdf5(m_H5, what + " has a list of chunks that cannot be read");
    }
    std::vector<hsize_t> place(shape.size(), 0);
    hsize_t              found = 0;
    constexpr hsize_t    often = 10000;
    for (hsize_t looked = 1; found < count; ++looked)
    {
      hsize_t size = 0;
      found += m_H5.H5Dget_chunk_storage_size(object, place.data(), &size) >= 0 && size > 0 ? 1 : 0;
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
        Tell("");
      }
    }
    if (found != count)
    {
      throw Error(what + " has a damaged list of chunks: of " + std::to_string(count) + " chunks, " +
                  std::to_string(count - found) + " have no unique place in the dataset");
    }
  }

  const Hdf5Library &                              m_H5;
  const PipedChild::Send &                         m_Send;
  std::set<std::pair<std::string, std::string>>    m_Seen;
  std::vector<std::pair<std::string, std::string>> m_Way;
  std::set<std::string>                            m_Told = { "" };
  std::unique_ptr<Hdf5Handle>                      m_File;
  std::filesystem::path                            m_Place;
};

} // namespace

void
CheckHdf5Sources(const std::string & path, Hdf5Dataset & dataset, const Progress & progress)
{
  const Hdf5Library & h5 = Hdf5Library::Get();
  const auto          work = [&](const PipedChild::Send & send) {
    Sources     sources(h5, send);
    const hid_t file = OpenHdf5(h5, path);
    sources.Tell(path);
    const std::string what = "its dataset " + Printable(dataset.name);
    const hid_t       object = h5.H5Dopen(file, dataset.name.c_str(), H5P_DEFAULT);
    if (object < 0)
    {
      FailHdf5(h5, what + " cannot be opened");
    }
    sources.Check(object, dataset.name, what);
    send(nullptr, 0);
  };
  PipedChild child("the HDF5 library", work, Hdf5Library::Memory, Hdf5Library::Seconds, [&] { progress.Update(0); });
  for (PipedChild::Bytes bytes = child.Receive(); !bytes.empty(); bytes = child.Receive())
  {
    auto file = nlohmann::json::from_cbor(bytes).get<FileStamp>();
    if (!file.path.empty())
    {
      dataset.files.push_back(std::move(file));
    }
  }
}

#endif

} // namespace brickccl::files
