// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Core/TextLists.h"
#include "BrickCCL/Files/ErrorContext.h"
#include "BrickCCL/Files/Formats/DicomPlanes.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/PartialVoxels.h"
#include "BrickCCL/Files/SliceNames.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>

namespace brickccl::files
{

using namespace dicom;

namespace
{

struct FoundFile
{
  std::string path;
  /** The file's path within the folder. */
  std::string name;
};

std::vector<FoundFile>
FilesBelow(const std::string & folder)
{
  std::vector<FoundFile> files;
  for (const auto & entry : std::filesystem::recursive_directory_iterator(folder))
  {
    // A link to a file that is gone is an error when it is read: it may be a slice.
    if (entry.is_regular_file() || entry.status().type() == std::filesystem::file_type::not_found)
    {
      files.push_back({ entry.path().generic_string(), entry.path().lexically_relative(folder).generic_string() });
    }
  }
  return files;
}

/** Whether files of a class must have pixels, so that a file without them is cut. */
bool
IsImageClass(const std::string & uid)
{
  // These numbers, below the root of the storage classes, mean images of computed radiography, CT, ultrasound,
  // magnetic resonance (not spectroscopy), secondary capture, X rays, nuclear medicine, segmentations, PET and dose.
  static constexpr const char * Numbers[] = { "1",     "1.1",    "1.1.1",  "1.2",    "1.2.1", "1.3",  "1.3.1", "2",
                                              "2.1",   "2.2",    "3.1",    "4",      "4.1",   "4.3",  "4.4",   "6.1",
                                              "6.2",   "7",      "7.1",    "7.2",    "7.3",   "7.4",  "12.1",  "12.1.1",
                                              "12.2",  "13.1.1", "13.1.2", "13.1.3", "20",    "66.4", "66.7",  "128",
                                              "128.1", "130",    "481.1",  "481.2" };
  static const std::string      root = "1.2.840.10008.5.1.4.1.1.";
  return uid.compare(0, root.size(), root) == 0 &&
         std::find(std::begin(Numbers), std::end(Numbers), uid.substr(root.size())) != std::end(Numbers);
}

struct ImageFile
{
  File        file;
  std::string name;
};

/** Reads a header. Returns no image if it is not DICOM. \throws Error that names the file if it is damaged. */
std::optional<ImageFile>
LookAt(const FoundFile & found)
{
  const std::string name = Quoted(found.name);
  return WithContext(name + ": ", [&]() -> std::optional<ImageFile> {
    const FileBytes bytes = FileBytes::Map(found.path);
    if (!IsDicom(bytes))
    {
      return std::nullopt;
    }
    ImageFile image;
    try
    {
      image.file = File(bytes);
    }
    catch (const Error &)
    {
      // A file without a preamble may be something else that begins like DICOM.
      if (HasPreamble(bytes))
      {
        throw;
      }
      return std::nullopt;
    }
    image.name = name;
    const DataSet & data = image.file.data;
    ThrowIf(image.file.pixels == nullptr && (data.Has(tags::Rows) || IsImageClass(data.Text(tags::SopClass))),
            "the file is truncated: it ends before its pixel data");
    return image.file.pixels == nullptr ? std::nullopt : std::optional<ImageFile>(std::move(image));
  });
}

struct Series
{
  std::string            uid;
  std::int64_t           number = 0;
  std::int64_t           frames = 0;
  std::vector<ImageFile> files;
};

std::vector<Series>
SeriesOf(const std::vector<FoundFile> & found, const ReadOptions & options)
{
  std::vector<std::optional<ImageFile>> images(found.size());
  const HostContext                     context = options.Context().Part(0, ShareOfLooking);
  ParallelFor(static_cast<std::int64_t>(found.size()), context, [&](std::int64_t i) {
    const auto index = static_cast<std::size_t>(i);
    images[index] = LookAt(found[index]);
    if (images[index] && options.inParts)
    {
      Forget(images[index]->file.bytes);
    }
  });
  std::map<std::string, Series> byUid;
  for (std::optional<ImageFile> & image : images)
  {
    if (!image)
    {
      continue;
    }
    WithContext(image->name + ": ", [&] {
      const DataSet & data = image->file.data;
      Series &        series = byUid[data.Text(tags::SeriesUid)];
      series.uid = data.Text(tags::SeriesUid);
      series.number = data.Whole(tags::SeriesNumber).value_or(0);
      series.frames += std::max<std::int64_t>(1, data.Whole(tags::Frames).value_or(1));
      if (options.inParts)
      {
        Forget(image->file.bytes);
      }
      series.files.push_back(std::move(*image));
    });
  }
  std::vector<Series> all;
  for (auto & [uid, series] : byUid)
  {
    all.push_back(std::move(series));
  }
  std::sort(all.begin(), all.end(), [](const Series & a, const Series & b) {
    return a.number != b.number ? a.number < b.number : a.uid < b.uid;
  });
  return all;
}

std::string
ListSeries(const std::vector<Series> & all)
{
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i)
  {
    const DataSet & data = all[i].files[0].file.data;
    text += "\n  " + std::to_string(i + 1) + ": " + (all[i].uid.empty() ? "(no UID)" : all[i].uid) + "  " +
            data.Text(tags::Modality) + "  " + Quoted(data.Text(tags::SeriesDescription)) + "  " +
            std::to_string(all[i].frames) + (all[i].frames == 1 ? " slice" : " slices");
  }
  return text;
}

Series
ChooseSeries(std::vector<Series> all, const std::string & choice)
{
  if (choice.empty() && all.size() == 1)
  {
    return std::move(all[0]);
  }
  for (std::size_t i = 0; i < all.size() && !choice.empty(); ++i)
  {
    if (all[i].uid == choice || std::to_string(i + 1) == choice)
    {
      return std::move(all[i]);
    }
  }
  throw Error(choice.empty() ? "it holds " + std::to_string(all.size()) +
                                 " DICOM series; choose one by --series and its number or UID:" + ListSeries(all)
                             : "it holds no series " + Quoted(choice) + ", but" + ListSeries(all));
}

} // namespace

