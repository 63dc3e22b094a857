// SPDX-License-Identifier: Apache-2.0
#include "BrickCCL/Cli/SurfaceOptions.h"

#include "BrickCCL/Cli/JobOptions.h"
#include "BrickCCL/Cli/Spelling.h"

#include <memory>

namespace brickccl::cli
{

void
AddMeshCommand(CLI::App & app, const std::function<void(const MeshArguments &)> & run)
{
  auto                 arguments = std::make_shared<MeshArguments>();
  CLI::App *           command = app.add_subcommand("mesh", "Write the surfaces of a label map's components as a mesh");
  const CLI::Validator isNotOne(
    [](std::string & text) {
      return text == "1" ? std::string("one pass has no filter; use 0, or 2 and more") : std::string();
    },
    "");
  command->add_option("LABELS", arguments->input, "label map of 3 dimensions: " + ReadableFormats())->required();
  command
    ->add_option("OUTPUT,-o,--output",
                 arguments->output,
                 "mesh: .stl, .obj, .ply (with labels and colors) or .vtp (with labels and measures)")
    ->required();
  AddChosenLabels(*command, arguments->chosen);
  command
    ->add_option("--smooth",
                 arguments->mesh.smoothingPasses,
                 "passes of smoothing, 0 or 2 to 1000 (20 is usual); volumes are kept")
    ->transform(Count(0, 1000))
    ->check(isNotOne)
    ->capture_default_str();
  command->add_flag("--ras", arguments->mesh.ras, "coordinates in RAS in place of LPS");
  command->add_flag("--one-file-each", arguments->oneFileEach, "a file for each component: name_LABEL.ext");
  AddOptions(*command, *arguments, std::string(ReadingOptions) + RunningOptions);
  if (run)
  {
    command->callback([arguments, run] { run(*arguments); });
  }
}

void
AddRenderCommand(CLI::App & app, const std::function<void(const RenderArguments &)> & run)
{
  auto       arguments = std::make_shared<RenderArguments>();
  CLI::App * command = app.add_subcommand("render", "Draw a label map: slices, projections or surfaces");
  command->add_option("LABELS", arguments->input, "label map: " + ReadableFormats())->required();
  command->add_option("-o,--output,OUTPUT", arguments->output, "picture: .png")->required();
  command
    ->add_option("--style",
                 arguments->style,
                 "slices: through the largest component; montage: slices along z; surface: the components in space; "
                 "mip: the highest intensities along each axis, and the components before them")
    ->check(OneOf({ "slices", "montage", "surface", "mip" }))
    ->capture_default_str();
  AddOptions(*command, *arguments, "intensity part");
  command->get_option("--intensity")
    ->description("the scan, drawn behind the labels; columns of intensities are measured in it");
  command->get_option("--part")->description(
    "mask of the inspected part: its surface is drawn transparent around the components (--style surface)");
  command
    ->add_option(
      "--color-by,--color-by",
      arguments->column,
      "colors by this column of the table, with a color bar; without it neighbors differ in color. Lengths, areas "
      "and volumes may be in mm, um or cm, as volume_um3")
    ->type_name("COLUMN");
  AddChosenLabels(*command, arguments->chosen);
  command
    ->add_option("--size",
                 arguments->size,
                 "width and height in pixels, 480 to 4096, as 1200x900, which is the default of surfaces; slices take "
                 "what they need, "
                 "and at most this")
    ->type_name("WxH");
  command->add_flag("--patient",
                    arguments->hasPatientAxes,
                    "mark sides as L, R, A, P, S and I, as it is done for DICOM and NIfTI");
  AddOptions(*command, *arguments, std::string(ReadingOptions) + RunningOptions);
  if (run)
  {
    command->callback([arguments, run] { run(*arguments); });
  }
}

} // namespace brickccl::cli
