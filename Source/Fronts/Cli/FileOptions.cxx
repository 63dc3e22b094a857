// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/FileOptions.h"

#include "BrickCCL/Core/Counted.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Core/Printable.h"
#include "BrickCCL/Files/Disk/AtomicFile.h"
#include "BrickCCL/Files/Disk/FileBytes.h"
#include "BrickCCL/Files/Segments.h"
#include "BrickCCL/Host/System.h"
#include "BrickCCL/Measuring/CountNotANumber.h"
#include "BrickCCL/Segmenting/SmoothImage.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

namespace brickccl::cli
{

namespace fs = std::filesystem;

/** "mm3" of "volume_mm3" */
static std::string
UnitOf(const std::string & sizeName)
{
  return sizeName.substr(sizeName.find('_') + 1);
}

/** A path as a key: the same for two paths that lead, through links or other spellings, to one place. */
static std::string
PlaceOf(const std::string & path)
{
  std::error_code ignored;
  return fs::weakly_canonical(fs::absolute(ReplacedFile(path)), ignored).string();
}

[[noreturn]] static void
RefuseOutput(const std::string & name, const std::string & written, const std::string & what, const std::string & file)
{
  throw InvalidArgument(name + " would overwrite " + Quoted(written) + ", which is " + what +
                        (written == file ? "" : ", " + Quoted(file)) + "; choose another name");
}

/** \throws InvalidArgument if the output is one of the files. */
static void
CheckOutput(const std::pair<std::string, std::string> & output,
            const std::vector<std::string> &            files,
            const std::string &                         what)
{
  for (const std::string & written : WrittenFiles(output.second))
  {
    const bool isThere = files::IsThere(written);
    for (const std::string & file : files)
    {
      // A file that is not there yet can only be another one that is not.
      const bool isSame = isThere ? files::IsThere(file) && AreSameExistingFile(written, file)
                                  : !files::IsThere(file) && PlaceOf(written) == PlaceOf(file);
      if (isSame)
      {
        RefuseOutput(output.first, written, what, file);
      }
    }
  }
}

/** Outputs by their places, each with its option and file, so that thousands are compared in a moment. */
using Places = std::map<std::string, std::pair<std::string, std::string>>;

/** \throws InvalidArgument if an output is a folder or one of those before. */
static void
AddOutput(const std::pair<std::string, std::string> & output, Places & places)
{
  Places own;
  for (const std::string & file : WrittenFiles(output.second))
  {
    std::error_code failure;
    ThrowIf<InvalidArgument>(fs::is_directory(file, failure),
                             "cannot write " + Quoted(file) + " (" + output.first +
                               "): it is a folder; choose another name");
    const std::string place = PlaceOf(file);
    if (const auto found = places.find(place); found != places.end())
    {
      RefuseOutput(output.first, file, "also the output of " + found->second.first, found->second.second);
    }
    own.emplace(place, std::pair(output.first, file));
  }
  places.merge(own);
}

std::vector<std::string>
WrittenFiles(const std::string & output)
{
  std::vector<std::string> files = FilesBesideImage(output);
  files.insert(files.begin(), output);
  return files;
}

void
CheckImageName(const std::string & path, const std::string & dicomSeg)
{
  ThrowIf<InvalidArgument>(!dicomSeg.empty() && ExtensionOf(path) != ".dcm",
                           "cannot write " + Quoted(path) + ": --dicom-seg is for a label map in a .dcm file");
  if (!path.empty())
  {
    // Every format holds one byte.
    constexpr std::int64_t one = 1;
    CheckImageFileWritable(path, ScalarType::UInt8, Extent(1, &one));
  }
}

void
CheckReading(const job::Reading & arguments, const NamedFiles & inputs)
{
  const auto isRaw = [](const auto & input) { return !input.second.empty() && MayBeRaw(input.second); };
  if (!arguments.raw.empty() && std::none_of(inputs.begin(), inputs.end(), isRaw))
  {
    throw InvalidArgument("--raw " + arguments.raw + " describes voxels without a header, but " +
                          Quoted(inputs.front().second) + " has one; leave it out");
  }
  std::string names;
  for (const auto & [name, input] : inputs)
  {
    if (!input.empty())
    {
      if (arguments.series.empty() || MayHoldSeries(input))
      {
        return;
      }
      names += (names.empty() ? "'" : " or '") + input + "'";
    }
  }
  throw InvalidArgument("--series " + arguments.series + " chooses a DICOM series of a folder or pattern, but " +
                        names + " has no DICOM files; leave it out");
}

void
CheckOutputs(const NamedFiles & inputs, const NamedFiles & outputs)
{
  Places all;
  for (const auto & output : outputs)
  {
    if (output.second.empty())
    {
      continue;
    }
    for (const auto & [name, input] : inputs)
    {
      if (!input.empty())
      {
        CheckOutput(output, { input }, "the input of " + name);
        ThrowIf<InvalidArgument>(!files::IsThere(output.second) && WouldBeRead(input, output.second),
                                 "the output " + Quoted(output.second) + " (" + output.first +
                                   ") would be one of the files of " + Quoted(input) + " (" + name +
                                   ") the next time that they are read; give it another name or "
                                   "folder");
      }
    }
    AddOutput(output, all);
    CheckFilesBeside(output.second);
  }
}

void
CheckFiles(const job::Reading & arguments, const NamedFiles & inputs, const NamedFiles & outputs)
{
  CheckReading(arguments, inputs);
  CheckOutputs(inputs, outputs);
  for (const auto & [name, path] : outputs)
  {
    if (!path.empty())
    {
      CheckWritable(path);
    }
  }
}

ImageReader::ImageReader(const job::Reading & arguments, int threads, Reporter & reporter, bool inParts)
  : m_Downsampling(arguments.downsample)
  , m_Names(arguments.names)
  , m_DicomSeg(arguments.dicomSeg)
  , m_Reporter(reporter)
{
  m_Options.acceptIrregularSlices = arguments.acceptIrregularSlices;
  m_Options.acceptSheared = arguments.acceptSheared;
  m_Options.series = arguments.series;
  m_Options.spacing = arguments.spacing;
  m_Options.raw = arguments.raw;
  m_Options.threads = threads;
  m_Options.inParts = inParts;
}

void
ImageReader::Note(const std::string & text)
{
  m_Notes.push_back(text);
  m_Reporter.Note("note: " + text);
}

LoadedImage
ImageReader::Read(const std::string & path, bool asLabels, bool mayBeNaN)
{
  const ProgressHooks hooks = m_Reporter.Hooks();
  ReadOptions         told = m_Options;
  told.asLabels = asLabels;
  told.progress = Progress(hooks);
  if (!told.inParts)
  {
    m_Reporter.Step("reading " + path);
  }
  LoadedImage image = ReadImageFile(path, told);
  m_Downsampling > 1 && !asLabels ? Downsample(image, m_Downsampling, told.Context()) : void();
  m_Read.push_back({ path, image.files });
  image.dicom ? m_Origins.push_back(image.dicom) : void();
  CheckNotRead(m_Outputs);
  const auto note = [&](const std::string & text) {
    NoteIf(++m_Remarks[text] <= MostFilesNamed, Quoted(path) + ": " + text);
  };
  std::for_each(image.notes.begin(), image.notes.end(), note);
  if (image.spacingSource == "none")
  {
    note("no voxel size in the file: 1 mm assumed; set it with --spacing X Y Z");
  }
  // For label maps and masks; NaN values of images are counted where they are labeled.
  const bool areCounted = told.asLabels && !told.inParts && mayBeNaN;
  if (const auto count = areCounted ? CountNotANumber(image.View(), told.Context()) : 0; count > 0)
  {
    note(TellNotANumber(count));
  }
  return image;
}

const std::vector<std::string> &
ImageReader::Notes()
{
  for (const auto & [text, files] : std::exchange(m_Remarks, {}))
  {
    NoteIf(files > MostFilesNamed, Counted(files - MostFilesNamed, "more file") + ": " + text);
  }
  return m_Notes;
}

void
ImageReader::CheckNotRead(const NamedFiles & outputs) const
{
  for (const auto & output : outputs)
  {
    for (const auto & [path, files] : m_Read)
    {
      if (!output.second.empty())
      {
        CheckOutput(output, files, "a part of the input " + Quoted(path));
      }
    }
  }
}

std::vector<std::string>
ImageReader::Files() const
{
  std::set<std::string> files;
  for (const auto & image : m_Read)
  {
    files.insert(image.second.begin(), image.second.end());
  }
  return { files.begin(), files.end() };
}

void
ImageReader::Complete(const std::string & path, bool areLabels, ImageToWrite & image, WriteOptions & options) const
{
  const auto isOther = [&](const auto & one) {
    constexpr std::uint32_t patient = 0x00100020;
    return one->values.at(patient) != m_Origins[0]->values.at(patient);
  };
  const bool isDicom = ExtensionOf(path) == ".dcm";
  options.asLabelMap = m_DicomSeg == "labelmap";
  ThrowIf<InvalidArgument>(isDicom &&
                             (m_Options.acceptIrregularSlices || !m_Options.spacing.empty() || m_Downsampling > 1),
                           "cannot write " + Quoted(path) +
                             ": a DICOM segmentation has the slices of its series, which --spacing, --downsample and "
                             "--accept-irregular-slices change; write .nrrd");
  ThrowIf<InvalidArgument>(isDicom && (!areLabels || std::any_of(m_Origins.begin(), m_Origins.end(), isOther)),
                           "cannot write " + Quoted(path) +
                             ": DICOM files are written of label maps of one patient; write .nrrd");
  image.dicom = m_Origins.empty() ? nullptr : m_Origins[0];
}

LoadedImage
ImageReader::ReadLabels(const std::string & path, bool mayBeNaN)
{
  LoadedImage image = Read(path, true, mayBeNaN);
  auto &      segments = image.segmentation.segments;
  for (Segment & named : m_Names.empty() ? std::vector<Segment>() : ReadSegmentNames(m_Names))
  {
    const auto isIt = [&](const Segment & own) { return own.label == named.label && own.layer == 0; };
    const auto found = std::find_if(segments.begin(), segments.end(), isIt);
    found == segments.end() ? segments.push_back(std::move(named)) : void(*found = std::move(named));
  }
  return image;
}

std::optional<LoadedImage>
ReadRegion(const job::Region & region, const LoadedImage & image, int threads, ImageReader & reader)
{
  std::optional<LoadedImage> mask;
  if (!region.mask.empty())
  {
    mask = reader.Read(region.mask, true);
    CheckSameGrid(image, *mask, region.mask);
  }
  return job::MaskOf(region, image, std::move(mask), threads);
}

void
AddRegion(job::Findings &                      findings,
          const job::Region &                  region,
          const std::optional<std::uint64_t> & voxels,
          const LoadedImage &                  image,
          int                                  line)
{
  if (!region.IsGiven())
  {
    findings.push_back({ "region", nullptr });
    return;
  }
  using Json = nlohmann::ordered_json;
  const auto all = static_cast<double>(image.extent.VoxelCount());
  findings.insert(findings.end(),
                  { { "region/box", region.box },
                    { "region/cylinder", region.cylinder },
                    { "region/sphere", region.sphere },
                    { "region/mask", region.mask },
                    { "region/voxels", voxels ? Json(*voxels) : Json() },
                    { "",
                      voxels ? Json(100 * static_cast<double>(*voxels) / all) : Json(),
                      (region.box + region.cylinder + region.sphere).empty() ? 0 : line,
                      "region: # of the image",
                      "%" } });
}

void
WriteImage(const std::string & path, ImageToWrite image, WriteOptions options, ImageReader & notes, bool areLabels)
{
  notes.Complete(path, areLabels, image, options);
  for (const std::string & lost : WriteImageFile(path, image, options))
  {
    notes.Note(Quoted(path) + ": " + lost);
  }
  const std::size_t segments = image.segmentation.segments.size();
  notes.NoteIf(segments > 0 && !HoldsSegments(path, image.extent),
               Quoted(path) + ": names, colors and tags of the " + Counted(segments, "segment") +
                 " are lost; .seg.nrrd and .dcm files of 3 dimensions hold them");
}

void
WriteLabels(const job::Job &     arguments,
            const LoadedImage &  image,
            LabelType            type,
            std::uint64_t        largest,
            const RowWriter &    writeRows,
            const Segmentation & segmentation,
            ImageReader &        reader,
            Reporter &           reporter)
{
  if (arguments.output.empty())
  {
    return;
  }
  reporter.Step("writing " + arguments.output);
  const ProgressHooks hooks = reporter.Hooks();
  CheckImageFileWritable(arguments.output, ScalarTypeOfLabel(type), image.extent);
  WriteImage(arguments.output,
             { ScalarTypeOfLabel(type),
               image.extent,
               image.geometry,
               [&](std::int64_t begin, std::int64_t end, void * rows) { writeRows(begin, end, type, rows); },
               largest,
               segmentation },
             { !arguments.noCompression, { arguments.threads, Progress(hooks) } },
             reader);
}

std::string
DescribeSpacing(const LoadedImage & image)
{
  std::ostringstream text;
  text.precision(4);
  for (int axis = 0; axis < image.extent.dimension; ++axis)
  {
    text << (axis == 0 ? "" : " x ") << image.geometry.spacing[axis];
  }
  text << " mm" << (image.spacingSource == "none" ? " (assumed: the file has none)" : "");
  return text.str();
}

void
AddSpacing(job::Findings & findings, const LoadedImage & image, int line)
{
  const double * const spacing = image.geometry.spacing;
  findings.push_back({ "spacing", std::vector<double>(spacing, spacing + image.extent.dimension) });
  findings.push_back({ "spacing_source", image.spacingSource });
  const std::string channels = image.channels > 1 ? std::to_string(image.channels) + " channels, " : "";
  findings.push_back(
    { "", image.extent.ToString() + " voxels, " + channels + "spacing " + DescribeSpacing(image), line, "image: #" });
}

void
AddExtent(job::Findings & findings, const LoadedImage & image, int line)
{
  const std::int64_t * const size = image.extent.size;
  findings.push_back({ "extent", std::vector<std::int64_t>(size, size + image.extent.dimension) });
  AddSpacing(findings, image, line);
}

void
AddSizes(job::Findings &            findings,
         const std::string &        start,
         std::uint64_t              voxels,
         const LoadedImage &        image,
         int                        line,
         const std::string &        label,
         const std::optional<int> & sliceAxis)
{
  const int    dimension = image.extent.dimension;
  const double size = static_cast<double>(voxels) * image.geometry.VoxelVolume(dimension);
  const bool   isKnown = image.spacingSource != "none";
  findings.push_back({ start + "voxels", voxels, isKnown ? 0 : line, label, "voxel" });
  findings.push_back(
    { start + SizeName(dimension), size, isKnown && !sliceAxis ? line : 0, label, UnitOf(SizeName(dimension)) });
  if (isKnown && sliceAxis)
  {
    findings.push_back({ "", size / image.geometry.spacing[*sliceAxis], line, label, UnitOf(SizeName(dimension - 1)) });
  }
}

void
AddTotals(job::Findings & findings, const Totals & totals, const LoadedImage & image, int line)
{
  const bool isKnown = image.spacingSource != "none";
  findings.push_back({ "totals/voxel_count", totals.voxels, isKnown ? 0 : line, "together #", "voxel" });
  findings.push_back(
    { "totals/" + totals.sizeName, totals.size, isKnown ? line : 0, "together #", UnitOf(totals.sizeName) });
  findings.push_back({ "totals/region_" + totals.sizeName, totals.regionSize });
  findings.push_back({ "totals/fraction", totals.fraction });
}

} // namespace brickccl::cli
