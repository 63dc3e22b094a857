// Where an HDF5 file that another one names is found, by links of the latter too.

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Formats/Hdf5Datasets.h"
#include "BrickCCL/Files/Formats/Hdf5Library.h"

#ifdef BRICKCCL_USE_HDF5

#  include <cstdlib>
#  include <filesystem>
#  include <sstream>

namespace brickccl::files
{

namespace fs = std::filesystem;

std::vector<std::string>
PlacesOfSource(const char * variable, const std::string & name, const std::string & master)
{
  std::vector<std::string> places;
  const fs::path           folder = fs::absolute(master).parent_path();
  fs::path                 file(name);
  if (file.is_absolute())
  {
    places.push_back(name);
    file = file.filename();
  }
  const char *       prefixes = std::getenv(variable);
  std::istringstream list(prefixes == nullptr ? "" : prefixes);
  for (std::string prefix; std::getline(list, prefix, ':');)
  {
    const std::string origin = "${ORIGIN}";
    const bool        isBeside = prefix.compare(0, origin.size(), origin) == 0;
    places.push_back((fs::path(isBeside ? folder.string() + prefix.substr(origin.size()) : prefix) / file).string());
  }
  std::error_code failure;
  places.push_back((folder / file).string());
  places.push_back(file.string());
  places.push_back((fs::canonical(master, failure).parent_path() / file).string());
  return places;
}

bool
IsFileOfDisk(const std::string & place)
{
  std::error_code failure;
  const auto      kind = fs::status(place, failure).type();
  if (kind == fs::file_type::fifo || kind == fs::file_type::socket || kind == fs::file_type::character)
  {
    throw Error("its source " + Quoted(place) + " is not a regular file (but a pipe or a device)");
  }
  return kind == fs::file_type::regular;
}

std::vector<std::string>
FilesOfLinks(const Hdf5Library & h5, hid_t file, const std::string & path, const std::string & name, int maximumLinks)
{
  for (std::size_t end = 0; end != std::string::npos;)
  {
    end = name.find('/', end + 1);
    const std::string front = name.substr(0, end);
    const std::string rest = end == std::string::npos ? "" : name.substr(end);
    H5L_info_t        info = {};
    const bool        isThere = h5.H5Lget_info(file, front.c_str(), &info, H5P_DEFAULT) >= 0;
    if (!isThere && maximumLinks < MaximumLinks)
    {
      throw Error("its links lead to " + Quoted(path + "::" + front) + ", which does not exist");
    }
    if (!isThere || (info.type != H5L_TYPE_SOFT && info.type != H5L_TYPE_EXTERNAL))
    {
      continue;
    }
    if (maximumLinks == 0)
    {
      throw Error("the links to its dataset form a circle through " + Quoted(front));
    }
    std::string value(info.u.val_size + 1, '\0');
    h5.H5Lget_val(file, front.c_str(), value.data(), value.size(), H5P_DEFAULT);
    if (info.type == H5L_TYPE_SOFT)
    {
      const std::string group = value[0] == '/' ? "" : front.substr(0, front.rfind('/') + 1);
      return FilesOfLinks(h5, file, path, group + value.c_str() + rest, maximumLinks - 1);
    }
    const char * other = nullptr;
    const char * object = nullptr;
    if (h5.H5Lunpack_elink_val(value.data(), info.u.val_size, nullptr, &other, &object) < 0)
    {
      return {};
    }
    for (const std::string & place : PlacesOfSource("HDF5_EXT_PREFIX", other, path))
    {
      const Hdf5Handle opened(IsFileOfDisk(place) ? h5.H5Fopen(place.c_str(), 0, H5P_DEFAULT) : -1, h5.H5Fclose);
      if (opened.IsThere())
      {
        auto files =
          FilesOfLinks(h5, opened, place, (object[0] == '/' ? "" : "/") + std::string(object) + rest, maximumLinks - 1);
        files.insert(files.begin(), place);
        return files;
      }
    }
    throw Error("its link " + Quoted(front) + " leads to the file " + Quoted(other) +
                ", which is missing or not an HDF5 file");
  }
  return {};
}

} // namespace brickccl::files

#endif
