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
  command->add_option("LABELS", arguments->input, "label map of 3 dimensions")->required();
  command
    ->add_option("OUTPUT,-o,--output",
                 arguments->output,
                 "mesh: .stl, .obj, .ply (with labels and colors) or .vtp (with labels and measures)")
    ->required();
  AddChosenLabels(*command, arguments->chosen);
  command
    ->add_option("--smooth",
                 arguments->mesh.smoothingPasses,
                 "passes of smoothing that keep volumes: 0 (default), 2 to 1000; 20 is usual")
    ->transform(Count(0, 1000))
    ->check(isNotOne)
    ->type_name("N")
    ->capture_default_str();
  command->add_flag("--ras", arguments->mesh.ras, "coordinates in RAS instead of LPS");
  command->add_flag("--one-file-each", arguments->oneFileEach, "write a file for each component: name_LABEL.ext");
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
  command->add_option("LABELS", arguments->input, "label map; every nonzero value is one component")->required();
  command->add_option("-o,--output,OUTPUT", arguments->output, "picture: .png")->required();
  command
    ->add_option(
      "--style",
      arguments->style,
      "slices (default), montage, surface or mip\nslices: through the largest component; montage: along z; "
      "surface: the components in space; mip: the highest intensities along each axis behind the components.")
    ->type_name("STYLE")
    ->check(OneOf({ "slices", "montage", "surface", "mip" }))
    ->capture_default_str();
  AddOptions(*command, *arguments, "intensity part");
  command->get_option("--intensity")->description("draw this scan behind the labels; measure its values");
  command->get_option("--part")->description("mask of the part: draw its surface (--style surface)");
  command
    ->add_option("--color-by",
                 arguments->column,
                 "color by this column, with a color bar\nLengths, areas and volumes may be in mm, um or cm, as "
                 "volume_um3. Without "
                 "it, neighbors differ in color.")
    ->type_name("COLUMN");
  AddChosenLabels(*command, arguments->chosen);
  command
    ->add_option(
      "--size",
      arguments->size,
      "width and height in pixels, as 1200x900\nEach is 480 to 4096. It is the exact size of surfaces (default "
      "1200x900), and the limit of slices.")
    ->type_name("WxH");
  command->add_flag("--patient",
                    arguments->hasPatientAxes,
                    "mark the sides L, R, A, P, S and I (default: DICOM, NIfTI)");
  AddOptions(*command, *arguments, std::string(ReadingOptions) + RunningOptions);
  if (run)
  {
    command->callback([arguments, run] { run(*arguments); });
  }
}

} // namespace brickccl::cli
