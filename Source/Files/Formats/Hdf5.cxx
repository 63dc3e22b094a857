// SPDX-License-Identifier: Apache-2.0
// HDF5: a dataset of numbers as an image, its last axis as x, as h5py and numpy have it.

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/Formats/Hdf5Datasets.h"
#include "BrickCCL/Files/Settle.h"
#include "BrickCCL/Files/Voxels.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace brickccl::files
{

#ifdef BRICKCCL_USE_HDF5

namespace
{

/** "/a (uint8, 4 x 5 x 6), /b (text)": at most 20. */
std::string
ListOf(const std::vector<Hdf5Dataset> & datasets)
{
  constexpr std::size_t limit = 20;
  std::string           text;
  for (std::size_t i = 0; i < std::min(limit, datasets.size()); ++i)
  {
    const Hdf5Dataset & dataset = datasets[i];
    text += (i == 0 ? "" : ", ") + Printable(dataset.name) + " (" + dataset.typeName +
            (dataset.shape.empty() ? "" : ", ") + SizesText(dataset.shape) + ")";
  }
  return text + (datasets.size() > limit ? " and " + std::to_string(datasets.size() - limit) + " more" : "");
}

constexpr const char * HowToName = "choose one: FILE.h5::/DATASET";

const Hdf5Dataset &
NamedDataset(const std::vector<Hdf5Dataset> & datasets, const std::string & name)
{
  const auto found =
    std::find_if(datasets.begin(), datasets.end(), [&](const Hdf5Dataset & each) { return each.name == name; });
  ThrowIf<InvalidArgument>(found == datasets.end(),
                           "it has no dataset " + Printable(name) +
                             (datasets.empty() ? ", nor any other one" : "; it has: " + ListOf(datasets)));
  ThrowIf<Unsupported>(!found->isNumbers || found->shape.empty(),
                       "its dataset " + Printable(name) + " holds " +
                         (found->isNumbers ? "a single number" : found->typeName) +
                         "; integers of 1, 2, 4 and 8 bytes and floats of 2, 4 and 8 bytes are read");
  return *found;
}

const Hdf5Dataset &
OnlyDataset(const std::vector<Hdf5Dataset> & datasets)
{
  std::vector<Hdf5Dataset>         images;
  std::vector<const Hdf5Dataset *> places;
  // Files may also contain tables and lists of numbers.
  for (const std::size_t leastAxes : { 2, 1 })
  {
    for (const Hdf5Dataset & dataset : datasets)
    {
      if (dataset.name == "/ITKImage/0/VoxelData" && dataset.isNumbers)
      {
        return dataset;
      }
      if (dataset.isNumbers && dataset.shape.size() >= leastAxes)
      {
        images.push_back(dataset);
        places.push_back(&dataset);
      }
    }
    if (!images.empty())
    {
      break;
    }
  }
  ThrowIf(images.empty(), "it has no numeric dataset" + (datasets.empty() ? "" : ", but " + ListOf(datasets)));
  ThrowIf<InvalidArgument>(images.size() > 1,
                           "it holds " + std::to_string(images.size()) +
                             " datasets that may be the image: " + ListOf(images) + "; " + HowToName);
  return *places[0];
}

/** The letters of vigra's names of axes, one for each axis of the dataset; empty if there are none. */
std::string
AxisLetters(const Hdf5Dataset & dataset)
{
  if (dataset.axisTags.empty())
  {
    return "";
  }
  const auto  tags = nlohmann::json::parse(dataset.axisTags, nullptr, false);
  std::string letters;
  if (tags.is_object() && tags.contains("axes") && tags["axes"].is_array())
  {
    for (const auto & axis : tags["axes"])
    {
      const auto key = axis.is_object() && axis.contains("key") ? axis["key"] : nlohmann::json();
      letters += key.is_string() && key.get<std::string>().size() == 1 ? key.get<std::string>()[0] : '?';
    }
  }
  ThrowIf(letters.size() != dataset.shape.size() || letters.find_first_not_of("tzyxc") != std::string::npos,
          "its attribute axistags does not name the " + std::to_string(dataset.shape.size()) + " axes of dataset " +
            Printable(dataset.name) + " by t, z, y, x and c");
  return letters;
}

ArrayAxes
AxesOfDataset(const Hdf5Dataset & dataset)
{
  std::string letters = AxisLetters(dataset);
  letters = letters.empty() ? std::string(dataset.shape.size(), '?') : letters;
  // ITK stores the channels of a voxel as one more axis, the last one.
  if (!dataset.spacing.empty() && dataset.spacing.size() + 1 == dataset.shape.size())
  {
    letters = std::string(dataset.spacing.size(), '?') + 'c';
  }
  return AxesOf(letters, dataset.shape, "axistags");
}

/** The geometry, from what ITK, Fiji and ilastik write. */
void
SetGeometry(const Hdf5Dataset & dataset, const ArrayAxes & axes, const ReadOptions & options, LoadedImage & image)
{
  const auto dimension = static_cast<std::size_t>(image.extent.dimension);
  if (!dataset.spacing.empty())
  {
    const std::size_t given = dataset.spacing.size();
    ThrowIf(given < dimension || dataset.origin.size() != given || dataset.directions.size() != given * given,
            "its Spacing, Origin and Directions have " + std::to_string(given) + ", " +
              std::to_string(dataset.origin.size()) + " and " + std::to_string(dataset.directions.size()) +
              " numbers, which do not fit an image of " + std::to_string(dimension) + " axes");
    double vectors[MaximumDimension][MaximumDimension] = {};
    for (std::size_t axis = 0; axis < dimension; ++axis)
    {
      for (std::size_t row = 0; row < dimension; ++row)
      {
        vectors[axis][row] = dataset.directions[axis * given + row] * dataset.spacing[axis];
      }
      image.geometry.origin[axis] = dataset.origin[axis];
    }
    SettleAxes(vectors, "directions", options, image);
    return;
  }
  image.spacingSource = "none";
  const std::size_t given = dataset.elementSize.size();
  // One for each axis, or only for z, y and x.
  const bool isOfAll = given == dataset.shape.size();
  if (given == 0 || (!isOfAll && given != std::min<std::size_t>(3, axes.places.size())))
  {
    return;
  }
  constexpr double millimeters = 1e-3;
  for (std::size_t axis = 0; axis < std::min<std::size_t>(dimension, 3); ++axis)
  {
    const std::size_t place = axes.places[axes.places.size() - 1 - axis];
    const double      size = dataset.elementSize[isOfAll ? place : given - 1 - axis];
    ThrowIf(!(size > 0 && std::isfinite(size)),
            "its element_size_um has the number " + Shortest(size) +
              "; they must be above 0 (set them with --spacing X Y Z)");
    image.geometry.spacing[axis] = size * millimeters;
  }
  image.spacingSource = "file";
}

void
CheckReadable(const Hdf5Dataset & dataset)
{
  ThrowIf<Unsupported>(
    dataset.name.compare(0, 10, "/minc-2.0/") == 0,
    "it is a MINC file, whose per-slice scaling is not supported; convert it, for example with mnc2nii");
  ThrowIf<Unsupported>(dataset.name.rfind("/DataSet/ResolutionLevel ", 0) == 0,
                       "it is an Imaris file, which pads its chunks; export it as TIFF");
  ThrowIf<Unsupported>(
    dataset.isElsewhere,
    "its dataset " + Printable(dataset.name) +
      " takes its values from other datasets or files, which is not supported; copy them into a plain "
      "dataset (in h5py: out['data'] = file['data'][:])");
  ThrowIf<Unsupported>(!dataset.convention.empty(),
                       "its dataset " + Printable(dataset.name) + " has the attribute " + dataset.convention +
                         ", which may change its values or axes; save the changed values, without the attribute");
}

} // namespace

#endif

bool
IsHdf5(const FileBytes & file)
{
  static const unsigned char signature[] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n' };
  // A block of a user's (MATLAB's) may come first.
  for (std::size_t place = 0; place + sizeof(signature) <= file.Size(); place = place == 0 ? 512 : 2 * place)
  {
    if (std::memcmp(file.Data() + place, signature, sizeof(signature)) == 0)
    {
      return true;
    }
  }
  return false;
}

DatasetPath::DatasetPath(const std::string & path)
{
  if (IsThere(path))
  {
    return;
  }
  // Names of datasets may have colons too.
  for (std::size_t colons = path.find("::"); file.empty() && colons != std::string::npos;
       colons = path.find("::", colons + 1))
  {
    if (IsRegularFile(path.substr(0, colons)))
    {
      file = path.substr(0, colons);
      name = path.substr(colons + 2);
    }
  }
  name.insert(0, !name.empty() && name[0] != '/' ? "/" : "");
}

#ifdef BRICKCCL_USE_HDF5

LoadedImage
ReadHdf5(const FileBytes & file, const ReadOptions & options)
{
  const auto  before = FileStamp::Of(file.Path());
  const auto  datasets = ListHdf5Datasets(file.Path(), options.dataset, options.progress);
  Hdf5Dataset dataset = options.dataset.empty() ? OnlyDataset(datasets) : NamedDataset(datasets, options.dataset);
  dataset.file = before;
  CheckReadable(dataset);
  const ArrayAxes axes = AxesOfDataset(dataset);
  LoadedImage     image;
  image.inParts = options.inParts;
  image.part = Printable(dataset.name);
  image.type = dataset.type;
  image.notes = axes.notes;
  image.channels = axes.channels;
  image.extent = SettleExtent(axes.sizes);
  SetGeometry(dataset, axes, options, image);
  CheckHdf5Chunks(dataset, options.progress);
  TellHeader(options, image);
  if (dataset.offset != 0)
  {
    TakeStored(file, dataset.offset, false, options.Context(), image);
    return image;
  }
  const auto read = [=](const ArraySlices & slices, const HostContext & context, std::byte * output) {
    ReadHdf5(dataset, slices, context, output);
  };
  TakeSlices(dataset.shape, dataset.chunk, options, read, image);
  return image;
}

#else

LoadedImage
ReadHdf5(const FileBytes &, const ReadOptions &)
{
  throw Unsupported("this program was built without the HDF5 library; convert the file to another format");
}

#endif

} // namespace brickccl::files
