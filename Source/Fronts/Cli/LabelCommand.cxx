#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/LabelArguments.h"
#include "BrickCCL/Cli/NumberOptions.h"
#include "BrickCCL/Cli/PictureOption.h"
#include "BrickCCL/Cli/Spelling.h"
#include "BrickCCL/Core/Printable.h"

#include <memory>
#include <string>

namespace brickccl::cli
{

namespace
{

/** The options that label a volume slab by slab. */
void
AddSlabOptions(CLI::App & command, LabelArguments & arguments)
{
  command
    .add_option(
      "--memory",
      arguments.memory,
      "label a volume larger than memory slab by slab, in so much memory (4GiB, 500MB; the program itself takes 56 MiB "
      "of it, and 8 MiB more for each of --threads beyond one); the result is the same, but for the last digits of "
      "means and sums of floating-point and 64-bit intensities. The files must be " +
        FormatsReadInParts() +
        ", or slice images; voxels as text or compressed in several files are not read so. It does not go "
        "with --output-fallback, --smooth, --pores, thresholds to be found, --fill-holes, --seeds, --touching, "
        "--clear-border, --part, --contacts, --picture, and the columns neighbours, thickness, inscribed and intensity "
        "(percentiles, skewness)")
    ->transform(MemorySize(1))
    ->type_name("SIZE");
  CLI::Option * const work = command
                               .add_option("--work",
                                           arguments.work,
                                           "with --memory: the folder that keeps the state, so that --resume can go on")
                               ->type_name("FOLDER")
                               ->needs(command.get_option("--memory"));
  command.add_flag("--resume", arguments.resume, "go on with the state in the folder of --work")->needs(work);
}

} // namespace

void
AddLabelCommand(CLI::App & app, const FrontEnd & frontEnd)
{
  auto       arguments = std::make_shared<LabelArguments>();
  CLI::App * command = app.add_subcommand("label", "Label the connected components of an image");
  command
    ->add_option(
      "INPUT",
      arguments->input,
      "image: " + ReadableFormats() +
        "; a folder with a DICOM series or slice images, or slice images by a pattern in quotes (s_*.tif, s_%03d.tif)")
    ->required();
  command->add_option("OUTPUT",
                      arguments->output,
                      "label map: " + WritableFormats() + "; it may be left out with --statistics or --print");
  AddLabelMapOptions(*command, *arguments);
  AddFileOptions(*command, arguments->files);
  AddNeighbourOptions(*command, arguments->neighbours);
  AddCriterionOptions(*command, arguments->criterion);
  command->add_option("--mask", arguments->mask, "voxels where this image is 0 take no part")->type_name("FILE");
  command->add_option("--order", arguments->order, "number components by first voxel (raster) or largest first (size)")
    ->check(OneOf({ "raster", "size" }))
    ->capture_default_str();
  AddSizeOptions(*command, arguments->sizes, "keep the K largest components only; 0: all");
  command->add_flag("--per-slice", arguments->perSlice, "with --largest: keep the K largest of each slice")
    ->needs(command->get_option("--largest"), command->get_option("--by-slice"));
  command->add_option("--maximum-size", arguments->maximumSize, "drop components of more voxels")
    ->transform(Count(0))
    ->type_name("VOXELS");
  AddFilterOptions(*command, arguments->filter);
  command->add_option("--algorithm", arguments->algorithm, "see `brickccl info`; the labels are the same for all")
    ->capture_default_str();
  command
    ->add_option("--device",
                 arguments->device,
                 "cpu, cuda, cuda:N, several as cuda:0,1, cuda:all, or auto: the GPU for volumes so large that it is "
                 "faster as a whole")
    ->capture_default_str();
  command->add_option("--statistics", arguments->table.table, "write the component table: .csv, .tsv, .json or .xlsx")
    ->type_name("FILE");
  AddTableOptions(*command, arguments->table, "--statistics");
  command->get_option("--part")->excludes(command->get_option("--pores"));
  // What lies outside of a part is told by the image's border.
  command->get_option("--pores")->excludes(command->get_option("--periodic"));
  AddPictureOption(*command, arguments->picture);
  // It would show slices through boxes that lie partly outside of the image.
  command->get_option("--picture")->excludes(command->get_option("--periodic"));
  command
    ->add_option("--colour-table",
                 arguments->colourTable,
                 "write a colour for each label, as 3D Slicer reads it: .ctbl")
    ->type_name("FILE")
    ->check([](const std::string & path) {
      return ExtensionOf(path) == ".ctbl" ? std::string()
                                          : "a colour table's name must end in .ctbl, unlike " + Quoted(path);
    });
  AddRunningOptions(*command, *arguments);
  command->get_option("--json")->excludes(command->get_option("--print"));
  AddSlabOptions(*command, *arguments);
  command->callback([arguments, frontEnd] {
    arguments->memory == 0 ? RunLabel(*arguments, frontEnd) : RunLabelBySlabs(*arguments, frontEnd);
  });
}

} // namespace brickccl::cli
