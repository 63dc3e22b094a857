// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/Formats/Hdf5Attributes.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/HeaderText.h"
#include "BrickCCL/Files/Settle.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

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

namespace
{

/** The group of a channel of Imaris, "/DataSet/ResolutionLevel 0/TimePoint 0/Channel 0", from the name of its dataset
 * of three axes; empty for other datasets. */
std::string
ChannelOfImaris(const std::string & name, const std::vector<std::uint64_t> & shape)
{
  const std::string data = "/Data";
  const bool        isOne = name.compare(0, 9, "/DataSet/") == 0 && shape.size() == 3 && name.size() > data.size() &&
                     name.compare(name.size() - data.size(), data.size(), data) == 0;
  return isOne ? name.substr(0, name.size() - data.size()) : "";
}

/** The text of an attribute of Imaris, where each letter is a text of its own. */
std::string
TextOfImaris(const Hdf5Library & h5, hid_t group, const std::string & attribute)
{
  std::string all;
  for (const std::string & text : AttributeTexts(h5, group, attribute.c_str()))
  {
    all += text;
  }
  return all;
}

/** The number in such a text; NaN if there is none. */
double
NumberOfImaris(const Hdf5Library & h5, hid_t group, const std::string & attribute)
{
  try
  {
    return RealNumber(Trimmed(TextOfImaris(h5, group, attribute)), attribute);
  }
  catch (const Error &)
  {
    return std::numeric_limits<double>::quiet_NaN();
  }
}

/** The number of voxels of an image along z, y or x (0, 1, 2) as Imaris says it; 0 if it does not. */
std::uint64_t
SizeOfImaris(const Hdf5Library & h5, hid_t channel, std::size_t axis)
{
  constexpr std::array<const char *, 3> attributes = { "ImageSizeZ", "ImageSizeY", "ImageSizeX" };
  const std::string                     digits = TextOfImaris(h5, channel, attributes[axis]);
  const bool                            isNumber =
    !digits.empty() && digits.size() <= 15 && digits.find_first_not_of("0123456789") == std::string::npos;
  return isNumber ? std::stoull(digits) : 0;
}

} // namespace

std::vector<double>
ElementSizeOfImaris(const Hdf5Library &                h5,
                    hid_t                              file,
                    const std::string &                name,
                    const std::vector<std::uint64_t> & shape)
{
  const std::string channel = ChannelOfImaris(name, shape);
  if (channel.empty())
  {
    return {};
  }
  const Hdf5Handle group(h5.H5Oopen(file, channel.c_str(), H5P_DEFAULT), h5.H5Oclose);
  const Hdf5Handle image(h5.H5Oopen(file, "/DataSetInfo/Image", H5P_DEFAULT), h5.H5Oclose);
  if (!group.IsThere() || !image.IsThere())
  {
    return {};
  }
  const std::string   unit = TextOfImaris(h5, image, "Unit");
  std::vector<double> sizes;
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    const std::string   number = std::to_string(2 - axis);
    const std::uint64_t stated = SizeOfImaris(h5, group, axis);
    const auto          voxels = static_cast<double>(stated == 0 ? shape[axis] : stated);
    const double length = NumberOfImaris(h5, image, "ExtMax" + number) - NumberOfImaris(h5, image, "ExtMin" + number);
    const double micrometers = length / voxels * (Millimeters(unit.empty() ? "um" : unit) / Millimeters("um"));
    // More voxels than are stored, and lengths that none has, are damaged.
    if (stated > shape[axis] || !(micrometers > 1e-30 && micrometers < 1e30))
    {
      return {};
    }
    sizes.push_back(micrometers);
  }
  return sizes;
}

std::string
NoteOnPaddingOfImaris(const Hdf5Library &                h5,
                      hid_t                              file,
                      const std::string &                name,
                      const std::vector<std::uint64_t> & shape)
{
  const std::string channel = ChannelOfImaris(name, shape);
  if (channel.empty())
  {
    return "";
  }
  const Hdf5Handle group(h5.H5Oopen(file, channel.c_str(), H5P_DEFAULT), h5.H5Oclose);
  std::string      stated;
  std::string      stored;
  bool             isPadded = false;
  for (std::size_t axis = 3; axis-- > 0;)
  {
    const std::uint64_t size = SizeOfImaris(h5, group, axis);
    if (size == 0)
    {
      return "";
    }
    isPadded = isPadded || size < shape[axis];
    stated += (stated.empty() ? "" : " x ") + std::to_string(size);
    stored += (stored.empty() ? "" : " x ") + std::to_string(shape[axis]);
  }
  return isPadded ? "Imaris says that the image has " + stated + " voxels (ImageSizeX, ImageSizeY, ImageSizeZ), but " +
                      stored + " are stored; the extra voxels pad chunks and are read like others"
                  : "";
}

#endif

} // namespace brickccl::files