/** A name with # for each number: files of a series often differ in nothing else. */
static std::string
WithoutNumbers(const std::string & name)
{
  std::string kind;
  for (const char letter : name)
  {
    const bool isDigit = std::isdigit(static_cast<unsigned char>(letter)) != 0;
    if (!isDigit || kind.empty() || kind.back() != '#')
    {
      kind += isDigit ? '#' : letter;
    }
  }
  return kind;
}

/** Files that are named like a series but are not DICOM are damaged slices.
 *  \throws Error, or notes them if irregular slices are accepted */
static void
CheckOthers(const std::vector<FoundFile> & found,
            const Series &                 series,
            const ReadOptions &            options,
            std::vector<std::string> &     notes)
{
  std::set<std::string> kinds;
  std::set<std::string> own;
  for (const ImageFile & file : series.files)
  {
    const std::string name = file.name.substr(1, file.name.size() - 2);
    own.insert(name);
    kinds.insert(WithoutNumbers(name));
  }
  for (const FoundFile & file : found)
  {
    if (own.count(file.name) != 0 || kinds.count(WithoutNumbers(file.name)) == 0)
    {
      continue;
    }
    const FileBytes bytes = FileBytes::Map(file.path);
    if (!IsDicom(bytes))
    {
      const std::string what =
        Quoted(file.name) + " is named like the slices, but " +
        (bytes.Size() == 0 ? "is empty" : "is not a DICOM file; it is damaged or something else");
      ThrowIf(!options.acceptIrregularSlices,
              what + "; complete the series, remove the file, or skip it with --accept-irregular-slices");
      notes.push_back(what + "; it is skipped");
    }
  }
}

