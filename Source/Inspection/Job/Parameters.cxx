// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Job/Parameters.h"

#include "BrickCCL/Job/Region.h"
#include "BrickCCL/Job/TextChecks.h"
#include "BrickCCL/Measuring/Measuring.h"
#include "BrickCCL/Segmenting/Smoothing.h"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace brickccl::job
{

constexpr int MaximumThreads = 4096;

// Forms of values.

static Form
Checked(std::string (*check)(const std::string &))
{
  return { Kind::Text, -Finite, Finite, {}, {}, check };
}

/** Texts of which several are united. */
static Form
Shapes(std::string (*check)(const std::string &))
{
  Form form = Checked(check);
  form.isList = true;
  return form;
}

const Form Flag = { Kind::Flag };
const Form Text = { Kind::Text };
const Form Shown = Checked(CheckShown);
const Form Count = { Kind::Whole, 0 };
const Form FromZero = { Kind::Number, 0, Unlimited };
const Form Millimeters = { Kind::Number, 0, Finite, "mm" };
const Form VolumeOrArea = { Kind::Number, 0, Finite, "mm3 or mm2" };
const Form Range = { Kind::Range };
const Form Axis = OneOf({ "x", "y", "z", "t" });
const Ties NeedsWhole = { "", "", true };

// A row has its names, its member, the values that it takes and the group on its first line, then its help, then what
// it needs and excludes.
// clang-format off

static std::vector<Parameter>
InputRows()
{
  return {
    { "", "recipe.schema", &Job::recipeSchema, { Kind::Whole, 1, 1 }, "", "",
      "version of this schema: 1" },
    { "", "recipe.name", &Job::name, Shown, "", "",
      "title of the report" },
    { "", "recipe.description", &Job::description, Text, "", "",
      "what the recipe is for" },
    { "spacing", "input.spacing_mm", &Job::spacing, { Kind::Spacing, -Finite, Finite, "mm" }, "X Y [Z [T]]", group::Reading,
      "voxel size in mm; overrides the files" },
    { "raw", "input.raw", &Job::raw, Checked(CheckRawText), "SIZE:TYPE", group::Reading,
      "size and type of raw voxels without a header: 1024x1024x800:uint16", {},
      "Add :big for big-endian values, :skip=512 for bytes before the voxels. "
      "Raw slices have two sizes. All inputs without a header must have this size and type.",
      "size and type of raw voxels without a header: 1024x1024x800:uint16, perhaps with :big (byte order) and :skip=512 "
      "(bytes before them)" },
    { "", "input.slices", &Job::slices, OneOf({ "volume", "single" }), "", "",
      "whether the slice images of a folder are one volume (default) or an item each" },
    { "series", "", &Job::series, Text, "UID", group::Reading,
      "which of several DICOM series: its UID, or its number in the list" },
    { "accept-irregular-slices", "input.accept_irregular_slices", &Job::acceptIrregularSlices, Flag, "", group::Reading,
      "accept unevenly spaced slices, and gaps in the numbers of slice images" },
    { "names", "", &Job::names, Text, "FILE", group::Reading,
      "names of labels: ITK-SNAP .txt, .ctbl, FreeSurfer LUT, dseg.tsv or JSON of dcmqi", { "equal-value" } },
    { "", "input.accept_irregular_names", &Job::acceptIrregularNames, Flag, "", "",
      "stack slice images even if numbers are missing or names differ" },
    { "accept-sheared", "input.accept_sheared", &Job::acceptSheared, Flag, "", group::Reading,
      "take the nearest orthogonal geometry where axes are not at right angles" },
    { "downsample", "input.downsample", &Job::downsample, { Kind::Whole, 1, 64 }, "N", group::Reading,
      "average boxes of N voxels along each axis, for a first look at a large scan",
      { "", "equal-value mask zones part touching labeling.criterion=equal-value", true },
      "The label map has the voxels of the averaged image, and indices of voxels in other options and in tables count "
      "them. Means of whole numbers are rounded to the nearest one, halves up. Boxes at the far ends may have fewer "
      "voxels." },
  };
}

static std::vector<Parameter>
SegmentingRows()
{
  return {
    { "", "smoothing.filter", &Job::smoothingFilter, Checked(CheckSmoothingKey), "", "",
      "how the image is smoothed first: none (default), median, gaussian, or as brickccl label --smooth: "
      "\"bilateral:0.1:200\", \"nlm:40\", \"median:1,nlm:40\"" },
    { "", "smoothing.radius", &Job::smoothingRadius, { Kind::Whole, 1, SmoothingMethod::MaximumRadius }, "", "",
      "radius of the median, in voxels along each axis; default: 1", { "smoothing.filter=median" } },
    { "", "smoothing.deviation_mm", &Job::smoothingDeviation, { Kind::Above, -Finite, Finite, "mm" }, "", "",
      "standard deviation of the Gaussian", { "smoothing.filter==gaussian" } },

    { "pores", "", &Job::pores, Flag, "", group::Labeled,
      "label a part's pores; --threshold finds its material",
      { "", "periodic equal-value tolerance background part" },
      "The part is the largest piece of material with its holes filled; everything else in it is a pore. The material is "
      "from --threshold (default: otsu) up or in --range." },
    { "threshold", "threshold.method", &Job::threshold, { Kind::Threshold }, "METHOD", group::Labeled,
      "label values from this up: a number, otsu, iso50, ...", { "", "range background" },
      "The methods use the histogram of the part or mask, else of the image: otsu separates two classes, multi-otsu:N is "
      "the highest threshold between N classes (2 to 8), multi-otsu:N:K the K-th, valley is between the peaks, iso50 "
      "halfway between air and material. `brickccl info SCAN` prints their thresholds. local:MM is for scans that are "
      "brighter in some places (beam hardening): halfway between air and the material in a window of MM; local:MM:85 is "
      "at 85 % and finds smaller pores, but all pores look larger.",
      "threshold of defects: a number, or how it is found in the part (in the image without one): otsu, multi-otsu:N, "
      "multi-otsu:N:K, valley, iso50, local:MM, local:MM:PERCENT" },
    { "", "threshold.side", &Job::side, OneOf({ "below", "above" }), "", "",
      "on which side of that threshold defects are; default: below", { "threshold.method" } },
    { "below", "", &Job::below, Flag, "", group::Labeled,
      "label the voxels below the threshold (with --pores: they are the material)" },
    { "range", "threshold.range", &Job::range, Range, "LO HI", group::Labeled,
      "label values from LO to HI, both included",
      { "", "threshold background" }, "-inf and inf are numbers as well.",
      "voxels with low <= value <= high may belong to defects: [low, high]" },
    { "background", "", &Job::background, Text, "V", group::Labeled,
      "value that counts as background; none: label every voxel", { "", "range threshold pores" } },
    { "mask", "", &Job::mask, Text, "FILE", group::Labeled,
      "use only voxels where this image is not 0" },
    { "box", "region.box", &Job::box, Shapes([](const std::string & text) { return CheckShapes("box", text); }),
      "X,Y,Z,X,Y,Z", group::Labeled,
      "use only this box: first and last voxel, both included", {},
      "Thresholds, porosity and all measures refer to this region. Plain numbers are voxels, counted from 0 as in the "
      "columns bbox_min_x to bbox_max_z. Numbers with a unit (10mm) are coordinates as in the columns bbox_min_x_mm to "
      "bbox_max_z_mm. In 2-D: X0,Y0,X1,Y1. Several boxes, cylinders and spheres are united; a shape with not: in front "
      "(not:X0,...) is cut out.",
      "box in which defects are looked for, from the first to the last voxel: \"0,0,0,99,99,49\", or lengths: "
      "\"0mm,0mm,0mm,20mm,20mm,10mm\"; several shapes, with ; between, are united, and not:0,0,0,... leaves one out" },
    { "cylinder", "region.cylinder", &Job::cylinder, Shapes([](const std::string & text) { return CheckShapes("cylinder", text); }),
      "z:X,Y,R[,Z0,Z1]", group::Labeled,
      "use only voxels in this cylinder along x, y or z", {},
      "X,Y is its axis and R its radius: all in voxels, all with a unit (10mm), or only R with a unit (80,80,5mm). Along x:"
      " x:Y,Z,R[,X0,X1].",
      "cylinder in which defects are looked for: \"z:X,Y,R\" or \"z:X,Y,R,Z0,Z1\"" },
    { "sphere", "region.sphere", &Job::sphere, Shapes([](const std::string & text) { return CheckShapes("sphere", text); }),
      "X,Y,Z,R", group::Labeled,
      "use only voxels in this sphere (2-D, a disk: X,Y,R)", {}, {},
      "sphere in which defects are looked for: \"X,Y,Z,R\"" },
    { "zones", "zones.file", &Job::zones, Text, "FILE", group::Labeled,
      "label map of zones: column 'zone', and totals of each zone in the summary", {},
      "A component belongs, of the zones, to the one with most of its voxels; voxels outside all zones do not count. The summary "
      "counts the voxels in each zone.",
      "label map of zones, next to the recipe; {item} becomes the name of the item: \"zones/{item}.nrrd\"" },
    { "smooth", "", &Job::smooth, Checked(CheckSmoothing), "FILTER", group::Labeled,
      "smooth by median:R, gaussian:MM, bilateral:MM:RANGE, nlm:NOISE", NeedsWhole,
      "The median is over 2 R + 1 voxels along each axis, R is 1 to 50. MM is the standard deviation, at most 10 voxels, "
      "of bilateral 5. RANGE is a standard deviation in gray values: larger steps are edges and stay. NOISE is the "
      "standard deviation of the noise. A comma joins two filters: median:1,bilateral:0.1:200." },

    { "", "part.method", &Job::partMethod, OneOf({ "none", "pores", "largest", "largest-inside" }), "", "",
      "the inspected part: none (default); pores: the largest piece of material with its pores, bores left out, and without "
      "[threshold] everything in it that is not material is a defect; largest: the largest component of the "
      "material; largest-inside: the largest one that touches no side of the image along x and y" },
    { "", "part.range", &Job::partRange, Range, "", "",
      "values of the material: [low, high]", { "", "part.threshold" } },
    { "", "part.threshold", &Job::partThreshold, { Kind::Threshold }, "", "",
      "lowest value of the material, instead of part.range: a number, or how it is found (otsu, iso50, ...)" },
    { "", "part.fill_holes", &Job::partHoles, OneOf({ "volume", "slices", "none" }), "", "",
      "whether enclosed cavities belong to the part: cavities in space (default), in each slice across z, or none",
      { "", "part.method=pores" } },
    { "close", "part.close_mm", &Job::close, Millimeters, "MM", group::Labeled,
      "count open cavities as pores if their openings are at most this wide",
      { "pores part.method=pores", "", true } },
    { "parts", "part.parts", &Job::parts, { Kind::Threshold, -Finite, Finite, {}, {}, CheckParts }, "largest|all|N", group::Labeled,
      "inspect the largest part (default), all, or the N largest",
      { "pores part.method=pores" },
      "Each piece of material is a part. Parts are numbered by size, the largest is 1: column 'part' in the table, a "
      "porosity for each in the summary. 'all' takes the pieces with at least a thousandth of the largest one's voxels.",
      "which pieces of material are parts, each judged by itself: largest (default), all (pieces with at least a "
      "thousandth of the largest one's voxels), or this many of the largest" },
    { "", "part.erode_mm", &Job::erode, Millimeters, "", "",
      "the core consists of the part's voxels deeper than this below the part's surface and the image's border; only "
      "defects entirely in the core count, and porosity is relative to the core; default: 0" },
  };
}

static std::vector<Parameter>
JoiningRows()
{
  return {
    { "connectivity", "labeling.connectivity", &Job::connectivity, { Kind::Neighbors }, "N", group::Joined,
      "neighbors: 6, 18, 26 (2-D: 4, 8), faces (default), full", { "", "neighborhood" },
      "8, 32, 64 and 80 are for images of four dimensions." },
    { "neighborhood", "labeling.neighborhood", &Job::neighborhood, Checked(CheckNeighborhood), "8+z|FILE",
      group::Joined,
      "other neighbors: 8+z is 8 in the slice and one on each side along z", { "", "connectivity by-slice" },
      "A text file has 3 x 3 x 3 zeros and ones, x fastest." },
    { "by-slice", "labeling.by_slice", &Job::bySlice, Axis, "AXIS", group::Joined,
      "label each slice orthogonal to this axis separately", { "", "neighborhood" } },
    { "periodic", "", &Job::periodic, Checked(CheckPeriodic), "x,y,z", group::Joined,
      "axes along which the image repeats, as in simulated microstructures", { "", "pores picture part contacts" } },
    { "", "labeling.criterion", &Job::criterion, OneOf({ "foreground", "equal-value", "tolerance" }), "", "",
      "which neighbors belong together: all foreground (default), equal values, or values that differ by at most "
      "`tolerance`" },
    { "equal-value", "", &Job::equalValue, Flag, "", group::Joined,
      "join neighbors of equal value", { "", "tolerance pores" } },
    { "tolerance", "labeling.tolerance", &Job::tolerance, FromZero, "T", group::Joined,
      "join neighbors whose values differ by at most this",
      { "labeling.criterion==tolerance", "equal-value pores" },
      {}, "largest difference of neighbors whose values belong together" },
    { "split", "labeling.split", &Job::split, { Kind::Threshold, -Finite, Finite, {}, {}, CheckSplit }, "[H]", group::Joined,
      "split touching objects at their necks", {},
      "Objects are split at a neck if the distance to the border is at least H less there than in the middle of the "
      "smaller object: in mm, or 10% of the distance in its middle. Without H: 0.75 of the smallest spacing. Size limits "
      "apply to the split objects. With --periodic, they join at opposite ends; --memory refuses this. `brickccl split` "
      "splits existing label maps.",
      "split touching objects at their necks: \"auto\", or the height by which the neck must be below the smaller peak of "
      "the distance to the border: in mm (0.2, \"200 um\") or a share of the peak (\"10%\")" },
    { "split-by", "", &Job::splitBy, Text, "FILE", group::Joined,
      "split along dark valleys of this image instead of necks", { "split", "", true },
      "The height is then in gray values (default: 0)." },
    { "split-seeds", "", &Job::splitSeeds, Text, "FILE", group::Joined,
      "label map of markers; each becomes one object", { "split", "split-height curve", true },
      "Each seed floods its component downwards from the highest pass, until it meets another seed. Voxels that no seed "
      "reaches become background. `brickccl split` keeps the numbers of seeds; `brickccl label` numbers connected objects." },
  };
}

static std::vector<Parameter>
FilterRows()
{
  return {
    { "minimum-volume", "labeling.minimum_volume_mm3", &Job::minimumVolume, VolumeOrArea, "MM3", group::Kept,
      "drop components smaller than this (2-D, slices: mm2)", {},
      "A component within a relative 1e-9 of the limit is kept, because sums are rounded." },
    { "minimum-size", "labeling.minimum_size", &Job::minimumSize, Count, "VOXELS", group::Kept,
      "drop components of fewer voxels" },
    { "maximum-size", "labeling.maximum_size", &Job::maximumSize, Count, "VOXELS", group::Kept,
      "drop components of more voxels" },
    { "largest", "", &Job::largest, Count, "K", group::Kept,
      "keep this many of the largest components (0: keep all)" },
    { "per-slice", "", &Job::perSlice, Flag, "", group::Kept,
      "keep the K largest of each slice", { "largest by-slice" } },
    { "seeds", "", &Job::seeds, Text, "POINTS|FILE", group::Kept,
      "keep components at these voxels: 10,20,30;40,50,60 or a file, one per line", NeedsWhole,
      "Indices begin at 0." },
    { "physical-seeds", "", &Job::physicalSeeds, Flag, "", group::Kept,
      "seeds are points in mm (DICOM, ITK: left, posterior, superior)", { "seeds" } },
    { "clear-border", "", &Job::clearBorder, Flag, "", group::Kept,
      "drop components that touch the border of the image", NeedsWhole },
    { "touching", "", &Job::touching, Text, "FILE", group::Kept,
      "keep components that have a voxel where this image is not 0", NeedsWhole },

    { "fill-holes", "", &Job::fillHoles, Checked(CheckHoles), "[MM3]", group::Holes,
      "fill enclosed holes, up to MM3 (2-D, slices: mm2)", NeedsWhole,
      "The background has the opposite neighbors: all (8, 26) if objects have faces, otherwise faces." },
    { "maximum-hole-size", "", &Job::maximumHoleSize, Count, "VOXELS", group::Holes,
      "fill no holes of more voxels", { "fill-holes" } },
    { "holes-by-slice", "", &Job::holesBySlice, Axis, "AXIS", group::Holes,
      "fill the holes of each slice across this axis separately", { "fill-holes" } },
  };
}

static std::vector<Parameter>
TableRows()
{
  return {
    { "statistics", "", &Job::statistics, Text, "FILE", group::Table,
      "write the table: .csv, .tsv, .json or .xlsx" },
    { "columns", "measuring.columns", &Job::columns, { Kind::Columns }, "NAMES", group::Table,
      "more columns: names or groups, as shape,thickness", {},
      "`brickccl stats --list-columns` lists them. Groups are added to the usual columns: " + ColumnGroups::Names() +
      ". On the command line, single columns replace the usual ones." },
    { "", "measuring.intensity", &Job::measuresIntensity, Flag, "", "",
      "measure the values under each component; default: false" },
    { "intensity", "", &Job::intensity, Text, "FILE", group::Table,
      "measure the values of this image in each component" },
    { "nan", "measuring.nan", &Job::nan, OneOf({ "keep", "ignore" }), "RULE", group::Table,
      "NaN intensities: ignore, or keep (all but min and max become NaN; default)",
      { "intensity measuring.intensity", "", true } },
    { "part", "", &Job::part, Text, "FILE", group::Table,
      "mask of the part: measure distances to its surface", { "", "pores", true },
      "The summary then has the volume fraction as well." },
    { "sort", "", &Job::sort, Text, "COLUMN", group::Table,
      "sort by this column, greatest first (+COLUMN: least)" },
    { "top", "", &Job::top, { Kind::Whole, 1 }, "N", group::Table,
      "only the N largest components, or the first N of --sort" },
    { "print", "", &Job::print, Flag, "", group::Table,
      "print the table in the terminal", { "", "json" } },
    { "units", "", &Job::units, OneOf({ "mm", "um", "cm" }), "UNIT", group::Table,
      "unit of lengths and volumes: mm (default), um or cm" },
    { "ras", "", &Job::ras, Flag, "", group::Table,
      "coordinates in RAS instead of LPS: centroid_r_mm, ..." },
    { "csv-separator", "", &Job::separator, OneOf({ "comma", "semicolon", "tab" }), "NAME", group::Table,
      "what separates the columns of a .csv: comma (default), semicolon or tab", {},
      "With --decimal comma the default is a semicolon." },
    { "decimal", "", &Job::decimal, OneOf({ "point", "comma" }), "NAME", group::Table,
      "what separates decimals in .csv and .tsv: point (default) or comma" },
    { "contacts", "", &Job::contacts, Text, "FILE", group::Table,
      "write which components share voxel faces: .csv or .tsv", NeedsWhole,
      "This measures the group 'neighbors'." },
    { "schema", "", &Job::schema, Text, "FILE", group::Table,
      "write names, types, units and meanings of the columns: .csv, .tsv", {},
      "3D Slicer reads TABLE.schema.tsv next to TABLE.tsv." },
    { "", "selection.keep", &Job::keep, Text, "", "",
      "condition on columns; components for which it is false are dropped" },
  };
}

/** The fields of a report's head, and how it is written. */
static std::vector<Parameter>
ReportRows()
{
  return {
    { "", "report.title", &Job::reportTitle, Shown, "", "", "title; default: the recipe's name" },
    { "", "report.customer", &Job::customer, Shown, "", "", "customer" },
    { "", "report.order", &Job::reportOrder, Shown, "", "", "order, or its number" },
    { "", "report.part", &Job::reportPart, Shown, "", "", "part, or its number" },
    { "", "report.serial_number", &Job::serialNumber, Shown, "", "", "serial number, or the first and the last one" },
    { "", "report.inspector", &Job::inspector, Shown, "", "", "who inspected" },
    { "", "report.scanner", &Job::scanner, Shown, "", "", "scanner, and how it scanned" },
    { "", "report.date", &Job::reportDate, Shown, "", "", "date, as it is written in the report" },
    { "", "report.logo", &Job::logo, Checked(CheckLogo), "", "", "picture for the head: a .png, .jpg or .svg next to the recipe" },
    { "", "report.language", &Job::language, OneOf(LanguageCodes()), "", "", "language of the report; default: en" },
    { "", "report.paper", &Job::paper, OneOf({ "A4", "Letter" }), "", "", "paper that it is printed on; default: A4" },
  };
}

static std::vector<Parameter>
OutputRows()
{
  return {
    { "label-type", "", &Job::labelType, OneOf({ "auto", "uint8", "uint16", "uint32", "uint64" }), "TYPE",
      group::LabelMap,
      "auto (default: the smallest that fits), uint8, uint16, uint32 or uint64", { "OUTPUT" } },
    { "dicom-seg", "", &Job::dicomSeg, OneOf({ "binary", "labelmap" }), "TYPE", group::LabelMap,
      "type of a DICOM segmentation (.dcm): binary (default) or labelmap", { "OUTPUT" },
      "A .dcm is a segmentation of the DICOM series that was read. In a labelmap, voxels hold labels, at most 65535 of them." },
    { "no-compression", "", &Job::noCompression, Flag, "", group::LabelMap,
      "write the image uncompressed (faster)", { "OUTPUT" },
      "TIFF stacks of two slices or of less than 4 KiB are always compressed, because some readers misread uncompressed "
      "ones." },
    { "order", "", &Job::order, OneOf({ "raster", "size" }), "ORDER", group::LabelMap,
      "number components by their first voxel (raster, default) or size (largest: 1)" },
    { "picture", "", &Job::picture, Checked([](const std::string & text) { return CheckEnd(text, ".png"); }), "FILE",
      group::LabelMap,
      "draw slices through the largest component: .png", { "", "periodic", true } },
    { "save-smoothed", "", &Job::saveSmoothed, Text, "FILE", group::LabelMap,
      "write the smoothed image", { "smooth" } },
    { "color-table", "", &Job::colorTable, Checked([](const std::string & text) { return CheckEnd(text, ".ctbl"); }),
      "FILE", group::LabelMap,
      "write a color for each label, as 3D Slicer reads it: .ctbl" },
    { "", "outputs.labels", &Job::labels, OneOf({ ".nrrd", ".nii.gz", ".mha", ".tif", "none" }), "", "",
      "format of the label maps; default: .nrrd" },
    { "", "outputs.pictures", &Job::pictures, Flag, "", "",
      "draw slices through the largest defect; default: true" },

    { "memory", "", &Job::memory, { Kind::Memory, 1 }, "SIZE", group::Running,
      "memory limit, e.g. 4GiB, for volumes larger than memory", {},
      "The volume is labeled slab by slab. The program itself takes 56 MiB, 8 MiB more for each of --threads beyond one, and "
      "three chunks of a Zarr or HDF5 array for each thread. "
      "The result is the same except for the last digits of means and sums of floating-point and 64-bit intensities. The "
      "files must be " + FormatsReadInParts() + ", or slice images; volumes compressed in several files are refused. "
      "Thresholds and parts are found in further passes over the files. Local thresholds, `--split` of `--pores`, and the columns geodesic, skeleton, "
      "'neighbors', thickness, inscribed and intensity (percentiles, skewness) need the whole volume." },
    { "work", "", &Job::work, Text, "FOLDER", group::Running,
      "write temporary files in this folder, not next to OUTPUT", { "memory" } },
    { "algorithm", "", &Job::algorithm, Text, "NAME", group::Running,
      "labeling algorithm (list: brickccl info); all give the same labels" },
    { "device", "", &Job::device, Text, "DEVICE", group::Running,
      "cpu, cuda, cuda:N, several as cuda:0,1, cuda:all, auto (the faster one)" },
    { "threads", "", &Job::threads, { Kind::Whole, 0, MaximumThreads }, "N", group::Running,
      "number of CPU threads; 0 (default): all" },
    { "json", "", &Job::json, Flag, "", group::Running,
      "print the summary as one JSON object", { "", "print" } },
    { "quiet", "", &Job::quiet, Flag, "", group::Running,
      "print only errors" },
  };
}

// clang-format on

const std::vector<Parameter> &
Parameters()
{
  static const std::vector<Parameter> parameters = [] {
    std::vector<Parameter> all = InputRows();
    for (const auto & rows : { SegmentingRows(), JoiningRows(), FilterRows(), TableRows(), OutputRows(), ReportRows() })
    {
      all.insert(all.end(), rows.begin(), rows.end());
    }
    return all;
  }();
  return parameters;
}

const Parameter *
FindParameter(const std::string & name)
{
  const auto & all = Parameters();
  const auto   found = std::find_if(all.begin(), all.end(), [&](const Parameter & parameter) {
    return !name.empty() && (parameter.option == name || parameter.key == name);
  });
  return found == all.end() ? nullptr : &*found;
}

bool
IsGiven(const Job & job, const Parameter & parameter)
{
  Job given = job;
  Job none;
  return !AreSame(SlotOf(given, parameter.member), SlotOf(none, parameter.member));
}

std::vector<std::string>
WordsOf(const std::string & text)
{
  std::istringstream stream(text);
  return { std::istream_iterator<std::string>(stream), {} };
}

} // namespace brickccl::job
