// What the values of an HDF5 dataset come from. The library gives fill values where a source of a virtual dataset or
// a chunk is missing, and takes any chunk that a damaged index names; so all are looked at before.

#include "BrickCCL/Bricks/ByteStream.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Hdf5Datasets.h"
#include "BrickCCL/Files/Hdf5Library.h"
#include "BrickCCL/Files/Hdf5Slab.h"
#include "BrickCCL/Files/PipedChild.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace brickccl::files
{

#if defined(BRICKCCL_USE_HDF5) && defined(BRICKCCL_HAS_CHILDREN)

namespace
{

namespace fs = std::filesystem;

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

/** A name with the number of a block for each %b, and % for %%. */
std::string
NameOfBlock(const std::string & name, std::uint64_t block)
{
  std::string text;
  for (std::size_t at = 0; at < name.size(); ++at)
  {
    const char next = name[at] == '%' && at + 1 < name.size() ? name[at + 1] : '\0';
    text += next == 'b' ? std::to_string(block) : std::string(1, name[at]);
    at += next == 'b' || next == '%' ? 1 : 0;
  }
  return text;
}

/** Whether a name stands for one source a block. */
bool
HasBlocks(const std::string & name)
{
  return NameOfBlock(name, 0) != NameOfBlock(name, 1);
}

/** What the process that looks at sources sends. */
struct Message
{
  enum class Kind : std::uint8_t
  {
    Alive,
    File,
    Loop
  };
  Kind        kind = Kind::Alive;
  FileStamp   file;
  std::string loop;

  void
  SendBy(const PipedChild::Send & send) const
  {
    ByteWriter to;
    to.Byte(static_cast<std::uint8_t>(kind));
    to.Text(file.path);
    to.Byte(file.isThere ? 1 : 0);
    to.Number(file.size);
    to.Signed(file.time);
    to.Signed(file.statusChange);
    to.Text(loop);
    send(to.Written().data(), to.Size());
  }

  static Message
  From(const PipedChild::Bytes & bytes)
  {
    ByteReader from(bytes, "the list of sources");
    Message    message;
    message.kind = static_cast<Kind>(from.Byte());
    message.file.path = from.Text();
    message.file.isThere = from.Byte() != 0;
    message.file.size = from.Number();
    message.file.time = from.Signed();
    message.file.statusChange = from.Signed();
    message.loop = from.Text();
    return message;
  }
};

/** Looks at what a dataset's values come from, and at what those come from. */
class Sources
{
public:
  Sources(const Hdf5Library & h5, const PipedChild::Send & send)
    : m_H5(h5)
    , m_Send(send)
  {}

  void
  Check(hid_t object, const std::string & name)
  {
    const std::string file =
      TextOf([&](char * text, std::size_t size) { return m_H5.H5Fget_name(object, text, size); });
    Tell(file);
    const std::pair<std::string, std::string> dataset(file, name);
    if (!m_Seen.insert(dataset).second)
    {
      const auto first = std::find(m_Way.begin(), m_Way.end(), dataset);
      if (first != m_Way.end())
      {
        TellLoop(first);
      }
      return;
    }
    m_Way.push_back(dataset);
    const Hdf5Handle list(m_H5.H5Dget_create_plist(object), m_H5.H5Pclose);
    switch (m_H5.H5Pget_layout(list))
    {
    case H5D_VIRTUAL:
      CheckMappings(object, list, file, name);
      break;
    case H5D_CHUNKED:
      CheckChunks(object, list, name);
      break;
    default:
      CheckRawFiles(object, list, file, name);
    }
    m_Way.pop_back();
  }

  /** Takes the stamp of a file that will be opened next. */
  void
  Expect(const std::string & file)
  {
    m_Stamps.emplace(file, FileStamp::Of(file));
  }

  /** Also says that the work goes on. */
  void
  Tell(const std::string & file)
  {
    Message message;
    if (m_Told.insert(file).second)
    {
      Expect(file);
      message.kind = Message::Kind::File;
      message.file = m_Stamps.at(file);
    }
    message.SendBy(m_Send);
  }

private:
  std::vector<hsize_t>
  ShapeOf(hid_t space) const
  {
    std::vector<hsize_t> shape(static_cast<std::size_t>(std::max(0, m_H5.H5Sget_simple_extent_ndims(space))));
    m_H5.H5Sget_simple_extent_dims(space, shape.data(), nullptr);
    return shape;
  }

  /** A loop need not be without end: a dataset may take some of its values from others of its own. */
  void
  TellLoop(std::vector<std::pair<std::string, std::string>>::const_iterator first)
  {
    Message message;
    message.kind = Message::Kind::Loop;
    for (auto each = first; each != m_Way.cend(); ++each)
    {
      message.loop += NameOfSource(each->first, each->second) + " from ";
    }
    message.loop += NameOfSource(first->first, first->second);
    message.SendBy(m_Send);
  }

  /** Opens the file of a source; it stays open until another one is. Empty if it is nowhere. */
  std::string
  OpenFile(const std::string & name, const std::string & master)
  {
    const auto places =
      name == "." ? std::vector<std::string>{ master } : PlacesOfSource("HDF5_VDS_PREFIX", name, master);
    for (const std::string & place : places)
    {
      if (m_File != nullptr && place == m_Place)
      {
        return place;
      }
      Expect(place);
      auto file = std::make_unique<Hdf5Handle>(IsFileOfDisk(place) ? m_H5.H5Fopen(place.c_str(), 0, H5P_DEFAULT) : -1,
                                               m_H5.H5Fclose);
      if (file->IsThere())
      {
        m_File = std::move(file);
        m_Place = place;
        return place;
      }
    }
    for (const std::string & place : places)
    {
      if (std::error_code failure; fs::exists(place, failure))
      {
        FailHdf5(m_H5, "its source " + Printable(place) + " cannot be opened");
      }
    }
    return "";
  }

  void
  CheckMappings(hid_t object, hid_t list, const std::string & master, const std::string & name)
  {
    const Hdf5Handle space(m_H5.H5Dget_space(object), m_H5.H5Sclose);
    const auto       shape = ShapeOf(space);
    std::size_t      count = 0;
    m_H5.H5Pget_virtual_count(list, &count);
    for (std::size_t i = 0; i < count; ++i)
    {
      const std::string file =
        TextOf([&](char * text, std::size_t size) { return m_H5.H5Pget_virtual_filename(list, i, text, size); });
      const std::string dataset =
        TextOf([&](char * text, std::size_t size) { return m_H5.H5Pget_virtual_dsetname(list, i, text, size); });
      const Hdf5Handle whole(m_H5.H5Pget_virtual_vspace(list, i), m_H5.H5Sclose);
      const Hdf5Handle source(m_H5.H5Pget_virtual_srcspace(list, i), m_H5.H5Sclose);
      const Hdf5Slab   slab(m_H5, whole);
      const bool       areBlocks = slab.IsUnlimited() && (HasBlocks(file) || HasBlocks(dataset));
      const auto       points = areBlocks          ? slab.PointsOfBlock()
                              : slab.IsUnlimited() ? slab.Points(shape)
                                                   : static_cast<std::uint64_t>(m_H5.H5Sget_select_npoints(whole));
      const auto       blocks = areBlocks ? slab.Blocks(shape) : 1;
      for (std::uint64_t block = 0; block < blocks; ++block)
      {
        CheckSource(source, points, NameOfBlock(file, block), NameOfBlock(dataset, block), master, name);
      }
      // The library ends the dataset at the first block that is missing.
      constexpr std::uint64_t maximumMissing = 100;
      for (std::uint64_t block = blocks; areBlocks && block < blocks + maximumMissing; ++block)
      {
        if (IsSource(NameOfBlock(file, block), NameOfBlock(dataset, block), master))
        {
          throw Error("its dataset " + Printable(name) + " is virtual, and its source " +
                      NameOfSource(NameOfBlock(file, blocks), NameOfBlock(dataset, blocks)) +
                      " is missing, although there is a later one, " +
                      NameOfSource(NameOfBlock(file, block), NameOfBlock(dataset, block)));
        }
      }
    }
  }

  static std::string
  NameOfSource(const std::string & file, const std::string & dataset)
  {
    return Quoted(file == "." ? dataset : file + "::" + dataset);
  }

  bool
  IsSource(const std::string & file, const std::string & dataset, const std::string & master)
  {
    return !OpenFile(file, master).empty() &&
           Hdf5Handle(m_H5.H5Dopen(*m_File, dataset.c_str(), H5P_DEFAULT), m_H5.H5Dclose).IsThere();
  }

  /** \param points  how many values the virtual dataset takes of it */
  void
  CheckSource(hid_t               selection,
              std::uint64_t       points,
              const std::string & file,
              const std::string & dataset,
              const std::string & master,
              const std::string & name)
  {
    const std::string what =
      "its dataset " + Printable(name) + " is virtual, and its source " + NameOfSource(file, dataset);
    if (OpenFile(file, master).empty())
    {
      throw Error(what + " is missing: there is no such file");
    }
    const Hdf5Handle object(m_H5.H5Dopen(*m_File, dataset.c_str(), H5P_DEFAULT), m_H5.H5Dclose);
    if (!object.IsThere())
    {
      FailHdf5(m_H5, what + " cannot be opened");
    }
    const Hdf5Handle space(m_H5.H5Dget_space(object), m_H5.H5Sclose);
    const auto       shape = ShapeOf(space);
    if (!Holds(selection, points, shape))
    {
      std::string sizes;
      for (const hsize_t size : shape)
      {
        sizes += (sizes.empty() ? "" : " x ") + std::to_string(size);
      }
      throw Error(what + " has the size " + sizes + ", which is not what the dataset takes of it");
    }
    Check(object, (dataset[0] == '/' ? "" : "/") + dataset);
  }

  /** Whether a source of this shape has all that is selected of it. */
  bool
  Holds(hid_t selection, std::uint64_t points, const std::vector<hsize_t> & shape) const
  {
    const H5S_sel_type kind = m_H5.H5Sget_select_type(selection);
    if (kind == H5S_SEL_NONE)
    {
      return true;
    }
    if (kind == H5S_SEL_ALL)
    {
      std::uint64_t count = 1;
      for (const hsize_t size : shape)
      {
        count *= size;
      }
      return count == points;
    }
    const Hdf5Slab slab(m_H5, selection);
    if (slab.start.size() != shape.size())
    {
      return false;
    }
    if (slab.IsUnlimited())
    {
      return slab.Points(shape) >= points;
    }
    std::vector<hsize_t> first(shape.size());
    std::vector<hsize_t> last(shape.size());
    return m_H5.H5Sget_select_bounds(selection, first.data(), last.data()) >= 0 &&
           std::equal(last.begin(), last.end(), shape.begin(), [](hsize_t end, hsize_t size) { return end < size; });
  }

  /** Each chunk of the index must be one that is found at a place of the dataset's grid. One with a place outside of
   *  it or between its places, or with that of another one, is not. */
  void
  CheckChunks(hid_t object, hid_t list, const std::string & name)
  {
    const Hdf5Handle     space(m_H5.H5Dget_space(object), m_H5.H5Sclose);
    const auto           shape = ShapeOf(space);
    std::vector<hsize_t> chunk(shape.size());
    const int            axes = static_cast<int>(shape.size());
    hsize_t              count = 0;
    if (m_H5.H5Dget_num_chunks == nullptr || std::find(shape.begin(), shape.end(), hsize_t{ 0 }) != shape.end())
    {
      return;
    }
    if (m_H5.H5Pget_chunk(list, axes, chunk.data()) != axes || m_H5.H5Dget_num_chunks(object, space, &count) < 0)
    {
      FailHdf5(m_H5, "the list of chunks of dataset " + Printable(name) + " cannot be read");
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
      throw Error("the list of chunks of dataset " + Printable(name) + " is damaged: of " + std::to_string(count) +
                  " chunks, " + std::to_string(count - found) + " are at no place of their own in the dataset");
    }
  }

  /** Files of raw values. The library takes zeros for what is missing at their ends. */
  void
  CheckRawFiles(hid_t object, hid_t list, const std::string & master, const std::string & name)
  {
    const Hdf5Handle space(m_H5.H5Dget_space(object), m_H5.H5Sclose);
    const Hdf5Handle type(m_H5.H5Dget_type(object), m_H5.H5Tclose);
    std::uint64_t rest = static_cast<std::uint64_t>(m_H5.H5Sget_simple_extent_npoints(space)) * m_H5.H5Tget_size(type);
    const int     count = m_H5.H5Pget_external_count(list);
    for (int i = 0; i < count; ++i)
    {
      std::string text(4096, '\0');
      off_t       offset = 0;
      hsize_t     size = 0;
      m_H5.H5Pget_external(list, static_cast<unsigned>(i), text.size() - 1, text.data(), &offset, &size);
      fs::path           file(text.c_str());
      const char * const prefix = std::getenv("HDF5_EXTFILE_PREFIX");
      if (prefix != nullptr && prefix[0] != '\0')
      {
        file = Hdf5Prefix(prefix, fs::absolute(master).parent_path()) / file;
      }
      const std::uint64_t taken = std::min<std::uint64_t>(size, rest);
      const std::string   what =
        "its dataset " + Printable(name) + " has its values in the file " + Quoted(file.string()) + ", which ";
      std::error_code     failure;
      const std::uint64_t there = fs::file_size(file, failure);
      if (failure)
      {
        throw Error(what + "cannot be opened: " + failure.message());
      }
      if (there < static_cast<std::uint64_t>(offset) + taken)
      {
        throw Error(what + "has " + std::to_string(there) + " bytes instead of " +
                    std::to_string(static_cast<std::uint64_t>(offset) + taken));
      }
      rest -= taken;
      Tell(file.string());
    }
  }

  const Hdf5Library &                              m_H5;
  const PipedChild::Send &                         m_Send;
  std::set<std::pair<std::string, std::string>>    m_Seen;
  std::vector<std::pair<std::string, std::string>> m_Way;
  std::map<std::string, FileStamp>                 m_Stamps;
  std::set<std::string>                            m_Told = { "" };
  std::unique_ptr<Hdf5Handle>                      m_File;
  std::string                                      m_Place;
};

} // namespace

void
CheckHdf5Sources(const std::string & path, Hdf5Dataset & dataset, const Progress & progress)
{
  const Hdf5Library & h5 = Hdf5Library::Get();
  const auto          work = [&](const PipedChild::Send & send) {
    Sources sources(h5, send);
    sources.Expect(path);
    const hid_t file = OpenHdf5(h5, path);
    for (const std::string & linked : FilesOfLinks(h5, file, path, dataset.name))
    {
      sources.Tell(linked);
    }
    const hid_t object = h5.H5Dopen(file, dataset.name.c_str(), H5P_DEFAULT);
    if (object < 0)
    {
      FailHdf5(h5, "dataset " + Printable(dataset.name) + " cannot be opened");
    }
    sources.Check(object, dataset.name);
    send(nullptr, 0);
  };
  PipedChild child("the HDF5 library", work, Hdf5Library::Memory, Hdf5Library::Seconds, [&] { progress.Update(0); });
  for (PipedChild::Bytes bytes = child.Receive(); !bytes.empty(); bytes = child.Receive())
  {
    const Message message = Message::From(bytes);
    if (message.kind == Message::Kind::File)
    {
      dataset.files.push_back(message.file);
    }
    else if (message.kind == Message::Kind::Loop)
    {
      dataset.loop = message.loop;
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
