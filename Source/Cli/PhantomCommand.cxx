#include "BrickCCL/Cli/Commands.h"
#include "BrickCCL/Cli/NumberOptions.h"
#include "BrickCCL/Cli/Spelling.h"
#include "BrickCCL/Core/Error.h"
#include "BrickCCL/Cli/FileOptions.h"
#include "BrickCCL/Phantoms/Phantoms.h"
#include "BrickCCL/Phantoms/Ridges.h"

#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <optional>

namespace brickccl::cli
{

namespace
{

struct PhantomArguments
{
  std::string                kind;
  std::string                output;
  std::vector<std::int64_t>  size;
  std::vector<double>        spacing;
  std::uint64_t              seed = 1;
  std::optional<double>      density;
  std::optional<int>         grain;
  std::string                truth;
  std::optional<std::string> family;
  RidgeImage                 ridges;
  bool                       quiet = false;
};

void
RunPhantom(const PhantomArguments & arguments)
{
  const bool isScan = arguments.kind == "log" || arguments.kind == "casting";
  if (!arguments.truth.empty() && !isScan)
  {
    throw InvalidArgument("--truth goes with the phantoms log and casting alone; '" + arguments.kind +
                          "' is its own truth");
  }
  const bool isRidge = arguments.kind == "ridge";
  if (arguments.family && !isRidge)
  {
    throw InvalidArgument("--family goes with the phantom ridge alone, not with " + arguments.kind);
  }
  std::vector<std::int64_t> size = arguments.size;
  if (size.empty() && isRidge)
  {
    size = { 512, 512 };
  }
  if (size.empty())
  {
    size = { 128, 128, isScan ? 96 : 128 };
  }
  const Extent extent(static_cast<int>(size.size()), size.data());
  Geometry     geometry;
  if (arguments.spacing.empty() && arguments.kind == "log")
  {
    geometry.spacing[0] = geometry.spacing[1] = 2;
    geometry.spacing[2] = 4;
  }
  if (!arguments.spacing.empty())
  {
    if (arguments.spacing.size() != size.size())
    {
      throw InvalidArgument("--spacing has " + std::to_string(arguments.spacing.size()) + " values but the size " +
                            std::to_string(size.size()) + "; give one for each axis");
    }
    for (std::size_t axis = 0; axis < size.size(); ++axis)
    {
      if (!(arguments.spacing[axis] > 0))
      {
        throw InvalidArgument("the spacing " + std::to_string(arguments.spacing[axis]) +
                              " is invalid; it must be above 0");
      }
      geometry.spacing[axis] = arguments.spacing[axis];
    }
  }
  CheckOutputs({}, { { "OUT", arguments.output }, { "--truth", arguments.truth } });
  const bool isGrains = arguments.kind == "grains";
  CheckImageFileWritable(arguments.output, isScan || isGrains ? ScalarType::Int16 : ScalarType::UInt8, extent);
  if (isScan)
  {
    const Scan scan = arguments.kind == "log" ? MakeLog(extent, arguments.seed) : MakeCasting(extent, arguments.seed);
    WriteImageFile(arguments.output, ImageToWrite::FromMemory(scan.image.data(), ScalarType::Int16, extent, geometry));
    if (!arguments.truth.empty())
    {
      WriteImageFile(arguments.truth, ImageToWrite::FromMemory(scan.truth.data(), ScalarType::UInt8, extent, geometry));
    }
  }
  else if (isGrains)
  {
    const std::vector<std::int16_t> voxels = MakeGrains(extent, arguments.grain.value_or(16), arguments.seed);
    WriteImageFile(arguments.output, ImageToWrite::FromMemory(voxels.data(), ScalarType::Int16, extent, geometry));
  }
  else
  {
    RidgeImage ridges = arguments.ridges;
    ridges.family = RidgeImage::FamilyFromName(arguments.family.value_or("leveling"));
    ridges.seed = arguments.seed;
    const std::map<std::string, std::function<std::vector<std::uint8_t>()>> makers = {
      { "balls", [&] { return MakeBalls(extent, arguments.density.value_or(0.2), arguments.seed); } },
      { "random",
        [&] {
          return MakeRandom(extent, arguments.density.value_or(0.5), arguments.grain.value_or(1), arguments.seed);
        } },
      { "spiral", [&] { return MakeSpiral(extent); } },
      { "hilbert", [&] { return MakeHilbertCurve(extent); } },
      { "checkerboard", [&] { return MakeCheckerboard(extent); } },
      { "isolated-voxels", [&] { return MakeIsolatedVoxels(extent); } },
      { "body-centred-lattice", [&] { return MakeBodyCentredLattice(extent); } },
      { "ridge", [&] { return MakeRidges(extent, ridges); } },
    };
    const std::vector<std::uint8_t> voxels = makers.at(arguments.kind)();
    WriteImageFile(arguments.output, ImageToWrite::FromMemory(voxels.data(), ScalarType::UInt8, extent, geometry));
  }
  if (!arguments.quiet)
  {
    std::cout << arguments.output << ": " << arguments.kind << ", " << extent.ToString() << std::endl;
  }
}

} // namespace

void
AddPhantomCommand(CLI::App & app)
{
  auto       arguments = std::make_shared<PhantomArguments>();
  CLI::App * command = app.add_subcommand("phantom", "Make a synthetic image, the same bit for bit everywhere");
  command
    ->add_option("KIND",
                 arguments->kind,
                 "balls, random, spiral, hilbert, checkerboard, isolated-voxels, body-centred-lattice, ridge (patterns "
                 "that take label equivalence a number of rounds), grains (scan of a polycrystal), log (CT of wood) or "
                 "casting (CT of metal)")
    ->required()
    ->check(OneOf({ "balls",
                    "random",
                    "spiral",
                    "hilbert",
                    "checkerboard",
                    "isolated-voxels",
                    "body-centred-lattice",
                    "ridge",
                    "grains",
                    "log",
                    "casting" }));
  command->add_option("OUT", arguments->output, "image: " + WritableFormats())->required();
  command
    ->add_option("--size",
                 arguments->size,
                 "voxels along x, y and z; default 128 128 128, log and casting 128 128 96, ridge 512 512")
    ->expected(1, 4)
    ->transform(Count(0, std::numeric_limits<std::int64_t>::max()))
    ->type_name("X Y [Z]");
  command->add_option("--spacing", arguments->spacing, "mm along x, y and z; default 1, log 2 2 4")
    ->expected(1, 4)
    ->check(NumberAboveZero())
    ->type_name("X Y [Z]");
  command->add_option("--seed", arguments->seed, "another seed, another phantom")
    ->transform(Count(0))
    ->capture_default_str();
  command->add_option("--density", arguments->density, "share of foreground: balls (default 0.2), random (0.5)")
    ->check(NumberFromZero());
  command
    ->add_option("--grain",
                 arguments->grain,
                 "random: side of the cubes in voxels (default 1); grains: about their width (default 16)")
    ->transform(Count(1, std::numeric_limits<int>::max()));
  command->add_option("--truth", arguments->truth, "log, casting: write what each voxel is (1 crack, 2 knot, 3 pore)")
    ->type_name("FILE");
  command->add_option("--family",
                      arguments->family,
                      "ridge: leveling (default), scaling, subdivision, random-instancing, random-merging or spiral");
  command->add_option("--level", arguments->ridges.level, "ridge: rounds of label equivalence that the patterns take")
    ->transform(Count(0, 28))
    ->capture_default_str();
  command
    ->add_option("--subdivisions",
                 arguments->ridges.subdivisions,
                 "ridge: 4^SUBDIVISIONS patterns (subdivision, random-instancing, random-merging)")
    ->transform(Count(0, 28))
    ->capture_default_str();
  command
    ->add_option("--parameter",
                 arguments->ridges.parameter,
                 "ridge: the size (scaling, spiral) or the probability (random-instancing, random-merging), 0 to 1")
    ->check(NumberFromZero())
    ->capture_default_str();
  command->add_flag("--quiet", arguments->quiet, "print nothing but errors");
  command->callback([arguments] { RunPhantom(*arguments); });
}

} // namespace brickccl::cli
