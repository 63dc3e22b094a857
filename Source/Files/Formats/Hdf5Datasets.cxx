// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats/Hdf5Datasets.h"

#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Formats/Hdf5Library.h"
#include "BrickCCL/Files/Isolation/PipedChild.h"
#include "BrickCCL/Files/Settle.h"

#include <nlohmann/json.hpp>

namespace brickccl::files
{

#ifdef BRICKCCL_USE_HDF5

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Hdf5Dataset,
                                   name,
                                   typeName,
                                   isNumbers,
                                   type,
                                   shape,
                                   chunk,
                                   offset,
                                   isElsewhere,
                                   axisTags,
                                   elementSize,
                                   convention,
                                   spacing,
                                   origin,
                                   directions)

namespace
{

/** An attribute of an object, which must be there, with its space and type. */
struct OpenAttribute
{
  Hdf5Handle attribute;
  Hdf5Handle space;
  Hdf5Handle type;
  hssize_t   count;

  OpenAttribute(const Hdf5Library & h5, hid_t object, const char * name)
    : attribute(h5.H5Aopen(object, name, H5P_DEFAULT), h5.H5Aclose)
    , space(h5.H5Aget_space(attribute), h5.H5Sclose)
    , type(h5.H5Aget_type(attribute), h5.H5Tclose)
    , count(h5.H5Sget_simple_extent_npoints(space))
  {}
};

/** The numbers of an attribute or dataset that `read` reads as doubles; none unless there are 1 to 16. */
template <typename TRead>
std::vector<double>
NumbersOf(const Hdf5Library & h5, hid_t space, hid_t type, TRead read)
{
  const hssize_t    count = h5.H5Sget_simple_extent_npoints(space);
  const H5T_class_t kind = h5.H5Tget_class(type);
  if (count < 1 || count > 16 || (kind != H5T_INTEGER && kind != H5T_FLOAT))
  {
    return {};
  }
  std::vector<double> numbers(static_cast<std::size_t>(count));
  FailHdf5If(read(h5.TypeOf(ScalarType::Float64), numbers.data()) < 0, h5, "its numbers cannot be read");
  return numbers;
}

/** The numbers of an attribute; none unless there are 1 to 16. */
std::vector<double>
AttributeNumbers(const Hdf5Library & h5, hid_t object, const char * name)
{
  if (h5.H5Aexists(object, name) <= 0)
  {
    return {};
  }
  const OpenAttribute open(h5, object, name);
  return NumbersOf(h5, open.space, open.type, [&](hid_t as, void * output) {
    return h5.H5Aread(open.attribute, as, output);
  });
}

/** The text of an attribute; empty if there is not just one. */
std::string
AttributeText(const Hdf5Library & h5, hid_t object, const char * name)
{
  if (h5.H5Aexists(object, name) <= 0)
  {
    return {};
  }
  const OpenAttribute open(h5, object, name);
  if (h5.H5Tget_class(open.type) != H5T_STRING || open.count != 1)
  {
    return {};
  }
  const bool  isPointer = h5.H5Tis_variable_str(open.type) > 0;
  char *      text = nullptr;
  std::string own(h5.H5Tget_size(open.type), '\0');
  FailHdf5If(h5.H5Aread(open.attribute, open.type, isPointer ? static_cast<void *>(&text) : own.data()) < 0,
             h5,
             "its attribute " + Printable(name) + " cannot be read");
  return isPointer ? (text == nullptr ? "" : text) : own.c_str();
}

/** The numbers of a small dataset; none unless there are 1 to 16. */
std::vector<double>
DatasetNumbers(const Hdf5Library & h5, hid_t file, const std::string & name)
{
  const Hdf5Handle object(h5.H5Dopen(file, name.c_str(), H5P_DEFAULT), h5.H5Dclose);
  if (!object.IsThere())
  {
    return {};
  }
  const Hdf5Handle space(h5.H5Dget_space(object), h5.H5Sclose);
  const Hdf5Handle type(h5.H5Dget_type(object), h5.H5Tclose);
  return NumbersOf(h5, space, type, [&](hid_t as, void * output) {
    return h5.H5Dread(object, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, output);
  });
}

/** Says what a type is. Enumerations (h5py's Booleans) are their numbers. */
void
DescribeType(const Hdf5Library & h5, hid_t type, Hdf5Dataset & dataset)
{
  const H5T_class_t kind = h5.H5Tget_class(type);
  if (kind == H5T_ENUM)
  {
    const Hdf5Handle numbers(h5.H5Tget_super(type), h5.H5Tclose);
    DescribeType(h5, numbers, dataset);
    return;
  }
  const std::size_t size = h5.H5Tget_size(type);
  if (kind == H5T_INTEGER && (size == 1 || size == 2 || size == 4 || size == 8))
  {
    const bool isSigned = h5.H5Tget_sign(type) != H5T_SGN_NONE;
    dataset.isNumbers = true;
    dataset.type = IntegerType(size, isSigned);
    dataset.typeName = NameOf(dataset.type);
    return;
  }
  if (kind == H5T_FLOAT && (size == 2 || size == 4 || size == 8))
  {
    dataset.isNumbers = true;
    dataset.type = size == 8 ? ScalarType::Float64 : ScalarType::Float32;
    dataset.typeName = size == 2 ? "float16" : NameOf(dataset.type);
    return;
  }
  dataset.typeName = kind == H5T_INTEGER  ? "integers of " + std::to_string(size) + " bytes"
                   : kind == H5T_FLOAT    ? "floats of " + std::to_string(size) + " bytes"
                   : kind == H5T_STRING   ? "text"
                   : kind == H5T_COMPOUND ? "records or complex numbers"
                   : kind == H5T_ARRAY    ? "arrays"
                   : kind == H5T_VLEN     ? "lists"
                   : kind == H5T_BITFIELD ? "bits"
                                          : "no numbers";
}

void
DescribeStorage(const Hdf5Library & h5, hid_t file, hid_t object, hid_t type, Hdf5Dataset & dataset)
{
  const auto fileOf = [&](hid_t each) {
    std::string path(4096, '\0');
    h5.H5Fget_name(each, path.data(), path.size());
    return path;
  };
  const Hdf5Handle   list(h5.H5Dget_create_plist(object), h5.H5Pclose);
  const H5D_layout_t layout = h5.H5Pget_layout(list);
  dataset.isElsewhere = layout == H5D_VIRTUAL || h5.H5Pget_external_count(list) != 0 || fileOf(file) != fileOf(object);
  if (layout == H5D_CHUNKED)
  {
    std::vector<hsize_t> chunk(dataset.shape.size());
    FailHdf5If(h5.H5Pget_chunk(list, static_cast<int>(chunk.size()), chunk.data()) != static_cast<int>(chunk.size()),
               h5,
               "the chunks of dataset " + Printable(dataset.name) + " cannot be read");
    dataset.chunk.assign(chunk.begin(), chunk.end());
  }
  const bool isAsInMemory = h5.H5Tequal(type, h5.TypeOf(dataset.type)) > 0;
  if (layout == H5D_CONTIGUOUS && isAsInMemory)
  {
    const haddr_t offset = h5.H5Dget_offset(object);
    dataset.offset = offset == HADDR_UNDEF ? 0 : offset;
  }
}

Hdf5Dataset
Describe(const Hdf5Library & h5, hid_t file, hid_t object, const std::string & name)
{
  Hdf5Dataset      dataset;
  const Hdf5Handle space(h5.H5Dget_space(object), h5.H5Sclose);
  const Hdf5Handle type(h5.H5Dget_type(object), h5.H5Tclose);
  dataset.name = name;
  dataset.shape = h5.ShapeOf(space);
  DescribeType(h5, type, dataset);
  if (!dataset.isNumbers || dataset.shape.empty())
  {
    return dataset;
  }
  DescribeStorage(h5, file, object, type, dataset);
  dataset.axisTags = AttributeText(h5, object, "axistags");
  dataset.elementSize = AttributeNumbers(h5, object, "element_size_um");
  for (const char * const attribute : AttributesOfValues)
  {
    dataset.convention = h5.H5Aexists(object, attribute) > 0 ? attribute : dataset.convention;
  }
  const std::string ofItk = "/VoxelData";
  if (name.compare(0, 10, "/ITKImage/") == 0 && name.size() > ofItk.size() &&
      name.compare(name.size() - ofItk.size(), ofItk.size(), ofItk) == 0)
  {
    const std::string group = name.substr(0, name.size() - ofItk.size());
    dataset.spacing = DatasetNumbers(h5, file, group + "/Spacing");
    dataset.origin = DatasetNumbers(h5, file, group + "/Origin");
    dataset.directions = DatasetNumbers(h5, file, group + "/Directions");
  }
  return dataset;
}

} // namespace

