// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats/Hdf5Attributes.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"

#include <algorithm>
#include <cmath>

namespace brickccl::files
{

#ifdef BRICKCCL_USE_HDF5

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
  if (read(h5.TypeNamed("H5T_NATIVE_DOUBLE"), numbers.data()) < 0)
  {
    FailHdf5(h5, "its numbers cannot be read");
  }
  return numbers;
}

} // namespace

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

std::vector<std::string>
AttributeTexts(const Hdf5Library & h5, hid_t object, const char * name)
{
  if (h5.H5Aexists(object, name) <= 0)
  {
    return {};
  }
  const OpenAttribute open(h5, object, name);
  const auto &        type = open.type;
  const hssize_t      count = open.count;
  if (h5.H5Tget_class(type) != H5T_STRING || count < 1 || count > 64)
  {
    return {};
  }
  std::vector<std::string> texts(static_cast<std::size_t>(count));
  const auto               read = [&](void * output) {
    if (h5.H5Aread(open.attribute, type, output) < 0)
    {
      FailHdf5(h5, "its attribute " + Printable(name) + " cannot be read");
    }
  };
  if (h5.H5Tis_variable_str(type) > 0)
  {
    std::vector<char *> begins(texts.size(), nullptr);
    read(begins.data());
    std::transform(begins.begin(), begins.end(), texts.begin(), [](const char * text) {
      return text == nullptr ? std::string() : std::string(text);
    });
    return texts;
  }
  const std::size_t size = h5.H5Tget_size(type);
  std::string       all(size * texts.size(), '\0');
  read(all.data());
  for (std::size_t i = 0; i < texts.size(); ++i)
  {
    texts[i] = all.substr(i * size, size).c_str();
  }
  return texts;
}

std::string
AttributeText(const Hdf5Library & h5, hid_t object, const char * name)
{
  const auto texts = AttributeTexts(h5, object, name);
  return texts.size() == 1 ? texts[0] : "";
}

std::vector<std::string>
NamesOfScales(const Hdf5Library & h5, hid_t object)
{
  constexpr const char * name = "DIMENSION_LIST";
  if (h5.H5Aexists(object, name) <= 0)
  {
    return {};
  }
  const OpenAttribute open(h5, object, name);
  const auto &        type = open.type;
  const hssize_t      count = open.count;
  if (h5.H5Tget_class(type) != H5T_VLEN || count < 1 || count > 16)
  {
    return {};
  }
  const Hdf5Handle   member(h5.H5Tget_super(type), h5.H5Tclose);
  std::vector<hvl_t> lists(static_cast<std::size_t>(count));
  if (h5.H5Tequal(member, h5.TypeNamed("H5T_STD_REF_OBJ")) <= 0 || h5.H5Aread(open.attribute, type, lists.data()) < 0)
  {
    return {};
  }
  std::vector<std::string> names;
  for (const hvl_t & list : lists)
  {
    char path[1024] = {};
    if (list.len > 0)
    {
      h5.H5Rget_name(object, H5R_OBJECT, list.p, path, sizeof(path) - 1);
    }
    const std::string text = path;
    names.push_back(text.substr(text.rfind('/') + 1));
  }
  return names;
}

std::string
ValidityOf(const Hdf5Library & h5, hid_t object)
{
  std::string all;
  for (const std::string name : { "_FillValue", "missing_value", "valid_min", "valid_max", "valid_range" })
  {
    if (h5.H5Aexists(object, name.c_str()) <= 0)
    {
      continue;
    }
    auto       numbers = AttributeNumbers(h5, object, name.c_str());
    const bool isMissing = name == "_FillValue" || name == "missing_value";
    const auto end =
      std::remove_if(numbers.begin(), numbers.end(), [&](double number) { return isMissing && std::isnan(number); });
    if (end == numbers.begin() && !numbers.empty())
    {
      continue;
    }
    numbers.erase(end, numbers.end());
    all += (all.empty() ? "" : ", ") + name;
    for (const double number : numbers)
    {
      all += ' ' + Shortest(number);
    }
  }
  return all;
}

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

#endif

} // namespace brickccl::files
