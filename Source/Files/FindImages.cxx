// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Files/FindImages.h"

#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/FilePattern.h"
#include "BrickCCL/Files/Formats.h"
#include "BrickCCL/Files/SliceNames.h"
#include "BrickCCL/Files/Formats/TiffPages.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace brickccl
{

namespace fs = std::filesystem;
using namespace files;

namespace
{

struct ListedFile
{
  std::string path;
  /** Its path from the folder that was searched. */
  std::string name;
  /** Whether it is not from a folder. */
  bool isInput = false;
};

/** Extensions of formats whose data and headers are files of their own. */
constexpr std::pair<const char *, const char *> DataAndHeaders[] = { { ".img.gz", ".hdr.gz" }, { ".img", ".hdr" } };

/** All files of the inputs, each once. */
class FileList
{
public:
  /** \param marked  gets the folders inside the inputs that are marked */
  FileList(const FindImagesOptions & options, std::vector<std::string> & marked)
    : m_IsMarked(options.isMarked)
    , m_Marked(marked)
  {
    for (const std::string & folder : options.leftOut)
    {
      m_LeftOut.insert(PlaceOf(folder));
    }
  }

  void
  Add(const std::string & input)
  {
    m_Inputs.push_back({ input, {} });
    if (IsThere(input))
    {
      AddPath(input);
      return;
    }
    const auto matches = IsFilePattern(input) ? FilesOfPattern(input) : std::vector<std::string>();
    ThrowIf(matches.empty(), "there is no input " + Quoted(input) + ": no file, folder or file pattern matches it");
    for (const std::string & match : matches)
    {
      AddPath(match);
    }
  }

  /** \throws Error if there is an input that no image comes from. \param taken  the files of all images */
  void
  CheckInputs(const std::vector<FoundImage> & images) const
  {
    std::set<std::string> taken;
    for (const FoundImage & image : images)
    {
      for (const std::string & file : image.files)
      {
        taken.insert(PlaceOf(file));
        // Both files of a pair are one image.
        for (const auto & [data, header] : DataAndHeaders)
        {
          if (HasExtension(file, header))
          {
            taken.insert(PlaceOf(file.substr(0, file.size() - std::string(header).size()) + data));
          }
        }
      }
    }
    for (const Input & input : m_Inputs)
    {
      const auto isTaken = [&](const std::string & place) { return taken.count(place) == 1; };
      if (std::none_of(input.places.begin(), input.places.end(), isTaken))
      {
        const std::string header = IsRegularFile(input.name) ? HeaderNextTo(input.name) : "";
        ThrowIf(!header.empty(),
                Quoted(input.name) + " is next to its header " + Quoted(header) + "; name the header instead");
        throw Error("no image comes from the input " + Quoted(input.name) +
                    "; formats that are read: " + ReadableFormats() + ", and raw voxels with input.raw in the recipe");
      }
    }
  }

  std::vector<ListedFile>
  Take()
  {
    std::sort(m_Files.begin(), m_Files.end(), [](const ListedFile & a, const ListedFile & b) {
      return a.name != b.name ? NaturallyBefore(a.name, b.name) : NaturallyBefore(a.path, b.path);
    });
    return std::move(m_Files);
  }

private:
  static std::string
  PlaceOf(const fs::path & path)
  {
    std::error_code ignored;
    return fs::weakly_canonical(fs::absolute(path, ignored), ignored).string();
  }

  void
  AddPath(const std::string & path)
  {
    std::error_code failure;
    if (!fs::is_directory(path, failure))
    {
      ThrowIf(!fs::is_regular_file(path, failure), "the input " + Quoted(path) + " is neither a file nor a folder");
      AddFile(path, fs::path(path).filename().string(), true);
    }
    else if (HasMark(path))
    {
      throw Error("the input " + Quoted(path) +
                  " holds the results of a batch; name the files or folders in it to use");
    }
    else if (const std::string header = ZarrHeader(path); !header.empty())
    {
      AddFile(header, (fs::path(path) / "").parent_path().filename().string(), true);
    }
    else
    {
      AddFolder(path);
    }
  }

  bool
  HasMark(const fs::path & folder) const
  {
    return m_IsMarked && m_IsMarked(folder.generic_string());
  }

  void
  AddFile(const fs::path & path, const std::string & name, bool isInput = false)
  {
    m_Inputs.back().places.push_back(PlaceOf(path));
    if (m_Seen.insert(PlaceOf(path)).second)
    {
      m_Files.push_back({ path.generic_string(), name, isInput });
    }
  }

  void
  AddFolder(const std::string & folder)
  {
    try
    {
      for (auto entry = fs::recursive_directory_iterator(folder); entry != fs::recursive_directory_iterator(); ++entry)
      {
        const fs::path      path = entry->path();
        const bool          isHidden = path.filename().string()[0] == '.';
        std::error_code     unclear;
        const fs::file_type type = entry->status(unclear).type();
        if (type == fs::file_type::directory)
        {
          const bool isLeftOut = m_LeftOut.count(PlaceOf(path)) == 1;
          if (!isHidden && !isLeftOut && HasMark(path))
          {
            m_Marked.push_back(path.generic_string());
          }
          const std::string header = isHidden || isLeftOut ? "" : ZarrHeader(path.generic_string());
          if (!header.empty())
          {
            AddFile(header, path.lexically_relative(folder).generic_string());
          }
          if (isHidden || isLeftOut || !header.empty() || HasMark(path))
          {
            entry.disable_recursion_pending();
          }
        }
        // A link to a file that is gone, or to itself, is found as well, and its error comes when it is read.
        else if (!isHidden && (unclear || type == fs::file_type::regular || type == fs::file_type::not_found))
        {
          AddFile(path, path.lexically_relative(folder).generic_string());
        }
      }
    }
    catch (const fs::filesystem_error & error)
    {
      throw Error("cannot search " + Quoted(folder) + ": " + error.code().message());
    }
  }

  struct Input
  {
    std::string              name;
    std::vector<std::string> places;
  };

  std::function<bool(const std::string &)> m_IsMarked;
  std::vector<std::string> &               m_Marked;
  std::vector<Input>                       m_Inputs;

  std::set<std::string>   m_LeftOut;
  std::set<std::string>   m_Seen;
  std::vector<ListedFile> m_Files;
};

/** Whether a file is a slice image. A damaged one may be: without it, a stack would be judged as if it were whole. */
bool
IsSliceImage(const std::string & path)
{
  if (HasExtension(path, ".png .jpg .jpeg .bmp"))
  {
    return true;
  }
  try
  {
    if (!HasExtension(path, ".tif .tiff"))
    {
      return false;
    }
    const TiffPages pages = ReadTiffPages(FileBytes::Map(path));
    // ImageJ writes stacks of more than 4 GB with only the directory of their first slice.
    return pages.pages.size() == 1 && pages.description.find("images=") == std::string::npos;
  }
  catch (const Error &)
  {
    return true;
  }
}

/** Whether a file is the second one of a pair whose header is there too. */
bool
IsDataOfPair(const std::string & path)
{
  return std::any_of(std::begin(DataAndHeaders), std::end(DataAndHeaders), [&](const auto & pair) {
    return HasExtension(path, pair.first) &&
           IsThere(path.substr(0, path.size() - std::string(pair.first).size()) + pair.second);
  });
}

/** Whether a file holds raw voxels that FindImagesOptions::raw describes. */
bool
IsRaw(const ListedFile & file, const FindImagesOptions & options)
{
  const bool isNamed = HasExtension(file.path, RawExtensions);
  const bool isOther = file.isInput && FormatOfName(file.path) == nullptr;
  return !options.raw.empty() && (isNamed || isOther) && HeaderNextTo(file.path).empty();
}

bool
LooksLikeDicom(const std::string & path)
{
  try
  {
    return IsDicom(FileBytes::Map(path));
  }
  catch (const Error &)
  {
    return false;
  }
}

void
AddSeries(const std::vector<ListedFile> & listed, std::vector<FoundImage> & images)
{
  std::map<std::string, std::string> names;
  std::vector<std::string>           paths;
  for (const ListedFile & file : listed)
  {
    names.emplace(file.path, file.name);
    paths.push_back(file.path);
  }
  for (DicomSeriesFiles & series : ListDicomSeries(paths))
  {
    const std::string first = names[series.files.front()];
    FoundImage        image;
    if (series.isDamaged)
    {
      image.name = WithoutExtension(first);
    }
    else
    {
      image.kind = FoundImage::Kind::DicomSeries;
      image.series = series.uid;
      const std::string folder = fs::path(first).parent_path().generic_string();
      image.name = folder + (folder.empty() ? "" : "/") + (series.description.empty() ? "series" : series.description) +
                   " " + series.uid;
    }
    image.files = std::move(series.files);
    images.push_back(std::move(image));
  }
}

} // namespace

std::string
WithoutExtension(const std::string & name)
{
  std::string extension = ExtensionOf(name, RawExtensions);
  for (const Format & format : AllFormats())
  {
    extension = extension.empty() ? ExtensionOf(name, format.extensions) : extension;
  }
  return name.substr(0, name.size() - extension.size());
}

FoundImages
FindImages(const std::vector<std::string> & inputs, const FindImagesOptions & options)
{
  FoundImages found;
  FileList    list(options, found.markedFolders);
  for (const std::string & input : inputs)
  {
    list.Add(input);
  }
  std::vector<ListedFile>           dicom;
  std::map<std::string, FoundImage> stacks;
  for (const ListedFile & file : list.Take())
  {
    const Format * const format = FormatOfName(file.name);
    const bool           isRaw = IsRaw(file, options);
    const bool           isNamedDicom = format != nullptr && format->recognizes == IsDicom;
    if (isNamedDicom || (format == nullptr && LooksLikeDicom(file.path)))
    {
      dicom.push_back(file);
    }
    else if ((format == nullptr && !isRaw) || IsDataOfPair(file.path))
    {
      HeaderNextTo(file.path).empty() ? found.ignored.push_back(file.path) : void();
    }
    else if (options.slicesAreVolumes && (isRaw ? HasSlicesOfRaw(options.raw) : IsSliceImage(file.path)))
    {
      const std::string folder = fs::path(file.path).parent_path().generic_string();
      FoundImage &      stack = stacks[folder];
      stack.kind = FoundImage::Kind::SliceImages;
      // The folder's name is more useful than a slice's, unless it is the searched folder.
      const std::string own = fs::path(file.name).parent_path().generic_string();
      stack.name = own.empty() ? fs::path(folder).filename().string() : own;
      stack.files.push_back(file.path);
    }
    else
    {
      found.images.push_back({ FoundImage::Kind::File, WithoutExtension(file.name), { file.path }, "", "" });
    }
  }
  AddSeries(dicom, found.images);
  for (auto & [folder, stack] : stacks)
  {
    if (stack.files.size() == 1)
    {
      stack.kind = FoundImage::Kind::File;
      stack.name = WithoutExtension(fs::path(stack.files[0]).filename().string());
    }
    stack.problem = ProblemOfSliceNames(stack.files);
    found.images.push_back(std::move(stack));
  }
  list.CheckInputs(found.images);
  std::stable_sort(found.images.begin(), found.images.end(), [](const FoundImage & a, const FoundImage & b) {
    return a.name != b.name ? NaturallyBefore(a.name, b.name) : NaturallyBefore(a.files[0], b.files[0]);
  });
  return found;
}

LoadedImage
ReadFoundImage(const FoundImage & image, const ReadOptions & options)
{
  if (image.kind == FoundImage::Kind::File)
  {
    return ReadImageFile(image.files.front(), options);
  }
  ReadOptions own = options;
  own.series = image.series;
  const std::string folder = fs::path(image.files.front()).parent_path().generic_string();
  return ReadImageFiles(folder.empty() ? "." : folder, image.files, own);
}

} // namespace brickccl