std::vector<Hdf5Dataset>
ListHdf5Datasets(const std::string & path, const std::string & also, const Progress & progress)
{
  const Hdf5Library & h5 = Hdf5Library::Get();
  const auto          work = [&](const PipedChild::Send & send) {
    const Hdf5Handle         file(OpenHdf5(h5, path), h5.H5Fclose);
    std::vector<std::string> names;
    const auto               visit = [](hid_t, const char * name, const H5O_info_t * info, void * list) -> herr_t {
      if (info->type == H5O_TYPE_DATASET)
      {
        static_cast<std::vector<std::string> *>(list)->push_back(std::string("/") + name);
      }
      return 0;
    };
    FailHdf5If(h5.H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, visit, &names) < 0, h5, "its datasets cannot be listed");
    names.push_back(also);
    for (const std::string & name : names)
    {
      const Hdf5Handle object(name.empty() ? -1 : h5.H5Dopen(file, name.c_str(), H5P_DEFAULT), h5.H5Dclose);
      if (object.IsThere())
      {
        const PipedChild::Bytes bytes = nlohmann::json::to_cbor(Describe(h5, file, object, name));
        send(bytes.data(), bytes.size());
      }
      else if (&name != &names.back())
      {
        FailHdf5If(true, h5, "dataset " + Printable(name) + " cannot be opened");
      }
    }
    send(nullptr, 0);
  };
  PipedChild child("the HDF5 library", work, Hdf5Library::Memory, Hdf5Library::Seconds, [&] { progress.Update(0); });
  std::vector<Hdf5Dataset> datasets;
  for (PipedChild::Bytes bytes = child.Receive(); !bytes.empty(); bytes = child.Receive())
  {
    datasets.push_back(nlohmann::json::from_cbor(bytes).get<Hdf5Dataset>());
  }
  return datasets;
}

#endif

} // namespace brickccl::files