/** The volume of a file, or of the files of a series. Names are empty if there is one file only. */
static LoadedImage
ReadFiles(std::vector<ImageFile> files, std::vector<std::string> notes, const ReadOptions & options)
{
  std::vector<Plane> planes;
  for (ImageFile & file : files)
  {
    const std::string name = file.name;
    const std::string context = name.empty() ? "" : name + ": ";
    const bool        isSegmentation = IsSegmentation(file.file);
    ThrowIf<Unsupported>(isSegmentation && files.size() > 1,
                         "its series has " + std::to_string(files.size()) + " files that are segmentations (" + name +
                           "); read them one at a time");
    const auto source =
      WithContext(context, [&] { return OpenSource(std::move(file.file), name.empty() ? "" : "slice " + name); });
    if (isSegmentation)
    {
      return WithContext(context, [&] { return ReadSegmentation(source, options); });
    }
    const std::vector<Plane> ofFile = WithContext(context, [&] { return PlanesOf(source, notes); });
    planes.insert(planes.end(), ofFile.begin(), ofFile.end());
    if (options.inParts)
    {
      Forget(source->file.bytes);
    }
  }
  return StackPlanes(std::move(planes), files.size() > 1, std::move(notes), options);
}

static LoadedImage
ReadDicomSeries(std::vector<FoundFile> found, const ReadOptions & options)
{
  std::sort(found.begin(), found.end(), [](const FoundFile & a, const FoundFile & b) {
    return NaturallyBefore(a.name, b.name);
  });
  std::vector<Series> all = SeriesOf(found, options);
  ThrowIf(all.empty(), "there are DICOM files, but none with an image");
  Series                   series = ChooseSeries(std::move(all), options.series);
  std::vector<std::string> notes;
  CheckOthers(found, series, options, notes);
  auto        paths = Mapped(series.files, [](const ImageFile & file) { return file.file.bytes.Path(); });
  LoadedImage image = ReadFiles(std::move(series.files), std::move(notes), options);
  image.files = std::move(paths);
  return image;
}

bool
IsDicom(const FileBytes & file)
{
  return HasPreamble(file) || BeginsLikeDataSet(file);
}

LoadedImage
ReadDicom(const FileBytes & file, const ReadOptions & options)
{
  std::vector<ImageFile> files(1);
  files[0].file = File(file);
  return ReadFiles(std::move(files), {}, options);
}

LoadedImage
ReadDicomFolder(const std::string & path, const ReadOptions & options)
{
  return ReadDicomSeries(FilesBelow(path), options);
}

LoadedImage
ReadDicomFiles(const std::vector<std::string> & paths, const ReadOptions & options)
{
  return ReadDicomSeries(Mapped(paths,
                                [](const std::string & path) {
                                  return FoundFile{ path, std::filesystem::path(path).filename().string() };
                                }),
                         options);
}

std::vector<DicomSeriesFiles>
ListDicomSeries(const std::vector<std::string> & paths)
{
  std::map<std::string, DicomSeriesFiles> byUid;
  std::vector<DicomSeriesFiles>           all;
  for (const std::string & path : paths)
  {
    try
    {
      const std::optional<ImageFile> image = LookAt({ path, path });
      if (image)
      {
        const DataSet &    data = image->file.data;
        const std::string  uid = data.Text(tags::SeriesUid);
        DicomSeriesFiles & series = byUid[uid];
        series.uid = uid;
        series.description = data.Text(tags::SeriesDescription);
        series.files.push_back(path);
      }
    }
    catch (const Error &)
    {
      all.push_back({ "", "", { path }, true });
    }
  }
  for (auto & [uid, series] : byUid)
  {
    std::sort(series.files.begin(), series.files.end(), NaturallyBefore);
    all.push_back(std::move(series));
  }
  return all;
}

bool
HoldsDicom(const std::string & path)
{
  for (const FoundFile & file : FilesBelow(path))
  {
    try
    {
      const FileBytes bytes = FileBytes::Map(file.path);
      if (HasPreamble(bytes) || (BeginsLikeDataSet(bytes) && File(bytes).data.Has(tags::SopClass)))
      {
        return true;
      }
    }
    catch (const Error &)
    {
      // A file that cannot be read gives its error when it is read.
      continue;
    }
  }
  return false;
}

} // namespace brickccl::files
